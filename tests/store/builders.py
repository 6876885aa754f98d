"""Memories to append, and how to compare what two stores show."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from memtui.memory.events import Body, Created, Event, Turned
from memtui.memory.frame import Frame, Reader, Vectors
from memtui.memory.ids import make_id
from memtui.memory.model import Kind
from memtui.memory.texts import content_hash
from memtui.store.memory_store import MemoryStore

DIMS = 8
EMBEDDER = "test-embedder"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SLOTS = 3


def vector_of(text: str, dims: int = DIMS) -> Vectors:
    """A unit vector that only depends on the text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    vector = np.random.default_rng(seed).standard_normal(dims).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def slots_of(vectors: Vectors) -> Vectors:
    """Three numbers that only depend on a vector; not zero for a zero vector."""
    return np.asarray(vectors[:, :SLOTS] + 1, np.float32)


@dataclass
class Block:
    """The arguments of one append."""

    bodies: list[Body]
    at: datetime
    block: str
    texts: dict[str, str] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)
    memory: str = ""

    def into(self, store: MemoryStore) -> list[Event]:
        return store.append(self.bodies, at=self.at, block=self.block, texts=self.texts, vectors=self.vectors)


def moment(number: int) -> datetime:
    return START + timedelta(minutes=number)


def told(
    number: int, text: str, *, why: str = "", who: str = "", kind: Kind = Kind.SEMANTIC, at: datetime | None = None
) -> Block:
    """A turn that leaves one memory."""
    at = at or moment(number)
    turn, content = f"t{who}{number}", content_hash(text)
    memory = make_id(at, "memory", who, number)
    texts = {content: text}
    note = None
    if why:
        note = content_hash(why)
        texts[note] = why
    created = Created(
        memory=memory,
        kind=kind,
        content=content,
        note=note,
        importance=0.6,
        created_at=at,
        valid_from=at,
        last_recall=at,
        sources=(turn,),
    )
    block = make_id(at, "turn", who, number)
    return Block([Turned(turn, "s1"), created], at, block, texts, {content: vector_of(text)}, memory)


def done(number: int, *bodies: Body, texts: Sequence[str] = (), embedded: Sequence[str] = ()) -> Block:
    """Any other operation."""
    at = moment(number)
    named = {content_hash(text): text for text in (*texts, *embedded)}
    return Block(
        list(bodies), at, make_id(at, "operation", number), named, {content_hash(text): vector_of(text) for text in embedded}
    )


def opened(folder: Path | str, *, embedder: str = EMBEDDER, dims: int = DIMS, slots: bool = False) -> MemoryStore:
    return MemoryStore.open(folder, embedder_name=embedder, dims=dims, reader=Reader(slots_of, SLOTS) if slots else None)


def scratch(*, slots: bool = False) -> MemoryStore:
    return MemoryStore.scratch(embedder_name=EMBEDDER, dims=DIMS, reader=Reader(slots_of, SLOTS) if slots else None)


def shown(frame: Frame) -> list[tuple[object, ...]]:
    """Everything a frame shows, row by row; of a dropped row only that it is one."""
    rows: list[tuple[object, ...]] = []
    for row, memory_id in enumerate(frame.ids):
        if memory_id not in frame:
            rows.append((memory_id, "dropped", bool(frame.active[row])))
            continue
        rows.append(
            (
                memory_id,
                frame.texts[row],
                frame.memories[row],
                float(frame.importance[row]),
                int(frame.recalls[row]),
                int(frame.last_recall[row]),
                int(frame.created[row]),
                int(frame.valid[row]),
                int(frame.kind[row]),
                bool(frame.pinned[row]),
                bool(frame.active[row]),
                frame.vectors[row].tolist(),
                frame.slots[row].tolist(),
            )
        )
    return rows


def manifests(folder: Path, table: str) -> list[Path]:
    """A table's manifests, newest first."""
    return sorted((folder / f"{table}.lance" / "_versions").glob("*.manifest"))
