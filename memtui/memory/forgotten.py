"""Why a memory is gone, and what would have kept it: the recall that was missing.

Nothing is guessed: memory as it stood in front of the pass is given once more to the law, with one recall more. The latest
recall that still helps is one right before the pass; how early it may have been is found by bisection over the law itself,
because with some laws the fate of a memory hangs on all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memtui.memory.events import Event, Recalled, Retired
from memtui.memory.forecast import spared_kinds
from memtui.memory.frame import Bools, Floats, Frame
from memtui.memory.laws import Law
from memtui.memory.laws.apart import ruling
from memtui.memory.laws.capacity import Capped, last_moment
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.model import Memory, RetireReason
from memtui.memory.moments import from_us, to_us
from memtui.memory.state import evolve

_EXACT_US: Final = 1_000_000
"""How exactly the earliest recall is found: to the second."""


@dataclass(frozen=True, slots=True)
class Chance:
    """The one recall that would have saved a memory. Moments are microseconds UTC.

    Attributes:
        latest_us: up to when: the pass that let go of it.
        since_us: from when on; one before that would have worn off by then.
        until_us: how long it would then have lasted; `NEVER_US` while there is room for it.
    """

    latest_us: int
    since_us: int
    until_us: int


@dataclass(frozen=True, slots=True)
class Shortfall:
    """How much a memory lacked where room was short, even with one recall more.

    Attributes:
        had: its score at the pass, with that recall.
        needed: the score of the least that stayed.
        strength: what the law's retention would have had to be; None where no retention is enough.
    """

    had: float
    needed: float
    strength: float | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How the law saw a memory that a pass let go of.

    Attributes:
        chance: the recall that would have saved it, or None.
        shortfall: what it lacked, where no single recall was enough and room was what it lacked.
        other_law: by this law, as it is set now, it would not have gone: it went under another.
    """

    chance: Chance | None = None
    shortfall: Shortfall | None = None
    other_law: bool = False


def retirement(events: Sequence[Event], undone: frozenset[str]) -> Event | None:
    """The event by which a memory left, the last that counts, of the events that touched it."""
    counting = (event for event in reversed(events) if event.block not in undone)
    return next((event for event in counting if isinstance(event.body, Retired)), None)


def ending(law: Law, frame: Frame, memory: str, block: Sequence[Event]) -> Ending:
    """What would have saved a memory that the pass `block` pruned.

    Args:
        frame: all memories as they stood in front of the pass.
        block: the events of the pass.

    Raises:
        KeyError: the memory was not there.
    """
    case = _Case(law, frame, memory, block)
    if not case.goes(None):
        return Ending(other_law=True)
    if case.goes(case.decided_us):
        return Ending(shortfall=case.shortfall())
    return Ending(Chance(case.decided_us, case.earliest(), case.lasts()))


class _Case:
    """The pass, to be lived through again with a recall more."""

    def __init__(self, law: Law, frame: Frame, memory: str, block: Sequence[Event]) -> None:
        self.law, self.frame = law, frame
        self.row = frame.row(memory)
        self.known = frame.memories[self.row]
        self.decided_us = to_us(block[0].at)
        gone = [event.body for event in block if isinstance(event.body, Retired)]
        others = [body for body in gone if body.reason is not RetireReason.PRUNED]
        self.leaving = self._rows(body.memory for body in others)
        self.spared = self._rows(body.by for body in others if body.by is not None) | spared_kinds(frame)
        self.spared[self.row] = False

    def goes(self, recalled_us: int | None) -> bool:
        """Whether the law lets go of it in the pass, with one recall more at a moment (None: as it was)."""
        return bool(self._faded(self._with(recalled_us))[self.row])

    def earliest(self) -> int:
        """The first moment at which a recall would have done, to the second."""
        low, high = min(to_us(self.known.last_recall), self.decided_us), self.decided_us
        if not self.goes(low):
            return low
        while high - low > _EXACT_US:
            middle = (low + high) // 2
            low, high = (middle, high) if self.goes(middle) else (low, middle)
        return high

    def lasts(self) -> int:
        """When it would have gone, recalled right before the pass."""
        return int(self.law.dies_at(self._with(self.decided_us))[self.row])

    def shortfall(self) -> Shortfall | None:
        """What it lacked for room, recalled right before the pass."""
        frame = self._with(self.decided_us)
        score = _score(ruling(self.law), frame)
        if score is None:
            return None
        stay = frame.active & ~frame.pinned & ~frame.skill & ~self.leaving & ~self._faded(frame)
        stay[self.row] = False
        if not stay.any():
            return None
        had, needed = float(score[self.row]), float(score[stay].min())
        if had >= needed:
            return None  # it was no matter of rank: what stayed was rooted, or there was no room at all
        left = float(self.law.retention(frame, last_moment(frame))[self.row])
        strength = left + needed - had
        reachable = strength <= 1.0 or not isinstance(ruling(self.law), StabilityLaw)
        return Shortfall(had, needed, strength if reachable else None)

    def _faded(self, frame: Frame) -> Bools:
        return self.law.faded(frame, self.decided_us, leaving=self.leaving, spared=self.spared)

    def _with(self, recalled_us: int | None) -> Frame:
        return self.frame if recalled_us is None else self.frame.still(revised=recalled(self.known, recalled_us))

    def _rows(self, ids: Iterable[str]) -> Bools:
        mask = np.zeros(len(self.frame), np.bool_)
        mask[[self.frame.row(memory) for memory in ids if memory in self.frame]] = True
        return mask


def recalled(memory: Memory, moment_us: int) -> Memory:
    """The memory with one recall more."""
    more = evolve(memory, Recalled((memory.id,), ""), from_us(moment_us))
    assert more is not None
    return more


def _score(law: Law, frame: Frame) -> Floats | None:
    """What decides who goes where room is short, the lowest first; None where it is no amount."""
    if isinstance(law, StabilityLaw):
        return law.score(frame, last_moment(frame))
    if isinstance(law, Capped):
        return law.law.retention(frame, last_moment(frame))
    return None
