"""The one error tree.

Every error that reaches a person says three things: what happened, what is safe, and what to do next. Nothing else is
raised across a room's border on purpose; a bare `Exception` that gets out is a bug.
"""

from __future__ import annotations

from pathlib import Path


class MemtuiError(Exception):
    """Base of all errors a person may see.

    Attributes:
        what: one sentence, what happened.
        safe: one sentence, what is not lost (may be empty).
        todo: one sentence, what to do next (may be empty).
    """

    title = "Something went wrong"
    exit_code = 1

    def __init__(self, what: str, *, safe: str = "", todo: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.safe = safe
        self.todo = todo

    def __str__(self) -> str:
        """All three sentences on one line, as the CLI prints them."""
        return " ".join(part for part in (self.what, self.safe, self.todo) if part)


class InputError(MemtuiError):
    """Bad input from outside: a file, a flag, a key. Exit code 2 from the CLI."""

    title = "Bad input"
    exit_code = 2


class ConfigError(InputError):
    """The settings file or an environment variable holds what memtui can't use."""

    title = "Settings"


class SessionFormatError(InputError):
    """A session, scenario or label file breaks its format; names file, line (from 1) and key."""

    title = "Session file"

    def __init__(self, path: Path | str, line: int, problem: str, *, key: str = "") -> None:
        where = f"{path}:{line}" + (f", key '{key}'" if key else "")
        super().__init__(f"{where}: {problem}", todo="Mend that line and try again; nothing was changed.")
        self.path = Path(path)
        self.line = line
        self.key = key


class StoreError(MemtuiError):
    """The store can't be opened, read or written."""

    title = "Memory store"


class StoreBusyError(StoreError):
    """Another process holds the write lock for too long."""


class StoreFullError(StoreError):
    """No space left, or the home can't be written."""


class EmbedderMismatchError(StoreError):
    """The store's vectors were made by another embedder than the configured one."""


class LedgerError(StoreError):
    """The hash chain of the ledger does not hold."""


class MindError(MemtuiError):
    """The mind could not answer; the turn that asked is kept."""

    title = "The mind did not answer"


class MindUnreachableError(MindError):
    """No connection, a hang-up or a time-out."""


class MindRefusedError(MindError):
    """The endpoint refused: wrong key, unknown model, bad request."""


class MindBusyError(MindError):
    """429 or 5xx, after all retries."""


class MindMalformedError(MindError):
    """The model's answer had a wrong shape after all attempts."""


class ReadOnlyError(MemtuiError):
    """A write was asked for while the past is shown or the store is open read-only."""

    title = "Read-only"
