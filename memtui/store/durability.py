"""What survives a power cut. LanceDB syncs nothing by itself, so new files and the folders naming them are synced here."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

_NOT_NEEDED: Final = frozenset({"_transactions", "latest_version_hint.json"})
"""What a table opens without: emptied transaction files and wrong or empty hints change nothing (measured)."""
_AT_ONCE: Final = 4


def sync_file(path: Path | str) -> None:
    """Flush a file, or a folder's list of names, to the disk. A file that is gone meanwhile is none to flush."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path | str) -> None:
    """Flush a folder's list of names; systems that can't (Windows) need not."""
    if os.name != "nt":
        sync_file(path)


def write_atomically(path: Path, data: bytes, *, durable: bool) -> None:
    """Replace `path` by `data` in one step: readers see the old or the new file, never a part."""
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)
    if durable:
        sync_folder(path.parent)


class FolderSync:
    """Flushes what is new below a folder since the last time.

    What is there when it is made counts as flushed: whoever wrote it did so.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._known: set[str] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._new_below(self._folder, [])

    def sync(self) -> int:
        """Flush new files and the folders that hold them; returns how many there were.

        They are flushed side by side: the disk takes several in one go. Their order does not matter, for the operation
        counts as done only after all of them.
        """
        new: list[str] = []
        self._new_below(self._folder, new)
        if new:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="memtui-flush")
            list(self._pool.map(_flush, new))
        return len(new)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _new_below(self, folder: str, new: list[str]) -> None:
        """Collect files not known yet, and the folders that changed by them."""
        try:
            entries = list(os.scandir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return
        changed = False
        for entry in entries:
            inside = entry.is_dir(follow_symlinks=False)
            if entry.name in _NOT_NEEDED:
                continue
            if inside:
                self._new_below(entry.path, new)
            if entry.path not in self._known:
                self._known.add(entry.path)
                changed = True
                if not inside:
                    new.append(entry.path)
        if changed:
            new.append(folder)


def _flush(path: str) -> None:
    if os.name != "nt" or not Path(path).is_dir():
        sync_file(path)
