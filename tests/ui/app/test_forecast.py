"""The forecast, through the whole app: opened, walked, asked for other horizons, and true while memory changes under it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.memory.moments import to_us
from memtui.memory.state import state_hash
from memtui.ui.screens.card_screen import CardScreen
from memtui.ui.screens.forecast_screen import ForecastScreen
from memtui.ui.widgets.fade_list import FadeList
from tests.memory.builders import snapshot
from tests.ui.app.conftest import NARROW, NOW, TINY, WIDE, Bench, Open
from tests.ui.app.test_snapshots import Compare, Pictured, settled
from tests.ui.app.test_what_if import HOSTILE, SIZES, lived, quiet_app


async def opened(b: Bench, *keys: str) -> ForecastScreen:
    await b.press(*(keys or ("f12",)))
    await b.idle()
    screen = b.app.screen
    assert isinstance(screen, ForecastScreen)
    await b.until(lambda: "looking ahead" not in said(screen, "summary"), "the forecast")
    await b.idle()
    return screen


def said(screen: ForecastScreen, part: str) -> str:
    return str(screen.query_one(f"#forecast-{part}", Static).render())


def fades(screen: ForecastScreen) -> FadeList:
    return screen.query_one(FadeList)


@SIZES
async def test_it_says_who_fades_when_and_changes_nothing(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        await b.chat._night(b.companion)  # what a second of looking around would do
        before = (b.companion.store.head, state_hash(b.companion.store.state), snapshot(b.companion.store.frame))
        screen = await opened(b)
        frame = b.companion.store.frame
        dies = b.companion.law.dies_at(frame)
        assert fades(screen).count == int((dies < to_us(b.companion.clock.now() + timedelta(days=30))).sum())
        await b.press("5")
        assert screen.days == 365 and fades(screen).count == 3
        assert "3 of 3 fade, 0 stay" in said(screen, "summary")
        assert fades(screen).selected == frame.ids[int(dies.argmin())]
        await b.press("end")
        assert fades(screen).selected == frame.ids[int(dies.argmax())]
        assert "active memories: 3 now, 0 then" in b.text()
        await b.press("escape")
        assert b.app.screen is b.chat
        assert before == (b.companion.store.head, state_hash(b.companion.store.state), snapshot(b.companion.store.frame))


async def test_keys_go_from_horizon_to_horizon(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        screen = await opened(b)
        seen = [screen.days]
        for key in ("right", "right", "right", "left", "1", "left", "3"):
            await b.press(key)
            seen.append(screen.days)
        assert seen == [30, 90, 365, 365, 90, 1, 1, 30]
        await b.press("5")
        assert fades(screen).count == 3 and "Nothing fades within this horizon." not in b.text()
        await b.press("1")
        assert fades(screen).count == 0 and "Nothing fades within this horizon." in b.text()
        await b.press("enter", "up", "end")
        assert b.app.screen is screen


async def test_a_card_opens_and_what_is_done_there_is_seen(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        screen = await opened(b, "f12")
        await b.press("5", "down")
        memory = fades(screen).selected
        await b.press("enter")
        card = b.app.screen
        assert isinstance(card, CardScreen)
        await b.press("p")
        await b.until(lambda: fades(screen).count == 2, "the pin")
        assert b.app.screen is screen and memory is not None and fades(screen).selected != memory
        await b.press("enter", "escape")
        assert b.app.screen is screen
        await b.press("f12")
        assert b.app.screen_stack == [b.chat]


async def test_the_command_takes_a_horizon_and_names_what_is_none(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        b.chat.prompt.draft = "/forecast 2w"
        screen = await opened(b, "enter")
        assert screen.days == 14 and "14 d" in said(screen, "horizons")
        await b.press("right")
        assert screen.days == 30
        await b.press("q")
        for line in ("/forecast soon", "/forecast 0", "/forecast 99999"):
            await b.say(line)
            error = str(b.chat.alert_box.error)
            assert b.app.screen is b.chat and ("horizon" in error or "span of time" in error)
            await b.press("escape")
            b.chat.prompt.draft = ""


async def test_of_the_past_it_is_what_was_to_come_then(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        b.chat.timeline.look_at(to_us(NOW + timedelta(days=1)))
        await b.until(lambda: b.chat.past.then is not None, "the past")
        await b.idle()
        screen = await opened(b)
        assert "as of Sun 26 Apr 2026 21:14" in said(screen, "title")
        assert "of 1 fade" in said(screen, "summary")
        await b.press("5", "enter")
        card = b.app.screen
        assert isinstance(card, CardScreen)
        await b.press("p")
        assert b.app.screen is card or not b.companion.store.frame.pinned.any()
        await b.press("escape", "escape")
        await b.idle()
        assert not b.companion.store.frame.pinned.any()


async def test_the_panel_says_it_where_it_is_sorted_by_time_left(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await b.say("/sort left")
        assert "this week, by time left" in b.text()
        within = to_us(b.companion.clock.now() + timedelta(days=7))
        count = int((b.companion.law.dies_at(b.companion.store.frame) <= within).sum())
        assert f"{count} " in b.text().split("this week")[0].split("Retired")[1]
        rows = b.chat.panel.rows
        frame, order = b.companion.store.frame, rows.listing.order.take(0, 9)
        dies = b.companion.law.dies_at(frame)[order].tolist()
        assert dies == sorted(dies)


async def test_before_memory_is_open_it_says_so(bench: Open) -> None:
    async def never(*_: object) -> None:
        import asyncio

        await asyncio.sleep(3600)

    async with bench(opener=never, wait=False) as b:
        await b.press("f12")
        assert b.app.screen is b.chat and "still being opened" in str(b.chat.alert_box.error)


async def test_an_empty_memory_has_nothing_to_fade(bench: Open) -> None:
    async with bench() as b:
        screen = await opened(b)
        assert "0 of 0 fade, 0 stay" in said(screen, "summary") and "There are no active memories." in b.text()


async def test_what_stays_is_not_listed_under_any_law(bench: Open) -> None:
    async with bench(memory={"law": "naive"}) as b:
        await lived(b)
        screen = await opened(b)
        await b.press("5")
        assert fades(screen).count == 0 and "3 stay" in said(screen, "summary") and "naive" in said(screen, "title")


@pytest.mark.parametrize("size", [WIDE, NARROW, TINY], ids=["120x36", "80x24", "40x12"])
async def test_hostile_words_move_nothing(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b, *HOSTILE)
        screen = await opened(b)
        await b.press("5", "end", "pageup", "home")
        await b.idle()
        text = b.text()
        assert "\x1b" not in text and "\u202e" not in text
        assert fades(screen).count == 6
        assert all(fades(screen).render_line(y).cell_length == fades(screen).size.width - 1 for y in range(3))


async def test_the_mouse_selects_and_opens(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        screen = await opened(b)
        await b.press("5")
        await b.pilot.click(FadeList, offset=(10, 1))
        assert fades(screen).selected == screen._ahead.frame.ids[int(screen._ahead.outlook.rows[1])]  # type: ignore[union-attr]
        await b.pilot.click(FadeList, offset=(10, 1), times=2)
        await b.idle()
        assert isinstance(b.app.screen, CardScreen)


async def test_from_wide_to_narrow(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        screen = await opened(b)
        tokens = screen.query_one("#forecast-tokens")
        assert tokens.display
        await b.pilot.resize_terminal(*TINY)
        assert not tokens.display and fades(screen).size.height >= 1
        await b.pilot.resize_terminal(*WIDE)
        assert tokens.display


async def test_the_palette_finds_it(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await b.press("ctrl+p", *"/forecast")
        await b.until(lambda: "/forecast [30 | 12h | 2w]" in b.text(), "the command")
        await b.press("escape")


# -- pictures ----------------------------------------------------------------------------------------------------------


@SIZES
def test_picture_of_a_forecast(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)

    async def before(pilot: Pilot[int]) -> None:
        await pictured.then("f12", say=False)(pilot)
        await quiet_app(pilot)
        await pilot.press("down")
        await settled(pilot)

    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)
