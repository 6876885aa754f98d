"""What the commands do outside the home: other agents' files, the scheduler, a vault."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody with an empty home folder and a crontab of their own."""
    tools = tmp_path / "bin"
    tools.mkdir()
    table = tmp_path / "crontab.txt"
    table.write_text("0 1 * * * mine\n")
    crontab = tools / "crontab"
    crontab.write_text(
        f'#!/bin/sh\nif [ "$1" = -l ]; then cat {table}; else cat > {table}.new && mv {table}.new {table}; fi\n'
    )
    crontab.chmod(crontab.stat().st_mode | stat.S_IXUSR)
    return {"HOME": str(tmp_path / "person"), "PATH": f"{tools}:/usr/bin:/bin", "CRONTAB": str(table)}


def test_init_and_uninstall(memtui: Run, person: dict[str, str], tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    done = memtui("init", "--claude-code", "--codex", "--scope", "project", "--project", project, "--json", env=person)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["written"]) == 3
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["memtui"]
    assert server["command"] == sys.executable and server["args"][-1] == "mcp" and "-P" in server["args"]
    again = memtui("init", "--claude-code", "--scope", "project", "--project", project, env=person)
    assert again.returncode == 0 and "wrote" not in again.stdout
    assert memtui("init", "--cursor", env=person).returncode == 0
    out = memtui("uninstall", "--project", project, env=person)
    assert out.returncode == 0 and not [path for path in project.rglob("*") if path.is_file()]
    assert not [path for path in Path(person["HOME"]).rglob("*") if path.is_file()]


def test_init_says_what_is_wrong_in_one_line(memtui: Run, person: dict[str, str], tmp_path: Path) -> None:
    assert memtui("init", env=person).returncode == 2
    (tmp_path / ".mcp.json").write_text("{ // mine\n}")
    for command in ("init", "uninstall"):
        done = memtui(
            command,
            "--claude-code",
            *(("--scope", "project") if command == "init" else ()),
            "--project",
            tmp_path,
            env=person,
        )
        assert done.returncode in (1, 2) and len(done.stderr.strip().splitlines()) == 1
        assert (tmp_path / ".mcp.json").read_text() == "{ // mine\n}"
    printed = memtui("init", "--claude-code", "--print", env=person)
    assert "SessionStart" in printed.stdout and not Path(person["HOME"]).exists()


def test_schedule_by_cron(memtui: Run, person: dict[str, str], home: Path) -> None:
    table = Path(person["CRONTAB"])
    assert memtui("schedule", "status", "--with", "cron", env=person).returncode == 1
    assert memtui("schedule", "install", "--with", "cron", env=person).returncode == 0
    assert table.read_text().startswith("0 1 * * * mine\n") and "schedule run decay" in table.read_text()
    assert memtui("skill", "learn", "Deploy hangs", "--step", "find the lock", env=person).returncode == 0
    assert memtui("schedule", "run", "decay", env=person).stdout == "Skills: 0 archived, 0 stale, 1 active.\n"
    assert memtui("schedule", "run", "export", env=person).returncode == 0
    assert len(list((home / "vault").rglob("*.md"))) == 1
    status = json.loads(memtui("schedule", "status", "--with", "cron", "--json", env=person).stdout)
    assert [(chore["state"], chore["last"]["ok"]) for chore in status["chores"]] == [("installed", True)] * 2
    assert memtui("schedule", "remove", "--with", "cron", env=person).returncode == 0
    assert table.read_text() == "0 1 * * * mine\n"


def test_a_folder_is_a_vault_and_a_file_is_what_it_was(memtui: Run, tmp_path: Path) -> None:
    assert memtui("ask", "I live in Lisbon").returncode == 0
    folder, file, other = tmp_path / "vault", tmp_path / "all.jsonl", tmp_path / "other"
    assert memtui("export", folder).returncode == 0 and memtui("export", file).returncode == 0
    assert any("Lisbon" in path.name for path in folder.rglob("*.md")) and file.is_file()
    assert memtui("export", "--format", "markdown").stdout.startswith("# Memories")
    dry = memtui("--home", other, "import", folder, "--dry-run")
    assert "nothing was changed" in dry.stdout
    done = memtui("--home", other, "import", folder)
    assert done.returncode == 0, done.stderr
    kept = ("id", "content", "status", "importance", "recalls", "created_at", "last_recalled_at", "pinned", "sources")
    mine, theirs = (
        sorted([record[key] for key in kept] for record in json.loads(run.stdout))
        for run in (memtui("memories", "--json", "--all"), memtui("--home", other, "memories", "--json", "--all"))
    )
    assert mine == theirs
    assert memtui("--home", other, "verify", "--strict").returncode == 0
    empty = tmp_path / "empty"
    empty.mkdir()
    assert memtui("import", empty).returncode == 2


def test_hooks_status_before_any_hook(memtui: Run) -> None:
    done = memtui("hooks-status")
    assert done.returncode == 0 and "init --claude-code" in done.stderr
