"""Reading a folder of Markdown: our own records, and notes of people (Obsidian)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memtui.errors import InputError
from memtui.memory.texts import content_hash
from memtui.sessions.vault import manifest as own
from memtui.sessions.vault.manifest import read_manifest
from memtui.sessions.vault.notes import BadNote, Note, read_note
from memtui.sessions.vault.records import Placed, Record, is_record, read_event, read_record

_MOST: Final = 4 << 20
"""Bytes of one note; a larger one is passed over and named."""


@dataclass
class Vault:
    """What a folder holds.

    Attributes:
        records: memories that memtui wrote, by id; `paths` says where.
        notes: other notes, by path relative to the folder, with the seconds since the epoch when the file was changed.
        rest: events of no record, with the texts they name in `texts`.
        length, head: the end of the ledger it was written from; 0 and "" where there is no manifest.
        problems: files that can't be used, and why.
    """

    folder: Path
    records: dict[str, Record] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    notes: dict[str, tuple[Note, float]] = field(default_factory=dict)
    rest: list[Placed] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    length: int = 0
    head: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def events(self) -> list[Placed] | None:
        """All events of the ledger it was written from, in order; None unless every one of them is there."""
        by_seq = {event.seq: event for event in self.rest}
        for record in self.records.values():
            for event in record.events:
                if by_seq.setdefault(event.seq, event) != event:
                    return None  # two files tell it differently
        if not self.length or by_seq.keys() != set(range(self.length)):
            return None
        return [by_seq[seq] for seq in range(self.length)]


def read_vault(folder: Path) -> Vault:
    """Read all Markdown files below a folder. Hidden folders (`.obsidian`, `.trash`, `.git`) and links are passed over.

    Raises:
        InputError: it can't be read, or there is no Markdown file in it.
    """
    vault = Vault(folder)
    seen = 0
    for path in _markdown_files(folder):
        seen += 1
        name = path.relative_to(folder).as_posix()
        try:
            _take(vault, path, name)
        except BadNote as error:
            vault.problems.append(f"{name}: {error}")
        except OSError as error:
            vault.problems.append(f"{name}: {error.strerror or error}")
    if not seen:
        raise InputError(f"There is no Markdown file in {folder}.", todo="Name the folder of a vault.")
    manifest = read_manifest(folder)
    if manifest is not None:
        vault.length, vault.head = manifest.length, manifest.head
        _take_ledger(vault)
    return vault


def _take(vault: Vault, path: Path, name: str) -> None:
    info = path.stat()
    if info.st_size > _MOST:
        raise BadNote("is too large for a note")
    try:
        note = read_note(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise BadNote("is not UTF-8") from None
    if not is_record(note):
        vault.notes[name] = (note, info.st_mtime)
        return
    record = read_record(note)
    if record.id in vault.records:
        raise BadNote(f"is a second file of the record {record.id}")
    vault.records[record.id], vault.paths[record.id] = record, name


def _take_ledger(vault: Vault) -> None:
    try:
        lines = (vault.folder / own.FOLDER / own.LEDGER).read_bytes().splitlines()
        for line in lines:
            data = json.loads(line)
            if isinstance(data, dict) and isinstance(text := data.get("text"), str):
                vault.texts[content_hash(text)] = text
            else:
                vault.rest.append(read_event(line.decode()))
    except (OSError, ValueError) as error:  # the records can do without it
        vault.rest.clear()
        vault.problems.append(f"{own.FOLDER}/{own.LEDGER}: {error.__class__.__name__}")


def _markdown_files(folder: Path) -> Iterator[Path]:
    def failed(error: OSError) -> None:
        raise InputError(f"{error.filename} can't be read: {error.strerror}.", todo="Check the path.") from error

    for root, folders, files in os.walk(folder, onerror=failed, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root) / name
            if name.lower().endswith((".md", ".markdown")) and not name.startswith(".") and not path.is_symlink():
                yield path
