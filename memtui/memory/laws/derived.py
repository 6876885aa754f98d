"""What a law works out of a memory's history, once a memory.

The fold over a history of uses is a function of the memory alone (and of the law's numbers), so it is kept by memory: a
look at another moment, another frame of the same memories or the next turn costs a look-up. A memory that was never
recalled needs none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from memtui.memory.frame import Floats, Frame
from memtui.memory.model import Memory
from memtui.memory.moments import to_us
from memtui.memory.uses import How, Uses

_MOST_KEPT: Final = 400_000
"""Memories whose fold is kept; then all are let go of and found anew."""


class PerMemory:
    """Columns of what `fold` makes of each memory that has been used; the others have `fresh`."""

    def __init__(self, fold: Callable[[Memory], Sequence[float]], fresh: Sequence[float]) -> None:
        self._fold = fold
        self._fresh = np.array(fresh, np.float64)[:, np.newaxis]
        self._known: dict[int, tuple[Memory, Sequence[float]]] = {}
        self._frames: WeakKeyDictionary[Frame, tuple[int, Floats]] = WeakKeyDictionary()
        self._lock = threading.Lock()  # recall asks from a thread of its own

    def columns(self, frame: Frame) -> Floats:
        """float64 (k, n), read-only; one column of the k values a row."""
        with self._lock:
            found = self._frames.get(frame)
            if found is not None and found[0] == frame.version and found[1].shape[1] == len(frame):
                return found[1]
            out: Floats = np.repeat(self._fresh, len(frame), axis=1)
            rows = np.flatnonzero(frame.recalls > 0)
            values = chain.from_iterable(self._of(frame.memories[row]) for row in rows.tolist())
            out[:, rows] = np.fromiter(values, np.float64).reshape(rows.size, len(out)).T
            out.flags.writeable = False
            self._frames[frame] = frame.version, out
            return out

    def _of(self, memory: Memory) -> Sequence[float]:
        known = self._known.get(id(memory))
        if known is not None and known[0] is memory:
            return known[1]
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        values = self._fold(memory)
        self._known[id(memory)] = memory, values
        return values


def used(memory: Memory) -> tuple[int, list[tuple[int, How]]]:
    """When a memory was born and each time it was used, in order, all microseconds UTC.

    Nothing lies behind its last recall, and nothing in front of its birth.
    """
    last, born = to_us(memory.last_recall), to_us(memory.created_at)
    uses = memory.uses
    if uses is None and memory.recalls:
        uses = Uses(last, count=memory.recalls, since_us=min(born, last))
    moments = [] if uses is None else [(min(at, last), how) for at, how in uses.moments()]
    if not moments:
        return last, []  # the telling itself counts as the last recall
    return min(born, moments[0][0]), moments
