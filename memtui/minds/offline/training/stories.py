"""Stories: what one person says over weeks, with what replaced what. They give pairs at the real rate of changes.

In a story nearly all pairs of neighbours stay true side by side; a judge trained on written pairs alone retires too much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Any, Final

import numpy as np

from memtui.memory.frame import Floats, Vectors
from memtui.memory.words import stems
from memtui.minds.offline.training.rows import STORY, Row

NEAREST_VECTORS: Final = 10
NEAREST_WORDS: Final = 5
"""Which neighbours of a statement are its candidate pairs: those a sleep pass would ask the judge about."""
UNRELATED_BELOW: Final = 0.25
"""Cosine below which a pair that no label links counts as unrelated, above as additive."""
_SATURATION, _LENGTH_SHARE, _USUAL_LENGTH = 1.2, 0.75, 8.0
"""BM25's k1 and b, and how many stems a statement usually has."""


def statements_of(stories: Sequence[Row]) -> list[Row]:
    """Every statement of the stories as a row of `statements_*.jsonl`; a story is one group."""
    return [
        {"subject": None, **statement, "lang": story["lang"], "group": group_of(story)}
        for story in stories
        for statement in story["statements"]
    ]


def questions_of(stories: Sequence[Row]) -> list[Row]:
    """Every question that has a slot, as a row of `questions_*.jsonl`."""
    return [
        {"text": question["text"], "lang": story["lang"], "slot": question["slot"], "group": group_of(story)}
        for story in stories
        for question in story["questions"]
        if question.get("slot")
    ]


def kept_of(story: Row) -> list[Row]:
    """The statements of a story that a memory is made of, in order of telling."""
    return [statement for statement in story["statements"] if statement["keep"]]


def pairs_of(stories: Sequence[Row], vector_of: dict[str, Vectors]) -> list[Row]:
    """The pairs a sleep pass would ask about, labelled, each an older and a newer statement of one story.

    `linked` tells the pairs that a label speaks of from neighbours that both stay true; `cosine` is theirs. Of statements
    that a chain of labels ties together without a label of their own nothing is claimed.
    """
    return [pair for story in stories for pair in _pairs(story, vector_of)]


def _pairs(story: Row, vector_of: dict[str, Vectors]) -> list[Row]:
    kept = kept_of(story)
    names, texts = [row["id"] for row in kept], [str(row["text"]) for row in kept]
    cosines = np.stack([vector_of[text] for text in texts]) @ np.stack([vector_of[text] for text in texts]).T
    labels = dict.fromkeys(map(tuple, story["supersedes"]), "supersedes")
    labels |= dict.fromkeys(map(tuple, story["duplicates"]), "duplicate")
    tied = _closed({frozenset(pair) for pair in labels})
    out: list[Row] = []
    for newer in range(1, len(kept)):
        by_words = words_arm(texts[newer], texts[:newer])
        near = {*np.argsort(-cosines[newer, :newer], kind="stable")[:NEAREST_VECTORS].tolist()}
        near |= {i for i in np.argsort(-by_words, kind="stable")[:NEAREST_WORDS].tolist() if by_words[i] > 0}
        for older in range(newer):
            pair = (names[older], names[newer])
            label = labels.get(pair)
            if label is None and (older not in near or frozenset(pair) in tied):
                continue
            other = "unrelated" if cosines[newer, older] < UNRELATED_BELOW else "additive"
            row = {"older": texts[older], "newer": texts[newer], "label": label or other, "group": group_of(story)}
            out.append({**row, "linked": label is not None, "cosine": float(cosines[newer, older])})
    return out


def words_arm(question: str, texts: Sequence[str]) -> Floats:
    """BM25 of `texts` for a question among themselves, relative to the best: float64 (n,), 0..1."""
    bags = [Counter(stems(text)) for text in texts]
    scores = np.zeros(len(texts))
    for stem in set(stems(question)):
        holding = sum(stem in bag for bag in bags)
        rarity = log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
        for i, bag in enumerate(bags):
            if stem in bag:
                length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * bag.total() / _USUAL_LENGTH
                scores[i] += rarity * bag[stem] * (_SATURATION + 1) / (bag[stem] + _SATURATION * length)
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores


def _closed(known: set[frozenset[str]]) -> set[frozenset[str]]:
    """`known` with its transitive pairs: of A replaced by B and B by C nothing is claimed about A and C."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for pair in known:
        first, *rest = sorted(pair)
        for other in rest:
            parent[root(other)] = root(first)
    members: dict[str, list[str]] = {}
    for name in list(parent):
        members.setdefault(root(name), []).append(name)
    return {frozenset((a, b)) for names in members.values() for a in names for b in names if a != b}


def group_of(story: dict[str, Any]) -> str:
    """The group of all that a story holds."""
    return f"{STORY}{story['story']}"
