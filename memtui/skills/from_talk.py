"""A draft of a skill out of the last turns of a conversation: no model is asked, the person edits what it got wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memtui.memory.model import Outcome
from memtui.memory.skill import LONGEST_TITLE, Draft
from memtui.memory.texts import clean, one_line
from memtui.memory.words import asks
from memtui.minds.base import Message

_MESSAGES: Final = 8
_STEPS: Final = 12
_ITEM = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(?P<step>[^\s“«].*)$")
_NUMBERED = re.compile(r"^\s*\d{1,2}[.)]\s+(?P<step>[^\s“«].*)$")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_PROBLEM = re.compile(
    r"\b(?:error|fail\w*|broke\w*|broken|stuck|hang\w*|crash\w*|can't|cannot|doesn't|won't|problem|issue|how (?:do|to|can)|"
    r"ошибк\w*|не работает|сломал\w*|завис\w*|падает|упал\w*|не могу|не получается|проблем\w*|как (?:мне|же|можно)?)",
    re.IGNORECASE,
)
_LESSON = re.compile(
    r"\b(?:turn(?:ed|s) out|because|next time|never|always|lesson|the (?:cause|reason)|"
    r"оказалось|потому что|в следующий раз|никогда|всегда|причина|урок)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:did(?:n't| not) (?:work|help)|still (?:fails|broken)|не помогло|не сработало|всё равно)", re.IGNORECASE
)
_PARTLY = re.compile(r"\b(?:partly|partially|in part|half of it|частично|отчасти|наполовину)\b", re.IGNORECASE)
_WORKED = re.compile(
    r"\b(?:work(?:s|ed)|helped|fixed|solved|помогло|заработал\w*|сработало|починил\w*|решил\w*)\b", re.IGNORECASE
)


def draft_of_talk(messages: Sequence[Message]) -> Draft | None:
    """What the last turns tell as a skill, or None when the person has said nothing yet.

    The last turn of the user that names a problem is the trigger; what is listed after it are the steps, else what the user
    told then; sentences that give a cause or a rule are the lessons.
    """
    talk = [message for message in messages[-_MESSAGES:] if message.role in ("user", "assistant") and message.text.strip()]
    users = [at for at, message in enumerate(talk) if message.role == "user"]
    if not users:
        return None
    begin = next((at for at in reversed(users) if _names_a_problem(talk[at].text)), users[0])
    problem, after = clean(talk[begin].text).strip(), talk[begin + 1 :]
    told = [message.text for message in after if message.role == "user"]
    steps = _listed(talk[begin]) or next((found for m in reversed(after) if (found := _listed(m))), []) or _sentences(told)
    lessons = [sentence for text in told for sentence in _sentences([text]) if _LESSON.search(sentence)]
    steps = [step for step in steps if step not in lessons]
    sentences = _sentences([problem])
    title = one_line(sentences[0] if sentences else problem, min(90, LONGEST_TITLE)).rstrip(".?!… ")
    return Draft(
        title=title[:1].upper() + title[1:],
        trigger=one_line(problem, 400),
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(steps[:_STEPS], 1)),
        lessons="\n".join(lessons[:4]),
        outcome=_outcome(told),
    )


def _names_a_problem(text: str) -> bool:
    return asks(text) or _PROBLEM.search(text) is not None


def _listed(message: Message) -> list[str]:
    """The items of a list in a message; one item is no list. Of a reply only what is numbered counts: its bullets and its
    quotes may be memories, which are not to be learned again.
    """
    item = _ITEM if message.role == "user" else _NUMBERED
    found = [match["step"].strip() for line in clean(message.text).split("\n") if (match := item.match(line))]
    return found if len(found) > 1 else []


def _sentences(texts: Sequence[str]) -> list[str]:
    return [part.strip() for text in texts for part in _SENTENCE.split(clean(text)) if part.strip()]


def _outcome(told: Sequence[str]) -> Outcome:
    last = " ".join(told[-2:])
    if _PARTLY.search(last):
        return Outcome.PARTIAL
    if _FAILED.search(last) and not _WORKED.search(_FAILED.sub("", last)):
        return Outcome.FAILURE
    return Outcome.SUCCESS
