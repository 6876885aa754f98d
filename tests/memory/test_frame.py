"""The frame: rows that never move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.frame import Frame
from memtui.memory.model import KINDS, Kind, Status
from memtui.memory.moments import to_us
from tests.memory.builders import DIMS, HOUR, START, born, frame_of, unit


def test_a_row_shows_its_memory() -> None:
    memory = born(
        "a",
        "x",
        START,
        kind=Kind.CONSOLIDATED,
        importance=0.4,
        valid=START - HOUR,
        last=START + HOUR,
        recalls=2,
        pinned=True,
    )
    frame = frame_of([(memory, "x", unit(0, 1))], slots=[np.array([0.5, 0.25], np.float32)])
    assert (len(frame), frame.row(memory.id), memory.id in frame, "other" in frame) == (1, 0, True, False)
    assert (frame.importance[0], frame.recalls[0], frame.pinned[0], frame.active[0]) == (0.4, 2, True, True)
    assert (frame.created[0], frame.valid[0], frame.last_recall[0]) == (
        to_us(START),
        to_us(START - HOUR),
        to_us(START + HOUR),
    )
    assert KINDS[frame.kind[0]] is Kind.CONSOLIDATED and frame.slots.tolist() == [[0.5, 0.25]]
    with pytest.raises(KeyError):
        frame.row("other")


@given(st.integers(0, 200))
def test_rows_stay_where_they_are_while_it_grows(count: int) -> None:
    frame = Frame(DIMS)
    memories = [born(f"m{i}", "x", importance=i / 200) for i in range(count)]
    for i, memory in enumerate(memories):
        assert frame.upsert(memory, f"text {i}", unit(1, i)) == i
    assert frame.ids == [memory.id for memory in memories] and len(frame.vectors) == count
    assert frame.importance.tolist() == [i / 200 for i in range(count)]
    at_once = Frame(DIMS)
    at_once.extend(memories, [f"text {i}" for i in range(count)])
    at_once.vectors[:] = frame.vectors
    for name in ("importance", "recalls", "last_recall", "created", "valid", "kind", "pinned", "active", "vectors", "slots"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(frame, name))
    assert (at_once.ids, at_once.texts, at_once.memories) == (frame.ids, frame.texts, frame.memories)


def test_writing_a_row_again_keeps_its_vector() -> None:
    memory = born("a", "x")
    frame = frame_of([(memory, "x", unit(0, 1))])
    before = frame.version
    frame.upsert(replace(memory, status=Status.RETIRED), "y")
    assert frame.version > before and frame.texts == ["y"] and frame.vectors[0].tolist() == unit(0, 1).tolist()
    assert frame.active_rows().size == 0 and len(frame) == 1


def test_a_dropped_row_comes_back_in_its_place() -> None:
    first, second = born("a", "x"), born("b", "y")
    frame = frame_of([(first, "x", unit(1)), (second, "y", unit(0, 1))])
    frame.drop(first.id)
    frame.drop(first.id)
    frame.drop("never there")
    assert first.id not in frame and frame.active.tolist() == [False, True] and frame.row(second.id) == 1
    assert frame.upsert(first, "x") == 0
    assert frame.ids == [first.id, second.id] and frame.active.tolist() == [True, True]
    assert frame.vectors[0].tolist() == unit(1).tolist()
