"""The compact snapshot beside the store: what hooks and `memtui skill recall` read without opening the database.

It is derived, written atomically after every change of a skill, and names the head of the ledger it was made from: a reader
that sees another head says that it is stale.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.skills.view import Found, Skill


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the snapshot gave.

    Attributes:
        stale: whether the ledger has gone on since it was written.
        with_meaning: whether vectors were used; otherwise words alone.
    """

    found: tuple[Found, ...]
    stale: bool
    with_meaning: bool


class SnapshotReader:
    """A snapshot of a home's skills. Imports neither lancedb nor pyarrow."""

    def __init__(self, folder: Path, head_file: Path | None) -> None:
        """Args:
        folder: the home's folder for skills.
        head_file: the head of the ledger (`HEAD_NAME` in the store's folder), or None for a store elsewhere.
        """
        self.folder = folder
        self.head_file = head_file

    @property
    def exists(self) -> bool:
        """Whether there is one that can be read."""
        raise NotImplementedError

    def skills(self, now: datetime) -> list[Skill]:
        """All that are not archived, at `now`, the strongest first."""
        raise NotImplementedError

    def recall(self, query: str, now: datetime, limit: int = 5, *, meaning: bool = False) -> Recalled:
        """The relevant skills for a query, by words; by meaning too if asked (that loads the embedder)."""
        raise NotImplementedError


def rebuild_in_background(home: Path | None) -> None:
    """Start a process of its own that makes the snapshot anew; returns at once and never raises."""
    raise NotImplementedError
