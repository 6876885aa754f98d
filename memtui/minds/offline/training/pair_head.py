"""Training the pair judge: a linear head over all columns, then boosted trees over its logits and the surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from memtui.memory.frame import Floats, Ints, Vectors
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import LABELS, Heads
from memtui.minds.offline.judge import pair_columns
from memtui.minds.offline.training.fit import coefficients, logistic, out_of_fold, threshold_for
from memtui.minds.offline.training.rivals import made_pairs
from memtui.minds.offline.training.rows import Row, random_negatives, united_groups
from memtui.minds.offline.training.statement_heads import Arrays, Figures
from memtui.minds.offline.training.stories import pairs_of
from memtui.minds.offline.trees import stacked

SEED: Final = 7
NEGATIVES: Final = 1_500
BESIDE: Final = 5_500
PRECISION: Final = 0.8
"""Out of fold, over written pairs and stories: from what confidence on a pass may retire."""
_WEIGHTS: Final = {"written": 1.0, "story": 1.0, "beside": 0.3, "random": 0.3}
_MADE_WEIGHT: Final = 0.4
_ORDER: Final = [str(label) for label in LABELS]


def train_pair_head(
    pairs: Sequence[Row], stories: Sequence[Row], statements: Sequence[Row], embedder: LocalEmbedder, readers: Arrays,
    figures: Figures,
) -> tuple[Arrays, dict[str, float]]:  # fmt: skip
    """The judge's weights, and the confidence thresholds chosen out of fold.

    Args:
        readers: slot and brief heads that saw no story: with heads that know the stories' statements the judge would
            learn to trust posteriors that are never as sharp on new texts.
    """
    arrays = dict(readers)
    rows, source = _rows(pairs, stories, statements, embedder)
    groups = _groups(rows, pairs)
    heads = Heads(arrays, {"scales": {}})
    surface, vectors = pair_columns([row["older"] for row in rows], [row["newer"] for row in rows], embedder, heads)
    arrays["pair_mean"], arrays["pair_scale"] = surface.mean(axis=0), surface.std(axis=0) + 0.05
    y = np.array([_ORDER.index(row["label"]) for row in rows])
    weights = np.array([_WEIGHTS.get(name, _MADE_WEIGHT) for name in source])
    x = heads.pair_design(surface, vectors)
    linear = logistic(1.5, 200)
    first = out_of_fold(linear, x, y, weights, groups)
    arrays["pair_W"], arrays["pair_b"] = coefficients(linear(x, y, weights))
    columns = stacked(surface, first)
    second = out_of_fold(_boost, columns, y, weights, groups)
    arrays.update(_exported(_boost(columns, y, weights), columns.shape[1]))
    own = {name: array for name, array in arrays.items() if name.startswith(("pair_", "tree_"))}
    return own, _figures(second, y, np.array(source), figures)


def _rows(
    pairs: Sequence[Row], stories: Sequence[Row], statements: Sequence[Row], embedder: LocalEmbedder
) -> tuple[list[Row], list[str]]:
    texts = list(dict.fromkeys(str(s["text"]) for story in stories for s in story["statements"]))
    labelled, beside = pairs_of(stories, dict(zip(texts, embedder.embed_now(texts), strict=True)), SEED)
    random_rows = random_negatives(pairs, united_groups(pairs, ["older", "newer"]), NEGATIVES, SEED)
    parts: dict[str, Sequence[Row]] = {
        "written": pairs,
        "story": labelled,
        "beside": beside[:BESIDE],
        "random": random_rows,
        **made_pairs(pairs, statements, SEED),
    }
    return [row for part in parts.values() for row in part], [name for name, part in parts.items() for _ in part]


def _groups(rows: Sequence[Row], pairs: Sequence[Row]) -> list[str]:
    """Written pairs that share a sentence are one group; what was made from a text is in that text's group."""
    united = united_groups(pairs, ["older", "newer"])
    known = {str(pair["group"]): group for pair, group in zip(pairs, united, strict=True)}
    return [known.get(str(row["group"]), str(row["group"])) for row in rows]


def _boost(x: Vectors, y: Ints, weights: Floats) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=120,
        learning_rate=0.06,
        max_leaf_nodes=8,
        min_samples_leaf=20,
        l2_regularization=5,
        max_features=0.2,
        early_stopping=False,
        random_state=SEED,
    ).fit(x, y, sample_weight=weights)


def _exported(model: HistGradientBoostingClassifier, width: int) -> Arrays:
    """The trees as flat arrays for `trees.boosted`."""
    nodes: list[npt.NDArray[Any]] = []
    roots: list[int] = []
    classes: list[int] = []
    count = 0
    for of_iteration in model._predictors:
        for label, tree in enumerate(of_iteration):
            roots.append(count)
            classes.append(label)
            shifted = tree.nodes.copy()
            shifted["left"] += count
            shifted["right"] += count
            nodes.append(shifted)
            count += len(shifted)
    flat = np.concatenate(nodes)
    leaf = flat["is_leaf"].astype(np.bool_)
    assert int(flat["feature_idx"].max()) < width
    return {
        "tree_feature": np.where(leaf, -1, flat["feature_idx"]).astype(np.int16),
        "tree_split": np.where(leaf, 0, flat["num_threshold"]).astype(np.float32),
        "tree_left": np.where(leaf, 0, flat["left"]).astype(np.int32),
        "tree_right": np.where(leaf, 0, flat["right"]).astype(np.int32),
        "tree_value": flat["value"].astype(np.float32),
        "tree_root": np.array(roots, np.int32),
        "tree_class": np.array(classes, np.int16),
        "tree_baseline": np.asarray(model._baseline_prediction, np.float32).reshape(-1),
    }


def _figures(out: Vectors, y: Ints, source: npt.NDArray[np.str_], figures: Figures) -> dict[str, float]:
    """Quality out of fold on written pairs and on stories; the thresholds are for precision .85 over both together."""
    written, story = source == "written", np.isin(source, ("story", "beside"))
    thresholds: dict[str, float] = {}
    for label in ("supersedes", "duplicate"):
        at = _ORDER.index(label)
        scores, truth = out[:, at].astype(np.float64), y == at
        cut, _ = threshold_for(PRECISION, scores[written | story], truth[written | story])
        thresholds[label] = round(cut, 3)
        print(label, _curve(scores[written | story], truth[written | story]), flush=True)
        for name, mask in (("written", written), ("story", story)):
            acted = scores[mask] >= cut
            figures[f"{label}_{name}_precision"] = round(float(truth[mask][acted].mean()), 4)
            figures[f"{label}_{name}_recall"] = round(float(acted[truth[mask]].mean()), 4)
    figures["pairs_written_cv"] = round(float((out[written].argmax(axis=1) == y[written]).mean()), 4)
    return thresholds


def _curve(scores: Floats, truth: npt.NDArray[np.bool_]) -> str:
    """Precision and recall by threshold, for the log."""
    cuts = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
    return " ".join(f"{cut}:P{truth[scores >= cut].mean():.2f}/R{(scores >= cut)[truth].mean():.2f}" for cut in cuts)
