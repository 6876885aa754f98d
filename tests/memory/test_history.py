"""The columnar history: as of any moment it says what folding the events up to then says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.conflicts import open_conflicts, settled
from memtui.memory.events import (
    Absorbed,
    Body,
    Edited,
    Event,
    Judged,
    Pinned,
    Recalled,
    Reinforced,
    Restored,
    Retired,
    SetAside,
    Undone,
)
from memtui.memory.frame import Frame, columns_of
from memtui.memory.history import History
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import YOU, Kind, Label, RetireReason
from memtui.memory.moments import to_us
from memtui.memory.past import PastFrame
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.state import State, fold
from tests.memory.builders import DAY, DIMS, HOUR, START, after, chained, created, unit
from tests.memory.strategies import bodies

NAMES = ("a", "b", "c", "d")
TEXTS = tuple(f"text {number}" for number in range(6))
A, B, C, D = (created(name, name).memory for name in NAMES)
POLICY = SleepPolicy(ask_confidence=0.3, retire_confidence=0.8)


def content(text: str) -> str:
    return created("x", text).content


names = st.sampled_from([A, B, C, D])
texts = st.sampled_from([content(text) for text in TEXTS])
likely: st.SearchStrategy[Body] = st.one_of(
    st.builds(
        lambda name, text, pinned: created(name, text, pinned=pinned),
        st.sampled_from(NAMES), st.sampled_from(TEXTS), st.booleans(),
    ),
    st.builds(Recalled, memories=st.lists(names, max_size=3).map(tuple), turn=st.just("t")),
    st.builds(Reinforced, memory=names, turn=st.just("t9")),
    st.builds(Absorbed, memory=names, sources=st.just(("s",)), recalls=st.integers(0, 3), last_recall=st.just(START + DAY)),
    st.builds(Retired, memory=names, reason=st.sampled_from(RetireReason), by=st.none() | names),
    st.builds(Restored, memory=names),
    st.builds(Pinned, memory=names, pinned=st.booleans()),
    st.builds(Edited, memory=names, content=st.none() | texts, kind=st.none() | st.sampled_from(Kind)),
    st.builds(
        Judged, older=texts, newer=texts, label=st.sampled_from(Label), confidence=st.sampled_from([0.2, 0.5, 0.9]),
        judge=st.sampled_from(["j", YOU]),
    ),
    st.builds(SetAside, older=texts, newer=texts),
    bodies,
)  # fmt: skip


@st.composite
def lives(draw: st.DrawFn) -> list[Event]:
    """Blocks of what happens to a few memories; undoes name any block, undoes and blocks to come among them."""
    count = draw(st.integers(1, 14))
    blocks: list[tuple[str, datetime, Sequence[Body]]] = []
    now = START
    for number in range(count):
        now += timedelta(hours=draw(st.sampled_from([0, 0, 1, 7, 100])))
        some: Sequence[Body] = draw(st.lists(likely, min_size=1, max_size=4))
        if number and draw(st.integers(0, 3)) == 0:
            some = [Undone(f"b{draw(st.integers(0, count))}")]
        blocks.append((f"b{number}", now, some))
    return chained(blocks)


def fed(events: Sequence[Event]) -> tuple[History, State, Frame]:
    """A history, the state and the frame, grown event by event as a store grows them."""
    history, state, frame = History(), State(), Frame(DIMS)
    for event in events:
        touched = state.apply(event)
        history.take(event, touched, state)
        for memory_id in touched:
            memory = state.memories.get(memory_id)
            if memory is None:
                frame.drop(memory_id)
            else:
                frame.upsert(memory, memory.content[:8])
    return history, state, frame


def past_frame(history: History, frame: Frame, events: int) -> PastFrame:
    cut = history.cut(events)
    worded = {memory.content: memory.content[:8] for memory in cut.memories}
    return PastFrame(cut, frame, history.row, texts=worded, vectors={}, readings={})


@settings(max_examples=150)
@given(lives())
def test_as_of_any_event_it_is_the_fold_of_the_events_up_to_then(events: list[Event]) -> None:
    history, _, frame = fed(events)
    for count in range(len(events) + 1):
        state, cut = fold(events[:count]), history.cut(count)
        assert cut.there() == state.memories
        floats, ints, bools = columns_of(cut.memories)
        assert np.array_equal(cut.floats, floats) and np.array_equal(cut.ints, ints)
        assert np.array_equal(cut.bools[0], bools[0])
        assert {cut.ids[row] for row in np.flatnonzero(cut.bools[1]).tolist()} == {m.id for m in state.active()}
        assert history.undone(count) == state.undone()
        assert cut.ids == frame.ids[: len(cut.ids)]


@given(lives(), st.integers(0, 30), st.sampled_from([timedelta(0), timedelta(microseconds=1), -timedelta(microseconds=1)]))
def test_as_of_any_moment_it_is_the_fold_until_then(events: list[Event], which: int, beside: timedelta) -> None:
    history, _, _ = fed(events)
    moment = events[which % len(events)].at + beside
    assert history.cut(history.events_at(moment)).there() == fold(events, moment).memories
    assert history.cut(history.events_at(START - DAY)).there() == {}


@settings(max_examples=50)
@given(lives(), st.integers(0, 30))
def test_asking_in_between_changes_nothing(events: list[Event], asked: int) -> None:
    history, state = History(), State()
    for number, event in enumerate(events):
        history.take(event, state.apply(event), state)
        if number % (asked + 1) == 0:
            assert history.cut(number).there() == fold(events[:number]).memories
    assert history.cut(len(events)).there() == state.memories == fold(events).memories


@settings(max_examples=50)
@given(lives())
def test_the_frame_of_the_past_is_the_frame_there_was(events: list[Event]) -> None:
    history, _, frame = fed(events)
    law, then, seen = SalienceLaw(), State(), Frame(DIMS)
    for count, event in enumerate(events, start=1):
        after(then, seen, {memory.content: memory.content[:8] for memory in history.cut(len(events)).memories}, event)
        past = past_frame(history, frame, count)
        assert past.ids == seen.ids
        for memory_id, memory in then.memories.items():
            row = past.row(memory_id)
            assert row == seen.row(memory_id) and memory_id in past
            assert past.memories[row] == memory and past.texts[row] == memory.content[:8]
        assert [memory_id in past for memory_id in seen.ids] == [memory_id in seen for memory_id in seen.ids]
        assert sorted(past.dropped_rows()) == sorted(seen.dropped_rows())
        now_us = to_us(event.at + HOUR)
        active = past.active_rows()
        assert np.array_equal(active, seen.active_rows())
        assert np.array_equal(law.retention(past, now_us)[active], law.retention(seen, now_us)[active])
        assert np.array_equal(law.dies_at(past)[active], law.dies_at(seen)[active])


@settings(max_examples=150)
@given(lives())
def test_the_conflicts_of_the_past_are_those_that_were_open(events: list[Event]) -> None:
    history, state, _ = fed(events)
    for count in range(len(events) + 1):
        cut, then = history.cut(count), fold(events[:count])
        assert open_conflicts(history.doubts(cut, state), POLICY) == open_conflicts(then, POLICY)
        for older, newer in permutations(then.memories.values(), 2):
            part = history.between(cut, state, older.id, newer.id)
            assert settled(part, part.memories[older.id], part.memories[newer.id]) == settled(then, older, newer)


def test_conflicts_are_among_what_is_tried() -> None:
    doubt = Judged(content("old"), content("new"), Label.SUPERSEDES, 0.5, "j")
    events = chained(
        [
            ("1", START, [created("a", "old")]),
            ("2", START + HOUR, [created("b", "new", START + HOUR)]),
            ("3", START + DAY, [doubt]),
            ("4", START + 2 * DAY, [Edited(B, content=content("else"))]),
            ("5", START + 3 * DAY, [Undone("4")]),
            ("6", START + 4 * DAY, [SetAside(content("old"), content("new"))]),
        ]
    )
    history, state, _ = fed(events)
    counts = [len(open_conflicts(history.doubts(history.cut(n), state), POLICY)) for n in range(len(events) + 1)]
    assert counts == [0, 0, 0, 1, 0, 1, 0]


def test_a_merge_and_its_undo() -> None:
    merged = created("c", "both", merged_from=(A, B), sources=("t-a", "t-b"))
    events = chained(
        [
            ("1", START, [created("a", "one"), created("b", "two")]),
            ("sleep", START + DAY, [merged, Retired(A, RetireReason.MERGED, by=C), Retired(B, RetireReason.MERGED, by=C)]),
            ("undo", START + 2 * DAY, [Undone("sleep")]),
            ("redo", START + 3 * DAY, [Undone("undo")]),
        ]
    )
    history, _, frame = fed(events)
    shown = []
    for day in range(4):
        past = past_frame(history, frame, history.events_at(START + day * DAY))
        shown.append([past.ids[row] for row in past.active_rows().tolist()])
    assert shown == [[A, B], [C], [A, B], [C]]
    assert C not in past_frame(history, frame, history.events_at(START + 2 * DAY))


def test_words_and_vectors_are_those_of_then() -> None:
    events = chained(
        [
            ("1", START, [created("a", "one"), created("b", "two")]),
            ("2", START + DAY, [Edited(A, content=content("three"))]),
        ]
    )
    history, state, frame = fed(events)
    frame.upsert(state.memories[A], "three", unit(0, 1))
    frame.upsert(state.memories[B], "two", unit(0, 0, 1))
    cut = history.cut(2)
    assert cut.reworded.tolist() == [0]
    old = content("one")
    past = PastFrame(cut, frame, history.row, texts={old: "one"}, vectors={old: unit(1)}, readings={})
    assert past.texts == ["one", "two"]
    assert np.array_equal(past.vectors, np.stack([unit(1), unit(0, 0, 1)]))
    assert np.array_equal(past.select(np.array([1, 0])).vectors, past.vectors[[1, 0]])
    unknown = PastFrame(cut, frame, history.row, texts={}, vectors={}, readings={})
    assert unknown.texts[0] == "" and not unknown.vectors[0].any()  # an erased text, and one this embedder never saw
    assert np.shares_memory(
        PastFrame(history.cut(3), frame, history.row, texts={}, vectors={}, readings={}).vectors, frame.vectors
    )


def test_the_past_cant_be_written_to() -> None:
    history, state, frame = fed(chained([("1", START, [created("a", "one")])]))
    past = past_frame(history, frame, 1)
    with pytest.raises(TypeError, match="read-only"):
        past.upsert(state.memories[A], "")
    with pytest.raises(TypeError, match="read-only"):
        past.extend([], [])
    with pytest.raises(TypeError, match="read-only"):
        past.drop(A)
    with pytest.raises(ValueError, match="read-only"):
        past.importance[0] = 1.0
    with pytest.raises(KeyError):
        past.row("nobody")


def test_time_that_runs_backwards_in_a_forged_ledger_ends_where_the_fold_ends() -> None:
    plain = chained(
        [
            ("1", START, [created("a", "one")]),
            ("2", START + DAY, [created("b", "two")]),
            ("3", START + DAY, [Pinned(A, True)]),
        ]
    )
    forged = [plain[0], plain[1], Event(2, START, "3", Pinned(A, True), "", "")]
    history, _, _ = fed(forged)
    assert history.cut(history.events_at(START + HOUR)).there() == fold(forged, START + HOUR).memories


def test_only_so_much_is_known() -> None:
    history, _, _ = fed(chained([("1", START, [created("a", "one")]), ("2", START + DAY, [created("b", "two")])]))
    cut = history.cut(1)
    assert history.contents(cut.known) == [content("one")]
    assert cut.holding(history.code(content("one"))) == [A]
    assert cut.holding(history.code(content("two"))) == [] and history.code("nothing") == -1
