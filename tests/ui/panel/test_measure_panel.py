"""The measurement runs anywhere and says what it promises; how fast is not a test's business."""

from __future__ import annotations

from memtui.ui.measure_panel import measure_panel, panel_words, synthetic_frame


def test_it_counts_real_repaints() -> None:
    measured = measure_panel(300, seconds=0.5)
    assert set(measured) == {"panel_fps", "cpu_percent", "salience_ms"}
    assert measured["panel_fps"] > 0
    assert measured["salience_ms"] > 0
    assert "repaints a second" in panel_words(measured)


def test_the_frame_is_always_the_same() -> None:
    assert synthetic_frame(50).ids == synthetic_frame(50).ids
    assert len(synthetic_frame(50).active_rows()) == 50
