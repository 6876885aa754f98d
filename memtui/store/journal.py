"""Everything of a store that touches the disk: opening, taking in what others wrote, and appending.

The journal never folds. It hands over what was written or taken in, in order, and the store folds it where its caller
lives; so an append can run in a thread while the screen goes on reading state and frame.
"""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.errors import LedgerError, StoreError
from memtui.memory.events import Body, Event, from_data, to_data
from memtui.memory.frame import Vectors
from memtui.memory.ledger import Head, canonical, head_of, seal
from memtui.store import compaction
from memtui.store.coding import decode_events, without_collector
from memtui.store.contents import Contents
from memtui.store.durability import FolderSync
from memtui.store.faults import Fault, fault_of, store_error
from memtui.store.full_text import FullText, Statistics
from memtui.store.head_file import Anchor, HeadFile, fits
from memtui.store.locking import WAIT_S, write_lock
from memtui.store.opening import make_folder, open_tables
from memtui.store.tables import CONTENTS, EVENTS, ContentRow, Tables, check_columns
from memtui.store.uris import Place

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS: Final = ("hash", "text", "embedder", "words")


@dataclass(frozen=True, slots=True)
class Taken:
    """Events that are in the ledger and wait to be folded, with the vectors that came with them, by content hash."""

    events: Sequence[Event]
    vectors: Mapping[str, Vectors] = field(default_factory=dict)


@contextmanager
def said_plainly(doing: str) -> Iterator[None]:
    """Turn whatever the database or the system raises while `doing` into a `StoreError`."""
    try:
        yield
    except Exception as error:  # LanceDB's errors have no common type; `faults` tells them apart
        translated = store_error(error, doing)
        if translated is error:
            raise
        raise translated from error


