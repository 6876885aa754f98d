"""What holds for every law of forgetting (LAWS.md), whichever is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.events import Body, Recalled, Reinforced, Retired
from memtui.memory.frame import Frame
from memtui.memory.laws import LAW_NAMES, Law, parting_words
from memtui.memory.laws.baselines import NaiveLaw, WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.fsrs import FsrsLaw
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw, Task
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.model import KINDS, Kind, RetireReason
from memtui.memory.moments import HOUR_US, NEVER_US, to_us
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.sleep.plan import Plan, make_plan, plan_bodies
from memtui.memory.state import State, fold
from tests.memory.builders import HOUR, START, chained, created, frame_of, snapshot, unit

LAWS: dict[str, Law] = {
    "salience": SalienceLaw(),
    "stability": StabilityLaw(capacity=5),
    "stability, alone": StabilityLaw(capacity=5, importance=0.0),
    "stability, a task": StabilityLaw(capacity=5, task=Task("x", unit(0, 1))),
    "strength": StrengthLaw(),
    "fsrs": FsrsLaw(),
    "naive": NaiveLaw(),
    "window": WindowLaw(5),
    "salience, capped": Capped(SalienceLaw(), 5),
    "fsrs, capped": Capped(FsrsLaw(), 5),
}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
timed = pytest.mark.parametrize(
    "law", [law for name, law in LAWS.items() if "capped" not in name], ids=[n for n in LAWS if "capped" not in n]
)

gaps = st.lists(st.tuples(st.floats(0, 24 * 60), st.booleans()), max_size=8)
"""Hours between uses, and whether each was a telling."""
lives = st.tuples(st.sampled_from(KINDS), st.floats(0.01, 1), gaps)
hours = st.floats(0, 24 * 400)


def lived(drawn: Sequence[tuple[Kind, float, list[tuple[float, bool]]]], spread: float = 1.0) -> State:
    """The state of memories m0, m1, … told an hour (times `spread`) apart, each with its uses."""
    blocks: list[tuple[str, timedelta, Body]] = []
    for number, (kind, importance, uses) in enumerate(drawn):
        at = HOUR * spread * number
        body = created(f"m{number}", f"text {number}", START + at, kind=kind, importance=importance)
        blocks.append((f"b{number}", at, body))
        for k, (gap, told) in enumerate(uses):
            at += timedelta(hours=gap)
            use: Body = Reinforced(body.memory, f"t{k}") if told else Recalled((body.memory,), f"t{k}")
            blocks.append((f"b{number}.{k}", at, use))
    blocks.sort(key=lambda block: block[1])
    return fold(chained([(name, START + at, [body]) for name, at, body in blocks]))


def framed(state: State) -> Frame:
    vectors = [unit(1, 0), unit(0, 1)]
    return frame_of([(m, "x", vectors[i % 2]) for i, m in enumerate(state.memories.values())])


def last_of(frame: Frame) -> int:
    return int(frame.last_recall.max())


def left(law: Law, frame: Frame, us: int, row: int = 0) -> float:
    return float(law.retention(frame, us)[row])


# 1. cadence


@every_law
@settings(max_examples=40)
@given(lives, st.lists(st.floats(0.01, 2), min_size=1, max_size=30))
def test_cadence_does_not_matter(law: Law, life: tuple[Kind, float, list[tuple[float, bool]]], days: list[float]) -> None:
    frame = framed(lived([life]))
    at = last_of(frame)
    step_by_step = left(law, frame, at)
    for day in days:
        later = at + round(day * 24 * HOUR_US)
        if left(law, frame, at) > 0:
            step_by_step *= left(law, frame, later) / left(law, frame, at)
        at = later
    assert step_by_step == pytest.approx(left(law, frame, at), rel=1e-9)


@every_law
def test_thirty_steps_of_a_day_are_one_step_of_thirty_days(law: Law) -> None:
    frame = framed(lived([(Kind.SEMANTIC, 0.7, [(30.0, False), (50.0, True)])]))
    start = last_of(frame)
    ratios = [
        left(law, frame, start + 24 * (d + 1) * HOUR_US) / left(law, frame, start + 24 * d * HOUR_US) for d in range(30)
    ]
    assert left(law, frame, start) * float(np.prod(ratios)) == pytest.approx(
        left(law, frame, start + 720 * HOUR_US), rel=1e-9
    )


@timed
@settings(max_examples=40)
@given(st.lists(lives, min_size=1, max_size=12), st.integers(1, 9))
def test_passes_every_so_often_let_go_of_what_one_pass_lets_go_of(
    law: Law, drawn: list[tuple[Kind, float, list[tuple[float, bool]]]], every: int
) -> None:
    once, often = framed(lived(drawn)), framed(lived(drawn))
    first = last_of(once)
    for day in range(every, 200, every):
        often.active[law.faded(often, first + day * 24 * HOUR_US)] = False
    last = range(every, 200, every)[-1]
    once.active[law.faded(once, first + last * 24 * HOUR_US)] = False
    assert often.active.tolist() == once.active.tolist()


# 2. monotone


@every_law
@settings(max_examples=40)
@given(lives, hours, hours)
def test_without_a_recall_retention_never_rises(
    law: Law, life: tuple[Kind, float, list[tuple[float, bool]]], one: float, other: float
) -> None:
    frame = framed(lived([life]))
    early, late = sorted((one, other))
    start = last_of(frame)
    assert left(law, frame, start + round(late * HOUR_US)) <= left(law, frame, start + round(early * HOUR_US))


@every_law
@settings(max_examples=40)
@given(lives, hours, st.booleans(), hours)
def test_a_recall_never_lowers_it_then_or_later(
    law: Law, life: tuple[Kind, float, list[tuple[float, bool]]], age: float, told: bool, after: float
) -> None:
    kind, importance, uses = life
    before, more = framed(lived([life])), framed(lived([(kind, importance, [*uses, (age, told)])]))
    now = last_of(more)
    assert left(law, more, now) >= left(law, before, now) - 1e-12
    then = now + round(after * HOUR_US)
    assert left(law, more, then) >= left(law, before, then) - 1e-12


# 3. reading is free


@every_law
@settings(max_examples=40)
@given(st.lists(lives, min_size=1, max_size=8), hours)
def test_reading_changes_nothing(law: Law, drawn: list[tuple[Kind, float, list[tuple[float, bool]]]], age: float) -> None:
    frame = framed(lived(drawn))
    before = snapshot(frame)
    now = to_us(START) + round(age * HOUR_US)
    kept = law.retention(frame, now), law.dies_at(frame), law.faded(frame, now)
    told = [column.tolist() for column in kept]
    for column in (law.retention(frame, now), law.dies_at(frame), law.faded(frame, now)):
        column[:] = 1
    assert snapshot(frame) == before
    assert [column.tolist() for column in (law.retention(frame, now), law.dies_at(frame), law.faded(frame, now))] == told


# 4. time


@every_law
@settings(max_examples=40)
@given(lives, st.floats(0, 1e6))
def test_a_memory_from_the_future_has_age_zero(
    law: Law, life: tuple[Kind, float, list[tuple[float, bool]]], ahead: float
) -> None:
    frame = framed(lived([life]))
    assert left(law, frame, last_of(frame) - round(ahead * HOUR_US)) == left(law, frame, last_of(frame))


@every_law
@settings(max_examples=40)
@given(lives)
def test_the_state_of_a_law_is_that_of_its_events(law: Law, life: tuple[Kind, float, list[tuple[float, bool]]]) -> None:
    """Asked after each event or only at the end: the same."""
    kind, importance, uses = life
    asked = 0.0
    for count in range(len(uses) + 1):
        frame = framed(lived([(kind, importance, uses[:count])]))
        asked = left(law, frame, last_of(frame) + 100 * HOUR_US)
    fresh = framed(lived([life]))
    assert left(law, fresh, last_of(fresh) + 100 * HOUR_US) == asked


# 5. pinned


@every_law
@settings(max_examples=40)
@given(st.lists(lives, min_size=1, max_size=12), hours)
def test_pinned_memories_stay(law: Law, drawn: list[tuple[Kind, float, list[tuple[float, bool]]]], age: float) -> None:
    frame = framed(lived(drawn))
    frame.pinned[::2] = True
    assert (law.dies_at(frame)[::2] == NEVER_US).all()
    assert not law.faded(frame, last_of(frame) + round(age * HOUR_US))[::2].any()
    assert not law.faded(frame, 10**17)[::2].any()


# the forecast


@timed
@settings(max_examples=60)
@given(st.lists(lives, min_size=1, max_size=12))
def test_what_is_forecast_is_what_happens(law: Law, drawn: list[tuple[Kind, float, list[tuple[float, bool]]]]) -> None:
    frame = framed(lived(drawn))
    dies = law.dies_at(frame)
    step = HOUR_US // 100
    for row in range(len(frame)):
        if dies[row] >= NEVER_US // 8:
            assert not law.faded(frame, NEVER_US // 16)[row] or law.floor > 0
            continue
        assert law.faded(frame, int(dies[row]) + step)[row]
        if dies[row] - step > frame.last_recall[row]:
            assert not law.faded(frame, int(dies[row]) - step)[row]


@every_law
def test_nothing_to_judge_is_no_error(law: Law) -> None:
    empty = Frame(4)
    assert law.retention(empty, 0).size == law.dies_at(empty).size == law.faded(empty, 0).size == 0


# 6. and 8. the pass


def slept(law: Law, frame: Frame, hours_on: float, **more: object) -> Plan:
    at = START + timedelta(microseconds=last_of(frame) - to_us(START)) + HOUR * hours_on
    return make_plan(frame, at, law, SleepPolicy(), trigger="test", **more)  # type: ignore[arg-type]


@every_law
@settings(max_examples=40)
@given(st.lists(lives, min_size=1, max_size=12))
def test_what_was_just_written_is_never_let_go(law: Law, drawn: list[tuple[Kind, float, list[tuple[float, bool]]]]) -> None:
    frame = framed(lived([(kind, importance, []) for kind, importance, _ in drawn], spread=24))
    gone = {memory for item in slept(law, frame, 0.5).items for memory in item.retires}
    assert frame.ids[len(frame) - 1] not in gone
    spared = np.zeros(len(frame), np.bool_)
    spared[-1] = True
    assert not law.faded(frame, 10**17, spared=spared)[-1]


@pytest.mark.parametrize("law", [law for law in LAWS.values() if law.capacity is not None])
def test_a_pass_brings_what_is_too_much_down_to_the_capacity(law: Law) -> None:
    frame = framed(lived([(Kind.SEMANTIC, 0.1 * (i % 9 + 1), []) for i in range(12)]))
    plan = slept(law, frame, 2)
    gone = [memory for item in plan.items for memory in item.retires]
    assert len(gone) == 12 - 5
    bodies, texts = plan_bodies(plan, frame, lambda item: "none")
    retired = [body for body in bodies if isinstance(body, Retired) and body.reason is RetireReason.PRUNED]
    reasons = {texts[body.note or ""] for body in retired}
    assert reasons == {"the least of more than 5"}


@pytest.mark.parametrize("law", [law for law in LAWS.values() if law.capacity is not None])
def test_what_leaves_for_another_reason_makes_room(law: Law) -> None:
    frame = framed(lived([(Kind.SEMANTIC, 0.5, []) for _ in range(8)]))
    leaving = np.zeros(len(frame), np.bool_)
    leaving[[6, 7]] = True
    gone = law.faded(frame, last_of(frame) + HOUR_US, leaving=leaving)
    assert gone.sum() == 1 and not gone[[6, 7]].any()


@pytest.mark.parametrize("law", [law for law in LAWS.values() if law.capacity is not None])
def test_in_the_place_of_the_spared_others_go(law: Law) -> None:
    frame = framed(lived([(Kind.SEMANTIC, 0.5, []) for _ in range(8)]))
    spared = law.faded(frame, last_of(frame) + HOUR_US)
    assert spared.sum() == 3
    instead = law.faded(frame, last_of(frame) + HOUR_US, spared=spared)
    assert instead.sum() == 3 and not (instead & spared).any()


def test_procedural_memories_take_no_room_from_a_pass() -> None:
    frame = framed(lived([(Kind.PROCEDURAL if i < 4 else Kind.SEMANTIC, 0.5, []) for i in range(8)]))
    gone = {memory for item in slept(WindowLaw(5), frame, 2).items for memory in item.retires}
    assert gone == set(frame.ids[4:7])


def test_parting_words_say_which_of_the_two_it_was() -> None:
    capped = Capped(SalienceLaw(), 5)
    assert parting_words(capped, 0.01) == "faded below 0.05" and parting_words(capped, 0.2) == "the least of more than 5"
    assert parting_words(FsrsLaw(), 0.699) == "faded below 0.7"


# around them


def test_the_names_are_those_of_the_laws() -> None:
    assert {law.name for law in LAWS.values()} == set(LAW_NAMES)


@every_law
def test_the_half_life_label_fits_its_column(law: Law) -> None:
    for code, kind in enumerate(KINDS):
        label = law.half_life_label(code)
        assert label.startswith(kind.letter) and 2 <= len(label) <= 6


@pytest.mark.parametrize(
    "change",
    [lambda m: replace(m, uses=None), lambda m: replace(m, recalls=0, uses=None)],
    ids=["only the number is known", "never used"],
)
@every_law
def test_a_history_that_is_not_there_is_no_error(law: Law, change: Callable[..., object]) -> None:
    memory = next(iter(lived([(Kind.SEMANTIC, 0.5, [(20.0, False), (30.0, True)])]).memories.values()))
    frame = frame_of([(change(memory), "x", unit(1))])  # type: ignore[list-item]
    assert 0 < left(law, frame, last_of(frame)) <= 2


def test_a_frame_that_changes_is_read_anew() -> None:
    state = lived([(Kind.SEMANTIC, 0.5, [])])
    frame, law = framed(state), StabilityLaw()
    before = left(law, frame, last_of(frame))
    more = lived([(Kind.SEMANTIC, 0.5, [(1.0, False)])])
    frame.upsert(next(iter(more.memories.values())), "x")
    assert before == 0.1 and left(law, frame, last_of(frame)) > 0.2
