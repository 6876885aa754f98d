"""Where every message stands: heights, the rows a viewport shows, and the place a reader keeps while heights change.

A thousand messages are laid out without being drawn: heights are guesses until a message is looked at. When a guess turns
out wrong above the viewport, the offset moves by the difference, so what is being read stays where it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from memtui.ui.widgets.message_model import MessageData
from memtui.ui.widgets.message_rows import Scene
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.message_view import MessageView, Part

KEPT_ROWS: Final = 4_000
"""Drawn rows that are kept; those looked at longest ago are dropped and drawn again when they are needed."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A row of the transcript: the message, the part of it by number, and the row in that part (gap rows are below 0)."""

    view: MessageView
    number: int
    part: Part
    row: int


@dataclass(frozen=True, slots=True)
class Place:
    """What a reader looks at: the row at the top of the viewport, in terms that survive a new layout."""

    serial: int
    number: int
    row: int


class TranscriptLayout:
    """The messages from top to bottom."""

    def __init__(self) -> None:
        self.views: list[MessageView] = []
        self.width = 80
        self._tops: list[int] | None = None
        self._next_serial = 0
        self._drawn: OrderedDict[Part, int] = OrderedDict()
        self._drawn_rows = 0

    # -- the messages ------------------------------------------------------------------------------------------------

    def add(self, data: MessageData) -> MessageView:
        """A new message at the end."""
        view = MessageView(self._next_serial, data, self.width, self._keep)
        self._next_serial += 1
        self.views.append(view)
        self.moved()
        return view

    def clear(self) -> None:
        """No messages; serials go on."""
        self.views.clear()
        self._drawn.clear()
        self._drawn_rows = 0
        self.moved()

    def moved(self) -> None:
        """Some height has changed."""
        self._tops = None

    def rewidth(self, width: int) -> None:
        """Lay all out at another width."""
        self.width = width
        self._drawn.clear()
        self._drawn_rows = 0
        for view in self.views:
            view.rewidth(width)
        self.moved()

    def restyle(self) -> None:
        """Forget what was drawn: colours have changed."""
        self._drawn.clear()
        self._drawn_rows = 0
        for view in self.views:
            view.restyle()

    # -- rows --------------------------------------------------------------------------------------------------------

    def tops(self) -> list[int]:
        """The first row of each message, and at the end the number of all rows."""
        if self._tops is None:
            self._tops = list(accumulate((view.height for view in self.views), initial=0))
        return self._tops

    @property
    def rows(self) -> int:
        """Rows of all messages."""
        return self.tops()[-1]

    def top_of(self, view: MessageView) -> int:
        """The first row of a message."""
        return self.tops()[self.index_of(view.serial)]

    def index_of(self, serial: int) -> int:
        """Position of the message with this serial number, or of the one after it if it is gone."""
        low, high = 0, len(self.views)
        while low < high:
            middle = (low + high) // 2
            if self.views[middle].serial < serial:
                low = middle + 1
            else:
                high = middle
        return low

    def index_at(self, row: int) -> int:
        """Position of the message that row belongs to; the nearest one for rows outside. There must be a message."""
        return max(0, min(bisect_right(self.tops(), row) - 1, len(self.views) - 1))

    def spot(self, row: int) -> Spot | None:
        """What stands in a row; None below the last message."""
        if not 0 <= row < self.rows:
            return None
        index = self.index_at(row)
        view = self.views[index]
        number, part, inside = view.row(row - self.tops()[index])
        return Spot(view, number, part, inside)

    # -- keeping the place -------------------------------------------------------------------------------------------

    def settle(self, top: int, rows: int, palette: Palette, scene: Scene) -> int:
        """Draw what the viewport of `rows` rows from `top` shows, so that its heights are exact.

        Returns:
            The offset at which the viewport shows what it showed before, within bounds.
        """
        for _ in range(6):
            settled = self._settle_once(top, rows, palette, scene)
            clamped = max(0, min(settled, self.rows - rows))
            if clamped == top:
                break
            top = clamped
        return top

    def _settle_once(self, top: int, rows: int, palette: Palette, scene: Scene) -> int:
        if not self.views:
            return 0
        index = self.index_at(top)
        start = self.tops()[index]
        first = self.views[index]
        inside = top - start
        if not first.built:
            before = first.height
            first.build()
            if inside > 0:
                inside = max(0, inside + first.height - before)
        inside += first.measure(inside, inside + rows, palette, scene)
        inside = max(0, min(inside, first.height))
        y = first.height - inside
        while y < rows and index + 1 < len(self.views):
            index += 1
            view = self.views[index]
            view.measure(0, rows - y, palette, scene)
            y += view.height
        self.moved()
        return start + inside

    def settle_end(self, rows: int, palette: Palette, scene: Scene) -> int:
        """Draw the last `rows` rows, so that their heights are exact; the offset that shows them."""
        y = 0
        for view in reversed(self.views):
            if y >= rows:
                break
            view.parts()
            for _ in range(4):
                height = view.height
                view.measure(max(0, height - (rows - y)), height, palette, scene)
                if view.height == height:
                    break
            y += view.height
        self.moved()
        return max(0, self.rows - rows)

    def place(self, top: int) -> Place | None:
        """The place of a reader whose viewport begins at row `top`."""
        spot = self.spot(top)
        return None if spot is None else Place(spot.view.serial, spot.number, spot.row + spot.part.gap)

    def find(self, place: Place | None) -> int:
        """The row of a place now; 0 if there is none."""
        if place is None or not self.views:
            return 0
        index = self.index_of(place.serial)
        if index >= len(self.views):
            return self.rows
        view = self.views[index]
        if view.serial != place.serial:
            return self.tops()[index]
        parts = view.parts()
        number = min(place.number, len(parts) - 1)
        self.moved()
        return self.tops()[index] + view.top_of(number) + min(place.row, parts[number].height - 1)

    # -- memory ------------------------------------------------------------------------------------------------------

    def _keep(self, part: Part) -> None:
        """A part was looked at: keep what was drawn of it, and drop the oldest if there is too much."""
        if part.lines is None:
            return
        if part in self._drawn:
            self._drawn.move_to_end(part)
            return
        self.moved()
        self._drawn[part] = len(part.lines)
        self._drawn_rows += len(part.lines)
        while self._drawn_rows > KEPT_ROWS and len(self._drawn) > 1:
            old, count = self._drawn.popitem(last=False)
            old.lines = None
            self._drawn_rows -= count
