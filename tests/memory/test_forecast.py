"""The forecast is what happens: passes lived through one by one let go of what it said, when it said, under every law."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memtui.memory.forecast import WEEK_US, leaves_at, outlook
from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.laws.baselines import NaiveLaw, WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.life import life_of
from memtui.memory.model import Kind, Status
from memtui.memory.moments import HOUR_US, NEVER_US, from_us, to_us
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.sleep.plan import make_plan
from memtui.memory.state import State, fold
from tests.memory.builders import START, born, snapshot, unit
from tests.memory.test_every_law import every_law, framed, gaps, last_of, lived, lives

POLICY = SleepPolicy()
GRACE = POLICY.grace_hours
JUST_AFTER = 1000
"""Microseconds: a closed form in floats is good to a few of them."""
Drawn = list[tuple[Kind, float, list[tuple[float, bool]]]]


def slept_at(frame: Frame, law: Law, moment_us: int) -> None:
    """A sleep pass, without a judge."""
    plan = make_plan(frame, from_us(moment_us), law, POLICY, trigger="test")
    for memory in (memory for item in plan.items for memory in item.retires):
        row = frame.row(memory)
        frame.upsert(replace(frame.memories[row], status=Status.RETIRED, retired_at=from_us(moment_us)), "")


@every_law
@settings(max_examples=40, deadline=None)
@given(st.lists(lives, min_size=1, max_size=12), st.floats(0, 24 * 50), st.lists(st.floats(1, 24 * 300), max_size=4))
def test_passes_let_go_of_what_was_forecast_when_it_was_forecast(
    law: Law, drawn: Drawn, on: float, others: list[float]
) -> None:
    frame = framed(lived(drawn))
    frame.pinned[::5] = True
    for row in range(0, len(frame), 5):
        frame.memories[row] = replace(frame.memories[row], pinned=True)
    now_us = last_of(frame) + round(on * HOUR_US)
    ahead = outlook(frame, law, now_us, grace_hours=GRACE)
    assert ahead.active == int(frame.active.sum())
    passes = {now_us, *(at + JUST_AFTER for at in ahead.at_us.tolist() if at > now_us)}
    passes |= {now_us + round(hours * HOUR_US) for hours in others}
    for moment in sorted(passes):
        near = np.abs(ahead.at_us - moment)
        slept_at(frame, law, moment)
        if not (near < JUST_AFTER).any() or moment == now_us:
            left = np.setdiff1d(ahead.held, ahead.rows[: ahead.gone_by(moment)])
            assert frame.active_rows().tolist() == left.tolist()
            assert int(ahead.active_at(np.array([moment]))[0]) == left.size
            weights = np.arange(len(frame), dtype=np.int64) + 1
            assert int(ahead.weight_at(np.array([moment]), weights)[0]) == int(weights[left].sum())


@every_law
@settings(max_examples=40, deadline=None)
@given(lives, st.lists(st.floats(0, 24 * 400), min_size=1, max_size=5))
def test_what_is_said_to_be_left_is_what_is_left(
    law: Law, life: tuple[Kind, float, list[tuple[float, bool]]], hours: list[float]
) -> None:
    state = lived([life])
    (memory,) = state.memories.values()
    frame = framed(state)
    told = life_of(memory, state.history[memory.id])
    moments = np.array([last_of(frame) + round(hour * HOUR_US) for hour in hours], np.int64)
    later = [float(law.retention(frame, moment)[0]) for moment in moments.tolist()]
    assert told.curve(law, moments) == pytest.approx(later, abs=1e-9)
    crossing = int(leaves_at(frame, law, last_of(frame))[0])
    if law.name in ("salience", "fsrs") and law.capacity is None and last_of(frame) < crossing < NEVER_US // 8:
        assert float(law.retention(frame, crossing)[0]) == pytest.approx(law.floor, abs=1e-9)


@every_law
@settings(max_examples=40, deadline=None)
@given(lives)
def test_the_curve_of_a_life_is_what_the_law_said_at_each_moment(
    law: Law, life: tuple[Kind, float, list[tuple[float, bool]]]
) -> None:
    state = lived([life])
    (memory,) = state.memories.values()
    events = state.history[memory.id]
    told = life_of(memory, events)
    assert told.recalled == tuple(to_us(event.at) for event in events[1:]) and told.birth_us == to_us(START)
    moments = np.linspace(told.birth_us, last_of(framed(state)), 7).round().astype(np.int64)
    then = [framed(fold(events, until=from_us(moment))) for moment in moments.tolist()]
    expected = [float(law.retention(frame, us)[0]) for frame, us in zip(then, moments.tolist(), strict=True)]
    assert told.curve(law, moments) == pytest.approx(expected, abs=1e-9)


@every_law
@settings(max_examples=20, deadline=None)
@given(st.lists(lives, min_size=1, max_size=8), st.floats(0, 24 * 100))
def test_a_forecast_changes_nothing(law: Law, drawn: Drawn, on: float) -> None:
    frame = framed(lived(drawn))
    before = snapshot(frame)
    outlook(frame, law, last_of(frame) + round(on * HOUR_US), grace_hours=GRACE)
    assert snapshot(frame) == before


@every_law
def test_of_nothing_there_is_nothing_to_forecast(law: Law) -> None:
    ahead = outlook(Frame(4), law, to_us(START))
    assert (ahead.active, ahead.due, ahead.gone_by(NEVER_US)) == (0, 0, 0)
    assert ahead.active_at(ahead.moments(to_us(START) + WEEK_US, 4)).tolist() == [0] * 5
    assert ahead.weight_at(np.array([0]), np.zeros(0, np.int64)).tolist() == [0]


def test_skills_stay_and_what_is_new_has_its_grace() -> None:
    frame = Frame(4)
    skill = born("skill", "how", kind=Kind.PROCEDURAL, importance=0.06)
    faint = born("faint", "x", kind=Kind.EPISODIC, importance=0.01)
    for memory in (skill, faint):
        frame.upsert(memory, "x", unit(1))
    at = leaves_at(frame, SalienceLaw(), to_us(START), grace_hours=1.0)
    assert at.tolist() == [NEVER_US, to_us(START + timedelta(hours=1))]


def test_where_room_is_short_what_fades_makes_room() -> None:
    """Six memories, room for four: two fade today anyway, so nobody has to go for room."""
    frame = Frame(4)
    for number in range(6):
        weak = number < 2
        kind, importance = (Kind.EPISODIC, 0.06) if weak else (Kind.SEMANTIC, 0.9)
        frame.upsert(born(f"m{number}", "x", kind=kind, importance=importance), "x", unit(1))
    now_us = to_us(START) + 48 * HOUR_US
    ahead = outlook(frame, Capped(SalienceLaw(), 4), now_us, grace_hours=1.0)
    assert (ahead.due, int(ahead.active_at(np.array([now_us]))[0])) == (2, 4)
    assert ahead.rows[:2].tolist() == [0, 1]
    assert outlook(frame, Capped(SalienceLaw(), 3), now_us, grace_hours=1.0).due == 3


def test_curves_are_even_and_never_rise() -> None:
    frame = framed(lived([(Kind.EPISODIC, 0.1 * n + 0.06, []) for n in range(9)]))
    ahead = outlook(frame, SalienceLaw(), last_of(frame))
    moments = ahead.moments(ahead.now_us + 30 * 24 * HOUR_US, 60)
    assert moments[0] == ahead.now_us and moments[-1] == ahead.now_us + 30 * 24 * HOUR_US and moments.size == 61
    counts = ahead.active_at(moments)
    assert counts[0] == 9 and (np.diff(counts) <= 0).all() and counts[-1] == 0
    assert outlook(frame, NaiveLaw(), ahead.now_us).rows.size == 0
    assert outlook(frame, WindowLaw(5), ahead.now_us).due == 4


@settings(max_examples=30, deadline=None)
@given(st.lists(lives, min_size=1, max_size=6), gaps)
def test_a_still_frame_is_the_frame_and_stays_it(drawn: Drawn, more: list[tuple[float, bool]]) -> None:
    state: State = lived(drawn)
    frame = framed(state)
    still, before = frame.still(), snapshot(frame)
    assert snapshot(still) == before
    revised = frame.still(revised=replace(frame.memories[0], importance=0.123, pinned=True))
    assert revised.importance[0] == 0.123 and revised.pinned[0] and snapshot(frame) == before
    assume(more)
    frame.upsert(replace(frame.memories[0], importance=0.5, recalls=9), "another")
    frame.upsert(born("later", "later"), "later")
    assert snapshot(still) == before
