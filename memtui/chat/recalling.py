"""Recall for a companion: the cue its mind makes of a text, and what the engine finds with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from memtui.memory.conflicts import Conflict, settled, with_conflicts
from memtui.memory.frame import Bools, Frame
from memtui.memory.moments import to_us
from memtui.memory.recall import Cue, Recollection, recall
from memtui.memory.skill import prompt_text
from memtui.memory.words import asks
from memtui.minds.base import language_of
from memtui.minds.tokens import count_tokens

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

Search: TypeAlias = Callable[[str, int], Mapping[str, float]]
LINE_COST: Final = 10
"""Tokens a memory's id and date cost in the prompt beside its text (`minds.prompts`)."""
MARK_COST: Final = 7
"""Tokens it costs more to say that a memory may contradict another one."""

CYRILLIC_ROOM: Final = 1.4
"""Times the token budget for a question in Cyrillic: its words cost about 1.8 times the tokens of English ones."""


async def cue_of(companion: Companion, text: str, search: Search | None = None) -> Cue:
    """The signals recall works with for `text`.

    Args:
        search: BM25 by memory id for a text and a limit; the store's own by default.

    Raises:
        MindError: the embedder did not answer.
    """
    vector = (await companion.mind.embedder.embed([text]))[0]
    find = companion.store.search_words if search is None else search
    words = await asyncio.to_thread(find, text, companion.recall_policy.candidates)
    reader = companion.mind.slot_reader
    room = CYRILLIC_ROOM if language_of(text) == "ru" else 1.0
    if reader is None:
        return Cue(text, vector, words, asks=asks(text), room=room)
    read = reader.asked(vector[np.newaxis])[0]
    slots, aspects = read[: len(reader.slots)], read[len(reader.slots) :]
    return Cue(text, vector, words, slots, aspects, asks(text), reader.ranker, room)


def recall_now(companion: Companion, cue: Cue, without: Bools | None = None) -> Recollection:
    """What recall finds by the companion's law, policy and clock; of an open conflict both sides or none.

    Args:
        without: bool (n,), rows that take no part.
    """
    state = companion.store.state

    def both_stand(older: str, newer: str) -> bool:
        return settled(state, state.memories[older], state.memories[newer])

    now_us = to_us(companion.clock.now())
    return recall_in(companion, companion.store.frame, cue, now_us, companion.conflicts(), both_stand, without)


def recall_in(
    companion: Companion,
    frame: Frame,
    cue: Cue,
    now_us: int,
    conflicts: Sequence[Conflict],
    both_stand: Callable[[str, str], bool],
    without: Bools | None = None,
) -> Recollection:
    """What recall finds in a frame at a moment (microseconds UTC) by the companion's law and policy.

    Args:
        conflicts: those that are open in it.
        both_stand: whether the person settled that an older and a newer memory both hold.
        without: bool (n,), rows that take no part.
    """
    law, policy = companion.law, companion.recall_policy

    def cost(text: str) -> int:
        return count_tokens(prompt_text(text)) + LINE_COST

    out = law.out_of_recall(frame, now_us)
    found = recall(frame, cue, now_us, law, policy, cost, both_stand, out if without is None else out | without)
    return with_conflicts(
        found,
        conflicts,
        frame,
        cost,
        cue=cue,
        law=law,
        now_us=now_us,
        mark_tokens=MARK_COST,
        most=policy.max_memories,
    )
