"""Slash commands on the chat screen: those of memory run as everywhere, the screen's own are done here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.chat.commands import COMMANDS, parse_command, parse_duration, run_command
from memtui.errors import InputError, MemtuiError, ReadOnlyError
from memtui.locations import sample_sessions
from memtui.memory.texts import one_line
from memtui.ui.screens.stage_survival import open_survival
from memtui.ui.screens.stage_whatif import open_what_if
from memtui.ui.widgets.memory_order import SORTS

if TYPE_CHECKING:
    from memtui.ui.screens.chat_screen import ChatScreen

Runner = Callable[[str], Awaitable[str | None]]
"""Does a command with its argument; returns what to say, if anything."""


class ChatCommands:
    """Runs a `/…` line. What can't be done is told and the line goes back into the prompt."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._own: dict[str, Runner] = {
            "sessions": self._sessions,
            "new": self._new,
            "replay": self._replay,
            "sort": self._sort,
            "theme": self._theme,
            "tour": self._tour,
            "retry": self._retry,
            "export": screen.chats.export,
            "help": self._help,
            "quit": self._quit,
            "sleep": self._sleep,
            "warp": self._warp,
            "rate": self._rate,
            "whatif": self._what_if,
            "learn": screen.skills.learn,
            "survival": self._survival,
            "regret": self._regret,
            "forecast": self._forecast,
        }

    async def run(self, line: str) -> None:
        """Run a line."""
        screen = self._screen
        try:
            command, argument = parse_command(line)
            screen.back.refuse_command(command.name)
            if command.name in self._own:
                said = await self._own[command.name](argument)
            else:
                said = await self._on_memory(command.name, line, argument)
        except MemtuiError as error:
            if isinstance(error, InputError | ReadOnlyError) and not screen.prompt.draft:
                screen.prompt.draft = line
            screen.alert(error if error.todo else InputError(error.what, safe=error.safe, todo="/help lists the commands."))
            return
        screen.alert_box.dismiss()
        if said:
            screen.chats.leave_welcome()
            screen.transcript.notice(line.removeprefix("/"), "command")
            screen.transcript.notice(said)

    def take(self, line: str) -> None:
        """Run a command chosen by name, or put it into the prompt where it needs an argument."""
        command = next((c for c in COMMANDS if f"/{c.name}" == line), None)
        if command is not None and command.arguments:
            self._screen.prompt.draft = f"{line} "
            self._screen.prompt.focus()
        else:
            self._screen.work(self.run(line), "command")

    async def _on_memory(self, name: str, line: str, argument: str) -> str | None:
        screen, companion = self._screen, self._screen.companion
        if companion is None:
            raise InputError("Memory is still being opened.", todo="Try again in a moment.")
        if name == "recall" and screen.past.then is not None:
            return await screen.back.recall(argument)
        if name == "edit" and argument and " " not in argument:
            screen.memories.edit(companion.resolve(argument))
            return None
        if screen.busy and name != "recall":
            screen.memtui.say("This waits for the reply to end; escape stops it.", timeout=3)
        result = await run_command(companion, line)
        screen.memories.changed(companion)
        if isinstance(result.report, str) and result.report in companion.store.frame:
            screen.panel.select(result.report)
        return result.text

    # -- the screen's own ------------------------------------------------------------------------------------------

    async def _sessions(self, _: str) -> None:
        self._screen.action_sessions()

    async def _new(self, _: str) -> None:
        await self._screen.chats.new()

    async def _sleep(self, _: str) -> None:
        self._screen.sleeping.begin()

    async def _help(self, _: str) -> None:
        await self._screen.memtui.action_help()

    async def _quit(self, _: str) -> None:
        self._screen.memtui.leave(0)

    async def _warp(self, argument: str) -> None:
        hours = parse_duration(argument).total_seconds() / 3600
        self._screen.work(self._screen.warp(hours), "warp")

    async def _what_if(self, argument: str) -> None:
        from memtui.chat.changes import parse_changes  # brings the settings, which a first paint does without

        open_what_if(self._screen, parse_changes(argument.split()))

    async def _survival(self, argument: str) -> None:
        open_survival(self._screen, argument)

    async def _regret(self, _: str) -> None:
        self._screen.regret.open()

    async def _forecast(self, argument: str) -> None:
        self._screen.forecast.begin(argument)

    async def _rate(self, argument: str) -> str:
        try:
            rate = float(argument.lower().removesuffix("x"))
        except ValueError:
            rate = -1.0
        if not 0 <= rate <= 86_400:
            raise InputError(f"'{one_line(argument, 20)}' is no rate.", todo="Write 0, 1, 60 or 3600.")
        self._screen.set_rate(rate)
        return "Time stands still." if rate == 0 else f"Time runs at {rate:g}x."

    async def _sort(self, argument: str) -> None:
        name = argument.lower()
        if name not in SORTS:
            raise InputError(f"'{one_line(argument, 20)}' is no order.", todo=f"Choose one of {', '.join(SORTS)}.")
        self._screen.panel.sort_by(name)
        self._screen.memtui.remember(sort=name)

    async def _theme(self, argument: str) -> str | None:
        app = self._screen.memtui
        app.load_all_themes()
        if not argument:
            return f"Colours: {', '.join(sorted(app.available_themes))}. Now: {app.theme}."
        if not app.set_theme(argument):
            near = [name for name in sorted(app.available_themes) if argument.lower() in name.lower()]
            todo = f"Did you mean {', '.join(near[:4])}?" if near else "/theme without a name lists them."
            raise InputError(f"There is no theme '{one_line(argument, 30)}'.", todo=todo)
        self._screen.memtui.remember(theme=argument)
        return None

    async def _retry(self, _: str) -> None:
        conversation = self._screen.conversation
        if conversation.companion is None and not conversation.opening:
            self._screen.begin()
        else:
            conversation.retry()

    async def _tour(self, _: str) -> None:
        await self._play(sample_sessions() / "tour.jsonl")

    async def _replay(self, argument: str) -> None:
        if not argument:
            raise InputError("/replay needs a FILE.", todo="Name a session file, or a sample such as berlin-to-lisbon.")
        file = session_file(argument, self._screen.memtui.home.sessions)
        if file is None:
            raise InputError(f"There is no session file '{one_line(argument, 60)}'.", todo="/sessions lists your own.")
        await self._play(file)

    async def _play(self, file: Path) -> None:
        from memtui.sessions.format import read_session
        from memtui.ui.screens.replay_screen import ReplayScreen

        read_session(file)  # what is wrong with it is said before the screen opens
        await self._screen.app.push_screen(ReplayScreen(file, 1.0))


def session_file(name: str, sessions: Path) -> Path | None:
    """The file meant by a path, a sample's name or the name of a recorded chat; None if there is none."""
    places = (Path(name).expanduser(), sample_sessions() / name, sessions / name)
    files = [place.with_name(place.name + end) for place in places if place.name for end in ("", ".jsonl")]
    return next((file for file in files if file.is_file()), None)
