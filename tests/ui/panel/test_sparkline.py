"""Small curves."""

from __future__ import annotations

import numpy as np

from memtui.ui.widgets.sparkline import silhouette, sparkline


def test_levels() -> None:
    assert sparkline(np.array([0.0, 0.01, 0.25, 0.5, 1.0, 7.0]), 6) == " ▁▂▄██"
    assert sparkline(np.array([2.0, 1.0, 0.0]), 3, top=2.0) == "█▄ "


def test_it_samples_evenly_and_stretches() -> None:
    assert sparkline(np.linspace(1, 0.01, 100), 5) == "█▆▄▂▁"
    assert sparkline(np.array([1.0]), 3) == "███"


def test_nothing_and_odd_numbers() -> None:
    assert sparkline(np.array([]), 5) == ""
    assert sparkline(np.array([1.0]), 0) == ""
    assert sparkline(np.array([np.nan, np.inf, -np.inf, -1.0]), 4) == " █  "


def test_a_silhouette_is_sorted_and_no_longer_than_its_values() -> None:
    assert silhouette(np.array([0.1, 1.0, 0.5]), 9) == "█▄▁"
    assert len(silhouette(np.random.default_rng(1).random(1000), 9)) == 9
