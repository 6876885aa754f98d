"""Where one types. Enter sends, ctrl+j is a new line, a slash opens the commands; nothing typed is ever lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.text import Text
from textual import events, on
from textual.binding import Binding, BindingType
from textual.document._document import EditResult, Location
from textual.document._edit import Edit
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import TextArea

from memtui.ui.widgets.message_text import copyable
from memtui.ui.widgets.prompt_history import PromptHistory
from memtui.ui.widgets.prompt_text import PasteShelf, drawn, places, stand_ins
from memtui.ui.widgets.slash_menu import SlashEntry, SlashMenu

MOST_ROWS: Final = 8
PLACEHOLDER: Final = "Say something, or / for commands"
_NEWLINE_KEYS: Final = "ctrl+j,shift+enter,alt+enter"


class Prompt(TextArea):
    """The prompt. It posts `Submitted`; whether a text waits for a reply that is being written is the screen's affair.

    Args:
        menu: the menu to complete commands with, placed where the screen likes it.
        history: texts sent before, oldest first.
        blink: whether the cursor blinks.

    Attributes:
        keeps_draft: Escape is somebody else's even while something is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(_NEWLINE_KEYS, "newline", "New line", show=False, tooltip="Begin a new line", id="prompt.newline"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--paste"}
    DEFAULT_CSS = """
    Prompt {
        height: auto;
        min-height: 3;
        max-height: 10;
        width: 1fr;
        padding: 0 1;
        color: $text;
        background: $background;
        border: round $foreground 30%;
        border-subtitle-color: $text-muted;
        border-subtitle-align: right;
        scrollbar-size-vertical: 1;
        & > .text-area--placeholder { color: $text-muted; }
        & > .prompt--paste { color: $text-accent; text-style: italic; }
        &:focus { border: round $accent; background-tint: $foreground 0%; }
        &.-busy { border: round $foreground 30%; }
        &.-busy:focus { border: round $accent 60%; }
        &.-past { border: dashed $secondary; border-title-color: $text-warning; border-title-style: bold; }
        &.-past:focus { border: dashed $accent; }
    }
    """

    busy: reactive[bool] = reactive(False)
    """A reply is being written: one may go on typing, and what is sent will wait."""

    @dataclass
    class Submitted(Message):
        """Enter was pressed. `text` is raw: what was typed and pasted, with nothing cleaned."""

        text: str

    class EmptySubmitted(Message):
        """Enter was pressed with nothing to send."""

    def __init__(
        self,
        *,
        menu: SlashMenu | None = None,
        history: Iterable[str] = (),
        blink: bool = True,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(
            id=id,
            classes=classes,
            placeholder=PLACEHOLDER,
            highlight_cursor_line=False,
            tab_behavior="focus",
        )
        self.menu = menu
        self.past = PromptHistory(history)
        self.keeps_draft = False
        self._shelf = PasteShelf()
        self.set_reactive(Prompt.cursor_blink, blink)
        self.match_cursor_bracket = False
        self.border_subtitle = self._subtitle()

    # -- the text ----------------------------------------------------------------------------------------------------

    @property
    def draft(self) -> str:
        """What is typed and not sent, pastes in full. Setting it replaces that, the cursor at its end."""
        return self._shelf.decoded(self.document.text)

    @draft.setter
    def draft(self, text: str) -> None:
        self._shelf.clear()
        self.load_text(self._shelf.encoded(text))
        self.move_cursor(self.document.end)
        self._suggest()

    def _raw_insert(self, text: str) -> None:
        """Put `text` where the cursor is, in place of what is selected."""
        result = self._replace_via_keyboard(text, *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)

    def insert_text(self, text: str) -> None:
        """Type or paste `text` at the cursor."""
        self._raw_insert(self._shelf.encoded(text))

    def submit(self) -> None:
        """Send the text, if there is any but blanks."""
        text = self.draft
        if not text.strip():
            self.post_message(self.EmptySubmitted())
            return
        self.past.sent(text)
        self.draft = ""
        self.post_message(self.Submitted(text))

    def _watch_busy(self, busy: bool) -> None:
        self.set_class(busy, "-busy")
        self.border_subtitle = self._subtitle()

    def _subtitle(self) -> str:
        return "enter queues   ctrl+j newline" if self.busy else "ctrl+j newline"

    # -- keys --------------------------------------------------------------------------------------------------------

    def action_newline(self) -> None:
        """Begin a new line."""
        self._raw_insert("\n")

    async def _on_key(self, event: events.Key) -> None:
        if self._menu_key(event.key) or self._own_key(event.key):
            event.stop()
            event.prevent_default()

    def _menu_key(self, key: str) -> bool:
        """Whether the menu took the key."""
        menu = self.menu
        if menu is None or not menu.is_open or menu.entry is None:
            return False
        entry = menu.entry
        asking = " " in self.document.text  # the menu is a reminder of arguments now
        match key:
            case "up" | "down" if not asking:
                menu.move(1 if key == "down" else -1)
            case "escape":
                menu.close(self.document.text)
            case "tab" if not asking:
                self._complete(entry)
            case "enter" if not asking and self.document.text != f"/{entry.name}":
                self._pick(entry)
            case "enter" if not asking and entry.arguments:
                self._complete(entry)
            case _:
                return False
        return True

    def _own_key(self, key: str) -> bool:
        """Whether the key is one the prompt does otherwise than a text area."""
        match key:
            case "enter":
                self.submit()
            case "escape" if self.document.text and not self.keeps_draft:
                self.past.sent(self.draft)  # kept: up brings it back
                self.draft = ""
            case "up" if self._on_edge(0):
                return self._walk(self.past.older(self.draft), at_start=True) or bool(self.past.texts)
            case "down" if self._on_edge(-1):
                return self._walk(self.past.newer(self.draft), at_start=False)
            case _:
                return False
        return True

    def _on_edge(self, row: int) -> bool:
        """Whether the cursor is in the first (0) or last (-1) row as it is wrapped, with nothing selected."""
        if not self.selection.is_empty:
            return False
        _, y = self.wrapped_document.location_to_offset(self.cursor_location)
        return y == (0 if row == 0 else self.wrapped_document.height - 1)

    def _walk(self, text: str | None, *, at_start: bool) -> bool:
        if text is None:
            return False
        self.draft = text
        if at_start:  # so that up goes on walking
            self.move_cursor((0, len(self.document.get_line(0))) if self.wrapped_document.height == 1 else (0, 0))
        if self.menu is not None:
            self.menu.close(self.document.text)
        return True

    # -- pastes ------------------------------------------------------------------------------------------------------

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not self.read_only:
            self.insert_text(event.text)
            self.focus()

    def action_paste(self) -> None:
        """Paste what was copied in this program."""
        if not self.read_only and self.app.clipboard:
            self.insert_text(self.app.clipboard)

    @property
    def selected_text(self) -> str:
        """What is selected, pastes in full, as a clipboard can take it."""
        return copyable(self._shelf.decoded(super().selected_text))

    def edit(self, edit: Edit) -> EditResult:
        """Do an edit; the place of a paste is changed as a whole or not at all."""
        start, end = sorted((edit.from_location, edit.to_location))
        if start == end:
            inside = self._place_around(start)
            if inside is not None:
                edit.from_location = edit.to_location = inside[1]
        else:
            first, last = self._place_around(start), self._place_around(end)
            edit.from_location = first[0] if first is not None else start
            edit.to_location = last[1] if last is not None else end
        edit.text = stand_ins(edit.text)
        return super().edit(edit)

    def _place_around(self, location: Location) -> tuple[Location, Location] | None:
        """Start and end of the paste's place that has `location` inside (not at its ends)."""
        row, column = location
        if row >= self.document.line_count:
            return None
        for start, end in places(self.document.get_line(row)):
            if start < column < end:
                return (row, start), (row, end)
        return None

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: pictures for what a terminal would obey, pastes by their size."""
        line = self.document.get_line(line_index)
        text = Text(drawn(line), end="", no_wrap=True)
        for start, end in places(line):
            text.stylize(self.get_component_rich_style("prompt--paste", partial=True), start, end)
        return text

    def render_line(self, y: int) -> Strip:
        """A row; nothing where there is no room for a single letter."""
        if self.content_size.width < 1:
            return Strip.blank(self.size.width, self.rich_style)
        return super().render_line(y)

    # -- the menu ----------------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _suggest(self) -> None:
        if self.menu is not None:
            self.menu.suggest(self.document.text)

    def _complete(self, entry: SlashEntry) -> None:
        self.draft = f"/{entry.name}{' ' if entry.arguments else ''}"

    def _pick(self, entry: SlashEntry) -> None:
        """Complete the command, and send it if it needs nothing more."""
        self._complete(entry)
        if not entry.arguments:
            self.submit()

    def picked(self, entry: SlashEntry) -> None:
        """An entry of the menu was clicked."""
        self._pick(entry)
        self.focus()
