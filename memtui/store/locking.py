"""One writer at a time, across processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memtui.errors import StoreBusyError
from memtui.store.faults import store_error

LOCK_NAME: Final = "write.lock"
WAIT_S: Final = 10.0
"""How long a writer waits for another one; the longest thing done under the lock, a compaction, takes about 2 s."""


@contextmanager
def write_lock(folder: Path | None, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the write lock of the store in `folder`; nothing is locked where there is no folder (a remote store).

    Raises:
        StoreBusyError: another process held it for all of `wait_s` seconds.
        StoreFullError: the folder can't be written.
    """
    if folder is None:
        yield
        return
    import filelock

    lock = filelock.FileLock(folder / LOCK_NAME, timeout=wait_s, thread_local=False)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise StoreBusyError(
            f"Another memtui has been writing to this memory store for more than {wait_s:g} s.",
            safe="Nothing was lost.",
            todo="Wait for it to finish, or close it, and do it again.",
        ) from error
    except (OSError, NotImplementedError) as error:
        raise store_error(error, "locking the store") from error
    try:
        yield
    finally:
        lock.release()
