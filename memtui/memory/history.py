"""The columnar history: what every event left of each memory, so that any moment of the past is a few numpy gathers.

A *version* is what one event made of one memory. Versions stand in the order of the events; as of a moment a memory is the
last version in front of it. An undo leaves versions too (of everything it changed), so nothing is folded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from memtui.memory.events import Event, Judged, SetAside, Undone
from memtui.memory.frame import columns_of
from memtui.memory.model import Label, Memory
from memtui.memory.moments import to_us
from memtui.memory.past import Cut
from memtui.memory.state import State, fold
from memtui.memory.verdicts import TextPair

_T = TypeVar("_T", bound=np.generic)


class _Growing(Generic[_T]):
    """An array that grows along its last axis, by doubling."""

    def __init__(self, rows: int, dtype: npt.DTypeLike) -> None:
        self._array: npt.NDArray[_T] = np.zeros((rows, 1024), dtype)
        self._used = 0

    def append(self, columns: npt.NDArray[_T]) -> None:
        """Put (rows, n) behind what is there."""
        end = self._used + columns.shape[-1]
        if end > self._array.shape[1]:
            grown: npt.NDArray[_T] = np.zeros((self._array.shape[0], max(end, 2 * self._array.shape[1])), self._array.dtype)
            grown[:, : self._used] = self._array[:, : self._used]
            self._array = grown
        self._array[:, self._used : end] = columns
        self._used = end

    @property
    def all(self) -> npt.NDArray[_T]:
        """(rows, used)."""
        return self._array[:, : self._used]


class History:
    """Fed with each event as it is folded; answers what memory was after any number of events.

    A memory's row is that of the store's frame: the order of first creation. Events are kept as they come and turned into
    columns when somebody asks. Not thread-safe: feed and ask under one lock.

    Attributes:
        ids: memory ids, by row.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._row: dict[str, int] = {}
        self._latest: list[Memory] = []
        self._events = 0
        self._codes: dict[str, int] = {}  # content hash -> code, in order of first appearance
        self._contents: list[str] = []
        self._said: dict[TextPair, list[Event]] = {}
        self._doubted: dict[TextPair, None] = {}
        self._undoes: list[Event] = []
        # not yet in columns
        self._moments: list[datetime] = []
        self._ends: list[int] = []
        self._rows: list[int] = []
        self._memories: list[Memory] = []
        self._there: list[bool] = []
        # by event
        self._at: _Growing[np.int64] = _Growing(2, np.int64)  # moment (never falling), versions up to and with it
        # by version
        self._of: _Growing[np.int64] = _Growing(2, np.int64)  # row, code of the content
        self._floats: _Growing[np.float64] | None = None
        self._ints: _Growing[np.int64] | None = None
        self._bools: _Growing[np.bool_] | None = None
        self._exists: _Growing[np.bool_] = _Growing(1, np.bool_)
        self._objects: _Growing[Any] = _Growing(1, np.object_)
        self._versions = 0
        # by row: the code of its content now, whether it is there now
        self._now: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._there_now: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    def __len__(self) -> int:
        """How many events were taken in."""
        return self._events

    def take(self, event: Event, touched: Iterable[str], state: State) -> None:
        """Take in an event that was just applied to `state`; `touched` is what `apply` returned."""
        memories, rows = state.memories, self._row
        for memory_id in touched:
            memory, row = memories.get(memory_id), rows.get(memory_id)
            if row is None:
                if memory is None:
                    continue
                row = rows[memory_id] = len(self.ids)
                self.ids.append(memory_id)
                self._latest.append(memory)
            elif memory is not None:
                self._latest[row] = memory
            self._rows.append(row)
            self._memories.append(self._latest[row])
            self._there.append(memory is not None)
            self._versions += 1
        self._events += 1
        self._moments.append(event.at)
        self._ends.append(self._versions)
        if isinstance(event.body, Judged | SetAside):
            pair = (event.body.older, event.body.newer)
            self._said.setdefault(pair, []).append(event)
            if isinstance(event.body, Judged) and event.body.label is Label.SUPERSEDES:
                self._doubted[pair] = None
        elif isinstance(event.body, Undone) and _counted(event, state):
            self._undoes.append(event)

    def row(self, memory_id: str) -> int | None:
        """The row of a memory that ever was, or None."""
        return self._row.get(memory_id)

    def events_at(self, moment: datetime) -> int:
        """How many events had happened at `moment`, those of that very moment included."""
        self._flush()
        return int(np.searchsorted(self._at.all[0], to_us(moment), side="right"))

    def cut(self, events: int) -> Cut:
        """What the first `events` events left."""
        self._flush()
        events = min(max(events, 0), self._events)
        count = int(self._at.all[1, events - 1]) if events else 0
        of, codes = self._of.all[0, :count], self._of.all[1]
        born = int(of.max()) + 1 if count else 0
        last = np.zeros(born, np.int64)
        last[of] = np.arange(count)  # of several versions of a row the last one stays
        assert self._floats is not None and self._ints is not None and self._bools is not None
        exists = self._exists.all[0, last]
        bools = self._bools.all[:, last]
        bools[1] &= exists
        content = codes[last]
        return Cut(
            events=events,
            ids=self.ids[:born],
            memories=self._objects.all[0, last].tolist(),
            floats=self._floats.all[:, last],
            ints=self._ints.all[:, last],
            bools=bools,
            exists=exists,
            content=content,
            known=int(codes[:count].max()) + 1 if count else 0,
            reworded=np.flatnonzero((content != self._now[:born]) | ~self._there_now[:born]),
        )

    def contents(self, known: int) -> list[str]:
        """The hashes of the first `known` contents (see `Cut.known`)."""
        return self._contents[:known]

    def code(self, content: str) -> int:
        """The code of a content, -1 if no memory ever said it."""
        return self._codes.get(content, -1)

    def undone(self, events: int) -> frozenset[str]:
        """Blocks that did not count after so many events, as `State.undone` says."""
        out: set[str] = set()
        for event in reversed(self._undoes):
            if event.seq < events and event.block not in out and isinstance(event.body, Undone):
                out.add(event.body.block)
        return frozenset(out)

    def doubts(self, cut: Cut, state: State) -> State:
        """As much of the state after `cut.events` events as open conflicts depend on: the few memories a verdict is about.

        Args:
            state: the state now, whose histories of memories are read.
        """
        pairs = [pair for pair in self._doubted if self._said[pair][0].seq < cut.events]
        codes = [self.code(content) for pair in pairs for content in pair]
        rows = np.flatnonzero(np.isin(cut.content, codes) & cut.bools[1]) if codes else np.zeros(0, np.int64)
        return self._part(cut, state, pairs, (cut.ids[row] for row in rows.tolist()))

    def between(self, cut: Cut, state: State, one: str, other: str) -> State:
        """As much of the state as says what was decided about two memories."""
        texts = [cut.memories[row].content for memory in (one, other) if (row := self._row.get(memory)) is not None]
        return self._part(cut, state, {(a, b) for a in texts for b in texts} & self._said.keys(), (one, other))

    def _part(self, cut: Cut, state: State, pairs: Iterable[TextPair], memories: Iterable[str]) -> State:
        """The state after `cut.events` events as far as it is about these memories and pairs of texts."""
        said = [self._undoes, *(self._said[pair] for pair in pairs), *(state.history.get(m, ()) for m in memories)]
        events = {event.seq: event for some in said for event in some if event.seq < cut.events}
        return fold(events[seq] for seq in sorted(events))

    def _flush(self) -> None:
        """Turn what was taken in since the last time into columns."""
        floats, ints, bools = columns_of(self._memories)
        if self._floats is None or self._ints is None or self._bools is None:
            self._floats, self._ints = _Growing(len(floats), np.float64), _Growing(len(ints), np.int64)
            self._bools = _Growing(len(bools), np.bool_)
        if self._memories:
            self._floats.append(floats)
            self._ints.append(ints)
            self._bools.append(bools)
            of, there = np.array([self._rows, self._coded(self._memories)], np.int64), np.array([self._there], np.bool_)
            self._of.append(of)
            self._exists.append(there)
            born = len(self.ids) - self._now.size
            self._now = np.concatenate((self._now, np.zeros(born, np.int64)))
            self._there_now = np.concatenate((self._there_now, np.zeros(born, np.bool_)))
            self._now[of[0]], self._there_now[of[0]] = of[1], there[0]
            objects = np.empty((1, len(self._memories)), np.object_)
            objects[0] = self._memories
            self._objects.append(objects)
        if self._moments:
            before = self._at.all[0, -1:]
            moments = np.maximum.accumulate(np.array([*before.tolist(), *map(to_us, self._moments)], np.int64))
            self._at.append(np.stack([moments[before.size :], np.array(self._ends, np.int64)]))
        self._moments, self._ends, self._rows, self._memories, self._there = [], [], [], [], []

    def _coded(self, memories: Sequence[Memory]) -> list[int]:
        codes: Mapping[str, int] = self._codes
        for memory in memories:
            if memory.content not in codes:
                self._codes[memory.content] = len(self._contents)
                self._contents.append(memory.content)
        return [codes[memory.content] for memory in memories]


def _counted(undo: Event, state: State) -> bool:
    """Whether the state took an undo in: one of a block that was not there yet it passes over."""
    said = state.blocks.get(undo.block)
    return bool(said) and said is not None and said[-1] is undo
