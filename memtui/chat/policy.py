"""From settings to the engine's laws and policies."""

from __future__ import annotations

from memtui.config import Settings
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import Kind
from memtui.memory.recall import RecallPolicy
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.minds.base import Judging


def law_of(settings: Settings) -> SalienceLaw:
    """The law of forgetting the settings ask for."""
    hours = settings.memory.half_life
    return SalienceLaw(
        half_life={
            Kind.EPISODIC: hours.episodic,
            Kind.SEMANTIC: hours.semantic,
            Kind.CONSOLIDATED: hours.consolidated,
            Kind.PROCEDURAL: hours.procedural,
        },
        floor=settings.memory.floor,
    )


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