class Journal:
    """The ledger and its contents, as they are on disk.

    Attributes:
        events: all events of the ledger, those that wait to be folded included.
        waiting: what was taken in and not folded yet, oldest first.
        notices: what the person should know about the opening, in sentences.
    """

    def __init__(self, place: Place, *, embedder: str, dims: int, scratch: bool = False, anchor: Path | None = None) -> None:
        """Args:
        anchor: a folder outside the store where the head is kept a second time, or None.
        """
        self.place = place
        self.tables = Tables(place, dims)
        self.contents = Contents(embedder, dims)
        self.full_text = FullText(self.tables)
        self.events: list[Event] = []
        self.waiting: deque[Taken] = deque()
        self.notices: list[str] = []
        self.lock_wait_s = WAIT_S
        self.head_file = HeadFile(place.folder, durable=not scratch)
        self.anchor = Anchor(anchor, place.uri)
        self.mutex = threading.RLock()
        self._durable = place.local and not scratch
        self._lock_folder = None if scratch else place.folder
        self._sync: FolderSync | None = None
        self._seen_version = 0
        self._first_of_block: dict[str, int] = {}

    # -- opening

    def open(self) -> None:
        """Open (make, mend) the tables; read ledger and texts.

        Raises:
            StoreError: the store can't be opened; what is there was not changed.
        """
        with said_plainly("opening the store"):
            if self.place.folder is not None:
                make_folder(self.place.folder)
                if self._durable:
                    self._sync = FolderSync(self.place.folder)
            noticed = len(self.notices)
            head = self.head_file.read()  # before the tables: others may append meanwhile
            self.notices += open_tables(self.tables, self._load, lambda: write_lock(self._lock_folder, self.lock_wait_s))
            self._flush()
        self._check_chain()
        self._check_head(head)
        if (lost := self.anchor.lost(self.events)) is not None and len(self.notices) == noticed:
            self.notices.append(f"{lost} Run memtui verify --strict.")

    def _load(self) -> None:
        check_columns(self.tables, EVENTS)
        check_columns(self.tables, CONTENTS)
        self._seen_version = self.tables.version(EVENTS)
        rows = self.tables.read_events()
        with ThreadPoolExecutor(1) as pool, without_collector():
            reading = pool.submit(self._read_contents)  # after the events, so that it holds all they name
            self.events = decode_events(rows)
            blocks = [event.block for event in self.events]
            self._first_of_block = dict(zip(reversed(blocks), reversed(range(len(blocks))), strict=True))
            self.contents.take_in(reading.result())

    def _read_contents(self) -> pa.Table:
        rows = self.tables.read_contents(_TEXTS)
        self.full_text.count(rows)
        return rows

    def _check_chain(self) -> None:
        for before, event in zip(self.events, self.events[1:], strict=False):
            if event.seq != before.seq + 1 or event.prev != before.hash:
                self.notices.append(f"The ledger's chain is broken at event {event.seq}. Run memtui verify.")
                return

    def _check_head(self, head: Head | None) -> None:
        """Repair a head that is behind, report one that is ahead or of another chain, and say if nothing can be written."""
        folder = self.place.folder
        if folder is None:
            return
        if not os.access(folder, os.W_OK):
            self.notices.append("The memory store's folder is read-only: memories can be read, nothing can be kept.")
            return
        if head is None or fits(head, self.events):
            if self.head.length and (head is None or head.length < self.head.length):
                self._catch_up_head()
            return
        lost = head.length - len(self.events)
        if lost > 0:
            self.notices.append(
                f"The ledger ends {lost} {'event' if lost == 1 else 'events'} too early: what was kept last is lost. "
                "Run memtui verify."
            )
        else:
            self.notices.append("The ledger is not the one its head was written for. Run memtui verify.")

    def _catch_up_head(self) -> None:
        """A kill between an append and its head leaves the head behind; the events are there and count."""
        try:
            with said_plainly("writing the head of the ledger"), write_lock(self._lock_folder, self.lock_wait_s):
                self.take_foreign()
                self.head_file.write(self.head, self.events)
        except StoreError as error:  # reading goes on without it
            self.notices.append(str(error))

    # -- reading on

    @property
    def head(self) -> Head:
        """The end of the ledger."""
        return head_of(self.events[-1:])

    def block(self, block: str) -> list[Event]:
        """The events of a block, or none."""
        first = self._first_of_block.get(block)
        if first is None:
            return []
        out: list[Event] = []
        for event in self.events[first:]:
            if event.block != block:
                break
            out.append(event)
        return out

    def take_foreign(self) -> bool:
        """Take in what other processes appended; True if anything came.

        Raises:
            LedgerError: what is on disk does not go on from what was read.
        """
        with self.mutex, said_plainly("reading the ledger"):
            version = self.tables.version(EVENTS)
            if version == self._seen_version:
                return False
            count = self.tables.count(EVENTS)
            new = decode_events(self.tables.read_events(len(self.events))) if count != len(self.events) else []
            self._check_follows(new, count)
            if new:
                self._took(new, self._learn_contents(new))
            self._seen_version = version
            return bool(new)

    def _check_follows(self, new: Sequence[Event], count: int) -> None:
        at = self.head
        for event in new:
            if event.seq != at.length or event.prev != at.hash:
                break
            at = Head(event.seq + 1, event.hash, event.at)
        if not len(self.events) <= count <= at.length or at.length != len(self.events) + len(new):
            raise LedgerError(
                "The ledger on disk does not go on from what was read: it was rolled back, or two wrote at once.",
                safe="Nothing was written.",
                todo="Close memtui, run memtui verify, and open it again.",
            )

    def _learn_contents(self, events: Sequence[Event]) -> dict[str, Vectors]:
        """Read the texts and vectors that foreign events name and that are not known yet."""
        unknown = {digest for event in events for digest in _named(event.body) if not self.contents.has_vector(digest)}
        rows = self.tables.read_contents(_TEXTS, unknown)
        new = self.contents.take_in(rows)
        words = zip(rows.column("hash").to_pylist(), rows.column("words").to_pylist(), strict=True)
        self.full_text.learn(text for digest, text in words if digest in new)
        return self.vectors(unknown)

    def _learn_written(self, rows: Sequence[ContentRow]) -> None:
        self.contents.wrote(rows)
        self.full_text.learn(row.words for row in rows)

    def vectors(self, digests: Iterable[str]) -> dict[str, Vectors]:
        """The vectors of the present embedder of these contents, by hash."""
        portions = self.tables.read_vectors(self.contents.embedder, digests)
        return {digest: vector.copy() for found, vectors in portions for digest, vector in zip(found, vectors, strict=True)}

    # -- writing

    def write(
        self,
        bodies: Sequence[Body],
        *,
        at: datetime,
        block: str,
        texts: Mapping[str, str],
        vectors: Mapping[str, Vectors],
    ) -> list[Event]:
        """Seal `bodies` as one block behind whatever is in the ledger by now, and write it; returns its events.

        A block that is there already is not written again. When this raises, either nothing happened, or (a failure after
        the commit) the block is there and is taken in by the next call.

        Raises:
            StoreError: and its kinds; see `faults`.
        """
        with self.mutex, said_plainly("writing memories"), write_lock(self._lock_folder, self.lock_wait_s):
            self.take_foreign()
            there = self.block(block)
            if there or not bodies:
                return there
            vectors = {digest: self.contents.checked(vector) for digest, vector in vectors.items()}
            events = _sealed(bodies, at=at, block=block, head=self.head)
            rows = self.contents.new_rows(texts, vectors)
            if rows:
                self.tables.add_contents(rows)
                self._learn_written(rows)
                self._flush()
            version = self.tables.add_events(events)
            self._flush()
            self.head_file.write(head_of(events), self.events)
            self.anchor.write(head_of(events), self.events)
            self._took(events, vectors)
            if version == self._seen_version + 1:  # else others came between, and are taken in next time
                self._seen_version = version
        if rows:
            self._keep_index_up(len(rows))
        return events

    def add_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Append vectors of texts that are there, by content hash."""
        with self.mutex, said_plainly("writing vectors"), write_lock(self._lock_folder, self.lock_wait_s):
            rows = self.contents.new_rows({}, vectors)
            if rows:
                self.tables.add_contents(rows)
                self._learn_written(rows)
                self._flush()

    def _keep_index_up(self, written: int) -> None:
        """Bring the index up to date. What was kept is kept, so a failure here is a notice."""
        try:
            with self.mutex, said_plainly("indexing words"):
                if self.full_text.is_behind(written):
                    with write_lock(self._lock_folder, self.lock_wait_s):
                        self.full_text.rebuild()
                        self._flush()
        except StoreError as error:
            self.notices.append(str(error))

    def compact_if_due(self) -> bool:
        """Compact the tables if one of them needs it; True if it was done."""
        if self.place.managed:
            return False
        with self.mutex, said_plainly("compacting the store"):
            if not any(compaction.is_due(self.tables, name) for name in (CONTENTS, EVENTS)):
                return False
            with write_lock(self._lock_folder, self.lock_wait_s):
                compaction.compact(self.tables)
                self.full_text.compacted()
                self._flush()
            return True

    def search(
        self, text: str, limit: int, owners: Callable[[str], Sequence[str]], statistics: Statistics | None = None
    ) -> dict[str, float]:
        """`FullText.search`; an index that can't be read is made anew, for the texts are whole."""
        with said_plainly("searching words"):
            try:
                return self.full_text.search(text, limit, owners, statistics)
            except Exception as error:
                if not self.place.local or fault_of(error) is not Fault.DAMAGED:
                    raise
            with self.mutex, write_lock(self._lock_folder, self.lock_wait_s):
                self.full_text.rebuild()
                self._flush()
            return self.full_text.search(text, limit, owners, statistics)

    def statistics_of(self, digests: Collection[str]) -> Statistics:
        """What `FullText` would count if these contents were all there are."""
        with said_plainly("counting words"):
            return self.full_text.statistics_of(digests)

    def close(self) -> None:
        """Let go of the tables."""
        with self.mutex:
            if self._sync is not None:
                self._sync.close()
            self.tables.disconnect()

    def _took(self, events: Sequence[Event], vectors: Mapping[str, Vectors]) -> None:
        for i, event in enumerate(events, start=len(self.events)):
            self._first_of_block.setdefault(event.block, i)
        self.events.extend(events)
        self.waiting.append(Taken(events, vectors))

    def _flush(self) -> None:
        if self._sync is not None:
            self._sync.sync()


def _named(body: Body) -> Iterator[str]:
    """The content hashes a body names."""
    for name in ("content", "note"):
        digest = getattr(body, name, None)
        if digest is not None:
            yield digest


def _sealed(bodies: Sequence[Body], *, at: datetime, block: str, head: Head) -> list[Event]:
    """Seal bodies in the very form in which they will be read back."""
    try:
        plain = [from_data(body.type, json.loads(canonical(to_data(body)))) for body in bodies]
        return seal(plain, at=at, block=block, head=head)
    except (UnicodeEncodeError, ValueError, TypeError, OverflowError) as error:
        raise StoreError(f"An event can't be kept: {error}.", safe="Nothing was written.") from error
