"""The app: themes, keys, copying, notices, and how it begins and ends. What is on the screen is the screens' business."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import App
from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.worker import Worker, WorkerState

from memtui.clock import SimClock, zone
from memtui.errors import MemtuiError
from memtui.locations import Home
from memtui.memory.texts import clean
from memtui.ui.actions import bindings_for, keymap_of
from memtui.ui.clipboard import LONGEST_OSC, copy_locally, outcome
from memtui.ui.farewell import on_signals
from memtui.ui.mode import Mode
from memtui.ui.palette import MemtuiCommands
from memtui.ui.start import SettingsAtHand
from memtui.ui.theming import Theming
from memtui.ui.ui_state import read_ui_state, write_ui_state
from memtui.ui.widgets.memory_bars import derived_defaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from memtui.chat.companion import Companion
    from memtui.config import Settings
    from memtui.ui.conversation import Opener
    from memtui.ui.farewell import Deadline
    from memtui.ui.session_log import SessionLog


class MemtuiApp(App[int]):
    """memtui on a terminal. Nothing heavy is imported before its first screen stands.

    Attributes:
        home, clock: where everything the user owns is; the simulated clock of the own chat.
        opener, tz: opens the companion, once the screen stands; the zone times are shown in.
        start, state: the settings the first paint needs; what the screen remembers between two runs.
        deadline: ends the process if leaving hangs; set by whoever owns the process.
    """

    CSS_PATH = "app.tcss"
    TITLE = "memtui"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("app")]
    COMMANDS: ClassVar[set[Any]] = {MemtuiCommands}

    def __init__(
        self,
        settings: Settings | Callable[[], Settings],
        home: Home,
        *,
        clock: SimClock | None = None,
        companion_opener: Opener | None = None,
        mode: Mode | None = None,
        theme: str | None = None,
    ) -> None:
        """Args:
        settings: the settings, or what reads them once the screen stands.
        theme: colours for this run only.

        Raises:
            ConfigError: the settings can't be used.
        """
        super().__init__()
        self.home = home
        self.clock = clock or SimClock()
        self.opener: Opener = companion_opener or self._open_companion
        self.mode = mode or Mode()
        self.state = read_ui_state(home.ui_state)
        kept = {"fingerprint": self.state.fingerprint, "start": self.state.start}
        self._at_hand = SettingsAtHand(settings, home.settings_file, kept)
        self.start = self._at_hand.start
        self.state = replace(self.state, fingerprint=self._at_hand.print_now, start=asdict(self.start))
        self.tz: tzinfo = zone(self.start.timezone)
        self.deadline: Deadline | None = None
        self._leaving = False
        keys, self._problems = keymap_of(self.start.keys)
        self.set_keymap(keys)
        if self.start.reduced_motion:
            self.animation_level = "none"
        wanted = theme or ("" if self.start.theme_set else self.state.theme) or self.start.theme
        self._theming = Theming(self, home.themes, wanted)
        self._problems += self._theming.take_first()

    @property
    def settings(self) -> Settings:
        """All settings.

        Raises:
            ConfigError: they can't be used.
        """
        return self._at_hand.all()

    def remember(self, **changes: str | float) -> None:
        """Keep a choice for the next run."""
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]
        write_ui_state(self.home.ui_state, self.state)

    def load_all_themes(self) -> None:
        """Take in all themes; what of the user's own can't be used is named in one notice."""
        self._problems += self._theming.load_all()
        problems, self._problems = self._problems, []
        if problems:
            message = "\n".join(problems)
            self.call_later(self.say, message, title="Some settings can't be used", severity="warning", timeout=12)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """memtui's own colours for themes that do not name them (those that come with Textual)."""
        return derived_defaults(self.current_theme)

    def get_default_screen(self) -> Screen[None]:
        """The own chat, or the replay of a file."""
        if self.mode.replay is not None:
            from memtui.ui.screens.replay_screen import ReplayScreen

            return ReplayScreen(self.mode.replay, self.mode.speed, alone=True)
        from memtui.ui.screens.chat_screen import ChatScreen

        return ChatScreen()

    def on_mount(self) -> None:
        """Listen for the end."""
        on_signals(self.leave)

    async def _open_companion(self, clock: SimClock, log: SessionLog, session_id: str) -> Companion:
        from memtui.chat.opening import open_companion

        return await open_companion(self.settings, self.home, clock=clock, log=log, session_id=session_id)

    # -- telling the person ----------------------------------------------------------------------------------------

    def say(
        self, text: str, *, title: str = "", severity: SeverityLevel = "information", timeout: float | None = None
    ) -> None:
        """A notice for a few seconds. Nothing in it is markup."""
        self.notify(clean(text), title=title, severity=severity, timeout=timeout, markup=False)

    def tell(self, error: MemtuiError) -> None:
        """Show an error where the person is: in the chat it stays, elsewhere it is a notice."""
        from memtui.ui.screens.stage import Stage

        stage = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Stage)), None)
        if stage is not None:
            stage.alert(error)
        if stage is not self.screen:
            self.say(str(error), title=error.title, severity="error", timeout=12)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker of the app could not do."""
        self.worker_changed(event)

    def worker_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told; what is no error of ours is a bug and ends the program loudly.

        These events do not bubble: each screen that has workers hands its own on.
        """
        if event.state is not WorkerState.ERROR or event.worker.error is None:
            return
        error = event.worker.error
        if isinstance(error, MemtuiError):
            self.tell(error)
        else:
            self.crash(error)

    def crash(self, error: BaseException) -> None:
        """End with a traceback: a bug that is hidden is never mended."""
        self._handle_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))

    # -- copying ---------------------------------------------------------------------------------------------------

    def copy_to_clipboard(self, text: str) -> None:
        """Copy `text`, and say what is known to have happened to it."""
        text = clean(text)
        if text:
            fits = len(text) <= LONGEST_OSC
            if fits:
                super().copy_to_clipboard(text)
            else:
                self._clipboard = text
            self._copy(text, fits)

    @work(exclusive=True, group="copy", exit_on_error=False)
    async def _copy(self, text: str, sent: bool) -> None:
        tool = await asyncio.to_thread(copy_locally, text)
        self.say(outcome(len(text), sent, tool), timeout=3)

    def action_copy(self) -> None:
        """Nothing is selected, or whoever has the focus would have copied it: say how to leave."""
        self.say("Nothing is selected to copy. ctrl+q leaves; everything is kept.", timeout=3)

    # -- keys and help ---------------------------------------------------------------------------------------------

    def keymap_keys(self, action_id: str, default: str) -> str:
        """The keys an action has now."""
        return self._keymap.get(action_id, default)

    async def action_help(self) -> None:
        """Keys and commands; the key again closes them."""
        from memtui.ui.screens.help_screen import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
            return
        from memtui.ui.screens.stage import Stage

        stage = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Stage)), None)
        places, widgets = (stage.places, stage.keyed_widgets()) if stage is not None else (("app",), [])
        await self.push_screen(HelpScreen(places, widgets))

    def set_theme(self, name: str) -> bool:
        """Change the colours; False when there is no such theme."""
        self.load_all_themes()
        if name not in self.available_themes:
            return False
        self.theme = name
        return True

    # -- ending ----------------------------------------------------------------------------------------------------

    async def action_quit(self) -> None:
        """Leave; everything is kept."""
        self.leave(0)

    def leave(self, code: int = 0) -> None:
        """End what runs, close store and session, give the terminal back; done within seconds whatever hangs."""
        if self._leaving:
            return
        self._leaving = True
        if self.deadline is not None:
            self.deadline.start(code)
        self._close_stages(code)

    @work(exclusive=True, group="leave", exit_on_error=False)
    async def _close_stages(self, code: int) -> None:
        from memtui.ui.screens.stage import Stage

        stages = [screen for screen in self.screen_stack if isinstance(screen, Stage)]
        await asyncio.gather(*(stage.end() for stage in stages), return_exceptions=True)
        self.exit(code, return_code=code)
