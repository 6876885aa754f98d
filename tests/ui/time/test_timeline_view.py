"""The slider's drawing, for every width and state."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.timeline_scale import FUTURE_H
from memtui.ui.widgets.timeline_view import Mark, View, curve_runs, label_runs, layout, mark_cells, track_runs

views = st.builds(
    View,
    hours=st.floats(-24 * 500, FUTURE_H),
    outcome=st.none() | st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)),
    warp=st.none() | st.tuples(st.floats(0, 1), st.text(max_size=40)),
    focused=st.booleans(),
    curve=st.lists(st.floats(0, 1), max_size=100).map(lambda shares: sorted(shares, reverse=True)),
)


@given(st.integers(3, 300), st.floats(0, 24 * 400), views, st.booleans())
def test_each_line_fills_its_width_exactly(width: int, past: float, view: View, alone: bool) -> None:
    place = layout(width, past)
    assert sum(len(text) for text, _style in track_runs(place, view, alone=alone)) == width
    assert sum(len(text) for text, _style in label_runs(place, view, width)) == width
    assert sum(len(text) for text, _style in curve_runs(place, view, width)) == width


@given(st.integers(10, 300), st.floats(-24 * 500, FUTURE_H))
def test_the_handle_is_always_there_once(width: int, hours: float) -> None:
    line = "".join(text for text, _style in track_runs(layout(width, 100.0), View(hours=hours), alone=True))
    assert line.count("●") == 1
    place = layout(width, 100.0)
    cell = place.scale.cell_of(hours)
    if hours < 0 and place.scale.past_cells:
        cell = min(cell, place.scale.past_cells - 1)  # just now is not now
    assert line.index("●") == place.track_start + cell


@given(st.integers(60, 200), st.lists(st.floats(0, 5000), max_size=50), st.lists(st.floats(0, 5000), max_size=50))
def test_marks_are_where_things_happened(width: int, turns: list[float], sleeps: list[float]) -> None:
    place = layout(width, max([*turns, *sleeps, 1.0]))
    now = 10**15
    moments = {
        mark: np.sort(now - (np.array(ago) * HOUR_US).astype(np.int64))
        for mark, ago in ((Mark.TURN, turns), (Mark.SLEEP, sleeps))
        if ago
    }
    cells = mark_cells(place.scale, now, moments)
    assert len(cells) == place.scale.past_cells
    last = place.scale.past_cells - 1
    told = {min(place.scale.cell_of(-h), last) for h in turns}
    slept = {min(place.scale.cell_of(-h), last) for h in sleeps}
    for cell, mark in enumerate(cells):
        if mark == Mark.SLEEP:
            assert {cell - 1, cell, cell + 1} & slept
        elif mark == Mark.TURN:
            assert {cell - 1, cell, cell + 1} & told
        else:
            assert cell not in told | slept


def test_the_future_is_never_marked() -> None:
    place = layout(120, 100.0)
    now = 10**15
    assert not any(mark_cells(place.scale, now, {Mark.TURN: np.array([now + 1, now + HOUR_US])}))
