"""What holds for every law of forgetting (LAWS.md), for the default one."""

from __future__ import annotations

import ast
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memtui.memory
from memtui.memory.frame import Frame
from memtui.memory.laws.salience import DEFAULT_HALF_LIFE, SalienceLaw
from memtui.memory.model import KINDS, Kind
from memtui.memory.moments import HOUR_US, NEVER_US, to_us
from tests.memory.builders import DAY, HOUR, START, born, frame_of, snapshot, unit

LAW = SalienceLaw()
kinds = st.sampled_from(KINDS)
shares = st.floats(0, 1)
recalls = st.integers(0, 500)
ages = st.floats(0, 24 * 400)


def one(kind: Kind = Kind.SEMANTIC, importance: float = 0.6, count: int = 0, *, pinned: bool = False) -> Frame:
    memory = born("a", "x", kind=kind, importance=importance, recalls=count, pinned=pinned)
    return frame_of([(memory, "x", unit(1))])


def left(frame: Frame, hours: float) -> float:
    return float(LAW.retention(frame, to_us(START) + round(hours * HOUR_US))[0])


# 1. cadence


@given(kinds, st.floats(0.01, 1), recalls, st.lists(st.floats(0.01, 2), min_size=1, max_size=30))
def test_cadence_does_not_matter(kind: Kind, importance: float, count: int, days: list[float]) -> None:
    frame = one(kind, importance, count)
    step_by_step = left(frame, 0)
    at = 0.0
    for day in days:
        step_by_step *= left(frame, at + day * 24) / left(frame, at)
        at += day * 24
    assert step_by_step == pytest.approx(left(frame, at), rel=1e-9)


def test_thirty_steps_of_a_day_are_one_step_of_thirty_days() -> None:
    for kind in KINDS:
        frame = one(kind, 1.0, 3)
        step_by_step = left(frame, 0) * float(np.prod([left(frame, 24 * (d + 1)) / left(frame, 24 * d) for d in range(30)]))
        assert step_by_step == pytest.approx(left(frame, 720), rel=1e-9)
        assert left(frame, 720) == pytest.approx(left(frame, 0) * 0.5 ** (720 / DEFAULT_HALF_LIFE[kind]), rel=1e-9)


@given(st.lists(st.tuples(kinds, shares, recalls), min_size=1, max_size=12))
def test_daily_pruning_prunes_what_pruning_once_prunes(drawn: list[tuple[Kind, float, int]]) -> None:
    rows = [
        (born(f"m{i}", "x", kind=kind, importance=importance, recalls=count), "x", unit(1))
        for i, (kind, importance, count) in enumerate(drawn)
    ]
    once, daily = frame_of(rows), frame_of(rows)
    gone: set[int] = set()
    for day in range(1, 31):
        gone.update(LAW.faded(daily, to_us(START + day * DAY)).nonzero()[0].tolist())
    assert gone == set(LAW.faded(once, to_us(START + 30 * DAY)).nonzero()[0].tolist())


# 2. monotone


@given(kinds, shares, recalls, ages, ages)
def test_without_a_recall_retention_never_rises(
    kind: Kind, importance: float, count: int, one_age: float, other: float
) -> None:
    frame = one(kind, importance, count)
    early, late = sorted((one_age, other))
    assert left(frame, late) <= left(frame, early)


@given(kinds, shares, recalls, ages)
def test_a_recall_never_lowers_it(kind: Kind, importance: float, count: int, age: float) -> None:
    before = left(one(kind, importance, count), age)
    recalled = born("a", "x", kind=kind, importance=importance, recalls=count + 1, last=START + age * HOUR)
    now = to_us(START) + round(age * HOUR_US)
    assert float(LAW.retention(frame_of([(recalled, "x", unit(1))]), now)[0]) >= before - 1e-12


# 3. reading is free


@given(kinds, shares, ages)
def test_reading_changes_nothing(kind: Kind, importance: float, age: float) -> None:
    frame = one(kind, importance)
    before = snapshot(frame)
    now = to_us(START) + round(age * HOUR_US)
    LAW.retention(frame, now)[:] = 7
    LAW.dies_at(frame)[:] = 7
    LAW.faded(frame, now)[:] = True
    assert snapshot(frame) == before


# 4. time


