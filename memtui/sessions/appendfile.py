"""A file that only grows, a whole line at a time, by one writer at a time.

A line is on disk when `append` returns, or it is not there at all: a write that fails half-way is cut off again. The lock is
another file in `.locks/` beside it, so it holds across processes and survives a rename of the file.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.errors import MemtuiError, StoreBusyError, StoreFullError
from memtui.sessions.format import split_torn

if TYPE_CHECKING:
    from filelock import FileLock

_LOCKS: Final = ".locks"
_MODE: Final = 0o600  # a chat is its owner's


class AppendFile:
    """An open, locked file; made by `create` or `reopen`."""

    def __init__(self, path: Path, lock: FileLock, descriptor: int, *, fsync: bool) -> None:
        self.path = path
        self._lock = lock
        self._descriptor = descriptor
        self._fsync = fsync

    @classmethod
    def create(cls, folder: Path, stem: str, suffix: str, *, fsync: bool) -> AppendFile:
        """A new file in `folder` (made if absent), named `stem` or, where that is taken, `stem-2`, `stem-3` …

        Raises:
            StoreFullError: the folder can't be written or the disk is full.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for number in range(1, 10_000):
                path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{suffix}"
                with contextlib.suppress(FileExistsError, StoreBusyError):
                    lock = lock_file(path)
                    try:
                        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | _binary(), _MODE)
                    except OSError:
                        lock.release()
                        raise
                    made = cls(path, lock, descriptor, fsync=fsync)
                    if fsync:
                        sync_folder(folder)
                    return made
        except OSError as error:
            raise full(folder, error) from error
        raise StoreFullError(f"{folder} holds too many files named {stem}.", todo="Rename or delete some.")

    @classmethod
    def reopen(cls, path: Path, *, fsync: bool) -> tuple[AppendFile, bytes]:
        """Go on with a file that is there; a torn last line is moved to a `.torn` file beside it first.

        Returns:
            The file, and the torn bytes that were moved away (empty when there were none).

        Raises:
            StoreBusyError: another process is writing it.
            StoreFullError: it can't be written.
        """
        try:
            lock = lock_file(path)
            try:
                torn = _mend(path)
                descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _binary())
            except OSError:
                lock.release()
                raise
        except OSError as error:
            raise full(path, error) from error
        return cls(path, lock, descriptor, fsync=fsync), torn

    def append(self, line: bytes) -> None:
        """Add one line (with its newline), durably.

        Raises:
            StoreFullError: it did not fit; the file is as it was before.
        """
        before = -1
        try:
            before = os.fstat(self._descriptor).st_size
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            if self._fsync:
                os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError, ValueError):  # the first error is the one to tell
                os.ftruncate(self._descriptor, before)
            raise full(self.path, error) from error

    def replace_first_line(self, line: bytes) -> None:
        """Put another first line in place, atomically, and go on appending behind it.

        Raises:
            StoreFullError: it can't be written; the file is as it was before.
        """
        try:
            replace_first_line(self.path, line)
            os.close(self._descriptor)
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | _binary())
        except OSError as error:
            raise full(self.path, error) from error

    def close(self) -> None:
        """Close and unlock; closing twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            self._lock.release()


def lock_file(path: Path) -> FileLock:
    """The held lock of a file that may be written.

    Raises:
        StoreBusyError: another process (or another part of this one) holds it.
        OSError: the folder can't be written.
    """
    from filelock import FileLock, Timeout  # here: a first paint does not wait for it

    folder = path.parent / _LOCKS
    folder.mkdir(exist_ok=True)
    lock = FileLock(folder / f"{path.name}.lock", is_singleton=False, thread_local=False)  # released by any thread
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise StoreBusyError(
            f"{path.name} is open in another memtui.",
            safe="Nothing was changed.",
            todo="Close it there first, or start a new conversation.",
        ) from error
    return lock


def replace_first_line(path: Path, line: bytes) -> None:
    """Rewrite a file with another first line, atomically, keeping its times. The caller holds the lock."""
    data = path.read_bytes()
    kept = path.stat()
    beside = path.with_name(f".{path.name}.new")
    descriptor = os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | _binary(), _MODE)
    with os.fdopen(descriptor, "wb") as out:
        out.write(line + data[data.find(b"\n") + 1 :])
        out.flush()
        os.fsync(out.fileno())
    os.utime(beside, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    beside.replace(path)
    sync_folder(path.parent)


def _mend(path: Path) -> bytes:
    """Cut a torn last line off (its bytes go to a `.torn` file), or end a whole one that lacks its newline."""
    data = path.read_bytes()
    whole, torn = split_torn(data)
    if torn:
        aside = path.with_name(f"{path.name}.torn")
        with aside.open("ab") as out:
            out.write(torn + b"\n")
            out.flush()
            os.fsync(out.fileno())
        os.truncate(path, len(whole))
    elif data and not data.endswith(b"\n"):
        with path.open("ab") as out:
            out.write(b"\n")
    return torn


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable, where the system can."""
    if os.name == "nt":  # folders can't be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def full(path: Path, error: OSError) -> MemtuiError:
    """What to tell a person when `path` can't be written."""
    return StoreFullError(
        f"{path} can't be written: {error.strerror or error}.",
        safe="What was saved before is untouched, and this conversation goes on in memory.",
        todo="Free some space or choose another folder with --home, then say something: what is missing is written then.",
    )


def _binary() -> int:
    return getattr(os, "O_BINARY", 0)
