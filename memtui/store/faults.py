"""What LanceDB's errors mean. They are untyped, so their text is matched; here and nowhere else."""

from __future__ import annotations

import errno
import re
from enum import Enum, auto
from typing import Final

from memtui.errors import MemtuiError, StoreBusyError, StoreError, StoreFullError


class Fault(Enum):
    """Kinds of failure that are dealt with differently."""

    FULL = auto()
    READ_ONLY = auto()
    CONFLICT = auto()
    MISSING_TABLE = auto()
    MACHINE = auto()
    """The machine or the network, not the data: too many open files, an I/O error, no connection."""
    NEWER = auto()
    """A later LanceDB wrote what this one can't read."""
    DAMAGED = auto()
    """Anything else a read can fail with: what is on disk is not what was written."""


_ERRNO: Final = {
    errno.ENOSPC: Fault.FULL,
    errno.EDQUOT: Fault.FULL,
    errno.EFBIG: Fault.FULL,
    errno.EROFS: Fault.READ_ONLY,
    errno.EACCES: Fault.READ_ONLY,
    errno.EPERM: Fault.READ_ONLY,
    errno.ENOENT: Fault.DAMAGED,
}
_OS_ERROR: Final = re.compile(r"\(os error (\d+)\)")
_TEXTS: Final[tuple[tuple[re.Pattern[str], Fault], ...]] = (
    (
        re.compile(r"commit conflict|concurrent (commit|transaction)", re.I),
        Fault.CONFLICT,
    ),
    (re.compile(r"Table '[^']*' was not found", re.I), Fault.MISSING_TABLE),
    (re.compile(r"No space left on device|disk quota exceeded", re.I), Fault.FULL),
    (re.compile(r"Read-only file system|Permission denied", re.I), Fault.READ_ONLY),
    (
        re.compile(r"RetryError|connection (refused|reset)|timed? ?out|dns error|api_key|credential", re.I),
        Fault.MACHINE,
    ),
    (re.compile(r"cannot be (read|written) by this version|please upgrade", re.I), Fault.NEWER),
    (re.compile(r"too many open files|No object store provider", re.I), Fault.MACHINE),
)


def fault_of(error: BaseException) -> Fault:
    """What kind of failure `error` is: by number where the system gave one, else by its text."""
    if isinstance(error, OSError) and error.errno is not None:
        return _ERRNO.get(error.errno, Fault.MACHINE)
    text = str(error)
    for pattern, fault in _TEXTS:
        if pattern.search(text):
            return fault
    number = _OS_ERROR.search(text)
    if number is not None:
        return _ERRNO.get(int(number.group(1)), Fault.MACHINE)
    return Fault.DAMAGED


def store_error(error: BaseException, doing: str) -> MemtuiError:
    """The error a person sees for `error`, met while `doing` ("writing memories", …). A MemtuiError stays as it is."""
    if isinstance(error, MemtuiError):
        return error
    match fault_of(error):
        case Fault.FULL:
            return StoreFullError(
                f"No space is left on the disk of the memory store ({doing}).",
                safe="Everything remembered before is intact; nothing was half written.",
                todo="Free some space and do it again.",
            )
        case Fault.READ_ONLY:
            return StoreFullError(
                f"The memory store can't be written ({doing}): its folder is read-only.",
                safe="Everything remembered before is intact and can be read.",
                todo="Make the folder writable, or choose another with --home or MEMTUI_HOME.",
            )
        case Fault.CONFLICT:
            return StoreBusyError(
                f"Another process wrote to the memory store at the same moment ({doing}).",
                safe="Nothing was lost.",
                todo="Do it again.",
            )
        case Fault.NEWER:
            return StoreError(
                f"The memory store was written by a later version ({doing}).",
                safe="Nothing was changed.",
                todo="Update memtui.",
            )
        case Fault.MACHINE | Fault.MISSING_TABLE:
            return StoreError(
                f"The memory store can't be reached ({doing}): {_short(error)}.",
                safe="Nothing was changed.",
                todo="See whether the place in settings key 'store' can be reached, then do it again.",
            )
        case _:
            return StoreError(
                f"The memory store failed ({doing}): {_short(error)}.",
                safe="What was written before is kept.",
                todo="Open memtui again; if it stays so, run memtui verify.",
            )


def _short(error: BaseException) -> str:
    """The first line of an error without the paths of the library's own sources."""
    text = str(error) or type(error).__name__
    first = re.sub(r",? ?/\S*\.rs:\d+:\d+.*", "", text.splitlines()[0], flags=re.DOTALL)
    return first.removeprefix("lance error: ").strip()[:300]
