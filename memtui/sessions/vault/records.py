"""A memory as a note and back: readable fields for people, its events for the machine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui.errors import LedgerError
from memtui.memory.events import Body, Event, from_data, to_data
from memtui.memory.ids import ID_PATTERN
from memtui.memory.ledger import canonical
from memtui.memory.model import Kind, Memory
from memtui.memory.moments import from_iso, to_iso
from memtui.memory.skill import parse_body
from memtui.memory.texts import content_hash, one_line
from memtui.sessions.vault.notes import BadNote, Note

FORMAT: Final = 1
"""Stands under `memtui` in the front matter; a reader refuses a later one."""
_NAME_WIDTH: Final = 60
_NOT_IN_NAMES: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*#^\[\]%\s]+')
_FOLDERS: Final = {Kind.PROCEDURAL: "skills"}


@dataclass(frozen=True, slots=True)
class Placed:
    """An event with its place in the ledger it comes from."""

    seq: int
    at: datetime
    block: str
    body: Body
    hash: str


@dataclass(frozen=True, slots=True)
class Record:
    """One memory of a vault.

    Attributes:
        id: the memory's id.
        content: hash of the text it had when it was exported.
        text: the body as it stands in the file now; None when the text was erased.
        edited: whether somebody changed the body since.
        texts: older texts and notes, by hash.
        events: what happened to it, in order.
    """

    id: str
    content: str
    text: str | None
    edited: bool
    texts: Mapping[str, str]
    events: tuple[Placed, ...]


def front_matter(memory: Memory, events: Iterable[Event], texts: Iterable[str]) -> dict[str, Any]:
    """The front matter of a memory's note.

    Args:
        events: all that touch it, in order.
        texts: older texts and notes that those name.
    """
    front: dict[str, Any] = {
        "memtui": FORMAT,
        "id": memory.id,
        "kind": memory.kind.value,
        "status": memory.status.value,
        "importance": memory.importance,
        "recalls": memory.recalls,
        "pinned": memory.pinned,
        "created_at": to_iso(memory.created_at),
        "valid_from": to_iso(memory.valid_from),
        "last_recalled_at": to_iso(memory.last_recall),
        "subject": memory.subject,
        "slot": memory.slot,
        "sources": list(memory.sources),
        "merged_from": list(memory.merged_from),
    }
    if memory.retired_at is not None:
        front["retired_at"] = to_iso(memory.retired_at)
        front["retired_reason"] = memory.retired_reason.value if memory.retired_reason else None
        front["retired_by"] = memory.retired_by
    if memory.skill is not None:
        front["skill"] = memory.skill.record()
    front["content"] = memory.content
    front["texts"] = list(texts)
    front["history"] = [event_line(event) for event in events]
    return front


def event_line(event: Event) -> str:
    """An event as one line of JSON, floats and all."""
    record = {"seq": event.seq, "at": to_iso(event.at), "block": event.block, "event": event.body.type}
    return canonical(record | {"data": to_data(event.body), "hash": event.hash})


def read_event(line: object) -> Placed:
    """The event of such a line.

    Raises:
        BadNote: it is none.
    """
    try:
        data = json.loads(str(line))
        body = from_data(str(data["event"]), data["data"])
        return Placed(int(data["seq"]), from_iso(str(data["at"])), str(data["block"]), body, str(data["hash"]))
    except (LedgerError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadNote("its history can't be read") from error


def is_record(note: Note) -> bool:
    """Whether a note was written by memtui."""
    return "memtui" in note.front and "history" in note.front


def read_record(note: Note) -> Record:
    """The record of a note that memtui wrote, whatever was done to its body since.

    Raises:
        BadNote: it can't be used.
    """
    front = note.front
    identity, content, history = str(front.get("id")), str(front.get("content")), front.get("history")
    if front.get("memtui") != FORMAT:
        raise BadNote("a later memtui wrote it")
    if ID_PATTERN.fullmatch(identity) is None or not isinstance(history, list):
        raise BadNote("its id or history is missing")
    events = tuple(read_event(line) for line in history)
    texts = front.get("texts")
    by_hash = {content_hash(text): text for text in texts if isinstance(text, str)} if isinstance(texts, list) else {}
    text, edited = _text_of(note.body, content)
    if text is None and content in by_hash:
        text = by_hash[content]
    return Record(identity, content, text, edited, by_hash, events)


def file_name(memory: Memory, text: str) -> str:
    """Where a memory's note lies in a vault (a relative path, POSIX): a readable name, unique by the end of the id."""
    folder = _FOLDERS.get(memory.kind, memory.kind.value)
    if memory.skill is not None:
        words = memory.skill.slug
    else:
        words = parse_body(text).title if memory.kind is Kind.PROCEDURAL else text
    plain = _NOT_IN_NAMES.sub(" ", one_line(words, _NAME_WIDTH)).strip(" .…")
    while len(plain.encode()) > 150:
        plain = plain[:-1]
    return f"{folder}/{plain or 'memory'} {memory.id[-6:].lower()}.md"


def _text_of(body: str, content: str) -> tuple[str | None, bool]:
    """The text of a body, and whether it is another than `content` names; line ends and blank ends alone are no change."""
    plain = body.replace("\r\n", "\n")
    for text in (body, plain, plain.strip("\n"), plain.strip()):
        if content_hash(text) == content:
            return text, False
    if not plain.strip():
        return None, False
    return plain.strip("\n"), True
