"""Memory as it was at a moment: the cut through the history, and the frame over it, which recall, laws and panel read.

A frame of the past has the rows of the frame now, as far as they were born, so `m31` is `m31` at every moment. What was
worded otherwise then has its own words and the vector of those words; everything else is shared with the frame now, so a
look at the past copies no vectors until somebody asks for all of them. It is good until the next append.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints, Vectors
from memtui.memory.model import Memory


@dataclass(frozen=True, eq=False)
class Cut:
    """What a number of events left of each memory born by then.

    Attributes:
        events: how many events.
        ids, memories: by row; a memory that was not there (its creation was undone) stands as it was before.
        floats, ints, bools: the columns of a frame, one column a row (see `frame.columns_of`).
        exists: bool (n,) whether the memory was there.
        content: int64 (n,) code of its text.
        known: how many contents memories had said by then; their codes are those below.
        reworded: rows whose text now is another, or that are not there now.
    """

    events: int
    ids: list[str]
    memories: list[Memory]
    floats: Floats
    ints: Ints
    bools: Bools
    exists: Bools
    content: Ints
    known: int
    reworded: Ints

    def there(self) -> dict[str, Memory]:
        """The memories there were, by id: what `State.memories` was."""
        pairs = zip(self.ids, self.memories, self.exists.tolist(), strict=True)
        return {memory_id: memory for memory_id, memory, there in pairs if there}

    def holding(self, code: int) -> list[str]:
        """Ids of the memories that were active and said the content with this code, in order of creation."""
        codes, rows = self._active_by_content
        start, end = np.searchsorted(codes, [code, code + 1])
        return [self.ids[row] for row in rows[start:end].tolist()]

    @cached_property
    def _active_by_content(self) -> tuple[Ints, Ints]:
        rows = np.flatnonzero(self.bools[1])
        rows = rows[np.argsort(self.content[rows], kind="stable")]
        return self.content[rows], rows


class PastFrame(Frame):
    """A frame as of a moment. It can't be written to.

    Attributes:
        version: how many events it shows.
    """

    def __init__(
        self,
        cut: Cut,
        now: Frame,
        row_of: Callable[[str], int | None],
        *,
        texts: Mapping[str, str],
        vectors: Mapping[str, Vectors],
        readings: Mapping[str, Vectors],
    ) -> None:
        """Args:
        now: the frame whose rows those of `cut` are.
        row_of: the row of any memory that ever was, or None.
        texts: by content hash, of the rows that were worded otherwise.
        vectors, readings: the same, where there are any.
        """
        super().__init__(0)
        self.dims, self.slot_count, self.aspect_count = now.dims, now.slot_count, now.aspect_count
        count = len(cut.ids)
        self._cut = cut
        self._live = now
        self._row_of = row_of
        self._vectors_then, self._readings_then = vectors, readings
        self.ids = cut.ids
        self.memories = cut.memories
        self.texts = now.texts[:count]
        for row in cut.reworded.tolist():
            self.texts[row] = texts.get(cut.memories[row].content, "")
        self._floats, self._ints, self._bools = cut.floats, cut.ints, cut.bools
        for column in (self._floats, self._ints, self._bools):
            column.flags.writeable = False
        self.version = cut.events

    def __contains__(self, memory_id: object) -> bool:
        return isinstance(memory_id, str) and self._there(memory_id) is not None

    def row(self, memory_id: str) -> int:
        """The row of a memory that was there.

        Raises:
            KeyError: there was no such memory.
        """
        row = self._there(memory_id)
        if row is None:
            raise KeyError(memory_id)
        return row

    def _there(self, memory_id: str) -> int | None:
        row = self._row_of(memory_id)
        return row if row is not None and row < len(self.ids) and self._cut.exists[row] else None

    @cached_property
    def _all_vectors(self) -> Vectors:
        return self._as_then(self._live.vectors, self._vectors_then)

    @cached_property
    def _all_readings(self) -> Vectors:
        return self._as_then(self._live.readings, self._readings_then)

    def _as_then(self, now: Vectors, then: Mapping[str, Vectors]) -> Vectors:
        """The rows now, in which those that were worded otherwise are replaced."""
        out = now[: len(self.ids)]
        if self._cut.reworded.size:
            out = out.copy()
            for row in self._cut.reworded.tolist():
                out[row] = then.get(self._cut.memories[row].content, 0.0)
        return out

    @property
    def vectors(self) -> Vectors:
        """(n, dims) unit vectors of the texts as they were worded."""
        return self._all_vectors

    @property
    def slots(self) -> Vectors:
        """(n, slot_count) slot posteriors."""
        return self._all_readings[:, : self.slot_count]

    @property
    def aspects(self) -> Vectors:
        """(n, aspect_count) unit vectors."""
        return self._all_readings[:, self.slot_count :]

    @property
    def readings(self) -> Vectors:
        """(n, slot_count + aspect_count): slots and aspects side by side."""
        return self._all_readings

    def select(self, rows: Ints) -> Frame:
        """A small frame with copies of these rows; it does not ask for all vectors there are."""
        small = Frame(self.dims, self.slot_count, self.aspect_count)
        reworded = set(self._cut.reworded.tolist())
        width = self.slot_count + self.aspect_count
        for row in rows.tolist():
            vector, readings = self._live.vectors[row], self._live.readings[row]
            if row in reworded:
                content = self.memories[row].content
                vector = self._vectors_then.get(content, np.zeros(self.dims, np.float32))
                readings = self._readings_then.get(content, np.zeros(width, np.float32))
            small.upsert(self.memories[row], "", vector, readings)
        return small

    def dropped_rows(self) -> list[int]:
        """Rows of memories that were not there."""
        rows: list[int] = np.flatnonzero(~self._cut.exists).tolist()
        return rows

    def upsert(self, memory: Memory, text: str, vector: Vectors | None = None, readings: Vectors | None = None) -> NoReturn:
        """The past can't be written to."""
        raise TypeError("a frame of the past is read-only")

    def extend(self, memories: Sequence[Memory], texts: Sequence[str]) -> NoReturn:
        """The past can't be written to."""
        raise TypeError("a frame of the past is read-only")

    def drop(self, memory_id: str) -> NoReturn:
        """The past can't be written to."""
        raise TypeError("a frame of the past is read-only")
