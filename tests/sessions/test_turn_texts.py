"""The words of turns by id, from the session files of a folder."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.sessions.lines import AssistantTurn, SessionHeader, UserTurn, to_json_line
from memtui.sessions.turn_texts import TurnTexts, turns_of

START = datetime(2026, 4, 1, 9, tzinfo=UTC)


def write(folder: Path, name: str, *turns: tuple[str, str]) -> Path:
    lines = [to_json_line(SessionHeader(name))]
    for number, (turn, text) in enumerate(turns):
        at = START + timedelta(minutes=number)
        lines += [to_json_line(UserTurn(turn, at, text)), to_json_line(AssistantTurn(at, f'about "{turn}"', turn))]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_turns_of_all_files_by_id(tmp_path: Path) -> None:
    write(tmp_path, "a", ("t1", "one"), ("t2", "line\nbreak “ё”"))
    write(tmp_path, "b", ("t3", "three"))
    texts = TurnTexts(tmp_path)
    assert texts(["t1", "t2", "t3", "t9"]) == {"t1": "one", "t2": "line\nbreak “ё”", "t3": "three"}
    assert texts([]) == {} and turns_of(("t3", "t9", "t1"), tmp_path) == ["three", "one"]


def test_what_is_written_meanwhile_is_found_and_a_torn_end_is_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, "a", ("t1", "one"))
    texts = TurnTexts(tmp_path)
    assert texts(["t1", "t2"]) == {"t1": "one"}
    whole = path.read_bytes()
    path.write_bytes(whole + to_json_line(UserTurn("t2", START, "two")).encode()[:30])
    assert texts(["t1", "t2"]) == {"t1": "one"}
    path.write_bytes(whole + to_json_line(UserTurn("t2", START, "two")).encode() + b"\n[1]\n\xff\n")
    assert texts(["t1", "t2"]) == {"t1": "one", "t2": "two"}


def test_no_folder_no_words(tmp_path: Path) -> None:
    assert TurnTexts(tmp_path / "nowhere")(["t1"]) == {} and turns_of(("t1",), tmp_path / "nowhere") == []
