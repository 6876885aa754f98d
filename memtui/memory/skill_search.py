"""Finding skills: BM25 over Snowball stems and cosine, fused and weighted by strength. Pure numpy.

The words' part is the share of the query's words that a skill holds, by their weight: BM25 over what a perfect match would
score. Divided by the best candidate instead, a Russian question that shares one "docker" with an English skill would count
as a full match by words; so it counts as the little it is, and meaning decides across languages.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from memtui.memory.frame import Bools, Floats, Ints, Vectors

K1: Final = 1.2
B: Final = 0.75
WORDS_WEIGHT: Final = 0.5
"""Share of the words in the fusion, where meaning is known too."""
STRENGTH_POWER: Final = 0.15
"""A skill's rank is multiplied by its strength to this power: 1.11 at 2, 0.64 at the floor. Relevance comes first."""
RELATED_FROM: Final = 0.30
"""Cosine from which meaning alone makes a skill relevant (the local embedder's)."""
COVERED_FROM: Final = 0.34
"""Share of the query's words, by weight, from which words alone do."""
NEAR_COSINE: Final = 0.88
"""Cosine from which two skills may say the same; their words decide."""
NEAR_WORDS: Final = 0.45
"""Share of words in common from which two skills say the same, at `NEAR_COSINE` or more."""
NEARLY_ONE: Final = 0.95
"""Cosine from which two say the same in other words, or in another language."""
_LOOKED_AT: Final = 0.5
_NEIGHBOURS: Final = 12
"""Of each skill so many of the nearest by meaning are compared word by word, down to this cosine: n log n, not n²."""
_BLOCK: Final = 512
SAME_WORDS: Final = 0.8
"""Share of words in common from which they do whatever their vectors say."""

Postings = tuple[Ints, Floats]
"""Rows that hold a word, and how often each does."""


class Words(Protocol):
    """An inverted index over skills."""

    @property
    def lengths(self) -> Floats:
        """Words of each row: float64 (n,)."""
        ...

    def postings(self, word: str) -> Postings:
        """Where a stem stands; empty arrays where it does not."""
        ...


class WordIndex:
    """An index in memory over the stems of each row."""

    def __init__(self, stems: Sequence[Sequence[str]]) -> None:
        self._lengths = np.array([len(words) for words in stems], np.float64)
        found: dict[str, tuple[list[int], list[int]]] = {}
        for row, words in enumerate(stems):
            for word, count in Counter(words).items():
                rows, counts = found.setdefault(word, ([], []))
                rows.append(row)
                counts.append(count)
        self.terms: Mapping[str, tuple[list[int], list[int]]] = found

    @property
    def lengths(self) -> Floats:
        """float64 (n,)."""
        return self._lengths

    def postings(self, word: str) -> Postings:
        """Rows (int64) and counts (float64) of a stem."""
        rows, counts = self.terms.get(word, ((), ()))
        return np.array(rows, np.int64), np.array(counts, np.float64)


def words_share(index: Words, query: Iterable[str]) -> Floats:
    """BM25 of each row for the stems of a query, as a share of what a perfect match scores: float64 (n,), 0..1."""
    lengths = index.lengths
    scores = np.zeros(lengths.size, np.float64)
    wanted = list(dict.fromkeys(query))
    if not wanted or not lengths.size:
        return scores
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0))
    most = 0.0
    for word in wanted:
        rows, counts = index.postings(word)
        weight = math.log(1 + (lengths.size - rows.size + 0.5) / (rows.size + 0.5))
        most += weight * (K1 + 1)
        scores[rows] += weight * counts * (K1 + 1) / (counts + norm[rows])
    return np.minimum(scores / most, 1.0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found, best first: positions of rows, and their parts.

    Attributes:
        rows: int64 (k,).
        score: the fused rank times the strength's weight: float64 (k,).
        words: 0..1; meaning: cosine (0 where there is none); passed: relevant at all.
    """

    rows: Ints
    score: Floats
    words: Floats
    meaning: Floats
    passed: Bools


def rank(
    words: Floats, meaning: Floats | Vectors | None, strength: Floats, limit: int, *, related_from: float = RELATED_FROM
) -> Ranking:
    """The best `limit` rows.

    Args:
        words: `words_share`, float64 (n,).
        meaning: cosine (n,), or None where words alone are searched.
        strength: what the law leaves, float64 (n,).
    """
    if meaning is None:
        cosine, fused = np.zeros_like(words), words
    else:
        cosine = np.asarray(meaning, np.float64)
        fused = WORDS_WEIGHT * words + (1 - WORDS_WEIGHT) * _scaled(cosine)
    score = fused * np.maximum(strength, 1e-9) ** STRENGTH_POWER
    passed = (words >= COVERED_FROM) | (cosine >= related_from)
    order = np.lexsort((np.arange(score.size), -score))
    order = order[(fused[order] > 0)][:limit].astype(np.int64)
    return Ranking(order, score[order], words[order], cosine[order], passed[order])


def _scaled(cosine: Floats) -> Floats:
    """Cosines between the fiftieth best (0) and the best (1); below it 0."""
    if not cosine.size:
        return cosine
    top = np.sort(cosine)[-50:]
    low, high = float(top[0]), float(top[-1])
    if cosine.size < 50:
        low = min(low, 0.0)
    return np.clip((cosine - low) / max(high - low, 1e-12), 0.0, 1.0)


def near_pairs(vectors: Vectors, stems: Sequence[frozenset[str]]) -> list[tuple[int, int, float, float]]:
    """Pairs of rows that say nearly the same: (row, later row, cosine, share of words in common), the nearest first.

    Args:
        vectors: float32 (n, dims).
    """
    pairs: set[tuple[int, int]] = set()
    for start in range(0, len(stems), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        nearest = np.argpartition(-cosines, min(_NEIGHBOURS, len(stems) - 1), axis=1)[:, : _NEIGHBOURS + 1]
        for row, others in enumerate(nearest.tolist(), start):
            pairs.update((min(row, o), max(row, o)) for o in others if o != row and cosines[row - start, o] >= _LOOKED_AT)
    out: list[tuple[int, int, float, float]] = []
    for one, other in pairs:
        cosine, shared = float(vectors[one] @ vectors[other]), overlap(stems[one], stems[other])
        if is_near(cosine, shared):
            out.append((one, other, cosine, shared))
    return sorted(out, key=lambda pair: (-pair[2] - pair[3], pair[0], pair[1]))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of words in common (Jaccard): 0..1."""
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def is_near(cosine: float, shared: float) -> bool:
    """Whether two skills say nearly the same. It is reported, and never acted on: a person decides."""
    return shared >= SAME_WORDS or cosine >= NEARLY_ONE or (cosine >= NEAR_COSINE and shared >= NEAR_WORDS)
