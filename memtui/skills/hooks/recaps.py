"""What a session of another agent was about: written when it stops, shown when the next one starts.

A recap is extractive: the first and last request, the files that were changed, how it ended. No model is asked. It lies in a
small file a session, because a hook has no time to open the store.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtui.clock import wall_now
from memtui.memory.moments import to_iso
from memtui.memory.texts import clean, mask_secrets, one_line
from memtui.skills.hooks.asked import At, BadInput
from memtui.store.durability import write_atomically

_KEPT: Final = 50
_HEAD: Final = 256 << 10
_TAIL: Final = 1 << 20
"""Bytes of a transcript's beginning and end that are read: it may be hundreds of megabytes."""
_WORDS: Final = 160
_FILES: Final = 8
_CHANGING: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})


@dataclass(frozen=True, slots=True)
class Recap:
    """One session.

    Attributes:
        at: when it was last stopped (ISO, real time).
        asked: its first request.
        last: its last request; empty when it had one only.
        ended: the beginning of the last reply.
        files: what was changed, the latest last.
        prompts: how many requests were seen.
    """

    session: str
    folder: str
    at: str
    asked: str
    last: str
    ended: str
    files: tuple[str, ...]
    prompts: int


def stop(at: At) -> str:
    """Keep a recap of the session that stops; says nothing.

    Raises:
        BadInput: the agent named no transcript.
        OSError: it can't be read, or the recap can't be written.
    """
    asked = at.asked
    if not asked.transcript:
        raise BadInput("no transcript")
    recap = recap_of(Path(asked.transcript), asked.session or asked.transcript, asked.folder, to_iso(wall_now()))
    if recap is not None:
        keep_recap(at.folder / "recaps", recap)
    return ""


def recap_of(transcript: Path, session: str, folder: str, at: str) -> Recap | None:
    """The recap of a transcript (Claude Code's JSON lines); None when nobody asked anything.

    Raises:
        OSError: it can't be read.
    """
    prompts: list[str] = []
    files: dict[str, None] = {}
    ended = ""
    for line in _lines(transcript):
        message = line.get("message")
        if not isinstance(message, dict) or line.get("isMeta") or line.get("isSidechain"):
            continue
        if line.get("type") == "user":
            text = _said(message)
            if text and not text.startswith("<"):  # what the agent itself puts into the person's mouth stands in tags
                prompts.append(text)
        elif line.get("type") == "assistant":
            ended = _said(message) or ended
            for name in _changed(message):
                files.pop(name, None)
                files[name] = None
    if not prompts:
        return None
    own = [_relative(name, folder) for name in list(files)[-_FILES:]]
    last = prompts[-1] if len(prompts) > 1 else ""
    return Recap(session, folder, at, _short(prompts[0]), _short(last), _short(ended), tuple(own), len(prompts))


def keep_recap(store: Path, recap: Recap) -> None:
    """Write a recap in the place of the session's earlier one; only the newest fifty are kept.

    Raises:
        OSError: it can't be written.
    """
    store.mkdir(parents=True, exist_ok=True)
    data = {name: getattr(recap, name) for name in Recap.__slots__}
    path = store / f"{hashlib.sha256(recap.session.encode()).hexdigest()[:16]}.json"
    write_atomically(path, json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"), durable=False)
    for old in sorted(store.glob("*.json"), key=_when, reverse=True)[_KEPT:]:
        with contextlib.suppress(OSError):
            old.unlink()


def recaps(store: Path, folder: str, most: int = 3) -> list[Recap]:
    """The newest recaps of sessions in a folder, newest first. Files that can't be read are passed over."""
    found: list[Recap] = []
    for path in store.glob("*.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            data = json.loads(path.read_bytes())
            if str(data["folder"]) == folder:
                texts = {name: clean(str(data[name])) for name in ("session", "folder", "at", "asked", "last", "ended")}
                found.append(Recap(**texts, files=tuple(map(str, data["files"])), prompts=int(data["prompts"])))
    return sorted(found, key=lambda recap: recap.at, reverse=True)[:most]


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The lines of a transcript's beginning and end, in order; broken ones are passed over."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        if size <= _HEAD + _TAIL:
            raw = [file.read()]
        else:
            head = file.read(_HEAD)
            file.seek(size - _TAIL)
            raw = [head.rpartition(b"\n")[0], file.read().partition(b"\n")[2]]
    for part in raw:
        for line in part.splitlines():
            try:
                data = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                yield data


def _said(message: Mapping[str, Any]) -> str:
    """The text of a message; results of tools are none."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in parts if isinstance(text, str)).strip()


def _changed(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use" and part.get("name") in _CHANGING:
            given = part.get("input")
            name = given.get("file_path") or given.get("notebook_path") if isinstance(given, dict) else None
            if isinstance(name, str) and name:
                yield name[:1000]


def _relative(name: str, folder: str) -> str:
    with contextlib.suppress(ValueError):
        name = str(Path(name).relative_to(folder)) if folder else name
    return one_line(clean(name), 120)


def _short(text: str) -> str:
    return one_line(mask_secrets(clean(text[:4000]))[0], _WORDS)


def _when(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
