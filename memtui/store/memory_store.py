"""The memory store: state, frame and ledger of one home, over LanceDB.

Everything that happens is one `append`. The ledger is the truth; `state` and `frame` are folds of it that live in memory
and are advanced by each append. Importing this module imports neither lancedb nor pyarrow; opening a store does.
"""

from __future__ import annotations

import asyncio
import gc
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from memtui.errors import StoreBusyError, StoreError
from memtui.memory.events import Body, Event
from memtui.memory.frame import Frame, Reader, Vectors
from memtui.memory.history import History
from memtui.memory.ledger import Head, Problem, head_of
from memtui.memory.state import State
from memtui.store.as_of import Past, Pasts
from memtui.store.checking import check, check_strictly
from memtui.store.coding import without_collector
from memtui.store.journal import Journal, Taken, said_plainly
from memtui.store.loading import frame_of
from memtui.store.uris import Place, place_of

if TYPE_CHECKING:
    from memtui.store.reembedding import Embed, Progress

_NO_TEXTS: Final[Mapping[str, str]] = {}
_NO_VECTORS: Final[Mapping[str, Vectors]] = {}
_FREEZE_FROM: Final = 20_000
"""Events from which their objects are taken out of the garbage collector's sight: looking at them all stops the screen."""


class MemoryStore:
    """The memories of one home.

    Attributes:
        state: the fold of the ledger.
        frame: the same as numpy columns; a row never moves.
        head: the end of the ledger that `state` and `frame` show.
        uri: where the store is.
        notices: sentences the person should read once: repairs, losses, a read-only folder.

    On this machine writers of several processes take turns by a lock. A store on object storage has no such lock: one
    writer at a time is up to whoever shares it; two at once are found out and refused, and `verify` names the place.
    """

    state: State
    frame: Frame
    head: Head

    def __init__(self, journal: Journal, *, reader: Reader | None) -> None:
        """Use `open` or `scratch`."""
        self._journal = journal
        self._reader = reader
        self._folding = threading.Lock()
        self._history = History()
        self._pasts = Pasts(journal, reader)
        self._by_content: dict[str, list[str]] = {}
        self._events: tuple[Event, ...] = ()
        self._folded = 0
        self._remove_scratch: Callable[[], object] | None = None
        self.uri = journal.place.uri
        self.notices = journal.notices
        self._closed = False
        self._load()

    @classmethod
    def open(
        cls,
        uri: str | Path,
        *,
        embedder_name: str,
        dims: int,
        reader: Reader | None = None,
        anchor: Path | None = None,
    ) -> MemoryStore:
        """Open the store at a LanceDB URI, making it if it is not there; a damaged one is mended, and `notices` say so.

        Args:
            embedder_name: who makes the vectors; vectors of others are never used.
            dims: how many numbers a vector has.
            reader: what is read off the vectors: slots and aspects.
            anchor: a folder outside the store where the head of its ledger is kept a second time.

        Raises:
            EmbedderMismatchError: all vectors there were made by another embedder.
            StoreError: and its kinds; the store can't be opened.
        """
        journal = Journal(place_of(uri), embedder=embedder_name, dims=dims, anchor=anchor)
        return cls(journal, reader=reader)

    @classmethod
    def scratch(cls, *, embedder_name: str, dims: int, reader: Reader | None = None) -> MemoryStore:
        """A fresh store in a temporary folder, removed by `close`. Nothing of it is synced to the disk."""
        folder = Path(tempfile.mkdtemp(prefix="memtui-"))
        try:
            journal = Journal(Place(str(folder), folder), embedder=embedder_name, dims=dims, scratch=True)
            store = cls(journal, reader=reader)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        store._remove_scratch = weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
        return store

    @staticmethod
    def reembed(uri: str | Path, *, embedder_name: str, dims: int, embed: Embed, progress: Progress | None = None) -> int:
        """Give every memory of the store at `uri` a vector by `embedder_name`; returns how many lacked one.

        The old vectors stay: opening with the former embedder goes on working. Can be stopped and started again.

        Args:
            embed: texts -> float32 (n, dims), unit length.
            progress: told a share (0..1) and what is being done.
        """
        from memtui.store.reembedding import reembed

        return reembed(place_of(uri), embedder_name, dims, embed, progress)

    def events(self) -> Sequence[Event]:
        """All events that `state` shows, in order."""
        if len(self._events) != self._folded:
            self._events = tuple(self._journal.events[: self._folded])
        return self._events

    @property
    def head_path(self) -> Path | None:
        """The file that names the end of the ledger; None for a store elsewhere."""
        return self._journal.head_file.path

    def text(self, content: str) -> str:
        """The text of a content hash; "" when it is unknown or erased."""
        return self._journal.contents.texts.get(content, "")

    def as_of(self, moment: datetime) -> Past:
        """Memory as it was at a moment (aware), events of that very moment included. Writes nothing.

        What it returns is good until the next append or refresh; ask again after one.
        """
        self._check_open()
        with self._folding:
            return self._pasts.at(moment, self._history, self.state, self.frame)

    def before(self, event: Event) -> Past:
        """Memory as it stood in front of the block an event belongs to; as `as_of`, but between two events of one moment."""
        self._check_open()
        with self._folding:
            first = self.state.blocks[event.block][0]
            return self._pasts.after(first.seq, event.at, self._history, self.state, self.frame)

    def append(
        self,
        bodies: Sequence[Body],
        *,
        at: datetime,
        block: str,
        texts: Mapping[str, str] = _NO_TEXTS,
        vectors: Mapping[str, Vectors] = _NO_VECTORS,
    ) -> list[Event]:
        """Append `bodies` as one block at moment `at`: all of it or nothing. Returns its events.

        A block that is in the ledger already is not written again: its events are returned. What other processes
        appended meanwhile is taken in first.

        Args:
            texts: texts by content hash, those the bodies name and that may be new.
            vectors: float32 (dims,) by content hash, for the texts that are memories.

        Raises:
            StoreBusyError: another process held the write lock for too long.
            StoreFullError: no space, or read-only.
            StoreError: anything else. State and frame are as before, and the same append may be tried again.
        """
        self._check_open()
        try:
            return self._journal.write(bodies, at=at, block=block, texts=texts, vectors=vectors)
        finally:
            self._fold_waiting()

    async def append_async(
        self,
        bodies: Sequence[Body],
        *,
        at: datetime,
        block: str,
        texts: Mapping[str, str] = _NO_TEXTS,
        vectors: Mapping[str, Vectors] = _NO_VECTORS,
    ) -> list[Event]:
        """`append` with its disk work in a thread; `state` and `frame` change only here, on the caller's loop.

        Cancelling the wait does not stop the write: it is folded as soon as it is done.
        """
        self._check_open()
        write = asyncio.to_thread(self._journal.write, bodies, at=at, block=block, texts=texts, vectors=vectors)
        writing = asyncio.ensure_future(write)
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            writing.add_done_callback(self._fold_written)
            raise
        finally:
            if writing.done():
                self._fold_waiting()

    async def add_vectors_async(self, vectors: Mapping[str, Vectors]) -> None:
        """Give texts that are there a vector by the present embedder: float32 (dims,) by content hash. No event.

        Raises:
            StoreError: it can't be written, or a vector is none.
        """
        self._check_open()
        await asyncio.to_thread(self._journal.add_vectors, vectors)
        for content in vectors:
            for memory_id in self._by_content.get(content, ()):
                memory = self.state.memories.get(memory_id)
                if memory is not None and memory.content == content:
                    self.frame.upsert(memory, self.text(content), vectors[content], self._readings(vectors[content]))

    def refresh(self) -> bool:
        """Take in what other processes appended; True if anything came."""
        self._check_open()
        try:
            return self._journal.take_foreign()
        finally:
            self._fold_waiting()

    async def refresh_async(self) -> bool:
        """`refresh` with its disk work in a thread; `state` and `frame` change only here, on the caller's loop."""
        self._check_open()
        try:
            return await asyncio.to_thread(self._journal.take_foreign)
        finally:
            self._fold_waiting()

    def search_words(self, text: str, limit: int = 50) -> dict[str, float]:
        """BM25 by id of the active memories that share words with `text`, best first; {} when it has none to search for."""
        self._check_open()
        return self._journal.search(text, limit, self._active_with)

    def compact_if_due(self) -> bool:
        """Compact the tables if they lie in too many pieces; True if it was done. For idle moments: takes up to seconds."""
        self._check_open()
        try:
            return self._journal.compact_if_due()
        except StoreBusyError:  # someone is writing, so this is no idle moment
            return False

    def verify(self, *, strict: bool = False) -> list[Problem]:
        """Everything that does not hold, read anew from the disk; [] when all is well.

        Args:
            strict: see `checking.check_strictly`.
        """
        self._check_open()
        with said_plainly("verifying the store"):
            journal = self._journal
            problems = check(journal.tables, journal.head_file, self.state, self.frame)
            return problems + (check_strictly(journal.tables, journal.anchor) if strict else [])

    def close(self) -> None:
        """Let go of the store; a scratch store is removed. May be called again."""
        self._closed = True
        self._journal.close()
        if self._remove_scratch is not None:
            self._remove_scratch()

    def _load(self) -> None:
        journal, contents = self._journal, self._journal.contents
        journal.open()
        contents.check_embedder(there=journal.tables.vector_column() is not None)
        with without_collector(), said_plainly("reading vectors"):
            self.state = State()
            for event in journal.events:
                self._history.take(event, self.state.apply(event), self.state)
            self.frame = frame_of(
                journal.events,
                self.state,
                contents,
                journal.tables.read_vectors(contents.embedder),
                reader=self._reader,
            )
            for memory in self.state.memories.values():
                self._by_content.setdefault(memory.content, []).append(memory.id)
        self.head = journal.head
        self._folded = len(journal.events)
        lacking = contents.embedded_by_others(memory.content for memory in self.state.active())
        if lacking:
            self.notices.append(
                f"{lacking} {'memory has' if lacking == 1 else 'memories have'} no vector by '{contents.embedder}' and "
                "can be found by words alone. Run `memtui reembed`."
            )
        if self.head.length >= _FREEZE_FROM:
            gc.freeze()

    def _fold_written(self, writing: asyncio.Future[list[Event]]) -> None:
        """Fold a write whose caller was cancelled; nobody is left to be told of its error."""
        if not writing.cancelled():
            writing.exception()
        self._fold_waiting()

    def _fold_waiting(self) -> None:
        """Fold what the journal has taken in and not handed over yet, in order."""
        with self._folding:
            while self._journal.waiting:
                self._fold(self._journal.waiting.popleft())

    def _fold(self, taken: Taken) -> None:
        for event in taken.events:
            touched = self.state.apply(event)
            self._history.take(event, touched, self.state)
            for memory_id in touched:
                self._show(memory_id, taken.vectors)
        self._folded += len(taken.events)
        self.head = head_of(taken.events, self.head)

    def _show(self, memory_id: str, vectors: Mapping[str, Vectors]) -> None:
        """Bring a memory's row up to date."""
        frame, memory = self.frame, self.state.memories.get(memory_id)
        if memory is None:
            frame.drop(memory_id)
            return
        owners = self._by_content.setdefault(memory.content, [])
        if memory_id not in owners:
            owners.append(memory_id)
        vector: Vectors | None = None
        if memory_id not in frame or frame.memories[frame.row(memory_id)].content != memory.content:
            vector = vectors.get(memory.content)
            vector = self._vector_of(memory.content) if vector is None else vector
        frame.upsert(memory, self.text(memory.content), vector, self._readings(vector))

    def _readings(self, vector: Vectors | None) -> Vectors | None:
        """What the mind's reader reads off a vector; None where there is nothing to read."""
        if vector is None or self._reader is None:
            return None
        width = self._reader.slots + self._reader.aspects
        found: Vectors = self._reader.read(vector[None, :])[0] if vector.any() else np.zeros(width, np.float32)
        return found

    def _vector_of(self, content: str) -> Vectors:
        """The vector of a text that did not come with one: an edit or its undo, or a text that was there before."""
        for memory_id in self._by_content.get(content, ()):
            if memory_id in self.frame and self.frame.memories[row := self.frame.row(memory_id)].content == content:
                return np.array(self.frame.vectors[row])
        found = self._journal.vectors({content})
        return found.get(content, np.zeros(self.frame.dims, np.float32))

    def _active_with(self, content: str) -> list[str]:
        """Ids of the active memories with this very text."""
        memories = self.state.memories
        return [
            memory_id
            for memory_id in self._by_content.get(content, ())
            if (memory := memories.get(memory_id)) is not None and memory.active and memory.content == content
        ]

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("The memory store is closed.", todo="Open it again.")
