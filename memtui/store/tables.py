"""The two append-only tables of a store and what is done to them: open, append, read.

`events` holds the ledger, `contents` the texts and vectors the events name by hash. A row is never changed. An append is
one `add` to each, contents first; the `add` to `events` is the moment an operation has happened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from memtui.errors import StoreError
from memtui.memory.events import Event, to_data
from memtui.memory.frame import Vectors
from memtui.memory.ledger import canonical
from memtui.memory.moments import to_us
from memtui.store.uris import Place

if TYPE_CHECKING:
    import pyarrow as pa

Embedded: TypeAlias = tuple[list[str], Vectors]
"""Content hashes and their vectors, float32 (n, dims)."""
EVENTS: Final = "events"
CONTENTS: Final = "contents"
_HASHES_A_FILTER: Final = 500
_REMOTE_LIMIT: Final = 100_000_000
"""A server answers ten rows unless told otherwise."""


@dataclass(frozen=True, slots=True)
class ContentRow:
    """One row of `contents`.

    Attributes:
        hash: SHA-256 of the text (hex).
        words: the text's stems, joined by spaces; "" for what the full-text index need not find.
        vector: float32 (dims,), or None for texts that are no memories (reasons, notes).
        embedder: who made the vector; "" without one.
    """

    hash: str
    text: str
    words: str
    vector: Vectors | None
    embedder: str


def events_schema() -> pa.Schema:
    """seq, at (µs UTC), block, type, data (canonical JSON of the body), prev, hash."""
    import pyarrow as pa

    texts = [pa.field(name, pa.string()) for name in ("block", "type", "data", "prev", "hash")]
    return pa.schema([pa.field("seq", pa.int64()), pa.field("at", pa.timestamp("us", tz="UTC")), *texts])


def contents_schema(dims: int) -> pa.Schema:
    """hash, text, words, vector (float32, `dims`, nullable), embedder."""
    import pyarrow as pa

    texts = [pa.field(name, pa.string()) for name in ("hash", "text", "words")]
    return pa.schema([*texts, pa.field("vector", pa.list_(pa.float32(), dims)), pa.field("embedder", pa.string())])


class Tables:
    """The open tables of one place. Every method may raise what LanceDB raises; `faults` says what it means."""

    def __init__(self, place: Place, dims: int) -> None:
        self.place = place
        self.dims = dims
        self._connection: Any = None
        self._tables: dict[str, Any] = {}

    def connect(self) -> None:
        """(Re)connect and let go of all open tables: handles that live long keep files and memory."""
        os.environ.setdefault("LANCEDB_LOG", "off")  # its warnings go straight to the terminal
        import lancedb

        self.disconnect()
        self._connection = lancedb.connect(self.place.uri, read_consistency_interval=timedelta(0))

    def disconnect(self) -> None:
        """Let go of connection and tables."""
        self._tables.clear()
        self._connection = None

    def open(self, name: str) -> Any:
        """The open table."""
        if self._connection is None:
            self.connect()
        if name not in self._tables:
            self._tables[name] = self._connection.open_table(name)
        return self._tables[name]

    def create(self, name: str) -> Any:
        """Make a table that is not there yet."""
        if self._connection is None:
            self.connect()
        schema = events_schema() if name == EVENTS else contents_schema(self.dims)
        self._tables[name] = self._connection.create_table(name, schema=schema)
        return self._tables[name]

    def add_events(self, events: Sequence[Event]) -> int:
        """Append events in one commit; returns the table's version behind it."""
        import pyarrow as pa

        columns = [
            [event.seq for event in events],
            [to_us(event.at) for event in events],
            [event.block for event in events],
            [event.body.type for event in events],
            [canonical(to_data(event.body)) for event in events],
            [event.prev for event in events],
            [event.hash for event in events],
        ]
        schema = events_schema()
        rows = pa.table([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema)
        return int(self.open(EVENTS).add(rows).version)

    def add_contents(self, rows: Sequence[ContentRow]) -> None:
        """Append contents in one commit."""
        import pyarrow as pa

        table = self.open(CONTENTS)
        name = self.vector_column()
        if name is None and any(row.vector is not None for row in rows):
            name = f"vector_{self.dims}"
            table.add_columns(pa.field(name, pa.list_(pa.float32(), self.dims)))
            del self._tables[CONTENTS]
            table = self.open(CONTENTS)
        columns: dict[str, Any] = {
            "hash": [row.hash for row in rows],
            "text": [row.text for row in rows],
            "words": [row.words for row in rows],
            "embedder": [row.embedder for row in rows],
        }
        schema = table.schema
        arrays = [
            _vectors([row.vector for row in rows], self.dims)
            if field.name == name
            else pa.array(columns[field.name], field.type)
            if field.name in columns
            else pa.nulls(len(rows), field.type)
            for field in schema
        ]
        table.add(pa.table(arrays, schema=schema))

    def vector_column(self) -> str | None:
        """The column of `contents` that holds vectors of `dims` numbers: `vector`, another one, or none yet."""
        import pyarrow as pa

        wanted = pa.list_(pa.float32(), self.dims)
        return next((field.name for field in self.open(CONTENTS).schema if field.type == wanted), None)

    def read_events(self, since: int = 0) -> pa.Table:
        """All columns of the events from number `since` on, in order."""
        import pyarrow.compute as pc

        names = events_schema().names
        where = f"seq >= {int(since)}" if since > 0 else None
        rows = self._read(EVENTS, names, where).combine_chunks()
        seq = rows.column("seq").to_numpy()
        if np.all(seq[1:] >= seq[:-1]):
            return rows
        return rows.take(pc.sort_indices(rows, sort_keys=[("seq", "ascending")]))

    def read_contents(self, columns: Sequence[str], hashes: Iterable[str] | None = None) -> pa.Table:
        """These columns of `contents`: all rows, or those of `hashes` (hex; anything else is left out)."""
        import pyarrow as pa

        if hashes is None:
            return self._read(CONTENTS, columns, None)
        wanted = [digest for digest in hashes if _is_hex(digest)]
        parts = [
            self._read(CONTENTS, columns, f"hash IN ({','.join(repr(digest) for digest in part)})")
            for part in (wanted[i : i + _HASHES_A_FILTER] for i in range(0, len(wanted), _HASHES_A_FILTER))
        ]
        if parts:
            return pa.concat_tables(parts)
        schema = self.open(CONTENTS).schema
        return pa.schema([schema.field(name) for name in columns]).empty_table()

    def read_vectors(self, embedder: str, hashes: Iterable[str] | None = None) -> Iterator[Embedded]:
        """The vectors of `dims` numbers by an embedder, of all contents or of `hashes`, in portions as they are read."""
        column = self.vector_column()
        if column is None:
            return
        names = ["hash", "embedder", column]
        if hashes is None:
            query = self._query(CONTENTS, names, None)
            batches: Iterable[pa.RecordBatch] = query.to_batches()
        else:
            batches = self.read_contents(names, hashes).to_batches()
        for batch in batches:
            vectors = batch.column(column)
            digests: list[str] = batch.column("hash").to_pylist()
            values = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, self.dims)  # of the rows that have one
            by = np.array(batch.column("embedder").to_pylist(), object) == embedder
            there = np.flatnonzero(vectors.is_valid().to_numpy(zero_copy_only=False)) if vectors.null_count else None
            if there is not None:
                digests, by = [digests[i] for i in there.tolist()], by[there]
            if by.all():
                yield digests, values
            else:
                yield [digest for digest, mine in zip(digests, by.tolist(), strict=True) if mine], values[by]

    def version(self, name: str) -> int:
        """The newest version of a table, whoever wrote it."""
        return int(self.open(name).version)

    def count(self, name: str) -> int:
        """How many rows a table has."""
        return int(self.open(name).count_rows())

    def fragments(self, name: str) -> int:
        """How many pieces a table's rows lie in; every append makes one."""
        return int(self.open(name).stats()["fragment_stats"]["num_fragments"])

    def _read(self, name: str, columns: Sequence[str], where: str | None) -> pa.Table:
        return self._query(name, columns, where).to_arrow()

    def _query(self, name: str, columns: Sequence[str], where: str | None) -> Any:
        query = self.open(name).search().select(list(columns))
        if where is not None:
            query = query.where(where)
        return query.limit(_REMOTE_LIMIT) if self.place.managed else query


