"""What will be if nothing is told or recalled: who is let go of when, and what is left at any moment.

By the laws' own closed forms, so no clock is stepped and ten thousand memories cost what their columns cost. A forecast
says from when on a sleep pass lets go of a memory; the pass itself comes a little later, at night or when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from memtui.memory.frame import Bools, Frame, Ints
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.laws.capacity import Capped
from memtui.memory.model import KINDS, Kind
from memtui.memory.moments import HOUR_US, NEVER_US

WEEK_US: Final = 7 * 24 * HOUR_US
"""Microseconds of the week that `this week` means: from now on, not the calendar's."""
_MOST_GRACES: Final = 64
"""Ends of a grace that are looked at one by one where room is short; more come together at the last of them."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """What will be of the memories that are active at a moment.

    Attributes:
        now_us: the moment (microseconds UTC) it is made at.
        held: int64 (n,), rows that are active then, ascending; those included that are due already.
        rows: int64 (k,), those of them that go one day, the first first.
        at_us: int64 (k,), from when on (microseconds UTC) each has to go, ascending; due already: not after `now_us`.
    """

    now_us: int
    held: Ints
    rows: Ints
    at_us: Ints

    @property
    def active(self) -> int:
        """How many are active now."""
        return int(self.held.size)

    @property
    def due(self) -> int:
        """How many wait for the next sleep pass already."""
        return self.gone_by(self.now_us)

    def gone_by(self, moment_us: int) -> int:
        """How many have to go by a moment (microseconds UTC), that moment included."""
        return int(np.searchsorted(self.at_us, moment_us, side="right"))

    def active_at(self, moments_us: Ints) -> Ints:
        """How many are held at each moment: int64, of the shape of `moments_us`."""
        return np.asarray(self.active - np.searchsorted(self.at_us, moments_us, side="right"), np.int64)

    def weight_at(self, moments_us: Ints, weights: Ints) -> Ints:
        """What those that are held weigh together at each moment: int64, of the shape of `moments_us`.

        Args:
            weights: int64, one a row of the frame (tokens, say).
        """
        gone = np.concatenate(([0], np.cumsum(weights[self.rows])))
        left = int(weights[self.held].sum()) - gone[np.searchsorted(self.at_us, moments_us, side="right")]
        return np.asarray(left, np.int64)

    def moments(self, until_us: int, steps: int) -> Ints:
        """`steps` + 1 moments, evenly from now to `until_us`: int64 (steps + 1,)."""
        share = np.arange(max(1, steps) + 1) / max(1, steps)
        return np.asarray(self.now_us + np.round(share * (until_us - self.now_us)), np.int64)


def outlook(frame: Frame, law: Law, now_us: int, *, grace_hours: float = 0.0) -> Outlook:
    """What will be of the memories of `frame` from `now_us` (microseconds UTC) on.

    Args:
        grace_hours: how long a sleep pass spares what was just told, recalled or restored.
    """
    at_us = leaves_at(frame, law, now_us, grace_hours=grace_hours)
    held = frame.active_rows()
    going = held[at_us[held] < NEVER_US]
    order = going[np.argsort(at_us[going], kind="stable")]
    return Outlook(now_us, held, order, at_us[order])


def leaves_at(frame: Frame, law: Law, now_us: int, *, grace_hours: float = 0.0) -> Ints:
    """From when on a sleep pass lets go of each row: int64 (n,) microseconds UTC; `NEVER_US` for what stays.

    It differs from `Law.dies_at` where a pass does: it leaves procedural memories alone, and spares what is new for its
    grace. Skills leave when they are archived.
    """
    if not len(frame):
        return np.zeros(0, np.int64)
    kept = frame.still()
    kept.pinned[spared_kinds(frame)] = True  # for the laws it is the same: nobody may touch it
    free = frame.last_recall + round(grace_hours * HOUR_US)
    if isinstance(law, SkillsApart):
        kept.active[frame.skill] = False  # they take no room of the others
        others = _leaves(kept, law.law, free, now_us)
        return np.where(frame.skill, law.strength.dies_at(frame), others).astype(np.int64)
    return _leaves(kept, law, free, now_us)


def _leaves(kept: Frame, law: Law, free: Ints, now_us: int) -> Ints:
    if isinstance(law, Capped):
        return _leaves_capped(kept, law, free, now_us)
    dies = law.dies_at(kept)
    return np.where(dies < NEVER_US, np.maximum(dies, free), NEVER_US).astype(np.int64)


def spared_kinds(frame: Frame) -> Bools:
    """Rows that no sleep pass prunes, whatever the law says: bool (n,)."""
    return np.asarray(frame.kind == KINDS.index(Kind.PROCEDURAL), np.bool_)


def _leaves_capped(kept: Frame, law: Capped, free: Ints, now_us: int) -> Ints:
    """Where the law forgets and room is short besides: what fades makes room for the rest.

    Too many there are only now and until the last grace is over, since nothing is told any more; so passes are lived
    through at those moments alone.
    """
    dies = law.law.dies_at(kept)
    out = np.where(dies < NEVER_US, np.maximum(dies, free), NEVER_US).astype(np.int64)
    active = kept.active.copy()
    graces = np.unique(free[active & (free > now_us)])
    if graces.size > _MOST_GRACES:
        graces = np.concatenate((graces[: _MOST_GRACES - 1], graces[-1:]))
    for moment in (now_us, *graces.tolist()):
        kept.active[:] = active & (out > moment)
        if kept.active.sum() <= law.capacity:
            break
        beyond = law.faded(kept, moment) & (free <= moment)
        out[beyond] = np.minimum(out[beyond], moment)
    return out
