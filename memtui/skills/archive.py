"""The archive: one JSON line for every skill that went to it, in full, written and flushed before the ledger says so."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memtui.errors import StoreError
from memtui.memory.moments import to_iso
from memtui.skills.view import Skill

ARCHIVE_NAME: Final = "archive.jsonl"


def write_archive(folder: Path | None, skills: Sequence[Skill], at: datetime, why: str) -> str:
    """Append skills to the archive of `folder`; returns its path, or "" without a folder.

    Raises:
        StoreError: it can't be written; then nothing may be archived.
    """
    if folder is None or not skills:
        return ""
    path = folder / ARCHIVE_NAME
    stamp = {"archived_at": to_iso(at), "why": why}
    lines = [
        json.dumps(stamp | skill.record() | {"body": skill.text}, ensure_ascii=False, sort_keys=True) for skill in skills
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            if file.tell() and not _ends_a_line(path):
                file.write(b"\n")  # a line that a power cut left half stays a line of its own
            file.write(("\n".join(lines) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(
            f"The archive of skills {path} can't be written: {error.strerror or error}.",
            safe="Nothing was archived.",
            todo="Make room or give the folder back its permissions, and try again.",
        ) from error
    return str(path)


def read_archive(folder: Path) -> list[dict[str, Any]]:
    """The lines of the archive, oldest first; a half-written one is passed over."""
    path = folder / ARCHIVE_NAME
    lines: list[dict[str, Any]] = []
    for raw in path.read_bytes().splitlines() if path.exists() else ():
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
