"""The signals recall ranks by: what a question and a memory have in common, one row a candidate.

They are the columns a mind's ranker was trained on, so training reads them here too. Salience is not among them: a critical
fact told once must be found however little is left of it (`LAWS.md`). Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from memtui.memory.frame import Floats, Ints, Vectors

SIGNALS: Final[tuple[str, ...]] = (
    "words",
    "meaning",
    "meaning_scaled",
    "slot",
    "single_slot",
    "aspect",
    "length",
    "recency",
    "asked_single",
    "asked_best",
)
"""Names of the columns, in order."""
RISING: Final[tuple[str, ...]] = ("words", "meaning", "meaning_scaled", "slot", "single_slot", "aspect")
"""Columns of which more never makes a memory less relevant; a ranker is held to it."""
_LONG: Final = 150
"""Characters from which a memory counts as long."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The memories ranked best for a question, best first (n of them).

    Attributes:
        signals: float64 (n, len(SIGNALS)).
        relevance: float64 (n,), what the ranker said.
        vectors, slots, aspects: float32 (n, …) of the frame.
        age: int64 (n,): 0 for the newest; by valid time, then told time, never by order of insertion.
    """

    texts: tuple[str, ...]
    signals: Floats
    relevance: Floats
    vectors: Vectors
    slots: Vectors
    aspects: Vectors
    age: Ints


@dataclass(frozen=True, slots=True)
class Ranker:
    """What a mind learned about which memories answer a question.

    Attributes:
        rank: float64 (n, len(SIGNALS)) -> float64 (n,): log-odds of answering, 0 where a memory just passes the gate.
        single: how many of the slots, from the first, hold one value at a time.
        outdated: for each of the best ranked, the position of the newer one that stands for it in this question, or -1.
    """

    rank: Callable[[Floats], Floats]
    single: int
    outdated: Callable[[Ranked], list[int]] = lambda best: [-1] * len(best.texts)


def signals(
    *,
    words: Floats,
    meaning: Floats,
    spread: tuple[float, float],
    slots: Vectors,
    asked: Vectors,
    single: int,
    aspect: Floats,
    texts: list[str],
    told: Floats,
) -> Floats:
    """float64 (n, len(SIGNALS)) of n candidates.

    Args:
        words: BM25 relative to the best candidate, 0..1.
        meaning: cosines.
        spread: lowest and highest cosine of all active memories, between which `meaning` is scaled.
        slots, asked: float32 (n, slots) posteriors of the candidates, (slots,) of the question.
        single: how many of the slots, from the first, hold one value at a time.
        aspect: cosines in the aspect space.
        told: when each was told, 0 (the oldest active memory) to 1 (the newest).
    """
    low, high = spread
    scaled = (meaning - low) / max(high - low, 1e-9)
    count = len(texts)
    return np.column_stack(
        [
            words,
            meaning,
            scaled,
            slots @ asked,
            slots[:, :single] @ asked[:single],
            aspect,
            np.array([min(1.0, len(text) / _LONG) for text in texts], np.float64).reshape(count),
            told,
            np.full(count, float(asked[:single].sum())),
            np.full(count, float(asked.max(initial=0.0))),
        ]
    ).astype(np.float64)
