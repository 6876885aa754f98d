"""Salience, the default law (source: the Synapse write-ups; LAWS, "Salience").

    salience(t) = importance * (1 + ln(1 + recalls)) * exp(-ln 2 / half_life * age)

`age` is the hours since the last recall and never below 0. The crossing of the floor has a closed form, so nobody steps
a clock to know it:

    dies_at = last_recall + half_life / ln 2 * ln(importance * (1 + ln(1 + recalls)) / floor)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import up_for_it
from memtui.memory.laws.labels import half_life_words
from memtui.memory.model import KINDS, Kind, Memory
from memtui.memory.moments import HOUR_US, NEVER_US, to_us

DEFAULT_HALF_LIFE: Mapping[Kind, float] = {
    Kind.EPISODIC: 72.0,
    Kind.SEMANTIC: 720.0,
    Kind.CONSOLIDATED: 720.0,
    Kind.PROCEDURAL: 2160.0,
}
"""Hours, by kind."""


@dataclass(frozen=True)
class SalienceLaw:
    """The salience law with its policy.

    Attributes:
        half_life: hours, by kind.
        floor: below it a memory is pruned.
        capacity: any number.
    """

    half_life: Mapping[Kind, float] = field(default_factory=lambda: dict(DEFAULT_HALF_LIFE))
    floor: float = 0.05
    capacity: None = None
    name: str = "salience"

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """Salience of every row at `now_us` (microseconds UTC): float64 (n,)."""
        age_us = np.maximum(now_us - frame.last_recall, 0)
        rate = self._half_life_us()[frame.kind]
        return np.asarray(_boosted(frame) * np.exp2(-age_us / rate), np.float64)

    def dies_at(self, frame: Frame) -> Ints:
        """Moment (microseconds UTC) each row crosses the floor without a recall: int64 (n,); `NEVER_US` when pinned.

        A row whose boosted importance is not above the floor is dead from its last recall on.
        """
        boosted = np.maximum(_boosted(frame) / self.floor, 1.0)
        lasts_us = self._half_life_us()[frame.kind] * np.log2(boosted)
        moment = frame.last_recall + lasts_us.astype(np.int64)
        return np.where(frame.pinned, NEVER_US, moment).astype(np.int64)

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """What is below the floor at `now_us`: bool (n,)."""
        return up_for_it(frame, leaving, spared) & (self.retention(frame, now_us) < self.floor)

    def half_life_label(self, kind_code: int) -> str:
        """Such as `E72h`, `S30d`: whole days from 4 days on."""
        return half_life_words(kind_code, self.half_life[KINDS[kind_code]])

    def salience(self, memory: Memory, now_us: int) -> float:
        """Salience of one memory at `now_us`; the same formula without a frame."""
        age_us = max(now_us - to_us(memory.last_recall), 0)
        boosted = memory.importance * (1 + math.log1p(memory.recalls))
        return boosted * math.exp2(-age_us / (self.half_life[memory.kind] * HOUR_US))

    def _half_life_us(self) -> Floats:
        return np.array([self.half_life[kind] * HOUR_US for kind in KINDS], np.float64)


def _boosted(frame: Frame) -> Floats:
    return np.asarray(frame.importance * (1.0 + np.log1p(frame.recalls)), np.float64)
