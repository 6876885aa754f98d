"""Gradient-boosted trees in numpy: all trees walked at once, one level a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memtui.memory.frame import Vectors

JUDGE: Final = "tree"
"""Name of the pair judge's trees."""
RANK: Final = "rank"
"""Name of the trees that say how likely a memory answers a question."""
OUTDATED: Final = "outdated"
"""Name of the trees that say how likely a newer one stands for it."""
ANSWERS_VERSION: Final = 1
"""Changes with the meaning of a column of the last two."""
_LEAST: Final = 1e-4
"""Probabilities below are no further apart to the trees."""
_DEEPEST: Final = 64


def stacked(surface: Vectors, linear: Vectors) -> Vectors:
    """float32 (n, surface columns + 4): what the trees split on: the surface, and the linear head's log-probabilities."""
    return np.hstack([surface, np.log(np.clip(linear, _LEAST, 1.0))]).astype(np.float32)


def boosted(arrays: Mapping[str, npt.NDArray[Any]], name: str, columns: Vectors) -> Vectors:
    """float32 (n, classes): summed leaf values of every class (one for a yes-or-no question), the baseline included.

    `arrays` holds, over all nodes of all trees of `name`: `<name>_feature` int16 (-1 at a leaf), `_split` float32 (go left
    at or below), `_left`, `_right` int32 (node numbers), `_value` float32; by tree `_root` int32 and `_class` int16; by
    class `_baseline` float32.
    """
    feature, split, value = arrays[f"{name}_feature"], arrays[f"{name}_split"], arrays[f"{name}_value"]
    left, right, roots = arrays[f"{name}_left"], arrays[f"{name}_right"], arrays[f"{name}_root"]
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
    out = np.tile(arrays[f"{name}_baseline"], (count, 1)).astype(np.float32)
    for label in range(out.shape[1]):
        out[:, label] += value[at[:, arrays[f"{name}_class"] == label]].sum(axis=1)
    return out
