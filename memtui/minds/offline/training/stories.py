"""Stories: what one person says over weeks, with what replaced what. They give pairs at the real rate of changes.

In a story nearly all pairs of neighbours stay true side by side; a judge trained on written pairs alone retires too much.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.minds.offline.training.rows import Row

NEIGHBOURS: Final = 4
"""Unlabelled neighbours of each statement that are taken as pairs in which both stay true."""
FAR: Final = 6
"""Further statements beside each change, picked at random: a change of one thing replaces nothing else."""
UNRELATED_BELOW: Final = 0.25
"""Cosine below which such a pair counts as unrelated, above as additive."""


def statements_of(stories: Sequence[Row]) -> list[Row]:
    """Every statement of the stories as a row of `statements_*.jsonl`; a story is one group."""
    return [
        {**statement, "lang": story["lang"], "subject": None, "group": _group(story)}
        for story in stories
        for statement in story["statements"]
    ]


def questions_of(stories: Sequence[Row]) -> list[Row]:
    """Every question that has a slot, as a row of `questions_*.jsonl`."""
    return [
        {"text": question["text"], "lang": story["lang"], "slot": question["slot"], "group": _group(story)}
        for story in stories
        for question in story["questions"]
        if question.get("slot")
    ]


def pairs_of(stories: Sequence[Row], vector_of: dict[str, Vectors], seed: int) -> tuple[list[Row], list[Row]]:
    """(labelled pairs, neighbour pairs in which both stay true), each an older and a newer statement of one story."""
    labelled: list[Row] = []
    beside: list[Row] = []
    for story in stories:
        texts = {statement["id"]: str(statement["text"]) for statement in story["statements"]}
        known: set[frozenset[str]] = set()
        for label in ("supersedes", "duplicates"):
            for older, newer in story[label]:
                known.add(frozenset((older, newer)))
                name = "duplicate" if label == "duplicates" else label
                labelled.append(_pair(texts[older], texts[newer], name, story))
        beside.extend(_beside(story, texts, _closed(known), vector_of, random.Random(f"{seed}:{story['story']}")))
    random.Random(seed).shuffle(beside)
    return labelled, beside


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


def _beside(
    story: Row, texts: dict[str, str], known: set[frozenset[str]], vector_of: dict[str, Vectors], chance: random.Random
) -> list[Row]:
    kept = [statement["id"] for statement in story["statements"] if statement["keep"]]
    vectors = np.stack([vector_of[texts[name]] for name in kept])
    cosines = vectors @ vectors.T
    changes = {newer for _, newer in story["supersedes"]}
    out: list[Row] = []
    for newer in range(1, len(kept)):
        order = np.argsort(-cosines[newer, :newer], kind="stable").tolist()
        near, rest = order[:NEIGHBOURS], order[NEIGHBOURS:]
        far = chance.sample(rest, min(FAR, len(rest))) if kept[newer] in changes else []
        for older in (*near, *far):
            if frozenset((kept[older], kept[newer])) in known:
                continue
            label = "unrelated" if cosines[newer, older] < UNRELATED_BELOW else "additive"
            out.append(_pair(texts[kept[older]], texts[kept[newer]], label, story))
    return out


def _pair(older: str, newer: str, label: str, story: Row) -> Row:
    return {"older": older, "newer": newer, "label": label, "group": _group(story)}


def _group(story: dict[str, Any]) -> str:
    return f"story-{story['story']}"
