"""The rows of the memory panel: one line a memory, drawn from numpy columns.

Nothing jumps: the order is computed by `resort` alone and frozen in between; a tick of the clock changes bars and numbers,
and only lines whose cells really change are painted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.ui.widgets.memory_bars import Columns
from memtui.ui.widgets.memory_lines import (
    Line,
    RetiredColumns,
    RetiredLine,
    RetiredWindow,
    SkillWindow,
    Window,
    active_columns,
    handle_cells,
    retired_columns,
    skill_columns,
)
from memtui.ui.widgets.memory_listing import Listing, Tab
from memtui.ui.widgets.memory_motion import Motion
from memtui.ui.widgets.memory_order import SORTS
from memtui.ui.widgets.memory_paint import GROUNDS, PREFIX, ROLES, ROWS_CSS, Ground, Painter
from memtui.ui.widgets.row_text import wrapped

EMPTY: Final = {
    "nothing": "Nothing remembered yet. Tell me something worth keeping.",
    "active": "Nothing is active. What was here waits under Retired.",
    "skills": "No skills yet. /learn keeps how something was done.",
    "retired": "Nothing retired. What fades, merges or is superseded waits here and can be restored.",
}
_WHEEL_LINES: Final = 3


class MemoryRows(ScrollView, can_focus=True, inherit_bindings=False):
    """The list of memories; knows no store, only a frame, a law and moments it is told.

    Attributes:
        reduced_motion: no glow and no fading; marks stay.
        listing: what is listed in which order, and what is selected.
        motion: what glows and what fades.
    """

    @dataclass
    class Selected(Message):
        """Another memory is selected (None: nothing is left to select)."""

        id: str | None

    @dataclass
    class Opened(Message):
        """Enter or a double click on a memory."""

        id: str

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {PREFIX + name for name in (*ROLES, *GROUNDS)}
    DEFAULT_CSS = ROWS_CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="memory.up", tooltip="Select the memory above"),
        Binding("down", "move(1)", "Down", show=False, id="memory.down", tooltip="Select the memory below"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="memory.page_up", tooltip="Select one page up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="memory.page_down", tooltip="Select one page down"),
        Binding("home", "move(-1000000000)", "First", show=False, id="memory.first", tooltip="Select the first memory"),
        Binding("end", "move(1000000000)", "Last", show=False, id="memory.last", tooltip="Select the last memory"),
        Binding("enter", "open", "Open", show=False, id="memory.open", tooltip="Open the selected memory"),
    ]
    reduced_motion: reactive[bool] = reactive(False)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.listing = Listing()
        self.motion = Motion(self, self._on_motion)
        self.now_us = 0
        self.preview_us: int | None = None
        self._given_ids: tuple[str, ...] = ()
        self._given: frozenset[int] = frozenset()
        self._window: Window | RetiredWindow | None = None
        self._shown: list[tuple[Line | RetiredLine, Ground]] | None = None
        self._painter: Painter | None = None

    # What is shown

    def show(self, frame: Frame, law: Law, now_us: int) -> None:
        """Show `frame`; the order stays as it is, new memories stand at the end until `resort`.

        Memories of the same frame object that are no longer active fade for a second before they leave.
        """
        self.now_us = now_us
        for row in list(self.motion.leaving):
            if frame is self.listing.frame and frame.active[row]:
                self.motion.stay(row)
        before = self.selected
        gone = self.listing.show(frame, law, self._moment, self.motion.leaving)
        if self.selected != before:
            self.post_message(self.Selected(self.selected))
        if gone is None:
            self.motion.clear()
        else:
            self._leave(gone)
        self._given = frozenset(self._rows_of(self._given_ids))
        self._relaid()

    def tick(self, now_us: int) -> None:
        """The clock moved on to `now_us`: bars and numbers follow, the order does not."""
        self.now_us = now_us
        if self.is_on_screen:
            self._touch()

    def preview(self, then_us: int | None) -> None:
        """Show as ghosts what would be lost by `then_us`; None ends the preview."""
        if then_us != self.preview_us:
            self.preview_us = then_us
            self._touch()

    def resort(self) -> None:
        """Compute the order anew: a turn ended, time was let go, or the sort was changed."""
        self.listing.resort(self._moment, self.motion.leaving)
        self._relaid()
        if self.has_focus:
            self._scroll_to_chosen()

    def sort_by(self, name: str) -> None:
        """Sort the active memories by one of `SORTS`, now.

        Raises:
            ValueError: no such sort.
        """
        if name not in SORTS:
            raise ValueError(f"no sort named '{name}' (one of {', '.join(SORTS)})")
        self.listing.sort = name
        self.resort()
        self._scroll_to_chosen(or_top=True)

    def set_tab(self, tab: Tab) -> None:
        """Show the active memories, the retired ones or the skills."""
        if tab == self.listing.tab:
            return
        self.listing.tab = tab
        self._relaid()
        self._scroll_to_chosen(or_top=True)
        if self.has_focus:  # so that the keys have an object on this tab too
            self.on_focus()
        self.post_message(self.Selected(self.selected))

    def glow(self, ids: Iterable[str]) -> None:
        """Mark `ids` as given to the last reply (`»`), and only them; they glow for a second."""
        self._given_ids = tuple(ids)
        self._given = frozenset(self._rows_of(self._given_ids))
        if not self.reduced_motion:
            self.motion.glow(self._given)
        self._touch()

    def retire_fade(self, ids: Iterable[str]) -> None:
        """Let the rows of `ids` fade for a second and then leave the active list (at once with reduced motion)."""
        self._leave(self.listing.listed(self._rows_of(ids)))
        self._relaid()

    def watch_reduced_motion(self, reduced: bool) -> None:
        """End what moves."""
        if reduced:
            self._on_motion(self.motion.clear())

    # Selection

    @property
    def selected(self) -> str | None:
        """Id of the selected memory of the tab in front."""
        return self.listing.id_of(self.listing.chosen)

    def select(self, memory: str) -> bool:
        """Select a memory, changing the tab if it is in the other one; False when it is in neither."""
        tab = self.listing.tab_of(memory)
        if tab is None:
            return False
        self.set_tab(tab)
        self._choose(next(iter(self._rows_of((memory,))), None))
        return True

    def action_move(self, by: int) -> None:
        """Select the memory `by` lines further down."""
        self._choose(self.listing.neighbour(by))

    def action_page(self, by: int) -> None:
        """Select the memory `by` pages further down."""
        self._choose(self.listing.neighbour(by * max(1, self._viewport.height - 1)))

    def action_open(self) -> None:
        """Open the selected memory."""
        if (memory := self.selected) is not None:
            self.post_message(self.Opened(memory))

    def _choose(self, row: int | None) -> None:
        if row is not None and self.listing.choose(row):
            self.post_message(self.Selected(self.selected))
        self._scroll_to_chosen()
        self._touch()

    def _rows_of(self, ids: Iterable[str]) -> list[int]:
        frame = self.listing.frame
        return [] if frame is None else [frame.row(memory) for memory in ids if memory in frame]

    def _scroll_to_chosen(self, *, or_top: bool = False) -> None:
        at, height, top = self.listing.chosen_at, self._viewport.height, self.scroll_offset.y
        nearest = top if at is None else at if at < top else max(top, at - height + 1)
        to = 0 if at is None and or_top else nearest
        if to != top and height > 0:
            self.scroll_to(y=to, animate=False, immediate=True, force=True)

    # Mouse and focus

    def on_click(self, event: events.Click) -> None:
        """Select the memory under the pointer; a second click opens it."""
        event.stop()
        row = self.listing.row_at(event.y + self.scroll_offset.y)
        if row is not None:
            self._choose(row)
            if event.chain == 2:
                self.action_open()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down, or select the next memory where all fit."""
        self._wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up, or select the memory above where all fit."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        event.prevent_default()
        event.stop()
        if self.max_scroll_y <= 0:
            self.action_move(direction)
            return
        top = min(max(self.scroll_offset.y + direction * _WHEEL_LINES, 0), self.max_scroll_y)
        self.scroll_to(y=top, animate=False, immediate=True)
        at = self.listing.chosen_at
        if at is not None:  # the selection stays in sight, as an editor's cursor does
            self._choose(self.listing.row_at(min(max(at, top), top + self._viewport.height - 1)))

    def on_focus(self) -> None:
        """Select something, so that the keys have an object."""
        if self.listing.chosen is None:
            self._choose(self.listing.row_at(self.scroll_offset.y))
        self._touch()

    def on_blur(self) -> None:
        """Calm the selection."""
        self._touch()

    # Painting

    @property
    def columns(self) -> Columns:
        """The columns of an active row, or of a skill's, at the present width."""
        if self.listing.tab == "skills":
            return skill_columns(self.listing.frame, self._viewport.width)
        return active_columns(self.listing.frame, self.listing.law, self._viewport.width)

    @property
    def retired_columns(self) -> RetiredColumns:
        """The columns of a retired row at the present width."""
        frame = self.listing.frame
        return retired_columns(max(1, self._viewport.width), 3 if frame is None else handle_cells(frame))

    def render_line(self, y: int) -> Strip:
        """The strip of a visible line."""
        painter = self._painter
        if painter is None:
            painter = self._painter = Painter(self)
        if self._shown is None:
            self._shown = self._lines()
        law = self.listing.law
        if law is None or y >= len(self._shown):
            return self._empty_line(y, painter)
        line, ground = self._shown[y]
        if isinstance(line, RetiredLine):
            return painter.retired(line, self.retired_columns, ground)
        return painter.active(line, self.columns, law.floor, ground)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows come into sight."""
        self._window = self._shown = None
        super().watch_scroll_y(old_value, new_value)

    def on_resize(self) -> None:
        """The columns have other widths."""
        self._relaid()

    def on_show(self) -> None:
        """Catch up with the ticks of the time it was hidden."""
        self._relaid()

    def notify_style_update(self) -> None:
        """Read the theme's styles anew at the next line."""
        super().notify_style_update()
        self._painter = None

    @property
    def _moment(self) -> int:
        return self.now_us if self.preview_us is None else self.preview_us

    @property
    def _viewport(self) -> Size:
        return self.scrollable_content_region.size

    def _relaid(self) -> None:
        """Rows or widths changed: lay out and paint everything."""
        self.virtual_size = Size(0, len(self.listing))
        self._window = self._shown = None
        self.refresh()

    def _touch(self) -> None:
        """Repaint the lines whose cells changed since they were last computed."""
        before = self._shown
        if before is None or not self._viewport or not self.is_on_screen:
            self._shown = None
            self.refresh()
            return
        self._shown = self._lines()
        changed = [y for y, (old, new) in enumerate(zip(before, self._shown, strict=False)) if old != new]
        if len(before) != len(self._shown) or len(changed) > len(before) // 2:
            self.refresh()
        elif changed:
            self.refresh(*(Region(0, y, self._viewport.width, 1) for y in changed))

    def _lines(self) -> list[tuple[Line | RetiredLine, Ground]]:
        window = self._window
        if window is None:
            window = self._window = self._new_window()
        if window is None:
            return []
        lines: Sequence[Line | RetiredLine]
        if isinstance(window, RetiredWindow):
            lines = window.lines(self.now_us)
        else:
            lines = window.lines(self.now_us, self.preview_us, self._given)
        return list(zip(lines, map(self._ground, window.rows), strict=True))

    def _new_window(self) -> Window | RetiredWindow | None:
        frame, law, top = self.listing.frame, self.listing.law, self.scroll_offset.y
        if frame is None or law is None:
            return None
        rows = self.listing.order.take(top, top + self._viewport.height)
        if self.listing.tab == "retired":
            return RetiredWindow(frame, law, rows, self.retired_columns)
        if self.listing.tab == "skills":
            return SkillWindow(frame, law, rows, self.columns)
        return Window(frame, law, rows, self.columns, left_for_age=self.listing.sort == "left")

    def _ground(self, row: int) -> Ground:
        cursor = 0 if row != self.listing.chosen else 2 if self.has_focus else 1
        if self.listing.tab == "retired":
            return Ground(cursor)
        return Ground(cursor, self.motion.glow_of(row), self.motion.fade_of(row))

    def _empty_line(self, y: int, painter: Painter) -> Strip:
        width = self._viewport.width
        blank = Strip.blank(width, painter.style("blank"))
        if len(self.listing):
            return blank
        lines = wrapped(self._empty_words(), max(1, width - 4))
        if not 1 <= y <= len(lines):
            return blank
        return Strip([Segment("  " + lines[y - 1], painter.style("muted"))]).crop_extend(0, width, painter.style("blank"))

    def _empty_words(self) -> str:
        if self.listing.tab == "active" and not self.listing.count("retired"):
            return EMPTY["nothing"]
        return EMPTY[self.listing.tab]

    # Motion

    def _leave(self, rows: list[int]) -> None:
        if self.reduced_motion or not self.is_attached:
            self._drop(rows)
        else:
            self.motion.leave(rows)

    def _drop(self, rows: list[int]) -> None:
        if self.listing.remove(rows) and self.listing.tab == "active":
            self.post_message(self.Selected(self.selected))

    def _on_motion(self, gone: list[int]) -> None:
        if gone:
            self._drop(gone)
            self._relaid()
        else:
            self._touch()
