"""From a model's facts to candidates: what its turn does not say is dropped, what it says is not lost.

A fact lives by its support, the words of the turn. Where the model's own sentence adds to them, the support itself becomes
the text; where it leaves out a number or a name, the support is put behind it. So a careless answer costs polish, never a
fact, and an invented one costs itself.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time
from typing import Final

from memtui.memory.model import Candidate, Kind
from memtui.memory.texts import one_line, same_key
from memtui.memory.words import stems
from memtui.minds.base import Message, language_of
from memtui.minds.dates import corrects, spelled, tells_time, without_dates
from memtui.minds.faithful import added_names, added_numbers, clause_like, names_inside, rests_on, supported
from memtui.minds.losses import flips, lost_details
from memtui.minds.offline.times import valid_since
from memtui.minds.prompts import leaks
from memtui.minds.shapes import STATES, FactShape
from memtui.minds.tasks import EXAMPLE_STEMS

log = logging.getLogger(__name__)

LONGEST_FACT: Final = 600
"""Characters of a fact's text; what is longer is no fact but a copy of the turn."""
_LASTING_FROM: Final = 0.85
"""Importance from which what happened is kept as lasting: told once, it must outlive an episodic half-life."""
_STEM: Final = 4
"""Letters of a word that is the beginning of a name ("Антон" of "Антоном"), so that the name is found by it."""
_ENDING: Final = 3
"""Letters of a plain word that may be its ending."""
_LETTERS: Final = 12
"""Letters a text and its turn must both have before their languages are compared: names alone have none."""
_PART_OF_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:[T ].*)?")
_EARLIEST_YEAR: Final = 1900
_DAYS_END: Final = time(23, 59)
_STATED: Final = (STATES, "state", "stated", "fact", "plan", "")


