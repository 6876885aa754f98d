"""Cross-fitting: what is read off a text in training comes from heads that never saw its group.

Slots, aspects and brief heads are inputs of the judge and of the ranker. Read by heads that know the very text they would be
far sharper than on new texts, and what is trained on them would trust them too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.training.aspects import train_aspects
from memtui.minds.offline.training.rows import STORY, Row, united_groups
from memtui.minds.offline.training.statement_heads import Arrays, train_brief_heads, train_slot_head
from memtui.minds.offline.training.stories import group_of, questions_of, statements_of

FOLDS: Final = 4
SEED: Final = 3


@dataclass(frozen=True)
class Data:
    """All training data.

    Attributes:
        asked: questions, each with the one statement it was written for.
        pairs: written pairs; each has its united group in `pair_groups`.
    """

    stories: Sequence[Row]
    statements: Sequence[Row]
    questions: Sequence[Row]
    asked: Sequence[Row]
    pairs: Sequence[Row]
    pair_groups: Sequence[str]

    @classmethod
    def of(
        cls,
        stories: Sequence[Row],
        statements: Sequence[Row],
        questions: Sequence[Row],
        asked: Sequence[Row],
        pairs: Sequence[Row],
    ) -> Data:
        """The data with the groups of the pairs."""
        return cls(stories, statements, questions, asked, pairs, united_groups(pairs, ["older", "newer"]))

    def without(self, groups: frozenset[str]) -> Data:
        """The data but for the stories and pairs of these groups, and the questions written for a story's statement."""
        pairs = [(pair, group) for pair, group in zip(self.pairs, self.pair_groups, strict=True) if group not in groups]
        return Data(
            [story for story in self.stories if group_of(story) not in groups],
            self.statements,
            self.questions,
            [row for row in self.asked if not row["group"].startswith(STORY) or row["group"] not in groups],
            [pair for pair, _ in pairs],
            [group for _, group in pairs],
        )


def train_readers(data: Data, embedder: LocalEmbedder, arrays: Arrays, figures: dict[str, float] | None = None) -> None:
    """Fit slots, brief heads and aspects on `data` into `arrays`."""
    statements = [*data.statements, *statements_of(data.stories)]
    questions = [*data.questions, *questions_of(data.stories)]
    train_slot_head([*statements, *questions], embedder, arrays, figures)
    train_brief_heads(statements, embedder, arrays)
    train_aspects(data.stories, data.statements, data.questions, data.asked, data.pairs, embedder, arrays)


def folds_of(groups: Iterable[str]) -> dict[str, int]:
    """A fold for each group, seeded."""
    names = sorted(set(groups))
    return dict(zip(names, (np.random.default_rng(SEED).permutation(len(names)) % FOLDS).tolist(), strict=True))


def cross_fitted(data: Data, fold_of: Mapping[str, int], embedder: LocalEmbedder) -> list[Heads]:
    """For each fold, the readers trained without it."""
    out = []
    for fold in range(FOLDS):
        arrays: Arrays = {}
        train_readers(data.without(frozenset(g for g, f in fold_of.items() if f == fold)), embedder, arrays)
        out.append(Heads(arrays, {"scales": {}}))
        print(f"readers without fold {fold}", flush=True)
    return out
