"""Writing a vault: every memory as a note, retired ones too, each with its history."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.errors import InputError, StoreFullError
from memtui.memory.events import Event, memories_of
from memtui.memory.texts import content_hash
from memtui.sessions.export import texts_of
from memtui.sessions.vault import manifest as own
from memtui.sessions.vault.manifest import Manifest, read_manifest
from memtui.sessions.vault.notes import write_note
from memtui.sessions.vault.reading import read_vault
from memtui.sessions.vault.records import event_line, file_name, front_matter
from memtui.store.durability import write_atomically

if TYPE_CHECKING:
    from memtui.memory.model import Memory
    from memtui.store.memory_store import MemoryStore

_NO_EVENTS: Final[Sequence[Event]] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What an export did.

    Attributes:
        records: memories of the home.
        changed: files that were written; the others were as they should be.
        removed: files of memories that are there no more.
        edited: files somebody changed since the last export: they were left as they are.
    """

    folder: Path
    records: int
    changed: int
    removed: int
    edited: tuple[Path, ...]

    @property
    def sentence(self) -> str:
        """The summary line."""
        parts = [f"{self.records} records in {self.folder}", f"{self.changed} files written"]
        parts += [f"{self.removed} removed"] if self.removed else []
        said = f"{', '.join(parts)}."
        if self.edited:
            said += f" {len(self.edited)} edited by hand were left as they are: `memtui import {self.folder}` takes them in."
        return said


def write_vault(store: MemoryStore, folder: Path) -> Written:
    """Write all memories of a store into `folder`, a file each; files that are nobody's of ours are not touched.

    Written again, a record keeps its file, also when it was renamed by hand through the manifest's path; what somebody
    edited since is not overwritten.

    Raises:
        InputError: `folder` is a file.
        StoreFullError: it can't be written; what was written before stays, and doing it again goes on.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", todo="Name a folder for a vault, or a .jsonl or .md file.")
    try:
        return _Writing(store, folder).run()
    except OSError as error:
        raise StoreFullError(
            f"{error.filename or folder} can't be written: {error.strerror or error}.",
            safe="What was written before stays.",
            todo="Make room, or choose another folder, and do it again.",
        ) from error


class _Writing:
    """One export on its way."""

    def __init__(self, store: MemoryStore, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.before = read_manifest(folder) or _found(folder)
        self.after = Manifest(store.head.length, store.head.hash)
        self.taken: set[str] = set()
        self.changed = 0
        self.edited: list[Path] = []

    def run(self) -> Written:
        memories = self.store.state.memories
        by_memory, rest = _shared_out(self.store.events(), memories)
        (self.folder / own.FOLDER).mkdir(parents=True, exist_ok=True)
        self.taken = {path.casefold() for identity, (path, _) in self.before.files.items() if identity in memories}
        for memory in memories.values():
            self._write(memory, by_memory.get(memory.id, _NO_EVENTS))
        removed = self._remove_gone(memories)
        _put(self.folder / own.FOLDER / own.LEDGER, "".join(f"{line}\n" for line in self._ledger_lines(rest)).encode())
        _put(self.folder / own.FOLDER / own.FILES, self.after.text().encode())
        return Written(self.folder, len(memories), self.changed, removed, tuple(self.edited))

    def _write(self, memory: Memory, events: Sequence[Event]) -> None:
        text = self.store.text(memory.content)
        named = dict.fromkeys(digest for event in events for digest in texts_of(event.body) if digest != memory.content)
        texts = [old for digest in named if (old := self.store.text(digest)) or digest == content_hash("")]
        data = write_note(front_matter(memory, events, texts), text).encode("utf-8", "replace")
        digest = hashlib.sha256(data).hexdigest()
        path, there = self._place(memory, text)
        if there is not None and there != digest:
            known = self.before.files.get(memory.id)
            if known is None or there != known[1]:
                self.edited.append(self.folder / path)
                self.after.files[memory.id] = known or (path, digest)
                return
        self.after.files[memory.id] = (path, digest)
        if there != digest:
            _put(self.folder / path, data)
            self.changed += 1

    def _place(self, memory: Memory, text: str) -> tuple[str, str | None]:
        """The file of a memory: its old one while that is there, else a new free name; and the hash of what is there."""
        known = self.before.files.get(memory.id)
        if known is not None and (digest := _digest(self._inside(known[0]))) is not None:
            return known[0], digest
        path = file_name(memory, text)
        stem, number = path.removesuffix(".md"), 2
        while path.casefold() in self.taken or self._inside(path).exists():
            path, number = f"{stem} {number}.md", number + 1
        self.taken.add(path.casefold())
        return path, None

    def _remove_gone(self, memories: Mapping[str, Memory]) -> int:
        """Remove the files of memories that are there no more, unless somebody edited them."""
        removed = 0
        for identity, (path, digest) in self.before.files.items():
            if identity not in memories and _digest(self._inside(path)) == digest:
                self._inside(path).unlink()
                removed += 1
        return removed

    def _inside(self, path: str) -> Path:
        """A path of the manifest, which is only a file and may have been tampered with: never outside the vault."""
        whole = self.folder / path
        if Path(path).is_absolute() or ".." in Path(path).parts or not path.endswith(".md"):
            raise InputError(f"{self.folder / own.FOLDER / own.FILES} names a file outside the vault.", todo="Remove it.")
        return whole

    def _ledger_lines(self, rest: Sequence[Event]) -> Iterator[str]:
        """Events of no record that is left, and the texts they name."""
        told: set[str] = set()
        for event in rest:
            for digest in texts_of(event.body):
                if digest not in told and (text := self.store.text(digest)):
                    told.add(digest)
                    yield json.dumps({"text": text}, ensure_ascii=False)
            yield event_line(event)


def _found(folder: Path) -> Manifest:
    """The files of a vault whose manifest is lost, by what stands in them; an edited one counts as edited."""
    found = Manifest()
    if folder.is_dir() and any(folder.iterdir()):
        with contextlib.suppress(InputError):
            vault = read_vault(folder)
            for identity, record in vault.records.items():
                digest = "" if record.edited else _digest(folder / vault.paths[identity]) or ""
                found.files[identity] = (vault.paths[identity], digest)
    return found


def _shared_out(events: Sequence[Event], memories: Mapping[str, Memory]) -> tuple[dict[str, list[Event]], list[Event]]:
    """Events by memory (one that touches several stands with each), and those that touch none that is left."""
    by_memory: dict[str, list[Event]] = {}
    rest: list[Event] = []
    for event in events:
        touched = [memory for memory in dict.fromkeys(memories_of(event.body)) if memory in memories]
        for memory in touched:
            by_memory.setdefault(memory, []).append(event)
        if not touched:
            rest.append(event)
    return by_memory, rest


def _digest(path: Path) -> str | None:
    try:
        return None if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data, durable=False)
