"""Does the store hold together? The chain, the head, the texts, and whether state and frame are what the events say."""

from __future__ import annotations

import functools
import hashlib
import json
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memtui.errors import LedgerError
from memtui.memory.events import Event
from memtui.memory.frame import Frame
from memtui.memory.ledger import GENESIS, Head, Problem
from memtui.memory.moments import to_iso
from memtui.memory.state import State, fold
from memtui.memory.texts import content_hash
from memtui.memory.words import stems
from memtui.store.coding import decode_events, moments
from memtui.store.head_file import Anchor, HeadFile, fits
from memtui.store.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa

_NAMED: int = 5
"""How many of a kind are named one by one; the rest is counted."""


def check(tables: Tables, head_file: HeadFile, state: State, frame: Frame) -> list[Problem]:
    """Everything about a store that does not hold, read anew from the disk. Changes nothing."""
    head = head_file.read()  # before the events: others may append meanwhile
    rows = tables.read_events()
    problems = list(_chain(rows))
    try:
        events = decode_events(rows)
    except LedgerError as error:
        return [*problems, Problem("ledger", error.what)]
    problems += _head(head, events)
    problems += head_file.lost()
    problems += _views(events, state, frame)
    problems += _contents(tables, fold(events) if problems else state)
    return problems


def check_strictly(tables: Tables, anchor: Anchor) -> list[Problem]:
    """What `check` leaves to whoever asks for it.

    The head kept outside the database; every text the ledger ever named, reasons and earlier wordings included; and the
    stored words of each text, which searches rest on.
    """
    rows = tables.read_events()
    problems: list[Problem] = []
    try:
        events = decode_events(rows)
    except LedgerError:
        return problems  # `check` names it
    lost = anchor.lost(events)
    if lost is not None:
        problems.append(Problem("anchor", lost))
    named = {digest: event.seq for event in events for digest in _named(event)}
    there: set[str] = {content_hash("")}
    wrong: list[str] = []
    contents = tables.read_contents(["hash", "text", "words"])
    for digest, text, words in zip(*(contents.column(name).to_pylist() for name in ("hash", "text", "words")), strict=True):
        there.add(digest)
        if text and words and words != " ".join(stems(text)):
            wrong.append(digest[:12])
    if wrong:
        problems.append(Problem("words", f"the stored words are not those of the text for {_some(wrong)}"))
    missing = [f"event {seq}" for digest, seq in named.items() if digest not in there]
    if missing:
        problems.append(Problem("contents", f"texts are missing for {_some(missing)}"))
    return problems


def _named(event: Event) -> Iterator[str]:
    for name in ("content", "note"):
        digest = getattr(event.body, name, None)
        if isinstance(digest, str):
            yield digest


def row_hash(prev: str, seq: int, at_iso: str, block: str, kind: str, data: str) -> str:
    """`ledger.event_hash` over the text that is stored, so that no reading and writing back lies between."""
    names = json.dumps([block, kind], ensure_ascii=False, separators=(",", ":"))[1:-1]
    document = f'["{prev}",{seq},"{at_iso}",{names},{data}]'
    if not document.isascii():
        document = unicodedata.normalize("NFC", document)
    return hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()


def _chain(rows: pa.Table) -> Iterator[Problem]:
    iso = functools.lru_cache(maxsize=4096)(to_iso)
    columns = [rows.column(name).to_pylist() for name in ("seq", "block", "type", "data", "prev", "hash")]
    prev, expected, last = GENESIS, 0, ""
    for moment, seq, block, kind, data, before, digest in zip(moments(rows.column("at")), *columns, strict=True):
        where, at = f"event {seq}", iso(moment)
        if seq != expected:
            yield Problem(where, f"expected number {expected}: events are missing, repeated or out of order")
        if before != prev:
            yield Problem(where, "does not follow the event in front of it")
        if digest != row_hash(before, seq, at, block, kind, data):
            yield Problem(where, f"its '{kind}' content does not match its hash")
        if at < last:
            yield Problem(where, "time runs backwards")
        prev, expected, last = digest, seq + 1, at


def _head(head: Head | None, events: list[Event]) -> Iterator[Problem]:
    if head is None or fits(head, events):
        return
    if head.length > len(events):
        yield Problem("head", f"the chain ends at event {len(events)}, the head kept beside it says {head.length}")
    else:
        yield Problem("head", f"event {head.length - 1} is not the one the head kept beside the chain was written for")


def _views(events: list[Event], state: State, frame: Frame) -> Iterator[Problem]:
    """State and frame in memory against the events (those others appended since are no difference)."""
    seen = sum(len(block) for block in state.blocks.values())
    folded = fold(events[:seen])
    if folded.memories != state.memories:
        ids = dict.fromkeys((*folded.memories, *state.memories))
        different = [memory_id for memory_id in ids if folded.memories.get(memory_id) != state.memories.get(memory_id)]
        yield Problem("state", f"replaying the ledger gives another state for {_some(different)}")
    active = {memory.id for memory in state.active()}
    shown = {frame.ids[row] for row in frame.active_rows().tolist()}
    if active != shown:
        yield Problem("frame", f"the screen's memories are not the state's: {_some(sorted(active ^ shown))}")


def _contents(tables: Tables, state: State) -> Iterator[Problem]:
    rows = tables.read_contents(["hash", "text"])
    there: set[str] = set()
    for digest, text in zip(rows.column("hash").to_pylist(), rows.column("text").to_pylist(), strict=True):
        if text and content_hash(text) != digest:
            yield Problem(f"content {digest[:12]}", "its text does not match its hash")
        elif text:
            there.add(digest)
    named = {digest: memory.id for memory in state.memories.values() for digest in (memory.content, memory.note) if digest}
    missing = [memory_id for digest, memory_id in named.items() if digest not in there and digest != content_hash("")]
    if missing:
        yield Problem("contents", f"texts are missing for {_some(sorted(set(missing)))}")


def _some(ids: list[str]) -> str:
    more = len(ids) - _NAMED
    return ", ".join(ids[:_NAMED]) + (f" and {more} more" if more > 0 else "")
