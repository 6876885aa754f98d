"""What can happen to a memory. The ledger is a chain of these; everything else is a view of it.

A *body* says what happened. Sealed into the chain (`ledger.seal`) it becomes an `Event`. Bodies name texts by content
hash only, so a text can be erased while the chain stays verifiable.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Final, TypeAlias

from memtui.errors import LedgerError
from memtui.memory.model import Kind, Label, Outcome, RetireReason, Trust
from memtui.memory.moments import from_iso, to_iso


@dataclass(frozen=True, slots=True)
class Created:
    """A memory came to be (told by the user, by `/remember`, or made by a sleep pass).

    `last_recall` and `recalls` are given, not assumed: a consolidated memory inherits them from its newest source.
    """

    type: ClassVar[str] = "created"
    memory: str
    kind: Kind
    content: str
    note: str | None
    importance: float
    created_at: datetime
    valid_from: datetime
    last_recall: datetime
    recalls: int = 0
    pinned: bool = False
    sources: tuple[str, ...] = ()
    merged_from: tuple[str, ...] = ()
    subject: str = "user"
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """These memories passed the gate and were given to a prompt; backfill is never among them."""

    type: ClassVar[str] = "recalled"
    memories: tuple[str, ...]
    turn: str


@dataclass(frozen=True, slots=True)
class Reinforced:
    """The user told it again: a recall, and the turn becomes one more source."""

    type: ClassVar[str] = "reinforced"
    memory: str
    turn: str


@dataclass(frozen=True, slots=True)
class Absorbed:
    """A kept memory takes over the sources and recalls of duplicates; its last recall becomes the later of both."""

    type: ClassVar[str] = "absorbed"
    memory: str
    sources: tuple[str, ...]
    recalls: int
    last_recall: datetime


@dataclass(frozen=True, slots=True)
class Retired:
    """A memory left the active set; `note` is the hash of the reason's text."""

    type: ClassVar[str] = "retired"
    memory: str
    reason: RetireReason
    by: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """A retired memory is active again; it counts as recalled now, else the next sleep would prune it at once."""

    type: ClassVar[str] = "restored"
    memory: str


@dataclass(frozen=True, slots=True)
class Pinned:
    """The user pinned or unpinned a memory."""

    type: ClassVar[str] = "pinned"
    memory: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Edited:
    """The user edited a memory's text, kind or importance; None leaves a field as it is."""

    type: ClassVar[str] = "edited"
    memory: str
    content: str | None = None
    kind: Kind | None = None
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """A procedural memory is a skill: its structured fields. Said again when one of them is changed."""

    type: ClassVar[str] = "learned"
    memory: str
    slug: str
    outcome: Outcome
    trust: Trust
    origin: str


@dataclass(frozen=True, slots=True)
class Practised:
    """A skill was used and worked, or did not; `note` is the hash of what was said of it."""

    type: ClassVar[str] = "practised"
    memory: str
    worked: bool
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Trusted:
    """Somebody approved a skill, or took that back."""

    type: ClassVar[str] = "trusted"
    memory: str
    trust: Trust
    by: str


