"""From a model's verdicts to typed ones: numbers that name no pair are skipped, confidence is held to what was reasoned."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from memtui.memory.model import Label, Verdict
from memtui.memory.texts import one_line, same_key
from memtui.minds.base import PairText, language_of
from memtui.minds.losses import lost_details, turned_round
from memtui.minds.shapes import VerdictShape

log = logging.getLogger(__name__)

UNSURE: Final = 0.6
"""The highest confidence of a retirement that its own reasoning, or the texts, do not bear out: the person is asked."""


def verdicts_of(verdicts: Sequence[VerdictShape], pairs: Sequence[PairText]) -> list[Verdict | None]:
    """A verdict for each pair, numbered from 1; None where there was none that could be used.

    What names another number, or one again, is skipped and logged. Two verdicts on a pair that disagree cancel each other.
    """
    found: dict[int, VerdictShape] = {}
    torn: set[int] = set()
    for verdict in verdicts:
        if not 1 <= verdict.pair <= len(pairs):
            log.warning("judge: skipped a verdict on pair %d of %d", verdict.pair, len(pairs))
        elif verdict.pair in found:
            log.warning("judge: skipped a second verdict on pair %d", verdict.pair)
            if verdict.label != found[verdict.pair].label:
                torn.add(verdict.pair)
        else:
            found[verdict.pair] = verdict
    missing = [n for n in range(1, len(pairs) + 1) if n not in found or n in torn]
    if missing:
        log.warning("judge: no verdict on %d of %d pairs: %s", len(missing), len(pairs), missing)
    return [
        None if n in missing else _verdict(found[n], pair)
        for n, pair in enumerate(pairs, 1)
    ]  # fmt: skip


def _verdict(shape: VerdictShape, pair: PairText) -> Verdict:
    label = Label(shape.label)
    return Verdict(one_line(shape.reason, 400), label, round(confidence_of(shape, label, pair), 4))


def confidence_of(shape: VerdictShape, label: Label, pair: PairText) -> float:
    """The model's confidence, at most `UNSURE` where a retirement contradicts its own reasoning or the two texts.

    A `supersedes` needs "both can't be true now". A `duplicate` needs that they can, and that the newer text holds every
    number and name of the older and denies what it denies: what only the older holds would be lost with it.
    """
    held = shape.confidence
    if label is Label.SUPERSEDES and shape.both_true_now not in (None, "no"):
        held = min(held, UNSURE)
    if label is Label.DUPLICATE and (shape.both_true_now not in (None, "yes") or not _says_all(pair)):
        held = min(held, UNSURE)
    return held


def _says_all(pair: PairText) -> bool:
    if same_key(pair.older) == same_key(pair.newer):
        return True
    lost = lost_details(pair.newer, [pair.older])
    if language_of(pair.older) != language_of(pair.newer):
        return not any(c.isdigit() for detail in lost for c in detail)  # names are spelled otherwise there
    return not lost and not turned_round(pair.newer, [pair.older]) and not turned_round(pair.older, [pair.newer])
