"""Pictures of the past on the whole screen, and of its card."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.app.test_snapshots import SIZES, Compare, Pictured

NINE_DAYS_AGO = ("ctrl+t", "minus", "9", "d")


@pytest.fixture
def pictured(tmp_path: Path) -> Pictured:
    return Pictured(tmp_path)


@SIZES
def test_looking_back(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured.then(*NINE_DAYS_AGO))


@SIZES
def test_a_write_is_refused(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    keys = (*NINE_DAYS_AGO, "f3", *"Berlin?", "enter")
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured.then(*keys))


@SIZES
def test_the_card_of_then(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    keys = (*NINE_DAYS_AGO, "ctrl+e", "enter")
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured.then(*keys))
