"""Earlier chats: find, open, rename, delete (which can be undone)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker

from memtui.errors import MemtuiError
from memtui.memory.texts import clean, one_line
from memtui.sessions.library import Library, SessionEntry
from memtui.ui.time_words import date_words

if TYPE_CHECKING:
    from memtui.ui.app import MemtuiApp

_TITLE_WIDTH = 60


class SessionsScreen(ModalScreen[Path | None]):
    """The list of chats, last used first; gives the chosen file, or None.

    Typing narrows it down; the arrows move; Enter opens.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"sessions--title", "sessions--when", "sessions--open"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", tooltip="Back to the chat.", id="sessions.close", show=False),
        Binding("down", "move(1)", "down", show=False, priority=True),
        Binding("up", "move(-1)", "up", show=False, priority=True),
        Binding("ctrl+o", "rename", "rename", tooltip="Give the chat another title.", id="sessions.rename", priority=True),
        Binding("ctrl+d", "delete", "delete", tooltip="Delete the chat; memory stays.", id="sessions.delete", priority=True),
        Binding("ctrl+z", "undo", "undo", tooltip="Bring the deleted chat back.", id="sessions.undo", priority=True),
    ]

    def __init__(
        self, folder: Path, tz: tzinfo, current: Path | None, rename_current: Callable[[str], None] | None = None
    ) -> None:
        """Args:
        current: the chat that is open; it is renamed by `rename_current` and can't be deleted.
        """
        super().__init__()
        self._library = Library(folder)
        self._tz = tz
        self._current = current
        self._rename_current = rename_current
        self._entries: list[SessionEntry] = []
        self._shown: list[SessionEntry] = []
        self._trashed: list[Path] = []
        self._renaming: SessionEntry | None = None

    def compose(self) -> ComposeResult:
        """A line to type in, the list, a foot."""
        with Vertical(id="sessions-box") as box:
            box.border_title = "Chats"
            yield Input(placeholder="Find a chat by its title", id="sessions-find", compact=True)
            yield OptionList(id="sessions-list", markup=False, compact=True)
            yield Static("", id="sessions-foot", markup=False)

    def on_mount(self) -> None:
        """Read the folder."""
        self._load()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told."""
        cast("MemtuiApp", self.app).worker_changed(event)

    @work(exclusive=True, group="sessions", exit_on_error=False)
    async def _load(self) -> None:
        try:
            self._entries = await asyncio.to_thread(self._library.entries)
        except MemtuiError as error:
            self._say(str(error))
            return
        self._show()
        if self._library.notices:
            self._say(f"{len(self._library.notices)} can't be read: {self._library.notices[0]}")

    def _show(self) -> None:
        words = self.query_one("#sessions-find", Input).value.casefold().split() if self._renaming is None else []
        self._shown = [entry for entry in self._entries if all(word in entry.title.casefold() for word in words)]
        options = self.query_one("#sessions-list", OptionList)
        at = options.highlighted or 0
        options.clear_options()
        options.add_options([Option(self._line(entry)) for entry in self._shown])
        options.highlighted = min(at, len(self._shown) - 1) if self._shown else None
        self._say("")

    def _line(self, entry: SessionEntry) -> Content:
        turns = f"{entry.turns} turn{'' if entry.turns == 1 else 's'}"
        when = date_words(entry.when, self._tz) if entry.when is not None else "nothing said"
        mark = "● " if entry.path == self._current else "  "
        title = one_line(clean(entry.title), _TITLE_WIDTH) or "(no title)"
        return Content.assemble(
            (mark, self._style("open")),
            (title, self._style("title")),
            (f"  {turns}, {when}", self._style("when")),
        )

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"sessions--{name}", partial=True)

    def _say(self, text: str) -> None:
        if not text:
            if not self._entries:
                text = "No chat was recorded yet: the first thing you say begins one."
            elif not self._shown:
                text = "No title holds these words."
            else:
                text = "enter open · ctrl+o rename · ctrl+d delete · esc close"
                text += " · ctrl+z bring back" if self._trashed else ""
        self.query_one("#sessions-foot", Static).update(Content(clean(text)))

    # -- what the person does --------------------------------------------------------------------------------------

    @on(Input.Changed, "#sessions-find")
    def _narrow(self) -> None:
        if self._renaming is None:
            self._show()

    @on(Input.Submitted, "#sessions-find")
    async def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        if self._renaming is not None:
            await self._rename(self._renaming, event.value)
        elif (entry := self._entry()) is not None:
            self.dismiss(entry.path)

    @on(OptionList.OptionSelected, "#sessions-list")
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if (entry := self._entry()) is not None:
            self.dismiss(entry.path)

    def action_close(self) -> None:
        """Back to the chat, or out of renaming."""
        if self._renaming is not None:
            self._end_renaming()
        else:
            self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Another chat."""
        options = self.query_one("#sessions-list", OptionList)
        if self._shown and self._renaming is None:
            options.highlighted = min(max((options.highlighted or 0) + by, 0), len(self._shown) - 1)

    def action_rename(self) -> None:
        """Type another title for the chat."""
        if (entry := self._entry()) is None or self._renaming is not None:
            return
        self._renaming = entry
        field = self.query_one("#sessions-find", Input)
        field.value = clean(entry.title)
        field.cursor_position = len(field.value)
        field.focus()
        self._say("Type the new title · enter keeps it · esc leaves it as it was")

    async def action_delete(self) -> None:
        """Delete the chat; ctrl+z brings it back."""
        if (entry := self._entry()) is None or self._renaming is not None:
            return
        if entry.path == self._current:
            self._say("This chat is open. Begin a new one (ctrl+n), then delete it.")
            return
        try:
            self._trashed.append(await asyncio.to_thread(self._library.delete, entry.path))
        except MemtuiError as error:
            self._say(str(error))
            return
        self._entries.remove(entry)
        self._show()
        self._say(f"Deleted '{one_line(clean(entry.title), 40)}'. Memory stays as it is; ctrl+z brings the chat back.")

    async def action_undo(self) -> None:
        """Bring back the chat that was deleted last."""
        if not self._trashed:
            return
        try:
            await asyncio.to_thread(self._library.restore, self._trashed.pop())
        except MemtuiError as error:
            self._say(str(error))
            return
        self._load()

    async def _rename(self, entry: SessionEntry, title: str) -> None:
        try:
            if entry.path == self._current and self._rename_current is not None:
                await asyncio.to_thread(self._rename_current, title)
            else:
                await asyncio.to_thread(self._library.rename, entry.path, title)
        except MemtuiError as error:
            self._say(str(error))
            return
        self._end_renaming()
        self._load()

    def _end_renaming(self) -> None:
        self._renaming = None
        self.query_one("#sessions-find", Input).value = ""
        self._show()

    def _entry(self) -> SessionEntry | None:
        at = self.query_one("#sessions-list", OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None
