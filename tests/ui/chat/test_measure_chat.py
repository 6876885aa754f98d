"""The figures are measured at all, and the one that does not depend on the machine's mood holds."""

from __future__ import annotations

from textual.widgets import Static

from memtui.ui.measure_chat import finished_messages, measure_switch, measure_typing


def test_typing_is_measured() -> None:
    measured = measure_typing(4, beside=lambda: Static("beside"))
    assert set(measured) == {"echo_ms"}
    assert 0 < measured["echo_ms"]["p50"] <= measured["echo_ms"]["p95"]


def test_typing_is_measured_beside_the_panel() -> None:
    assert measure_typing(2)["echo_ms"]["p50"] > 0


def test_five_hundred_messages_add_little_memory() -> None:
    measured = measure_switch(500)
    assert set(measured) == {"switch_s", "extra_mb"}
    assert measured["extra_mb"] <= 150
    assert measured["switch_s"] > 0


def test_the_messages_measured_are_always_the_same() -> None:
    assert finished_messages(20) == finished_messages(20)
    assert [message.role for message in finished_messages(4)] == ["user", "reply", "user", "reply"]
