"""Completions of slash commands, above the prompt: what there is, narrowed as one types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from memtui.ui.widgets.message_text import aligned, cropped

MOST_ROWS: Final = 8
_GAP: Final = 2


@dataclass(frozen=True, slots=True)
class SlashEntry:
    """A slash command: its name without the slash, its arguments ("" for none), what it does."""

    name: str
    arguments: str
    help: str


def narrowed(entries: Sequence[SlashEntry], line: str) -> list[SlashEntry]:
    """The entries that `line`, the text being typed, may become.

    Names that begin with it come first, then those that contain it, then those whose help does. Once a name is followed by a
    space, that command alone is left, as a reminder of its arguments.
    """
    if not line.startswith("/") or "\n" in line:
        return []
    name, space, _ = line[1:].partition(" ")
    name = name.lower()
    if space:
        return [entry for entry in entries if entry.name == name and entry.arguments]
    begins = [entry for entry in entries if entry.name.startswith(name)]
    contains = [entry for entry in entries if name in entry.name and entry not in begins]
    told = [entry for entry in entries if len(name) > 2 and name in entry.help.lower() and entry not in (*begins, *contains)]
    return begins + contains + told


class SlashMenu(Widget):
    """The list; hidden while there is nothing to complete. It never has the focus: the prompt passes it its keys.

    Args:
        entries: the commands, in the order they are to be shown.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"slash-menu--{name}" for name in ("name", "arguments", "help", "chosen", "count")
    }
    DEFAULT_CSS = """
    SlashMenu {
        height: auto;
        max-height: 9;
        width: 1fr;
        display: none;
        background: $surface;
        color: $text;
        & > .slash-menu--name { color: $text-accent; }
        & > .slash-menu--arguments { color: $text-muted; text-style: italic; }
        & > .slash-menu--help { color: $text-muted; }
        & > .slash-menu--count { color: $text-disabled; }
        & > .slash-menu--chosen { background: $primary 30%; text-style: bold; }
        &.-open { display: block; }
        &:ansi > .slash-menu--chosen { text-style: reverse; }
    }
    """

    chosen: reactive[int] = reactive(0)
    """Position of the chosen entry among those that are left."""

    @dataclass
    class Picked(Message):
        """An entry was clicked."""

        entry: SlashEntry

    def __init__(self, entries: Sequence[SlashEntry] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.entries = list(entries)
        self._left: list[SlashEntry] = []
        self._closed_at: str | None = None
        self._first = 0

    @property
    def is_open(self) -> bool:
        """Whether there is something to complete."""
        return bool(self._left)

    @property
    def left(self) -> list[SlashEntry]:
        """The entries that are shown."""
        return list(self._left)

    @property
    def entry(self) -> SlashEntry | None:
        """The chosen entry."""
        return self._left[self.chosen] if self._left else None

    def suggest(self, line: str) -> None:
        """Show what `line`, the text being typed, may become. A menu that was closed stays so until the text is another."""
        if line == self._closed_at:
            return
        self._closed_at = None
        before = self.entry
        self._left = narrowed(self.entries, line)
        self._first = 0
        self.chosen = self._left.index(before) if before in self._left and line != "/" else 0
        self.set_class(self.is_open, "-open")
        self.refresh(layout=True)

    def close(self, line: str = "") -> None:
        """Hide the menu; `line` is the text it is not wanted for any more."""
        self._closed_at = line or None
        self._left = []
        self.set_class(False, "-open")

    def move(self, by: int) -> None:
        """Choose the next entry, or (-1) the one before, round the ends."""
        if self._left:
            self.chosen = (self.chosen + by) % len(self._left)

    def watch_chosen(self) -> None:
        """Keep the chosen entry in view."""
        rows = self._rows
        if self.chosen < self._first:
            self._first = self.chosen
        elif self.chosen >= self._first + rows:
            self._first = self.chosen - rows + 1

    @property
    def _rows(self) -> int:
        """Rows for entries: all of the height, less one for the count if not all are seen."""
        height = self.size.height or MOST_ROWS
        return max(1, height if len(self._left) <= height else height - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row an entry, and one to say that there are more; never more than a third of the screen."""
        most = max(2, min(MOST_ROWS + 1, viewport.height // 3))
        return min(len(self._left), most)

    def render_line(self, y: int) -> Strip:
        """The strip of row `y`."""
        width = self.size.width
        base = self.rich_style
        rows = self._rows
        if y >= rows and len(self._left) > rows:
            text = f"  {self.chosen + 1} of {len(self._left)}"
            return Strip([Segment(cropped(text, width), self._style("count"))]).adjust_cell_length(width, base)
        index = self._first + y
        if index >= len(self._left):
            return Strip.blank(width, base)
        return self._row(self._left[index], width, index == self.chosen)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"slash-menu--{name}")

    def _row(self, entry: SlashEntry, width: int, chosen: bool) -> Strip:
        def column(each: SlashEntry) -> int:
            return cell_len(each.name) + 1 + (cell_len(each.arguments) + 1 if each.arguments else 0)

        over = self._style("chosen") if chosen else Style.null()
        background = Style(bgcolor=over.bgcolor, bold=over.bold, reverse=over.reverse)
        first = min(max(map(column, self._left)), max(14, width * 2 // 5))
        name, arguments = f"/{entry.name}", f" {entry.arguments}" if entry.arguments else ""
        arguments = cropped(arguments, first - cell_len(name))
        gap = " " * (first - cell_len(name) - cell_len(arguments) + _GAP)
        segments = [
            Segment("▸ " if chosen else "  ", self._style("help") + background),
            Segment(name, self._style("name") + background),
            Segment(arguments, self._style("arguments") + background),
            Segment(gap, self.rich_style + background),
            Segment(cropped(aligned(entry.help), width - first - _GAP - 3), self._style("help") + background),
        ]
        return Strip(segments).adjust_cell_length(width, self.rich_style + background)

    def on_click(self, event: events.Click) -> None:
        """A click picks the entry."""
        offset = event.get_content_offset(self)
        index = self._first + offset.y if offset is not None else -1
        if offset is not None and offset.y < self._rows and 0 <= index < len(self._left):
            event.stop()
            self.chosen = index
            self.post_message(self.Picked(self._left[index]))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The entry under the pointer is the chosen one."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < self._rows and self._first + offset.y < len(self._left):
            self.chosen = self._first + offset.y

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves the choice."""
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves the choice."""
        event.stop()
        self.move(-1)
