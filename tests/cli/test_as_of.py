"""`--as-of`: memory and answers of a moment of the past, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SESSION = [
    {"type": "session", "format": "memtui-session", "version": 1, "title": "A move"},
    {"type": "user", "id": "u1", "at": "2026-03-01T09:00:00Z", "text": "I live in Berlin"},
    {"type": "assistant", "at": "2026-03-01T09:00:01Z", "text": "Noted.", "reply_to": "u1"},
    {"type": "user", "id": "u2", "at": "2026-03-05T09:00:00Z", "text": "I'm allergic to shellfish"},
    {"type": "assistant", "at": "2026-03-05T09:00:01Z", "text": "Noted.", "reply_to": "u2"},
    {"type": "user", "id": "u3", "at": "2026-03-20T09:00:00Z", "text": "I moved to Lisbon, I live in Lisbon now"},
    {"type": "assistant", "at": "2026-03-20T09:00:01Z", "text": "Noted.", "reply_to": "u3"},
    {"type": "command", "at": "2026-03-20T21:00:00Z", "text": "/sleep"},
]


@pytest.fixture(scope="module")
def moved(memtui: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moved")
    file, home = folder / "moved.jsonl", folder / "home"
    file.write_text("".join(json.dumps(line) + "\n" for line in SESSION), encoding="utf-8")
    done = memtui("replay", file, "--headless", "--keep", home)
    assert done.returncode == 0, done.stderr
    return home


def texts(done_stdout: str) -> list[str]:
    return sorted(record["content"] for record in json.loads(done_stdout))


def test_memories_as_of_a_moment(process: Run, memtui: Run, moved: Path) -> None:
    done = process("--home", moved, "memories", "--json", "--as-of", "2026-03-04T12:00Z")
    records = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [record["content"] for record in records] == ["I live in Berlin"]
    assert records[0]["recalls"] == 0 and records[0]["dies_at"] > "2026-03-04"
    assert len(texts(memtui("--home", moved, "memories", "--json", "--as-of", "2026-03-05").stdout)) == 2
    assert texts(memtui("--home", moved, "memories", "--json", "--as-of", "2026-03-04").stdout) == ["I live in Berlin"]
    assert texts(memtui("--home", moved, "memories", "--json", "--as-of", "2026-02-28").stdout) == []


def test_what_is_left_is_what_was_left_then(memtui: Run, moved: Path) -> None:
    def salience(moment: str) -> float:
        records = json.loads(memtui("--home", moved, "memories", "--json", "--as-of", moment).stdout)
        return float(next(record["salience"] for record in records if "Berlin" in record["content"]))

    assert salience("2026-03-01T09:00Z") > salience("2026-03-03T09:00Z") > salience("2026-03-04T09:00Z") > 0


def test_retired_ones_were_active(memtui: Run, moved: Path) -> None:
    now = json.loads(memtui("--home", moved, "memories", "--json", "--all").stdout)
    then = json.loads(memtui("--home", moved, "memories", "--json", "--all", "--as-of", "2026-03-20T12:00Z").stdout)
    gone = [record["id"] for record in now if record["status"] == "retired"]
    assert gone
    assert all(record["status"] == "active" and record["retired_at"] is None for record in then if record["id"] in gone)


def test_the_list_for_people_says_which_moment(memtui: Run, moved: Path) -> None:
    done = memtui("--home", moved, "memories", "--as-of", "2026-03-04T12:00Z")
    assert "Berlin" in done.stdout and "Lisbon" not in done.stdout
    assert "As of 2026-03-04 12:00:00+00:00" in done.stderr
    assert "There were no memories" in memtui("--home", moved, "memories", "--as-of", "2001-01-01").stderr


def test_ask_as_of_knows_only_what_was_known_and_keeps_nothing(process: Run, memtui: Run, moved: Path) -> None:
    before = memtui("--home", moved, "verify", "--json").stdout
    sessions = sorted(moved.rglob("*.jsonl"))
    done = process("--home", moved, "ask", "--json", "--as-of", "2026-03-06T12:00Z", "Where do I live?")
    record = json.loads(done.stdout)
    assert (done.returncode, record["created"], record["error"]) == (0, [], None)
    assert record["as_of"] == "2026-03-06T12:00:00.000000Z"
    assert any("Berlin" in memory["content"] for memory in record["memories"])
    assert "Lisbon" not in done.stdout
    assert len(record["recalled"]) == len(record["memories"])
    assert memtui("--home", moved, "verify", "--json").stdout == before
    assert sorted(moved.rglob("*.jsonl")) == sessions


def test_ask_as_of_for_people(memtui: Run, moved: Path) -> None:
    done = memtui("--home", moved, "ask", "--as-of", "2026-03-06", "Where do I live?")
    assert done.returncode == 0
    assert done.stdout.strip()
    assert "nothing was kept" in done.stderr and "m01 I live in Berlin" in done.stderr
    nothing = memtui("--home", moved, "ask", "--as-of", "2001-01-01", "Where do I live?")
    assert nothing.returncode == 0 and "nothing recalled" in nothing.stderr


def test_relative_moments_count_from_simulated_now(memtui: Run, moved: Path) -> None:
    assert len(texts(memtui("--home", moved, "memories", "--json", "--as-of", "now").stdout)) >= 1
    assert texts(memtui("--home", moved, "memories", "--json", "--as-of", "200w ago").stdout) == []


@pytest.mark.parametrize("bad", ["soon", "2026-03-20T12:00", "2026-02-30", "5 ago", ""])
@pytest.mark.parametrize("command", [("memories",), ("ask", "x")])
def test_a_bad_moment_is_one_sentence_and_exit_2(memtui: Run, tmp_path: Path, command: tuple[str, ...], bad: str) -> None:
    done = memtui("--home", tmp_path / "none", *command, "--as-of", bad)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "--as-of" in done.stderr
    assert not (tmp_path / "none").exists()  # nothing was opened for it


def test_a_bad_moment_in_a_process_of_its_own(process: Run) -> None:
    done = process("memories", "--as-of", "soon")
    assert done.returncode == 2 and "Traceback" not in done.stderr
