"""The working set as numpy columns: what the panel draws from and the laws compute on.

One row a memory, retired ones included (`active` tells). Rows are appended and updated in place; a row never moves, so
a row number stays valid for the life of the frame.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeVar

import numpy as np
import numpy.typing as npt

from memtui.memory.model import KINDS, Memory
from memtui.memory.moments import to_us

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_KIND_CODE: Final = {kind: code for code, kind in enumerate(KINDS)}
_START_ROWS: Final = 64
_INTS: Final = 6
_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Reader:
    """What is read off vectors beside the vectors themselves.

    Attributes:
        read: float32 (n, dims) -> float32 (n, slots + aspects).
        slots, aspects: how many columns of each.
    """

    read: Callable[[Vectors], Vectors]
    slots: int
    aspects: int = 0


class Frame:
    """Growable columns over memories.

    Attributes:
        ids: memory ids, by row.
        texts: the memories' texts, by row.

    Columns (each a view of length `len(frame)`): `importance` float64, `recalls` int64, `last_recall`, `created`, `valid`
    int64 microseconds UTC, `retired` the same (0 unless retired), `kind` int64 (position in `KINDS`), `pinned`, `active`
    and `skill` bool, `vectors` float32 (n, dims) of unit length (a zero row has no vector yet), and what a mind's reader
    reads off the vector: `slots` float32 (n, slot_count) posteriors and `aspects` float32 (n, aspect_count), together
    `readings`.
    """

    def __init__(self, dims: int, slot_count: int = 0, aspect_count: int = 0) -> None:
        self.dims = dims
        self.slot_count = slot_count
        self.aspect_count = aspect_count
        self.ids: list[str] = []
        self.texts: list[str] = []
        self.memories: list[Memory] = []
        self._row: dict[str, int] = {}
        self._dropped: dict[str, int] = {}
        self._floats = np.zeros((1, _START_ROWS), np.float64)
        self._ints = np.zeros((_INTS, _START_ROWS), np.int64)
        self._bools = np.zeros((3, _START_ROWS), np.bool_)
        self._vectors = np.zeros((_START_ROWS, dims), np.float32)
        self._readings = np.zeros((_START_ROWS, slot_count + aspect_count), np.float32)
        self.version = 0

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, memory_id: object) -> bool:
        return memory_id in self._row

    @property
    def importance(self) -> Floats:
        """0..1."""
        return self._floats[0, : len(self)]

    @property
    def recalls(self) -> Ints:
        """Recall counts."""
        return self._ints[0, : len(self)]

    @property
    def last_recall(self) -> Ints:
        """Microseconds UTC."""
        return self._ints[1, : len(self)]

    @property
    def created(self) -> Ints:
        """Microseconds UTC of the telling."""
        return self._ints[2, : len(self)]

    @property
    def valid(self) -> Ints:
        """Microseconds UTC since when it is true."""
        return self._ints[3, : len(self)]

    @property
    def kind(self) -> Ints:
        """Position in `KINDS`."""
        return self._ints[4, : len(self)]

    @property
    def retired(self) -> Ints:
        """Microseconds UTC of the retirement; 0 for a memory that is not retired."""
        return self._ints[5, : len(self)]

    @property
    def pinned(self) -> Bools:
        """Pinned by the user."""
        return self._bools[0, : len(self)]

    @property
    def active(self) -> Bools:
        """Takes part in recall."""
        return self._bools[1, : len(self)]

    @property
    def skill(self) -> Bools:
        """Is a skill: it fades by the strength law, whichever rules the others."""
        return self._bools[2, : len(self)]

    @property
    def vectors(self) -> Vectors:
        """(n, dims) unit vectors."""
        return self._vectors[: len(self)]

    @property
    def slots(self) -> Vectors:
        """(n, slot_count) slot posteriors."""
        return self._readings[: len(self), : self.slot_count]

    @property
    def aspects(self) -> Vectors:
        """(n, aspect_count) unit vectors in the space where a question lies near what answers it."""
        return self._readings[: len(self), self.slot_count :]

    @property
    def readings(self) -> Vectors:
        """(n, slot_count + aspect_count): slots and aspects side by side."""
        return self._readings[: len(self)]

    def row(self, memory_id: str) -> int:
        """The row of a memory.

        Raises:
            KeyError: no such memory.
        """
        return self._row[memory_id]

    def upsert(self, memory: Memory, text: str, vector: Vectors | None = None, readings: Vectors | None = None) -> int:
        """Write a memory's row, adding it if new; `vector`/`readings` None keep what is there. Returns the row."""
        row = self._row.get(memory.id)
        if row is None and memory.id in self._dropped:  # its creation counts again: the same row, the same handle
            row = self._row[memory.id] = self._dropped.pop(memory.id)
        if row is None:
            row = len(self.ids)
            self._reserve(row + 1)
            self._row[memory.id] = row
            self.ids.append(memory.id)
            self.texts.append(text)
            self.memories.append(memory)
        self.texts[row] = text
        self.memories[row] = memory
        self._floats[0, row] = memory.importance
        self._ints[:, row] = (
            memory.recalls,
            to_us(memory.last_recall),
            to_us(memory.created_at),
            to_us(memory.valid_from),
            _KIND_CODE[memory.kind],
            _retired_us(memory),
        )
        self._bools[:, row] = (memory.pinned, memory.active, memory.skill is not None)
        if vector is not None:
            self._vectors[row] = vector
        if readings is not None:
            self._readings[row] = readings
        self.version += 1
        return row

    def extend(self, memories: Sequence[Memory], texts: Sequence[str]) -> None:
        """Add many memories that are not there yet, in order, in one go.

        Their vectors and readings are zero; write them into `vectors` and `readings`.
        """
        first, end = len(self.ids), len(self.ids) + len(memories)
        self._reserve(end + end // 2)  # room that costs nothing until it is used, and spares the next append a copy
        self._row.update((memory.id, row) for row, memory in enumerate(memories, start=first))
        self.ids.extend(memory.id for memory in memories)
        self.texts.extend(texts)
        self.memories.extend(memories)
        floats, ints, bools = columns_of(memories)
        self._floats[:, first:end], self._ints[:, first:end], self._bools[:, first:end] = floats, ints, bools
        self.version += 1

    def drop(self, memory_id: str) -> None:
        """Take a memory out of the active set (its creation was undone); the row stays, inactive, in case it comes back."""
        row = self._row.get(memory_id)
        if row is not None:
            self._bools[1, row] = False
            self._dropped[memory_id] = self._row.pop(memory_id)
            self.version += 1

    def select(self, rows: Ints) -> Frame:
        """A small frame of its own with copies of these rows, in this order; their texts are left out."""
        small = Frame(self.dims, self.slot_count, self.aspect_count)
        for row in rows.tolist():
            small.upsert(self.memories[row], "", self.vectors[row], self.readings[row])
        return small

    def revived(self, rows: Ints) -> Frame:
        """The same memories as if these rows were active too; everything else is shared with this frame, so it is for
        reading, and good as long as this one does not change.
        """
        other = copy.copy(self)
        other._bools = self._bools.copy()
        other._bools[1, rows] = True
        return other

    def still(self, *, revised: Memory | None = None) -> Self:
        """This frame as it stands: a copy whose columns nobody writes to any more, with the same rows. Vectors are shared.

        Args:
            revised: a memory of this frame as it would be, in the place of what it is.

        Raises:
            KeyError: `revised` is not in this frame.
        """
        out, count = copy.copy(self), len(self)
        out.ids, out.texts, out.memories = self.ids[:count], self.texts[:count], self.memories[:count]
        out._row = dict(self._row)
        out._floats, out._ints = self._floats[:, :count].copy(), self._ints[:, :count].copy()
        out._bools = self._bools[:, :count].copy()
        if revised is not None:
            row = self.row(revised.id)
            floats, ints, bools = columns_of([revised])
            out.memories[row] = revised
            out._floats[:, row], out._ints[:, row], out._bools[:, row] = floats[:, 0], ints[:, 0], bools[:, 0]
        return out

    def dropped_rows(self) -> list[int]:
        """Rows of memories whose creation does not count: they stand for nothing."""
        return list(self._dropped.values())

    def active_rows(self) -> Ints:
        """Rows of active memories, ascending."""
        return np.flatnonzero(self.active)

    def _reserve(self, rows: int) -> None:
        have = self._vectors.shape[0]
        if rows <= have:
            return
        size = max(rows, have * 2)
        self._floats = _grown(self._floats, size, axis=1)
        self._ints = _grown(self._ints, size, axis=1)
        self._bools = _grown(self._bools, size, axis=1)
        self._vectors = _grown(self._vectors, size, axis=0)
        self._readings = _grown(self._readings, size, axis=0)


def columns_of(memories: Sequence[Memory]) -> tuple[Floats, Ints, Bools]:
    """The columns of memories as a frame keeps them, one column a memory.

    Returns:
        float64 (1, n) importance; int64 (6, n) recalls, last recall, created, valid, kind, retired; bool (3, n) pinned,
        active, skill.
    """
    floats = np.array([[memory.importance for memory in memories]], np.float64)
    ints = np.empty((_INTS, len(memories)), np.int64)
    ints[0] = [memory.recalls for memory in memories]
    ints[1] = [to_us(memory.last_recall) for memory in memories]
    ints[2] = [to_us(memory.created_at) for memory in memories]
    ints[3] = [to_us(memory.valid_from) for memory in memories]
    ints[4] = [_KIND_CODE[memory.kind] for memory in memories]
    ints[5] = [_retired_us(memory) for memory in memories]
    bools = np.empty((3, len(memories)), np.bool_)
    bools[0] = [memory.pinned for memory in memories]
    bools[1] = [memory.active for memory in memories]
    bools[2] = [memory.skill is not None for memory in memories]
    return floats, ints, bools


def _retired_us(memory: Memory) -> int:
    return 0 if memory.retired_at is None else to_us(memory.retired_at)


def _grown(array: npt.NDArray[_T], size: int, axis: int) -> npt.NDArray[_T]:
    shape = list(array.shape)
    shape[axis] = size
    out = np.zeros(shape, array.dtype)
    out[tuple(slice(0, n) for n in array.shape)] = array
    return out