@dataclass(frozen=True, slots=True)
class Turned:
    """A user turn of a session was taken in, whether or not it left a memory."""

    type: ClassVar[str] = "turned"
    turn: str
    session: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on two texts, by content hash: a second pass over the same texts costs nothing."""

    type: ClassVar[str] = "judged"
    older: str
    newer: str
    label: Label
    confidence: float
    judge: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class SetAside:
    """The person is not sure which of two texts (by content hash) holds: both stay, and they are not asked about again
    until either is told again or edited.
    """

    type: ClassVar[str] = "set_aside"
    older: str
    newer: str


@dataclass(frozen=True, slots=True)
class Slept:
    """A sleep pass ended; the counts of what it did, and how many active memories it left.

    `left` are memories whose pairs the call budget did not reach: the next pass looks at them again.
    """

    type: ClassVar[str] = "slept"
    trigger: str
    merged: int
    retired: int
    pruned: int
    active: int
    calls: int = 0
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Warped:
    """The simulated clock moved against real time: `offset_s` is how many seconds it is ahead from now on."""

    type: ClassVar[str] = "warped"
    offset_s: float
    rate: float


@dataclass(frozen=True, slots=True)
class Undone:
    """A block of events no longer counts (undoing an undo brings it back)."""

    type: ClassVar[str] = "undone"
    block: str


Body: TypeAlias = (
    Created
    | Recalled
    | Reinforced
    | Absorbed
    | Retired
    | Restored
    | Pinned
    | Edited
    | Learned
    | Practised
    | Trusted
    | Turned
    | Judged
    | SetAside
    | Slept
    | Warped
    | Undone
)
_BODIES: dict[str, type[Any]] = {cls.type: cls for cls in typing.get_args(Body)}
JsonDict: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """A body in the chain.

    Attributes:
        seq: position, from 0, without gaps.
        at: simulated moment; never before the event in front of it.
        block: id shared by all events of one operation (turn, sleep pass, command): the unit of undo.
        prev: hash of the event in front of it.
        hash: SHA-256 over `prev` and the canonical form of the rest.
    """

    seq: int
    at: datetime
    block: str
    body: Body
    prev: str
    hash: str


def to_data(body: Body) -> JsonDict:
    """The body as JSON-ready data, without its type; fields at None are left out."""
    data: JsonDict = {}
    for field in dataclasses.fields(body):
        value = getattr(body, field.name)
        if value is None:
            continue
        if str(field.type).startswith("float"):
            value = float(value)  # 1 and 1.0 must have one form, for it is hashed before and after a reading
        if isinstance(value, datetime):
            value = to_iso(value)
        elif isinstance(value, StrEnum):
            value = value.value
        elif isinstance(value, tuple):
            value = list(value)
        data[field.name] = value
    return data


def from_data(type_name: str, data: JsonDict) -> Body:
    """The body of a type from its data.

    Raises:
        LedgerError: unknown type, missing or wrong field.
    """
    cls = _BODIES.get(type_name)
    if cls is None:
        raise LedgerError(f"The ledger holds an event of unknown type '{type_name}'.", todo="Update memtui.")
    readers = _readers(cls)
    left_out = dict.fromkeys(required_but_nullable(type_name))
    try:
        body: Body = cls(**left_out | {name: readers[name](value) for name, value in data.items()})
    except (KeyError, TypeError, ValueError) as error:
        raise LedgerError(f"An event of type '{type_name}' can't be read: {error}.", todo="Run memtui verify.") from error
    return body


@functools.cache
def required_but_nullable(type_name: str) -> tuple[str, ...]:
    """Fields of a body type that have no default but may be None, which `to_data` leaves out."""
    cls = _BODIES[type_name]
    hints = typing.get_type_hints(cls)
    return tuple(
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and type(None) in typing.get_args(hints[field.name])
    )


def memories_of(body: Body) -> tuple[str, ...]:
    """Ids of the memories a body changes."""
    if isinstance(body, Recalled):
        return body.memories
    if isinstance(body, _OF_ONE):
        return (body.memory,)
    return ()


_OF_ONE: Final = (
    Created,
    Reinforced,
    Absorbed,
    Retired,
    Restored,
    Pinned,
    Edited,
    Learned,
    Practised,
    Trusted,
)


_READERS: dict[type[Any], dict[str, typing.Callable[[Any], Any]]] = {}


def _readers(cls: type[Any]) -> dict[str, typing.Callable[[Any], Any]]:
    if cls not in _READERS:
        hints = typing.get_type_hints(cls)
        _READERS[cls] = {f.name: _reader(hints[f.name]) for f in dataclasses.fields(cls)}
    return _READERS[cls]


def _reader(hint: Any) -> typing.Callable[[Any], Any]:
    if isinstance(hint, types.UnionType):  # X | None
        hint = next(arg for arg in typing.get_args(hint) if arg is not type(None))
    if hint is datetime:
        return from_iso
    if typing.get_origin(hint) is tuple:
        return tuple
    if isinstance(hint, type) and issubclass(hint, StrEnum | float):
        return hint
    return lambda value: value
