"""Baselines to compare with: never forgetting, and keeping the last N (LAWS, "Baselines")."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import up_for_it
from memtui.memory.laws.capacity import due
from memtui.memory.laws.labels import half_life_words
from memtui.memory.moments import NEVER_US


@dataclass(frozen=True)
class NaiveLaw:
    """Nothing is ever forgotten."""

    floor: float = 0.0
    capacity: None = None
    name: str = "naive"

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """All of it: float64 (n,)."""
        return np.ones(len(frame), np.float64)

    def dies_at(self, frame: Frame) -> Ints:
        """Never: int64 (n,)."""
        return np.full(len(frame), NEVER_US, np.int64)

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """Nothing: bool (n,)."""
        return np.zeros(len(frame), np.bool_)

    def half_life_label(self, kind_code: int) -> str:
        """Such as `E∞`."""
        return half_life_words(kind_code, math.inf)


@dataclass(frozen=True)
class WindowLaw:
    """The last `capacity` memories, first in first out; use and importance count for nothing, only a pin holds."""

    capacity: int = 200
    floor: float = 0.0
    name: str = "window"

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """All of it, as long as it is in the window: float64 (n,)."""
        return np.ones(len(frame), np.float64)

    def dies_at(self, frame: Frame) -> Ints:
        """Due for what is behind the window, `NEVER_US` for the rest: int64 (n,) microseconds UTC."""
        return due(frame, self.capacity, _told(frame))

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """What is behind the window: bool (n,)."""
        behind = due(frame, self.capacity, _told(frame), leaving=leaving, spared=spared) <= now_us
        return up_for_it(frame, leaving, spared) & behind

    def half_life_label(self, kind_code: int) -> str:
        """Such as `E∞`."""
        return half_life_words(kind_code, math.inf)


def _told(frame: Frame) -> Floats:
    return frame.created.astype(np.float64)
