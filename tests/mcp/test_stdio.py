"""`memtui mcp` as a process of its own, spoken to by the official client over stdio, while others use the same memory."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters

from memtui.chat.companion import Companion
from memtui.chat.opening import open_companion
from memtui.config import Settings
from memtui.locations import home
from memtui.skills.hooks.asking import ask


def environment(where: Path) -> dict[str, str]:
    return {"MEMTUI_HOME": str(where), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}


@asynccontextmanager
async def served(where: Path, mode: Literal["auto", "legacy"] = "auto") -> AsyncIterator[Client]:
    server = StdioServerParameters(command=sys.executable, args=["-P", "-m", "memtui", "mcp"], env=environment(where))
    async with Client(server, mode=mode, read_timeout_seconds=90) as client:
        yield client


async def ok(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_app_and_the_server_share_one_memory(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    app: Companion = await open_companion(Settings(timezone="UTC"), home(tmp_path))
    try:
        await app.remember("I live in Lisbon")
        async with served(tmp_path, mode) as client:
            assert (await client.list_tools()).tools[0].name == "mem_search"
            # what the app wrote is there, also what it writes while the server runs
            assert (await ok(client, "mem_search", query="Where do I live?"))["found"][0]["text"] == "I live in Lisbon"
            await app.remember("My sister Ana likes chess")
            assert "chess" in (await ok(client, "mem_search", query="Ana chess"))["found"][0]["text"]
            # and the other way round
            learned = await ok(
                client, "mem_learn", title="Deploy hangs", trigger="stuck at migrations", steps="find the lock"
            )
            await app.skills.refresh()
            skill = app.skills.get(learned["learned"]["slug"])
            assert not skill.trusted and skill.origin.startswith("mcp:")
            # a third process, the command line
            command = [sys.executable, "-m", "memtui", "skill", "reinforce", skill.slug]
            await asyncio.to_thread(subprocess.run, command, env=environment(tmp_path), check=True, capture_output=True)
            assert (await ok(client, "mem_get", ref=skill.slug))["memory"]["skill"]["strength"] == pytest.approx(1.15)
            # writes in turn, from both sides
            for number in range(4):
                await ok(client, "mem_write", text=f"from the tool: topic{number}", force=True)
                await app.remember(f"from the app: subject{number}")
            await ok(client, "mem_recall", query="deploy stuck at migrations")
        # hung up: what was given is written by then
        await app.store.refresh_async()
        assert app.skills.get(skill.slug).uses == 2
        assert app.store.verify() == [] and len(app.store.frame) == 11
    finally:
        await app.close()


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short enough for a socket, whoever runs the tests."""
    with tempfile.TemporaryDirectory(prefix="m", dir="/tmp" if Path("/tmp").is_dir() else None) as folder:
        yield Path(folder)


async def test_hooks_ask_the_running_server_and_find_by_meaning(short: Path) -> None:
    async with served(short) as client:
        await ok(
            client,
            "mem_learn",
            title="Deploy hangs on a database migration",
            trigger="deploy is stuck",
            steps="find the lock",
        )
        found = await asyncio.to_thread(ask, home(short).hooks, "выкатка зависла на миграции базы данных", 3)
        assert found is not None and found[0].passed and found[0].skill.steps == "find the lock"
    assert not list(home(short).hooks.rglob("*.sock"))  # hung up: nothing is left behind


async def test_a_store_that_is_no_store_is_a_tool_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where the folder should be")
    async with served(tmp_path) as client:
        result = await client.call_tool("mem_list", {})
        assert result.is_error and "store" in str(result.content[0]).lower()


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "mcp"],
        input=b"",
        capture_output=True,
        env=environment(tmp_path),
        timeout=90,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    junk = subprocess.run(
        [sys.executable, "-m", "memtui", "mcp"],
        input=b"{not json}\n",
        capture_output=True,
        env=environment(tmp_path),
        timeout=90,
        check=False,
    )
    assert junk.returncode == 0 and all(line.startswith(b"{") for line in junk.stdout.splitlines())


def test_the_sdk_is_imported_by_the_server_alone() -> None:
    code = (
        "import sys, memtui.cli.commands, memtui.cli.mcp; assert 'mcp' not in sys.modules and 'mcp_types' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
