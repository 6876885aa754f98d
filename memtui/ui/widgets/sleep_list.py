"""One column of a sleep plan: entries that can be unticked, on the line API, so that a thousand cost what ten do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.ui.widgets.sleep_lines import Entry, Run, compact_lines, entry_lines

_COMPACT_FROM: Final = 200
"""From so many entries on each takes two lines, so that no text has to be wrapped to know the height."""


class SleepList(ScrollView, can_focus=True):
    """Entries one below the other. Space or a click unticks one, `a` all; arrows move from entry to entry."""

    ALLOW_SELECT = False
    help_name: ClassVar[str] = "plan"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"sleep-list--{name}" for name in ("head", "before", "after", "note", "sign", "tick", "off", "cursor", "empty")
    }
    DEFAULT_CSS = """
    SleepList {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        overflow-x: hidden;
        background: $surface;
        & > .sleep-list--head { color: $text; text-style: bold; }
        & > .sleep-list--before { color: $text-muted; }
        & > .sleep-list--after { color: $text; }
        & > .sleep-list--note { color: $text-muted; text-style: italic; }
        & > .sleep-list--sign { color: $accent; text-style: bold; }
        & > .sleep-list--tick { color: $accent; text-style: bold; }
        & > .sleep-list--off { color: $text-disabled; }
        & > .sleep-list--cursor { background: $panel; }
        & > .sleep-list--empty { color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "next", tooltip="The next, or the one before.", show=False),
        Binding("up,k", "move(-1)", "before", tooltip="The next, or the one before.", show=False),
        Binding("pagedown", "page(1)", "next page", tooltip="A page on, or back.", show=False),
        Binding("pageup", "page(-1)", "page before", tooltip="A page on, or back.", show=False),
        Binding("home", "move(-1_000_000_000)", "first", tooltip="The first, or the last.", show=False),
        Binding("end", "move(1_000_000_000)", "last", tooltip="The first, or the last.", show=False),
        Binding("space", "untick", "untick", tooltip="Leave it out, or take it in again.", show=False),
        Binding("a", "untick_all", "all or none", tooltip="All of this column, or none.", show=False),
    ]

    class Changed(Message):
        """What is ticked has changed."""

        def __init__(self, sleep_list: SleepList) -> None:
            super().__init__()
            self.sleep_list = sleep_list

        @property
        def control(self) -> SleepList:
            """The list it happened in."""
            return self.sleep_list

    @dataclass(frozen=True, slots=True)
    class _Contents:
        keys: tuple[str | None, ...]
        build: Callable[[int], Entry]

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        """Args:
        empty: what stands there when there is nothing.
        """
        super().__init__(id=id, classes=classes)
        self._empty = empty
        self._contents = self._Contents((), lambda _: Entry(None, ""))
        self._off: set[str] = set()
        self._cursor = 0
        self._starts: list[int] = [0]
        self._width = 0  # that the entries were laid out for; 0: not yet
        self._done = False
        self._lines = lru_cache(maxsize=512)(self._laid_out)

    def set_entries(self, keys: Sequence[str | None], build: Callable[[int], Entry]) -> None:
        """Show entries, all ticked: their plan keys (None: nothing to tick) and what makes each by its number."""
        self._contents = self._Contents(tuple(keys), build)
        self._off.clear()
        self._cursor = 0
        self._done = False
        self.scroll_to(0, 0, animate=False)
        self._lay_out()

    @property
    def unticked(self) -> frozenset[str]:
        """Keys of the entries that are left out."""
        return frozenset(self._off)

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self._contents.keys)

    def finish(self) -> None:
        """What is ticked was done: nothing can be changed any more."""
        self._done = True
        self._lay_out()

    def action_move(self, by: int) -> None:
        """So many entries on or back."""
        self._go_to(self._cursor + by)

    def action_page(self, direction: int) -> None:
        """To the entry a page further."""
        line = self._starts[min(self._cursor, self.count)] + direction * max(self.size.height - 1, 1)
        target = self._entry_at(max(line, 0))
        self._go_to(target if target != self._cursor else self._cursor + direction)

    def action_untick(self) -> None:
        """Untick the entry under the cursor, or tick it again."""
        if self.count:
            self._toggle(self._cursor)

    def action_untick_all(self) -> None:
        """Untick all, or tick all again if any is unticked."""
        keys = {key for key in self._contents.keys if key is not None}
        if self._done or not keys:
            return
        self._off = set() if self._off else keys
        self.refresh()
        self.post_message(self.Changed(self))

    def on_click(self, event: events.Click) -> None:
        """A click on an entry goes to it and unticks it."""
        offset = event.get_content_offset(self)
        if offset is None or not self.count:
            return
        line = offset.y + self.scroll_offset.y
        if line < self._starts[-1]:
            event.stop()
            self._go_to(self._entry_at(line))
            self._toggle(self._cursor)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._lay_out()

    def render_line(self, y: int) -> Strip:
        """A visible line."""
        width = self.scrollable_content_region.width  # a paint may come between a resize and its laying out
        line = y + self.scroll_offset.y
        if not self.count or not self._width:
            text = self._empty if y == 0 and not self.count else ""
            return self._strip([(text, "empty")], width, cursor=False, off=False)
        if line >= self._starts[-1]:
            return self._strip([], width, cursor=False, off=False)
        index = self._entry_at(line)
        key = self._contents.keys[index]
        off = key in self._off
        laid = self._lines(index, self._width, self._tick(key))
        within = line - self._starts[index]
        runs = laid[within] if within < len(laid) else []
        last = line + 1 == self._starts[index + 1] and not runs
        return self._strip(runs, width, cursor=self.has_focus and index == self._cursor and not last, off=off)

    def _strip(self, runs: Sequence[Run], width: int, *, cursor: bool, off: bool) -> Strip:
        ground = self.rich_style
        if cursor:
            ground += self.get_component_rich_style("sleep-list--cursor", partial=True)
        segments = []
        for text, name in runs:
            style = ground + self.get_component_rich_style(
                f"sleep-list--{'off' if off and name != 'tick' else name}", partial=True
            )
            segments.append(Segment(text, style))
        return Strip(segments).adjust_cell_length(width, ground)

    def _tick(self, key: str | None) -> str:
        if key is None:
            return ""
        if self._done:
            return " – " if key in self._off else " ✓ "
        return "[ ]" if key in self._off else "[x]"

    def _toggle(self, index: int) -> None:
        key = self._contents.keys[index]
        if key is None or self._done:
            return
        self._off ^= {key}
        self.refresh()
        self.post_message(self.Changed(self))

    def _go_to(self, index: int) -> None:
        if not self.count:
            return
        self._cursor = min(max(index, 0), self.count - 1)
        top, end = self._starts[self._cursor], self._starts[self._cursor + 1]
        self.scroll_to_region(Region(0, top, 1, end - top), animate=False, top=end - top > self.size.height)
        self.refresh()

    def _entry_at(self, line: int) -> int:
        return min(bisect_right(self._starts, line) - 1, self.count - 1)

    def _laid_out(self, index: int, width: int, tick: str) -> list[list[Run]]:
        entry = self._contents.build(index)
        return compact_lines(entry, width, tick) if self._is_compact else entry_lines(entry, width, tick)

    @property
    def _is_compact(self) -> bool:
        return self.count >= _COMPACT_FROM

    def _lay_out(self) -> None:
        """Where each entry starts, at the present width."""
        self._lines.cache_clear()
        width = self.scrollable_content_region.width
        if width <= 0:
            self._starts, self._width = [0] * (self.count + 1), 0
            return
        self._width = width
        if self._is_compact:
            self._starts = list(range(0, 2 * self.count + 1, 2))
        else:
            heights = (len(self._lines(index, width, self._tick(key))) for index, key in enumerate(self._contents.keys))
            self._starts = [0, *accumulate(heights)]
        self.virtual_size = Size(width, self._starts[-1])
        self.refresh()
