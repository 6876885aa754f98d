"""Skills fade by the strength law, whichever law rules the others (LAWS, "Strength" and "What holds for every law")."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.events import Body, Created, Edited, Learned, Pinned, Practised, Recalled, Restored, Retired, Trusted
from memtui.memory.forecast import leaves_at
from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.laws.baselines import WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.laws.strength import Stage, StrengthLaw
from memtui.memory.model import Kind, Memory, Outcome, RetireReason, Trust
from memtui.memory.moments import NEVER_US, to_us
from memtui.memory.state import evolve, memory_record
from tests.memory.builders import START

DAY = timedelta(days=1)
LAW = StrengthLaw(rests=True)


def born(name: str = "a", *, skill: bool = True, at: timedelta = timedelta(0)) -> Memory:
    moment = START + at
    created = Created(name, Kind.PROCEDURAL, "hash", None, 0.7, moment, moment, moment)
    memory = evolve(None, created, moment)
    assert memory is not None
    return lived(memory, (Learned(name, "slug", Outcome.SUCCESS, Trust.TRUSTED, "you"), at)) if skill else memory


def lived(memory: Memory, *events: tuple[Body, timedelta]) -> Memory:
    for body, at in events:
        after = evolve(memory, body, START + at)
        assert after is not None
        memory = after
    return memory


def framed(*memories: Memory) -> Frame:
    frame = Frame(0)
    for memory in memories:
        frame.upsert(memory, memory.id)
    return frame


def strength(memory: Memory, at: timedelta) -> float:
    return float(LAW.retention(framed(memory), to_us(START + at))[0])


uses = st.lists(st.tuples(st.sampled_from(["worked", "failed", "recalled"]), st.floats(0, 40)), max_size=12)


def used(history: list[tuple[str, float]]) -> tuple[Memory, float, float]:
    """A skill with that history, the day of its last use, and its strength then by the words of LAWS, step by step."""
    memory, day, expected = born(), 0.0, 1.0
    for how, gap in history:
        last, day = to_us(memory.last_recall), day + gap
        idle = (to_us(START + day * DAY) - last) // to_us_days(14)
        for _ in range(idle):
            expected = max(0.05, expected * 0.85)
        body: Body = Recalled(("a",), "t") if how == "recalled" else Practised("a", how == "worked")
        memory = lived(memory, (body, day * DAY))
        expected = (
            min(2.0, expected + 0.15) if how == "worked" else max(0.05, expected * 0.7) if how == "failed" else expected
        )
    return memory, day, expected


def to_us_days(days: int) -> int:
    return days * 86_400_000_000


@given(uses)
def test_strength_is_what_the_words_of_the_law_say_step_by_step(history: list[tuple[str, float]]) -> None:
    memory, day, expected = used(history)
    assert strength(memory, day * DAY) == pytest.approx(expected, abs=1e-9)
    assert 0.05 <= expected <= 2.0


@given(uses, st.integers(1, 200))
def test_how_often_anybody_looks_changes_nothing(history: list[tuple[str, float]], days: int) -> None:
    memory, day, _ = used(history)
    frame = framed(memory)
    for step in range(days):
        LAW.retention(frame, to_us(START + (day + step) * DAY))
    stepped = float(LAW.retention(frame, to_us(START + (day + days) * DAY))[0])
    assert stepped == pytest.approx(strength(memory, (day + days) * DAY), abs=1e-9)


@given(uses, st.lists(st.floats(0, 400), min_size=2, max_size=6))
def test_without_use_it_never_rises_and_rests_at_the_floor(history: list[tuple[str, float]], later: list[float]) -> None:
    memory, day, _ = used(history)
    left = [strength(memory, (day + more) * DAY) for more in sorted(later)]
    assert all(before >= after for before, after in pairwise(left))
    assert strength(memory, (day + 3000) * DAY) == 0.05


def test_many_successes_end_at_two_and_many_failures_at_the_floor() -> None:
    good = lived(born(), *((Practised("a", True), timedelta(hours=k)) for k in range(30)))
    bad = lived(born(), *((Practised("a", False), timedelta(hours=k)) for k in range(30)))
    assert strength(good, DAY * 2) == 2.0 and strength(bad, DAY * 2) == 0.05
    assert good.skill is not None and (good.skill.worked, good.skill.failed) == (30, 0)
    assert bad.skill is not None and (bad.skill.worked, bad.skill.failed) == (0, 30)


def test_only_time_without_use_archives() -> None:
    weak = lived(born(), *((Practised("a", False), timedelta(hours=k)) for k in range(30)))
    last = timedelta(hours=29)
    assert int(LAW.dies_at(framed(weak))[0]) == to_us(START + last + 90 * DAY)
    assert not LAW.faded(framed(weak), to_us(START + last + 89 * DAY))[0]
    assert LAW.faded(framed(weak), to_us(START + last + 90 * DAY))[0]
    assert LAW.stage(weak, to_us(START + last + 30 * DAY)) is Stage.STALE


def test_use_and_restore_make_it_active_again_and_pinned_never_goes() -> None:
    later = to_us(START + 101 * DAY)
    recalled = lived(born(), (Recalled(("a",), "t"), 100 * DAY))
    restored = lived(born(), (Retired("a", RetireReason.ARCHIVED), 91 * DAY), (Restored("a"), 100 * DAY))
    pinned = lived(born(), (Pinned("a", True), DAY))
    assert LAW.stage(recalled, later) is LAW.stage(restored, later) is Stage.ACTIVE
    assert restored.active and restored.skill == born().skill
    assert not LAW.faded(framed(pinned), to_us(START + 1000 * DAY))[0]
    assert int(LAW.dies_at(framed(pinned))[0]) == NEVER_US


def test_what_is_no_skill_is_not_practised_nor_trusted() -> None:
    plain = born(skill=False)
    assert lived(plain, (Practised("a", True), DAY), (Trusted("a", Trust.TRUSTED, "you"), DAY)) == plain
    assert "skill" not in memory_record(plain) and "skill" in memory_record(born())


LAWS = [SalienceLaw(), StabilityLaw(capacity=2), WindowLaw(capacity=2), Capped(SalienceLaw(), 2)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_others_keep_their_law_and_skills_take_no_room(law: Law) -> None:
    others = [born(name, skill=False, at=timedelta(hours=at)) for at, name in enumerate("bcd")]
    mixed, alone = framed(born("s"), *others, born("t")), framed(*others)
    apart = SkillsApart(law, LAW)
    skills = np.array([True, False, False, False, True])
    for days in (0, 20, 95):
        now_us = to_us(START + days * DAY)
        assert apart.retention(mixed, now_us)[~skills].tolist() == law.retention(alone, now_us).tolist()
        assert (
            apart.retention(mixed, now_us)[skills].tolist() == LAW.retention(framed(born("s"), born("t")), now_us).tolist()
        )
        assert apart.faded(mixed, now_us)[~skills].tolist() == law.faded(alone, now_us).tolist()
        assert apart.faded(mixed, now_us)[skills].tolist() == [days >= 90] * 2
        assert apart.out_of_recall(mixed, now_us).tolist() == [days >= 90, False, False, False, days >= 90]
    assert apart.dies_at(mixed)[~skills].tolist() == law.dies_at(alone).tolist()
    assert (apart.name, apart.floor, apart.capacity) == (law.name, law.floor, law.capacity)
    assert apart.retention(alone, 0).tolist() == law.retention(alone, 0).tolist()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_forecast_says_when_a_skill_is_archived_and_leaves_the_others_as_they_are(law: Law) -> None:
    others = [lived(born(name, skill=False), (Edited(name, kind=Kind.EPISODIC), timedelta(0))) for name in "bcd"]
    mixed, alone, now_us = framed(born("s"), *others, born("t")), framed(*others), to_us(START + DAY)
    found = leaves_at(mixed, SkillsApart(law, LAW), now_us).tolist()
    assert found[0] == found[-1] == to_us(START + 90 * DAY)
    assert found[1:-1] == leaves_at(alone, law, now_us).tolist()
