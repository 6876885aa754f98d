"""Exports: memories that can be read back whole, Markdown for people."""

from __future__ import annotations

import asyncio
import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.chat.companion import Companion
from memtui.errors import InputError, LedgerError, SessionFormatError, StoreFullError
from memtui.memory.state import state_hash
from memtui.sessions.export import chat_markdown, export_chat, export_memories
from memtui.sessions.importing import import_file
from memtui.sessions.restoring import import_memories, read_memories
from tests.doubles import ScriptedMind
from tests.sessions.homes import NOW, NamingMind, a_chat, companion_with


@pytest.fixture
def mind() -> NamingMind:
    return NamingMind()


async def lived_in(mind: ScriptedMind) -> Companion:
    """A companion with turns, edits, an undo, nights and an odd text."""
    companion = companion_with(mind)
    for text in ("I live in Berlin", "My key is sk-abcdefghijklmnopqrst", "odd \u2028 text \ud800 [red]", "Ramen", "Ramen"):
        async for _ in companion.turn(text):
            pass
        companion.clock.advance(timedelta(hours=5))
    await companion.edit("m01", text="I live in Lisbon", importance=0.9)
    await companion.pin("m02")
    await companion.forget("m03")
    await companion.undo()
    await companion.warp_to(companion.clock.now() + timedelta(days=30))
    return companion


async def test_export_then_import_gives_the_same_state(tmp_path: Path, mind: NamingMind) -> None:
    companion = await lived_in(mind)
    path = tmp_path / "memories.jsonl"
    count = export_memories(companion.store, path)
    assert count == len(companion.store.state.memories)
    assert not path.with_name(f".{path.name}.new").exists()
    other = companion_with(NamingMind(), now=NOW - timedelta(days=400))
    report = await import_file(path, other, tmp_path / "sessions")
    assert report.created == count
    assert other.clock.now() >= companion.clock.now()
    assert state_hash(other.store.state) == state_hash(companion.store.state)
    assert other.store.head == companion.store.head
    assert other.store.verify() == []
    assert other.store.frame.texts == companion.store.frame.texts
    assert (other.store.frame.vectors == companion.store.frame.vectors).all()
    assert other.store.state.history.keys() == companion.store.state.history.keys()
    again = await import_file(path, other, tmp_path / "sessions")
    assert (again.added, again.created) == (0, 0)
    stream = io.StringIO()
    export_memories(other.store, stream)
    assert stream.getvalue() == path.read_text(encoding="utf-8")
    await companion.close()
    await other.close()


async def test_a_restoring_that_breaks_off_goes_on(
    tmp_path: Path, mind: NamingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    companion = await lived_in(mind)
    path = tmp_path / "memories.jsonl"
    export_memories(companion.store, path)
    other = companion_with(NamingMind())
    append, calls = other.store.append_async, 0

    async def failing(*args: Any, **keys: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise asyncio.CancelledError
        return await append(*args, **keys)

    monkeypatch.setattr(other.store, "append_async", failing)
    with pytest.raises(asyncio.CancelledError):
        await import_memories(path, other.store, other.mind.embedder)
    monkeypatch.undo()
    await import_memories(path, other.store, other.mind.embedder)
    assert other.store.head == companion.store.head
    await companion.close()
    await other.close()


async def test_an_export_is_checked(tmp_path: Path, mind: NamingMind) -> None:
    companion = await lived_in(mind)
    path = tmp_path / "memories.jsonl"
    export_memories(companion.store, path)
    whole = path.read_text(encoding="utf-8")
    other = companion_with(NamingMind())
    rows = whole.splitlines(keepends=True)
    events = [i for i, row in enumerate(rows) if row.startswith('{"type":"event"')]
    path.write_text("".join(rows[: events[-1]]), encoding="utf-8")
    with pytest.raises(InputError, match="its end is missing"):
        await import_file(path, other, tmp_path / "sessions")
    path.write_text(whole.replace("I live in Berlin", "I live in Madrid", 1), encoding="utf-8")
    with pytest.raises(SessionFormatError, match="does not match the text"):
        read_memories(path)
    path.write_text(
        whole.replace(
            '"type":"header","format":"memtui-memories","version":1',
            '"type":"header","format":"memtui-memories","version":9',
        )
    )
    with pytest.raises(SessionFormatError, match="version"):
        read_memories(path)
    assert other.store.head.length == 0
    path.write_text(whole.replace('"importance":0.9', '"importance":0.8', 1), encoding="utf-8")
    with pytest.raises(LedgerError, match="the file was changed"):
        await import_file(path, other, tmp_path / "sessions")
    path.write_text(whole, encoding="utf-8")
    with pytest.raises(InputError, match="memories of its own"):
        await import_file(path, other, tmp_path / "sessions")
    await companion.close()
    await other.close()


async def test_memories_as_markdown(mind: NamingMind) -> None:
    companion = await lived_in(mind)
    stream = io.StringIO()
    export_memories(companion.store, stream, "markdown")
    text = stream.getvalue()
    assert text.startswith("# Memories\n")
    assert "- I live in Lisbon" in text
    assert "(pinned)" in text
    assert "\\[red\\]" in text
    await companion.close()


def test_a_chat_as_markdown(tmp_path: Path) -> None:
    text = chat_markdown(a_chat())
    assert text.startswith("# My \\[chat\\] about \\*moving\\*\n")
    assert "> Lisbon, noted.\n> # not a heading" in text
    assert "`/sleep`" in text
    export_chat(a_chat(), tmp_path / "chat.md")
    assert (tmp_path / "chat.md").read_text().rstrip() == text


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StoreFullError, match="can't be written"):
        export_chat(a_chat(), tmp_path / "none" / "chat.md")
