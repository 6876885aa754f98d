"""Searching memory for a tool: by words and meaning, over whatever is there; and what is much like a new text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from memtui.memory.model import KINDS, Kind
from memtui.memory.texts import same_key

if TYPE_CHECKING:
    from memtui.memory.frame import Frame, Vectors
    from memtui.store.memory_store import MemoryStore

_CANDIDATES: Final = 50
"""Of each arm, as in recall."""
_NEAR_COSINE: Final = 0.80
"""From here on a text is much like another (PITFALLS: the median of duplicates): it is said, never decided by it."""
_NEAR_WORDS: Final = 0.6
"""Share of words in common (Jaccard) that makes two texts much alike."""
_SHOWN: Final = 5


def ranked(
    store: MemoryStore, query: str, vector: Vectors, limit: int, *, kind: Kind | None, retired: bool
) -> list[tuple[int, float]]:
    """(row, score) of the best, by relative-score fusion of BM25 and cosine (PITFALLS: w = .5 for facts), best first.

    Args:
        vector: the query's, float32 (dims,), unit length.
        kind: only memories of this kind; None is all.
        retired: retired ones too; they are found by meaning, for the index of words holds active ones alone.
    """
    frame = store.frame
    wanted = np.array([memory in frame for memory in frame.ids], bool) if retired else frame.active.copy()
    if kind is not None:
        wanted &= frame.kind == KINDS.index(kind)
    rows = np.flatnonzero(wanted)
    if rows.size == 0:
        return []
    cosines = frame.vectors @ vector
    found = store.search_words(query, _CANDIDATES)
    words = {frame.row(memory): score for memory, score in found.items() if memory in frame}
    near = rows[np.argsort(-cosines[rows], kind="stable")[:_CANDIDATES]].tolist()
    seen = list(dict.fromkeys([*near, *(row for row in words if wanted[row])]))
    low, high = float(cosines[seen].min()), float(cosines[seen].max())
    best = max(words.values(), default=0.0) or 1.0
    scores = {
        row: 0.5 * words.get(row, 0.0) / best + 0.5 * (float(cosines[row]) - low) / ((high - low) or 1.0) for row in seen
    }
    return sorted(scores.items(), key=lambda pair: -pair[1])[:limit]


def much_alike(frame: Frame, text: str, vector: Vectors) -> list[tuple[int, float]]:
    """(row, cosine) of active facts that say nearly what `text` says, the nearest first; skills are no facts.

    Args:
        vector: the text's, float32 (dims,), unit length.
    """
    rows = np.flatnonzero(frame.active & ~frame.skill)
    cosines = (frame.vectors @ vector)[rows]
    near = set(rows[cosines >= _NEAR_COSINE].tolist())
    own = set(same_key(text).split())
    nearest = rows[np.argsort(-cosines, kind="stable")[:_CANDIDATES]].tolist()
    near |= {row for row in nearest if _alike(own, set(same_key(frame.texts[row]).split()))}
    cosine_of = dict(zip(rows.tolist(), cosines.tolist(), strict=True))
    return [(row, round(cosine_of[row], 3)) for row in sorted(near, key=lambda row: -cosine_of[row])[:_SHOWN]]


def _alike(one: set[str], other: set[str]) -> bool:
    return bool(one and other) and len(one & other) / len(one | other) >= _NEAR_WORDS
