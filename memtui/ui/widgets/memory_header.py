"""The two lines over the rows: tabs with their counts and the sort, then what the columns are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.ui.widgets.memory_bars import FLOOR_MARK, Columns, floor_cells
from memtui.ui.widgets.memory_lines import RetiredColumns, retired_columns
from memtui.ui.widgets.memory_listing import TABS, Tab

SCROLLBAR_CELLS: Final = 1
SORT_WORDS: Final = {"left": "time left"}
_TITLES: Final = {"active": "Active", "retired": "Retired", "skills": "Skills"}


@dataclass(frozen=True, slots=True)
class HeaderView:
    """What the header shows.

    Attributes:
        columns: of the active rows.
        floor: the law's floor, to place the floor mark.
        previewing: the number column then shows the previewed moment.
        law: which law the memories are read by.
        capacity: how many it has room for, or None.
        skills: how many skills there are, archived ones too.
        fading: how many fade within a week, where that is worth a word; else None.
        past: how long ago the moment is that is shown, such as `3d ago`; "" for now.
    """

    active: int
    retired: int
    tab: Tab
    sort: str
    columns: Columns
    floor: float
    handle: int
    previewing: bool
    law: str = "salience"
    capacity: int | None = None
    past: str = ""
    skills: int = 0
    fading: int | None = None


def column_words(view: HeaderView) -> str:
    """The column line over active rows and skills: each word stands over its column."""
    columns = view.columns
    before = floor_cells(view.floor, columns.bar)
    mark = f"{FLOOR_MARK}floor" if view.floor > 0 and columns.bar - before >= len("floor") else FLOOR_MARK
    line = (" " + " " * before + mark).ljust(columns.bar + 3)
    on_skills = view.tab == "skills"
    age = "used" if on_skills else "left" if view.sort == "left" else "age"
    for name, cells in (
        ("then" if view.previewing else "now", columns.number),
        ("stage" if on_skills else "half", columns.half),
        ("uses" if on_skills else "rec", columns.recalls),
        (age, columns.age),
        ("left", columns.left),
    ):
        if cells:
            line += " " + (name.ljust(cells) if name in ("half", "stage") else name.rjust(cells))[:cells]
    if columns.handle:
        line += " " * (columns.marks + 2) + "id"
    return line[: columns.width].ljust(columns.width)


def retired_words(columns: RetiredColumns) -> str:
    """The column line over retired rows."""
    line = " "
    for name, cells in (("why", columns.reason), ("when", columns.when), ("by", columns.by), ("last", columns.last)):
        if cells:
            line += (name.ljust(cells) if name == "why" else name.rjust(cells))[:cells] + " "
    return line[: columns.width].ljust(columns.width)


class MemoryHeader(Widget):
    """Tabs and columns; clicks on them are messages."""

    @dataclass
    class TabClicked(Message):
        """One of the tabs."""

        tab: Tab

    class SortClicked(Message):
        """The sort, to be changed to the next one."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"memory-header--{part}" for part in ("tab", "front", "columns", "past")}
    DEFAULT_CSS = """
    MemoryHeader {
        height: 2; width: 1fr;
        & > .memory-header--tab { color: $text-muted; }
        & > .memory-header--front { color: $foreground; text-style: bold underline; }
        & > .memory-header--columns { color: $text-muted; }
        & > .memory-header--past { color: $text-warning; text-style: bold reverse; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: HeaderView | None = None

    def show(self, view: HeaderView) -> None:
        """Show another view."""
        if view != self.view:
            self.view = view
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Tabs and sort, or the columns."""
        width, view = self.size.width, self.view
        base = self.rich_style
        if view is None:
            return Strip.blank(width, base)
        columns_style = self.get_component_rich_style("memory-header--columns")
        if y == 1:
            retired = view.tab == "retired"
            words = retired_words(retired_columns(view.columns.width, view.handle)) if retired else column_words(view)
            return Strip([Segment(words, columns_style)]).crop_extend(0, width, base)
        segments = [Segment(" ", base)]
        for tab, _, text in self._tabs(view):
            style = self.get_component_rich_style("memory-header--front" if tab == view.tab else "memory-header--tab")
            segments += [Segment(text, style), Segment("   ", base)]
        used = sum(cell_len(segment.text) for segment in segments)
        sort = self._sort_words(view, self.size.width - SCROLLBAR_CELLS - used)
        gap = width - SCROLLBAR_CELLS - used - cell_len(sort)
        if gap >= 0:
            style = self.get_component_rich_style("memory-header--past") if view.past else columns_style
            segments += [Segment(" " * gap, base), Segment(sort, style)]
        return Strip(segments).crop_extend(0, width, base)

    def on_click(self, event: events.Click) -> None:
        """Change the tab or the sort."""
        event.stop()
        view = self.view
        if view is None or event.y != 0:
            return
        for tab, start, text in self._tabs(view):
            if start <= event.x < start + len(text):
                self.post_message(self.TabClicked(tab))
                return
        right = self.size.width - SCROLLBAR_CELLS
        sort = self._sort_words(view, right - sum(len(text) + 3 for _, _, text in self._tabs(view)) - 1)
        if view.tab == "active" and not view.past and right - cell_len(sort) <= event.x < right:
            self.post_message(self.SortClicked())

    def _tabs(self, view: HeaderView) -> list[tuple[Tab, int, str]]:
        found: list[tuple[Tab, int, str]] = []
        start = 1
        for tab, count in zip(TABS, (view.active, view.retired, view.skills), strict=True):
            if tab == "skills" and not count and view.tab != tab:
                continue  # there is no such tab before there is a skill
            room = f" of {view.capacity:,}" if tab == "active" and view.capacity is not None else ""
            text = f"{_TITLES[tab]} {count:,}{room}"
            found.append((tab, start, text))
            start += len(text) + 3
        return found

    def _sort_words(self, view: HeaderView, room: int) -> str:
        """How it is sorted, and by which law it is read: sorted by what is left, the law's name says both.

        Of the past it says that instead: read-only, and how long ago.
        """
        if view.past:
            return next((w for w in (f" ◀ {view.past}, read-only ", " ◀ read-only ") if cell_len(w) <= room), " ◀ ")
        if view.tab == "skills":
            return "strongest first"
        if view.tab != "active":
            return "latest first"
        if view.sort == "salience":
            return f"by {view.law or view.sort} ▾"
        words = f"by {SORT_WORDS.get(view.sort, view.sort)} ▾"
        longer = [f"{view.law}, {words}"]
        if view.fading is not None:
            longer = [f"{view.fading:,} fade this week, {words}", f"{view.fading:,} this week, {words}", *longer]
        return next((both for both in longer if cell_len(both) <= room), words)
