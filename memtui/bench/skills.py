"""`memtui bench skills`: does a question find the skill it is about, in the same language and in the other one?

Fifty skills of our own (half English, half Russian), each with a question in both languages; all fifty are candidates for
every question. Nothing was fitted to them but what is said in README.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from memtui.clock import monotonic
from memtui.memory.skill import Draft, body_text, read_outcome, searched_text
from memtui.memory.skill_search import WordIndex, rank, words_share
from memtui.memory.words import stems
from memtui.minds.offline.embedder import LocalEmbedder

WAYS = ("ru>en", "en>ru", "en>en", "ru>ru")
"""Language of the question, then of the skill."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and the skill it is about.

    Attributes:
        way: one of `WAYS`.
        skill: which of the skills, from 0.
    """

    way: str
    question: str
    skill: int


@cache
def skill_pairs() -> tuple[tuple[Draft, ...], tuple[Pair, ...]]:
    """The skills and the questions that come with memtui."""
    text = files("memtui.bench").joinpath("data", "skill_pairs.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    drafts = tuple(
        Draft(row["title"], row["trigger"], row["steps"], row["lessons"], read_outcome(row["outcome"])) for row in rows
    )
    pairs = (
        Pair(f"{asked}>{row['lang']}", question, at) for at, row in enumerate(rows) for asked, question in row["ask"].items()
    )
    return drafts, tuple(pairs)


def measure_skills(embedder: LocalEmbedder | None = None) -> dict[str, Any]:
    """hit@1 and hit@3 by way, by words and meaning and by words alone, with the milliseconds a question takes."""
    embedder = embedder or LocalEmbedder()
    drafts, pairs = skill_pairs()
    index = WordIndex([stems(body_text(draft)) for draft in drafts])
    vectors = embedder.embed_now([searched_text(draft) for draft in drafts])
    strength = np.ones(len(drafts))
    found: dict[str, list[tuple[int, int]]] = {way: [] for way in WAYS}
    taken: list[float] = []
    for pair in pairs:
        began = monotonic()
        words = words_share(index, stems(pair.question))
        cosine = vectors @ embedder.embed_now([pair.question])[0]
        both = rank(words, cosine, strength, 10)
        taken.append(monotonic() - began)
        alone = rank(words, None, strength, 10)
        found[pair.way].append((_place(both.rows.tolist(), pair.skill), _place(alone.rows.tolist(), pair.skill)))
    return {
        "skills": len(drafts),
        "ways": {way: _figures(places) for way, places in found.items()},
        "ms_a_question": round(sorted(taken)[len(taken) // 2] * 1000, 2),
    }


def _place(rows: Sequence[int], wanted: int) -> int:
    return rows.index(wanted) if wanted in rows else 99


def _figures(places: Sequence[tuple[int, int]]) -> dict[str, Any]:
    def share(which: int, below: int) -> float:
        return round(sum(place[which] < below for place in places) / max(1, len(places)), 3)

    return {
        "pairs": len(places),
        "hit@1": share(0, 1),
        "hit@3": share(0, 3),
        "words alone hit@1": share(1, 1),
        "words alone hit@3": share(1, 3),
    }
