"""From a model's facts and verdicts to typed results: what has no support in the turn is dropped, dates are resolved."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time
from typing import Final

from memtui.memory.model import Candidate, Kind, Label, Verdict
from memtui.memory.texts import one_line
from memtui.minds.base import Message
from memtui.minds.faithful import added_numbers, rests_on, supported
from memtui.minds.offline.times import valid_since
from memtui.minds.prompts import leaks
from memtui.minds.structured import FactShape, VerdictShape

log = logging.getLogger(__name__)

LONGEST_FACT: Final = 600
"""Characters of a fact's text; what is longer is no fact but a copy of the turn."""
_PART_OF_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:[T ].*)?")
_EARLIEST_YEAR: Final = 1900


def candidates_of(facts: Sequence[FactShape], turn: str, now: datetime) -> list[Candidate]:
    """Candidates of one user turn told at `now` (aware); unsupported facts and repeats are dropped and logged."""
    out: list[Candidate] = []
    for fact in facts:
        support = supported(fact.support, turn)
        if support is None or not rests_on(fact.text, turn):
            log.warning("extract: dropped, the turn does not say it: %s", one_line(fact.text, 80))
            continue
        text = one_line(fact.text, LONGEST_FACT)
        if any(text.casefold() == other.text.casefold() for other in out):
            continue
        out.append(
            Candidate(
                text=text,
                kind=Kind(fact.kind),
                importance=fact.importance,
                why=one_line(fact.why, 200),
                support=support,
                valid_from=true_since(fact.valid_from, support, now),
                subject=one_line(fact.subject, 60) or "user",
            )
        )
    return out


def fact_check(turn: str, now: datetime, recent: Sequence[Message]) -> Callable[[FactShape], str | None]:
    """Says what a fact holds that neither the turn nor the talk before it does, so that the model can mend it."""
    sources = [turn, *(message.text for message in recent if message.role != "system"), f"{now:%Y-%m-%d}"]

    def check(fact: FactShape) -> str | None:
        if supported(fact.support, turn) is None or not rests_on(fact.text, turn):
            return None  # dropped anyway: asking again would not make the turn say it
        if leaks(fact.text):
            return "text holds a piece of the prompt"
        new = added_numbers(fact.text, [*sources, fact.valid_from or ""])
        return f"the turn does not hold: {', '.join(new[:5])}" if new else None

    return check


def true_since(given: str | None, support: str, now: datetime) -> datetime:
    """Since when a fact is true, aware UTC, never after `now`: a plan is true from when it was told.

    The model's ISO date counts (a day begins at midnight of `now`'s zone); without one, or with one that is none, the words
    of the turn are resolved against `now`.
    """
    told = now.astimezone(UTC)
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
        day = datetime.combine(
            datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1)).date(), time(), tzinfo=now.tzinfo
        )
        return now.astimezone(UTC) if day.date() == now.date() else day.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def verdicts_of(verdicts: Sequence[VerdictShape], count: int) -> list[Verdict | None]:
    """A verdict for each of `count` pairs numbered from 1; what names another number, or one again, is skipped and
    logged."""
    out: list[Verdict | None] = [None] * count
    for verdict in verdicts:
        if not 1 <= verdict.pair <= count:
            log.warning("judge: skipped a verdict on pair %d of %d", verdict.pair, count)
        elif out[verdict.pair - 1] is not None:
            log.warning("judge: skipped a second verdict on pair %d", verdict.pair)
        else:
            out[verdict.pair - 1] = Verdict(one_line(verdict.reason, 400), Label(verdict.label), verdict.confidence)
    return out
