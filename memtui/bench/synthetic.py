"""A store with many made-up memories, for measuring speed. Nothing in it is anybody's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np

from memtui.memory.events import Body, Created, Slept
from memtui.memory.frame import Vectors
from memtui.memory.ids import make_id
from memtui.memory.model import Kind
from memtui.memory.texts import content_hash

if TYPE_CHECKING:
    from memtui.store.memory_store import MemoryStore

START: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When the oldest made-up memory was told."""
_BLOCK: Final = 250
"""Memories told in one operation: few enough that a moment in the middle is the middle."""
_WHO: Final = ("I", "we", "my sister", "my boss", "Ana", "the neighbour", "Tom", "the team", "my brother", "our landlord")
_DID: Final = ("visited", "painted", "repaired", "cooked", "missed", "bought", "sold", "cleaned", "planned", "found")
_WHAT: Final = ("a bicycle", "the kitchen", "a risotto", "the last train", "an old piano", "two tickets", "the balcony")
_WHERE: Final = ("in Porto", "at the lighthouse", "in the attic", "near the garden", "by the boiler", "on the ferry")
_WHEN: Final = ("today", "yesterday", "on Monday", "last week", "at noon", "in the rain", "before dinner", "with the kids")


def made_up_text(number: int) -> str:
    """A sentence; different numbers give different sentences."""
    rng = np.random.default_rng(number)
    words = [str(rng.choice(part)) for part in (_WHO, _DID, _WHAT, _WHERE, _WHEN)]
    return f"{' '.join(words)}, no. {number}"


def fill(store: MemoryStore, count: int, *, seed: int = 7) -> datetime:
    """Append `count` made-up memories told over 300 days and one sleep event; returns the moment behind the last."""
    rng = np.random.default_rng(seed)
    vectors: Vectors = rng.standard_normal((count, store.frame.dims), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    importance = rng.uniform(0.1, 1.0, count)
    recalls = rng.integers(0, 6, count)
    step = timedelta(days=300) / max(count, 1)
    now = START
    for first in range(0, count, _BLOCK):
        bodies: list[Body] = []
        texts: dict[str, str] = {}
        named: dict[str, Vectors] = {}
        for number in range(first, min(first + _BLOCK, count)):
            now = START + step * number
            text = made_up_text(number)
            digest = content_hash(text)
            texts[digest], named[digest] = text, vectors[number]
            bodies.append(
                Created(
                    memory=make_id(now, "made up", number),
                    kind=Kind.EPISODIC if number % 3 else Kind.SEMANTIC,
                    content=digest,
                    note=None,
                    importance=round(float(importance[number]), 3),
                    created_at=now,
                    valid_from=now,
                    last_recall=now,
                    recalls=int(recalls[number]),
                    sources=(f"made-up-{number}",),
                )
            )
        store.append(bodies, at=now, block=make_id(now, "made up block", first), texts=texts, vectors=named)
    store.append([Slept("made up", 0, 0, 0, count)], at=now, block=make_id(now, "made up sleep", count))
    return now
