"""From settings to the engine's laws and policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from memtui.config import MemorySettings, Settings
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.laws.baselines import NaiveLaw, WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.model import Kind
from memtui.memory.recall import RecallPolicy
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.minds.base import Judging


def law_of(settings: Settings) -> Law:
    """The law of forgetting the settings ask for."""
    memory = settings.memory
    law = _LAWS[memory.law](memory)
    if not memory.capacity:
        return law
    if isinstance(law, StabilityLaw | WindowLaw):
        return replace(law, capacity=memory.capacity)
    return Capped(law, memory.capacity)


def apart(law: Law, settings: Settings) -> SkillsApart:
    """`law` with the law of skills beside it: strength, by the settings' numbers, resting at its floor."""
    if isinstance(law, SkillsApart):
        return law
    return SkillsApart(law, StrengthLaw(**settings.memory.strength.model_dump(), rests=True))


def _salience(memory: MemorySettings) -> Law:
    hours = memory.half_life
    return SalienceLaw(
        half_life={
            Kind.EPISODIC: hours.episodic,
            Kind.SEMANTIC: hours.semantic,
            Kind.CONSOLIDATED: hours.consolidated,
            Kind.PROCEDURAL: hours.procedural,
        },
        floor=memory.floor,
    )


def _fsrs(memory: MemorySettings) -> Law:
    from memtui.memory.laws.fsrs import FsrsLaw  # only who asks for it pays for the package

    return FsrsLaw(**memory.fsrs.model_dump())


_LAWS: Mapping[str, Callable[[MemorySettings], Law]] = {
    "salience": _salience,
    "stability": lambda memory: StabilityLaw(**memory.stability.model_dump()),
    "strength": lambda memory: StrengthLaw(**memory.strength.model_dump()),
    "fsrs": _fsrs,
    "naive": lambda _: NaiveLaw(),
    "window": lambda _: WindowLaw(),
}


def recall_policy(settings: Settings, related_from: float) -> RecallPolicy:
    """Recall's numbers; `related_from` is the embedder's own."""
    recall = settings.recall
    return RecallPolicy(
        budget_tokens=recall.budget_tokens,
        candidates=recall.candidates,
        words_weight=recall.words_weight,
        slot_weight=recall.slot_weight,
        min_cosine=related_from,
    )


def sleep_policy(settings: Settings, judging: Judging) -> SleepPolicy:
    """The sleep pass's numbers; the thresholds are the mind's own where the settings name none.

    One of the two alone that crosses the mind's other one moves it: then nobody is asked.
    """
    sleep = settings.sleep
    retire = judging.retire_confidence if sleep.retire_confidence is None else sleep.retire_confidence
    ask = judging.ask_confidence if sleep.ask_confidence is None else sleep.ask_confidence
    if sleep.retire_confidence is None:
        retire = max(retire, ask)
    return SleepPolicy(
        repeats=sleep.repeats,
        max_judge_calls=sleep.max_judge_calls,
        retire_confidence=retire,
        ask_confidence=min(ask, retire),
        duplicate_confidence=judging.duplicate_confidence,
    )
