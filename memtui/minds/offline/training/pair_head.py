"""Training the pair judge: a linear head over all columns, then boosted trees over its logits and the surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from memtui.memory.frame import Floats, Ints, Vectors
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import LABELS, Heads
from memtui.minds.offline.judge import pair_columns
from memtui.minds.offline.training.fit import coefficients, exported, logistic, threshold_for
from memtui.minds.offline.training.readers import FOLDS, Data
from memtui.minds.offline.training.rivals import made_pairs
from memtui.minds.offline.training.rows import Row, random_negatives
from memtui.minds.offline.training.statement_heads import Arrays, Figures
from memtui.minds.offline.training.stories import pairs_of
from memtui.minds.offline.trees import JUDGE, stacked

SEED: Final = 7
NEGATIVES: Final = 1_500
PRECISION: Final = 0.8
"""Out of fold, over written pairs: from what confidence on a verdict counts as sure."""
_SEEN: Final = 0.3
"""Share of the stories' unlinked neighbours that are trained on; all are measured on."""
_ALWAYS_FROM: Final = 0.5
"""Cosine from which such a neighbour is always trained on: the nearer, the easier it is mistaken for a change."""
_WEIGHTS: Final = {"written": 2.5, "story": 1.0, "beside": 0.6, "random": 0.3}
_MADE_WEIGHT: Final = 0.4
_ORDER: Final = [str(label) for label in LABELS]


@dataclass
class Pairs:
    """All pairs, where they come from, and their columns read by heads that did not see them."""

    rows: list[Row]
    source: npt.NDArray[np.str_]
    fold: Ints
    surface: Vectors
    vectors: Vectors
    y: Ints
    weights: Floats
    seen: npt.NDArray[np.bool_]


def gather(data: Data, fold_of: Mapping[str, int], readers: Sequence[Heads], embedder: LocalEmbedder) -> Pairs:
    """Written, story, random and made pairs with their cross-fitted columns."""
    rows, source = _rows(data, embedder)
    united = {str(pair["group"]): group for pair, group in zip(data.pairs, data.pair_groups, strict=True)}
    fold = np.array([fold_of[united.get(str(row["group"]), str(row["group"]))] for row in rows])
    surface: list[Vectors | None] = [None] * len(rows)
    vectors: list[Vectors | None] = [None] * len(rows)
    for number, heads in enumerate(readers):
        here = np.flatnonzero(fold == number).tolist()
        found = pair_columns([rows[i]["older"] for i in here], [rows[i]["newer"] for i in here], embedder, heads)
        for at, i in enumerate(here):
            surface[i], vectors[i] = found[0][at], found[1][at].astype(np.float16)
    y = np.array([_ORDER.index(row["label"]) for row in rows])
    weights = np.array([_WEIGHTS.get(name, _MADE_WEIGHT) for name in source])
    alike = np.array([row.get("cosine", 1.0) >= _ALWAYS_FROM for row in rows])
    seen = (source != "beside") | alike | (np.random.default_rng(SEED).random(len(rows)) < _SEEN)
    return Pairs(rows, source, fold, np.array(surface, np.float32), np.array(vectors, np.float16), y, weights, seen)


def _rows(data: Data, embedder: LocalEmbedder) -> tuple[list[Row], npt.NDArray[np.str_]]:
    texts = list(dict.fromkeys(str(s["text"]) for story in data.stories for s in story["statements"]))
    of_stories = pairs_of(data.stories, dict(zip(texts, embedder.embed_now(texts), strict=True)))
    parts: dict[str, Sequence[Row]] = {
        "written": data.pairs,
        "story": [row for row in of_stories if row["linked"]],
        "beside": [row for row in of_stories if not row["linked"]],
        "random": random_negatives(data.pairs, list(data.pair_groups), NEGATIVES, SEED),
        **made_pairs(data.pairs, data.statements, SEED),
    }
    source = np.array([name for name, part in parts.items() for _ in part])
    return [row for part in parts.values() for row in part], source


