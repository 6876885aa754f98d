"""The order of rows: lazy, stable, frozen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.frame import Frame
from memtui.memory.model import RetireReason, Status
from memtui.ui.widgets.memory_order import SORTS, RowOrder, retired_rows, sort_keys
from tests.ui.panel.panel_app import LAW, NOW, NOW_US, TOLD, many, told_frame


def sorted_texts(name: str, frame: Frame) -> list[str]:
    rows = frame.active_rows()
    order = RowOrder(rows, sort_keys(name, frame, LAW, rows, NOW_US))
    return [frame.texts[row].split()[0].rstrip(":.") for row in order.take(0, len(order)).tolist()]


def test_each_sort() -> None:
    frame = told_frame()
    by_salience = ["allergic", "vegetarian", "moved", "building", "flat", "deploy", "a", "saw", "rain", "ramen"]
    assert sorted_texts("salience", frame) == by_salience
    assert sorted_texts("age", frame)[3:] == ["building", "a", "flat", "saw", "rain", "deploy", "ramen"]
    assert sorted_texts("recalls", frame)[:5] == ["allergic", "vegetarian", "deploy", "moved", "building"]
    assert sorted_texts("kind", frame) == [*by_salience[6:], *by_salience[:3], "flat", "building", "deploy"]
    assert sorted_texts("left", frame)[:2] == ["ramen", "rain"]
    assert sorted_texts("left", frame)[-1] == "allergic"  # pinned: never


def test_an_unknown_sort_is_an_error() -> None:
    frame = told_frame()
    with pytest.raises(ValueError, match="no sort named 'size'"):
        sort_keys("size", frame, LAW, frame.active_rows(), NOW_US)


@pytest.mark.parametrize("name", SORTS)
def test_the_visible_rows_of_many_are_those_of_a_full_sort(name: str) -> None:
    frame = many(6000)
    rows = frame.active_rows()
    keys = sort_keys(name, frame, LAW, rows, NOW_US)
    full = rows[np.argsort(keys, kind="stable")]
    order = RowOrder(rows, keys)
    assert order.take(0, 40).tolist() == full[:40].tolist()
    assert len(order._rest) > 5000, "the rest is not sorted before anybody asks"
    assert order.take(5990, 6010).tolist() == full[5990:].tolist()
    assert order.take(0, 6000).tolist() == full.tolist()


@given(st.lists(st.integers(0, 5), max_size=60), st.lists(st.integers(0, 59)), st.integers(0, 60))
def test_removing_and_appending_move_nothing_else(keys: list[int], out: list[int], seen: int) -> None:
    order = RowOrder(np.arange(len(keys)), np.array(keys, np.float64))
    order.take(0, seen)
    before = sorted(range(len(keys)), key=lambda row: keys[row])
    order.append(np.array([100, 101]))
    order.remove(np.array(out, np.int64))
    expected = [row for row in (*before, 100, 101) if row not in out]
    assert sorted(order.rows().tolist()) == sorted(expected)
    assert [order.position(row) for row in expected] == list(range(len(expected)))
    assert order.take(0, 99).tolist() == expected
    assert order.position(777) is None


def test_retired_rows_come_last_first_and_undone_ones_not_at_all() -> None:
    frame = told_frame()
    frame.drop(frame.ids[0])
    texts = [frame.texts[row] for row in retired_rows(frame).tolist()]
    assert texts[0] == "the name of an ex"
    assert texts[-1].startswith("lives in Berlin")
    assert len(texts) == 6


def test_a_memory_that_came_back_by_undoing_an_undo_is_listed_once() -> None:
    frame = told_frame()
    gone = frame.memories[4]
    frame.drop(gone.id)
    frame.upsert(gone, TOLD[4][0])
    assert len(frame.active_rows()) == len(TOLD)
    frame.upsert(replace(gone, status=Status.RETIRED, retired_at=NOW, retired_reason=RetireReason.FORGOTTEN), TOLD[4][0])
    assert retired_rows(frame).tolist()[0] == frame.row(gone.id)
    assert len(retired_rows(frame)) == 7
