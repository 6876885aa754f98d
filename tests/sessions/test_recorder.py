"""Recording: durable, masked, one writer, mended after a kill."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.chat.log import TurnLog
from memtui.errors import SessionFormatError, StoreBusyError, StoreFullError
from memtui.memory.texts import MASK
from memtui.sessions.format import read_session
from memtui.sessions.lines import AssistantTurn, CommandLine, MindCall, SessionHeader, UserTurn
from memtui.sessions.record import Recorder, slug

T0 = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def _told(text: str) -> dict[str, object]:
    keys = {"kind": "semantic", "importance": 0.5, "why": "", "support": text, "valid_from": "2026-01-01T00:00:00Z"}
    return {"text": text, **keys}


def test_a_chat_is_written_line_by_line(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "sessions", mind="offline mind", fsync=False)
    log: TurnLog = recorder
    assert not (tmp_path / "sessions").exists()
    log.user("t1", T0, "Where should I have dinner tonight?")
    assert recorder.path is not None
    assert recorder.path.name == "2026-04-25-where-should-i-have-dinner-tonight.jsonl"
    assert read_session(recorder.path).header == SessionHeader(
        "Where should I have dinner tonight?", "en", "offline mind", None
    )
    log.mind(T0, "extract", "t1", {"facts": []}, "")
    log.assistant(T0 + MINUTE, "Anywhere without shellfish.", "t1")
    log.assistant(T0 + MINUTE, "Anyw", "t1", interrupted=True)
    log.command(T0 + 2 * MINUTE, "/warp 3d")
    log.mind(T0 + 3 * MINUTE, "judge", ["a" * 64, "b" * 64], {"label": "additive", "reason": ""}, "offline")
    session = read_session(recorder.path)
    assert session.lines == (
        UserTurn("t1", T0, "Where should I have dinner tonight?"),
        MindCall(T0, "extract", "t1", {"facts": []}),
        AssistantTurn(T0 + MINUTE, "Anywhere without shellfish.", "t1"),
        AssistantTurn(T0 + MINUTE, "Anyw", "t1", interrupted=True),
        CommandLine(T0 + 2 * MINUTE, "/warp 3d"),
        MindCall(T0 + 3 * MINUTE, "judge", ("a" * 64, "b" * 64), {"label": "additive", "reason": ""}, "offline"),
    )
    assert recorder.session() == session
    recorder.close()
    recorder.close()


def test_raw_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    key = "sk-abcdefghijklmnopqrstuvwx"
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, f"my key {key} please keep it")
    recorder.assistant(T0, f"I will not keep {key}", "t1")
    recorder.mind(T0, "extract", "t1", {"facts": [_told(f"key {key}") | {f"k {key}": 1}]}, "m")
    recorder.command(T0, f"/remember {key}")
    recorder.rename(f"about {key}")
    recorder.close()
    for path in tmp_path.rglob("*"):
        assert "abcdefghijklmnop" not in path.name
        if path.is_file():
            assert key.encode() not in path.read_bytes()
    (file,) = tmp_path.glob("*.jsonl")
    assert MASK in read_session(file).user_turns[0].text


@given(
    st.lists(
        st.text(max_size=20) | st.sampled_from(["[red]", "\ud800", "a\x00b", "שלום", "漢字", "👩‍👩‍👧", "\u2028", ""]),
        min_size=1,
    )
)
def test_any_text_can_be_recorded_and_read_again(tmp_path_factory: pytest.TempPathFactory, said: list[str]) -> None:
    recorder = Recorder(tmp_path_factory.mktemp("any"), fsync=False)
    for number, text in enumerate(said):
        recorder.user(f"t{number}", T0, text)
        recorder.assistant(T0, text, f"t{number}")
        recorder.command(T0, f"/remember {text}")
    recorder.close()
    assert recorder.path is not None
    session = read_session(recorder.path)
    assert len(session.user_turns) == len(said)
    with_title = session.header.title
    assert with_title
    assert "\n" not in with_title


def test_a_pasted_megabyte(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, "слово " * 180_000)
    recorder.close()
    assert recorder.path is not None
    assert len(read_session(recorder.path).user_turns[0].text) > 1_000_000
    assert len(recorder.path.name.encode()) < 200


def test_time_never_decreases_and_retries_are_not_doubled(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, "one")
    recorder.user("t1", T0, "one")
    recorder.user("t2", T0 - MINUTE, "two")
    recorder.user("t2", T0 - MINUTE, "another text under the same id")
    assert recorder.path is not None
    session = read_session(recorder.path)
    assert [turn.text for turn in session.user_turns] == ["one", "two", "another text under the same id"]
    assert {turn.at for turn in session.user_turns} == {T0}
    recorder.close()


def test_two_recorders_never_share_a_file(tmp_path: Path) -> None:
    first, second = Recorder(tmp_path, fsync=False), Recorder(tmp_path, fsync=False)
    first.user("t1", T0, "Hello")
    second.user("t1", T0, "Hello")
    assert first.path is not None
    assert second.path is not None
    assert {first.path.name, second.path.name} == {"2026-04-25-hello.jsonl", "2026-04-25-hello-2.jsonl"}
    with pytest.raises(StoreBusyError, match="open in another memtui"):
        Recorder.resume(first.path)
    first.close()
    Recorder.resume(first.path).close()
    second.close()


def test_any_thread_may_close(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, "Hello")
    closing = threading.Thread(target=recorder.close)
    closing.start()
    closing.join()
    assert recorder.path is not None
    Recorder.resume(recorder.path, fsync=False).close()


def test_resuming_goes_on_in_the_same_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, mind="m", fsync=False)
    recorder.user("t1", T0, "Hello")
    recorder.close()
    assert recorder.path is not None
    again = Recorder.resume(recorder.path, fsync=False)
    assert again.notices == ()
    again.user("t1", T0, "Hello")  # a turn retried after a crash
    again.user("t2", T0 - MINUTE, "More")
    again.close()
    session = read_session(recorder.path)
    assert [(turn.id, turn.at) for turn in session.user_turns] == [("t1", T0), ("t2", T0)]


def test_a_torn_end_is_set_aside_on_resuming(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, "Hello")
    recorder.close()
    path = recorder.path
    assert path is not None
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"assistant","at":"2026-04')
    again = Recorder.resume(path, fsync=False)
    assert "broken off" in again.notices[0]
    again.assistant(T0, "Hi", "t1")
    again.close()
    assert path.read_bytes().startswith(whole)
    assert len(read_session(path).lines) == 2
    assert (tmp_path / f"{path.name}.torn").read_bytes() == b'{"type":"assistant","at":"2026-04\n'
    path.write_bytes(path.read_bytes().rstrip(b"\n"))  # whole, but its newline is missing
    last = Recorder.resume(path, fsync=False)
    last.user("t2", T0, "More")
    last.close()
    assert len(read_session(path).lines) == 3


def test_what_is_broken_elsewhere_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"no session\ntorn")
    with pytest.raises(SessionFormatError):
        Recorder.resume(path)
    assert path.read_bytes() == b"no session\ntorn"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_keeps_the_turn_in_memory_and_writes_it_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.user("t1", T0, "Hello")
    path = recorder.path
    assert path is not None
    before = path.read_bytes()
    write = os.write

    def half_then_full(descriptor: int, data: bytes) -> int:
        if len(data) > 20:
            return write(descriptor, bytes(data)[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", half_then_full)
    for attempt in range(2):
        with pytest.raises(StoreFullError) as caught:
            recorder.user(f"n{attempt}", T0, "Not on the disk yet")
        assert "No space left" in caught.value.what
        assert caught.value.safe
        assert caught.value.todo
        assert path.read_bytes() == before
    assert [line.type for line in recorder.unsaved] == ["user", "user"]
    assert len(recorder.session().user_turns) == 3
    assert not recorder.retry()
    monkeypatch.undo()
    recorder.assistant(T0, "Now there is room", "n1")
    assert [line.type for line in recorder.unsaved] == []
    assert [turn.id for turn in read_session(path).user_turns] == ["t1", "n0", "n1"]
    recorder.close()


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    recorder = Recorder(blocked / "sessions", fsync=False)
    with pytest.raises(StoreFullError, match="can't be written"):
        recorder.user("t1", T0, "Hello")
    with pytest.raises(StoreFullError):
        recorder.assistant(T0, "Hi", "t1")
    session = recorder.session()
    assert session.header.title == "Hello"
    assert len(session.lines) == 2
    blocked.unlink()
    recorder.user("t2", T0, "More")
    assert recorder.path is not None
    assert len(read_session(recorder.path).lines) == 3
    recorder.close()


def test_renaming_an_open_chat(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.rename("Named before anything was said")
    recorder.user("t1", T0, "Hello")
    assert recorder.path is not None
    assert read_session(recorder.path).header.title == "Named before anything was said"
    recorder.rename("A better [red]name\nfor it")
    recorder.user("t2", T0, "More")
    session = read_session(recorder.path)
    assert session.header.title == "A better [red]name for it"
    assert len(session.user_turns) == 2
    recorder.close()


def test_a_command_may_come_first(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, fsync=False)
    recorder.command(T0, "/remember я живу в Лиссабоне")
    recorder.close()
    assert recorder.path is not None
    assert recorder.path.name == "2026-04-25-remember-я-живу-в-лиссабоне.jsonl"
    assert read_session(recorder.path).header.language == "ru"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hello, World!", "hello-world"),
        ("../../etc/passwd", "etc-passwd"),
        ("", "chat"),
        ("!!! ???", "chat"),
        ("a" * 300, "a" * 40),
        ("CON", "con"),
        ("漢字 \x00 ok", "漢字-ok"),
    ],
)
def test_file_names(text: str, name: str) -> None:
    assert slug(text) == name


def test_kill_minus_nine_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    program = (
        "import sys, itertools\n"
        "from datetime import UTC, datetime\n"
        "from pathlib import Path\n"
        "from memtui.sessions.record import Recorder\n"
        "recorder = Recorder(Path(sys.argv[1]))\n"
        "for number in itertools.count():\n"
        "    recorder.user(f't{number}', datetime(2026, 1, 1, tzinfo=UTC), 'x' * 5000)\n"
        "    print(number, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    acknowledged = -1
    for row in process.stdout:
        acknowledged = int(row)
        if acknowledged == 40:
            process.kill()
            break
    acknowledged = max([acknowledged, *(int(row) for row in process.stdout.read().split())])
    process.wait()
    process.stdout.close()
    (path,) = tmp_path.glob("*.jsonl")
    recorder = Recorder.resume(path)
    assert len(recorder.session().user_turns) >= acknowledged + 1
    recorder.close()
