"""The top line at every width: the mind's label never goes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import ComposeResult

from memtui.ui.widgets.clock_line import ClockLine, ClockState, line_parts
from memtui.ui.widgets.row_text import plain_line
from tests.ui.time.timeline_app import NOW, Themed

STATE = ClockState(title="Berlin to Lisbon", now=NOW, day=24, mind="offline mind", tokens=121)
FAST = ClockState(
    title="Berlin to Lisbon", now=NOW, day=24, rate=3600, real=False, ahead_hours=300.2, mind="offline mind", tokens=121
)


class LineApp(Themed):
    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[str] = []

    def compose(self) -> ComposeResult:
        yield ClockLine()

    def on_clock_line_pressed(self, message: ClockLine.Pressed) -> None:
        self.pressed.append(message.part)


def text(state: ClockState, width: int) -> str:
    return "".join(part_text for _part, part_text in line_parts(state, width))


states = st.builds(
    ClockState,
    title=st.text(max_size=60),
    now=st.datetimes(timezones=st.just(UTC)),
    tz=st.sampled_from([UTC, ZoneInfo("Asia/Tokyo"), ZoneInfo("America/Los_Angeles")]),
    day=st.integers(1, 100_000),
    rate=st.sampled_from([0.0, 1.0, 60.0, 3600.0]),
    real=st.booleans(),
    ahead_hours=st.floats(-1e6, 1e6),
    mind=st.text(max_size=50),
    tokens=st.none() | st.integers(0, 10**7),
    seen=st.none() | st.datetimes(timezones=st.just(UTC)),
)


@given(states, st.integers(1, 200))
def test_it_fills_any_width_exactly(state: ClockState, width: int) -> None:
    assert cell_len(text(state, width)) in (width, 0)


@given(states, st.integers(32, 200))
def test_the_mind_is_always_named(state: ClockState, width: int) -> None:
    named = any(part == "mind" for part, _text in line_parts(state, width))
    assert named == bool(plain_line(state.mind))


def test_all_of_it_at_full_width() -> None:
    line = text(FAST, 120)
    for part in (
        "memtui",
        "Berlin to Lisbon",
        "Sat 25 Apr 2026 20:14",
        "day 24",
        "▶ 3600x",
        "12d 12h ahead",
        "offline mind",
        "121 tok",
    ):
        assert part in line


@pytest.mark.parametrize(
    ("width", "there", "gone"),
    [
        (80, ("Berlin to Lisbon", "25 Apr 20:14", "3600x", "offline mind", "121 tok"), ("2026", "ahead")),
        (60, ("25 Apr 20:14", "3600x", "offline mind"), ("day 24",)),
        (40, ("Sat 25 Apr 20:14", "3600x", "offline mind"), ("Berlin", "tok")),
        (22, ("offline mind",), ("Sat",)),
        (13, ("offline mind",), ()),
        (5, ("offl…",), ()),
    ],
)
def test_what_matters_least_goes_first(width: int, there: tuple[str, ...], gone: tuple[str, ...]) -> None:
    line = text(FAST, width)
    assert cell_len(line) == width
    for part in there:
        assert part in line
    for part in gone:
        assert part not in line


def test_preview_and_past_are_said_in_words() -> None:
    ahead = ClockState(title="t", now=NOW, day=24, mind="m", seen=NOW + timedelta(hours=76))
    assert "→ Wed 29 Apr 2026 00:14" in text(ahead, 120)
    assert "day 27" in text(ahead, 120)
    back = ClockState(title="t", now=NOW, day=24, mind="m", seen=NOW - timedelta(hours=30))
    assert "as of Fri 24 Apr 2026 14:14" in text(back, 120)
    just = ClockState(title="t", now=NOW, day=24, mind="m", seen=NOW, past=True, seen_day=24)
    assert "as of Sat 25 Apr 2026 20:14" in text(just, 120)
    assert "day 24" in text(just, 120)
    paused = ClockState(title="t", now=NOW, rate=0.0, real=False, mind="m")
    assert "paused" in text(paused, 120)


async def test_it_is_tinted_when_time_is_not_real() -> None:
    app = LineApp()
    async with app.run_test(size=(120, 5)):
        line = app.query_one(ClockLine)
        line.show(STATE)
        assert not line.has_class("-unreal")
        line.show(FAST)
        assert line.has_class("-unreal")


async def test_hostile_titles_are_only_text() -> None:
    app = LineApp()
    async with app.run_test(size=(100, 5)) as pilot:
        line = app.query_one(ClockLine)
        for title in (
            "[red]x[/]",
            "\x1b[31mred\x00",
            "\ud800half",
            "مرحبا\u202eabc",
            "日本語" * 30,
            "👩‍👩‍👧‍👦" * 20,
            "a\nb",
        ):
            line.show(ClockState(title=title, now=NOW, mind=title, tz=UTC))
            await pilot.pause()
            strip = line.render_line(0)
            assert strip.cell_length == 100
            assert not set("\x1b\x00\n\u202e\ud800") & set(strip.text)


async def test_a_click_says_which_part() -> None:
    app = LineApp()
    async with app.run_test(size=(120, 5)) as pilot:
        app.query_one(ClockLine).show(STATE)
        await pilot.pause()
        line = app.query_one(ClockLine).render_line(0).text
        for word, part in (("Berlin", "title"), ("Sat", "date"), ("1x", "rate"), ("offline", "mind"), ("tok", "tokens")):
            await pilot.click(ClockLine, offset=(line.index(word), 0))
            await pilot.pause()
            assert app.pressed[-1] == part
        count = len(app.pressed)
        await pilot.click(ClockLine, offset=(line.index("Berlin") + 30, 0))
        await pilot.pause()
        assert len(app.pressed) == count


def test_the_ends_of_the_calendar() -> None:
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        state = ClockState(title="t", now=moment, tz=ZoneInfo("America/Los_Angeles"), mind="m", seen=NOW)
        assert "m" in text(state, 80)