def check_columns(tables: Tables, name: str) -> None:
    """See that a table has the columns it was made with.

    Raises:
        ValueError: it has none at all: its manifest was emptied, and LanceDB opens such a one.
        StoreError: it has others: whoever made it is another program or a later version.
    """
    there = set(tables.open(name).schema.names)
    needed = set(events_schema().names if name == EVENTS else contents_schema(tables.dims).names) - {"vector"}
    if not there:
        raise ValueError(f"the table '{name}' has lost its columns")
    if not needed <= there:
        raise StoreError(
            f"The table '{name}' is not one this memtui can read: it lacks {', '.join(sorted(needed - there))}.",
            safe="Nothing was changed.",
            todo="Update memtui, or choose another folder with --home.",
        )


def scan(tables: Tables, name: str) -> None:
    """Read every column of every row of a table; raises what LanceDB raises where something can't be read."""
    check_columns(tables, name)
    for batch in tables.open(name).search().to_batches():
        batch.validate()


def _vectors(vectors: Sequence[Vectors | None], dims: int) -> Any:
    import pyarrow as pa

    flat = np.zeros((len(vectors), dims), np.float32)
    for i, vector in enumerate(vectors):
        if vector is not None:
            flat[i] = vector
    missing = np.array([vector is None for vector in vectors], np.bool_)
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.reshape(-1)), dims, mask=pa.array(missing))


def _is_hex(text: str) -> bool:
    return len(text) == 64 and all(c in "0123456789abcdef" for c in text)
