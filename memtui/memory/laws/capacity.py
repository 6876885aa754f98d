"""Room for so many memories and no more: who goes when there are too many.

The order in which memories would go is fixed at the moment of the last thing that happened, not at the moment somebody
looks. So it makes no difference when a pass runs or how often, and what goes when is known beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import Law, up_for_it
from memtui.memory.moments import NEVER_US


def last_moment(frame: Frame) -> int:
    """The moment (microseconds UTC) of the last telling or recall; 0 for an empty frame."""
    return int(max(frame.last_recall.max(), frame.created.max())) if len(frame) else 0


def due(
    frame: Frame,
    capacity: int,
    key: Floats,
    *,
    held_until: Ints | None = None,
    leaving: Bools | None = None,
    spared: Bools | None = None,
) -> Ints:
    """From when on each row has to go because there are more than `capacity`: int64 (n,); `NEVER_US` for those that stay.

    Args:
        key: float64 (n,); the lowest goes first, of equals the one told first.
        held_until: microseconds UTC until which a row may not go; whoever is still held at the last moment goes behind all
            that are not, the one held for the shortest time first.
        leaving, spared: see `Law.faded`.
    """
    out = np.full(len(frame), NEVER_US, np.int64)
    there = frame.active if leaving is None else frame.active & ~leaving
    beyond = int(there.sum()) - capacity
    if beyond <= 0:
        return out
    rows = np.flatnonzero(up_for_it(frame, leaving, spared))
    free = frame.last_recall[rows]
    held = np.zeros(rows.size, np.int64)
    if held_until is not None:
        until = held_until[rows]
        held = np.where(until > last_moment(frame), until, 0)
        free = np.maximum(free, held)
    order = np.lexsort((rows, frame.created[rows], key[rows], held))[:beyond]
    out[rows[order]] = free[order]
    return out


def beyond_words(law: Law, active: int) -> str:
    """What to say when `active` memories are more than the law has room for, or ""."""
    if law.capacity is None or active <= law.capacity:
        return ""
    more = active - law.capacity
    return f"{active:,} memories are {more:,} more than there is room for: they are pinned, rooted or new, so they stay."


@dataclass(frozen=True)
class Capped:
    """Another law, with room for `capacity` memories: when there are more, those it has least left of go too."""

    law: Law
    capacity: int

    @property
    def name(self) -> str:
        """The law's own."""
        return self.law.name

    @property
    def floor(self) -> float:
        """The law's own."""
        return self.law.floor

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """The law's own: float64 (n,)."""
        return self.law.retention(frame, now_us)

    def dies_at(self, frame: Frame) -> Ints:
        """When it fades by the law, or has to go for room: int64 (n,) microseconds UTC."""
        return np.minimum(self.law.dies_at(frame), self._due(frame, None, None))

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """What the law lets go of, and then what is too much: bool (n,)."""
        gone = self.law.faded(frame, now_us, leaving=leaving, spared=spared)
        return gone | (self._due(frame, gone if leaving is None else leaving | gone, spared) <= now_us)

    def half_life_label(self, kind_code: int) -> str:
        """The law's own."""
        return self.law.half_life_label(kind_code)

    def _due(self, frame: Frame, leaving: Bools | None, spared: Bools | None) -> Ints:
        key = self.law.retention(frame, last_moment(frame))
        return due(frame, self.capacity, key, leaving=leaving, spared=spared)
