"""The app on a home of its own, with the real store, a clock that stands, and one offline mind for all tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.chat.companion import Companion
from memtui.chat.opening import open_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.locations import Home, home
from memtui.minds.base import Mind
from memtui.ui.app import MemtuiApp
from memtui.ui.mode import Mode
from memtui.ui.screens.chat_screen import ChatScreen
from memtui.ui.screens.stage import Stage
from memtui.ui.session_log import SessionLog
from tests.doubles import ScriptedMind

NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
WIDE, NARROW, TINY = (120, 36), (80, 24), (40, 12)
_PATIENCE_S = 20.0


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own settings."""
    for name in ("NO_COLOR", "TEXTUAL_THEME", "MEMTUI_HOME", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def own_home(tmp_path: Path) -> Home:
    """A home nobody used before."""
    return home(tmp_path / "home")


@pytest.fixture(scope="session")
def offline() -> Mind:
    """The offline mind, its weights loaded once."""
    from memtui.minds.offline.mind import OfflineMind

    return OfflineMind()


def settings(**sections: Any) -> Settings:
    """Settings as they ship, in UTC and without motion, with some tables changed."""
    sections.setdefault("ui", {"reduced_motion": True})
    return Settings(timezone="UTC", **sections)


def still(app: MemtuiApp) -> MemtuiApp:
    """No blinking and no animation: two pictures of one state are the same."""
    app.animation_level = "none"
    return app


class Bench:
    """One running app and what tests ask of it."""

    def __init__(self, app: MemtuiApp, pilot: Pilot[int]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def stage(self) -> Stage:
        """The stage at the bottom."""
        return next(screen for screen in reversed(self.app.screen_stack) if isinstance(screen, Stage))

    @property
    def chat(self) -> ChatScreen:
        """The own chat."""
        screen = self.app.screen_stack[0]
        assert isinstance(screen, ChatScreen)
        return screen

    @property
    def focus(self) -> str | None:
        """The id of what has the focus."""
        focused = self.app.screen.focused
        return focused.id if focused is not None else None

    @property
    def companion(self) -> Companion:
        """The open companion."""
        assert self.chat.companion is not None
        return self.chat.companion

    async def until(self, true: Callable[[], object], what: str = "it") -> None:
        """Wait until something holds."""
        for _ in range(int(_PATIENCE_S / 0.01)):
            if true():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{what} did not come within {_PATIENCE_S:g} s")

    async def open(self) -> None:
        """Wait for the memory."""
        await self.until(lambda: self.chat.companion is not None, "the companion")
        await self.idle()

    async def idle(self) -> None:
        """Wait until no turn, warp or worker runs."""
        conversation = self.chat.conversation

        def quiet() -> bool:
            workers = [w for w in self.app.workers if w.group not in ("replay", "copy") and not w.is_finished]
            return not (conversation.busy or (conversation.waiting and self.chat.companion) or workers)

        await self.until(quiet, "quiet")
        await self.pilot.pause()

    async def say(self, *texts: str) -> None:
        """Type and send; wait for each reply."""
        for text in texts:
            self.chat.prompt.draft = text
            await self.pilot.press("enter")
            await self.idle()

    async def press(self, *keys: str) -> None:
        """Press keys and let them have their effect."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def text(self) -> str:
        """What stands on the screen."""
        width, height = self.app.size
        rows = [list(strip) for strip in self.app.screen._compositor.render_strips()]
        return "\n".join("".join(segment.text for segment in row) for row in rows[:height]) if width else ""

    def messages(self) -> list[str]:
        """Every message of the transcript, with who says it."""
        return [f"{view.data.role}: {view.data.text or view.data.error}" for view in self.stage.transcript.messages.views]


Open = Callable[..., AbstractAsyncContextManager[Bench]]


@pytest.fixture
def bench(own_home: Home) -> Open:
    """Opens the app: `async with bench(mind, size=…) as b`."""

    @asynccontextmanager
    async def opened(
        mind: Mind | None = None,
        *,
        size: tuple[int, int] = WIDE,
        wait: bool = True,
        clock: SimClock | None = None,
        mode: Mode | None = None,
        opener: Any = None,
        **sections: Any,
    ) -> AsyncIterator[Bench]:
        chosen = settings(**sections)
        thinking = mind or ScriptedMind()

        async def open_here(clock: SimClock, log: SessionLog, session_id: str) -> Companion:
            return await open_companion(chosen, own_home, clock=clock, log=log, session_id=session_id, mind=thinking)

        app = MemtuiApp(
            chosen, own_home, clock=clock or SimClock.frozen(NOW), companion_opener=opener or open_here, mode=mode
        )
        async with still(app).run_test(size=size, notifications=True) as pilot:
            bench = Bench(app, pilot)
            await pilot.pause()
            if wait and mode is None:
                await bench.open()
            try:
                yield bench
            finally:
                for screen in app.screen_stack:
                    if isinstance(screen, Stage):
                        await screen.end()

    return opened