def train_judges(pairs: Pairs, readers: Sequence[Heads], figures: Figures) -> tuple[Arrays, list[Heads], dict[str, float]]:
    """(the judge's weights, a judge for each fold that saw nothing of it, thresholds chosen out of fold)."""
    mean, scale = pairs.surface.mean(axis=0), pairs.surface.std(axis=0) + 0.05
    shared: Arrays = {"pair_mean": mean, "pair_scale": scale}
    design = Heads(shared, {}).pair_design(pairs.surface, pairs.vectors.astype(np.float32))
    linear = logistic(1.5, 150)
    own: list[Arrays] = []
    first = np.zeros((len(pairs.y), len(LABELS)), np.float32)
    for fold in range(FOLDS):
        train, test = (pairs.fold != fold) & pairs.seen, pairs.fold == fold
        model = linear(design[train], pairs.y[train], pairs.weights[train])
        first[test] = model.predict_proba(design[test])
        weights, intercept = coefficients(model)
        own.append({**shared, "pair_W": weights, "pair_b": intercept})
        print(f"judge: linear head without fold {fold}", flush=True)
    columns = stacked(pairs.surface, first)
    second = np.zeros_like(first)
    for fold in range(FOLDS):
        train, test = (pairs.fold != fold) & pairs.seen, pairs.fold == fold
        trees = _boost(columns[train], pairs.y[train], pairs.weights[train])
        second[test] = trees.predict_proba(columns[test])
        own[fold] |= exported(trees, JUDGE)
    final = linear(design[pairs.seen], pairs.y[pairs.seen], pairs.weights[pairs.seen])
    shared["pair_W"], shared["pair_b"] = coefficients(final)
    shared |= exported(_boost(columns[pairs.seen], pairs.y[pairs.seen], pairs.weights[pairs.seen]), JUDGE)
    judges = [Heads({**heads.arrays, **arrays}, heads.meta) for heads, arrays in zip(readers, own, strict=True)]
    return shared, judges, _figures(second, pairs.y, pairs.source, figures)


def _boost(x: Vectors, y: Ints, weights: Floats) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=160,
        learning_rate=0.06,
        max_leaf_nodes=10,
        min_samples_leaf=20,
        l2_regularization=5,
        max_features=0.2,
        early_stopping=False,
        random_state=SEED,
    ).fit(x, y, sample_weight=weights)


def _figures(out: Vectors, y: Ints, source: npt.NDArray[np.str_], figures: Figures) -> dict[str, float]:
    """Quality out of fold on written pairs and on stories; the thresholds are for `PRECISION` over the written ones."""
    written, story = source == "written", np.isin(source, ("story", "beside"))
    thresholds: dict[str, float] = {}
    for label in ("supersedes", "duplicate"):
        at = _ORDER.index(label)
        scores, truth = out[:, at].astype(np.float64), y == at
        cut, _ = threshold_for(PRECISION, scores[written], truth[written])
        thresholds[label] = round(cut, 3)
        for name, mask in (("written", written), ("story", story)):
            print(label, name, _curve(scores[mask], truth[mask]), flush=True)
            acted = scores[mask] >= cut
            figures[f"{label}_{name}_precision"] = round(float(truth[mask][acted].mean()), 4)
            figures[f"{label}_{name}_recall"] = round(float(acted[truth[mask]].mean()), 4)
    figures["pairs_written_cv"] = round(float((out[written].argmax(axis=1) == y[written]).mean()), 4)
    return thresholds


def _curve(scores: Floats, truth: npt.NDArray[np.bool_]) -> str:
    """Precision and recall by threshold, for the log."""
    cuts = (0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
    return " ".join(f"{cut}:P{truth[scores >= cut].mean():.2f}/R{(scores >= cut)[truth].mean():.2f}" for cut in cuts)
