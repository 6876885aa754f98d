"""Pictures of the time room. Look at them after a change: `pytest tests/ui/time/test_time_pictures.py --snapshot-update`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.chat.steps import SleepReport
from memtui.errors import MindRefusedError
from memtui.memory.model import Kind
from memtui.memory.moments import to_us
from memtui.ui.screens.confirm_screen import ConfirmScreen
from memtui.ui.screens.edit_memory_screen import EditMemoryScreen
from memtui.ui.screens.error_screen import ErrorScreen
from memtui.ui.screens.sleep_screen import SleepScreen
from memtui.ui.widgets.clock_line import ClockLine, ClockState
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.timeline import Timeline
from memtui.ui.widgets.timeline_view import Mark
from tests.ui.time.sleep_sample import NIGHT, faded_night, frame_of, plan_of, quiet_night
from tests.ui.time.timeline_app import NOW, SLEEPS, THEMES, TURNS, Themed

WIDE = (120, 36)
NARROW = (80, 24)
SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])
Compare = Callable[..., bool]
DIES = [to_us(NOW + timedelta(hours=hours)) for hours in range(4, 900, 17)] + [2**62] * 12
HINTS = (
    KeyHint("ctrl+l", "sleep", "sleep", 1),
    KeyHint("ctrl+t", "time", "time", 1),
    KeyHint("ctrl+e", "memory", "memory", 1),
    KeyHint("f5", "pause", "pause"),
    KeyHint("ctrl+r", "sessions", "sessions"),
    KeyHint("f1", "help", "help", 1),
    KeyHint("ctrl+p", "commands", "commands"),
)


@pytest.fixture(autouse=True)
def plain_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("NO_COLOR", "TEXTUAL_THEME", "COLORTERM"):
        monkeypatch.delenv(variable, raising=False)


class Room(Themed):
    """Every state of the three lines, one below the other."""

    CSS = Themed.CSS + "#sky { height: 1fr; } Timeline, ClockLine { margin-bottom: 1; }"

    def compose(self) -> ComposeResult:
        for place in range(3):
            yield ClockLine(id=f"clock-{place}")
        yield Static(id="sky")
        for place in range(5):
            yield Timeline(id=f"time-{place}")
        yield KeyLine(HINTS)

    def on_mount(self) -> None:
        super().on_mount()
        clocks = [self.query_one(f"#clock-{place}", ClockLine) for place in range(3)]
        state = ClockState(title="Berlin to Lisbon", now=NOW, day=24, mind="offline mind", tokens=121)
        clocks[0].show(state)
        clocks[1].show(
            ClockState(
                "Berlin to Lisbon", NOW, day=24, rate=3600, real=False, ahead_hours=300, mind="offline mind", tokens=121
            )
        )
        clocks[2].show(
            ClockState("Allergy", NOW, day=24, rate=0, real=False, mind="qwen-max", seen=NOW + timedelta(hours=76), tokens=9)
        )
        lines = [self.query_one(f"#time-{place}", Timeline) for place in range(5)]
        for line in lines:
            line.set_past(NOW, {Mark.TURN: TURNS, Mark.SLEEP: SLEEPS})
        lines[1].set_hours(76)
        lines[1].set_outcome(12, 30)
        lines[2].set_hours(720)
        lines[2].show_warp(0.42, "night 12 of 30")
        lines[3].set_forecast(DIES)
        lines[3].set_hours(200)
        lines[3].set_outcome(14, 51)
        lines[4].set_hours(6)
        lines[4].set_outcome(0, 42)
        lines[4].focus()


@SIZES
def test_the_lines_of_time(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(Room(), terminal_size=size)


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_the_lines_in_every_theme(snap_compare: Compare, theme: str) -> None:
    assert snap_compare(Room(theme), terminal_size=(100, 22))


def on_top(screen: ModalScreen[Any], then: Callable[[Pilot[None]], Awaitable[None]] | None = None) -> Any:
    """Open `screen`, and go on from there."""

    async def run(pilot: Pilot[None]) -> None:
        pilot.app.push_screen(screen)
        await pilot.pause()
        if then is not None:
            await then(pilot)
        await pilot.pause()

    return run


def app() -> App[None]:
    return Themed()


@SIZES
@pytest.mark.parametrize("state", ["planning", "review", "done", "quiet", "many"])
def test_sleep(snap_compare: Compare, state: str, size: tuple[int, int]) -> None:
    screen = SleepScreen(subtitle="nightly")

    async def then(pilot: Pilot[None]) -> None:
        if state == "planning":
            screen.set_progress(0.42, "judging 12 of 40 pairs")
            return
        frame = frame_of()
        plan = plan_of(frame)
        if state == "quiet":
            frame, plan = quiet_night()
        if state == "many":
            frame, plan = faded_night(300)
        screen.show_plan(plan, frame, tokens=3410, seconds=4.23)
        await pilot.pause()
        if state in ("review", "many"):
            await pilot.press("space", "down")
        if state == "done":
            await pilot.press("2", "space", "enter")
            await pilot.pause()
            screen.show_report(SleepReport(plan.without(frozenset({"supersede:mem00003"})), NIGHT, "block"))

    assert snap_compare(app(), terminal_size=size, run_before=on_top(screen, then))


@SIZES
def test_error(snap_compare: Compare, size: tuple[int, int]) -> None:
    error = MindRefusedError(
        "The endpoint refused the key (401).",
        safe="Your turn is kept; nothing was lost.",
        todo="Set OPENAI_API_KEY and press f8 to ask again.",
    )
    detail = '{"error": {"message": "[red]Incorrect API key[/] provided"}}\n' + "\n".join(f"line {n}" for n in range(30))
    assert snap_compare(app(), terminal_size=size, run_before=on_top(ErrorScreen.of(error, detail)))


@SIZES
def test_confirm(snap_compare: Compare, size: tuple[int, int]) -> None:
    detail = "“I just moved to Lisbon.” leaves recall at once. It stays in the Retired tab and can be restored."
    screen = ConfirmScreen("Forget m31?", detail, yes="forget it", no="keep it", danger=True)
    assert snap_compare(app(), terminal_size=size, run_before=on_top(screen))


@SIZES
def test_edit(snap_compare: Compare, size: tuple[int, int]) -> None:
    screen = EditMemoryScreen("I just moved to Lisbon. Berlin didn't work out.", Kind.SEMANTIC, 0.9, handle="m31")
    assert snap_compare(app(), terminal_size=size, run_before=on_top(screen))
