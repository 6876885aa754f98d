"""Writing memory and chats out: JSONL that gives the same memory again, Markdown for people.

An export of memories is one header, then the ledger's events in order, each in front of it the texts it names for the first
time, then one line a memory for other programs. `restoring` reads it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TextIO

from memtui.errors import StoreFullError
from memtui.memory.events import Body, Event, to_data
from memtui.memory.moments import to_iso
from memtui.memory.texts import content_hash
from memtui.sessions.lines import AssistantTurn, CommandLine, Json, MindCall, Probe, Session, UserTurn, iso, to_json_line

if TYPE_CHECKING:
    from memtui.memory.model import Memory
    from memtui.store.memory_store import MemoryStore

MEMORIES_FORMAT: Final = "memtui-memories"
VERSION: Final = 1
Format = Literal["jsonl", "markdown"]


def export_memories(store: MemoryStore, target: Path | TextIO, form: Format = "jsonl") -> int:
    """Write everything a store holds; returns the number of memories.

    Args:
        target: a file (replaced in one step when all is written) or an open text stream.
        form: "jsonl" holds everything and can be imported again; "markdown" is a list for people.

    Raises:
        StoreFullError: the file can't be written.
    """
    rows = _memory_lines(store) if form == "jsonl" else _memory_markdown(store)
    write_lines(rows, target)
    return len(store.state.memories)


def export_chat(session: Session, target: Path | TextIO, form: Format = "markdown") -> None:
    """Write a chat: as Markdown for people, or as a session file.

    Raises:
        StoreFullError: the file can't be written.
    """
    if form == "markdown":
        write_lines([chat_markdown(session)], target)
    else:
        write_lines((to_json_line(line) for line in (session.header, *session.lines)), target)


def write_lines(rows: Iterator[str] | Sequence[str], target: Path | TextIO) -> None:
    """Write lines to a stream, or to a file that is there whole or not at all."""
    if not isinstance(target, Path):
        for row in rows:
            target.write(row + "\n")
        return
    beside = target.with_name(f".{target.name}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(row + "\n" for row in rows)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreFullError(
            f"{target} can't be written: {error.strerror}.", safe="Nothing was changed.", todo="Choose another place."
        ) from error


# -- memories ----------------------------------------------------------------------------------------------------------


def _memory_lines(store: MemoryStore) -> Iterator[str]:
    events = store.events()
    head = store.head
    yield _dumps({"type": "header", "format": MEMORIES_FORMAT, "version": VERSION, "events": head.length, "head": head.hash})
    told: set[str] = set()
    for event in events:
        for digest in texts_of(event.body):
            if digest not in told:
                told.add(digest)
                text = store.text(digest)
                if text or digest == content_hash(""):
                    yield _dumps({"type": "text", "hash": digest, "text": text})
        yield _dumps(_event_record(event))
    for memory in store.state.memories.values():
        yield _dumps({"type": "memory", **_readable(memory, store)})


def _event_record(event: Event) -> dict[str, Json]:
    return {
        "type": "event",
        "at": to_iso(event.at),
        "block": event.block,
        "event": event.body.type,
        "data": to_data(event.body),
        "hash": event.hash,
    }


def _readable(memory: Memory, store: MemoryStore) -> dict[str, Json]:
    return {
        "id": memory.id,
        "kind": memory.kind.value,
        "status": memory.status.value,
        "content": store.text(memory.content),
        "importance": memory.importance,
        "recalls": memory.recalls,
        "created_at": to_iso(memory.created_at),
        "valid_from": to_iso(memory.valid_from),
        "last_recalled_at": to_iso(memory.last_recall),
        "pinned": memory.pinned,
        "sources": list(memory.sources),
        "subject": memory.subject,
        "slot": memory.slot,
        "retired_reason": memory.retired_reason.value if memory.retired_reason else None,
        "retired_by": memory.retired_by,
        "history": [{"at": to_iso(event.at), "event": event.body.type} for event in store.state.history[memory.id]],
    }


def _memory_markdown(store: MemoryStore) -> Iterator[str]:
    active, retired = store.state.active(), store.state.retired()
    yield f"# Memories\n\n{len(active)} active, {len(retired)} retired.\n"
    for title, memories in (("Active", active), ("Retired", retired)):
        if memories:
            yield f"## {title}\n"
        for memory in sorted(memories, key=lambda m: (m.valid_from, m.id)):
            pin = " (pinned)" if memory.pinned else ""
            why = f" · {memory.retired_reason.value}" if memory.retired_reason else ""
            text = " ".join(store.text(memory.content).split()) or "(erased)"
            yield f"- {_plain(text)}{pin}  \n  {memory.kind.value} · {_date(memory.created_at)}{why}"
        yield ""


def texts_of(body: Body) -> Iterator[str]:
    """The content hashes a body names."""
    for name in ("content", "note"):
        digest = getattr(body, name, None)
        if isinstance(digest, str):
            yield digest


def _dumps(record: dict[str, Json]) -> str:
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


# -- chats -------------------------------------------------------------------------------------------------------------


def chat_markdown(session: Session) -> str:
    """A chat as Markdown. What people and models said is quoted, so that it can't change the document around it."""
    rows = [f"# {_plain(session.header.title)}", ""]
    if session.lines:
        first, last = session.lines[0].at, session.lines[-1].at
        rows += [f"{_date(first)} to {_date(last)}, {len(session.user_turns)} turns.", ""]
    for line in session.lines:
        match line:
            case UserTurn():
                rows += [f"**You** · {_date(line.at)}", "", *_quoted(line.text), ""]
            case AssistantTurn():
                cut = " (interrupted)" if line.interrupted else ""
                rows += [f"**memtui**{cut} · {_date(line.at)}", "", *_quoted(line.text), ""]
            case CommandLine():
                rows += [f"`{' '.join(line.text.replace('`', chr(39)).split())}` · {_date(line.at)}", ""]
            case Probe():
                rows += [f"*Asked of memory:* {_plain(line.question)} · {iso(line.at)}", ""]
            case MindCall():
                pass
    return "\n".join(rows).rstrip()


def _quoted(text: str) -> list[str]:
    return [f"> {row}".rstrip() for row in text.split("\n")]


def _plain(text: str) -> str:
    return " ".join("".join(f"\\{c}" if c in r"\`*_{}[]<>#|" else c for c in text).split())


def _date(moment: datetime) -> str:
    return f"{moment:%d %b %Y, %H:%M} UTC"
