"""Other chats on the chat screen: the welcome, the list, a new one, an earlier one, writing one out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import InputError, MemtuiError
from memtui.sessions.turn_texts import TurnTexts
from memtui.ui.screens.welcome import welcome_lines
from memtui.ui.widgets.prompt_history import PromptHistory

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memtui.ui.screens.chat_screen import ChatScreen


class ChatSessions:
    """Which chat is open, and how one gets to another."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._welcoming = False
        self._texts: TurnTexts | None = None

    def turn_texts(self, turns: Collection[str]) -> Mapping[str, str]:
        """The words of user turns by id, from all chats that are kept; reads files."""
        if self._texts is None:
            self._texts = TurnTexts(self._screen.memtui.home.sessions)
        return self._texts(turns)

    def welcome(self, remembered: int) -> None:
        """Say what this is, while nothing was said yet; `remembered` memories are there."""
        screen = self._screen
        if not screen.transcript.is_empty and not self._welcoming:
            return
        home = screen.memtui.home
        lines = welcome_lines(
            offline=screen.memtui.start.provider == "offline",
            label=screen.mind_label,
            settings_file=str(home.settings_file),
            remembered=remembered,
            chats=_any_chat(home.sessions),
        )
        screen.transcript.clear()
        for line in lines:
            screen.transcript.notice(line)
        self._welcoming = True

    def leave_welcome(self) -> None:
        """Something is being said."""
        if self._welcoming:
            self._welcoming = False
            self._screen.transcript.clear()

    async def fill_prompt_history(self) -> None:
        """What was said in the last chat can be had again with the up key."""
        texts = await asyncio.to_thread(_last_texts, self._screen.memtui.home.sessions)
        past = self._screen.prompt.past
        if texts:
            self._screen.prompt.past = PromptHistory([*texts, *past.texts])

    def choose(self) -> None:
        """The list of chats."""
        from memtui.ui.screens.sessions_screen import SessionsScreen

        screen = self._screen
        current = screen.conversation.log.recorder.path
        listed = SessionsScreen(screen.memtui.home.sessions, screen.memtui.tz, current, screen.conversation.log.rename)

        def closed(path: Path | None) -> None:
            screen.time.show_clock()
            if path is not None and path != screen.conversation.log.recorder.path:
                screen.work(self.resume(path), "chats")

        screen.app.push_screen(listed, closed)

    async def resume(self, path: Path) -> None:
        """Go on with an earlier chat."""
        from memtui.ui.history import messages_of

        screen = self._screen
        session = await screen.conversation.resume(path)
        self._welcoming = False
        screen.transcript.load(messages_of(session))
        screen.prompt.past = PromptHistory(turn.text for turn in session.user_turns)
        for notice in (*session.notices, *screen.conversation.log.recorder.notices):
            screen.transcript.notice(notice)
        screen.alert_box.dismiss()
        screen.time.show_tokens(None)
        screen.prompt.focus()

    async def new(self) -> None:
        """A new chat; memory stays."""
        screen = self._screen
        await screen.conversation.new()
        screen.transcript.clear()
        companion = screen.companion
        self._welcoming = True
        self.welcome(int(companion.store.frame.active.sum()) if companion is not None else 0)
        screen.alert_box.dismiss()
        screen.time.show_tokens(None)
        screen.prompt.focus()

    async def export(self, argument: str) -> str:
        """Write this chat to a file: Markdown, or a session file if its name ends in .jsonl. Returns what to say.

        Raises:
            InputError: no file is named, it is there already, or nothing was said yet.
            StoreFullError: it can't be written.
        """
        if not argument:
            raise InputError("/export needs a FILE.", todo="Name one, such as /export chat.md.")
        recorder = self._screen.conversation.log.recorder
        if recorder.header is None:
            raise InputError("There is nothing to write yet.", todo="Say something first.")
        target = await asyncio.to_thread(Path(argument).expanduser)
        if await asyncio.to_thread(target.exists):
            raise InputError(f"{target} is there already.", safe="Nothing was changed.", todo="Choose another name.")
        from memtui.sessions.export import export_chat

        session = await asyncio.to_thread(recorder.session)
        form = "jsonl" if target.suffix == ".jsonl" else "markdown"
        await asyncio.to_thread(export_chat, session, target, form)  # type: ignore[arg-type]
        return f"Wrote {len(session.user_turns)} turns to {target.absolute()}."


def _any_chat(folder: Path) -> bool:
    try:
        return any(file.suffix == ".jsonl" for file in folder.iterdir())
    except OSError:
        return False


def _last_texts(folder: Path) -> list[str]:
    """The user's turns of the chat that was used last; none where it can't be read."""
    from memtui.sessions.format import read_session

    try:
        files = [file for file in folder.iterdir() if file.suffix == ".jsonl"]
        newest = max(files, key=lambda file: file.stat().st_mtime_ns, default=None)
        return [turn.text for turn in read_session(newest).user_turns] if newest is not None else []
    except (OSError, MemtuiError):
        return []
