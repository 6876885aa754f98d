"""The other end of `asking`: a process that has memory open answers hooks of the same home."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from memtui.errors import MemtuiError
from memtui.skills.hooks.asking import FOLDER, LONGEST_PATH
from memtui.skills.view import Found

_QUESTION: Final = 1 << 16
"""Bytes of a question."""
_PATIENCE_S: Final = 2.0

Recall = Callable[[str, int], Awaitable[Sequence[Found]]]


@asynccontextmanager
async def answering(folder: Path, recall: Recall) -> AsyncIterator[None]:
    """Answer hooks while the block runs; where that can't be done, hooks have the snapshot.

    Args:
        folder: the home's folder for hooks.
        recall: (query, limit) -> what is found, best first.
    """
    path = folder / FOLDER / f"{os.getpid()}.sock"
    server: asyncio.Server | None = None
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= LONGEST_PATH:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o700)  # nobody else may ask
            path.unlink(missing_ok=True)
            server = await asyncio.start_unix_server(_Answering(recall).one, path, limit=_QUESTION)
    try:
        yield
    finally:
        if server is not None:
            server.close()
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


class _Answering:
    """Answers one question a connection."""

    def __init__(self, recall: Recall) -> None:
        self.recall = recall

    async def one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a question, write the answer, hang up. Whatever is wrong with it, nothing is answered."""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, TimeoutError, MemtuiError):
            raw = await asyncio.wait_for(reader.readline(), _PATIENCE_S)
            asked = json.loads(raw)
            found = await asyncio.wait_for(self.recall(str(asked["query"]), min(20, int(asked["limit"]))), _PATIENCE_S)
            answer = {"found": [one.record() for one in found]}
            writer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            await asyncio.wait_for(writer.drain(), _PATIENCE_S)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
