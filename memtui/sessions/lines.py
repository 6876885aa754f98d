"""What stands in a session file: typed lines, and how each is written (FORMATS, "Session")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from memtui.memory.moments import to_iso

FORMAT: Final = "memtui-session"
VERSION: Final = 1
CALLS: Final[tuple[str, ...]] = ("extract", "score", "judge", "summarize", "grade")
"""The typed calls of a mind that a session may record."""

Json: TypeAlias = Any
"""A JSON value."""


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The first line.

    Attributes:
        language: "en", "ru" or another tag; None when not said.
        mind: label of the mind that replied, for people.
        note: where the session comes from, for people.
    """

    type: ClassVar[str] = "session"
    title: str
    language: str | None = None
    mind: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What the user said; `id` is unique in the file."""

    type: ClassVar[str] = "user"
    id: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """The reply that was given to the turn `reply_to` (None: the user turn in front of it).

    `interrupted` is written only when true: the stream broke off or was cancelled and `text` is what had come so far.
    """

    type: ClassVar[str] = "assistant"
    at: datetime
    text: str
    reply_to: str | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class MindCall:
    """A recorded typed result, so that a replay needs no model.

    Attributes:
        call: one of `CALLS`.
        for_: (key `for`) the turn's id, or the content hashes of the memories concerned, in order.
        response: the typed result as JSON.
    """

    type: ClassVar[str] = "mind"
    at: datetime
    call: str
    for_: str | tuple[str, ...]
    response: Json
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What the user did besides talking, as a slash command."""

    type: ClassVar[str] = "command"
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A recall question asked of the memory at that moment; it changes nothing.

    Attributes:
        answers: any of these in a recalled memory is a hit.
        evidence: ids of the turns that hold the answer (empty for category "nothing").
        stale: ids of turns that hold what is no longer true.
        category: fact, update, additive, once, project or nothing.
    """

    type: ClassVar[str] = "probe"
    id: str
    at: datetime
    question: str
    answers: tuple[str, ...]
    evidence: tuple[str, ...]
    category: str
    stale: tuple[str, ...] = ()


Line: TypeAlias = UserTurn | AssistantTurn | MindCall | CommandLine | Probe


@dataclass(frozen=True, slots=True)
class Session:
    """A whole session file.

    Attributes:
        path: where it was read from, or where it belongs.
        lines: everything behind the header, in order.
        notices: what was dropped on reading (a torn end), for people.
    """

    path: Path
    header: SessionHeader
    lines: tuple[Line, ...]
    notices: tuple[str, ...] = ()

    @property
    def user_turns(self) -> tuple[UserTurn, ...]:
        """The user turns, in order."""
        return tuple(line for line in self.lines if isinstance(line, UserTurn))

    @property
    def mind_calls(self) -> tuple[MindCall, ...]:
        """The recorded calls, in order."""
        return tuple(line for line in self.lines if isinstance(line, MindCall))


def to_json_line(line: SessionHeader | Line) -> str:
    """One line of a file, without its newline: exactly the format's keys, `type` first."""
    return _dumps(_record(line))


def _record(line: SessionHeader | Line) -> dict[str, Json]:
    record: dict[str, Json] = {"type": line.type}
    match line:
        case SessionHeader():
            record |= {"format": FORMAT, "version": VERSION, "title": line.title}
            record |= _said(language=line.language, mind=line.mind, note=line.note)
        case UserTurn():
            record |= {"id": line.id, "at": iso(line.at), "text": line.text}
        case AssistantTurn():
            record |= {"at": iso(line.at), "text": line.text, **_said(reply_to=line.reply_to)}
            record |= {"interrupted": True} if line.interrupted else {}
        case MindCall():
            for_ = line.for_ if isinstance(line.for_, str) else list(line.for_)
            record |= {"at": iso(line.at), "call": line.call, "for": for_, "response": line.response}
            record |= _said(model=line.model)
        case CommandLine():
            record |= {"at": iso(line.at), "text": line.text}
        case Probe():
            record |= {"id": line.id, "at": iso(line.at), "question": line.question}
            record |= {"answers": list(line.answers), "evidence": list(line.evidence)}
            record |= {"stale": list(line.stale)} if line.stale else {}
            record |= {"category": line.category}
    return record


def _said(**values: str | None) -> dict[str, str]:
    return {key: value for key, value in values.items() if value is not None}


def iso(moment: datetime) -> str:
    """A moment as the format writes it: UTC, with decimals only where there are any."""
    return to_iso(moment).replace(".000000Z", "Z")


def _dumps(record: Mapping[str, Json]) -> str:
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Other programs split lines at these too; inside JSON they stand only in strings, where the escape means the same.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
