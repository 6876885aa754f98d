"""What each line says at a moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np

from memtui.memory.frame import Frame
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.memory_bars import columns_for
from memtui.ui.widgets.memory_lines import (
    RetiredWindow,
    Window,
    active_columns,
    handle_cells,
    handle_of,
    last_salience,
    retired_columns,
)
from tests.ui.panel.panel_app import LAW, NOW, NOW_US, many, memory, told_frame

WIDE = columns_for(100)


def test_a_line_per_memory() -> None:
    frame = told_frame()
    window = Window(frame, LAW, np.arange(10), WIDE)
    lines = window.lines(NOW_US, None, {1, 2})
    first, ramen = lines[0], lines[9]
    assert (first.number, first.half, first.recalls, first.age, first.left) == ("2.92", "S30d", "  ×7", "  2m", "   ∞")
    assert first.handle == "m01" and first.words.startswith("allergic to shellfish")
    assert [line.marks for line in lines[:4]] == ["◆ ", " »", " »", "  "]
    assert (ramen.number, ramen.marks, ramen.left, ramen.vivid) == ("0.04", "✝ ", " now", 0)
    assert [line.vivid for line in lines] == [2, 2, 2, 2, 2, 2, 1, 0, 0, 0]


def test_a_preview_changes_numbers_bars_and_marks_but_not_ages() -> None:
    frame = told_frame()
    window = Window(frame, LAW, np.arange(10), WIDE)
    now = window.lines(NOW_US, None, ())
    then = window.lines(NOW_US, NOW_US + 20 * 24 * HOUR_US, ())
    assert [line.now8 for line in then] == [line.now8 for line in now]
    assert all(line.then8 < line.now8 for line in then[4:])
    assert [line.age for line in then] == [line.age for line in now]
    assert [line.marks[0] for line in then] == ["◆", *"     ", "✝", "✝", "✝", "✝"]
    assert then[0].number == "1.84"
    assert all(line.previewing for line in then)


def test_a_window_agrees_with_the_law_over_all_rows() -> None:
    frame = many(500)
    rows = np.array([499, 3, 250, 17])
    lines = Window(frame, LAW, rows, WIDE).lines(NOW_US, None, ())
    whole = LAW.retention(frame, NOW_US)
    for row, line in zip(rows.tolist(), lines, strict=True):
        assert abs(float(line.number) - whole[row]) < 0.01
        assert (line.marks[0] == "✝") == bool(LAW.faded(frame, NOW_US)[row])


def test_a_leaving_row_says_why() -> None:
    frame = told_frame()
    lines = Window(frame, LAW, np.array([10]), WIDE).lines(NOW_US, None, ())
    assert lines[0].words.startswith("superseded: lives in Berlin")
    assert lines[0].marks == "  "


def test_sorted_by_time_left_the_age_column_shows_it() -> None:
    frame = told_frame()
    window = Window(frame, LAW, np.arange(3), columns_for(57), left_for_age=True)
    assert [line.age for line in window.lines(NOW_US, None, ())] == ["   ∞", "164d", "157d"]


def test_a_memory_from_the_future_has_age_zero() -> None:
    frame = Frame(0)
    frame.upsert(memory("later", last_recall=NOW + timedelta(days=2)), "later")
    line = Window(frame, LAW, np.array([0]), WIDE).lines(NOW_US, None, ())[0]
    assert (line.age, line.number) == (" now", "0.50")


def test_labels_and_handles_decide_the_columns() -> None:
    frame = told_frame()
    slow = SalienceLaw(half_life={**LAW.half_life, memory("x").kind: 24 * 1000.0})
    assert slow.half_life_label(1) == "S1000d"
    assert active_columns(frame, slow, 57).half == 6
    assert active_columns(None, None, 57).half == 4
    assert active_columns(None, None, 0).width == 1
    assert handle_of(0) == "m01" and handle_of(99) == "m100"
    assert handle_cells(frame) == 3 and handle_cells(Frame(0)) == 3
    assert handle_cells(many(1200)) == 5


def test_retired_lines() -> None:
    frame = told_frame()
    columns = retired_columns(57)
    lines = RetiredWindow(frame, LAW, np.arange(10, 16), columns).lines(NOW_US)
    first = lines[0]
    assert (first.reason, first.when, first.by, first.last) == ("superseded", "  6d", " m03", "0.07")
    assert first.words.startswith("lives in Berlin")
    assert [line.by.strip() for line in lines] == ["m03", "m04", "m04", "m02", "—", "—"]
    later = RetiredWindow(frame, LAW, np.arange(10, 16), columns).lines(NOW_US + 72 * HOUR_US)
    assert [line.when.strip() for line in later] == ["9d", "3d", "3d", "4d", "3d", "3d"]
    gone = replace(frame.memories[10], retired_by="NOBODY")
    frame.upsert(gone, "lives in Berlin")
    assert RetiredWindow(frame, LAW, np.array([10]), columns).lines(NOW_US)[0].by == "   ?"


def test_retired_columns_add_up_at_any_width() -> None:
    for width in range(1, 140):
        columns = retired_columns(width)
        parts = (columns.reason, columns.when, columns.by, columns.last)
        assert 1 + sum(part + 1 for part in parts if part) + columns.words == width
    assert retired_columns(40).by and not retired_columns(40).last
    assert RetiredWindow(told_frame(), LAW, np.array([10]), retired_columns(20)).lines(NOW_US)[0].when == ""


def test_the_salience_at_retirement_is_the_laws_at_that_moment() -> None:
    frame = told_frame()
    gone = frame.memories[10]
    assert gone.retired_at is not None
    assert abs(last_salience(LAW, gone) - 0.5 * 2 ** (-200 / 72)) < 1e-9
    assert last_salience(LAW, frame.memories[0]) == 0.0
