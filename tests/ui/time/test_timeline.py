"""The slider by keys, wheel and mouse."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from memtui.memory.moments import to_us
from memtui.ui.widgets.timeline import Timeline
from memtui.ui.widgets.timeline_scale import FUTURE_H
from memtui.ui.widgets.timeline_view import Mark, layout
from tests.ui.time.timeline_app import NOW, SLEEPS, TimelineApp

WIDE = (120, 36)


def column(hours: float, width: int = 120) -> int:
    """The column of a moment ahead, in the timeline."""
    place = layout(width, 570.0)
    return place.track_start + place.scale.cell_of(hours)


def lines(timeline: Timeline) -> list[str]:
    return [timeline.render_line(y).text for y in range(timeline.size.height)]


async def drag(pilot: Pilot[None], *columns: int, release: bool = True) -> None:
    """Press at the first column, move over the others, let go."""
    timeline = pilot.app.query_one(Timeline)
    await pilot.mouse_down(timeline, offset=(columns[0], 0))
    for x in columns[1:]:
        await pilot.hover(timeline, offset=(x, 0))
    if release:
        await pilot.mouse_up(timeline, offset=(columns[-1], 0))
    await pilot.pause()


async def settle(pilot: Pilot[None], app: TimelineApp) -> None:
    """Wait until the last place was said."""
    for _ in range(100):
        await pilot.pause(0.01)
        if not app.timeline._unsent:
            break
    await pilot.pause()


async def test_keys_preview_and_enter_commits() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        await pilot.press("right", "right")
        await settle(pilot, app)
        assert app.timeline.hours == pytest.approx(1 / 6)
        assert app.previews[-1] == pytest.approx(1 / 6)
        assert app.commits == []
        await pilot.press("shift+right", "ctrl+right", "pageup")
        assert app.timeline.hours == pytest.approx(25.0)
        await pilot.press("pagedown", "left")
        await settle(pilot, app)
        assert app.timeline.hours == pytest.approx(0.5 + 5 / 12)
        await pilot.press("end", "enter")
        await pilot.pause()
        assert app.commits == [FUTURE_H]
        assert app.timeline.hours == FUTURE_H  # it waits there for the warp


async def test_escape_goes_back_to_now_and_then_belongs_to_others() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        await pilot.press("end", "escape")
        await pilot.pause()
        assert (app.timeline.hours, app.cancels, app.escapes) == (0.0, 1, 0)
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert (app.cancels, app.escapes, app.commits) == (1, 1, [])
        await pilot.press("shift+right", "home", "enter")
        await settle(pilot, app)
        assert app.previews[-1] == 0.0
        assert app.commits == []


@pytest.mark.parametrize(
    ("keys", "hours"),
    [
        ("7", 168.0),
        ("12", 288.0),
        ("9 0 m", 1.5),
        ("3h", 3.0),
        ("2w", 336.0),
        ("2w3", 72.0),
        ("12 backspace", 24.0),
        ("1 backspace", 0.0),
        ("5 right 3", 72.0),
        ("5 x 3", 72.0),
        ("h", 0.0),
        ("999", FUTURE_H),
    ],
)
async def test_time_can_be_typed(keys: str, hours: float) -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        for part in keys.split():
            await pilot.press(*([part] if len(part) > 3 else part))
        await settle(pilot, app)
        assert app.timeline.hours == pytest.approx(hours)


async def test_a_drag_previews_and_letting_go_commits() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        await drag(pilot, column(0), column(1), column(10), column(24), release=False)
        await settle(pilot, app)
        assert app.timeline.hours == 24.0
        assert app.previews[-1] == 24.0
        assert app.commits == []
        await pilot.mouse_up(app.timeline, offset=(column(24), 0))
        await pilot.pause()
        assert app.commits == [24.0]
        assert app.mouse_captured is None


async def test_a_click_on_a_tick_commits_the_tick_itself() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.click(app.timeline, offset=(column(168), 1))
        await pilot.pause()
        assert app.commits == [168.0]


async def test_a_drag_into_the_past_looks_back_and_stays_there() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        await drag(pilot, column(24), column(0) - 5, column(0) - 9, release=False)
        await settle(pilot, app)
        assert app.looks[-1][1]  # still held
        assert app.timeline.has_class("-past")
        await pilot.mouse_up(app.timeline, offset=(column(0) - 9, 0))
        await pilot.pause()
        assert app.looks[-1] == (app.timeline.then_us, False)
        assert app.timeline.hours < 0
        assert (app.commits, app.cancels) == ([], 0)
        await pilot.click(app.timeline, offset=(column(0), 0))
        await pilot.pause()
        assert (app.timeline.hours, app.timeline.then_us, app.cancels) == (0.0, None, 1)
        assert not app.timeline.has_class("-past")


async def test_a_click_on_a_mark_means_its_last_moment() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        place = layout(120, 570.0)
        track = lines(app.timeline)[0]
        cell = next(x for x in range(place.track_start, place.track_start + place.scale.past_cells) if track[x] == "z")
        await pilot.click(app.timeline, offset=(cell, 0))
        await pilot.pause()
        assert app.timeline.then_us in SLEEPS
        assert app.looks[-1] == (app.timeline.then_us, False)


async def test_keys_go_into_the_past_and_back() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        await pilot.press("left")
        await settle(pilot, app)
        assert app.looks == [(to_us(NOW - timedelta(minutes=5)), False)]
        await pilot.press("shift+left", "shift+left", "pagedown")
        assert app.timeline.hours == pytest.approx(-25.0)
        await pilot.press("minus", "3", "d")
        await settle(pilot, app)
        assert app.looks[-1] == (to_us(NOW - timedelta(days=3)), False)
        track = lines(app.timeline)[0]
        assert "3d ago  esc now" in track
        assert "┫" in track and "◉" in track and "━━━" in track.split("◉")[1].split("┫")[0]
        app.timeline.set_outcome(31, 4)
        await pilot.pause()
        assert "31 active, 4 retired" in lines(app.timeline)[1]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.said[-1], Timeline.GoBackRefused)
        assert app.timeline.hours == -72.0
        await pilot.press("escape")
        await pilot.pause()
        assert (app.timeline.hours, app.cancels, app.escapes, app.commits) == (0.0, 1, 0, [])
        await pilot.press("left", "home")
        await settle(pilot, app)
        assert app.previews[-1] == 0.0
        assert "31 active" not in lines(app.timeline)[1]


async def test_up_and_down_go_from_one_thing_that_happened_to_the_next() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        happened = [to_us(NOW - timedelta(hours=h)) for h in (90, 30, 2)]
        app.timeline.set_past(NOW, {Mark.TURN: happened[:1]}, happened)
        app.timeline.focus()
        seen = []
        for key in ("down", "down", "down", "down", "up", "up", "up", "up"):
            await pilot.press(key)
            seen.append(app.timeline.then_us)
        assert seen == [happened[2], happened[1], happened[0], happened[0], happened[1], happened[2], None, None]
        await pilot.press("right", "down")  # ahead there is nothing yet
        assert app.timeline.hours > 0


async def test_the_moment_stands_while_time_goes_on() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        await pilot.press("minus", "1", "d")
        then = app.timeline.then_us
        app.timeline.set_now(NOW + timedelta(hours=5))
        assert app.timeline.then_us == then
        assert app.timeline.hours == pytest.approx(-29.0)
        app.timeline.set_hours(0.0)
        assert app.timeline.then_us is None


async def test_without_a_past_there_is_nothing_to_look_back_at() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.set_past(NOW, {})
        app.timeline.focus()
        await pilot.press("left", "shift+left", "pagedown", "down", "minus", "3")
        await pilot.pause()
        assert (app.timeline.hours, app.looks) == (0.0, [])
        await drag(pilot, column(0), column(0) - 9)
        assert app.looks == []


async def test_the_field_is_the_way_back() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        await pilot.press("left")
        await pilot.click(app.timeline, offset=(100, 0))
        await pilot.pause()
        assert (app.timeline.hours, app.cancels) == (0.0, 1)


async def test_a_drag_past_either_end_stands_at_the_end() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        await drag(pilot, column(24), 119)
        assert app.commits == [FUTURE_H]


async def test_escape_in_mid_drag_lets_the_mouse_go() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        await drag(pilot, column(0), column(24), release=False)
        await pilot.press("escape")
        await pilot.mouse_up(app.timeline, offset=(column(24), 0))
        await pilot.pause()
        assert app.mouse_captured is None
        assert app.commits == []
        assert app.timeline.hours == 0.0


async def test_the_field_at_the_right_is_a_button_only_while_previewing() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.click(app.timeline, offset=(110, 0))
        assert app.said == []
        app.timeline.focus()
        await pilot.press("3")
        await pilot.click(app.timeline, offset=(100, 0))
        await pilot.pause()
        assert app.commits == [72.0]


async def test_the_wheel_previews_and_leaves_the_focus_alone() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        focused = app.focused

        def wheel(kind: type[events.MouseEvent], *, shift: bool = False) -> Any:
            return kind(app.timeline, 5, 0, 0, 0, 0, shift, False, False)

        app.timeline.post_message(wheel(events.MouseScrollUp))
        app.timeline.post_message(wheel(events.MouseScrollUp, shift=True))
        app.timeline.post_message(wheel(events.MouseScrollUp))
        await pilot.pause()
        assert app.timeline.hours == pytest.approx(0.5 + 1 / 12)
        app.timeline.post_message(wheel(events.MouseScrollDown))
        await settle(pilot, app)
        assert app.timeline.hours == pytest.approx(0.5)
        assert app.previews[-1] == pytest.approx(0.5)
        assert app.commits == []
        assert app.focused is focused


async def test_setting_it_in_code_says_nothing() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.set_hours(76.0)
        app.timeline.set_outcome(12, 30)
        app.timeline.set_now(NOW + timedelta(hours=1))
        await pilot.pause()
        track, labels = lines(app.timeline)
        assert "preview +3d 4h" in track
        assert "12 fade, 30 stay" in labels
        app.timeline.set_hours(-5)
        assert app.timeline.hours == 0.0
        app.timeline.set_hours(1e9)
        assert app.timeline.hours == FUTURE_H
        assert app.said == []


async def test_a_running_warp_shows_how_far_it_is_and_can_only_be_stopped() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        app.timeline.focus()
        app.timeline.set_hours(720.0)
        app.timeline.show_warp(0.42, "night 12 of 30 [red]\n\x07")
        await pilot.press("right", "3", "end", "enter")
        await pilot.click(app.timeline, offset=(column(24), 0))
        await pilot.pause()
        assert app.said == []
        track, labels = lines(app.timeline)
        assert "going +30d 42%" in track
        assert "esc stops" in track
        assert "▶━" in track
        assert "night 12 of 30 [red]" in labels
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.said[-1], Timeline.CancelRequested)
        app.timeline.end_warp()
        assert app.timeline.hours == 0.0


async def test_previews_are_paced_and_the_last_place_is_always_said() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        timeline = app.timeline
        for x in range(column(0), column(720)):
            timeline._drag_to(x)
        await settle(pilot, app)
        assert app.previews[-1] == timeline.hours
        assert len(app.previews) <= 4  # one at once, one when the pace allows, and slack for a slow machine


@pytest.mark.parametrize(("size", "height"), [((120, 36), 2), ((80, 24), 1), ((40, 12), 1), ((20, 6), 1), ((3, 3), 1)])
async def test_it_fits_every_terminal(size: tuple[int, int], height: int) -> None:
    app = TimelineApp()
    async with app.run_test(size=size) as pilot:
        timeline = app.timeline
        timeline.set_hours(76.0)
        timeline.set_outcome(123_456, 99_999_999)
        await pilot.pause()
        assert timeline.size.height == height
        for y in range(height):
            assert timeline.render_line(y).cell_length == timeline.size.width
        assert "●" in lines(timeline)[0] or size[0] < 10


async def test_a_forecast_is_a_third_line_that_never_rises() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        timeline = app.timeline
        timeline.set_forecast([to_us(NOW + timedelta(hours=h)) for h in (5, 30, 100, 300, 600)] + [2**62])
        await pilot.pause()
        assert timeline.size.height == 3
        curve = [character for character in lines(timeline)[0] if character in "▁▂▃▄▅▆▇█"]
        assert curve == sorted(curve, reverse=True)
        assert len(set(curve)) >= 4
        timeline.set_forecast(None)
        await pilot.pause()
        assert timeline.size.height == 2


async def test_the_past_shows_turns_and_sleeps() -> None:
    app = TimelineApp()
    async with app.run_test(size=WIDE) as pilot:
        past = lines(app.timeline)[0].split("●")[0]
        assert past.count("z") >= 3
        assert past.count("·") >= 5
        app.timeline.set_past(NOW, {Mark.SLEEP: SLEEPS[:1], Mark.RETIREMENT: [to_us(NOW) - 5], Mark.RECALL: []})
        await pilot.pause()
        past = lines(app.timeline)[0].split("●")[0]
        assert past.count("z") == 1
        assert past.endswith("×")
        app.timeline.set_past(NOW, {})
        await pilot.pause()
        assert not set(lines(app.timeline)[0].split("●")[0]) & set("·z×")
