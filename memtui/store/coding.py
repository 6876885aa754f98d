"""Rows of the `events` table to events, fast: by columns, with shared strings and moments.

It reads what `memory.events.from_data` reads (a test compares them over all types), several times faster.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memtui.errors import LedgerError
from memtui.memory.events import Body, Event, from_data, required_but_nullable
from memtui.memory.moments import from_iso, from_us

if TYPE_CHECKING:
    import pyarrow as pa

Reader = Callable[[Any], Any]
_BODIES: Final[dict[str, type[Any]]] = {cls.type: cls for cls in typing.get_args(Body)}
_KEPT_MOMENTS: Final = 4096
_PARSED_AT_ONCE: Final = 8192


@contextmanager
def without_collector() -> Iterator[None]:
    """Make many objects without the garbage collector looking at all of them over and over."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def decode_events(rows: pa.Table) -> list[Event]:
    """The events of rows of the `events` table, in the order of the rows.

    Raises:
        LedgerError: a row can't be read; its number is named.
    """
    seqs: list[int] = rows.column("seq").to_pylist()
    ats = moments(rows.column("at"))
    kinds = strings(rows.column("type"))
    bodies = _bodies(seqs, kinds, rows.column("data").to_pylist())
    hashes: list[str] = rows.column("hash").to_pylist()
    return list(map(Event, seqs, ats, strings(rows.column("block")), bodies, _prevs(rows, hashes), hashes))


def strings(column: pa.ChunkedArray) -> list[str]:
    """A text column as a list in which equal neighbours are one object."""
    if len(column) == 0:
        return []
    encoded = column.combine_chunks().dictionary_encode()
    values: list[str] = encoded.dictionary.to_pylist()
    return list(map(values.__getitem__, encoded.indices.to_numpy().tolist()))


def _prevs(rows: pa.Table, hashes: list[str]) -> list[str]:
    """The `prev` column; where it holds the hash in front, as it should, that very string is used again."""
    column = rows.column("prev")
    if len(hashes) < 2:
        return list(column.to_pylist())
    import pyarrow.compute as pc

    follows = pc.all(pc.equal(column.slice(1), rows.column("hash").slice(0, len(hashes) - 1))).as_py()
    return [column[0].as_py(), *hashes[:-1]] if follows else list(column.to_pylist())


def moments(column: pa.ChunkedArray) -> list[datetime]:
    """A column of moments as aware UTC datetimes; equal ones are one object."""
    import pyarrow as pa

    us = column.cast(pa.int64()).to_numpy()
    distinct, where = np.unique(us, return_inverse=True)
    values = list(map(from_us, distinct.tolist()))
    return list(map(values.__getitem__, where.tolist()))


def _bodies(seqs: Sequence[int], kinds: Sequence[str], datas: Sequence[str]) -> list[Body]:
    moment = _moment_reader()
    readers = {kind: _readers(kind, moment) for kind in set(kinds)}
    left_out = {kind: required_but_nullable(kind) for kind in readers if kind in _BODIES}
    bodies: list[Body] = []
    for start in range(0, len(datas), _PARSED_AT_ONCE):
        part = slice(start, start + _PARSED_AT_ONCE)
        for seq, kind, data, text in zip(seqs[part], kinds[part], _parsed(datas[part]), datas[part], strict=True):
            try:
                for name, reader in readers[kind]:
                    if name in data:
                        data[name] = reader(data[name])
                for name in left_out[kind]:
                    data.setdefault(name, None)
                bodies.append(_BODIES[kind](**data))
            except (KeyError, TypeError, ValueError, AttributeError):
                bodies.append(_one_body(seq, kind, text))  # slower, and says what is wrong
    return bodies


def _parsed(datas: Sequence[str]) -> list[Any]:
    """Many JSON texts in one go; None for each if one of them is no JSON, or two."""
    try:
        parsed = json.loads("[" + ",".join(datas) + "]")
    except ValueError:
        parsed = []
    return parsed if len(parsed) == len(datas) else [None] * len(datas)


def _one_body(seq: int, kind: str, data: str) -> Body:
    try:
        parsed = json.loads(data)
        if not isinstance(parsed, dict):
            raise ValueError("not an object")
        return from_data(kind, parsed)
    except LedgerError as error:
        raise LedgerError(f"Event {seq}: {error.what}", safe="Nothing was changed.", todo=error.todo) from error
    except ValueError as error:
        raise LedgerError(
            f"Event {seq} of the ledger can't be read: {error}.",
            safe="Nothing was changed.",
            todo="Restore the store's folder from a backup.",
        ) from error


def _readers(kind: str, moment: Reader) -> list[tuple[str, Reader]]:
    """The fields of a body type whose JSON value must be turned into something else, and how."""
    cls = _BODIES.get(kind)
    if cls is None:
        return []
    hints = typing.get_type_hints(cls)
    out: list[tuple[str, Reader]] = []
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        if isinstance(hint, types.UnionType):  # X | None
            hint = next(arg for arg in typing.get_args(hint) if arg is not type(None))
        if hint is datetime:
            out.append((field.name, moment))
        elif typing.get_origin(hint) is tuple:
            out.append((field.name, tuple))
        elif hint is float:
            out.append((field.name, float))
        elif isinstance(hint, type) and issubclass(hint, StrEnum):
            out.append((field.name, {member.value: member for member in hint}.__getitem__))
    return out


def _moment_reader() -> Reader:
    """Parses moments, and gives the same object for the same text (a memory's three are mostly one)."""
    seen: dict[str, datetime] = {}

    def read(text: str) -> datetime:
        moment = seen.get(text)
        if moment is None:
            if len(seen) >= _KEPT_MOMENTS:
                seen.clear()
            moment = seen[text] = from_iso(text)
        return moment

    return read
