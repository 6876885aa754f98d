"""Measuring how fast the past can be scrubbed through: that it measures, not what it finds."""

from __future__ import annotations

from memtui.memory.moments import to_us
from memtui.memory.state import fold
from memtui.ui.measure_panel import START
from memtui.ui.measure_scrub import Lived, measure_scrub


def test_it_measures() -> None:
    measured = measure_scrub(300, seconds=0.3)
    assert measured.keys() == {"scrub_fps", "scrub_look_ms"}
    assert measured["scrub_fps"] > 0


def test_what_it_looks_at_is_a_life() -> None:
    lived = Lived(200)
    past = lived.at(to_us(START + (lived.end - START) / 2))
    assert 0 < len(past) < len(lived.frame)
    kinds = {event.body.type for events in lived.state.history.values() for event in events}
    assert kinds == {"created", "recalled", "edited", "retired"}
    assert lived.at(to_us(lived.end)).memories == list(lived.state.memories.values())
    assert fold([]).memories == lived.history.cut(0).there()
