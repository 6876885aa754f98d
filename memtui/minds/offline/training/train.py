"""Train the heads: `python -m memtui.minds.offline.training.train` (needs the extra `train`; a few minutes on two cores).

Prints grouped cross-validation and writes `heads.npz`. Deterministic: the same data give the same file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from memtui.memory.frame import Vectors
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.features import statement_features
from memtui.minds.offline.heads import LABELS, LEVELS, WEIGHTS, Heads, versions
from memtui.minds.offline.pairs import pair_features
from memtui.minds.offline.slots import NO_SLOT, SLOTS
from memtui.minds.offline.training.rows import Row, data_hash, random_negatives, read, united_groups

OUT: Final = Path(__file__).parents[1] / WEIGHTS
FOLDS: Final = 5
NEGATIVES: Final = 1_500
BASIS: Final = 32
SEED: Final = 7

Fit = Callable[[Vectors, "np.ndarray[Any, Any]"], LogisticRegression]


def _logistic(c: float) -> Fit:
    def fit(x: Vectors, y: np.ndarray[Any, Any]) -> LogisticRegression:
        return LogisticRegression(C=c, max_iter=2_000, class_weight="balanced").fit(x, y)

    return fit


def _out_of_fold(fit: Fit, x: Vectors, y: np.ndarray[Any, Any], groups: list[str]) -> Vectors:
    classes = np.unique(y)
    out = np.zeros((len(y), len(classes)), np.float32)
    for train, test in GroupKFold(FOLDS).split(x, y, groups):
        out[test] = fit(x[train], y[train]).predict_proba(x[test])
    return out


def _weights(model: LogisticRegression) -> tuple[Vectors, Vectors]:
    return np.asarray(model.coef_.T, np.float32), np.asarray(model.intercept_, np.float32)


def main() -> None:
    """Train everything and write the weights."""
    embedder = LocalEmbedder(cached=100_000)
    statements, questions, pairs = read("statements_*.jsonl"), read("questions_*.jsonl"), read("pairs_*.jsonl")
    arrays: dict[str, Vectors] = {}
    figures: dict[str, float] = {}
    _statement_heads(statements, embedder, arrays, figures)
    _slot_head(statements + questions, embedder, arrays, figures)
    _pair_head(pairs, embedder, arrays, figures)
    meta = {
        "data": data_hash(),
        "versions": versions(),
        "thresholds": {"keep": 0.5, "supersedes": 0.6, "duplicate": 0.6},
        "scales": {"keep": 1.0, "kind": 1.0, "importance": 1.0, "slots": 1.0, "pair": 1.0},
        "figures": figures,
    }
    stored: dict[str, Any] = {name: array.astype(np.float16) for name, array in arrays.items()}
    np.savez_compressed(OUT, meta=json.dumps(meta, sort_keys=True), **stored)
    print(json.dumps(figures, indent=1))


def _statement_heads(
    rows: list[Row], embedder: LocalEmbedder, arrays: dict[str, Vectors], figures: dict[str, float]
) -> None:
    texts = [str(row["text"]) for row in rows]
    x = statement_features(texts, embedder.embed_now(texts))
    groups = np.array(united_groups(rows, ["text"]))
    kept = np.array([bool(row["keep"]) for row in rows])
    targets = {
        "keep": (kept | True, kept.astype(int)),
        "kind": (kept, np.array([int(row["kind"] == "semantic") for row in rows])),
        "importance": (kept, np.array([LEVELS.index(row["importance"]) if row["importance"] else 0 for row in rows])),
    }
    for name, (mask, y) in targets.items():
        fit = _logistic(2.0)
        out = _out_of_fold(fit, x[mask], y[mask], groups[mask].tolist())
        figures[f"{name}_cv"] = round(float((out.argmax(1) == y[mask]).mean()), 4)
        arrays[f"{name}_W"], arrays[f"{name}_b"] = _weights(fit(x[mask], y[mask]))


def _slot_head(rows: list[Row], embedder: LocalEmbedder, arrays: dict[str, Vectors], figures: dict[str, float]) -> None:
    x = embedder.embed_now([str(row["text"]) for row in rows])
    order = [*SLOTS, NO_SLOT]
    y = np.array([order.index(row["slot"] or NO_SLOT) for row in rows])
    fit = _logistic(10.0)
    out = _out_of_fold(fit, x, y, united_groups(rows, ["text"]))
    figures["slots_cv"] = round(float((out.argmax(1) == y).mean()), 4)
    arrays["slots_W"], arrays["slots_b"] = _weights(fit(x, y))
    arrays["basis"] = np.linalg.svd(x - x.mean(0), full_matrices=False)[2][:BASIS].T.astype(np.float32)


def _pair_head(rows: list[Row], embedder: LocalEmbedder, arrays: dict[str, Vectors], figures: dict[str, float]) -> None:
    groups = united_groups(rows, ["older", "newer"])
    negatives, of_group = random_negatives(rows, groups, NEGATIVES, SEED)
    every = rows + negatives
    older, newer = [str(row["older"]) for row in every], [str(row["newer"]) for row in every]
    a, b = embedder.embed_now(older), embedder.embed_now(newer)
    slots = Heads(arrays, {"scales": {"slots": 1.0}}).slots
    x = pair_features(older, newer, a, b, slots(a), slots(b), arrays["basis"])
    arrays["pair_mean"], arrays["pair_scale"] = x.mean(0), x.std(0) + 0.05
    x = (x - arrays["pair_mean"]) / arrays["pair_scale"]
    order = [str(label) for label in LABELS]
    y = np.array([order.index(row["label"]) for row in every])
    fit: Fit = lambda x, y: LogisticRegression(C=0.05, max_iter=2_000).fit(x, y)  # noqa: E731
    out = _out_of_fold(fit, x, y, groups + of_group)
    figures["pairs_cv"] = round(float((out.argmax(1) == y)[: len(rows)].mean()), 4)
    arrays["pair_W"], arrays["pair_b"] = _weights(fit(x, y))


if __name__ == "__main__":
    main()
