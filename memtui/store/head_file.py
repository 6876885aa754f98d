"""The head of the ledger, kept beside the tables: who cuts events off the end is found out.

`head.json` names length and last hash. It is written after every append, so it may be behind (a kill between the two);
it can only be ahead when events that were acknowledged are gone. Such a head is set aside, never overwritten.
"""

from __future__ import annotations

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
        record = {"length": head.length, "hash": head.hash, "at": None if head.at is None else to_iso(head.at)}
        write_atomically(path, json.dumps(record).encode() + b"\n", durable=self._durable)

    def lost(self) -> list[Problem]:
        """One problem for every head that was set aside, longest ledger last."""
        if self._folder is None:
            return []
        heads = [head for path in self._folder.glob(_LOST) if (head := _read(path)) is not None]
        return [
            Problem("head", f"the ledger once held {head.length} events, the last of them are lost (…{head.hash[:8]})")
            for head in sorted(heads, key=lambda head: head.length)
        ]


def fits(head: Head, events: Sequence[Event]) -> bool:
    """Whether `head` is an end this chain had: the whole of it or a beginning."""
    if head.length == 0:
        return True
    return head.length <= len(events) and events[head.length - 1].hash == head.hash


def _read(path: Path) -> Head | None:
    try:
        record = json.loads(path.read_bytes())
        at = record["at"]
        return Head(int(record["length"]), str(record["hash"]), None if at is None else from_iso(at))
    except (OSError, ValueError, KeyError, TypeError):
        return None
