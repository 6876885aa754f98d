"""State is a fold: replay, undo, the past."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.events import (
    Absorbed,
    Body,
    Created,
    Edited,
    Event,
    Judged,
    Pinned,
    Recalled,
    Reinforced,
    Restored,
    Retired,
    Slept,
    Turned,
    Undone,
    Warped,
)
from memtui.memory.frame import Frame
from memtui.memory.ids import make_id
from memtui.memory.model import Kind, Label, RetireReason, Status
from memtui.memory.state import State, evolve, fold, state_hash
from tests.memory.builders import DAY, DIMS, HOUR, START, after, chained, created
from tests.memory.strategies import bodies, moments

A = make_id(START, "a")


@st.composite
def lives(draw: st.DrawFn) -> list[Event]:
    """A chain of blocks; undoes name blocks there are, their own and future ones among them."""
    count = draw(st.integers(1, 10))
    blocks: list[tuple[str, datetime, Sequence[Body]]] = []
    for number in range(count):
        some = draw(st.lists(bodies, min_size=1, max_size=3))
        if number and draw(st.booleans()):
            some = [Undone(f"b{draw(st.integers(0, count))}")]
        blocks.append((f"b{number}", draw(moments), some))
    return chained(blocks)


# 7. replay


@given(lives())
def test_replaying_gives_the_state(events: list[Event]) -> None:
    live = State()
    for event in events:
        live.apply(event)
    replayed = fold(events)
    assert replayed == live and state_hash(replayed) == state_hash(live)
    assert list(replayed.memories) == list(live.memories)


@given(lives(), st.integers(0, 30))
def test_the_past_is_the_fold_of_the_events_up_to_then(events: list[Event], which: int) -> None:
    until = events[which % len(events)].at
    assert fold(events, until) == fold([event for event in events if event.at <= until])
    assert fold(events, START - DAY) == State()
    assert fold(events, events[-1].at) == fold(events)


@given(lives())
def test_the_frame_shows_the_state(events: list[Event]) -> None:
    state, frame = State(), Frame(DIMS)
    for event in events:
        after(state, frame, {}, event)
    assert {frame.ids[row] for row in frame.active_rows().tolist()} == {memory.id for memory in state.active()}
    for memory_id, memory in state.memories.items():
        assert frame.memories[frame.row(memory_id)] == memory  # 8: an id that was given out resolves
    assert len(frame.ids) == len(set(frame.ids))


@given(lives())
def test_a_memory_once_created_always_resolves(events: list[Event]) -> None:
    state = fold([event for event in events if not isinstance(event.body, Undone)])
    for event in events:
        if isinstance(event.body, Created):
            assert event.body.memory in state.memories


# 6. undo


@given(lives(), st.lists(bodies, min_size=1, max_size=4))
def test_undo_gives_back_the_memories_before_exactly(events: list[Event], more: list[Body]) -> None:
    plain = [body for body in more if not isinstance(body, Undone)]
    before = fold(events)
    state = fold(events)
    doing = [
        Event(len(events) + i, events[-1].at, "doing", body, "", "") for i, body in enumerate(plain)
    ]  # folding does not look at hashes
    for event in doing:
        state.apply(event)
    done = dict(state.memories)
    state.apply(Event(0, events[-1].at, "undoing", Undone("doing"), "", ""))
    assert state.memories == before.memories
    state.apply(Event(0, events[-1].at, "again", Undone("undoing"), "", ""))
    assert state.memories == done
    state.apply(Event(0, events[-1].at, "and again", Undone("again"), "", ""))
    assert state.memories == before.memories


@given(lives())
def test_undoing_an_earlier_block_is_never_having_done_it(events: list[Event]) -> None:
    plain = [event for event in events if not isinstance(event.body, Undone)]
    for block in dict.fromkeys(event.block for event in plain):
        state = fold(plain)
        state.apply(Event(0, plain[-1].at, "undoing", Undone(block), "", ""))
        assert state.memories == fold([event for event in plain if event.block != block]).memories


@pytest.mark.parametrize("targets", [["b0"], ["b1", "b0"], ["b1", "b2", "b0"], ["nothing"]])
def test_undoes_in_a_circle_end(targets: list[str]) -> None:
    state = fold(chained([(f"b{i}", START, [Undone(target)]) for i, target in enumerate(targets)]))
    assert state.touched_by("b0") == () and state.memories == {}


# what each event means


def one(*after_birth: Body, at: datetime = START + HOUR) -> State:
    return fold(chained([("birth", START, [created("a", "x")]), ("then", at, list(after_birth))]))


def test_recalls_count_and_move_the_last_recall() -> None:
    assert (one(Recalled((A,), "t")).memories[A].recalls, one(Recalled((A,), "t")).memories[A].last_recall) == (
        1,
        START + HOUR,
    )
    again = one(Reinforced(A, "t9"), Reinforced(A, "t9")).memories[A]
    assert again.recalls == 2 and again.sources == ("t-a", "t9")


def test_a_recall_told_late_does_not_turn_the_clock_back() -> None:
    future = created("a", "x", last=START + DAY)
    state = fold(chained([("birth", START, [future]), ("then", START + HOUR, [Recalled((A,), "t")])]))
    assert state.memories[A].last_recall == START + DAY


def test_absorbing_takes_over_sources_recalls_and_the_later_recall() -> None:
    memory = one(Absorbed(A, ("t-a", "t2"), 3, START + DAY)).memories[A]
    assert (memory.sources, memory.recalls, memory.last_recall) == (("t-a", "t2"), 3, START + DAY)


def test_retiring_says_when_why_and_by_what_and_restoring_undoes_it() -> None:
    retired = one(Retired(A, RetireReason.SUPERSEDED, by="b", note="n"))
    memory = retired.memories[A]
    assert (memory.status, memory.retired_at, memory.retired_reason) == (
        Status.RETIRED,
        START + HOUR,
        RetireReason.SUPERSEDED,
    )
    assert (memory.retired_by, memory.retire_note) == ("b", "n")
    assert retired.active() == [] and retired.retired() == [memory]
    back = one(Retired(A, RetireReason.PRUNED), Restored(A)).memories[A]
    assert back.active and back.retired_at is None and back.retired_reason is None and back.retired_by is None
    assert back.recalls == 1 and back.last_recall == START + HOUR  # else the next sleep would prune it at once


def test_editing_leaves_what_is_not_named() -> None:
    memory = one(Edited(A, importance=0.9), Edited(A, kind=Kind.EPISODIC)).memories[A]
    assert (memory.importance, memory.kind, memory.content) == (0.9, Kind.EPISODIC, created("a", "x").content)
    assert one(Pinned(A, True)).memories[A].pinned and not one(Pinned(A, True), Pinned(A, False)).memories[A].pinned


@given(bodies.filter(lambda body: not isinstance(body, Created)))
def test_events_about_absent_memories_make_none(body: Body) -> None:
    assert evolve(None, body, START) is None


def test_the_rest_of_the_state() -> None:
    judged = Judged("x", "y", Label.SUPERSEDES, 0.8, "j", "n")
    state = one(Turned("t1", "s"), judged, Warped(60.0, 1.0), Slept("key", 0, 0, 0, 1))
    assert state.turns == {"t1": START + HOUR} and state.offset_s == 60.0 and state.last_at == START + HOUR
    verdict = state.verdict("x", "y")
    assert verdict is not None and verdict.label is Label.SUPERSEDES and verdict.confidence == 0.8
    assert state.verdict("y", "x") is None
    last = state.last_sleep()
    assert last is not None and last.block == "then"


# the sleep trigger is a crossing, never an exact multiple


@given(st.lists(st.integers(1, 7), min_size=1, max_size=12), st.integers(1, 20))
def test_memories_since_the_last_sleep_are_counted_whatever_the_steps(steps: list[int], threshold: int) -> None:
    state, number, sleeps, told = State(), 0, 0, 0
    for i, step in enumerate(steps):
        block = [created(f"m{number + j}", f"text {number + j}") for j in range(step)]
        number += step
        told += step
        for body in block:
            state.apply(Event(number, START, f"b{i}", body, "", ""))
        assert state.written_since_sleep() == told
        if state.written_since_sleep() >= threshold:
            number += 1
            state.apply(Event(number, START, f"s{i}", Slept("count", 0, 0, 0, 0), "", ""))
            sleeps, told = sleeps + 1, 0
            assert state.written_since_sleep() == 0
    assert (sleeps > 0) == any(sum(steps[i:j]) >= threshold for i in [0] for j in range(1, len(steps) + 1))


def test_an_undone_sleep_is_none() -> None:
    blocks: list[tuple[str, datetime, Sequence[Body]]] = [
        ("a", START, [created("a", "x")]),
        ("sleep", START, [Slept("key", 0, 0, 0, 1)]),
        ("b", START, [created("b", "y")]),
    ]
    assert fold(chained(blocks)).written_since_sleep() == 1
    undone = fold(chained([*blocks, ("undo", START, [Undone("sleep")])]))
    assert undone.last_sleep() is None and undone.written_since_sleep() == 2


@settings(max_examples=30)
@given(lives())
def test_the_state_hash_tells_states_apart(events: list[Event]) -> None:
    state = fold(events)
    before = state_hash(state)
    shuffled = State(memories=dict(reversed(state.memories.items())))
    assert state_hash(shuffled) == before
    for memory_id in list(state.memories)[:1]:
        other = evolve(state.memories[memory_id], Reinforced(memory_id, "another turn"), START)
        assert other is not None
        state.memories[memory_id] = other
        assert state_hash(state) != before
