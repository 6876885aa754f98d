"""Keeping the snapshot up with the ledger, in the background, by whoever has the memory open."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.ledger import Head
from memtui.memory.model import Memory
from memtui.memory.moments import to_iso, to_us
from memtui.memory.skill import parse_body
from memtui.memory.skill_search import WordIndex
from memtui.skills.keeper import Keeper
from memtui.skills.shelf import Shelf
from memtui.skills.snapshot_file import (
    SNAPSHOT_NAME,
    Array,
    Header,
    Row,
    SnapshotFile,
    encode,
    settings_digest,
    word_sections,
    write_file,
    write_stamp,
)


def row_of(memory: Memory, text: str, law: StrengthLaw) -> Row:
    """What the snapshot holds of a skill; all of it follows from the ledger."""
    draft, mark = parse_body(text), memory.skill
    assert mark is not None
    record: dict[str, Any] = {
        "id": memory.id,
        "slug": mark.slug,
        "title": draft.title,
        "trigger": draft.trigger,
        "steps": draft.steps,
        "lessons": draft.lessons,
        "outcome": mark.outcome.value,
        "trust": mark.trust.value,
        "origin": mark.origin,
        "uses": memory.recalls,
        "worked": mark.worked,
        "failed": mark.failed,
        "pinned": memory.pinned,
        "created_at": to_iso(memory.created_at),
        "last_used": to_iso(memory.last_recall),
    }
    return Row(record, law.at_last_use(memory), to_us(memory.last_recall), memory.pinned)


class SnapshotKeeper:
    """Writes the snapshot when a skill changed, and its stamp when only the ledger went on.

    Attributes:
        folder: where it is kept; None keeps none.
        settings_file: the settings that chose store and law.
    """

    def __init__(self, keeper: Keeper, shelf: Shelf) -> None:
        self._keeper = keeper
        self._shelf = shelf
        self.folder: Path | None = None
        self.settings_file: Path | None = None
        self._written: tuple[Memory, ...] | None = None
        self._words: tuple[WordIndex, dict[str, Array]] | None = None
        self._digest = ""
        self._shown = Head()
        self._task: asyncio.Task[None] | None = None

    def keep(self) -> None:
        """Bring the snapshot up to date soon, in the background; a failure is no error of what was done before it."""
        if self.folder is None or self._keeper.store.head == self._shown:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._until_shown())

    async def write(self) -> None:
        """Write it now, whether or not it seems necessary.

        Raises:
            OSError: it can't be written.
        """
        await self.settled()
        if self.folder is not None:
            self._written = None
            await self._write(self.folder)

    async def settled(self) -> None:
        """Wait for what is being written."""
        if self._task is not None:
            await self._task

    async def _until_shown(self) -> None:
        folder = self.folder
        try:
            while folder is not None and self._keeper.store.head != self._shown:
                await self._write(folder)
        except OSError:
            self._shown = self._keeper.store.head  # a full disk: readers see that it is stale

    async def _write(self, folder: Path) -> None:
        store = self._keeper.store
        head, active = store.head, tuple(memory for memory in self._shelf.memories() if memory.active)
        path = folder / SNAPSHOT_NAME
        if self._written is None and not active and not path.exists():
            self._written = ()  # nobody has skills here: no folder is made
        elif self._written is not None and self._same(self._written, active):
            if self._digest:
                await asyncio.to_thread(write_stamp, folder, self._digest, head)
        else:
            texts = [store.text(memory.content) for memory in active]
            self._digest = await asyncio.to_thread(self._write_now, path, head, active, texts)
            self._written = active
        self._shown = head

    @staticmethod
    def _same(one: Sequence[Memory], other: Sequence[Memory]) -> bool:
        return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))

    def _write_now(self, path: Path, head: Head, active: Sequence[Memory], texts: Sequence[str]) -> str:
        law = self._keeper.law.strength
        index, vectors = self._shelf.index_and_vectors(active)
        if self._words is None or self._words[0] is not index:  # a report or a use leaves the words as they are
            self._words = index, word_sections(index)
        header = Header(head, self._offset_s(), law, self._store_head(), self._settings())
        rows = [row_of(memory, text, law) for memory, text in zip(active, texts, strict=True)]
        write_file(path, encode(header, rows, self._words[1], vectors))
        return SnapshotFile(path).header.digest

    def _offset_s(self) -> float:
        clock = self._keeper.clock
        return 0.0 if clock.is_real() else round(clock.offset().total_seconds(), 6)

    def _store_head(self) -> str:
        file = self._keeper.store.head_path
        return "" if file is None else str(file)

    def _settings(self) -> str:
        return "" if self.settings_file is None else settings_digest(self.settings_file, os.environ)
