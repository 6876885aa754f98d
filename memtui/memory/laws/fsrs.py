"""FSRS: the power law of human forgetting, by the `fsrs` package (open-spaced-repetition).

A telling is the first review and a recall is a further one, each graded "good". Stability and difficulty come from the
package, review by review. Retrievability is its formula, with the time since the last review to the microsecond where the
package counts whole days:

    R(t) = (1 + factor * days / stability) ^ decay            decay = -parameters[20], factor = 0.9 ^ (1 / decay) - 1

It knows nothing of importance.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from fsrs import Card, Rating, Scheduler, State

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import up_for_it
from memtui.memory.laws.derived import PerMemory, used
from memtui.memory.laws.labels import half_life_words
from memtui.memory.model import Memory
from memtui.memory.moments import HOUR_US, NEVER_US
from memtui.memory.uses import How

_DAY_US: Final = 24 * HOUR_US
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Only the days between reviews count, so any day will do."""


@dataclass(frozen=True)
class FsrsLaw:
    """The FSRS law.

    Attributes:
        floor: retrievability below which a memory is pruned; the curve is flat, so it lies far above salience's.
        parameters: the 21 weights of FSRS-6; () takes the package's own.
        capacity: any number.

    Raises:
        ValueError: parameters the package refuses.
    """

    floor: float = 0.7
    parameters: tuple[float, ...] = ()
    capacity: None = None
    name: str = "fsrs"
    _folded: PerMemory = field(init=False, repr=False, compare=False)
    _curve: tuple[float, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scheduler = _scheduler(self.parameters)
        decay = -scheduler.parameters[20]
        object.__setattr__(self, "_curve", (decay, 0.9 ** (1 / decay) - 1))
        object.__setattr__(self, "_folded", PerMemory(self._after_last_recall, _first(self.parameters)))

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """Retrievability of every row at `now_us` (microseconds UTC): float64 (n,), 0..1."""
        decay, factor = self._curve
        days = np.maximum(now_us - frame.last_recall, 0) / _DAY_US
        return np.asarray((1 + factor * days / self.stability(frame)) ** decay, np.float64)

    def stability(self, frame: Frame) -> Floats:
        """Days until retrievability is 0.9, by row: float64 (n,)."""
        return np.asarray(self._folded.columns(frame)[0], np.float64)

    def difficulty(self, frame: Frame) -> Floats:
        """Difficulty by row, 1..10: float64 (n,)."""
        return np.asarray(self._folded.columns(frame)[1], np.float64)

    def dies_at(self, frame: Frame) -> Ints:
        """When retrievability crosses the floor, by its own formula: int64 (n,) microseconds UTC; `NEVER_US` when pinned."""
        lasts = np.minimum(self.stability(frame) * self._days(self.floor) * _DAY_US, NEVER_US / 4)
        return np.where(frame.pinned, NEVER_US, frame.last_recall + lasts.astype(np.int64)).astype(np.int64)

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """What is below the floor at `now_us`: bool (n,)."""
        return up_for_it(frame, leaving, spared) & (self.retention(frame, now_us) < self.floor)

    def half_life_label(self, kind_code: int) -> str:
        """Of what was told once and never recalled, the same for all kinds, such as `E206d`."""
        days = _first(self.parameters)[0] * self._days(0.5)
        return half_life_words(kind_code, round(days) * 24.0)

    def _days(self, retrievability: float) -> float:
        """Days until so much is left, for a stability of one day."""
        decay, factor = self._curve
        return float((retrievability ** (1 / decay) - 1) / factor)

    def _after_last_recall(self, memory: Memory) -> Sequence[float]:
        before, uses = used(memory)
        stability, difficulty = _first(self.parameters)
        for at, how in uses:
            if how is not How.FAILED:
                stability, difficulty = _reviewed(self.parameters, stability, difficulty, (at - before) // _DAY_US)
                before = at
        return stability, difficulty


@functools.cache
def _scheduler(parameters: tuple[float, ...]) -> Scheduler:
    steps: tuple[timedelta, ...] = ()  # memories are not taught step by step
    if parameters:
        return Scheduler(parameters, learning_steps=steps, relearning_steps=steps, enable_fuzzing=False)
    return Scheduler(learning_steps=steps, relearning_steps=steps, enable_fuzzing=False)


@functools.cache
def _first(parameters: tuple[float, ...]) -> tuple[float, float]:
    """Stability (days) and difficulty after the telling."""
    return _values(_scheduler(parameters).review_card(Card(card_id=0, due=_SOME_DAY), Rating.Good, _SOME_DAY)[0])


@functools.lru_cache(maxsize=100_000)
def _reviewed(parameters: tuple[float, ...], stability: float, difficulty: float, days: int) -> tuple[float, float]:
    """Stability and difficulty after a recall so many full days behind the last: histories that agree share the work."""
    card = Card(0, State.Review, None, stability, difficulty, _SOME_DAY, _SOME_DAY)
    return _values(_scheduler(parameters).review_card(card, Rating.Good, _SOME_DAY + timedelta(days=days))[0])


def _values(card: Card) -> tuple[float, float]:
    assert card.stability is not None and card.difficulty is not None
    return card.stability, card.difficulty
