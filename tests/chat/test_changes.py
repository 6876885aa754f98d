"""Settings changed by name."""

from __future__ import annotations

import pytest

from memtui.chat.changes import changed_settings, known_keys, parse_changes
from memtui.errors import InputError
from memtui.sessions.stage import default_settings


def test_changes_by_name() -> None:
    settings = default_settings()
    words = [
        "half_life.episodic=24h",
        "half_life.semantic=12",
        "capacity=40",
        "law=stability",
        "sleep.repeats=2",
        "floor=.1",
    ]
    changed = changed_settings(settings, parse_changes([*words, "stability.rate=0.02", "recall.budget_tokens=90"]))
    memory = changed.memory
    assert (memory.half_life.episodic, memory.half_life.semantic, memory.half_life.consolidated) == (24.0, 12.0, 720.0)
    assert (memory.capacity, memory.law, memory.floor, memory.stability.rate) == (40, "stability", 0.1, 0.02)
    assert (changed.sleep.repeats, changed.recall.budget_tokens) == (2, 90)
    assert settings == default_settings(), "the settings themselves are as they were"
    assert {"law", "half_life.episodic", "sleep.repeats", "stability.rate"} <= set(known_keys(settings))
    assert changed_settings(settings, {"memory.floor": 0.2}).memory.floor == 0.2


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("floor", "no key=value"),
        ("=3", "no key=value"),
        ("floor=", "no key=value"),
        ("floor=low", "memory.floor"),
        ("floor=2", "memory.floor"),
        ("dream=1", "'dream'"),
        ("half_life=1", "'half_life'"),
        ("half_life.episodic.more=1", "half_life.episodic.more"),
        ("half_life.episodic=-1", "memory.half_life.episodic"),
        ("half_life.episodic=soon", "soon"),
        ("law=magic", "memory.law"),
        ("mind.model=x", "mind.model"),
        ("sleep.repeats=1", "sleep.repeats"),
        ("\x1b[31mred=\ud800", "red"),
    ],
)
def test_wrong_changes_are_named(word: str, named: str) -> None:
    with pytest.raises(InputError, match=named.replace(".", r"\.")):
        changed_settings(default_settings(), parse_changes([word]))
