"""`memtui conflicts` and `memtui settle`."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run

ENV = {"MEMTUI_SLEEP__ASK_CONFIDENCE": "0.01", "MEMTUI_SLEEP__RETIRE_CONFIDENCE": "1.0"}


@pytest.fixture(scope="module", autouse=True)
def told(memtui: Run) -> None:
    assert "Nothing to settle" in memtui("conflicts").stderr
    for text in ("My main language at work is Python", "I switched: my main language at work is Rust now"):
        assert memtui("ask", text, env=ENV).returncode == 0
    done = memtui("sleep", "--json", env=ENV)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["unsure"] >= 1


def test_conflicts_are_listed_and_settled(memtui: Run) -> None:
    (record,) = json.loads(memtui("conflicts", "--json", env=ENV).stdout)
    assert set(record) == {"older", "newer", "confidence", "reason", "judge"}
    assert "Python" in record["older"]["content"] and "Rust" in record["newer"]["content"]
    text = memtui("conflicts", env=ENV).stdout
    assert text.index("Rust") < text.index("Python") and "m01" in text and "offline mind" in text
    assert memtui("settle", "m01", "m02", "maybe", env=ENV).returncode == 2
    assert memtui("settle", "m01", "m77", "both", env=ENV).returncode != 0
    done = memtui("settle", "m01", "m02", "replaced", "--json", env=ENV)
    assert json.loads(done.stdout)["answer"] == "replaced"
    assert json.loads(memtui("conflicts", "--json", env=ENV).stdout) == []
    assert "retired already" in memtui("settle", "m01", "m02", "both", env=ENV).stderr


def test_thresholds_the_wrong_way_round_are_named(memtui: Run) -> None:
    done = memtui("conflicts", env={"MEMTUI_SLEEP__ASK_CONFIDENCE": "0.9", "MEMTUI_SLEEP__RETIRE_CONFIDENCE": "0.1"})
    assert done.returncode != 0 and "ask_confidence" in done.stderr
