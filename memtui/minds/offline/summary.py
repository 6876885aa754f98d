"""Extractive summaries: the newest central telling, with the numbers, names and dates of the others that still hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.model import Label, Summary
from memtui.memory.texts import same_key
from memtui.minds.offline.clauses import LONGEST_PIECE, clipped, sentences
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import LABELS, Heads
from memtui.minds.offline.judge import label_probabilities
from memtui.minds.offline.pairs import marks

_COHESION: Final = 0.45
"""Mean cosine to the centre below which texts do not say one thing."""
_CENTRAL: Final = 0.92
"""A telling is central when it is this near to the most central one, as a share of its centrality; the newest such wins."""
_NEAR: Final = 0.4
"""Cosine that each telling must have to some other one."""
_REPLACES: Final = 0.9
"""Probability of `supersedes` from which one telling contradicts another: how a project goes on is told anew each time,
and a summary keeps what each adds."""
_MOST_PAIRS: Final = 60


def summarize(texts: Sequence[str], language: str, embedder: LocalEmbedder, heads: Heads) -> Summary | None:
    """One text for several tellings (oldest first) from verbatim fragments; None if they do not say one thing."""
    distinct = _distinct(texts)
    if not distinct:
        return None
    vectors = embedder.embed_now(distinct)
    centre = vectors.mean(axis=0)
    norm = float(np.linalg.norm(centre))
    if norm < _COHESION:
        return None
    centrality = vectors @ (centre / norm)
    if not _agree(distinct, vectors, embedder, heads):
        return None
    base = max(i for i in range(len(distinct)) if centrality[i] >= _CENTRAL * centrality.max())
    text = _with_details(distinct, base)
    russian = language == "ru"
    reason = f"{len(texts)} раз об одном, по самому новому" if russian else f"told {len(texts)} times, by the newest telling"
    return Summary(text, reason)


def _distinct(texts: Sequence[str]) -> list[str]:
    newest: dict[str, str] = {}
    for text in texts:
        key = same_key(text)
        newest.pop(key, None)
        if key:
            newest[key] = text
    return list(newest.values())


def _agree(texts: Sequence[str], vectors: Vectors, embedder: LocalEmbedder, heads: Heads) -> bool:
    """Whether no telling replaces another, and each is near enough to some other to be about the same."""
    pairs = [(i, j) for j in range(len(texts)) for i in range(j)][-_MOST_PAIRS:]
    if not pairs:
        return True
    rows = label_probabilities([texts[i] for i, _ in pairs], [texts[j] for _, j in pairs], embedder, heads)
    if float(rows[:, LABELS.index(Label.SUPERSEDES)].max()) >= _REPLACES:
        return False
    near = vectors @ vectors.T
    np.fill_diagonal(near, 0.0)
    return bool((near.max(axis=1) >= _NEAR).all())


def _with_details(texts: Sequence[str], base: int) -> str:
    """The base text and, newest first, the fragments of others that hold numbers or names the text lacks."""
    parts = [clipped(texts[base])]
    for i in sorted(range(len(texts)), reverse=True):
        if i == base:
            continue
        for fragment in _fragments(texts[i]):
            held = marks(" ".join(parts))
            new = marks(fragment)
            lacking = (new.numbers - held.numbers) | (new.names - held.names)
            room = LONGEST_PIECE - len("; ".join(parts)) - 2
            if lacking and len(fragment) <= room and not _rivals(new.numbers, held.numbers, new.stems, held.stems):
                parts.append(fragment)
    return _joined(parts)


def _fragments(text: str) -> list[str]:
    return [
        piece.strip() for sentence in sentences(text) for piece in re.split(r",\s+|\s+[—–-]\s+", sentence) if piece.strip()
    ]


def _rivals(numbers: frozenset[str], held: frozenset[str], stems: frozenset[str], held_stems: frozenset[str]) -> bool:
    """Whether a fragment gives another number for what the text already counts: the newer one stands."""
    if not numbers or not held:
        return False
    words = {stem for stem in stems if not stem[0].isdigit()}
    return len(words & held_stems) * 2 >= max(1, len(words))


def _joined(parts: Sequence[str]) -> str:
    first = parts[0].rstrip(" ;,")
    if len(parts) == 1:
        return parts[0]
    return first.rstrip(".") + "; " + "; ".join(part.rstrip(" .;,") for part in parts[1:]) + "."
