"""Gradient-boosted trees in numpy: all trees walked at once, one level a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memtui.memory.frame import Vectors

_LEAST: Final = 1e-4
"""Probabilities below are no further apart to the trees."""
_DEEPEST: Final = 64


def stacked(surface: Vectors, linear: Vectors) -> Vectors:
    """float32 (n, surface columns + 4): what the trees split on: the surface, and the linear head's log-probabilities."""
    return np.hstack([surface, np.log(np.clip(linear, _LEAST, 1.0))]).astype(np.float32)


def boosted(arrays: Mapping[str, npt.NDArray[Any]], columns: Vectors) -> Vectors:
    """float32 (n, classes): summed leaf values of every class, the baseline included.

    `arrays` holds, over all nodes of all trees: `tree_feature` int16 (-1 at a leaf), `tree_split` float32 (go left at or
    below), `tree_left`, `tree_right` int32 (node numbers), `tree_value` float32; by tree `tree_root` int32 and
    `tree_class` int16; by class `tree_baseline` float32.
    """
    feature, split, value = arrays["tree_feature"], arrays["tree_split"], arrays["tree_value"]
    left, right, roots = arrays["tree_left"], arrays["tree_right"], arrays["tree_root"]
    count = len(columns)
    at = np.broadcast_to(roots, (count, len(roots))).copy()
    rows = np.arange(count)[:, None]
    for _ in range(_DEEPEST):
        splits_on = feature[at]
        inner = splits_on >= 0
        if not inner.any():
            break
        goes_left = columns[rows, np.maximum(splits_on, 0)] <= split[at]
        at = np.where(inner, np.where(goes_left, left[at], right[at]), at)
    out = np.tile(arrays["tree_baseline"], (count, 1)).astype(np.float32)
    for label in range(out.shape[1]):
        out[:, label] += value[at[:, arrays["tree_class"] == label]].sum(axis=1)
    return out
