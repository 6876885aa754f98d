"""From a model's summary to one that may stand for its sources: checked, else the newest telling, else none."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from memtui.memory.model import Summary
from memtui.memory.texts import one_line
from memtui.minds.base import language_of
from memtui.minds.faithful import additions
from memtui.minds.losses import lost_details, turned_round, unaccounted, unsupported_sentences
from memtui.minds.prompts import leaks
from memtui.minds.shapes import SummaryShape

log = logging.getLogger(__name__)

LONGEST_SUMMARY: Final = 600
"""Characters of a summary; more is no summary."""


def summary_check(texts: Sequence[str], language: str) -> Callable[[SummaryShape], str | None]:
    """Says what is wrong with a summary of `texts` (oldest first), so that the model can mend it."""
    return lambda shape: fault(shape, texts, language) if shape.one_thing else None


def fault(shape: SummaryShape, texts: Sequence[str], language: str) -> str | None:
    """Why this text may not stand for `texts`, or None."""
    text = shape.text or ""
    if leaks(text):
        return "text holds a piece of the prompt"
    if len(text) > LONGEST_SUMMARY:
        return f"text is longer than {LONGEST_SUMMARY} characters"
    if language in ("ru", "en") and language_of(text) != language and language_of(texts[-1]) == language:
        return "text is in another language than the tellings"
    new = additions(text, texts)
    if new:
        return f"the tellings do not hold: {', '.join(new[:5])}; use only what they hold"
    claims = unsupported_sentences(text, texts)
    if claims:
        return f"no telling says: {one_line(claims[0], 120)}"
    if turned_round(text, texts):
        return "text denies what the tellings affirm, or the other way round"
    lost = unaccounted(text, texts, shape.outdated)
    if lost:
        return (
            f"text leaves out {', '.join(lost[:5])}: keep it, or quote it under outdated if a later telling made it untrue"
        )
    return None


def summary_of(shape: SummaryShape, texts: Sequence[str], language: str) -> Summary | None:
    """The summary, if it is faithful; else the newest telling where it holds every detail of the others; else None."""
    if not shape.one_thing:
        return None
    wrong = fault(shape, texts, language)
    if wrong is None:
        return Summary(one_line(shape.text or "", LONGEST_SUMMARY), one_line(shape.reason, 400))
    if not lost_details(texts[-1], texts) and not turned_round(texts[-1], texts):
        log.warning("summarize: the newest telling stands for all, %s", wrong)
        return Summary(one_line(texts[-1], LONGEST_SUMMARY), "told again and again; the newest telling says it all")
    log.warning("summarize: declined, %s", wrong)
    return None
