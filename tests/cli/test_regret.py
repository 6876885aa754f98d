"""`memtui regret`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

TROMBONE = "A man practised the trombone on the U8"


def record_of(done: Any) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record


@pytest.fixture(scope="module")
def record(memtui: Run) -> dict[str, Any]:
    """What is missed and never used in the longest sample."""
    return record_of(memtui("regret", "berlin-to-lisbon", "--json"))


def test_a_session_that_asks_for_what_faded(memtui: Run, record: dict[str, Any]) -> None:
    assert set(record) == {"as_of", "questions", "wordless", "unused_after_days", "missed", "unused"}
    (one,) = [missed for missed in record["missed"] if missed["content"] == TROMBONE]
    assert one["retired_reason"] == "pruned" and one["handle"] == "m07"
    (asked,) = one["questions"]
    assert "trombone" in asked["text"] and asked["at"] > one["retired_at"]
    assert record["wordless"] == 0 and record["unused_after_days"] == 14
    assert all(unused["retired_at"] is None for unused in record["unused"])
    before = record_of(memtui("regret", "berlin-to-lisbon", "--as-of", asked["at"][:10] + "T00:00Z", "--json"))
    assert TROMBONE not in [missed["content"] for missed in before["missed"]]
    assert before["questions"] < record["questions"]


def test_the_list_for_people(memtui: Run, record: dict[str, Any]) -> None:
    done = memtui("regret", "berlin-to-lisbon")
    assert f"Missed: {len(record['missed'])} retired and needed later" in done.stdout
    assert TROMBONE in done.stdout and "asked 2026-" in done.stdout
    assert "Never used:" in done.stdout and "questions looked at." in done.stderr and "\x1b" not in done.stdout


def test_a_home_that_lived_a_session_says_the_same(
    memtui: Run, process: Run, record: dict[str, Any], tmp_path: Path
) -> None:
    """The words come from the chats kept there, the rest from its ledger."""
    folder = tmp_path / "lived"
    assert memtui("replay", "berlin-to-lisbon", "--headless", "--keep", folder).returncode == 0
    there = {"MEMTUI_HOME": str(folder)}
    kept = record_of(process("regret", "--json", env=there))
    assert kept["missed"] == record["missed"] and kept["questions"] == record["questions"]
    verified = memtui("verify", "--json", env=there)
    assert json.loads(verified.stdout)["ok"], "it only read"
    for file in (folder / "sessions").glob("*.jsonl"):
        file.unlink()
    wordless = record_of(memtui("regret", "--json", env=there))
    assert wordless["missed"] == [] and wordless["questions"] == 0 and wordless["wordless"] > 50


def test_an_empty_memory(memtui: Run) -> None:
    done = memtui("regret")
    assert (done.returncode, done.stdout) == (0, "") and "nothing to regret" in done.stderr


@pytest.mark.parametrize(("words", "named"), [(("--as-of", "soonish"), "--as-of"), (("no-such-session",), "no such file")])
def test_bad_input_is_one_line_and_two(memtui: Run, words: tuple[str, ...], named: str) -> None:
    done = memtui("regret", *words)
    assert done.returncode == 2 and named in done.stderr and done.stdout == "" and len(done.stderr.splitlines()) == 1
