"""From the tables to state and frame: what an open does, by columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memtui.memory.events import Created, Event
from memtui.memory.frame import Frame, Reader
from memtui.memory.state import State, evolve
from memtui.store.contents import Contents
from memtui.store.tables import Embedded


def frame_of(
    events: Sequence[Event],
    state: State,
    contents: Contents,
    embedded: Iterable[Embedded],
    *,
    reader: Reader | None,
) -> Frame:
    """The frame of a folded state: one row a memory, in order of first creation, as if it had grown event by event.

    Args:
        embedded: the vectors of the present embedder, in portions.
    """
    frame = Frame(contents.dims, *((reader.slots, reader.aspects) if reader is not None else ()))
    births: dict[str, Event] = {}
    for event in events:
        if isinstance(event.body, Created):
            births.setdefault(event.body.memory, event)
    memories = []
    gone = []
    for event in births.values():
        assert isinstance(event.body, Created)
        memory = state.memories.get(event.body.memory)
        if memory is None:
            memory = evolve(None, event.body, event.at)
            assert memory is not None
            gone.append(memory.id)
        memories.append(memory)
    texts = contents.texts
    frame.extend(memories, [texts.get(memory.content, "") for memory in memories])
    _fill_vectors(frame, embedded)
    if reader is not None and len(frame):
        has_vector = frame.vectors.any(axis=1)
        frame.readings[has_vector] = reader.read(frame.vectors)[has_vector]
    for memory_id in gone:
        frame.drop(memory_id)
    return frame


def _fill_vectors(frame: Frame, embedded: Iterable[Embedded]) -> None:
    """Write each memory's vector into its row."""
    first_row: dict[str, int] = {}
    same: list[tuple[int, int]] = []
    for row, memory in enumerate(frame.memories):
        first = first_row.setdefault(memory.content, row)
        if first != row:
            same.append((row, first))
    target = frame.vectors
    for digests, vectors in embedded:
        rows = np.array([first_row.get(digest, -1) for digest in digests], np.int64)
        if rows.size and rows.min() >= 0:
            target[rows] = vectors
        else:
            there = rows >= 0
            target[rows[there]] = vectors[there]
    for row, first in same:
        target[row] = target[first]
