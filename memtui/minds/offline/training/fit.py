"""Fitting and honest measuring: class weights, grouped folds, thresholds for a precision, calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from memtui.memory.frame import Floats, Ints, Vectors

FOLDS: Final = 5
Fit = Callable[[Any, Ints, Floats], Any]
"""(features, dense or sparse, classes, sample weights) -> something with `predict_proba`."""


def logistic(c: float, iterations: int = 400) -> Fit:
    """A logistic head with inverse regularisation `c`."""

    def fit(x: Any, y: Ints, weights: Floats) -> LogisticRegression:
        return LogisticRegression(C=c, max_iter=iterations).fit(x, y, sample_weight=weights)

    return fit


def balanced(y: Ints, strength: float) -> Floats:
    """Sample weights between equal rows (strength 0) and equal classes (strength 1), mean 1."""
    counts = np.bincount(y).astype(np.float64)
    weights = (counts.sum() / counts)[y] ** strength
    return np.asarray(weights / weights.mean(), np.float64)


def out_of_fold(fit: Fit, x: Any, y: Ints, weights: Floats, groups: Sequence[str]) -> Vectors:
    """float32 (n, classes): each row's probabilities from a model that saw no row of its group."""
    out = np.zeros((len(y), int(y.max()) + 1), np.float32)
    for train, test in GroupKFold(FOLDS).split(x, y, list(groups)):
        out[test] = fit(x[train], y[train], weights[train]).predict_proba(x[test])
    return out


def coefficients(model: LogisticRegression) -> tuple[Vectors, Vectors]:
    """(columns, classes) weights and (classes,) intercepts; one class column for a yes-or-no head."""
    return np.asarray(model.coef_.T, np.float32), np.asarray(model.intercept_, np.float32)


def threshold_for(precision: float, scores: Floats, truth: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """(lowest score from which at least `precision` of the rows are true, the recall there); (1, 0) if there is none."""
    order = np.argsort(-scores, kind="stable")
    reached = np.cumsum(truth[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(reached >= precision)
    if good.size == 0:
        return 1.0, 0.0
    last = int(good[-1])
    return float(scores[order][last]), float(truth[order][: last + 1].sum() / max(1, truth.sum()))


def best_cut(scores: Floats, truth: npt.NDArray[np.bool_], *, by_class: bool) -> float:
    """The threshold between .3 and .7 with the best accuracy, over rows or as the mean of both classes'."""

    def accuracy(cut: float) -> float:
        if by_class:
            return float((scores[truth] >= cut).mean() + (scores[~truth] < cut).mean())
        return float(((scores >= cut) == truth).mean())

    return round(float(max(np.arange(0.30, 0.705, 0.01), key=accuracy)), 2)


def exported(model: HistGradientBoostingClassifier, name: str) -> dict[str, npt.NDArray[Any]]:
    """The model's trees as the flat arrays that `trees.boosted` walks."""
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
    return {
        f"{name}_feature": np.where(leaf, -1, flat["feature_idx"]).astype(np.int16),
        f"{name}_split": np.where(leaf, 0, flat["num_threshold"]).astype(np.float32),
        f"{name}_left": np.where(leaf, 0, flat["left"]).astype(np.int32),
        f"{name}_right": np.where(leaf, 0, flat["right"]).astype(np.int32),
        f"{name}_value": flat["value"].astype(np.float32),
        f"{name}_root": np.array(roots, np.int32),
        f"{name}_class": np.array(classes, np.int16),
        f"{name}_baseline": np.asarray(model._baseline_prediction, np.float32).reshape(-1),
    }
