"""The trained heads, multiplied in numpy: keep, kind, importance, slots and the pair judge.

The weights (`heads.npz`) are fitted by `training/train.py` from `training/data`; their meta data say from which data (hash),
with what cross-validated quality, and which thresholds were chosen there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memtui.errors import MindError
from memtui.memory.frame import Vectors
from memtui.memory.model import Label
from memtui.minds.offline.cues import CUES_VERSION
from memtui.minds.offline.features import FEATURES_VERSION
from memtui.minds.offline.pairs import PAIR_VERSION, SURFACE_SHARE
from memtui.minds.offline.slots import SLOTS
from memtui.minds.offline.trees import ANSWERS_VERSION, JUDGE, boosted, stacked

WEIGHTS: Final = "heads.npz"
ASPECTS: Final = 96
"""Width of the aspect space."""
LEVELS: Final = ("low", "medium", "high")
"""Importance classes, in the order of the columns."""
LABELS: Final = (Label.SUPERSEDES, Label.ADDITIVE, Label.DUPLICATE, Label.UNRELATED)
"""Pair classes, in the order of the columns."""


def versions() -> dict[str, int]:
    """What the weights and the code must agree on."""
    return {
        "cues": CUES_VERSION,
        "features": FEATURES_VERSION,
        "pairs": PAIR_VERSION,
        "slots": len(SLOTS),
        "answers": ANSWERS_VERSION,
    }


def softmax(logits: Vectors) -> Vectors:
    """Row-wise softmax, float32."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), np.float32)


def sigmoid(logits: Vectors) -> Vectors:
    """Element-wise logistic function, float32."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)


@dataclass(frozen=True)
class Heads:
    """All heads of one training.

    Attributes:
        arrays: weights by name, float32 but for the trees' node numbers.
        meta: data hash, versions, thresholds, cross-validated figures.
    """

    arrays: Mapping[str, npt.NDArray[Any]]
    meta: Mapping[str, Any]

    @classmethod
    def load(cls) -> Heads:
        """The heads that ship with the program (read once).

        Raises:
            MindError: the file is missing or was trained for other features.
        """
        return _load()

    def threshold(self, name: str) -> float:
        """A decision threshold, chosen by cross-validation on the training data.

        Raises:
            KeyError: no such threshold was chosen.
        """
        return float(self.meta["thresholds"][name])

    def keep(self, features: Vectors) -> Vectors:
        """float32 (n,): probability that a text holds anything worth remembering."""
        return sigmoid(self._linear("keep", features)[:, 0])

    def semantic(self, features: Vectors) -> Vectors:
        """float32 (n,): probability that what is kept is a lasting state and no happening."""
        return sigmoid(self._linear("kind", features)[:, 0])

    def importance(self, features: Vectors) -> Vectors:
        """float32 (n, 3): probabilities of low, medium, high."""
        return softmax(self._linear("importance", features))

    def slots(self, vectors: Vectors) -> Vectors:
        """float32 (n, len(SLOTS)): posterior of what a text fills or asks for; the mass of "none" is dropped."""
        return softmax(self._linear("slots", vectors))[:, : len(SLOTS)]

    def aspects(self, vectors: Vectors, side: str) -> Vectors:
        """float32 (n, ASPECTS) unit vectors of statements (`side` "told") or questions ("asked").

        Both are linear maps of the sentence vector, trained so that a question lies near the statements that answer it and
        a statement near the one that replaces it.
        """
        z = self._linear(f"aspect_{side}", vectors)
        return np.asarray(z / np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-8), np.float32)

    def brief(self, vectors: Vectors) -> Vectors:
        """float32 (n, 8): what small heads over the vector alone say, for the pair judge.

        Columns: kept, lasting, importance (low, medium, high), subject (user, other, project).
        """
        kept, lasting = sigmoid(self._linear("brief_keep", vectors)), sigmoid(self._linear("brief_kind", vectors))
        importance = softmax(self._linear("brief_importance", vectors))
        subject = softmax(self._linear("brief_subject", vectors))
        return np.hstack([kept, lasting, importance, subject])

    def pairs(self, surface: Vectors, vectors: Vectors) -> Vectors:
        """float32 (n, 4): probabilities in the order of `LABELS`, from the columns of `pairs.py`.

        A linear head over everything gives four logits; boosted trees over those and the surface columns decide.
        """
        linear = self.linear_pairs(surface, vectors)
        return softmax(boosted(self.arrays, JUDGE, stacked(surface, linear)))

    def linear_pairs(self, surface: Vectors, vectors: Vectors) -> Vectors:
        """float32 (n, 4): probabilities of the linear head alone."""
        return softmax(self._linear("pair", self.pair_design(surface, vectors)))

    def pair_design(self, surface: Vectors, vectors: Vectors) -> Vectors:
        """float32 (n, all columns): standardised surface columns beside the vector columns."""
        scaled = (surface - self.arrays["pair_mean"]) / self.arrays["pair_scale"] * SURFACE_SHARE
        return np.hstack([scaled, vectors]).astype(np.float32)

    def _linear(self, name: str, features: Vectors) -> Vectors:
        logits = features @ self.arrays[f"{name}_W"] + self.arrays[f"{name}_b"]
        return np.asarray(logits * float(self.meta["scales"].get(name, 1.0)), np.float32)


def _widened(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.astype(np.float32) if array.dtype == np.float16 else array


@lru_cache(maxsize=1)
def _load() -> Heads:
    source = resources.files("memtui.minds.offline") / WEIGHTS
    try:
        with resources.as_file(source) as path, np.load(path, allow_pickle=False) as stored:
            meta = json.loads(str(stored["meta"]))
            arrays = {name: _widened(stored[name]) for name in stored.files if name != "meta"}
    except (OSError, KeyError, ValueError) as error:
        raise MindError(
            f"The offline mind's weights can't be read: {error}.",
            safe="Your memories are untouched.",
            todo="Reinstall memtui, or run memtui/minds/offline/training/train.py.",
        ) from error
    if meta["versions"] != versions():
        raise MindError(
            f"The offline mind's weights are for other features: {meta['versions']}, this program has {versions()}.",
            safe="Your memories are untouched.",
            todo="Run memtui/minds/offline/training/train.py again.",
        )
    return Heads(arrays, meta)
