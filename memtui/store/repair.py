"""A table that does not open: set its newest versions aside until one can be read wholly.

After a power cut a manifest may be empty, cut or all zeros. LanceDB writes a new manifest for every commit and keeps the
older ones, so taking the newest away falls back by one commit. Nothing is deleted: what is set aside lies in `quarantine`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memtui.errors import StoreError
from memtui.store.durability import sync_folder
from memtui.store.faults import Fault, fault_of, store_error
from memtui.store.tables import Tables, scan

QUARANTINE: Final = "quarantine"
_INVERTED: Final = 2**64 - 1
"""LanceDB names a manifest by this minus its version, so that the newest sorts first."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What a repair did.

    Attributes:
        table: the table's name.
        versions: the versions set aside, newest first.
        folder: where they lie now.
    """

    table: str
    versions: tuple[int, ...]
    folder: Path

    def __str__(self) -> str:
        """One sentence for the person."""
        count = len(self.versions)
        return (
            f"The last {'change' if count == 1 else f'{count} changes'} to the table '{self.table}' could not be read "
            f"and {'was' if count == 1 else 'were'} set aside in {self.folder}; what was written before is intact."
        )


def mend(tables: Tables, name: str) -> Mended | None:
    """Make a table of a local store readable; None when it is readable as it is. The write lock must be held.

    Raises:
        StoreError: no version can be read (all are put back), or the machine is at fault and not the data.
    """
    folder = tables.place.folder
    error = _readable(tables, name)  # once more, in a new connection, and every column of it
    if error is None:
        return None
    if folder is None or fault_of(error) is not Fault.DAMAGED:
        raise store_error(error, "opening the store") from error
    aside = folder / QUARANTINE
    versions_folder = folder / f"{name}.lance" / "_versions"
    moved: list[tuple[Path, Path]] = []
    try:
        for manifest in _manifests(versions_folder):
            aside.mkdir(exist_ok=True)
            target = _free_name(aside, f"{name}-{_version(manifest)}.manifest")
            manifest.rename(target)
            moved.append((manifest, target))
            if _manifests(versions_folder) and _readable(tables, name) is None:
                for place in (versions_folder, aside, folder):
                    sync_folder(place)
                return Mended(name, tuple(_version(source) for source, _ in moved), aside)
    except OSError as problem:
        _put_back(moved)
        raise store_error(problem, "repairing the store") from problem
    _put_back(moved)
    raise StoreError(
        f"The table '{name}' of the memory store can't be read, in none of its versions.",
        safe="Nothing was deleted or changed.",
        todo=f"Restore {folder} from a backup, or open another home with --home.",
    ) from error


def _readable(tables: Tables, name: str) -> Exception | None:
    """What a full scan in a new connection fails with, or None."""
    try:
        tables.connect()
        scan(tables, name)
    except Exception as error:  # whatever the database raises, panics of its own among them: that is the question
        return error
    return None


def _manifests(folder: Path) -> list[Path]:
    """The manifests of a table, newest version first."""
    return sorted((path for path in folder.glob("*.manifest") if path.stem.isdigit()), key=_version, reverse=True)


def _version(manifest: Path) -> int:
    number = int(manifest.stem)
    return _INVERTED - number if number > _INVERTED // 2 else number


def _free_name(folder: Path, name: str) -> Path:
    target, count = folder / name, 1
    while target.exists():
        count += 1
        target = folder / f"{name}.{count}"
    return target


def _put_back(moved: list[tuple[Path, Path]]) -> None:
    for source, target in moved:
        target.rename(source)
