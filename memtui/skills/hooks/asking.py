"""Asking a running memtui for skills: it has the embedder loaded, so that it finds them by meaning and across languages.

A process that serves memory listens on a Unix socket in a folder only the person can enter; a hook asks, waits a moment, and
goes on with the snapshot if nobody answers. Systems without such sockets (Windows) always do that.
"""

from __future__ import annotations

import contextlib
import json
import socket
from pathlib import Path
from typing import Any, Final

from memtui.errors import LedgerError
from memtui.skills.view import Found, from_record

FOLDER: Final = "live"
LONGEST_PATH: Final = 100
"""Bytes of a socket's path; systems take 104 or 108."""
MOST_BYTES: Final = 1 << 20
_CONNECT_S: Final = 0.05
_ANSWER_S: Final = 0.15
_TRIED: Final = 2
"""How many of the sockets, the newest first, are tried: those of killed processes stay behind."""


def ask(folder: Path, query: str, limit: int) -> list[Found] | None:
    """The skills that help with a query, from whoever serves this home; None when nobody answers in time.

    Args:
        folder: the home's folder for hooks.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    for path in _sockets(folder / FOLDER)[:_TRIED]:
        answer = _answer_of(path, json.dumps({"query": query, "limit": limit}).encode() + b"\n")
        if answer is not None:
            return answer
    return None


def _sockets(folder: Path) -> list[Path]:
    """Sockets that are there, the newest first."""
    found: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder.glob("*.sock"):
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def _answer_of(path: Path, question: bytes) -> list[Found] | None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.settimeout(_CONNECT_S)
            line.connect(str(path))
        except ConnectionRefusedError:  # its process was killed
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        except OSError:
            return None
        try:
            line.settimeout(_ANSWER_S)
            line.sendall(question)
            return _read(line)
        except (OSError, ValueError, KeyError, TypeError, LedgerError):
            return None


def _read(line: socket.socket) -> list[Found]:
    raw = b""
    while not raw.endswith(b"\n") and len(raw) < MOST_BYTES:
        part = line.recv(1 << 16)
        if not part:
            break
        raw += part
    return [_found(record) for record in json.loads(raw)["found"]]


def _found(record: dict[str, Any]) -> Found:
    score, words, meaning = (float(record[name]) for name in ("score", "words", "meaning"))
    return Found(from_record(record), score, words, meaning, bool(record["passed"]))
