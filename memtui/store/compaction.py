"""Keeping tables quick: every append makes a fragment, and a hundred of them slow reads and searches down."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memtui.store.faults import Fault, fault_of
from memtui.store.tables import CONTENTS, EVENTS, Tables

FRAGMENTS: Final = 100
FRAGMENTS_MANY_ROWS: Final = 200
MANY_ROWS: Final = 100_000
KEEP: Final = timedelta(minutes=30)
"""How long old versions stay, so that whoever is reading one can finish, and a repair has something to fall back on."""
_TRIES: Final = 4


def is_due(tables: Tables, name: str) -> bool:
    """Whether a table lies in so many fragments that compacting pays."""
    limit = FRAGMENTS_MANY_ROWS if tables.count(name) >= MANY_ROWS else FRAGMENTS
    return tables.fragments(name) >= limit


def compact(tables: Tables) -> None:
    """Merge fragments, drop old versions, bring the index up to date. The write lock must be held."""
    for name in (CONTENTS, EVENTS):
        for tries_left in reversed(range(_TRIES)):
            table = tables.open(name)
            table.checkout_latest()  # on a stale handle `optimize` silently does nothing
            try:
                table.optimize(cleanup_older_than=KEEP)
                break
            except Exception as error:  # untyped; anything but a conflict goes up
                if fault_of(error) is not Fault.CONFLICT or tries_left == 0:
                    raise
    tables.connect()  # handles that have seen a compaction keep files and memory
