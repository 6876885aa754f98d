"""Replies to probes, written and graded by a model: the same model, the same form of prompt, each agent's own memories.

A probe's prompt holds the question and the memories and nothing of the conversation, for every agent: what is measured is
the memory. Neither question nor reply is ever written to one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from memtui.bench.agents import Shown
from memtui.bench.figures import NOTHING
from memtui.bench.steady import SteadyMind
from memtui.errors import MindError
from memtui.minds.base import Message, Prompt, language_of
from memtui.sessions.lines import Probe

_UNKNOWN: Final = {
    "en": "I don't know; you have not told me that.",
    "ru": "Я этого не знаю; ты об этом не говорил.",
}
"""What is right where nothing that was told answers."""


class Outcome(StrEnum):
    """What became of a probe's reply."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_ANSWERED = "not answered"
    NOT_GRADED = "not graded"


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply with its grade.

    Attributes:
        reply: what the model said ("" when not answered).
        reason: the grader's, or why there is no reply or no grade.
    """

    outcome: Outcome
    reply: str
    reason: str


async def answer_probe(mind: SteadyMind, probe: Probe, shown: Sequence[Shown]) -> Answer:
    """Let the model reply to a probe from `shown` and grade that.

    Raises:
        MechanismError: replying or grading does not work at all.
    """
    language = language_of(probe.question)
    memories = tuple(memory.as_prompted for memory in shown)
    prompt = Prompt((Message("user", probe.question),), memories, probe.at, language)
    try:
        reply = await mind.reply_text(prompt)
    except MindError as error:
        return Answer(Outcome.NOT_ANSWERED, "", error.what)
    expected = probe.answers if probe.category != NOTHING else (_UNKNOWN[language],)
    try:
        grade = await mind.grade(probe.question, expected, reply)
    except MindError as error:
        return Answer(Outcome.NOT_GRADED, reply, error.what)
    return Answer(Outcome.RIGHT if grade.correct else Outcome.WRONG, reply, grade.reason)


def graded_figures(answers: Sequence[tuple[Probe, Answer]]) -> dict[str, Any]:
    """`{n, correct, failed, unreadable, accuracy, by_category}` of one agent; see `_grades`."""
    by_category: dict[str, list[Answer]] = defaultdict(list)
    for probe, answer in answers:
        by_category[probe.category].append(answer)
    return {
        **_grades([answer for _, answer in answers]),
        "by_category": {category: _grades(each) for category, each in sorted(by_category.items())},
    }


def _grades(answers: Sequence[Answer]) -> dict[str, Any]:
    """`failed` replies count as not right; replies whose grade could not be read are left out of `accuracy`."""
    outcomes = [answer.outcome for answer in answers]
    correct, unreadable = outcomes.count(Outcome.RIGHT), outcomes.count(Outcome.NOT_GRADED)
    known = len(answers) - unreadable
    return {
        "n": len(answers),
        "correct": correct,
        "failed": outcomes.count(Outcome.NOT_ANSWERED),
        "unreadable": unreadable,
        "accuracy": round(correct / known, 4) if known else None,
    }
