"""How the chores went: written by `memtui schedule run`, shown by `memtui schedule status`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from memtui.clock import wall_now
from memtui.errors import MemtuiError
from memtui.locations import Home
from memtui.memory.moments import to_iso
from memtui.store.durability import write_atomically

_FILE: Final = "schedule.json"


@dataclass
class Told:
    """What a chore said of itself, in a sentence."""

    said: str = ""


@contextmanager
def remembering(home: Home, chore: str) -> Iterator[Told]:
    """Write down how the chore went, whichever way the block ends."""
    told = Told()
    try:
        yield told
    except MemtuiError as error:
        _note(home, chore, str(error), ok=False)
        raise
    _note(home, chore, told.said, ok=True)


def last_runs(home: Home) -> dict[str, dict[str, Any]]:
    """The last run of each chore: when (`at`), what it said and whether it went well. {} when nothing is known."""
    with contextlib.suppress(OSError, ValueError):
        data = json.loads((home.data / _FILE).read_bytes())
        if isinstance(data, dict):
            return {chore: run for chore, run in data.items() if isinstance(run, dict) and {"at", "said"} <= run.keys()}
    return {}


def _note(home: Home, chore: str, said: str, *, ok: bool) -> None:
    runs = last_runs(home) | {chore: {"at": to_iso(wall_now()), "ok": ok, "said": said}}
    with contextlib.suppress(OSError):
        home.data.mkdir(parents=True, exist_ok=True)
        write_atomically(home.data / _FILE, json.dumps(runs, ensure_ascii=False).encode("utf-8", "replace"), durable=False)
