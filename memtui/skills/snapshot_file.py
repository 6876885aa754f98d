"""The form of the snapshot: one file with a JSON header, an inverted index, vectors and one JSON record a skill.

A reader maps it into memory and touches only what a query needs: the postings of its words and the records it shows.

Sections behind the header, each aligned to 64 bytes: `terms` (sorted stems between newlines), `starts` int32 (terms + 1),
`rows` int32 and `counts` uint16 (the postings), `lengths` float32 (stems a skill), `strength` float64 (at the last use),
`last_use` int64 (microseconds UTC), `pinned` uint8, `vectors` float16 (n, 512), `records` (JSON, one after another) and
`record_starts` int64 (n + 1).
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memtui.memory.frame import Floats, Ints, Vectors
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.ledger import Head, canonical
from memtui.memory.skill_search import Postings, WordIndex

SNAPSHOT_NAME: Final = "skills.snapshot"
STAMP_NAME: Final = "current.json"
VERSION: Final = 1
_MAGIC: Final = b"memtui skills 1\n"
_ALIGN: Final = 64
SETTINGS_VARIABLES: Final = ("MEMTUI_STORE", "MEMTUI_MEMORY__STRENGTH")
"""Environment variables (by their beginning) that choose another store or law than the settings file."""
Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One skill of a snapshot.

    Attributes:
        record: its fields that time alone does not change, JSON-ready.
        strength: at its last use.
        last_use_us: microseconds UTC.
    """

    record: Mapping[str, Any]
    strength: float
    last_use_us: int
    pinned: bool


@dataclass(frozen=True, slots=True)
class Header:
    """What a snapshot says of itself.

    Attributes:
        head: the end of the ledger it was made from.
        offset_s: seconds the simulated clock was ahead of real time.
        law: the numbers of the strength law.
        store: the head file of the ledger, or "" for a store elsewhere.
        settings: a digest of the settings that chose store and law.
        digest: SHA-256 of everything behind the header.
    """

    head: Head
    offset_s: float
    law: StrengthLaw
    store: str
    settings: str
    digest: str = ""


def encode(header: Header, rows: Sequence[Row], words: Mapping[str, Array], vectors: Vectors) -> bytes:
    """The bytes of a snapshot; `words` are the `word_sections` of its skills."""
    records = [canonical(row.record).encode() for row in rows]
    sections: dict[str, Array] = {
        **words,
        "strength": np.array([row.strength for row in rows], np.float64),
        "last_use": np.array([row.last_use_us for row in rows], np.int64),
        "pinned": np.array([row.pinned for row in rows], np.uint8),
        "vectors": vectors.astype(np.float16),
        "records": np.frombuffer(b"".join(records), np.uint8),
        "record_starts": np.cumsum([0, *map(len, records)]).astype(np.int64),
    }
    body = bytearray()
    places: dict[str, tuple[str, tuple[int, ...], int]] = {}
    for name, array in sections.items():
        body += b"\0" * (-len(body) % _ALIGN)
        places[name] = (array.dtype.str, array.shape, len(body))
        body += array.tobytes()
    numbers = ((field.name, getattr(header.law, field.name)) for field in fields(header.law))
    law = {name: value for name, value in numbers if isinstance(value, int | float)}
    said = {
        "version": VERSION,
        "head": [header.head.length, header.head.hash],
        "offset_s": header.offset_s,
        "law": law,
        "store": header.store,
        "settings": header.settings,
        "sections": places,
        "digest": hashlib.sha256(body).hexdigest(),
    }
    front = _MAGIC + json.dumps(said).encode() + b"\n"
    return front + b"\0" * (-len(front) % _ALIGN) + bytes(body)


def word_sections(index: WordIndex) -> dict[str, Array]:
    """The sections of an index."""
    terms = sorted(index.terms)
    postings = [index.terms[term] for term in terms]
    return {
        "terms": np.frombuffer(("\n" + "\n".join(terms) + "\n").encode("utf-8", "replace"), np.uint8),
        "starts": np.cumsum([0, *(len(found) for found, _ in postings)]).astype(np.int32),
        "rows": np.array([row for found, _ in postings for row in found], np.int32),
        "counts": np.array([min(count, 65_535) for _, counts in postings for count in counts], np.uint16),
        "lengths": index.lengths.astype(np.float32),
    }


