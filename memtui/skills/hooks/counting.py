"""What the hooks did: one short line a run, no texts; `memtui hooks-status` adds them up.

Lines are appended in one write each, so that hooks running at once do not mix. A full file becomes `….1`: the counts are of
the last runs, at least ten thousand of them.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

NAME: Final = "runs.jsonl"
_FULL: Final = 1 << 20

SAID: Final = "said"
"""It printed something."""
SILENT: Final = "silent"
"""It had nothing to say."""
FAILED: Final = "failed"
"""Something went wrong; nothing was printed."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a hook.

    Attributes:
        result: `SAID`, `SILENT` or `FAILED`.
        why: what went wrong, in a word or two; never a text of the person's.
        ms: how long it took, inside the process.
    """

    at: str
    hook: str
    result: str
    why: str
    ms: float


@dataclass
class Tally:
    """The runs of one hook, added up."""

    hook: str
    runs: int = 0
    said: int = 0
    silent: int = 0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    times_ms: list[float] = field(default_factory=list)
    last: str = ""

    def record(self) -> dict[str, Any]:
        """The same as JSON-ready data."""
        from statistics import median  # not needed to count, and a hook's milliseconds count

        middle = round(median(self.times_ms), 1) if self.times_ms else None
        most = round(max(self.times_ms), 1) if self.times_ms else None
        counts = {"runs": self.runs, "said": self.said, "silent": self.silent, "failed": self.failed}
        return {"hook": self.hook, **counts, "reasons": dict(self.reasons), "ms": middle, "most_ms": most, "last": self.last}


def count(folder: Path, run: Run) -> None:
    """Write down a run. Never raises: counting is best effort too."""
    record = {"at": run.at, "hook": run.hook, "result": run.result, "why": run.why[:80], "ms": round(run.ms, 1)}
    with contextlib.suppress(OSError, ValueError):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / NAME
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size > _FULL:
                path.replace(path.with_name(NAME + ".1"))
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, json.dumps(record).encode() + b"\n")
        finally:
            os.close(handle)


def tallies(folder: Path) -> list[Tally]:
    """The runs on record, by hook, in order of first appearance."""
    by_hook: dict[str, Tally] = {}
    for run in _runs(folder):
        tally = by_hook.setdefault(run.hook, Tally(run.hook))
        tally.runs += 1
        tally.said += run.result == SAID
        tally.silent += run.result == SILENT
        tally.failed += run.result == FAILED
        if run.why:
            tally.reasons[run.why] += 1
        tally.times_ms.append(run.ms)
        tally.last = max(tally.last, run.at)
    return list(by_hook.values())


def _runs(folder: Path) -> Iterator[Run]:
    for name in (NAME + ".1", NAME):
        try:
            lines = (folder / name).read_bytes().splitlines()
        except OSError:
            continue
        for line in lines:
            try:
                data = json.loads(line)
                yield Run(str(data["at"]), str(data["hook"]), str(data["result"]), str(data["why"]), float(data["ms"]))
            except (ValueError, KeyError, TypeError):  # a torn line counts for nothing
                continue
