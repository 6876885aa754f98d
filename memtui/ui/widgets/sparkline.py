"""Small curves out of block characters: pure functions from numbers to text."""

from __future__ import annotations

from typing import Final

import numpy as np

from memtui.memory.frame import Floats

_LEVELS: Final = " ▁▂▃▄▅▆▇█"


def sparkline(values: Floats, cells: int, top: float = 1.0) -> str:
    """`values` as one line of `cells` blocks, sampled evenly; 0 is blank, anything above 0 at least `▁`, `top` is `█`.

    Args:
        values: float64 (n,), any n; an empty one gives an empty line.
        top: what a full block stands for; must be above 0.
    """
    if len(values) == 0 or cells <= 0:
        return ""
    at = np.linspace(0, len(values) - 1, cells).round().astype(np.int64)
    shares = np.clip(np.nan_to_num(values[at], nan=0.0, posinf=top, neginf=0.0) / top, 0.0, 1.0)
    levels = np.where(shares > 0, np.maximum(1, np.round(shares * 8)), 0).astype(np.int64)
    return "".join(_LEVELS[level] for level in levels)


def silhouette(values: Floats, cells: int, top: float = 1.0) -> str:
    """The shape of many saliences: sorted from high to low, as `cells` blocks (fewer when there are fewer values)."""
    return sparkline(np.sort(values)[::-1], min(cells, len(values)), top)
