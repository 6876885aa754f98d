"""The head of the ledger, kept beside the tables and once more outside the database: a cut end is found out.

`head.json` names length and last hash. It is written after every append, so it may be behind (a kill between the two);
it can only be ahead when events that were acknowledged are gone. Such a head is set aside, never overwritten.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from memtui.memory.events import Event
from memtui.memory.ledger import Head, Problem
from memtui.memory.moments import from_iso, to_iso
from memtui.store.durability import write_atomically

HEAD_NAME: Final = "head.json"
_LOST: Final = "head-lost-*.json"


class HeadFile:
    """The head file of a store's folder; of no folder (a remote store) it is always absent."""

    def __init__(self, folder: Path | None, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable

    @property
    def path(self) -> Path | None:
        """The file, or None for a remote store."""
        return None if self._folder is None else self._folder / HEAD_NAME

    def read(self) -> Head | None:
        """The head as written, or None when there is none or it can't be read."""
        if self._folder is None:
            return None
        return _read(self._folder / HEAD_NAME)

    def write(self, head: Head, known: Sequence[Event]) -> None:
        """Write `head`, atomically.

        Args:
            known: the events there were before. A head that is no end of theirs is set aside first: it proves a loss.
        """
        if self._folder is None:
            return
        path = self._folder / HEAD_NAME
        before = self.read()
        if before is not None and not fits(before, known):
            path.replace(self._folder / f"head-lost-{before.length}-{before.hash[:8]}.json")
        write_atomically(path, _record(head), durable=self._durable)

    def lost(self) -> list[Problem]:
        """One problem for every head that was set aside, longest ledger last."""
        if self._folder is None:
            return []
        heads = [head for path in self._folder.glob(_LOST) if (head := _read(path)) is not None]
        return [
            Problem("head", f"the ledger once held {head.length} events, the last of them are lost (…{head.hash[:8]})")
            for head in sorted(heads, key=lambda head: head.length)
        ]


class Anchor:
    """The longest head this home has seen of a store, in a file outside of it, named after the store's URI.

    Whoever empties or swaps the store's whole folder, its head file included, is found out by it. It is written without
    waiting for the disk: behind is no harm. It never goes back, so a loss stays visible.
    """

    def __init__(self, folder: Path | None, uri: str) -> None:
        """Args:
        folder: where anchors are kept; None keeps none.
        """
        self._path = None if folder is None else folder / f"{hashlib.sha256(uri.encode()).hexdigest()[:16]}.json"

    def read(self) -> Head | None:
        """The head as written, or None."""
        return None if self._path is None else _read(self._path)

    def write(self, head: Head, known: Sequence[Event]) -> None:
        """Take `head` down, unless the anchor proves that events are missing among `known`. A failure is passed over."""
        if self._path is None or self.lost(known) is not None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, _record(head), durable=False)

    def lost(self, events: Sequence[Event]) -> str | None:
        """What is wrong with `events` by this head, in a sentence, or None."""
        head = self.read()
        if head is None or fits(head, events):
            return None
        if head.length > len(events):
            return f"The ledger ends at event {len(events)}, the head kept outside the database says {head.length}."
        return f"Event {head.length - 1} is not the one the head kept outside the database was written for."


def fits(head: Head, events: Sequence[Event]) -> bool:
    """Whether `head` is an end this chain had: the whole of it or a beginning."""
    if head.length == 0:
        return True
    return head.length <= len(events) and events[head.length - 1].hash == head.hash


def _record(head: Head) -> bytes:
    record = {"length": head.length, "hash": head.hash, "at": None if head.at is None else to_iso(head.at)}
    return json.dumps(record).encode() + b"\n"


def _read(path: Path) -> Head | None:
    try:
        record = json.loads(path.read_bytes())
        at = record["at"]
        return Head(int(record["length"]), str(record["hash"]), None if at is None else from_iso(at))
    except (OSError, ValueError, KeyError, TypeError):
        return None