class SnapshotFile:
    """A snapshot, mapped into memory. Its columns are those of the module's words; an index like `WordIndex`.

    Attributes:
        header: what it says of itself.
    """

    def __init__(self, path: Path) -> None:
        """Raises:
        OSError, ValueError: it is not there or can't be read.
        """
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("no snapshot of skills")
        end = data.find(b"\n", len(_MAGIC))
        said = json.loads(data[len(_MAGIC) : end])
        if said["version"] != VERSION:
            raise ValueError("another version")
        self._data = data
        self._start = end + 1 + (-(end + 1) % _ALIGN)
        self._places = said["sections"]
        self.header = Header(
            Head(int(said["head"][0]), str(said["head"][1])),
            float(said["offset_s"]),
            StrengthLaw(**said["law"]),
            str(said["store"]),
            str(said["settings"]),
            str(said["digest"]),
        )
        self._terms = self._bytes("terms")
        self._starts, self._rows, self._counts = self._column("starts"), self._column("rows"), self._column("counts")
        self._record_starts = self._column("record_starts")

    def __len__(self) -> int:
        return int(self._record_starts.size) - 1

    def whole(self) -> bool:
        """Whether what is behind the header is what was written."""
        return hashlib.sha256(memoryview(self._data)[self._start :]).hexdigest() == self.header.digest

    @property
    def lengths(self) -> Floats:
        """Stems of each skill: float64 (n,)."""
        return self._column("lengths").astype(np.float64)

    @property
    def strength(self) -> Floats:
        """At the last use: float64 (n,)."""
        return self._column("strength")

    @property
    def last_use(self) -> Ints:
        """Microseconds UTC: int64 (n,)."""
        return self._column("last_use")

    @property
    def pinned(self) -> npt.NDArray[np.bool_]:
        """Bool (n,)."""
        return self._column("pinned").astype(np.bool_)

    @property
    def vectors(self) -> Vectors:
        """float32 (n, dims)."""
        return self._column("vectors").astype(np.float32)

    def postings(self, word: str) -> Postings:
        """Rows (int64) and counts (float64) of a stem."""
        at = self._terms.find(b"\n" + word.encode("utf-8", "replace") + b"\n")
        if at < 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float64)
        term = self._terms.count(b"\n", 0, at)
        part = slice(int(self._starts[term]), int(self._starts[term + 1]))
        return self._rows[part].astype(np.int64), self._counts[part].astype(np.float64)

    def record(self, row: int) -> dict[str, Any]:
        """The record of a row."""
        record = json.loads(self._raw(row))
        if not isinstance(record, dict):
            raise ValueError("a record that is no object")
        return record

    def says_trusted(self, row: int) -> bool:
        """Whether somebody stands behind the skill of a row, unparsed: JSON escapes every quotation mark of a text."""
        return b'"trust":"trusted"' in self._raw(row)

    def _raw(self, row: int) -> bytes:
        place = self._start + self._places["records"][2]
        return self._data[place + int(self._record_starts[row]) : place + int(self._record_starts[row + 1])]

    def _column(self, name: str) -> Array:
        dtype, shape, at = self._places[name]
        count = int(np.prod(shape))
        return np.frombuffer(self._data, np.dtype(dtype), count, self._start + at).reshape(shape)

    def _bytes(self, name: str) -> bytes:
        _, shape, at = self._places[name]
        return self._data[self._start + at : self._start + at + shape[0]]


def settings_digest(settings_file: Path, environ: Mapping[str, str]) -> str:
    """A digest of what chooses store and law, cheap enough for a hook."""
    chosen = sorted(f"{name}={value}" for name, value in environ.items() if name.upper().startswith(SETTINGS_VARIABLES))
    try:
        raw = settings_file.read_bytes()
    except OSError:
        raw = b""
    return hashlib.sha256(raw + "\n".join(chosen).encode("utf-8", "replace")).hexdigest()[:16]


def write_file(path: Path, data: bytes) -> None:
    """Replace `path` in one step; two processes at once leave one of both whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_stamp(folder: Path, digest: str, head: Head) -> None:
    """Say that the snapshot with this digest shows the ledger up to `head` as well: no skill changed since."""
    write_file(folder / STAMP_NAME, canonical({"snapshot": digest, "head": [head.length, head.hash]}).encode() + b"\n")


def read_stamp(folder: Path, digest: str) -> Head | None:
    """The head up to which the snapshot with this digest is good, or None if nobody said so."""
    try:
        said = json.loads((folder / STAMP_NAME).read_bytes())
        return Head(int(said["head"][0]), str(said["head"][1])) if said["snapshot"] == digest else None
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
