"""The panel in one line."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from memtui.memory.frame import Frame
from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.memory_strip import strip_pieces
from tests.ui.panel.panel_app import LAW, NOW_US, StripApp, frame_of, many, settle, told_frame


def words(frame: Frame, then_us: int | None = None, given: tuple[str, ...] = (), width: int = 78) -> str:
    return "".join(text for text, _ in strip_pieces(frame, LAW, NOW_US, then_us, given, width))


def test_the_line_of_the_picture() -> None:
    frame = told_frame()
    assert words(frame, given=tuple(frame.ids[1:4])) == "10 active ████▆▂▁▁▁ 2 fade in 3d   » m02 m03 m04"
    assert words(frame, NOW_US + 20 * 24 * HOUR_US + 4 * HOUR_US) == "10 active ███▇▅▁▁▁▁ 4 fade in 20d 4h"
    assert words(frame_of(["one"])) == "1 active ▇ all stay for 3d"
    assert words(Frame(0)) == "no memories yet"


@pytest.mark.parametrize("width", range(0, 80, 3))
def test_it_fits(width: int) -> None:
    frame = many(12)
    line = words(frame, given=tuple(frame.ids), width=width)
    assert cell_len(line) <= width
    assert not line.rstrip().endswith("»")


def test_unknown_and_too_many_given_ones() -> None:
    frame = many(12)
    assert words(frame, given=("nobody",)).endswith("for 3d")
    assert words(frame, given=tuple(frame.ids), width=200).count(" m") == 8


async def test_it_follows_the_clock_the_preview_and_the_replies() -> None:
    app = StripApp(told_frame())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        strip = app.strip
        assert strip.render_line(0).text.rstrip() == "10 active ████▆▂▁▁▁ 2 fade in 3d"
        for hour in range(0, 24 * 60, 12):
            strip.tick(NOW_US + hour * HOUR_US)
        await pilot.pause(0.4)
        assert "4 fade in 3d" in strip.render_line(0).text
        strip.preview(NOW_US + 24 * 100 * HOUR_US)
        assert "fade in 40d 12h" in strip.render_line(0).text
        strip.preview(None)
        strip.glow(app.frame.ids[:2])
        assert strip.render_line(0).text.rstrip().endswith("» m01 m02")
        await pilot.resize_terminal(30, 10)
        await settle(pilot)
        assert cell_len(strip.render_line(0).text) == 28
        await pilot.resize_terminal(80, 10)
        strip.display = False
        await settle(pilot)
        strip.preview(NOW_US + 24 * HOUR_US)
        strip.tick(NOW_US)
        strip.display = True
        await settle(pilot)
        assert "fade in 1d" in strip.render_line(0).text or "stay for 1d" in strip.render_line(0).text
        await pilot.click(strip)
        assert app.opened == 1
