"""Small frames and lives for the engine's tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from memtui.memory.events import Body, Created, Event
from memtui.memory.frame import Frame, Vectors
from memtui.memory.ids import make_id
from memtui.memory.ledger import Head, head_of, seal
from memtui.memory.model import Kind, Memory
from memtui.memory.state import State, evolve
from memtui.memory.texts import content_hash

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
DIMS = 4
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def unit(*values: float) -> Vectors:
    """A unit vector of `DIMS` numbers that begins with these."""
    vector = np.zeros(DIMS, np.float32)
    vector[: len(values)] = values
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


def created(
    name: str,
    text: str,
    at: datetime = START,
    *,
    kind: Kind = Kind.SEMANTIC,
    importance: float = 0.6,
    valid: datetime | None = None,
    last: datetime | None = None,
    recalls: int = 0,
    pinned: bool = False,
    sources: tuple[str, ...] | None = None,
    merged_from: tuple[str, ...] = (),
    slot: str | None = None,
) -> Created:
    """The birth of the memory called `name`."""
    return Created(
        memory=make_id(START, name),
        kind=kind,
        content=content_hash(text),
        note=None,
        importance=importance,
        created_at=at,
        valid_from=valid or at,
        last_recall=last or at,
        recalls=recalls,
        pinned=pinned,
        sources=(f"t-{name}",) if sources is None else sources,
        merged_from=merged_from,
        slot=slot,
    )


def born(name: str, text: str, at: datetime = START, **more: object) -> Memory:
    """The memory `created` makes."""
    body = created(name, text, at, **more)  # type: ignore[arg-type]
    memory = evolve(None, body, at)
    assert memory is not None
    return memory


def frame_of(rows: Iterable[tuple[Memory, str, Vectors]], *, slots: Sequence[Vectors] = ()) -> Frame:
    """A frame of memories with texts and vectors, in this order."""
    frame = Frame(DIMS, len(slots[0]) if slots else 0)
    for i, (memory, text, vector) in enumerate(rows):
        frame.upsert(memory, text, vector, slots[i] if slots else None)
    return frame


def chained(blocks: Iterable[tuple[str, datetime, Sequence[Body]]]) -> list[Event]:
    """Events of (block, moment, bodies), sealed into one chain."""
    events: list[Event] = []
    head = Head()
    for block, at, bodies in blocks:
        sealed = seal(bodies, at=at, block=block, head=head)
        head = head_of(sealed, head)
        events += sealed
    return events


def snapshot(frame: Frame) -> tuple[object, ...]:
    """All a frame holds, to see that reading changed nothing."""
    columns = (frame.importance, frame.recalls, frame.last_recall, frame.created, frame.valid, frame.kind)
    more = (frame.pinned, frame.active, frame.vectors, frame.slots)
    return (
        tuple(frame.ids),
        tuple(frame.texts),
        tuple(frame.memories),
        frame.version,
        tuple(column.tobytes() for column in (*columns, *more)),
    )


def after(state: State, frame: Frame, texts: dict[str, str], event: Event) -> None:
    """Fold one event into state and frame, as the store does."""
    for memory_id in state.apply(event):
        memory = state.memories.get(memory_id)
        if memory is None:
            frame.drop(memory_id)
        else:
            frame.upsert(memory, texts.get(memory.content, ""))
