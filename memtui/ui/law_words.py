"""How much a law leaves of a memory, and why, in a sentence: the law's formula with the memory's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.model import KINDS, Kind, Memory
from memtui.memory.moments import NEVER_US, from_us, hours_between, to_us
from memtui.ui.time_words import span_words


def law_for(law: Law, memory: Memory) -> Law:
    """The law that rules a memory: that of skills, or the one for all others."""
    if isinstance(law, SkillsApart):
        law = law.strength if memory.skill is not None else law.law
    return law.law if isinstance(law, Capped) else law


def left_words(law: Law, frame: Frame, memory: Memory, now: datetime) -> str:
    """What is left of an active memory at `now`."""
    law = law_for(law, memory)
    row, now_us = frame.row(memory.id), to_us(now)
    left = float(law.retention(frame, now_us)[row])
    age = span_words(hours_between(memory.last_recall, now))
    label = law.half_life_label(KINDS.index(memory.kind))
    recalls = f"{memory.recalls} recall{'' if memory.recalls == 1 else 's'}"
    if isinstance(law, SalienceLaw):
        boost = 1 + math.log1p(memory.recalls)
        kept = left / (memory.importance * boost) if memory.importance > 0 else 0.0
        parts = f"importance {memory.importance:.2f} × {boost:.2f} for {recalls} × {kept:.2f} left after {age} ({label})"
        return f"Salience {_amount(left)} = {parts}."
    if isinstance(law, StabilityLaw):
        at_last = float(law.retention(frame, 0)[row])
        score = float(law.score(frame, now_us)[row])
        bonus = score - left - law.importance * memory.importance
        task = f" + {bonus:.2f} for the running task" if bonus > 1e-6 else ""
        return (
            f"Stability {_amount(left)} = {at_last:.2f} by {recalls}, decayed for {age} ({label}). "
            f"Score {score:.2f} = stability + {law.importance * memory.importance:.2f} for importance{task}."
        )
    if isinstance(law, StrengthLaw):
        return f"Strength {_amount(left)} after {recalls}; {law.stage(memory, now_us).value}, unused for {age}."
    if law.name == "fsrs":
        return f"Retrievability {left:.2f}: {recalls}, each a review, and {age} since the last (FSRS)."
    return f"The law {law.name} looks at neither use nor importance."


def _amount(left: float) -> str:
    """With one place more where two would not tell it from the floor."""
    return f"{left:.2f}" if left >= 0.1 else f"{left:.3f}"


def end_words(law: Law, frame: Frame, memory: Memory, now: datetime, date: Callable[[datetime], str]) -> str:
    """When and why an active memory will go."""
    if memory.pinned and memory.skill is not None:
        return "Pinned: it is never archived."
    if memory.pinned:
        return "Pinned: it is never pruned."
    if memory.kind is Kind.PROCEDURAL:
        return "It is a skill: it grows faint, but no sleep pass lets go of it."
    row = frame.row(memory.id)
    dies_us = int(law.dies_at(frame)[row])
    if memory.skill is not None:
        return f"It is archived on {date(from_us(dies_us))} unless it is used before. Nothing is lost: it can be restored."
    below = law.floor > 0 and float(law.retention(frame, to_us(now))[row]) < law.floor
    if below:
        return f"That is below the floor of {law.floor:g}: the next sleep pass lets go of it unless it is recalled."
    if dies_us >= NEVER_US:
        if law.capacity is None:
            return "It stays."
        return f"It stays while there is room for it: {int(frame.active.sum()):,} of {law.capacity:,} are taken."
    dies = from_us(dies_us)
    if dies <= now:
        return f"There is room for {law.capacity:,} memories: the next sleep pass lets go of it unless it is recalled."
    when = f"on {date(dies)}, in {span_words(hours_between(now, dies))}, unless it is recalled before."
    return f"It falls below the floor of {law.floor:g} {when}" if law.floor > 0 else f"It may go {when}"
