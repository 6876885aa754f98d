"""What is one law's alone: its formula, its numbers, what LAWS.md says of it."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from fsrs import Card, Rating, Scheduler
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.events import Absorbed, Recalled, Reinforced
from memtui.memory.frame import Frame
from memtui.memory.laws.baselines import NaiveLaw, WindowLaw
from memtui.memory.laws.capacity import beyond_words
from memtui.memory.laws.derived import used
from memtui.memory.laws.fsrs import FsrsLaw
from memtui.memory.laws.stability import StabilityLaw, Task
from memtui.memory.laws.strength import Stage, StrengthLaw
from memtui.memory.model import Memory
from memtui.memory.moments import HOUR_US, NEVER_US, to_us
from memtui.memory.state import evolve
from memtui.memory.uses import How, Uses
from tests.memory.builders import DAY, HOUR, START, born, frame_of, unit

ALONE = StabilityLaw(importance=0.0, context=0.0, capacity=3)
gaps = st.lists(st.floats(0, 400), max_size=12)


def recalled(memory: Memory, *after: timedelta, told: bool = False) -> Memory:
    """The memory used at START + each of `after`."""
    for moment in after:
        body = Reinforced(memory.id, "t") if told else Recalled((memory.id,), "t")
        found = evolve(memory, body, START + moment)
        assert found is not None
        memory = found
    return memory


def of(*memories: Memory) -> Frame:
    return frame_of([(memory, "x", unit(1)) for memory in memories])


def us(after: timedelta) -> int:
    return to_us(START + after)


# stability


@given(gaps, st.floats(0, 400))
def test_stability_is_the_loop_of_the_write_up_without_its_compounding(hours: list[float], idle: float) -> None:
    moments = [timedelta(hours=sum(hours[: i + 1])) for i in range(len(hours))]
    strength, before = 0.1, timedelta(0)
    for moment in moments:
        strength *= math.exp(-0.01 * ((moment - before) / HOUR))
        strength += 0.15 * (1 - strength)
        before = moment
    expected = strength * math.exp(-0.01 * idle)
    frame = of(recalled(born("a", "x"), *moments))
    assert float(ALONE.retention(frame, us(before + idle * HOUR))[0]) == pytest.approx(expected, rel=1e-6)


def test_the_lowest_go_first_and_without_importance_the_weak_before_the_strong() -> None:
    strong = recalled(born("s", "x"), *(HOUR * k for k in range(1, 7)))
    memories = [strong, *(born(f"m{k}", "x", START + HOUR * k) for k in range(4))]
    gone = ALONE.faded(of(*memories), us(DAY))
    assert gone.tolist() == [False, True, True, False, False]


def test_importance_is_added_to_what_decides() -> None:
    told_once = born("o", "x", importance=0.9)
    noise = [born(f"n{k}", "x", START + DAY * (60 + k), importance=0.2) for k in range(4)]
    frame = of(told_once, *noise)
    assert ALONE.faded(frame, us(DAY * 70))[0]
    assert StabilityLaw(capacity=3).faded(frame, us(DAY * 70)).tolist() == [False, True, True, False, False]


def test_a_running_task_holds_what_belongs_to_it_while_it_runs() -> None:
    rows = [(born(f"m{k}", "x", START + HOUR * k), "x", unit(0, 1) if k == 0 else unit(1)) for k in range(4)]
    frame = frame_of(rows)
    law = StabilityLaw(capacity=3, importance=0.0)
    working = StabilityLaw(capacity=3, importance=0.0, task=Task("deploy", unit(0, 1)))
    assert law.faded(frame, us(DAY)).tolist() == [True, False, False, False]
    assert working.faded(frame, us(DAY)).tolist() == [False, True, False, False]
    assert working.retention(frame, us(DAY)).tolist() == law.retention(frame, us(DAY)).tolist()
    assert working.score(Frame(0), 0).size == 0


def test_the_rooted_stay_while_anything_else_may_go_and_then_the_store_grows() -> None:
    law = StabilityLaw(capacity=2, importance=0.0)
    often = [HOUR * k for k in range(1, 15)]
    rooted = [recalled(born(f"r{k}", "x"), *often) for k in range(3)]
    frame = of(*rooted)
    assert (law.retention(frame, us(often[-1])) > law.rooted).all()
    assert not law.faded(frame, us(often[-1] + HOUR)).any()
    assert beyond_words(law, 3).startswith("3 memories are 1 more than there is room for") and beyond_words(law, 2) == ""
    until = int(law.rooted_until(frame)[0])
    assert float(law.retention(frame, until - HOUR_US)[0]) > law.rooted > float(law.retention(frame, until + HOUR_US)[0])
    assert sorted(law.dies_at(frame).tolist())[:2] == [until, NEVER_US]
    assert law.faded(frame, until + 1).sum() == 1
    weak = of(*rooted, born("w", "x", START + often[-1]))
    assert law.faded(weak, us(often[-1] + HOUR)).tolist() == [False, False, False, True]


def test_when_all_are_pinned_the_store_grows() -> None:
    frame = of(*(born(f"p{k}", "x", pinned=True) for k in range(5)))
    assert not ALONE.faded(frame, us(DAY * 900)).any() and (ALONE.dies_at(frame) == NEVER_US).all()


def test_a_clean_up_an_hour_compounds_nothing() -> None:
    """The published loop multiplied S at every clean-up by the whole time since the last access."""
    frame = of(born("a", "x"))
    for hour in range(100):
        ALONE.faded(frame, us(HOUR * hour))
    assert float(ALONE.retention(frame, us(HOUR * 100))[0]) == pytest.approx(0.1 * math.exp(-1.0), rel=1e-9)


# strength


def strength(memory: Memory, after: timedelta) -> float:
    return float(StrengthLaw().retention(of(memory), us(after))[0])


def test_strength_is_that_of_the_law() -> None:
    memory = born("a", "x")
    assert strength(memory, DAY * 13.9) == 1.0
    assert strength(memory, DAY * 14) == 0.85
    assert strength(memory, DAY * 29) == pytest.approx(0.85**2)
    assert strength(recalled(memory, HOUR, told=True), HOUR) == 1.15
    assert strength(recalled(memory, HOUR), HOUR) == 1.0
    assert strength(recalled(memory, *(HOUR * k for k in range(1, 20)), told=True), DAY) == 2.0
    assert strength(recalled(memory, DAY * 30, told=True), DAY * 30) == pytest.approx(0.85**2 + 0.15)


def test_a_reported_failure_weakens() -> None:
    memory = born("a", "x", recalls=1)
    failed = Memory(**{name: getattr(memory, name) for name in Memory.__slots__} | {"uses": Uses(us(HOUR), How.FAILED)})
    assert float(StrengthLaw().retention(of(failed), us(HOUR))[0]) == pytest.approx(0.7)
    assert float(ALONE.retention(of(failed), us(timedelta(0)))[0]) == pytest.approx(0.1)


def test_stages_by_the_time_without_use() -> None:
    law, memory = StrengthLaw(), born("a", "x")
    stages = [law.stage(memory, us(DAY * days)) for days in (0, 29.9, 30, 89.9, 90)]
    assert stages == [Stage.ACTIVE, Stage.ACTIVE, Stage.STALE, Stage.STALE, Stage.ARCHIVED]
    assert law.dies_at(of(memory))[0] == us(DAY * 90)
    assert law.faded(of(memory), us(DAY * 90))[0] and not law.faded(of(memory), us(DAY * 89.99))[0]
    assert law.stage(recalled(memory, DAY * 95), us(DAY * 96)) is Stage.ACTIVE


@given(st.floats(0.02, 0.9), st.integers(0, 30))
def test_strength_falls_below_its_floor_when_it_is_said_to(floor: float, tellings: int) -> None:
    law = StrengthLaw(floor=floor, archive_days=1e5)
    frame = of(recalled(born("a", "x"), *(HOUR * k for k in range(tellings)), told=True))
    dies = int(law.dies_at(frame)[0])
    assert float(law.retention(frame, dies)[0]) < floor <= float(law.retention(frame, dies - 1)[0])


# fsrs


@settings(max_examples=40)
@given(st.lists(st.floats(0, 60 * 24), max_size=8), st.integers(0, 400))
def test_fsrs_is_what_the_package_says(hours: list[float], days: int) -> None:
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    card, _ = scheduler.review_card(Card(card_id=1, due=at), Rating.Good, at)
    moments = []
    for gap in hours:
        at += timedelta(hours=gap)
        moments.append(at - START)
        card, _ = scheduler.review_card(card, Rating.Good, at)
    law, frame = FsrsLaw(), of(recalled(born("a", "x"), *moments))
    assert card.stability is not None and card.difficulty is not None
    assert float(law.stability(frame)[0]) == pytest.approx(card.stability, rel=1e-12)
    assert float(law.difficulty(frame)[0]) == pytest.approx(card.difficulty, rel=1e-12)
    then = at + timedelta(days=days)
    assert float(law.retention(frame, to_us(then))[0]) == pytest.approx(
        scheduler.get_card_retrievability(card, then), rel=1e-9
    )


@settings(max_examples=40)
@given(st.lists(st.floats(0, 60 * 24), max_size=6), st.floats(0.3, 0.95))
def test_fsrs_dies_at_the_crossing(hours: list[float], floor: float) -> None:
    moments = [timedelta(hours=sum(hours[: i + 1])) for i in range(len(hours))]
    law, frame = FsrsLaw(floor=floor), of(recalled(born("a", "x"), *moments))
    dies = int(law.dies_at(frame)[0])
    assert float(law.retention(frame, dies - HOUR_US)[0]) >= floor > float(law.retention(frame, dies + HOUR_US)[0])


def test_fsrs_takes_the_users_weights_and_refuses_wrong_ones() -> None:
    weights = list(Scheduler().parameters)
    weights[2] = 50.0
    assert float(FsrsLaw(parameters=tuple(weights)).stability(of(born("a", "x")))[0]) == 50.0
    with pytest.raises(ValueError, match="Expected 21 parameters"):
        FsrsLaw(parameters=(1.0, 2.0))


def test_half_lives_that_are_a_laws_own() -> None:
    assert StabilityLaw().half_life_label(0) == "E69h"
    assert StrengthLaw().half_life_label(3) == "P70d"
    assert FsrsLaw().half_life_label(1) == "S208d"
    assert NaiveLaw().half_life_label(0) == "E∞"


# baselines


def test_the_window_is_first_in_first_out_whatever_was_used() -> None:
    memories = [born(f"m{k}", "x", START + HOUR * k, importance=1.0 - k / 10) for k in range(5)]
    memories[0] = recalled(memories[0], DAY)
    assert WindowLaw(3).faded(of(*memories), us(DAY * 2)).tolist() == [True, True, False, False, False]
    assert not NaiveLaw().faded(of(*memories), 10**17).any()


# the history


def test_recalls_that_come_as_a_number_lie_evenly_in_their_time() -> None:
    memory = born("a", "x", recalls=4, last=START + HOUR * 8)
    start, uses = used(memory)
    assert start == us(timedelta(0)) and [at for at, _ in uses] == [us(HOUR * h) for h in (2, 4, 6, 8)]
    merged = evolve(recalled(memory, HOUR * 9), Absorbed(memory.id, ("t",), 2, START + HOUR * 5), START + DAY)
    assert merged is not None
    assert [round((at - us(timedelta(0))) / HOUR_US, 1) for at, _ in used(merged)[1]] == [2.0, 2.5, 4.0, 5.0, 6.0, 8.0, 9.0]
    assert len(used(merged)[1]) == merged.recalls


def test_a_history_shares_its_past_and_is_compared_by_what_it_says() -> None:
    one = Uses(3, before=Uses(2, before=Uses(1)))
    two = Uses(3, before=Uses(2, before=Uses(1)))
    assert one == two and hash(one) == hash(two) and one != Uses(3, before=Uses(2)) and one != "x"
    assert Uses(3, How.REINFORCED, one.before) != one and repr(Uses(1)) == "Uses([[1, 'recalled', 1, 1]])"
    long = None
    for k in range(50_000):
        long = Uses(k, before=long)
    assert long is not None and len(long.moments()) == 50_000 and long == Uses(49_999, before=long.before)
