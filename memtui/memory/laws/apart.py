"""Skills apart: whatever law rules the other memories, a skill fades by the strength law."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import Law
from memtui.memory.laws.strength import StrengthLaw


@dataclass(frozen=True)
class SkillsApart:
    """A law for what is no skill beside the law of skills. Skills take no room of a law with a capacity.

    Attributes:
        law: what rules the others; its name, floor and capacity are this law's.
        strength: the law of skills.
    """

    law: Law
    strength: StrengthLaw = field(default_factory=lambda: StrengthLaw(rests=True))

    @property
    def name(self) -> str:
        """The others' law's."""
        return self.law.name

    @property
    def floor(self) -> float:
        """The others' law's."""
        return self.law.floor

    @property
    def capacity(self) -> int | None:
        """The others' law's."""
        return self.law.capacity

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """Strength of the skills, what the law leaves of the others: float64 (n,)."""
        left, skills = self.law.retention(frame, now_us), frame.skill
        return np.where(skills, self.strength.retention(frame, now_us), left) if skills.any() else left

    def dies_at(self, frame: Frame) -> Ints:
        """When a skill is archived and another memory let go of: int64 (n,) microseconds UTC."""
        skills = frame.skill
        if not skills.any():
            return self.law.dies_at(frame)
        ends = self.strength.dies_at(frame)
        if self.law.capacity is None:
            return np.where(skills, ends, self.law.dies_at(frame)).astype(np.int64)
        others = np.flatnonzero(~skills)
        ends[others] = self.law.dies_at(frame.select(others))  # so that skills take no room
        return ends

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """What the law lets go of, and skills that are due for the archive: bool (n,)."""
        skills = frame.skill
        if not skills.any():
            return self.law.faded(frame, now_us, leaving=leaving, spared=spared)
        apart = skills if leaving is None else skills | leaving
        gone = self.law.faded(frame, now_us, leaving=apart, spared=spared)
        return gone | (skills & self.strength.faded(frame, now_us, leaving=leaving, spared=spared))

    def half_life_label(self, kind_code: int) -> str:
        """The others' law's."""
        return self.law.half_life_label(kind_code)

    def out_of_recall(self, frame: Frame, now_us: int) -> Bools:
        """Active skills whose time without use has run out: archived, though no pass has written it down yet: bool (n,)."""
        return frame.skill & self.strength.faded(frame, now_us)


def ruling(law: Law) -> Law:
    """The law that rules what is no skill."""
    return law.law if isinstance(law, SkillsApart) else law
