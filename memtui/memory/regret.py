"""Regret: what memory let go of and a later question would have needed; and what it keeps that nobody ever used.

A question is answered from the memories that were there. What had been retired by then is ranked once more among them, by
the same ranker, gate and budget as recall's: what would have been given is *missed*. It is no regret where something else
stood in for it:

- it was superseded, merged or a duplicate, and what replaced it (or replaced that) was recalled for this question;
- a memory that was recalled says the same words;
- recall passes it over for a newer one that answers the same.

So a Berlin that Lisbon replaced is missed by no question to which Lisbon came. Pure: reading changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from memtui.memory.frame import Frame, Ints
from memtui.memory.laws import Law
from memtui.memory.moments import HOUR_US
from memtui.memory.recall import Cue, RecallPolicy, passing_rows, recall
from memtui.memory.texts import same_key

UNUSED_AFTER_DAYS: Final = 14
"""Days in memory without a single recall after which a memory counts as never used."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what would have been given to its answer had it not been retired.

    Attributes:
        turn: the user turn's id.
        missed: ids of memories, best first.
    """

    turn: str
    at: datetime
    text: str
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Regretted:
    """A retired memory and the questions that would have needed it, in order."""

    memory: str
    asked: tuple[Asked, ...]


def lost_rows(frame: Frame) -> Ints:
    """Rows of retired memories, ascending."""
    gone = ~frame.active
    gone[frame.dropped_rows()] = False
    return np.flatnonzero(gone)


def missed(
    frame: Frame,
    cue: Cue,
    now_us: int,
    *,
    law: Law,
    policy: RecallPolicy,
    count_tokens: Callable[[str], int],
    both_stand: Callable[[str, str], bool],
    recalled: Collection[str],
) -> tuple[str, ...]:
    """Ids of the retired memories that recall would have given to a question at `now_us` (microseconds UTC), best first.

    Args:
        frame: memory in front of the question.
        cue: the question; its `words` are looked for among the retired too.
        both_stand: as `recall` takes it.
        recalled: ids of the memories that were recalled for it.
    """
    lost = lost_rows(frame)
    if not lost.size:
        return ()
    revived = frame.revived(lost)
    if not np.isin(passing_rows(revived, cue, policy), lost).any():
        return ()
    found = recall(revived, cue, now_us, law, policy, count_tokens, both_stand)
    gone = {frame.ids[row] for row in lost.tolist()}
    said = {same_key(frame.texts[frame.row(memory)]) for memory in recalled if memory in frame}
    return tuple(
        memory
        for memory in found.recalled
        if memory in gone
        and same_key(frame.texts[frame.row(memory)]) not in said
        and not stands_for(frame, memory, recalled)
    )


def stands_for(frame: Frame, memory: str, recalled: Collection[str]) -> bool:
    """Whether what replaced a retired memory, or what replaced that, is among the recalled ones."""
    seen = {memory}
    by = frame.memories[frame.row(memory)].retired_by
    while by is not None and by not in seen and by in frame:  # a forged ledger may go in circles
        if by in recalled:
            return True
        seen.add(by)
        by = frame.memories[frame.row(by)].retired_by
    return False


def regretted(frame: Frame, asked: Iterable[Asked]) -> tuple[Regretted, ...]:
    """What is retired in `frame` and was missed, what was missed most (then last) first; what was restored is left out."""
    by_memory: dict[str, list[Asked]] = {}
    for question in asked:
        for memory in question.missed:
            if memory in frame and not frame.active[frame.row(memory)]:
                by_memory.setdefault(memory, []).append(question)
    found = [Regretted(memory, tuple(questions)) for memory, questions in by_memory.items()]
    return tuple(sorted(found, key=lambda one: (-len(one.asked), -one.asked[-1].at.timestamp(), frame.row(one.memory))))


def unused_rows(frame: Frame, now_us: int, days: float = UNUSED_AFTER_DAYS) -> Ints:
    """Rows of the active memories that were told `days` or more before `now_us` and never recalled since, oldest first."""
    old = frame.created <= now_us - round(days * 24 * HOUR_US)
    rows = np.flatnonzero(frame.active & ~frame.skill & old & (frame.recalls == 0))
    return rows[np.argsort(frame.created[rows], kind="stable")]
