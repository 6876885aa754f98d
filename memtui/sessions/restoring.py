"""Reading an export of memories back (see `export`) into an empty store.

The same events are sealed again: the hash of the last one must come out as the header says, so nothing can be lost or
changed on the way unseen. The lines that list memories for other programs are ignored.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from memtui.errors import InputError, LedgerError, SessionFormatError
from memtui.memory.events import Body, Created, Edited, Trusted, Turned, from_data
from memtui.memory.ids import make_id
from memtui.memory.model import Trust
from memtui.memory.moments import from_iso
from memtui.memory.skill import text_to_embed
from memtui.memory.texts import content_hash
from memtui.sessions.export import MEMORIES_FORMAT, VERSION, texts_of
from memtui.sessions.format import read_bytes
from memtui.sessions.lines import Json

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress
    from memtui.memory.frame import Vectors
    from memtui.minds.base import Embedder
    from memtui.store.memory_store import MemoryStore

_BATCH: Final = 256
"""Texts that are embedded at once."""


@dataclass
class Exported:
    """What an export holds.

    Attributes:
        blocks: runs of events that were written as one.
        texts: by content hash; an erased text is absent.
    """

    length: int
    head: str
    blocks: list[list[tuple[datetime, str, Body, str]]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """Number of events."""
        return sum(map(len, self.blocks))

    @property
    def turns(self) -> int:
        """Number of user turns that were taken in."""
        return sum(isinstance(event[2], Turned) for block in self.blocks for event in block)


def read_memories(path: Path) -> Exported:
    """The events and texts of an export.

    Raises:
        SessionFormatError: a line can't be used; file, line and key are named.
        InputError: the file can't be read, or its end is missing.
    """
    exported: Exported | None = None
    for number, raw in enumerate(io.BytesIO(read_bytes(path)), start=1):
        if not raw.strip():
            continue
        line = _Line(path, number, raw)
        kind = line.get("type", str)
        if exported is None:
            if kind != "header" or line.get("format", str) != MEMORIES_FORMAT:
                line.fail("format", f"is not '{MEMORIES_FORMAT}'")
            if line.get("version", int) != VERSION:
                line.fail("version", f"this memtui reads version {VERSION}")
            exported = Exported(line.get("events", int), line.get("head", str))
        elif kind == "text":
            text = line.get("text", str)
            if content_hash(text) != line.get("hash", str):
                line.fail("hash", "does not match the text")
            exported.texts[line.get("hash", str)] = text
        elif kind == "event":
            event = line.event()
            if exported.blocks and exported.blocks[-1][-1][1] == event[1]:
                exported.blocks[-1].append(event)
            else:
                exported.blocks.append([event])
    if exported is None:
        raise InputError(f"{path} is empty.")
    if exported.events != exported.length:
        raise InputError(f"{path} holds {exported.events} of {exported.length} events: its end is missing.")
    return exported


class _Line:
    """One JSON object of an export."""

    def __init__(self, path: Path, number: int, raw: bytes) -> None:
        self.path, self.number = path, number
        try:
            data = json.loads(raw.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise SessionFormatError(path, number, f"is no JSON: {error}") from error
        if not isinstance(data, dict):
            raise SessionFormatError(path, number, "is no object")
        self.data: dict[str, Json] = data

    def get(self, key: str, kind: type[Any]) -> Any:
        value = self.data.get(key)
        if type(value) is not kind:
            self.fail(key, "is missing" if key not in self.data else f"is no {kind.__name__}")
        return value

    def event(self) -> tuple[datetime, str, Body, str]:
        try:
            body = from_data(self.get("event", str), self.get("data", dict))
            return from_iso(self.get("at", str)), self.get("block", str), body, self.get("hash", str)
        except (LedgerError, ValueError) as error:
            self.fail("data", str(error))

    def fail(self, key: str, problem: str) -> NoReturn:
        raise SessionFormatError(self.path, self.number, problem, key=key)


async def import_memories(path: Path, store: MemoryStore, embedder: Embedder, progress: Progress | None = None) -> int:
    """Read an export into an empty store (or one that an earlier, broken-off import filled); returns the events added.

    Raises:
        InputError: the store holds other memories; or the file can't be used (see `read_memories`).
        LedgerError: the events don't hash to what the file says: it was changed.
    """
    exported = read_memories(path)
    if _holds(exported, store):
        return 0
    if not goes_on(exported, store):
        raise InputError(
            "This home has memories of its own; an export is read into an empty one.",
            safe="Nothing was changed.",
            todo="Name a new home with --home DIR.",
        )
    added = await append_exported(exported, store, embedder, progress)
    if store.head.hash != exported.head:
        raise LedgerError(
            f"{path}: its events don't hash to what its header says: the file was changed.",
            todo="Use another copy; this home now holds what the file says.",
        )
    return added


async def distrust_new(companion: Companion, before: Collection[str], origin: str) -> int:
    """Let skills that came from a file wait for the person's approval; returns how many do.

    Args:
        before: ids of the memories that were here before.
        origin: what kind of file it was.
    """
    store, now = companion.store, companion.clock.now()
    new = [(m.id, m.skill.trust) for m in store.state.memories.values() if m.skill is not None and m.id not in before]
    bodies = [Trusted(memory, Trust.UNTRUSTED, origin) for memory, trust in new if trust is Trust.TRUSTED]
    if bodies:
        await store.append_async(bodies, at=now, block=make_id(now, "distrust", store.head.length))
    return len(new)


def goes_on(exported: Exported, store: MemoryStore) -> bool:
    """Whether the ledger of a store is a beginning of an export's (an empty one is)."""
    there = store.events()
    if len(there) > exported.events:
        return False
    hashes = [event[3] for block in exported.blocks for event in block]
    return all(event.hash == expected for event, expected in zip(there, hashes, strict=False))