def test_the_engine_reads_no_clock() -> None:
    folder = Path(memtui.memory.__file__).parent
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                names.update(alias.name for alias in node.names)
    assert not names & {"now", "utcnow", "today", "time", "monotonic", "perf_counter", "time_ns"}


# 5. pinned


@given(kinds, shares, recalls)
def test_pinned_memories_never_fade(kind: Kind, importance: float, count: int) -> None:
    frame = one(kind, importance, count, pinned=True)
    assert LAW.dies_at(frame)[0] == NEVER_US
    assert not LAW.faded(frame, to_us(START) + 10**17).any()


# the closed form


@given(kinds, st.floats(0.001, 1), recalls)
def test_dies_at_is_the_crossing(kind: Kind, importance: float, count: int) -> None:
    frame = one(kind, importance, count)
    assume(left(frame, 0) > LAW.floor * (1 + 1e-6))
    dies = int(LAW.dies_at(frame)[0])
    step = round(1e-6 * HOUR_US)  # 3.6 ms
    assert float(LAW.retention(frame, dies - step)[0]) >= LAW.floor
    assert float(LAW.retention(frame, dies + step)[0]) < LAW.floor
    assert not LAW.faded(frame, dies - step)[0] and LAW.faded(frame, dies + step)[0]


@given(kinds, st.floats(0, 0.0499))
def test_what_is_born_below_the_floor_is_dead_from_then_on(kind: Kind, importance: float) -> None:
    assert LAW.dies_at(one(kind, importance))[0] == to_us(START)


@given(kinds, shares, recalls, ages)
def test_the_formula_is_that_of_the_law(kind: Kind, importance: float, count: int, age: float) -> None:
    expected = importance * (1 + np.log(1 + count)) * np.exp(-np.log(2) / DEFAULT_HALF_LIFE[kind] * age)
    frame = one(kind, importance, count)
    assert left(frame, age) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    now = to_us(START) + round(age * HOUR_US)
    assert LAW.salience(frame.memories[0], now) == pytest.approx(float(LAW.retention(frame, now)[0]), rel=1e-12)


def test_half_lives_are_those_of_the_law() -> None:
    assert DEFAULT_HALF_LIFE == {Kind.EPISODIC: 72, Kind.SEMANTIC: 720, Kind.CONSOLIDATED: 720, Kind.PROCEDURAL: 2160}
    assert [LAW.half_life_label(code) for code in range(4)] == ["E72h", "S30d", "C30d", "P90d"]
    assert SalienceLaw({**DEFAULT_HALF_LIFE, Kind.EPISODIC: 1.5}).half_life_label(0) == "E1.5h"


def test_retired_memories_are_not_faded_again() -> None:
    frame = one(Kind.EPISODIC, 0.1)
    frame.active[0] = False
    assert not LAW.faded(frame, to_us(START + 400 * DAY)).any()


# formula bugs published elsewhere


@given(kinds, st.floats(0.01, 1), st.integers(0, 50), st.floats(0.1, 2000))
def test_strength_slows_forgetting(kind: Kind, importance: float, count: int, age: float) -> None:
    weak, strong = one(kind, importance, count), one(kind, importance, count + 5)
    assert left(strong, age) > left(weak, age)
    assert left(strong, age) / left(strong, 0) == pytest.approx(left(weak, age) / left(weak, 0))
    assert LAW.dies_at(strong)[0] >= LAW.dies_at(weak)[0]


@given(kinds, st.floats(0.01, 1), st.floats(1, 1000), st.floats(1, 1000))
def test_the_more_recent_has_the_higher_retention(kind: Kind, importance: float, earlier: float, later: float) -> None:
    old = born("old", "x", kind=kind, importance=importance, last=START)
    new = born("new", "y", kind=kind, importance=importance, last=START + timedelta(hours=later))
    for rows in ([old, new], [new, old]):
        frame = frame_of([(memory, "x", unit(1)) for memory in rows])
        retention = LAW.retention(frame, to_us(START + timedelta(hours=later + earlier)))
        assert retention[rows.index(new)] > retention[rows.index(old)]


@given(kinds, shares, recalls, st.floats(0, 1e6))
def test_a_memory_from_the_future_has_age_zero(kind: Kind, importance: float, count: int, ahead: float) -> None:
    frame = one(kind, importance, count)
    assert left(frame, -ahead) == left(frame, 0) <= importance * (1 + np.log1p(count)) * (1 + 1e-12)
    assert np.isfinite(left(frame, -ahead))
