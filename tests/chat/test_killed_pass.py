"""A sleep pass that is killed leaves either nothing or all of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.chat.companion import Companion
from memtui.chat.log import NoLog
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.memory.model import Label, Summary, Verdict
from memtui.memory.state import state_hash
from memtui.minds.base import PairText
from memtui.store.memory_store import MemoryStore
from tests.chat.conftest import START
from tests.doubles import ScriptedMind


def sleeper() -> ScriptedMind:
    """Merges what is told thrice, retires older homes, and is unsure of dishes."""
    mind = ScriptedMind()
    mind.summary = lambda texts: Summary("building Synapse", "told three times")

    def verdict(pair: PairText) -> Verdict:
        if "home" in pair.older and "home" in pair.newer:
            return Verdict("a newer home", Label.SUPERSEDES, 0.9)
        if "lunch" in pair.older and "lunch" in pair.newer:
            return Verdict("perhaps", Label.SUPERSEDES, 0.3)
        return Verdict("", Label.UNRELATED)

    mind.verdict = verdict
    return mind


def opened(home: Path) -> Companion:
    mind = sleeper()
    store = MemoryStore.open(home, embedder_name=mind.embedder.name, dims=mind.embedder.dims)
    return Companion(store, mind, SimClock.frozen(START + timedelta(days=1)), Settings(timezone="UTC"), NoLog(), "s")


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from memtui.store.tables import Tables
from tests.chat.test_killed_pass import opened

def die(name, when):
    real = getattr(Tables, name)
    def dying(self, rows):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        out = real(self, rows)
        os.kill(os.getpid(), signal.SIGKILL)
        return out
    setattr(Tables, name, dying)

async def main():
    companion = opened(Path(sys.argv[1]))
    die(sys.argv[2], sys.argv[3])
    await companion.sleep("key")

asyncio.run(main())
"""
TOLD = (
    "my home is in Berlin",
    "my home is in Lisbon",
    "lunch was ramen",
    "lunch was soup",
    *(f"Synapse hackathon project build update {number}" for number in range(3)),
)


def killed(home: Path, where: str, when: str) -> int:
    """How a process ended that was killed in its sleep."""
    return subprocess.run([sys.executable, "-c", KILLED, str(home), where, when], timeout=60, check=False).returncode


@pytest.mark.parametrize(
    ("where", "when", "done"),
    [("add_contents", "after", False), ("add_events", "before", False), ("add_events", "after", True)],
)
async def test_a_killed_pass_leaves_nothing_or_all(tmp_path: Path, where: str, when: str, done: bool) -> None:
    companion = opened(tmp_path)
    for text in TOLD:
        async for _ in companion.turn(text):
            pass
    before = state_hash(companion.store.state)
    await companion.close()
    assert await asyncio.to_thread(killed, tmp_path, where, when) == -9
    again = opened(tmp_path)
    state = again.store.state
    assert again.store.verify() == []
    if done:
        assert len(state.sleeps) == 1 and len(state.active()) == 4 and len(again.conflicts()) == 1
        await again.undo()
    assert state_hash(state) == before and again.conflicts() == []
    report = await again.sleep("key")  # what was lost is done anew
    assert len(state.active()) == 4 and len(again.conflicts()) == 1
    await again.undo(report.block)
    assert state_hash(state) == before and again.conflicts() == []
    await again.close()
