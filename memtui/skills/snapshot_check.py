"""Is the snapshot what the ledger says? For `memtui verify --strict`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from memtui.memory.events import Event
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.ledger import Head, Problem
from memtui.memory.skill_search import WordIndex
from memtui.memory.state import fold
from memtui.memory.words import stems
from memtui.skills.keeping import row_of
from memtui.skills.snapshot_file import SNAPSHOT_NAME, Row, SnapshotFile
from memtui.store.head_file import fits

_NAMED: Final = 5


def check_snapshot(
    folder: Path | None, events: Sequence[Event], text: Callable[[str], str], law: StrengthLaw
) -> list[Problem]:
    """Everything in the snapshot of `folder` that does not follow from the ledger it says it was made from.

    The state at the snapshot's own head is folded anew, so one that is merely behind is no problem. No snapshot is none.
    """
    if folder is None or not (folder / SNAPSHOT_NAME).exists():
        return []
    try:
        file = SnapshotFile(folder / SNAPSHOT_NAME)
        return _differences(file, events, text, law)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        return [Problem("skills snapshot", f"it can't be read: {error}")]


def _differences(file: SnapshotFile, events: Sequence[Event], text: Callable[[str], str], law: StrengthLaw) -> list[Problem]:
    problems: list[Problem] = []
    if not file.whole():
        problems.append(Problem("skills snapshot", "its content does not match its digest"))
    head = file.header.head
    if not fits(Head(head.length, head.hash), events):
        return [*problems, Problem("skills snapshot", f"it was made from another ledger, {head.length} events long")]
    if file.header.law != law:
        return problems  # the settings have changed since: it counts as stale, and is made anew
    memories = [m for m in fold(events[: head.length]).memories.values() if m.skill is not None and m.active]
    wanted = {memory.id: row_of(memory, text(memory.content), law) for memory in memories}
    told = {str(record.get("id")): (row, record) for row, record in enumerate(map(file.record, range(len(file))))}
    for memory_id in dict.fromkeys((*wanted, *told)):
        if memory_id not in told:
            problems.append(Problem(f"skill {wanted[memory_id].record['slug']}", "the snapshot lacks it"))
        elif memory_id not in wanted:
            problems.append(Problem(f"skill {told[memory_id][1].get('slug')}", "the ledger knows no such active skill"))
        else:
            problems += _row_problems(file, *told[memory_id], wanted[memory_id])
    contents = {memory.id: memory.content for memory in memories}
    if not problems and _words_differ(file, [text(contents[memory_id]) for memory_id in told]):
        problems.append(Problem("skills snapshot", "its index of words is not that of the skills' texts"))
    return problems


def _row_problems(file: SnapshotFile, row: int, record: dict[str, Any], wanted: Row) -> list[Problem]:
    fields = [name for name in dict.fromkeys((*wanted.record, *record)) if record.get(name) != wanted.record.get(name)]
    if not math.isclose(float(file.strength[row]), wanted.strength, rel_tol=1e-12):
        fields.append(f"strength ({float(file.strength[row]):.4g}, by the ledger {wanted.strength:.4g})")
    if int(file.last_use[row]) != wanted.last_use_us:
        fields.append("last_use")
    if bool(file.pinned[row]) != wanted.pinned:
        fields.append("pinned")
    where = f"skill {wanted.record['slug']}"
    return [Problem(where, f"the snapshot differs from the ledger in {', '.join(fields)}")] if fields else []


def _words_differ(file: SnapshotFile, texts: Sequence[str]) -> bool:
    index = WordIndex([stems(text) for text in texts])
    if not np.array_equal(file.lengths, index.lengths):
        return True
    for word in index.terms:
        one, other = file.postings(word), index.postings(word)
        if not all(map(np.array_equal, one, other)):
            return True
    return False
