"""`memtui survival`, and the chart files of `memtui compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from memtui.memory.laws import LAW_NAMES
from tests.cli.conftest import Run


def record_of(done: Any) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def test_a_session_by_kind(memtui: Run) -> None:
    record = record_of(memtui("survival", "berlin-to-lisbon", "--json"))
    assert (record["by"], record["law"]) == ("kind", "salience")
    names = [curve["name"] for curve in record["curves"]]
    assert names[0] == "all" and {"episodic", "semantic"} <= set(names)
    whole = record["curves"][0]
    assert whole["memories"] == sum(curve["memories"] for curve in record["curves"][1:])
    played = json.loads(memtui("replay", "berlin-to-lisbon", "--headless", "--json").stdout)
    assert whole["retired"] == played["memories_retired"]
    assert whole["memories"] == played["memories_active"] + played["memories_retired"]
    shares = [step["alive"] for step in whole["steps"]]
    assert shares == sorted(shares, reverse=True) and whole["alive"]["1d"] >= whole["alive"]["30d"]


def test_by_law_with_files_and_a_table(memtui: Run, tmp_path: Path) -> None:
    done = memtui("survival", "--by", "law", "--chart", tmp_path / "charts", "tour")
    assert done.returncode == 0, done.stderr
    for words in (*LAW_NAMES, "median life", "alive at", "salience*", "days 0"):
        assert words in done.stdout
    assert "\x1b" not in done.stdout and max(map(len, done.stdout.splitlines())) <= 120
    svg, png = sorted((tmp_path / "charts").iterdir(), reverse=True)
    assert svg.name.startswith("survival-law-") and png.read_bytes().startswith(b"\x89PNG")
    drawn = svg.read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)
    assert "How long memories live, by law: tour" in drawn and all(law in drawn for law in LAW_NAMES)
    assert drawn.count("text-anchor") and "chart:" in done.stderr


def test_as_of_a_moment_nobody_has_died(memtui: Run) -> None:
    record = record_of(memtui("survival", "berlin-to-lisbon", "--as-of", "2026-03-19", "--json"))
    assert record["as_of"].startswith("2026-03-19")
    assert {curve["retired"] for curve in record["curves"]} == {0}
    assert all(curve["alive"]["30d"] is None for curve in record["curves"])


def test_an_empty_memory_says_so(memtui: Run) -> None:
    done = memtui("survival")
    assert done.returncode == 0 and "no memories yet" in done.stdout
    assert record_of(memtui("survival", "--by", "law", "--json"))["curves"][0]["memories"] == 0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--by", "colour"), "'colour'"),
        (("--as-of", "soonish"), "--as-of"),
        (("no-such-session",), "no such file"),
    ],
)
def test_bad_input_is_one_line_and_two(memtui: Run, words: tuple[str, ...], named: str) -> None:
    done = memtui("survival", *words)
    assert done.returncode == 2 and named in done.stderr and done.stdout == "" and len(done.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_written(memtui: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = memtui("survival", "--chart", tmp_path / "file" / "charts", "tour")
    assert done.returncode != 0 and "can't be written" in done.stderr and "Traceback" not in done.stderr


def test_in_a_process_of_its_own(process: Run, home: Path) -> None:
    assert record_of(process("survival", "tour", "--json"))["curves"][0]["memories"] > 0
    assert not (home / "sessions").exists()


def test_compare_writes_its_chart(memtui: Run, tmp_path: Path) -> None:
    done = memtui("compare", "--law", "naive", "--law", "salience", "--chart", tmp_path, "tour", "--json")
    assert set(record_of(done)["variants"][0]) >= {"name", "law"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["compare-tour.png", "compare-tour.svg"]
    drawn = (tmp_path / "compare-tour.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)
    assert "active memories" in drawn and "memory tokens in a prompt" in drawn and "naive" in drawn
