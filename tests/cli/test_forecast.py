"""`memtui forecast` from the command line: table, curve, JSON, and as of a moment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_as_of import SESSION


@pytest.fixture(scope="module")
def lived(memtui: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lived")
    file, home = folder / "lived.jsonl", folder / "home"
    small = {"type": "user", "id": "u4", "at": "2026-03-21T09:00:00Z", "text": "I had ramen 我喜欢拉面 \x1b[31m for lunch"}
    lines = [*SESSION, small, {"type": "assistant", "at": "2026-03-21T09:00:01Z", "text": "Noted.", "reply_to": "u4"}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = memtui("replay", file, "--headless", "--keep", home)
    assert done.returncode == 0, done.stderr
    return home


def test_json_says_who_fades_when(process: Run, lived: Path) -> None:
    done = process("--home", lived, "forecast", "--json", "--days", "365", "--as-of", "2026-03-21T12:00Z")
    record = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert record["now"] == "2026-03-21T12:00:00.000000Z" and record["days"] == 365 and record["law"] == "salience"
    moments = [fade["at"] for fade in record["fades"]]
    assert moments == sorted(moments) and all(record["now"] < at <= record["until"] for at in moments)
    curve = record["curve"]
    assert curve[0] == {"at": record["now"], "active": record["active"], "tokens": record["tokens"]}
    assert curve[-1]["at"] == record["until"] and curve[-1]["active"] == record["active"] - len(moments)
    assert [point["tokens"] for point in curve] == sorted((point["tokens"] for point in curve), reverse=True)


def test_it_agrees_with_what_memories_say(memtui: Run, lived: Path) -> None:
    at = ("--as-of", "2026-03-21T12:00Z")
    listed = json.loads(memtui("--home", lived, "memories", "--json", "--sort", "left", *at).stdout)
    record = json.loads(memtui("--home", lived, "forecast", "--json", "--days", "1000", *at).stdout)
    assert [(fade["id"], fade["at"]) for fade in record["fades"]] == [(one["id"], one["dies_at"]) for one in listed]


def test_for_people_a_sentence_two_curves_and_a_table(process: Run, lived: Path) -> None:
    done = process("--home", lived, "forecast", "--days", "2w", "--as-of", "2026-03-21T12:00Z", env={"COLUMNS": "80"})
    assert done.returncode == 0 and "As of 2026-03-21" in done.stderr
    lines = done.stdout.splitlines()
    assert "this week. By Sat 4 Apr: " in lines[0] and lines[0].endswith("stay.")
    assert any(line.startswith("active memories: ") for line in lines) and any("tokens of all" in line for line in lines)
    assert any("⠶" in line or "⠤" in line or "⣤" in line or "⠛" in line for line in lines)
    assert "\x1b" not in done.stdout and max(map(len, lines[1:])) <= 80


def test_a_short_horizon_without_fades_has_no_table(memtui: Run, lived: Path) -> None:
    done = memtui("--home", lived, "forecast", "--days", "1", "--as-of", "2026-03-21T09:30Z")
    assert "0 of" in done.stdout and "memory\n" not in done.stdout


def test_before_there_was_anything(memtui: Run, lived: Path) -> None:
    done = memtui("--home", lived, "forecast", "--as-of", "2001-01-01")
    assert (done.returncode, done.stdout) == (0, "There are no active memories, so none can fade.\n")
    record = json.loads(memtui("--home", lived, "forecast", "--json", "--as-of", "2001-01-01").stdout)
    assert (record["active"], record["fades"], record["this_week"]) == (0, [], 0)


@pytest.mark.parametrize("bad", ["0", "-3", "soon", "9999", "nan", "1e9", ""])
def test_a_bad_horizon_is_one_sentence_and_exit_2(memtui: Run, tmp_path: Path, bad: str) -> None:
    done = memtui("--home", tmp_path / "none", "forecast", f"--days={bad}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "--days" in done.stderr
    assert not (tmp_path / "none").exists()


def test_looking_ahead_writes_nothing(memtui: Run, lived: Path) -> None:
    before = memtui("--home", lived, "verify", "--json").stdout
    memtui("--home", lived, "forecast")
    assert memtui("--home", lived, "verify", "--json").stdout == before
