"""One append an operation: all of it or nothing, once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memtui.errors import StoreError, StoreFullError
from memtui.memory.events import Body, Created, Edited, Event, Recalled, Retired, Turned, Undone
from memtui.memory.model import Kind, RetireReason
from memtui.memory.state import fold
from memtui.memory.texts import content_hash
from memtui.store.journal import Journal
from memtui.store.memory_store import MemoryStore
from memtui.store.tables import CONTENTS, EVENTS, Tables
from tests.store.builders import DIMS, Block, done, moment, opened, shown, told, vector_of


def test_an_append_is_in_state_frame_and_head_at_once(store: MemoryStore) -> None:
    block = told(0, "I live in Lisbon.", why="where someone lives matters")
    events = block.into(store)
    assert [event.body.type for event in events] == ["turned", "created"]
    assert store.head.length == 2 and store.head.hash == events[-1].hash and store.head.at == moment(0)
    memory = store.state.memories[block.memory]
    assert store.text(memory.content) == "I live in Lisbon."
    assert memory.note is not None and store.text(memory.note) == "where someone lives matters"
    assert store.frame.ids == [block.memory]
    np.testing.assert_array_equal(store.frame.vectors[0], vector_of("I live in Lisbon."))
    assert list(store.events()) == events
    assert store.text("0" * 64) == ""


def test_a_block_is_written_once(store: MemoryStore) -> None:
    block = told(0, "I live in Lisbon.")
    first = block.into(store)
    rows = store._journal.tables.count(EVENTS), store._journal.tables.count(CONTENTS)
    assert block.into(store) == first
    assert (store._journal.tables.count(EVENTS), store._journal.tables.count(CONTENTS)) == rows
    assert store.head.length == 2 and len(store.frame) == 1


def test_a_block_is_written_once_after_reopening(home: Path) -> None:
    with_store(home, told(0, "I live in Lisbon.").into)
    first = with_store(home, told(0, "I live in Lisbon.").into)
    assert len(first) == 2
    assert with_store(home, lambda store: store.head.length) == 2


def with_store(home: Path, use: Callable[[MemoryStore], Any]) -> Any:
    store = opened(home)
    try:
        return use(store)
    finally:
        store.close()


def test_contents_are_written_once_for_one_embedder(store: MemoryStore) -> None:
    told(0, "tea", why="a taste").into(store)
    told(1, "tea", why="a taste").into(store)
    assert store._journal.tables.count(CONTENTS) == 2
    assert len(store.state.memories) == 2


def test_a_note_that_becomes_a_memory_gets_its_vector(store: MemoryStore) -> None:
    told(0, "tea", why="likes a warm drink").into(store)
    told(1, "likes a warm drink").into(store)
    assert store._journal.tables.count(CONTENTS) == 3
    np.testing.assert_array_equal(store.frame.vectors[1], vector_of("likes a warm drink"))
    assert list(store.search_words("a warm drink")) == [store.frame.ids[1]]


def test_nothing_to_append_writes_nothing(store: MemoryStore) -> None:
    assert store.append([], at=moment(0), block="B" * 26, texts={content_hash("x"): "x"}) == []
    assert store.head.length == 0 and store._journal.tables.count(CONTENTS) == 0


def test_time_never_runs_backwards(store: MemoryStore) -> None:
    told(10, "later").into(store)
    events = told(0, "earlier").into(store)
    assert {event.at for event in events} == {moment(10)}


def test_edit_and_undo_change_text_and_vector_and_back(store: MemoryStore) -> None:
    block = told(0, "I live in Berlin.")
    block.into(store)
    before = shown(store.frame)
    edit = done(1, Edited(block.memory, content=content_hash("I live in Lisbon.")), embedded=["I live in Lisbon."])
    edit.into(store)
    assert store.frame.texts == ["I live in Lisbon."]
    np.testing.assert_array_equal(store.frame.vectors[0], vector_of("I live in Lisbon."))
    done(2, Undone(edit.block)).into(store)
    assert shown(store.frame) == before


def test_an_undone_creation_comes_back_in_its_row(store: MemoryStore) -> None:
    first, second = told(0, "one"), told(1, "two")
    first.into(store)
    second.into(store)
    before = shown(store.frame)
    undo = done(2, Undone(first.block))
    undo.into(store)
    assert first.memory not in store.frame and store.frame.row(second.memory) == 1
    assert store.search_words("one") == {}
    done(3, Undone(undo.block)).into(store)
    assert shown(store.frame) == before


def test_hostile_texts_come_back_as_they_were(home: Path) -> None:
    texts = [
        "nul \0 inside",
        "[red]not markup[/]",
        "עברית ‮rtl",
        "日本語のテスト",
        "👩‍👩‍👧 emoji",
        "x" * 1_000_000,
        "'; DROP TABLE events; --",
    ]
    store = opened(home)
    blocks = [told(i, text) for i, text in enumerate(texts)]
    for block in blocks:
        block.into(store)
    store.close()
    again = opened(home)
    assert again.frame.texts == texts
    assert again.verify() == []
    again.close()


def test_what_cannot_be_kept_is_refused_and_changes_nothing(store: MemoryStore) -> None:
    told(0, "kept").into(store)
    before = shown(store.frame), store.head, dict(store.state.memories)
    wrong_vector = told(1, "one")
    wrong_vector.vectors = {content_hash("one"): np.ones(DIMS + 1, np.float32)}
    not_a_number = told(2, "two")
    not_a_number.vectors = {content_hash("two"): np.full(DIMS, np.nan, np.float32)}
    wrong_hash = told(3, "three")
    wrong_hash.texts[content_hash("three")] = "four"
    surrogate = told(4, "five")
    surrogate.bodies.append(Turned("t\ud800", "s1"))
    no_number = done(5, Edited(store.frame.ids[0], importance=float("nan")))
    for block in (wrong_vector, not_a_number, wrong_hash, surrogate, no_number):
        with pytest.raises(StoreError):
            block.into(store)
    assert (shown(store.frame), store.head, dict(store.state.memories)) == before
    assert store.verify() == []


def test_one_and_one_point_zero_are_the_same_importance(home: Path) -> None:
    store = opened(home)
    block = told(0, "whole number")
    created = block.bodies[1]
    assert isinstance(created, Created)
    block.bodies[1] = Created(
        **{name: getattr(created, name) for name in Created.__slots__ if name != "importance"}, importance=1
    )
    block.into(store)
    store.close()
    again = opened(home)
    assert again.verify() == []
    again.close()


@pytest.mark.parametrize("failing", ["add_contents", "add_events"])
def test_a_failed_append_changes_nothing_and_can_be_tried_again(
    kept: MemoryStore, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    told(0, "before").into(kept)
    before = shown(kept.frame), kept.head, dict(kept.state.memories)

    def full(self: Tables, rows: object) -> None:
        raise RuntimeError(
            "lance error: LanceError(IO): No space left on device (os error 28), /x/lance-file/src/w.rs:258:9"
        )

    with monkeypatch.context() as patch:
        patch.setattr(Tables, failing, full)
        with pytest.raises(StoreFullError) as caught:
            told(1, "after").into(kept)
    assert caught.value.safe and caught.value.todo and ".rs:" not in str(caught.value)
    assert (shown(kept.frame), kept.head, dict(kept.state.memories)) == before
    assert len(told(1, "after").into(kept)) == 2
    assert kept._journal.tables.count(CONTENTS) == 2
    assert kept.verify() == []


def test_a_failure_after_the_commit_is_told_and_the_retry_finds_the_block(
    kept: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: object, data: bytes, *, durable: bool) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("memtui.store.head_file.write_atomically", full)
        with pytest.raises(StoreFullError):
            told(0, "I live in Lisbon.").into(kept)
    assert len(told(0, "I live in Lisbon.").into(kept)) == 2
    assert kept.head.length == 2 and kept.frame.texts == ["I live in Lisbon."]
    np.testing.assert_array_equal(kept.frame.vectors[0], vector_of("I live in Lisbon."))
    assert kept.verify() == []


def test_a_failing_index_does_not_fail_the_append(kept: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object) -> None:
        raise RuntimeError("No space left on device (os error 28)")

    monkeypatch.setattr("memtui.store.full_text.FullText.rebuild", full)
    assert len(told(0, "I live in Lisbon.").into(kept)) == 2
    assert len(kept.notices) == 1 and "No space" in kept.notices[0]
    assert list(kept.search_words("lisbon")) == kept.frame.ids  # found without an index, only slower


async def test_an_async_append_folds_on_the_callers_thread(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, int] = {}
    write, fold_in = Journal.write, MemoryStore._fold

    def noted_write(self: Journal, bodies: Sequence[Body], **arguments: Any) -> list[Event]:
        threads["write"] = threading.get_ident()
        return write(self, bodies, **arguments)

    def noted_fold(self: MemoryStore, taken: Any) -> None:
        threads["fold"] = threading.get_ident()
        fold_in(self, taken)

    monkeypatch.setattr(Journal, "write", noted_write)
    monkeypatch.setattr(MemoryStore, "_fold", noted_fold)
    block = told(0, "I live in Lisbon.")
    await append_async(store, block)
    assert threads["fold"] == threading.get_ident() != threads["write"]
    assert store.frame.ids == [block.memory]


async def append_async(store: MemoryStore, block: Block) -> list[Event]:
    return await store.append_async(block.bodies, at=block.at, block=block.block, texts=block.texts, vectors=block.vectors)


async def test_appends_at_once_are_put_in_a_row(store: MemoryStore) -> None:
    blocks = [told(i, f"fact number {i}") for i in range(12)]
    waiting = [asyncio.create_task(append_async(store, block)) for block in blocks[:-1]]
    await asyncio.sleep(0)
    blocks[-1].into(store)  # and one from the loop's own thread in between
    await asyncio.gather(*waiting)
    assert set(store.state.memories) == {block.memory for block in blocks}
    assert store.head.length == 24 and len(store.frame) == 12
    assert fold(store.events()).memories == store.state.memories
    assert store.verify() == []


async def test_a_cancelled_append_is_folded_when_it_is_written(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    started, go_on = threading.Event(), threading.Event()
    write = Tables.add_events

    def slow(self: Tables, events: Sequence[Event]) -> int:
        started.set()
        assert go_on.wait(30)
        return write(self, events)

    monkeypatch.setattr(Tables, "add_events", slow)
    block = told(0, "I live in Lisbon.")
    task = asyncio.create_task(append_async(store, block))
    await asyncio.to_thread(started.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    for _ in range(6000):
        if block.memory in store.state.memories:
            break
        await asyncio.sleep(0.005)
    assert store.frame.ids == [block.memory] and store.verify() == []


async def test_an_async_failure_reaches_the_caller(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Tables, events: Sequence[Event]) -> int:
        raise RuntimeError("No space left on device (os error 28)")

    with monkeypatch.context() as patch:
        patch.setattr(Tables, "add_events", full)
        with pytest.raises(StoreFullError):
            await append_async(store, told(0, "x"))
    assert len(await append_async(store, told(0, "x"))) == 2


def test_retired_recalled_and_unknown_memories_are_folded(store: MemoryStore) -> None:
    block = told(0, "I live in Lisbon.", kind=Kind.EPISODIC)
    block.into(store)
    done(1, Recalled((block.memory, "0" * 26), "t1")).into(store)
    done(2, Retired(block.memory, RetireReason.FORGOTTEN)).into(store)
    memory = store.state.memories[block.memory]
    assert memory.recalls == 1 and not memory.active and not store.frame.active[0]
    assert len(store.frame) == 1


def test_a_closed_store_says_so(store: MemoryStore) -> None:
    folder = Path(store.uri)
    assert folder.is_dir()
    store.close()
    store.close()
    assert not folder.exists()
    for use in (lambda: told(0, "x").into(store), store.refresh, store.verify, lambda: store.search_words("x")):
        with pytest.raises(StoreError, match="closed"):
            use()


def test_an_append_at_another_offset_is_kept_in_utc(home: Path) -> None:
    from datetime import timezone

    store = opened(home)
    local = moment(0).astimezone(timezone(timedelta(hours=3)))
    store.append([Turned("t0", "s1")], at=local, block="B" * 26)
    store.close()
    again = opened(home)
    assert again.events()[0].at == moment(0) and again.verify() == []
    again.close()


def test_texts_are_a_mapping_by_hash(store: MemoryStore) -> None:
    texts: Mapping[str, str] = {content_hash("é"): "é"}
    store.append([Turned("t0", "s1")], at=moment(0), block="B" * 26, texts=texts)
    assert store.text(content_hash("é")) == "é"  # the same text, composed another way
