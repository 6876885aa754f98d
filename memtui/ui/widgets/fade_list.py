"""Who fades when, one memory a line, on the line API: ten thousand cost what ten do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.memory.forecast import Outlook
from memtui.memory.frame import Frame
from memtui.memory.model import KINDS
from memtui.ui.forecast_words import fade_words
from memtui.ui.widgets.memory_lines import NO_TEXT, handle_cells, handle_of
from memtui.ui.widgets.row_text import row_text

_KINDS: Final = tuple(f"kind-{kind.value}" for kind in KINDS)


class FadeList(ScrollView, can_focus=True):
    """Date, time left, handle and words of each memory that fades; the first first. Enter or a second click opens one."""

    ALLOW_SELECT = False
    help_name: ClassVar[str] = "list of what fades"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"fade-list--{part}" for part in ("date", "left", "words", "cursor", "empty", *_KINDS)
    }
    DEFAULT_CSS = """
    FadeList {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        overflow-x: hidden;
        background: $background;
        & > .fade-list--date { color: $text-muted; }
        & > .fade-list--left { color: $floor; }
        & > .fade-list--words { color: $foreground; }
        & > .fade-list--cursor { background: $panel; text-style: bold; }
        & > .fade-list--empty { color: $text-muted; }
        & > .fade-list--kind-episodic { color: $kind-episodic; }
        & > .fade-list--kind-semantic { color: $kind-semantic; }
        & > .fade-list--kind-consolidated { color: $kind-consolidated; }
        & > .fade-list--kind-procedural { color: $kind-procedural; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "next", tooltip="The next, or the one before.", show=False),
        Binding("up,k", "move(-1)", "before", tooltip="The next, or the one before.", show=False),
        Binding("pagedown", "page(1)", "next page", tooltip="A page on, or back.", show=False),
        Binding("pageup", "page(-1)", "page before", tooltip="A page on, or back.", show=False),
        Binding("home", "move(-1_000_000_000)", "first", tooltip="The first, or the last.", show=False),
        Binding("end", "move(1_000_000_000)", "last", tooltip="The first, or the last.", show=False),
        Binding("enter", "open", "card", tooltip="Its card.", show=False),
    ]

    @dataclass
    class Opened(Message):
        """A memory is to be shown in full."""

        memory: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.zone: tzinfo = UTC
        self._frame = Frame(0)
        self._outlook: Outlook | None = None
        self._count = 0
        self._cursor = 0
        self._empty = ""

    def show(self, frame: Frame, outlook: Outlook, until_us: int, *, empty: str) -> None:
        """List who goes by `until_us` (microseconds UTC); the cursor stays on its memory, if that is still listed.

        Args:
            empty: what stands there when nobody does.
        """
        before = self.selected
        self._frame, self._outlook, self._empty = frame, outlook, empty
        self._count = outlook.gone_by(until_us)
        listed = outlook.rows[: self._count].tolist()
        row = frame.row(before) if before is not None and before in frame else None
        self._cursor = listed.index(row) if row in listed else min(self._cursor, max(self._count - 1, 0))
        self.virtual_size = Size(0, self._count)
        self._scroll_to_cursor()
        self.refresh()

    @property
    def selected(self) -> str | None:
        """Id of the memory under the cursor."""
        if self._outlook is None or not self._count:
            return None
        return self._frame.ids[int(self._outlook.rows[self._cursor])]

    @property
    def count(self) -> int:
        """How many are listed."""
        return self._count

    def action_move(self, by: int) -> None:
        """So many lines on or back."""
        self._go_to(self._cursor + by)

    def action_page(self, direction: int) -> None:
        """A page on or back."""
        self._go_to(self._cursor + direction * max(1, self.size.height - 1))

    def action_open(self) -> None:
        """Open the memory under the cursor."""
        if (memory := self.selected) is not None:
            self.post_message(self.Opened(memory))

    def on_click(self, event: events.Click) -> None:
        """Go to the memory under the pointer; a second click opens it."""
        offset = event.get_content_offset(self)
        if offset is None or not self._count:
            return
        line = offset.y + self.scroll_offset.y
        if line < self._count:
            event.stop()
            self._go_to(line)
            if event.chain == 2:
                self.action_open()

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A visible line."""
        width, line = self.scrollable_content_region.width, y + self.scroll_offset.y
        ground = self.rich_style
        if self._outlook is None or line >= self._count:
            words = f" {self._empty}" if y == 0 and not self._count else ""
            style = self.get_component_rich_style("fade-list--empty")
            return Strip([Segment(words, style)]).adjust_cell_length(width, ground)
        row, at_us = int(self._outlook.rows[line]), int(self._outlook.at_us[line])
        date, left = fade_words(at_us, self._outlook.now_us, self.zone)
        kind = int(self._frame.kind[row])
        handle = handle_of(row).rjust(handle_cells(self._frame))
        parts = [(f" {date} ", "date"), (f"{left}  ", "left"), (f"{KINDS[kind].letter} {handle} ", _KINDS[kind])]
        room = width - sum(len(text) for text, _ in parts) - 1
        parts.append((row_text(self._frame.texts[row] or NO_TEXT, room), "words"))
        if self.has_focus and line == self._cursor:
            ground += self.get_component_rich_style("fade-list--cursor", partial=True)
        segments = [Segment(t, ground + self.get_component_rich_style(f"fade-list--{p}", partial=True)) for t, p in parts]
        return Strip(segments).adjust_cell_length(width, ground)

    def _go_to(self, line: int) -> None:
        if self._count:
            self._cursor = min(max(line, 0), self._count - 1)
            self._scroll_to_cursor()
            self.refresh()

    def _scroll_to_cursor(self) -> None:
        self.scroll_to_region(Region(0, self._cursor, 1, 1), animate=False)
