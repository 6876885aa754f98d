"""Heights guessed, found out and kept; the reader's place; what is kept drawn."""

from __future__ import annotations

import random

import pytest

from memtui.ui.measure_chat import finished_messages
from memtui.ui.widgets import transcript_layout
from memtui.ui.widgets.message_model import FinishedMessage, MessageData
from memtui.ui.widgets.message_rows import Scene
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.transcript_layout import TranscriptLayout

PLAIN, SCENE = Palette.plain(), Scene()
ROWS = 20


def laid_out(messages: list[FinishedMessage], width: int = 60) -> TranscriptLayout:
    layout = TranscriptLayout()
    layout.rewidth(width)
    for message in messages:
        layout.add(MessageData.of(message))
    return layout


def shown(layout: TranscriptLayout, top: int, rows: int = ROWS) -> list[str]:
    out = []
    for row in range(top, top + rows):
        spot = layout.spot(row)
        if spot is None or spot.row < 0:
            out.append("")
        else:
            out.append(spot.view.draw(spot.part, PLAIN, SCENE)[spot.row].text)
    return out


def test_the_end_is_shown_exactly_and_nothing_else_is_drawn() -> None:
    layout = laid_out(finished_messages(500))
    top = layout.settle_end(ROWS, PLAIN, SCENE)
    assert top == layout.rows - ROWS
    assert sum(view.built for view in layout.views) < 8
    last = shown(layout, top)
    assert last[-1] == ""
    assert any("Synapse" in row for row in last)


def test_scrolling_up_row_by_row_shows_each_row_once() -> None:
    messages = finished_messages(12)
    exact = laid_out(messages)
    for view in exact.views:
        view.measure(0, 10_000, PLAIN, SCENE)
    exact.moved()
    whole = shown(exact, 0, exact.rows)
    layout = laid_out(messages)
    top = layout.settle_end(ROWS, PLAIN, SCENE)
    below = shown(layout, top)
    seen = list(below)
    while top > 0:
        top = layout.settle(top - 1, ROWS, PLAIN, SCENE)
        now = shown(layout, top)
        assert now[1:] == below[:-1]  # what was read stays, one row lower
        seen.insert(0, now[0])
        below = now
    assert seen == whole


@pytest.mark.parametrize("seed", range(4))
def test_jumps_land_within_bounds_on_exact_rows(seed: int) -> None:
    layout = laid_out(finished_messages(60))
    dice = random.Random(seed)
    for _ in range(30):
        top = layout.settle(dice.randrange(layout.rows), ROWS, PLAIN, SCENE)
        assert 0 <= top <= layout.rows - ROWS
        for row in range(top, top + ROWS):
            spot = layout.spot(row)
            assert spot is not None
            assert spot.part.exact


def test_a_place_survives_another_width() -> None:
    layout = laid_out(finished_messages(60))
    top = layout.settle(layout.rows // 2, ROWS, PLAIN, SCENE)
    place = layout.place(top)
    spot = layout.spot(top)
    assert place is not None
    assert spot is not None
    for width in (30, 110, 60):
        layout.rewidth(width)
        again = layout.settle(layout.find(place), ROWS, PLAIN, SCENE)
        now = layout.spot(again)
        assert now is not None
        assert now.view is spot.view


def test_what_is_kept_drawn_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_layout, "KEPT_ROWS", 200)
    text = "\n\n".join(f"paragraph {i} of many" for i in range(60))
    layout = laid_out([FinishedMessage("reply", text) for _ in range(6)])
    top = 0
    while top < layout.rows - ROWS:
        top = layout.settle(top + ROWS, ROWS, PLAIN, SCENE)
        shown(layout, top)
    assert layout.rows > 3 * 200
    kept = [part for view in layout.views for part in view.parts() if part.lines is not None]
    assert sum(len(part.lines or ()) for part in kept) <= 200
    assert "paragraph 0 of many" in shown(layout, 0, 3)  # drawn again when it is looked at


def test_an_empty_layout() -> None:
    layout = TranscriptLayout()
    assert layout.rows == 0
    assert layout.spot(0) is None
    assert layout.place(0) is None
    assert layout.find(None) == 0
    assert layout.settle(5, ROWS, PLAIN, SCENE) == 0
    assert layout.settle_end(ROWS, PLAIN, SCENE) == 0


def test_a_message_of_a_megabyte_is_laid_out_at_once() -> None:
    layout = laid_out([FinishedMessage("user", "word " * 200_000), FinishedMessage("reply", "line\n" * 10_000)])
    layout.settle_end(ROWS, PLAIN, SCENE)
    layout.settle(0, ROWS, PLAIN, SCENE)
    drawn = [part for view in layout.views for part in view.parts() if part.lines is not None]
    assert len(drawn) <= 4