def _holds(exported: Exported, store: MemoryStore) -> bool:
    """Whether all of an export stands in a store's ledger already, and more behind it."""
    there = store.events()
    last = exported.blocks[-1][-1][3] if exported.blocks else ""
    return exported.head == last and len(there) > exported.events > 0 and there[exported.events - 1].hash == last


async def append_exported(
    exported: Exported, store: MemoryStore, embedder: Embedder, progress: Progress | None = None
) -> int:
    """Append what a store lacks of an export that `goes_on` from it, block by block; returns the events added."""
    skip = before = store.head.length
    vectors = await _embed(exported, skip, embedder, progress)
    for number, block in enumerate(exported.blocks):
        if skip:
            skip -= len(block)
            continue
        if progress is not None and number % 50 == 0:
            progress(0.5 + 0.5 * number / len(exported.blocks), f"{number} of {len(exported.blocks)} blocks written")
        named = {digest for event in block for digest in texts_of(event[2]) if digest in exported.texts}
        await store.append_async(
            [event[2] for event in block],
            at=block[0][0],
            block=block[0][1],
            texts={digest: exported.texts[digest] for digest in named},
            vectors={digest: vectors[digest] for digest in named if digest in vectors},
        )
    return exported.events - before


async def _embed(exported: Exported, skip: int, embedder: Embedder, progress: Progress | None) -> dict[str, Vectors]:
    """Vectors of all texts that memories behind the first `skip` events hold."""
    events = [event for block in exported.blocks for event in block][skip:]
    wanted = list(dict.fromkeys(digest for event in events for digest in _embedded(event[2])))
    wanted = [digest for digest in wanted if digest in exported.texts]
    vectors: dict[str, Vectors] = {}
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        if progress is not None:
            progress(0.5 * start / len(wanted), f"{start} of {len(wanted)} texts embedded")
        rows = await embedder.embed([text_to_embed(exported.texts[digest]) for digest in batch])
        vectors.update(zip(batch, rows, strict=True))
    return vectors


def _embedded(body: Body) -> Iterator[str]:
    if isinstance(body, Created | Edited) and body.content is not None:
        yield body.content
