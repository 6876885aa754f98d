"""Pictures of the whole screen. Look at them after a change: `pytest tests/ui/app/test_snapshots.py --snapshot-update`.

README shows `test_after_some_turns`, so what it shows stays true.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.errors import MindUnreachableError
from memtui.locations import Home, sample_sessions
from memtui.minds.recorded import RecordedMind
from memtui.sessions.lines import Session
from memtui.ui.app import MemtuiApp
from memtui.ui.mode import Mode
from memtui.ui.screens.chat_screen import ChatScreen
from memtui.ui.screens.replay_screen import ReplayScreen
from memtui.ui.session_log import SessionLog
from tests.ui.app.conftest import NARROW, TINY, WIDE, settings, still
from tests.ui.app.story import NOW, REPLIES, Storyteller, told_companion

Compare = Callable[..., bool]
Before = Callable[[Pilot[int]], Awaitable[None]]
SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])


class Pictured:
    """The app over the story, and the way to a state of it."""

    def __init__(self, tmp_path: Path) -> None:
        self.mind = Storyteller()
        self.settings = settings()
        self.home = Home(data=tmp_path, config=Path("/home/you/.config/memtui"), logs=tmp_path)

    def app(self, mode: Mode | None = None, *, told: bool = True) -> MemtuiApp:
        """The app, not yet run."""

        async def opener(clock: SimClock, log: SessionLog, session_id: str) -> Companion:
            companion = await told_companion(self.settings, self.mind)
            companion.log = log
            return companion

        async def never(clock: SimClock, log: SessionLog, session_id: str) -> Companion:
            await asyncio.sleep(3600)
            raise AssertionError

        app = MemtuiApp(
            self.settings,
            self.home,
            clock=SimClock(wall=lambda: NOW),
            companion_opener=opener if told else never,
            mode=mode,
        )
        return still(app)

    def then(self, *keys: str, say: bool = True) -> Before:
        """Wait for the memory, say the story's last turns, press keys, and wait until nothing changes any more."""

        async def before(pilot: Pilot[int]) -> None:
            chat = pilot.app.screen
            assert isinstance(chat, ChatScreen)
            chat.prompt.cursor_blink = False
            await opened(chat)
            for text in REPLIES if say else ():
                self.mind.will_reply(text)
                chat.prompt.draft = text
                await pilot.press("enter")
                await quiet(chat)
            for key in keys:
                await pilot.press(key)
                await quiet(chat)
            await settled(pilot)

        return before


async def opened(chat: ChatScreen) -> None:
    for _ in range(2000):
        if chat.companion is not None:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("memory does not open")


async def quiet(chat: ChatScreen) -> None:
    for _ in range(2000):
        if not chat.busy and all(worker.is_finished for worker in chat.workers):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it is never quiet")


async def settled(pilot: Pilot[int]) -> None:
    before = ""
    for _ in range(60):
        await pilot.pause()
        now = pilot.app.export_screenshot()
        if now == before:
            return
        before = now
        await asyncio.sleep(0.05)


@pytest.fixture
def pictured(tmp_path: Path) -> Pictured:
    return Pictured(tmp_path)


@SIZES
def test_welcome(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    assert snap_compare(pictured.app(told=False), terminal_size=size, run_before=settled)


def test_after_some_turns(snap_compare: Compare, pictured: Pictured) -> None:
    assert snap_compare(pictured.app(), terminal_size=WIDE, run_before=pictured.then())


@pytest.mark.parametrize("size", [NARROW, TINY], ids=["80x24", "40x12"])
def test_after_some_turns_on_less(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured.then())


@SIZES
def test_looking_ahead(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured.then("ctrl+t", "9"))


@SIZES
def test_the_sleep_report(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[int]) -> None:
        chat = pilot.app.screen
        assert isinstance(chat, ChatScreen)
        chat.sleeping.seconds = lambda: 0.0  # real time: no two pictures would be the same
        await pictured.then("ctrl+l", "enter")(pilot)

    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)


@SIZES
def test_the_retired_tab(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    keys = ("ctrl+t", "9", "enter", "ctrl+e", "tab")
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured.then(*keys))


@SIZES
def test_the_help(snap_compare: Compare, pictured: Pictured, size: tuple[int, int]) -> None:
    assert snap_compare(pictured.app(told=False), terminal_size=size, run_before=helped)


async def helped(pilot: Pilot[int]) -> None:
    await pilot.press("f1")
    await settled(pilot)


def test_an_error(snap_compare: Compare, pictured: Pictured) -> None:
    async def before(pilot: Pilot[int]) -> None:
        await pictured.then(say=False)(pilot)
        chat = pilot.app.screen
        assert isinstance(chat, ChatScreen)
        problem = MindUnreachableError(
            "http://localhost:11434/v1 does not answer.", safe="What you said is kept.", todo="Start Ollama, then /retry."
        )
        pictured.mind.replies = [["Let me ", problem]]
        chat.prompt.draft = "Anyone there?"
        await pilot.press("enter")
        await quiet(chat)
        await settled(pilot)

    assert snap_compare(pictured.app(), terminal_size=WIDE, run_before=before)


def test_a_replay(snap_compare: Compare, pictured: Pictured, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scripted(session: Session, clock: SimClock) -> Companion:
        return scratch_companion(pictured.settings, clock, RecordedMind(session.mind_calls, pictured.mind))

    monkeypatch.setattr("memtui.sessions.replay.replay_companion", scripted)

    async def before(pilot: Pilot[int]) -> None:
        replay = pilot.app.screen
        assert isinstance(replay, ReplayScreen)
        for _ in range(2000):
            if replay.player is not None and replay.companion is not None:
                break
            await asyncio.sleep(0.01)
        assert replay.player is not None
        replay.action_play_pause()
        replay.seek_to(9)
        for _ in range(2000):
            if replay.bar.state.position == 9:
                break
            await asyncio.sleep(0.01)
        await settled(pilot)

    mode = Mode(replay=sample_sessions() / "tour.jsonl", speed=0.01)
    assert snap_compare(pictured.app(mode), terminal_size=WIDE, run_before=before)
