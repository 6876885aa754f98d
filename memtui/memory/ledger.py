"""The hash chain: canonical form, sealing and verification.

Each event's hash covers the hash before it and every field of its own, in a canonical form (JSON with sorted keys, NFC,
no spaces). Whoever edits, drops, reorders or inserts an event breaks the chain from there on.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.memory.events import Body, Event, to_data
from memtui.memory.moments import to_iso

GENESIS = "0" * 64
"""The hash in front of the first event."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain ends: number of events and hash of the last."""

    length: int = 0
    hash: str = GENESIS
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not hold, and where."""

    where: str
    what: str


def canonical(value: object) -> str:
    """`value` as canonical JSON: sorted keys, NFC, no spaces, non-ASCII kept."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def event_hash(prev: str, seq: int, at: datetime, block: str, body: Body) -> str:
    """SHA-256 (hex) of an event standing behind `prev`."""
    document = canonical([prev, seq, to_iso(at), block, body.type, to_data(body)])
    return hashlib.sha256(document.encode()).hexdigest()


def seal(bodies: Sequence[Body], *, at: datetime, block: str, head: Head) -> list[Event]:
    """Chain `bodies` behind `head` as one block at moment `at`, or at the head's if that is later."""
    if head.at is not None and head.at > at:
        at = head.at
    events: list[Event] = []
    prev = head.hash
    for seq, body in enumerate(bodies, start=head.length):
        digest = event_hash(prev, seq, at, block, body)
        events.append(Event(seq=seq, at=at, block=block, body=body, prev=prev, hash=digest))
        prev = digest
    return events


def head_of(events: Sequence[Event], before: Head | None = None) -> Head:
    """The head behind `events`, or `before` (or an empty chain's) if there are none."""
    if not events:
        return before if before is not None else Head()
    last = events[-1]
    return Head(length=last.seq + 1, hash=last.hash, at=last.at)


def verify(events: Iterable[Event], *, head: Head | None = None) -> list[Problem]:
    """All breaks of the chain; `head`, kept elsewhere, also catches a cut end."""
    problems: list[Problem] = []
    prev, expected, last_at = GENESIS, 0, None
    for event in events:
        where = f"event {event.seq}"
        if event.seq != expected:
            problems.append(Problem(where, f"expected number {expected}: events are missing, repeated or out of order"))
        if event.prev != prev:
            problems.append(Problem(where, "does not follow the event in front of it"))
        if event.hash != event_hash(event.prev, event.seq, event.at, event.block, event.body):
            problems.append(Problem(where, f"its '{event.body.type}' content does not match its hash"))
        if last_at is not None and event.at < last_at:
            problems.append(Problem(where, "time runs backwards"))
        prev, expected, last_at = event.hash, event.seq + 1, event.at
    if head is not None and (head.length, head.hash) != (expected, prev):
        problems.append(Problem("head", f"the chain ends at event {expected}, the head kept beside it says {head.length}"))
    return problems
