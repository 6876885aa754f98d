"""Strength: the law of skills (LAWS, "Strength"; source: the skillmem write-up).

Strength starts at 1. Telling it again adds 0.15 (2 at most), a reported failure multiplies it by 0.7, and every full 14 days
without use by 0.85, counted from the moments of use and not by how often somebody looked. Any use makes it active; after 30
days without one it is stale, after 90 it is archived: out of recall, not lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import up_for_it
from memtui.memory.laws.derived import PerMemory, used
from memtui.memory.laws.labels import half_life_words
from memtui.memory.model import Memory
from memtui.memory.moments import HOUR_US, NEVER_US, to_us
from memtui.memory.uses import How

_DAY_US = 24 * HOUR_US


class Stage(StrEnum):
    """How far a memory is from use."""

    ACTIVE = "active"
    STALE = "stale"
    ARCHIVED = "archived"


@dataclass(frozen=True)
class StrengthLaw:
    """The strength law with its numbers.

    Attributes:
        added: what telling it again adds.
        most: strength never exceeds it.
        failed: what a reported failure multiplies it by.
        idle_days, idle: every so many full days without use multiply it by `idle`.
        stale_days, archive_days: days without use until it is stale, and archived.
        floor: below it a memory is let go of before its time; where it `rests`, its strength never falls below.
        rests: strength rests at the floor, and time without use alone archives: the law of skills.
        capacity: any number.
    """

    added: float = 0.15
    most: float = 2.0
    failed: float = 0.7
    idle_days: float = 14.0
    idle: float = 0.85
    stale_days: float = 30.0
    archive_days: float = 90.0
    floor: float = 0.05
    rests: bool = False
    capacity: None = None
    name: str = "strength"
    _folded: PerMemory = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_folded", PerMemory(self._at_last_recall, (1.0,)))

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """Strength of every row at `now_us` (microseconds UTC): float64 (n,), 0..2."""
        return self.left(self._folded.columns(frame)[0], frame.last_recall, now_us)

    def left(self, strength: Floats, last_use: Ints, now_us: int) -> Floats:
        """What is left at `now_us` of strengths as they were at the last use: float64 (n,).

        Args:
            last_use: microseconds UTC, int64 (n,).
        """
        periods = np.maximum(now_us - last_use, 0) // self._idle_us()
        return np.maximum(np.asarray(strength * self.idle ** periods.astype(np.float64), np.float64), self._least)

    def at_last_use(self, memory: Memory) -> float:
        """The strength of one memory at its last use: the fold over all its uses."""
        return self._at_last_recall(memory)[0]

    def stage(self, memory: Memory, now_us: int) -> Stage:
        """Active, stale or archived at `now_us`, by the time since its last use."""
        return self.stage_after(to_us(memory.last_recall), now_us)

    def stage_after(self, last_use_us: int, now_us: int) -> Stage:
        """The same by the moment of the last use (microseconds UTC)."""
        days = (now_us - last_use_us) / _DAY_US
        return Stage.ARCHIVED if days >= self.archive_days else Stage.STALE if days >= self.stale_days else Stage.ACTIVE

    def dies_at(self, frame: Frame) -> Ints:
        """When it is archived, or falls below the floor before: int64 (n,) microseconds UTC; `NEVER_US` when pinned."""
        if self.rests:
            lasts = np.full(len(frame), self.archive_days * _DAY_US)
            return np.where(frame.pinned, NEVER_US, frame.last_recall + lasts.astype(np.int64)).astype(np.int64)
        strength = self._folded.columns(frame)[0]
        guess = np.floor(np.log(np.maximum(strength / self.floor, 1.0)) / -math.log(self.idle))
        periods = guess + 2
        for step in (1, 0, -1):  # the logarithm may miss the first period below the floor by one
            earlier = np.maximum(guess + step, 0.0)
            periods = np.where(strength * self.idle**earlier < self.floor, earlier, periods)
        lasts = np.minimum(periods * self._idle_us(), self.archive_days * _DAY_US)
        return np.where(frame.pinned, NEVER_US, frame.last_recall + lasts.astype(np.int64)).astype(np.int64)

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """What is archived or below the floor at `now_us`: bool (n,)."""
        archived = now_us - frame.last_recall >= self.archive_days * _DAY_US
        return up_for_it(frame, leaving, spared) & (archived | (self.retention(frame, now_us) < self.floor))

    def half_life_label(self, kind_code: int) -> str:
        """The idle time after which half is gone, such as `P70d`."""
        periods = math.ceil(math.log(2) / -math.log(self.idle))
        return half_life_words(kind_code, periods * self.idle_days * 24)

    @property
    def _least(self) -> float:
        return self.floor if self.rests else 0.0

    def _idle_us(self) -> int:
        return round(self.idle_days * _DAY_US)

    def _at_last_recall(self, memory: Memory) -> tuple[float]:
        before, uses = used(memory)
        strength = 1.0
        for at, how in uses:
            strength = max(self._least, strength * self.idle ** ((at - before) // self._idle_us()))
            if how is How.REINFORCED:
                strength = min(self.most, strength + self.added)
            elif how is How.FAILED:
                strength = max(self._least, strength * self.failed)
            before = at
        return (float(strength * self.idle ** ((to_us(memory.last_recall) - before) // self._idle_us())),)
