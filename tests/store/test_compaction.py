"""Compaction keeps everything, and only happens when it pays."""

from __future__ import annotations

import pytest

from memtui.errors import StoreError
from memtui.store import compaction
from memtui.store.memory_store import MemoryStore
from memtui.store.tables import CONTENTS, EVENTS
from tests.store.builders import opened, shown, told


def filled(store: MemoryStore, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        told(number, f"fact {number}").into(store)


def test_it_is_due_at_a_hundred_fragments(store: MemoryStore) -> None:
    assert (compaction.FRAGMENTS, compaction.FRAGMENTS_MANY_ROWS, compaction.MANY_ROWS) == (100, 200, 100_000)
    filled(store, 3)
    assert store.compact_if_due() is False and store._journal.tables.fragments(EVENTS) == 3


def test_many_rows_may_lie_in_more_fragments(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store, 5)
    monkeypatch.setattr(compaction, "FRAGMENTS", 5)
    monkeypatch.setattr(compaction, "MANY_ROWS", 5)
    monkeypatch.setattr(compaction, "FRAGMENTS_MANY_ROWS", 6)
    assert store.compact_if_due() is False


def test_everything_is_there_after_it(kept: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "FRAGMENTS", 6)
    filled(kept, 6)
    other = opened(kept.uri)
    before = shown(kept.frame), kept.state, kept.search_words("fact 3")
    assert kept.compact_if_due() is True and kept.compact_if_due() is False
    assert (
        kept._journal.tables.fragments(EVENTS) == 1 and kept._journal.tables.fragments(CONTENTS) <= 2
    )  # indexed rows apart
    assert (shown(kept.frame), kept.state, kept.search_words("fact 3")) == before and kept.verify() == []
    filled(kept, 2, first=6)
    assert other.refresh() is True  # who had the tables open goes on
    assert shown(other.frame) == shown(kept.frame)
    told(9, "from the other").into(other)
    assert kept.refresh() is True and kept.verify() == [] and other.verify() == []
    other.close()
    again = opened(kept.uri)
    assert shown(again.frame) == shown(kept.frame) and again.notices == []
    again.close()


def test_a_conflict_is_tried_again(kept: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "FRAGMENTS", 2)
    filled(kept, 2)
    table = kept._journal.tables.open(EVENTS)
    optimize, tries = table.optimize, []

    def conflicting(**arguments: object) -> None:
        tries.append(arguments)
        if len(tries) < 3:
            raise RuntimeError("lance error: Retryable commit conflict for version 12: try again")
        optimize(**arguments)

    monkeypatch.setattr(table, "optimize", conflicting)
    assert kept.compact_if_due() is True and len(tries) == 3
    assert kept._journal.tables.fragments(EVENTS) == 1


def test_a_lasting_failure_is_said(kept: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "FRAGMENTS", 2)
    filled(kept, 2)

    def broken(**arguments: object) -> None:
        raise RuntimeError("lance error: something else")

    monkeypatch.setattr(kept._journal.tables.open(CONTENTS), "optimize", broken)
    with pytest.raises(StoreError, match="something else"):
        kept.compact_if_due()
    assert kept.verify() == []
    filled(kept, 1, first=2)


def test_a_busy_store_is_compacted_another_time(kept: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    import filelock

    monkeypatch.setattr(compaction, "FRAGMENTS", 2)
    filled(kept, 2)
    kept._journal.lock_wait_s = 0.05
    with filelock.FileLock(f"{kept.uri}/write.lock"):
        assert kept.compact_if_due() is False
    assert kept.compact_if_due() is True
