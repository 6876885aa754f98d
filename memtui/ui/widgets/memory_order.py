"""The order of the panel's rows: computed when asked for, frozen in between, lazy at 100,000 rows."""

from __future__ import annotations

from typing import Final

import numpy as np

from memtui.memory.frame import Floats, Frame, Ints
from memtui.memory.laws import Law

SORTS: Final = ("salience", "age", "recalls", "kind", "left")
"""What the active rows can be sorted by; `left` is the time until a memory fades."""
_HEAD_ROWS: Final = 512
_FEW: Final = 4096
_NONE: Final[Ints] = np.zeros(0, np.int64)


def sort_keys(name: str, frame: Frame, law: Law, rows: Ints, moment_us: int) -> Floats:
    """Keys of `rows` for the sort `name`, smallest first: float64 (len(rows),).

    Raises:
        ValueError: no such sort.
    """
    if name == "age":
        return -frame.last_recall[rows].astype(np.float64)
    if name == "left":
        return law.dies_at(frame)[rows].astype(np.float64)
    salience = np.clip(np.nan_to_num(law.retention(frame, moment_us)[rows]), 0.0, 1e6)
    if name == "salience":
        return np.asarray(-salience, np.float64)
    within = salience / 2e6  # below 1, so that it only breaks ties
    if name == "recalls":
        return np.asarray(-frame.recalls[rows] - within, np.float64)
    if name == "kind":
        return np.asarray(frame.kind[rows] - within, np.float64)
    raise ValueError(f"no sort named '{name}' (one of {', '.join(SORTS)})")


def retired_rows(frame: Frame) -> Ints:
    """Rows of retired memories, the last one retired first; skills and what was undone at birth are not among them."""
    gone = ~frame.active & ~frame.skill
    gone[frame.dropped_rows()] = False
    rows = np.flatnonzero(gone)
    return rows[np.lexsort((rows, frame.retired[rows]))[::-1]]


def skill_rows(frame: Frame, law: Law, moment_us: int) -> Ints:
    """Rows of skills, the strongest first at `moment_us`, archived ones behind."""
    there = frame.skill.copy()
    if not there.any():
        return _NONE
    there[frame.dropped_rows()] = False
    rows = np.flatnonzero(there)
    strength = law.retention(frame, moment_us)[rows]
    return rows[np.lexsort((rows, -strength, ~frame.active[rows]))]


class RowOrder:
    """A frozen order over row numbers.

    The best few hundred are found by partition, so that showing them costs under a millisecond at 100,000 rows; the rest
    is sorted once, when somebody scrolls there. Both ways give the same order: equal keys stay in row order.
    """

    def __init__(self, rows: Ints = _NONE, keys: Floats | None = None) -> None:
        """Take `rows`, to be sorted by `keys` (smallest first), or already in order when `keys` is None."""
        self._head = rows if keys is None else _NONE
        self._rest = _NONE if keys is None else rows
        self._keys = np.zeros(0) if keys is None else keys
        self._late = _NONE

    def __len__(self) -> int:
        return len(self._head) + len(self._rest) + len(self._late)

    def take(self, start: int, stop: int) -> Ints:
        """The rows at positions `start` up to `stop` (fewer at the end)."""
        start, stop = max(0, start), min(stop, len(self))
        if stop > len(self._head) and len(self._rest):
            self._advance(stop)
        if stop <= len(self._head):
            return self._head[start:stop]
        return np.concatenate((self._head, self._late))[start:stop]

    def position(self, row: int) -> int | None:
        """Where `row` stands, or None."""
        if np.any(self._rest == row):
            self._advance(len(self))
        for before, part in ((0, self._head), (len(self._head) + len(self._rest), self._late)):
            found = np.flatnonzero(part == row)
            if len(found):
                return before + int(found[0])
        return None

    def rows(self) -> Ints:
        """All rows, in no order."""
        return np.concatenate((self._head, self._rest, self._late))

    def append(self, rows: Ints) -> None:
        """Put `rows` at the end, where they stay until the next sort."""
        self._late = np.concatenate((self._late, rows))

    def remove(self, rows: Ints) -> None:
        """Take `rows` out; the others close up without changing their order."""
        kept = ~np.isin(self._rest, rows)
        self._rest, self._keys = self._rest[kept], self._keys[kept]
        self._head = self._head[~np.isin(self._head, rows)]
        self._late = self._late[~np.isin(self._late, rows)]

    def _advance(self, stop: int) -> None:
        """Sort on until `stop` positions are known."""
        if len(self._head) == 0 and stop <= _HEAD_ROWS and len(self._rest) > _FEW:
            chosen = _smallest(self._keys, _HEAD_ROWS)
            self._head = self._rest[chosen]
            kept = np.ones(len(self._rest), np.bool_)
            kept[chosen] = False
            self._rest, self._keys = self._rest[kept], self._keys[kept]
            return
        self._head = np.concatenate((self._head, self._rest[np.argsort(self._keys, kind="stable")]))
        self._rest, self._keys = _NONE, np.zeros(0)


def _smallest(keys: Floats, count: int) -> Ints:
    """Positions of the `count` smallest keys, as a stable sort of all would begin."""
    limit = np.partition(keys, count - 1)[count - 1]
    below = np.flatnonzero(keys < limit)
    ties = np.flatnonzero(keys == limit)[: count - len(below)]
    chosen = np.sort(np.concatenate((below, ties)))
    return np.asarray(chosen[np.argsort(keys[chosen], kind="stable")], np.int64)
