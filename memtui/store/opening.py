"""Opening the tables: making what is missing, mending what is damaged."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from memtui.errors import MemtuiError, StoreError
from memtui.store.faults import Fault, fault_of
from memtui.store.repair import mend
from memtui.store.tables import CONTENTS, EVENTS, Tables

Lock = Callable[[], AbstractContextManager[None]]


def make_folder(folder: Path) -> None:
    """Make the folder of a store.

    Raises:
        StoreError: it can't be made.
        OSError: there is no space, or no permission; `faults` says so.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if fault_of(error) in (Fault.FULL, Fault.READ_ONLY):
            raise
        raise StoreError(
            f"The memory store's folder {folder} can't be made: {error.strerror or error}.",
            safe="Nothing was changed.",
            todo="Choose another folder with --home, MEMTUI_HOME or settings key 'store'.",
        ) from error


def open_tables(tables: Tables, load: Callable[[], None], lock: Lock) -> list[str]:
    """Open both tables and `load` them; returns sentences about what had to be mended.

    Nothing is locked unless something must be written.

    Raises:
        StoreError: they can be read in no version.
        Exception: what LanceDB raises when the machine and not the data is at fault.
    """
    try:
        _make_missing(tables, lock)
        load()
        return []
    except Exception as error:
        if not tables.place.local or fault_of(error) is not Fault.DAMAGED or isinstance(error, MemtuiError):
            raise
    with lock():
        mended = [mend(tables, name) for name in (EVENTS, CONTENTS)]
    load()
    return [str(what) for what in mended if what is not None]


def _make_missing(tables: Tables, lock: Lock) -> None:
    if all(_opens(tables, name) for name in (EVENTS, CONTENTS)):
        return
    with lock():
        for name in (CONTENTS, EVENTS):
            if not _opens(tables, name):
                tables.create(name)


def _opens(tables: Tables, name: str) -> bool:
    try:
        tables.open(name)
    except Exception as error:
        if fault_of(error) is not Fault.MISSING_TABLE:
            raise
        return False
    return True
