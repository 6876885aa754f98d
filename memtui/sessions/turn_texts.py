"""What was said in user turns, by the turn's id: the ledger names turns, the session files hold their words."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

_USER_LINE: Final = re.compile(rb'^\{"type": ?"user"[^\n]*', re.MULTILINE)


class TurnTexts:
    """All user turns of a folder of session files. A file is read once, and again when it has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, tuple[tuple[int, int], dict[str, str]]] = {}

    def __call__(self, turns: Collection[str]) -> dict[str, str]:
        """The words of these turns; those that are in no file are left out. Reads files: call it in a thread."""
        wanted, out = set(turns), dict[str, str]()
        for file in session_files(self._folder):
            for turn, text in self._turns(file).items():
                if turn in wanted:
                    out.setdefault(turn, text)
        return out

    def _turns(self, file: Path) -> dict[str, str]:
        try:
            stat = file.stat()
            stamp, known = (stat.st_mtime_ns, stat.st_size), self._read.get(file)
            if known is None or known[0] != stamp:
                known = self._read[file] = (stamp, _all_turns(file.read_bytes()))
        except OSError:
            return {}
        return known[1]


def session_files(folder: Path) -> list[Path]:
    """The session files of a folder, those with the latest names first; none where it can't be read."""
    try:
        return sorted((file for file in folder.iterdir() if file.suffix == ".jsonl"), reverse=True)
    except OSError:
        return []


def turns_of(ids: tuple[str, ...], folder: Path) -> list[str]:
    """The texts of a few user turns by id, looked for in all session files of a folder; those nowhere are left out."""
    wanted = dict.fromkeys(ids, "")
    for file in session_files(folder):
        try:
            data = file.read_bytes()
        except OSError:
            continue
        for turn_id in [turn_id for turn_id, text in wanted.items() if not text]:
            wanted[turn_id] = _turn_in(data, turn_id)
        if all(wanted.values()):
            break
    return [text for text in wanted.values() if text]


def _turn_in(data: bytes, turn_id: str) -> str:
    """The text of the `user` line with this id, "" when there is none."""
    name = json.dumps(turn_id, ensure_ascii=False).encode("utf-8", "replace")
    at = data.find(name)
    while at >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        told = _turn(data[start : end if end >= 0 else len(data)])
        if told is not None and told[0] == turn_id:
            return told[1]
        at = data.find(name, at + 1)
    return ""


def _all_turns(data: bytes) -> dict[str, str]:
    out: dict[str, str] = {}
    for line in _USER_LINE.findall(data):
        told = _turn(line)
        if told is not None:
            out.setdefault(*told)
    return out


def _turn(line: bytes) -> tuple[str, str] | None:
    """Id and text of a `user` line; None for anything else (a torn line, too)."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("type") != "user":
        return None
    return str(record.get("id", "")), str(record.get("text", ""))
