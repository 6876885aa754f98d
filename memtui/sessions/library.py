"""The recorded conversations of a home: list, open the last, rename, throw away.

Listing reads a header and a tail, and counts turns without parsing them, so that a thousand sessions list at once.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from memtui.errors import InputError, MemtuiError, SessionFormatError, StoreFullError
from memtui.memory.moments import from_iso
from memtui.memory.texts import clean, mask_secrets, one_line
from memtui.sessions.appendfile import full, lock_file, replace_first_line
from memtui.sessions.format import parse_session, read_bytes
from memtui.sessions.lines import SessionHeader, to_json_line
from memtui.sessions.record import SUFFIX

_TRASH: Final = ".trash"
_BLOCK: Final = 1 << 16
_LONGEST_HEADER: Final = 1 << 20
_USER_LINE: Final = re.compile(rb'^\{"type": ?"user"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One conversation in the list.

    Attributes:
        when: simulated moment of its last line; None when nothing was said.
        turns: user turns.
        used_ns: when the file was last written (real time, nanoseconds); it orders the list.
    """

    path: Path
    title: str
    when: datetime | None
    turns: int
    language: str | None
    used_ns: int


class Library:
    """The folder of recorded conversations (`Home.sessions`). Reading it creates nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[Path, tuple[tuple[int, int], SessionEntry]] = {}
        self.notices: tuple[str, ...] = ()

    def entries(self) -> list[SessionEntry]:
        """All conversations, last used first. Files that can't be read are left out and said in `notices`."""
        found: list[SessionEntry] = []
        notices: list[str] = []
        for path in self._files():
            try:
                found.append(self._entry(path))
            except (MemtuiError, OSError) as error:
                notices.append(str(error))
        self.notices = tuple(notices)
        return sorted(found, key=lambda entry: (-entry.used_ns, entry.path.name))

    def last(self) -> SessionEntry | None:
        """The conversation that was used last."""
        return next(iter(self.entries()), None)

    def find(self, words: str) -> list[SessionEntry]:
        """Conversations whose title holds all words of `words`, last used first."""
        asked = words.casefold().split()
        return [entry for entry in self.entries() if all(word in entry.title.casefold() for word in asked)]

    def rename(self, path: Path, title: str) -> SessionEntry:
        """Give a conversation another title; the file keeps its name.

        Raises:
            InputError: the title is empty.
            StoreBusyError: the conversation is open somewhere (rename it there).
            StoreFullError: it can't be written.
        """
        title = one_line(mask_secrets(clean(title))[0], 200)
        if not title:
            raise InputError("A conversation needs a title.", todo="Type at least one word.")
        header = replace(read_header(path), title=title)
        try:
            lock = lock_file(path)
            try:
                replace_first_line(path, to_json_line(header).encode() + b"\n")
            finally:
                lock.release()
        except OSError as error:
            raise full(path, error) from error
        return self._entry(path)

    def delete(self, path: Path) -> Path:
        """Move a conversation to the trash folder; returns where it is now. Its memories stay.

        Raises:
            StoreBusyError: the conversation is open somewhere.
            StoreFullError: it can't be moved.
        """
        read_bytes(path)
        try:
            lock = lock_file(path)
            try:
                trash = self.folder / _TRASH
                trash.mkdir(exist_ok=True)
                target = _free_name(trash, path)
                path.rename(target)
            finally:
                lock.release()
        except OSError as error:
            raise full(path, error) from error
        self._known.pop(path, None)
        return target

    def restore(self, trashed: Path) -> Path:
        """Take a conversation back out of the trash folder; returns where it is now.

        Raises:
            InputError: it is not there.
        """
        read_bytes(trashed)
        target = _free_name(self.folder, trashed)
        try:
            trashed.rename(target)
        except OSError as error:
            raise full(target, error) from error
        return target

    def _files(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == SUFFIX and not path.name.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise full(self.folder, error) from error

    def _entry(self, path: Path) -> SessionEntry:
        stat = path.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        header = read_header(path)
        entry = SessionEntry(path, header.title, _last_moment(path), _count_turns(path), header.language, stamp[0])
        self._known[path] = (stamp, entry)
        return entry


def read_header(path: Path) -> SessionHeader:
    """The header of a session file; nothing behind it is read.

    Raises:
        SessionFormatError: the first line is no header.
        InputError: there is no such file.
    """
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_HEADER)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.", todo="Check the path.") from error
    try:
        text = first.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SessionFormatError(path, 1, "is not UTF-8") from error
    return parse_session([text], path).header


def _last_moment(path: Path) -> datetime | None:
    """The moment of the last whole line, reading from the end; None where nothing was said."""
    for line in _lines_from_end(path):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):  # a torn end, or the header
            return from_iso(json.loads(line)["at"])
    return None


def _lines_from_end(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        place = file.seek(0, 2)
        rest = b""
        while place > 0:
            step = min(_BLOCK, place)
            place -= step
            file.seek(place)
            rest = file.read(step) + rest
            lines = rest.split(b"\n")
            rest = lines[0]
            yield from reversed(lines[1:])
        yield rest


def _count_turns(path: Path) -> int:
    """User turns, counted by how their lines begin."""
    with path.open("rb") as file:
        return sum(1 for line in file if _USER_LINE.match(line))


def _free_name(folder: Path, path: Path) -> Path:
    for number in range(1, 10_000):
        target = folder / f"{path.stem}{'' if number == 1 else f'-{number}'}{path.suffix}"
        if not target.exists():
            return target
    raise StoreFullError(f"{folder} holds too many files named {path.stem}.", todo="Empty it.")
