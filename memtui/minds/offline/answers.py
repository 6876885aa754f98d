"""Which memories answer a question, and which of them a newer one stands for.

Two sets of boosted trees. The first ranks: how likely a memory is what is asked for, by `memory/signals.py`. The second
looks at the best ranked together: where two answer the same question and the judge thinks them rivals, the older is passed
over for this question. It stays a memory; only a sleep pass retires, and it wants to be surer.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from memtui.memory.frame import Floats, Ints, Vectors
from memtui.memory.signals import SIGNALS, Ranked, Ranker
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.judge import label_probabilities
from memtui.minds.offline.slots import SINGLE_VALUED
from memtui.minds.offline.trees import OUTDATED, RANK, boosted

_OWN: Final = tuple(SIGNALS.index(n) for n in ("slot", "single_slot", "aspect", "recency", "asked_single", "asked_best"))
_RECENCY: Final = SIGNALS.index("recency")
_OF_RIVAL: Final = (1, 0, 0, 1, 1, 1, 1, 1, 0)
"""Of the columns of one rival: 1 where more never speaks for the older one (it replaces it, it is relevant, it is near)."""
OUTDATED_RISING: Final[tuple[int, ...]] = (0, 0, *(0 for _ in _OWN), *_OF_RIVAL, *_OF_RIVAL)
"""The same for all columns: an unlikely rival never makes a memory look more outdated."""
_ASPECT_PULL: Final = 3.0
"""How much nearness in the aspect space weighs beside relevance when the likeliest rival is looked for."""


def ranker_of(embedder: LocalEmbedder) -> Ranker:
    """The trained ranker; loads the heads at first use."""

    def rank(signals: Floats) -> Floats:
        heads = Heads.load()
        return log_odds(heads, RANK, signals.astype(np.float32)) - heads.threshold(RANK)

    def outdated(best: Ranked) -> list[int]:
        heads = Heads.load()
        return passed_over(best, rivalry(best, embedder, heads), heads)

    return Ranker(rank, len(SINGLE_VALUED), outdated)


def log_odds(heads: Heads, name: str, columns: Vectors) -> Floats:
    """float64 (n,): what the trees of a yes-or-no question say."""
    return boosted(heads.arrays, name, columns)[:, 0].astype(np.float64)


def rivalry(best: Ranked, embedder: LocalEmbedder, heads: Heads) -> Floats:
    """float64 (n, n, 4): at [i, j] the judge's label probabilities where j is newer than i, else 0."""
    count = len(best.texts)
    out = np.zeros((count, count, 4))
    pairs = [(i, j) for i in range(count) for j in range(count) if best.age[i] > best.age[j]]
    if pairs:
        older, newer = [best.texts[i] for i, _ in pairs], [best.texts[j] for _, j in pairs]
        out[tuple(np.array(pairs).T)] = label_probabilities(older, newer, embedder, heads)
    return out


def passed_over(best: Ranked, rivals: Floats, heads: Heads) -> list[int]:
    """For each of the best ranked, the position of the newer one that stands for it, or -1."""
    out = [-1] * len(best.texts)
    columns, rows, by = outdated_columns(best, rivals)
    if rows:
        sure = log_odds(heads, OUTDATED, columns) - heads.threshold(OUTDATED)
        for row, newer, odds in zip(rows, by, sure.tolist(), strict=True):
            if odds >= 0:
                out[row] = newer
    return out


def outdated_columns(best: Ranked, rivals: Floats) -> tuple[Vectors, list[int], list[int]]:
    """float32 (m, columns) of those that have a newer one beside them; their positions; the likeliest rival of each."""
    columns: list[list[float]] = []
    rows: list[int] = []
    by: list[int] = []
    single = len(SINGLE_VALUED)
    alike, near = best.vectors @ best.vectors.T, best.aspects @ best.aspects.T
    shared = best.slots[:, :single] @ best.slots[:, :single].T
    for i in range(len(best.texts)):
        newer: Ints = np.flatnonzero(best.age < best.age[i])
        if newer.size == 0:
            continue
        line = [best.relevance[i], float(i), *best.signals[i, _OWN].tolist()]
        judged = int(newer[np.argmax(rivals[i, newer, 0])])
        nearest = int(newer[np.argmax(best.relevance[newer] + _ASPECT_PULL * near[i, newer])])
        for j in (judged, nearest):
            line.extend(rivals[i, j, :3].tolist())
            line.extend((best.relevance[j], best.relevance[j] - best.relevance[i]))
            line.extend((float(alike[i, j]), float(near[i, j]), float(shared[i, j])))
            line.append(float(best.signals[j, _RECENCY] - best.signals[i, _RECENCY]))
        columns.append(line)
        rows.append(i)
        by.append(judged)
    return np.array(columns, np.float32), rows, by
