"""The life of one memory as its events tell it: what it was after each of them, and what was left of it at any moment.

Between two events a law's own function says what is left, so the curve of a life is exact wherever it is looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from memtui.memory.events import Absorbed, Event, Recalled, Reinforced, Restored
from memtui.memory.frame import Floats, Frame, Ints
from memtui.memory.laws import Law
from memtui.memory.model import Memory
from memtui.memory.moments import to_us
from memtui.memory.state import evolve


@dataclass(frozen=True)
class Life:
    """One memory from its birth on.

    Attributes:
        starts: microseconds UTC from which each version holds, ascending; the first is the birth.
        versions: what it was; as many as `starts`, at least one.
        recalled: the moments (microseconds UTC) at which it was recalled, told again or restored, in order.
    """

    starts: tuple[int, ...]
    versions: tuple[Memory, ...]
    recalled: tuple[int, ...]

    @property
    def birth_us(self) -> int:
        """When it was told."""
        return self.starts[0]

    def at(self, moment_us: int) -> Memory:
        """What it was at a moment; before its birth, what it was born as."""
        return self.versions[max(bisect_right(self.starts, moment_us) - 1, 0)]

    def curve(self, law: Law, moments_us: Ints) -> Floats:
        """What was (or will be) left of it at each moment (microseconds UTC), by `law`: float64 (n,)."""
        alone: dict[int, Frame] = {}
        out = np.empty(len(moments_us), np.float64)
        for place, moment in enumerate(moments_us.tolist()):
            version = max(bisect_right(self.starts, moment) - 1, 0)
            if version not in alone:
                alone[version] = single(self.versions[version])
            out[place] = law.retention(alone[version], moment)[0]
        return out


def single(memory: Memory) -> Frame:
    """A frame of one memory, so that a law can be asked about it alone."""
    frame = Frame(0)
    frame.upsert(memory, "")
    return frame


def life_of(memory: Memory, events: Sequence[Event], undone: Collection[str] = ()) -> Life:
    """The life of `memory` by the events that touched it, in order.

    Args:
        memory: what it is now; stands alone where no event tells of it.
        undone: blocks that do not count.
    """
    starts: list[int] = []
    versions: list[Memory] = []
    recalled: list[int] = []
    known: Memory | None = None
    for event in events:
        if event.block in undone:
            continue
        known = evolve(known, event.body, event.at)
        if known is None:
            continue
        starts.append(to_us(event.at) if versions else min(to_us(event.at), to_us(known.created_at)))
        versions.append(known)
        if isinstance(event.body, Recalled | Reinforced | Restored | Absorbed):
            recalled.append(to_us(event.at))
    if not versions:
        return Life((to_us(memory.created_at),), (memory,), ())
    return Life(tuple(starts), tuple(versions), tuple(recalled))
