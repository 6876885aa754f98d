"""The survival curve: by hand, and what must hold for any lives."""

from __future__ import annotations

import itertools
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.events import Created, Restored, Retired
from memtui.memory.model import Kind, RetireReason
from memtui.memory.state import fold
from memtui.memory.survival import kaplan_meier, lives_of, survival_by_kind, survival_of
from tests.memory.builders import DAY, START, chained, created

LIVES = st.lists(st.tuples(st.integers(0, 60).map(float), st.booleans()), min_size=1, max_size=40)


def curve_of(lives: list[tuple[float, bool]]):  # type: ignore[no-untyped-def]
    return kaplan_meier([hours for hours, _ in lives], [died for _, died in lives])


def test_eight_lives_worked_by_hand() -> None:
    """Deaths at 0.8, 3.1, 5.4, 9.2; alive at 1.0, 2.7, 7.0, 12.1: 7/8, times 4/5, times 3/4, times 1/2."""
    curve = curve_of(
        [(0.8, True), (1.0, False), (2.7, False), (3.1, True), (5.4, True), (7.0, False), (9.2, True), (12.1, False)]
    )
    assert curve.ages.tolist() == [0.8, 3.1, 5.4, 9.2]
    assert curve.at_risk.tolist() == [8, 5, 4, 2] and curve.deaths.tolist() == [1, 1, 1, 1]
    assert curve.share.tolist() == pytest.approx([0.875, 0.7, 0.525, 0.2625])
    assert (curve.count, curve.died, curve.known, curve.median) == (8, 4, 7.0, None)
    assert [curve.at(age) for age in (0, 0.8, 3, 7.0)] == pytest.approx([1.0, 0.875, 0.875, 0.525])
    assert curve.at(7.1) is None  # two came to be older: that is too few to say anything
    longer = kaplan_meier([0.8, 3.1, 5.4, 9.2], [True] * 4, [20.0, 30.0, 40.0, 10.0])
    assert (longer.known, longer.median, longer.at(20.0), longer.at(21.0)) == (20.0, 3.1, 0.0, None)


def test_who_dies_and_who_is_censored_at_one_age_were_both_at_risk() -> None:
    curve = curve_of([(5.0, True), (5.0, False)])
    assert curve.share.tolist() == [0.5] and curve.median == 5.0 and curve.at(6.0) is None


def test_the_death_of_the_oldest_of_all_does_not_end_the_curve() -> None:
    curve = kaplan_meier([24.0, 1.0, 2.0, 3.0], [True, False, False, False], [24.0, 1.0, 2.0, 3.0])
    assert curve.share.tolist() == [0.0] and curve.known == 2.0  # it is there for who wants it
    assert curve.at(2.0) == 1.0 and curve.at(24.0) is None and curve.median is None


def test_nobody_and_everybody() -> None:
    nobody = curve_of([])
    assert (nobody.count, nobody.known, nobody.median, nobody.at(0.0)) == (0, 0.0, None, None)
    gone = kaplan_meier([1.0, 2.0], [True, True], [50.0, 60.0])
    assert gone.at(50.0) == 0.0 and gone.at(51.0) is None  # who could have come to that age did not
    with pytest.raises(ValueError, match="negative"):
        kaplan_meier([-1.0], [True])
    with pytest.raises(ValueError, match="lengths"):
        kaplan_meier([1.0, 2.0], [True])


@given(LIVES)
def test_it_starts_at_one_and_only_falls(lives: list[tuple[float, bool]]) -> None:
    curve = curve_of(lives)
    shares = [1.0, *curve.share.tolist()]
    assert all(0.0 <= after <= before <= 1.0 for before, after in itertools.pairwise(shares))
    assert np.all(np.diff(curve.ages) > 0) and int(curve.deaths.sum()) == curve.died
    if curve.median is not None:
        at = curve.at(curve.median)
        assert at is not None and at <= 0.5 + 1e-9


@given(LIVES)
def test_where_all_have_died_it_is_the_plain_share(lives: list[tuple[float, bool]]) -> None:
    hours = [length for length, _ in lives]
    curve = kaplan_meier(hours, [True] * len(hours), [60.0] * len(hours))
    for age in range(61):
        assert curve.at(float(age)) == pytest.approx(sum(length > age for length in hours) / len(hours))


@given(LIVES, st.randoms())
def test_the_order_of_the_lives_does_not_matter(lives: list[tuple[float, bool]], random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(lives)
    random.shuffle(mixed)
    one, two = curve_of(lives), curve_of(mixed)
    assert one.share.tolist() == two.share.tolist() and one.ages.tolist() == two.ages.tolist()


@given(LIVES, st.floats(0, 60))
def test_one_more_that_is_alive_never_lowers_it(lives: list[tuple[float, bool]], age: float) -> None:
    before, after = curve_of(lives), curve_of([*lives, (age, False)])
    for at in range(61):
        was, now = before.at(float(at)), after.at(float(at))
        assert was is None or len(lives) < 3 or (now is not None and now >= was - 1e-12)


def test_lives_begin_where_memory_took_them_in_and_end_where_it_let_go() -> None:
    events = chained(
        [
            ("a", START, [created("old", "one"), created("gone", "two", kind=Kind.EPISODIC)]),
            ("b", START + 2 * DAY, [Retired(_id("gone"), RetireReason.PRUNED), Retired(_id("old"), RetireReason.PRUNED)]),
            ("c", START + 3 * DAY, [Restored(_id("old"))]),
            ("d", START + 4 * DAY, [created("merged", "three", START, kind=Kind.CONSOLIDATED)]),
        ]
    )
    state = fold(events)
    lives = lives_of(state.memories.values(), state.history, START + 10 * DAY)
    assert [(life.kind, life.hours, life.died) for life in lives] == [
        (Kind.SEMANTIC, 240.0, False),  # restored: alive, at its present age
        (Kind.EPISODIC, 48.0, True),
        (Kind.CONSOLIDATED, 144.0, False),  # its date is its source's; it was not in memory before the night that made it
    ]
    assert list(survival_by_kind(lives)) == [Kind.EPISODIC, Kind.SEMANTIC, Kind.CONSOLIDATED]
    assert survival_of(lives).share.tolist() == pytest.approx([2 / 3])


def test_a_memory_of_the_future_has_lived_no_time() -> None:
    state = fold(chained([("a", START, [created("early", "one")])]))
    (life,) = lives_of(state.memories.values(), state.history, START - timedelta(days=1))
    assert life.hours == 0.0


def _id(name: str) -> str:
    body = created(name, "")
    assert isinstance(body, Created)
    return body.memory
