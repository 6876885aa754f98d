"""The small parts: places, faults, flushing, decoding."""

from __future__ import annotations

import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import InputError, StoreBusyError, StoreError, StoreFullError
from memtui.memory.ledger import Head, seal
from memtui.store import durability
from memtui.store.coding import decode_events
from memtui.store.durability import FolderSync, write_atomically
from memtui.store.faults import Fault, fault_of, store_error
from memtui.store.head_file import HeadFile
from memtui.store.locking import write_lock
from memtui.store.tables import EVENTS, Tables
from memtui.store.uris import Place, place_of
from tests.memory.strategies import bodies


@pytest.mark.parametrize(
    "uri",
    [
        "s3://bucket/a",
        "gs://bucket/a",
        "az://container/a",
        "abfss://x/y",
        "db://name",
        "memory://",
        "s3+ddb://b/a?t=x",
        "S3://B",
    ],
)
def test_places_only_the_database_can_reach(uri: str) -> None:
    place = place_of(uri)
    assert place == Place(uri, None) and not place.local
    assert place.managed is uri.startswith("db://")


@pytest.mark.parametrize(
    "uri", ["store", "./store", "/tmp/a store", "~/store", "C:/store", "c:\\store", "odd:name", "a:b//c"]
)
def test_folders_of_this_machine(uri: str) -> None:
    place = place_of(uri)
    assert place.local and place.folder is not None and place.folder.is_absolute() and place.uri == str(place.folder)
    assert "~" not in place.uri


def test_a_file_url_and_a_path_are_the_same_place(tmp_path: Path) -> None:
    folder = tmp_path / "with space é"
    assert place_of(folder.as_uri()) == place_of(folder) == place_of(str(folder))


@pytest.mark.parametrize("uri", ["", "   ", "a\0b"])
def test_no_place_at_all(uri: str) -> None:
    with pytest.raises(InputError):
        place_of(uri)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (RuntimeError("lance error: LanceError(IO): No space left on device (os error 28), /r/w.rs:258:9"), Fault.FULL),
        (RuntimeError("Unable to copy data to file: No space left on device (os error 28)"), Fault.FULL),
        (OSError(errno.ENOSPC, "x"), Fault.FULL),
        (OSError(errno.EROFS, "x"), Fault.READ_ONLY),
        (PermissionError(errno.EACCES, "x"), Fault.READ_ONLY),
        (RuntimeError('Read-only file system (os error 30) at path "/x/.tmp"'), Fault.READ_ONLY),
        (RuntimeError("Retryable commit conflict for version 7: …"), Fault.CONFLICT),
        (ValueError("Table 'events' was not found"), Fault.MISSING_TABLE),
        (RuntimeError("Too many open files (os error 24)"), Fault.MACHINE),
        (RuntimeError("Input/output error (os error 5)"), Fault.MACHINE),
        (ValueError("api_key is required to connect to LanceDB cloud: db://x"), Fault.MACHINE),
        (RuntimeError("Generic S3 error: RetryError(…)"), Fault.MACHINE),
        (RuntimeError("This dataset cannot be read by this version of Lance. Please upgrade Lance"), Fault.NEWER),
        (RuntimeError("Invalid range 0..0 for object of size 0 bytes"), Fault.DAMAGED),
        (RuntimeError("Not found: /x/data/1.lance"), Fault.DAMAGED),
        (ValueError("Invalid input, file does not appear to be a Lance file"), Fault.DAMAGED),
    ],
)
def test_faults_are_told_apart_by_their_text(error: Exception, fault: Fault) -> None:
    assert fault_of(error) is fault


def test_every_fault_is_said_in_three_sentences_without_sources() -> None:
    texts = [
        "No space left on device",
        "Read-only file system",
        "Retryable commit conflict",
        "(os error 24)",
        "Please upgrade",
        "odd, /a/b.rs:1:2",
    ]
    kinds = [StoreFullError, StoreFullError, StoreBusyError, StoreError, StoreError, StoreError]
    for text, kind in zip(texts, kinds, strict=True):
        error = store_error(RuntimeError(text), "doing this")
        assert type(error) is kind and "doing this" in error.what and error.safe and error.todo and ".rs" not in error.what
    told = StoreBusyError("x")
    assert store_error(told, "doing this") is told


def test_new_files_and_their_folders_are_flushed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").write_text("x")
    flush = FolderSync(tmp_path)
    flushed: list[str] = []
    monkeypatch.setattr(durability, "sync_file", lambda path: flushed.append(str(path)))
    assert flush.sync() == 0
    (tmp_path / "t" / "data").mkdir(parents=True)
    (tmp_path / "t" / "_transactions").mkdir()
    (tmp_path / "t" / "data" / "new").write_text("x")
    (tmp_path / "t" / "_transactions" / "not needed").write_text("x")
    assert flush.sync() == 4
    assert sorted(flushed) == sorted(str(tmp_path / part) for part in ("", "t", "t/data", "t/data/new"))
    assert flush.sync() == 0
    flush.close()


def test_a_vanished_file_is_none_to_flush(tmp_path: Path) -> None:
    durability.sync_file(tmp_path / "gone")
    FolderSync(tmp_path / "gone").sync()


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "head.json"
    write_atomically(path, b"one", durable=True)
    write_atomically(path, b"two", durable=False)
    assert path.read_bytes() == b"two" and list(tmp_path.iterdir()) == [path]


def test_a_remote_store_has_no_head_and_no_lock() -> None:
    head = HeadFile(None, durable=True)
    head.write(Head(1, "a" * 64), [])
    assert head.read() is None and head.lost() == []
    with write_lock(None):
        pass


@given(st.lists(bodies, max_size=8))
def test_rows_are_decoded_to_the_events_they_were(drawn: list[object]) -> None:
    import pyarrow as pa

    from memtui.memory.events import to_data
    from memtui.memory.ledger import canonical
    from memtui.memory.moments import to_us
    from memtui.store.tables import events_schema

    events = seal(drawn, at=datetime(2026, 1, 1, tzinfo=UTC), block="b", head=Head())  # type: ignore[arg-type]
    columns = [
        [event.seq for event in events],
        [to_us(event.at) for event in events],
        [event.block for event in events],
        [event.body.type for event in events],
        [canonical(to_data(event.body)) for event in events],
        [event.prev for event in events],
        [event.hash for event in events],
    ]
    schema = events_schema()
    rows = pa.table([pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema)
    assert decode_events(rows) == events


def test_only_hashes_get_into_a_filter(tmp_path: Path) -> None:
    tables = Tables(place_of(tmp_path), 4)
    tables.create(EVENTS)
    tables.create("contents")
    assert tables.read_contents(["hash"], ["' OR 1=1 --", "f" * 63, "F" * 64]).num_rows == 0
