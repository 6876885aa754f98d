"""Training keep, kind, importance, slots, and the brief heads over the vector alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from memtui.memory.frame import Floats, Ints
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.features import statement_features
from memtui.minds.offline.heads import LEVELS
from memtui.minds.offline.slots import NO_SLOT, SLOTS
from memtui.minds.offline.training.fit import balanced, best_cut, coefficients, logistic, out_of_fold
from memtui.minds.offline.training.rows import STORY, Row, united_groups

SUBJECTS: Final = ("user", "other", "project")
_STORY_SHARE: Final = 0.3
Arrays = dict[str, npt.NDArray[Any]]
Figures = dict[str, float]


def train_statement_heads(
    rows: Sequence[Row], embedder: LocalEmbedder, arrays: Arrays, figures: Figures
) -> dict[str, float]:
    """Fit keep, kind and importance into `arrays`; returns the thresholds chosen out of fold.

    The stories' statements weigh less than those written one by one, and neither thresholds nor figures are of them: a story
    has the kinds and levels of one life, not of chats at large.
    """
    texts = [str(row["text"]) for row in rows]
    vectors = embedder.embed_now(texts)
    x: Any = csr_matrix(statement_features(texts, vectors))
    groups = united_groups(rows, ["text"])
    shares = np.array([_STORY_SHARE if str(row["group"]).startswith(STORY) else 1.0 for row in rows])
    kept = np.array([bool(row["keep"]) for row in rows])
    thresholds = {"keep": _keep_head(_Set(x, kept.astype(np.int64), groups, shares), arrays, figures)}
    of_kept = [group for group, keep in zip(groups, kept, strict=True) if keep]
    semantic = np.array([int(row["kind"] == "semantic") for row in rows])[kept]
    level = np.array([LEVELS.index(row["importance"]) if row["importance"] else 0 for row in rows])[kept]
    thresholds["kind"] = _kind_head(_Set(x[kept], semantic, of_kept, shares[kept]), arrays, figures)
    _importance_head(_Set(x[kept], level, of_kept, shares[kept]), arrays, figures)
    return thresholds


@dataclass(frozen=True)
class _Set:
    """Features (sparse), classes, groups and weights of the rows one head learns from."""

    x: Any
    y: Ints
    groups: list[str]
    shares: Floats

    @property
    def measured(self) -> npt.NDArray[np.bool_]:
        """The rows that thresholds and figures are of."""
        return np.asarray(self.shares == 1.0)


def _keep_head(given: _Set, arrays: Arrays, figures: Figures) -> float:
    fit = logistic(3.0)
    out = out_of_fold(fit, given.x, given.y, given.shares, given.groups)[:, 1].astype(np.float64)[given.measured]
    kept = given.y[given.measured] == 1
    cut = best_cut(out, kept, by_class=False)
    figures["keep_cv"] = _share((out >= cut) == kept)
    figures["keep_cv_kept"], figures["keep_cv_dropped"] = _share(out[kept] >= cut), _share(out[~kept] < cut)
    arrays["keep_W"], arrays["keep_b"] = coefficients(fit(given.x, given.y, given.shares))
    return cut


def _kind_head(given: _Set, arrays: Arrays, figures: Figures) -> float:
    fit, weights = logistic(1.0), balanced(given.y, 1.0) * given.shares
    out = out_of_fold(fit, given.x, given.y, weights, given.groups)[:, 1].astype(np.float64)[given.measured]
    semantic = given.y[given.measured] == 1
    cut = best_cut(out, semantic, by_class=True)
    figures["kind_cv"] = _share((out >= cut) == semantic)
    figures["kind_cv_semantic"], figures["kind_cv_episodic"] = _share(out[semantic] >= cut), _share(out[~semantic] < cut)
    arrays["kind_W"], arrays["kind_b"] = coefficients(fit(given.x, given.y, weights))
    return cut


def _importance_head(given: _Set, arrays: Arrays, figures: Figures) -> None:
    fit, weights = logistic(0.7), balanced(given.y, 1.0) * given.shares
    out = out_of_fold(fit, given.x, given.y, weights, given.groups).argmax(axis=1)[given.measured]
    level = given.y[given.measured]
    figures["importance_cv"] = _share(out == level)
    for number, name in enumerate(LEVELS):
        figures[f"importance_cv_{name}"] = _share(out[level == number] == number)
    arrays["importance_W"], arrays["importance_b"] = coefficients(fit(given.x, given.y, weights))


def train_brief_heads(rows: Sequence[Row], embedder: LocalEmbedder, arrays: Arrays) -> None:
    """Small heads over the vector alone, read by the pair judge for both texts."""
    vectors = embedder.embed_now([str(row["text"]) for row in rows])
    kept = np.array([bool(row["keep"]) for row in rows])
    told = np.array([row.get("subject") in SUBJECTS for row in rows])
    targets: dict[str, tuple[npt.NDArray[np.bool_], list[int]]] = {
        "keep": (np.ones(len(rows), np.bool_), [int(row["keep"]) for row in rows]),
        "kind": (kept, [int(row["kind"] == "semantic") for row in rows]),
        "importance": (kept, [LEVELS.index(row["importance"]) if row["importance"] else 0 for row in rows]),
        "subject": (told, [SUBJECTS.index(row["subject"]) if row.get("subject") in SUBJECTS else 0 for row in rows]),
    }
    for name, (mask, classes) in targets.items():
        y = np.array(classes)[mask]
        arrays[f"brief_{name}_W"], arrays[f"brief_{name}_b"] = coefficients(logistic(4.0)(vectors[mask], y, np.ones(len(y))))


def train_slot_head(rows: Sequence[Row], embedder: LocalEmbedder, arrays: Arrays, figures: Figures | None = None) -> None:
    """Fit the slots jointly on statements and questions: what one fills and the other asks for is one space."""
    x = embedder.embed_now([str(row["text"]) for row in rows])
    order = [*SLOTS, NO_SLOT]
    y = np.array([order.index(row["slot"] or NO_SLOT) for row in rows])
    fit, weights = logistic(10.0), np.ones(len(y))
    if figures is not None:
        out = out_of_fold(fit, x, y, weights, united_groups(rows, ["text"]))
        figures["slots_cv"] = _share(out.argmax(axis=1) == y)
        figures["slots_cv_top3"] = _share((np.argsort(-out, axis=1)[:, :3] == y[:, None]).any(axis=1))
    arrays["slots_W"], arrays["slots_b"] = coefficients(fit(x, y, weights))


def _share(right: npt.NDArray[np.bool_]) -> float:
    return round(float(right.mean()), 4)
