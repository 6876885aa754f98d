"""The slider's mapping: monotone, inverse, round."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.ui.widgets.timeline_scale import (
    FUTURE_H,
    LANDMARKS,
    Scale,
    label_places,
    leaped,
    moved_days,
    stepped,
    typed_hours,
)

scales = st.builds(
    Scale,
    past_cells=st.integers(0, 60),
    future_cells=st.integers(1, 200),
    past_hours=st.floats(0, 24 * 4000),
)
ahead = st.floats(0, FUTURE_H)


@given(scales, st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_place_is_monotone_in_time(scale: Scale, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert scale.x_of(low) <= scale.x_of(high)


@given(scales, st.floats(-10, 300), st.floats(-10, 300))
def test_time_is_monotone_in_place(scale: Scale, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert scale.hours_at(low) <= scale.hours_at(high)


@given(scales, ahead)
def test_hours_survive_the_way_there_and_back(scale: Scale, hours: float) -> None:
    assert scale.hours_at(scale.x_of(hours)) == pytest.approx(hours, rel=1e-9, abs=1e-9)


@given(scales, st.floats(0, 1))
def test_past_hours_survive_the_way_there_and_back(scale: Scale, share: float) -> None:
    hours = -share * max(scale.past_hours, 1.0)
    if scale.past_cells:
        assert scale.hours_at(scale.x_of(hours)) == pytest.approx(hours, rel=1e-9, abs=1e-9)


@given(scales, st.integers(0, 260))
def test_a_cell_survives_the_way_there_and_back(scale: Scale, cell: int) -> None:
    cell = min(cell, scale.cells - 1)
    assert scale.cell_of(scale.hours_at(cell)) == cell


@given(scales, st.integers(0, 260))
def test_a_round_time_stays_within_its_cell(scale: Scale, cell: int) -> None:
    cell = min(cell, scale.cells - 1)
    assert abs(scale.x_of(scale.round_hours_at(cell)) - cell) <= 0.5 + 1e-6


@given(scales)
def test_round_times_rise_from_cell_to_cell(scale: Scale) -> None:
    hours = [scale.round_hours_at(cell) for cell in range(scale.cells)]
    assert hours == sorted(hours)
    assert hours[-1] == FUTURE_H
    assert hours[scale.past_cells] == 0.0
    assert all(value < 0 for value in hours[: scale.past_cells])


def test_ends_and_now() -> None:
    scale = Scale(past_cells=19, future_cells=60, past_hours=576)
    assert scale.x_of(0) == 19
    assert scale.x_of(FUTURE_H) == scale.x_of(1e9) == 79
    assert scale.x_of(-576) == scale.x_of(-1e9) == 0
    assert scale.hours_at(-5) == -576
    assert scale.hours_at(500) == FUTURE_H


def test_minutes_near_now_and_days_at_the_end() -> None:
    scale = Scale(past_cells=19, future_cells=60)
    assert scale.hours_at(20) < 5 / 60
    assert 3 * 24 < scale.hours_at(79) - scale.hours_at(78) < 6 * 24


def test_a_click_on_a_tick_means_the_tick() -> None:
    for width in (30, 45, 60, 90, 140):
        scale = Scale(past_cells=10, future_cells=width)
        for hours, _label in LANDMARKS:
            assert scale.round_hours_at(scale.cell_of(hours)) == hours


@given(ahead)
def test_a_step_moves_and_steps_back_never_pass_it(hours: float) -> None:
    further, nearer = stepped(hours, 1), stepped(hours, -1)
    assert nearer <= hours <= further
    assert further > hours or hours == FUTURE_H
    assert nearer < hours or hours == 0


@given(ahead, st.floats(0, 24 * 4000))
def test_the_past_mirrors_the_future(hours: float, reach: float) -> None:
    back = min(hours, reach)
    assert stepped(-back, 1, reach) == -stepped(back, -1) if back else True
    assert -reach <= stepped(-back, -1, reach) <= -back
    assert -reach <= leaped(-back, -1, reach) <= -back
    assert -back <= leaped(-back, 1, reach) <= 0 or back == 0
    assert moved_days(-back, -3, reach) == max(-back - 72, -reach)


def test_the_past_ends_where_it_begins() -> None:
    assert stepped(0.0, -1, 50.0) == pytest.approx(-1 / 12)
    assert stepped(0.0, -1) == leaped(0.0, -1) == moved_days(0.0, -1) == 0.0
    assert (leaped(-960.0, -1, 1e4), leaped(-2190.0, -1, 1e4), leaped(-9990.0, -1, 1e4)) == (-2190.0, -4380.0, -1e4)
    assert (typed_hours("-3d", 1e4), typed_hours("-3d", 24.0), typed_hours("-", 24.0)) == (-72.0, -24.0, 0.0)


@given(ahead)
def test_a_leap_moves_at_least_as_far_as_needed(hours: float) -> None:
    assert leaped(hours, 1) > hours or hours >= FUTURE_H - 1e-6
    assert leaped(hours, -1) < hours or hours <= 1e-6


def test_the_whole_way_takes_about_a_hundred_round_steps() -> None:
    way = [0.0]
    while way[-1] < FUTURE_H:
        way.append(stepped(way[-1], 1))
    assert 80 <= len(way) <= 130
    assert {1.0, 6.0, 24.0, 72.0, 168.0, 720.0, FUTURE_H} <= {round(hours, 9) for hours in way}
    back = [FUTURE_H]
    while back[-1] > 0:
        back.append(stepped(back[-1], -1))
    assert [round(h, 6) for h in reversed(back)] == [round(h, 6) for h in way]


@given(ahead, st.integers(-100, 100))
def test_days_stay_within_the_slider(hours: float, days: int) -> None:
    assert 0 <= moved_days(hours, days) <= FUTURE_H


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("7", 168.0),
        ("12", 288.0),
        ("3h", 3.0),
        ("90m", 1.5),
        ("2w", 336.0),
        ("0", 0.0),
        ("99999w", FUTURE_H),
        ("", None),
        ("h", None),
        ("٣", None),
        ("3x", None),
        ("-1", 0.0),
        ("--1", None),
    ],
)
def test_what_is_typed(text: str, hours: float | None) -> None:
    got = typed_hours(text)
    assert (got is None and hours is None) or (got is not None and hours is not None and math.isclose(got, hours))


@given(
    st.lists(st.tuples(st.integers(0, 90), st.text("+0123456789dh", min_size=1, max_size=5)), max_size=12),
    st.integers(0, 90),
)
def test_labels_never_touch_or_stick_out(labels: list[tuple[int, str]], width: int) -> None:
    placed = label_places(labels, width)
    end = -1
    for start, label in placed:
        assert start > end
        end = start + len(label)
        assert end <= width
