"""Stability: the Ebbinghaus engine (LAWS, "Stability").

    S(t) = S * exp(-rate * hours since the last recall)       S = 0.1 at birth
    at each recall, S decayed to that moment:                 S += delta * (1 - S)

S at the last recall is a fold over the moments of all recalls, so nothing is stored and no clean-up compounds the decay.
There is room for `capacity` memories. When there are more, the ones with the lowest score go, and the score is S plus what
importance adds plus, while a task runs, a bonus for what belongs to it. S above `rooted` stays as long as anything else may
go; what nobody may touch makes the store grow past its capacity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints, Vectors
from memtui.memory.laws import up_for_it
from memtui.memory.laws.capacity import due, last_moment
from memtui.memory.laws.derived import PerMemory, used
from memtui.memory.laws.labels import half_life_words
from memtui.memory.model import Memory
from memtui.memory.moments import HOUR_US, NEVER_US, to_us
from memtui.memory.uses import How


@dataclass(frozen=True, eq=False)
class Task:
    """What is being worked on: a context trigger for memories near it.

    Attributes:
        text: in the user's words.
        vector: float32 (dims,), unit length.
        near: cosine from which a memory belongs to it.
    """

    text: str
    vector: Vectors
    near: float = 0.30


@dataclass(frozen=True)
class StabilityLaw:
    """The stability law with its numbers.

    Attributes:
        birth: S of what was just told.
        delta: the share of what is missing to 1 that a recall adds.
        rate: decay an hour.
        capacity: room for so many memories.
        rooted: above it S is rooted.
        importance: what importance 1 adds to the score (0: S alone decides).
        context: what belonging to the running task adds to the score.
        task: the running task.
        floor: nothing fades by itself: only room is short.
    """

    birth: float = 0.1
    delta: float = 0.15
    rate: float = 0.01
    capacity: int = 500
    rooted: float = 0.7
    importance: float = 0.5
    context: float = 0.3
    task: Task | None = None
    floor: float = 0.0
    name: str = "stability"
    _folded: PerMemory = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_folded", PerMemory(self._at_last_recall, (self.birth,)))

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """S of every row at `now_us` (microseconds UTC): float64 (n,), 0..1."""
        hours = np.maximum(now_us - frame.last_recall, 0) / HOUR_US
        return np.asarray(self._folded.columns(frame)[0] * np.exp(-self.rate * hours), np.float64)

    def score(self, frame: Frame, now_us: int) -> Floats:
        """What decides who goes first, lowest first: S, importance and the running task together: float64 (n,)."""
        score = self.retention(frame, now_us) + self.importance * frame.importance
        task = self.task
        if task is not None and frame.dims == task.vector.size:
            score = score + self.context * (frame.vectors @ task.vector >= task.near)
        return np.asarray(score, np.float64)

    def rooted_until(self, frame: Frame) -> Ints:
        """Until when (microseconds UTC) S is above `rooted`; 0 where it never was since the last recall: int64 (n,)."""
        strength = self._folded.columns(frame)[0]
        hours = np.log(np.maximum(strength / self.rooted, 1.0)) / self.rate
        until = frame.last_recall + np.minimum(np.ceil(hours * HOUR_US), NEVER_US / 4).astype(np.int64)
        return np.where(strength > self.rooted, until, 0).astype(np.int64)

    def dies_at(self, frame: Frame) -> Ints:
        """From when on each row has to go for room: int64 (n,) microseconds UTC; `NEVER_US` for those that stay."""
        return self._due(frame, None, None)

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """Who has to go for room at `now_us`: bool (n,)."""
        return up_for_it(frame, leaving, spared) & (self._due(frame, leaving, spared) <= now_us)

    def half_life_label(self, kind_code: int) -> str:
        """One half-life for all kinds, such as `E69h`."""
        return half_life_words(kind_code, math.log(2) / self.rate)

    def _due(self, frame: Frame, leaving: Bools | None, spared: Bools | None) -> Ints:
        score = self.score(frame, last_moment(frame))
        held = self.rooted_until(frame)
        return due(frame, self.capacity, score, held_until=held, leaving=leaving, spared=spared)

    def _at_last_recall(self, memory: Memory) -> tuple[float]:
        before, uses = used(memory)
        strength = self.birth
        for at, how in uses:
            if how is not How.FAILED:
                strength *= math.exp(-self.rate * (at - before) / HOUR_US)
                strength += self.delta * (1.0 - strength)
                before = at
        return (strength * math.exp(-self.rate * (to_us(memory.last_recall) - before) / HOUR_US),)
