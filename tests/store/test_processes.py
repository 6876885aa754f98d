"""Several processes on one store, and processes that are killed."""

from __future__ import annotations

import multiprocessing
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from memtui.errors import LedgerError, StoreBusyError
from memtui.memory.state import fold
from memtui.store.locking import write_lock
from memtui.store.memory_store import MemoryStore
from tests.store.builders import opened, shown, told, vector_of

WRITES = 12


def write_some(home: str, who: str) -> None:
    """Append from a process of its own."""
    store = opened(home)
    for number in range(WRITES):
        told(number, f"fact {number} of {who}", who=who).into(store)
    store.close()


def test_two_processes_write_at_once_and_nothing_is_lost(home: Path, kept: MemoryStore) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=write_some, args=(str(home), who)) for who in ("a", "b")]
    for writer in writers:
        writer.start()
    for number in range(WRITES):
        told(number, f"fact {number} of us", who="us").into(kept)
        time.sleep(0.05)
    for writer in writers:
        writer.join(90)
        assert writer.exitcode == 0
    assert kept.refresh() is True and kept.refresh() is False
    assert len(kept.frame) == 3 * WRITES and kept.head.length == 6 * WRITES
    assert fold(kept.events()) == kept.state
    assert kept.verify() == []
    assert set(kept.search_words("fact of b", 100)) == set(kept.state.memories)
    for row, text in enumerate(kept.frame.texts):
        np.testing.assert_array_equal(kept.frame.vectors[row], vector_of(text))
    again = opened(home)
    assert shown(again.frame) == shown(kept.frame) and again.state == kept.state
    again.close()


def test_another_store_s_appends_are_taken_in_before_writing(home: Path, kept: MemoryStore) -> None:
    other = opened(home)
    first, second = told(0, "from here"), told(1, "from there", why="a reason")
    first.into(kept)
    second.into(other)
    assert [event.seq for event in told(2, "from here again").into(kept)] == [4, 5]
    assert kept.frame.texts == ["from here", "from there", "from here again"]
    assert other.refresh() is True and shown(other.frame) == shown(kept.frame)
    assert second.into(kept) == list(kept.events())[2:4]  # a block another process wrote is there already
    note = kept.state.memories[second.memory].note
    assert note is not None and kept.text(note) == "a reason"
    assert kept.verify() == [] and other.verify() == []
    other.close()


def test_a_busy_store_says_so_and_a_retry_works(home: Path, kept: MemoryStore) -> None:
    kept._journal.lock_wait_s = 0.05
    held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with write_lock(home):
            held.set()
            let_go.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert held.wait(30)
        with pytest.raises(StoreBusyError) as caught:
            told(0, "x").into(kept)
        assert caught.value.safe and caught.value.todo
        assert kept.head.length == 0
        assert kept.refresh() is False and kept.search_words("x") == {}  # reading needs no lock
    finally:
        let_go.set()
        holder.join()
    assert len(told(0, "x").into(kept)) == 2


def test_a_ledger_that_was_rolled_back_meanwhile_is_not_written_to(home: Path, kept: MemoryStore) -> None:
    told(0, "one").into(kept)
    told(1, "two").into(kept)
    other = opened(home)
    other._journal.tables.open("events").delete("seq >= 2")
    other.close()
    with pytest.raises(LedgerError, match="rolled back"):
        told(2, "three").into(kept)
    with pytest.raises(LedgerError):
        kept.refresh()


KILLED = textwrap.dedent("""
    import sys
    from tests.store.builders import opened, told
    store = opened(sys.argv[1])
    print("ready", flush=True)
    number = store.head.length // 2
    while True:
        block = told(number, f"fact {number}", why=f"reason {number}")
        block.into(store)
        print(block.block, flush=True)
        number += 1
""")


def test_what_was_acknowledged_survives_kill_9(home: Path) -> None:
    chance = random.Random(9)
    acknowledged: set[str] = set()
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(home)], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            for _ in range(chance.randint(1, 6)):
                acknowledged.add(process.stdout.readline().strip())
            time.sleep(chance.random() * 0.06)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        acknowledged.update(line.strip() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n"))
        process.stdout.close()
        store = opened(home)
        assert acknowledged <= set(store.state.blocks)
        assert store.verify() == [] and store.notices == []
        assert all(store.text(memory.content) for memory in store.state.memories.values())
        store.close()
