"""What a long run makes of calls that fail: it counts them and goes on, and ends loudly where nothing works.

A figure is only worth something if what it measures ran. So a single failure is retried, rolled back and counted; a
mechanism of which no call ever worked, or an endpoint that stopped answering, ends the run.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from memtui.errors import MemtuiError, MindBusyError, MindError, MindRefusedError, MindUnreachableError

KINDS: Final = ("extract", "judge", "summarize", "reply", "grade")
"""The calls that are counted; `judge` counts pairs, the others calls."""
_NEVER_WORKED: Final = 5
"""Failed calls of one kind, none of it having worked, after which the run ends."""
_SILENT: Final = 5
"""Calls in a row without an answer from the endpoint after which the run ends."""
_RARE: Final[dict[str, int]] = {"summarize": 3}
"""Kinds of which a whole run may hold a single call: so many must have failed before a run without one that worked ends."""
_TRANSPORT: Final = (MindUnreachableError, MindBusyError, MindRefusedError)


class MechanismError(MemtuiError):
    """Something that is measured does not work at all; there are no figures."""

    title = "The bench can't measure this"
    exit_code = 2


class Tally:
    """How often each kind of call worked and failed in this run, the recorded ones of an earlier run included.

    Attributes:
        worked: by kind.
        failed: by kind, after all retries.
        fresh: calls that were really asked in this run and worked.
    """

    def __init__(self) -> None:
        self.worked: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.fresh = 0
        self._failures: Counter[str] = Counter()
        self._silent = 0
        self._last: dict[str, MindError] = {}

    def played(self, kind: str, count: int = 1) -> None:
        """A recorded result was taken."""
        self.worked[kind] += count

    def succeeded(self, kind: str, count: int = 1) -> None:
        """A call worked."""
        self.worked[kind] += count
        self.fresh += 1
        self._silent = 0

    def gave_up(self, kind: str, error: MindError, count: int = 1) -> None:
        """A call failed after all retries; `count` results are missing.

        Raises:
            MechanismError: the endpoint never answered, stopped answering, or `kind` fails every time.
        """
        self.failed[kind] += count
        self._failures[kind] += 1
        self._last[kind] = error
        silent = isinstance(error, _TRANSPORT)
        self._silent = self._silent + 1 if silent else 0
        if silent and not self.fresh and not self.worked:
            raise _broken(f"The endpoint does not answer: {error.what}")
        if self._silent >= _SILENT:
            raise _broken(f"The endpoint stopped answering ({_SILENT} calls in a row): {error.what}")
        if not self.worked[kind] and self._failures[kind] >= _NEVER_WORKED:
            raise _broken(f"Every call to {kind} failed: {error.what}")

    def check(self) -> None:
        """At the end of a run: raise where a kind was needed and never worked.

        Raises:
            MechanismError: there are no figures then.
        """
        for kind, error in self._last.items():
            if not self.worked[kind] and self._failures[kind] >= _RARE.get(kind, 1):
                raise _broken(f"Every call to {kind} failed ({self._failures[kind]} of them): {error.what}")

    def failed_calls(self) -> dict[str, int]:
        """`{kind: failed}` for every kind."""
        return {kind: self.failed[kind] for kind in KINDS}

    def all_calls(self) -> dict[str, int]:
        """`{kind: worked or failed}` for every kind."""
        return {kind: self.worked[kind] + self.failed[kind] for kind in KINDS}


def _broken(what: str) -> MechanismError:
    return MechanismError(
        what,
        safe="No figures were made up; what was answered before is in the checkpoint.",
        todo="`memtui doctor` tells what works; run the same command again to go on.",
    )
