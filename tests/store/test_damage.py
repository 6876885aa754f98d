"""Power cuts, full disks, read-only folders and tampering hands."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.errors import LedgerError, StoreError, StoreFullError
from memtui.memory.events import Created
from memtui.memory.ledger import event_hash
from memtui.memory.moments import to_iso
from memtui.store.checking import row_hash
from memtui.store.memory_store import MemoryStore
from memtui.store.tables import CONTENTS, EVENTS
from tests.store.builders import manifests, opened, shown, told


def three_facts(home: Path) -> list[tuple[object, ...]]:
    """A closed store with three memories; what it showed after two of them."""
    store = opened(home)
    told(0, "one").into(store)
    told(1, "two").into(store)
    before = shown(store.frame)
    told(2, "three").into(store)
    store.close()
    return before


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "zeros": lambda data: bytes(len(data)),  # LanceDB opens this one: as a table without columns
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_newest_manifest_of_the_ledger_is_set_aside(home: Path, damage: str) -> None:
    before = three_facts(home)
    newest = manifests(home, EVENTS)[0]
    newest.write_bytes(DAMAGES[damage](newest.read_bytes()))
    store = opened(home)
    assert shown(store.frame) == before
    assert any("set aside" in notice for notice in store.notices)
    assert any("2 events too early" in notice for notice in store.notices)
    assert len(list((home / "quarantine").iterdir())) == 1
    assert [problem.where for problem in store.verify()] == ["head"]
    told(2, "three").into(store)
    assert store.frame.texts == ["one", "two", "three"]
    store.close()
    again = opened(home)
    assert again.frame.texts == ["one", "two", "three"]
    again.close()


def test_several_damaged_manifests_are_set_aside(home: Path) -> None:
    three_facts(home)
    for path in manifests(home, EVENTS)[:2]:
        path.write_bytes(b"")
    store = opened(home)
    assert store.frame.texts == ["one"] and "2 changes" in store.notices[0]
    store.close()


@pytest.mark.parametrize("table", [EVENTS, CONTENTS])
def test_a_lost_data_file_falls_back_to_what_can_be_read(home: Path, table: str) -> None:
    three_facts(home)
    newest = max((home / f"{table}.lance" / "data").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    newest.write_bytes(b"")
    store = opened(home)
    assert store.notices and store.frame.texts[:2] == ["one", "two"]
    where = {problem.where for problem in store.verify()}
    assert where == ({"head"} if table == EVENTS else {"contents"})
    store.close()


def test_what_can_be_read_in_no_version_is_left_as_it_is(home: Path) -> None:
    three_facts(home)
    for path in manifests(home, EVENTS):
        path.write_bytes(b"")
    names = [path.name for path in manifests(home, EVENTS)]
    with pytest.raises(StoreError) as caught:
        opened(home)
    assert caught.value.safe and str(home) in caught.value.todo
    assert [path.name for path in manifests(home, EVENTS)] == names
    assert list((home / "quarantine").iterdir()) == []


def test_a_fault_of_the_machine_sets_nothing_aside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    three_facts(home)

    def out_of_handles(self: object, since: int = 0) -> None:
        raise RuntimeError("lance error: LanceError(IO): Too many open files (os error 24)")

    monkeypatch.setattr("memtui.store.tables.Tables.read_events", out_of_handles)
    with pytest.raises(StoreError, match="Too many open files"):
        opened(home)
    assert not (home / "quarantine").exists()


def test_a_table_of_another_program_is_left_alone(home: Path) -> None:
    three_facts(home)
    store = opened(home)
    store._journal.tables.open(CONTENTS).drop_columns(["text"])
    store.close()
    with pytest.raises(StoreError, match="lacks text"):
        opened(home)
    assert not (home / "quarantine").exists()


def test_a_damaged_word_index_is_made_anew(home: Path) -> None:
    three_facts(home)
    for path in (home / "contents.lance" / "_indices").rglob("*.lance"):
        path.write_bytes(b"")
    store = opened(home)
    assert list(store.search_words("two")) == [store.frame.ids[1]]
    store.close()
    again = opened(home)
    assert list(again.search_words("two")) == [again.frame.ids[1]]
    again.close()


def test_a_broken_head_file_is_written_anew(home: Path) -> None:
    three_facts(home)
    (home / "head.json").write_bytes(b"{")
    store = opened(home)
    assert store.verify() == [] and json.loads((home / "head.json").read_text())["length"] == 6
    store.close()


# -- tampering


def tampered(home: Path, table: str, where: str, values: dict[str, Any]) -> None:
    store = opened(home)
    store._journal.tables.open(table).update(where=where, values=values)
    store.close()


@pytest.mark.parametrize(
    ("table", "where", "values", "found"),
    [
        (EVENTS, "seq = 3", {"block": "B" * 26}, "event 3"),
        (EVENTS, "seq = 2", {"data": '{"session":"s2","turn":"t1"}'}, "event 2"),
        (EVENTS, "seq = 2", {"hash": "f" * 64}, "event 2"),
        (EVENTS, "seq = 5", {"type": "turned", "data": '{"session":"s","turn":"t"}'}, "event 5"),
        (CONTENTS, "text = 'two'", {"text": "zwei"}, "content "),
        (CONTENTS, "text = 'two'", {"text": ""}, "contents"),
    ],
)
def test_a_changed_row_is_found(home: Path, table: str, where: str, values: dict[str, Any], found: str) -> None:
    three_facts(home)
    tampered(home, table, where, values)
    store = opened(home)
    assert any(problem.where.startswith(found) for problem in store.verify())
    store.close()


def test_a_dropped_event_is_found_and_said(home: Path) -> None:
    three_facts(home)
    store = opened(home)
    store._journal.tables.open(EVENTS).delete("seq = 2")
    store.close()
    again = opened(home)
    assert any("broken at event 3" in notice for notice in again.notices)
    assert any("expected number 2" in problem.what for problem in again.verify())
    again.close()


def test_a_changed_state_in_memory_is_found(kept: MemoryStore) -> None:
    block = told(0, "one")
    block.into(kept)
    kept.state.memories.pop(block.memory)
    assert {problem.where for problem in kept.verify()} == {"state", "frame"}


@pytest.mark.parametrize(
    "data", ["{", "[]", '{"turn":"t","session":"s"},{"a":1}', '{"turn":"t"}', '{"turn":"t","session":"s","x":1}']
)
def test_an_unreadable_event_is_named(home: Path, data: str) -> None:
    three_facts(home)
    tampered(home, EVENTS, "seq = 2", {"data": data})
    with pytest.raises(LedgerError, match="Event 2"):
        opened(home)


def test_the_stored_form_has_the_hash_of_the_ledger(kept: MemoryStore) -> None:
    told(0, 'a "quoted" é \\ text', who='é\u0301"x', why="w").into(kept)
    rows = kept._journal.tables.read_events().to_pylist()
    for row, event in zip(rows, kept.events(), strict=True):
        stored = row_hash(row["prev"], row["seq"], to_iso(row["at"]), row["block"], row["type"], row["data"])
        assert stored == event.hash == event_hash(event.prev, event.seq, event.at, event.block, event.body)
    assert isinstance(kept.events()[1].body, Created)


# -- disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB, where this process may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True)
    except OSError:
        pytest.skip("there is no mount command")
    if made.returncode != 0:
        pytest.skip("this process may not mount a disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return path


def test_a_full_disk_keeps_what_was_there_and_a_retry_works(small_disk: Path) -> None:
    store = opened(small_disk / "store")
    told(0, "one").into(store)
    before = shown(store.frame), store.head
    filler = fill(small_disk)
    with pytest.raises(StoreFullError) as caught:
        told(1, "two").into(store)
    assert "No space" in caught.value.what and caught.value.safe and caught.value.todo
    assert (shown(store.frame), store.head) == before
    reader = opened(small_disk / "store")  # it can still be opened and read
    assert shown(reader.frame) == before[0] and list(reader.search_words("one")) == reader.frame.ids
    reader.close()
    with pytest.raises(StoreFullError):
        opened(small_disk / "another")
    filler.unlink()
    told(1, "two").into(store)
    assert store.frame.texts == ["one", "two"] and store.verify() == []
    store.close()
    opened(small_disk / "another").close()


def test_a_read_only_disk_is_read(small_disk: Path) -> None:
    three_facts(small_disk / "store")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    store = opened(small_disk / "store")
    assert store.frame.texts == ["one", "two", "three"] and "read-only" in store.notices[0]
    assert list(store.search_words("two")) == [store.frame.ids[1]] and store.verify() == []
    with pytest.raises(StoreFullError) as caught:
        told(3, "four").into(store)
    assert caught.value.safe and caught.value.todo and len(store.frame) == 3
    assert store.compact_if_due() is False
    with pytest.raises(StoreFullError):
        opened(small_disk / "another")
    store.close()


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_read(home: Path) -> None:
    three_facts(home)
    for path in (home, *home.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        store = opened(home)
        assert len(store.frame) == 3 and store.notices
        with pytest.raises(StoreFullError):
            told(3, "four").into(store)
        store.close()
    finally:
        for path in (home, *home.rglob("*")):
            path.chmod(0o700)


def test_a_lock_that_cannot_be_made_is_a_read_only_store(kept: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, *args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    with pytest.raises(StoreFullError, match="read-only"):
        told(0, "x").into(kept)
    assert kept.head.length == 0


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("not a folder")
    with pytest.raises(StoreError, match="can't be made") as caught:
        opened(tmp_path / "store")
    assert "--home" in caught.value.todo
