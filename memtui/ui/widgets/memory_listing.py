"""What the panel lists and what is selected in it, without a widget.

The order is computed by `resort` alone. In between, memories that came stand at the end, memories that left are taken out,
and nothing else moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import numpy as np

from memtui.memory.frame import Frame, Ints
from memtui.memory.laws import Law
from memtui.ui.widgets.memory_order import SORTS, RowOrder, retired_rows, skill_rows, sort_keys

Tab = Literal["active", "retired", "skills"]
TABS: Final[tuple[Tab, ...]] = ("active", "retired", "skills")
_CARRIED_MOST: Final = 20_000
"""Rows up to which the order is carried over to another frame; beyond, it is sorted anew."""


class Listing:
    """The rows of all tabs in their order, and the selected row of each. Skills stand on their own tab, wherever they are.

    Attributes:
        tab: the one in front.
        sort: one of `SORTS`, for the active tab; the retired tab has the last retired first, the skills
            tab the strongest.
    """

    def __init__(self) -> None:
        self.frame: Frame | None = None
        self.law: Law | None = None
        self.tab: Tab = "active"
        self.sort = SORTS[0]
        self._orders: dict[Tab, RowOrder] = {tab: RowOrder() for tab in TABS}
        self._chosen: dict[Tab, int | None] = dict.fromkeys(TABS)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def order(self) -> RowOrder:
        """The order of the tab in front."""
        return self._orders[self.tab]

    @property
    def chosen(self) -> int | None:
        """The selected row of the tab in front."""
        return self._chosen[self.tab]

    @property
    def chosen_at(self) -> int | None:
        """The position of the selected row."""
        return None if self.chosen is None else self.order.position(self.chosen)

    def count(self, tab: Tab) -> int:
        """How many memories a tab lists."""
        return len(self._orders[tab])

    def show(self, frame: Frame, law: Law, moment_us: int, leaving: Iterable[int] = ()) -> list[int] | None:
        """Take in a frame, new or changed.

        Args:
            moment_us: the moment memories are sorted at that were not listed before.
            leaving: rows that are retired already and only still fade.

        Returns:
            Rows that were retired since the last time and still stand in the active order; None when the frame is another
            object than before. Memories that both frames have keep their order even then (a look at the past).
        """
        ids = {tab: self.id_of(row) for tab, row in self._chosen.items()}
        before, self.frame, self.law = self.frame, frame, law
        gone: list[int] | None = None
        if before is frame:
            gone = self._take_changes(frame, set(leaving))
        else:
            known = [] if before is None else self._carried(before, frame)
            self.resort(moment_us)
            if len(known):
                self._carry(known)
        self._orders["retired"] = RowOrder(retired_rows(frame))
        self._orders["skills"] = RowOrder(skill_rows(frame, law, moment_us))
        for tab, memory in ids.items():
            row = frame.row(memory) if memory is not None and memory in frame else None
            self._chosen[tab] = row if row is not None and self._orders[tab].position(row) is not None else None
        return gone

    def resort(self, moment_us: int, leaving: Iterable[int] = ()) -> None:
        """Sort the active memories anew, as they are at `moment_us`; `leaving` rows keep a place among them."""
        if self.frame is None or self.law is None:
            return
        staying = np.array([row for row in leaving if not self.frame.active[row]], np.int64)
        rows = np.flatnonzero(self.frame.active & ~self.frame.skill)
        if staying.size:
            rows = np.union1d(rows, staying).astype(np.int64)
        self._orders["active"] = RowOrder(rows, sort_keys(self.sort, self.frame, self.law, rows, moment_us))
        self._orders["skills"] = RowOrder(skill_rows(self.frame, self.law, moment_us))

    def tab_of(self, memory: str) -> Tab | None:
        """The tab that lists a memory, the one in front first."""
        if self.frame is None or memory not in self.frame:
            return None
        row = self.frame.row(memory)
        for tab in (self.tab, *TABS):
            if self._orders[tab].position(row) is not None:
                return tab
        return None

    def choose(self, row: int | None) -> bool:
        """Select a row of the tab in front; whether that changed anything."""
        changed = row != self._chosen[self.tab]
        self._chosen[self.tab] = row
        return changed

    def neighbour(self, by: int) -> int | None:
        """The row `by` positions from the selected one, within the list; the first or last when none is selected."""
        last = len(self.order) - 1
        if last < 0:
            return None
        at = self.chosen_at
        to = (0 if by >= 0 else last) if at is None else min(max(at + by, 0), last)
        return self.row_at(to)

    def row_at(self, position: int) -> int | None:
        """The row at a position, or None beyond the end."""
        if not 0 <= position < len(self.order):
            return None
        return int(self.order.take(position, position + 1)[0])

    def remove(self, rows: Iterable[int]) -> bool:
        """Take `rows` out of the active order; whether the selection had to move to a neighbour."""
        order, chosen = self._orders["active"], self._chosen["active"]
        gone = np.fromiter(rows, np.int64)
        at = order.position(chosen) if chosen is not None and chosen in gone else None
        order.remove(gone)
        if at is None:
            return False
        near = order.take(min(at, max(0, len(order) - 1)), at + 1)
        self._chosen["active"] = int(near[0]) if len(near) else None
        return True

    def listed(self, rows: Iterable[int]) -> list[int]:
        """Those of `rows` that stand in the active order."""
        wanted = np.fromiter(rows, np.int64)
        found: list[int] = wanted[np.isin(wanted, self._orders["active"].rows())].tolist()
        return found

    def id_of(self, row: int | None) -> str | None:
        """The id of a row."""
        return None if row is None or self.frame is None else self.frame.ids[row]

    def _carried(self, before: Frame, frame: Frame) -> Ints | list[int]:
        """The active order of `before` as rows of `frame`, where it has them active."""
        order = self._orders["active"]
        if len(order) > _CARRIED_MOST:
            return []
        both = min(len(before), len(frame))
        if before.ids[:both] == frame.ids[:both]:  # a look at the past: a row is the same memory in both
            same = order.take(0, len(order))
            same = same[same < both]
            return same[frame.active[same] & ~frame.skill[same]]
        ids = (before.ids[row] for row in order.take(0, len(order)).tolist())
        rows = (frame.row(memory) for memory in ids if memory in frame)
        return [row for row in rows if frame.active[row] and not frame.skill[row]]

    def _carry(self, known: Ints | list[int]) -> None:
        """Put `known` in front, in this order; the others follow as they were just sorted."""
        order = self._orders["active"]
        rows = np.asarray(known, np.int64)
        order.remove(rows)
        carried = RowOrder(rows)
        carried.append(order.take(0, len(order)))
        self._orders["active"] = carried

    def _take_changes(self, frame: Frame, leaving: set[int]) -> list[int]:
        order = self._orders["active"]
        known = np.zeros(len(frame), np.bool_)
        known[order.rows()] = True
        gone = np.flatnonzero(known & (~frame.active | frame.skill)).tolist()
        undone = {row for row in gone if frame.skill[row] or frame.ids[row] not in frame or frame.row(frame.ids[row]) != row}
        self.remove(undone)
        order.append(np.flatnonzero(frame.active & ~known & ~frame.skill))
        return [row for row in gone if row not in undone and row not in leaving]
