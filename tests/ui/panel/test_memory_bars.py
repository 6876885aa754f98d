"""Columns, bars, numbers and marks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.theme import BUILTIN_THEMES

from memtui.memory.moments import HOUR_US
from memtui.ui.themes import MEMORY_VARIABLES
from memtui.ui.widgets.memory_bars import (
    FLOOR_MARK,
    GHOST,
    THEME_DEFAULTS,
    bar_eighths,
    bar_runs,
    columns_for,
    derived_defaults,
    floor_cells,
    marks_words,
    number_words,
    over_mark,
    preview_counts,
    recalls_words,
)
from tests.ui.panel.panel_app import LAW, NOW_US, told_frame

FLOORS = st.sampled_from((0.0, 0.01, 0.05, 0.2, 0.5, 0.95, 1.0))
CELLS = st.integers(1, 30)


def bar(now: float, then: float | None = None, floor: float = 0.05, cells: int = 15) -> str:
    then = now if then is None else then
    now8, then8 = bar_eighths(np.array([now, then]), floor, cells).tolist()
    return "".join(text for text, _ in bar_runs(now8, then8, floor_cells(floor, cells), cells))


def test_a_bar_is_full_at_one_and_passes_the_floor_only_above_it() -> None:
    assert bar(1.0) == "█┆██████████████"
    assert bar(1.7) == bar(1.0)
    assert bar(0.5) == "█┆██████▊       "
    assert bar(0.06) == "█┆▎             "
    assert bar(0.05) == "█┆              "
    assert bar(0.0499) == "▉┆              "
    assert bar(0.01) == "▎┆              "
    assert bar(0.0) == " ┆              "


def test_the_mark_stands_where_the_floor_is() -> None:
    assert bar(0.5, floor=0.2).index(FLOOR_MARK) == 3
    assert bar(0.15, floor=0.2) == "██▎┆            "
    assert bar(0.5, floor=0.0) == "┆███████▌       "


def test_what_would_be_lost_is_a_ghost() -> None:
    assert bar(0.93, 0.6) == "█┆████████▏░░░░ "
    assert bar(0.71, 0.01) == "▎┆░░░░░░░░░░    "
    assert GHOST not in bar(0.71, 0.70)
    assert bar(0.3, 0.4) == bar(0.3)  # nothing is drawn for a gain


def test_runs_have_roles() -> None:
    assert bar_runs(60, 30, 1, 10) == (
        ("█", "bar"),
        (FLOOR_MARK, "floor-on-bar"),
        ("██", "bar"),
        ("▊", "edge"),
        ("░░░░", "ghost"),
        ("  ", "blank"),
    )
    assert bar_runs(4, 4, 1, 3) == (("▌", "bar"), (FLOOR_MARK, "floor"), ("  ", "blank"))


@given(st.lists(st.floats(0, 3), min_size=2, max_size=40), FLOORS, CELLS)
def test_bars_keep_their_width_and_their_order(values: list[float], floor: float, cells: int) -> None:
    eighths = bar_eighths(np.array(sorted(values)), floor, cells)
    assert np.all(np.diff(eighths) >= 0)
    assert eighths.min() >= 0 and eighths.max() <= 8 * cells
    before = floor_cells(floor, cells)
    for now8 in eighths.tolist():
        for then8 in eighths.tolist()[:3]:
            assert sum(len(text) for text, _ in bar_runs(now8, then8, before, cells)) == cells + 1


@given(st.floats(0.0001, 3), st.sampled_from((0.01, 0.05, 0.2, 0.5)), st.integers(3, 30))
def test_a_bar_tells_above_from_below(value: float, floor: float, cells: int) -> None:
    eighths = int(bar_eighths(np.array([value]), floor, cells)[0])
    assert (eighths >= 8 * floor_cells(floor, cells)) == (value >= floor)
    assert eighths > 0


def test_no_number_is_too_odd_for_a_bar() -> None:
    odd = np.array([np.nan, np.inf, -np.inf, -3.0, 1e300])
    assert bar_eighths(odd, 0.05, 10).tolist() == [0, 80, 0, 0, 80]
    assert number_words(float("nan")) == "0.00"
    assert number_words(float("inf")) == "9999"


@given(st.integers(1, 160), st.integers(2, 6), st.integers(3, 7))
def test_columns_add_up(width: int, half: int, handle: int) -> None:
    columns = columns_for(width, half, handle)
    parts = (columns.number, columns.half, columns.recalls, columns.age, columns.left, columns.handle)
    used = 1 + columns.bar + 2 + sum(part + 1 for part in parts if part) + 1 + columns.marks + 1 + columns.words
    assert columns.bar >= 1 and columns.words >= 0
    assert used == width or (width < 16 and columns.words == 0)


def test_the_picture_has_every_column_and_a_narrow_panel_the_main_ones() -> None:
    picture = columns_for(57)
    assert (picture.bar, picture.number, picture.half, picture.recalls, picture.age, picture.marks) == (14, 4, 4, 4, 4, 2)
    assert picture.words >= 14
    narrow = columns_for(40)
    assert (narrow.bar, narrow.number, narrow.half, narrow.age) == (6, 4, 4, 4)
    assert narrow.words >= 13
    wide = columns_for(100)
    assert wide.handle and wide.left and wide.words >= 30


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0.00"), (0.0499, "0.04"), (0.05, "0.05"), (0.999, "0.99"), (1.66, "1.66"), (14.86, "14.8"), (148.2, "148")],
)
def test_numbers_are_cut_not_rounded(value: float, words: str) -> None:
    assert number_words(value) == words


@pytest.mark.parametrize(
    ("count", "words"), [(0, "×0"), (7, "×7"), (120, "×120"), (1500, "×1k"), (99_999, "×99k"), (10**9, "×99k")]
)
def test_recalls(count: int, words: str) -> None:
    assert recalls_words(count) == words


def test_marks() -> None:
    assert marks_words(2, dying=False, pinned=True, given=True) == "◆»"
    assert marks_words(2, dying=True, pinned=False, given=False) == "✝ "
    assert marks_words(1, dying=True, pinned=False, given=True) == "✝"
    assert marks_words(1, dying=False, pinned=True, given=True) == "»"
    assert marks_words(1, dying=False, pinned=True, given=False) == "◆"


def test_what_is_beyond_one_and_what_a_preview_takes_of_it() -> None:
    assert over_mark(1.2, 1.1) == ("▸", "bar")
    assert over_mark(1.2, 0.9) == ("▹", "ghost")
    assert over_mark(1.0, 0.9) == (" ", "blank")


def test_preview_counts_sum_up_to_the_active_ones_and_spare_the_pinned() -> None:
    frame = told_frame()
    now = preview_counts(frame, LAW, NOW_US)
    assert (now.fade, now.stay) == (1, 9)
    far = preview_counts(frame, LAW, NOW_US + 24 * HOUR_US * 10_000)
    assert (far.fade, far.stay) == (9, 1)


def test_defaults_name_every_variable_of_ours() -> None:
    assert set(THEME_DEFAULTS) == set(MEMORY_VARIABLES)
    for theme in BUILTIN_THEMES.values():
        assert set(derived_defaults(theme)) == set(MEMORY_VARIABLES)
    assert derived_defaults(BUILTIN_THEMES["nord"])["bar"] == "#88C0D0"