def candidates_of(facts: Sequence[FactShape], turn: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
    """Candidates of one user turn told at `now` (aware); what is no fact of this turn and repeats are dropped and logged."""
    out: list[Candidate] = []
    sources = _sources(turn, now, recent)
    for fact in facts:
        support = _support(fact, turn)
        reason = _no_fact(fact, support, turn, sources)
        if reason or support is None:
            log.warning("extract: dropped, %s: %s", reason, one_line(fact.text, 80))
            continue
        text = _text(fact, support, turn, sources)
        if any(same_key(text) == same_key(other.text) for other in out):
            continue
        lasting = fact.kind == "semantic" or fact.importance >= _LASTING_FROM
        value = _value(fact, support)
        out.append(
            Candidate(
                text=text,
                kind=Kind.SEMANTIC if lasting else Kind.EPISODIC,
                importance=fact.importance,
                why=one_line(fact.why, 200),
                support=support,
                valid_from=true_since(fact.valid_from, support, now),
                subject=_subject(fact.subject, sources),
                slot=fact.slot,
                value=value if fact.slot is not None else None,
            )
        )
    return out


def fact_check(turn: str, now: datetime, recent: Sequence[Message]) -> Callable[[FactShape], str | None]:
    """Says what a fact holds that neither the turn nor the talk before it does, so that the model can mend it."""
    sources = _sources(turn, now, recent)

    def check(fact: FactShape) -> str | None:
        if not is_stated(fact):
            return None  # left out, as it says itself
        wrong = _no_fact(fact, _support(fact, turn), turn, sources)
        if wrong:
            return f"{wrong}; copy support from the turn word for word, or leave the fact out"
        return _fault(fact, turn, sources)

    return check


def is_stated(fact: FactShape) -> bool:
    """Whether the model itself takes it for a fact."""
    return fact.mode in _STATED


def with_earlier(found: list[Candidate], earlier: Sequence[Candidate]) -> list[Candidate]:
    """`found`, and of an earlier answer those facts whose words of the turn no fact of `found` rests on."""
    taken = [f" {same_key(candidate.support)} " for candidate in found]

    def fresh(candidate: Candidate) -> bool:
        support = f" {same_key(candidate.support)} "
        return not any(support in other or other in support for other in taken)

    return [*found, *filter(fresh, earlier)]


def _support(fact: FactShape, turn: str) -> str | None:
    return supported(fact.support, turn) or clause_like(fact.support, turn)


def _sources(turn: str, now: datetime, recent: Sequence[Message]) -> list[str]:
    """What a fact's text may draw on: the turn, the talk it answers, and today's date."""
    return [turn, *(message.text for message in recent[-4:] if message.role != "system"), spelled(now)]


def _no_fact(fact: FactShape, support: str | None, turn: str, sources: Sequence[str]) -> str:
    """Why this is no fact of the turn at all, or ""."""
    if not is_stated(fact):
        return f"it is not stated ({one_line(fact.mode, 20)})"
    if support is None:
        return "the turn does not say it"
    foreign = EXAMPLE_STEMS - {stem for source in sources for stem in stems(source)}
    if foreign & set(stems(f"{fact.text} {fact.subject}")):
        return "it is from the prompt's example"
    if _same_language(fact.text, turn) and not rests_on(fact.text, turn):
        return "the turn does not say it"
    return ""


def _fault(fact: FactShape, turn: str, sources: Sequence[str]) -> str | None:
    """What is wrong with a fact's own sentence, or None."""
    if leaks(fact.text):
        return "text holds a piece of the prompt"
    if not _same_language(fact.text, turn):
        return "text is not in the language of the turn"
    told = fact.text
    if tells_time(turn) or fact.valid_from:
        told = without_dates(told)  # they follow from what the turn tells of time
    new = [*added_numbers(told, [*sources, fact.valid_from or ""]), *added_names(told, sources)]
    if new:
        return f"the turn does not hold: {', '.join(new[:5])}"
    if flips(fact.text, fact.support):
        return "text denies what the turn affirms, or the other way round"
    return None


def _text(fact: FactShape, support: str, turn: str, sources: Sequence[str]) -> str:
    """The fact's sentence; the support in its place if it is unfaithful, behind it if the sentence lost a detail."""
    fault = _fault(fact, turn, sources)
    if fault:
        log.warning("extract: the turn's own words are kept, %s: %s", fault, one_line(fact.text, 80))
        return one_line(support, LONGEST_FACT)
    text = one_line(fact.text, LONGEST_FACT)
    kept = without_dates(support) if tells_time(support) else support
    lost = [detail for detail in lost_details(text, [kept]) if not _counts_time(detail, support)]
    if lost and same_key(support) not in same_key(text):
        log.info("extract: the support is kept behind a text that lost %s", ", ".join(lost[:5]))
        return one_line(f"{text} ({support})", LONGEST_FACT)
    apart = _in_other_forms(text, support, _value(fact, support))
    return one_line(f"{text} ({', '.join(apart)})", LONGEST_FACT) if apart else text


def _in_other_forms(text: str, support: str, value: str | None) -> list[str]:
    """Names and the value in the form they were said in, where the text holds another ("в Казани" for "Казань"): they are
    searched for, and answered with, as they were said. Of plain words an ending is forgiven; of what tells time, the date
    stands there.
    """
    said, words = same_key(text), same_key(text).split()

    def held(name: str) -> bool:
        key = same_key(name)
        ending = 0 if name[:1].isupper() else _ENDING
        return key in said or any(
            key.startswith(word[: len(word) - ending]) for word in words if len(word) >= _STEM + ending
        )

    wanted = [value] if value and not tells_time(value) else []
    return [name for name in dict.fromkeys([*wanted, *names_inside(without_dates(support))]) if not held(name)]


def _counts_time(detail: str, support: str) -> bool:
    """Whether a number counts days or the like ("3 weeks ago", "через 2 дня"): the date stands in its place."""
    unit = r"\s*(?:more\s+)?(?:minute|hour|day|night|week|month|year|минут|час|д[не]|недел|месяц|год|лет)"
    return detail[:1].isdigit() and re.search(rf"\b{re.escape(detail)}{unit}", support, re.IGNORECASE) is not None


def _same_language(text: str, turn: str) -> bool:
    long = min(sum(c.isalpha() for c in text), sum(c.isalpha() for c in turn)) >= _LETTERS
    return not long or language_of(text) == language_of(turn)


def _value(fact: FactShape, support: str) -> str | None:
    """The slot's value, if it stands in the support or in the fact's own sentence; else None."""
    value = one_line(fact.value or "", 120).strip(" .,;")
    key = same_key(value)
    return value if key and any(f" {key} " in f" {same_key(held)} " for held in (support, fact.text)) else None


def _subject(given: str, sources: Sequence[str]) -> str:
    """Whose fact it is; every way to say "the user" is one, and a name must have been named."""
    subject = one_line(given, 60).strip(" .\"'«»")
    if not subject or subject.casefold() in ("user", "the user", "i", "me", "self", "пользователь", "я"):
        return "user"
    if subject[:1].isupper() and added_names(f"- of {subject}", sources):
        return "user"
    return subject


def true_since(given: str | None, support: str, now: datetime) -> datetime:
    """Since when a fact is true, aware UTC, never after `now`: a plan is true from when it was told, a correction too.

    The model's ISO date counts. A day is taken at its end (in `now`'s zone): what changed on a day is newer than what was
    told earlier that day. Without a date, or with one that is none, the words of the turn are resolved against `now`.
    """
    told = now.astimezone(UTC)
    if corrects(support):
        return told
    moment = _iso(given, now) if given else None
    if moment is None:
        if given and given.strip().casefold() not in ("null", "none", "unknown", "n/a", "now", "today"):
            log.info("extract: no date: %s", one_line(given, 40))
        return min(told, valid_since(support, now))
    return min(told, moment)


def _iso(given: str, now: datetime) -> datetime | None:
    match = _PART_OF_DATE.fullmatch(given.strip())
    if match is None or int(match[1]) < _EARLIEST_YEAR:
        return None
    try:
        day = datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1)).date()
        at = _DAYS_END if match[3] else time()  # of a month or a year, the beginning
        return datetime.combine(day, at, tzinfo=now.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
