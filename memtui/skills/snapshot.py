"""Reading the compact snapshot beside the store: what hooks and `memtui skill recall` use without opening the database.

It is derived: written atomically after every change of a skill by whoever has the memory open (`skills.keeping`), and it
names the head of the ledger it was made from. A reader that sees another head says that it is stale.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from memtui.clock import wall_now
from memtui.locations import Home, own_command
from memtui.memory.frame import Bools, Floats, Vectors
from memtui.memory.laws.strength import Stage
from memtui.memory.ledger import GENESIS, Head
from memtui.memory.moments import from_us, to_iso, to_us
from memtui.memory.skill_search import rank, words_share
from memtui.memory.words import stems
from memtui.skills.snapshot_file import SNAPSHOT_NAME, SnapshotFile, read_stamp, settings_digest
from memtui.skills.view import Found, Skill, from_record

REFRESHING_NAME: Final = "refreshing"
_REFRESH_EVERY_S: Final = 60.0
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the snapshot gave.

    Attributes:
        found: the best first.
        stale: whether the ledger has gone on since it was written.
        with_meaning: whether vectors were used; otherwise words alone.
    """

    found: tuple[Found, ...]
    stale: bool
    with_meaning: bool


class SnapshotReader:
    """A snapshot of a home's skills. Imports neither lancedb nor pyarrow."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._file: SnapshotFile | None = None
        try:
            self._file = SnapshotFile(home.skills / SNAPSHOT_NAME)
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            self._file = None

    @property
    def exists(self) -> bool:
        """Whether there is one that can be read."""
        return self._file is not None

    @property
    def quick(self) -> bool:
        """Whether meaning costs milliseconds: a kit of the embedder lies beside the snapshot (`minds.offline.quick`)."""
        return kit_folder(self.home).is_dir()

    @property
    def stale(self) -> bool:
        """Whether the ledger has gone on since it was written, or the settings name another store or law."""
        if self._file is None:
            return True
        header = self._file.header
        if header.settings != settings_digest(self.home.settings_file, os.environ):
            return True
        if not header.store:
            return False  # a store elsewhere has no head to look at
        now = _read_head(Path(header.store))
        stamp = read_stamp(self.home.skills, header.digest)
        return now is None or (now.length, now.hash) not in [
            (head.length, head.hash) for head in (header.head, stamp) if head is not None
        ]

    def now(self) -> datetime:
        """Simulated now, as far as the snapshot knows."""
        offset = 0.0 if self._file is None else self._file.header.offset_s
        return wall_now() + timedelta(seconds=offset)

    def skills(self, now: datetime) -> list[Skill]:
        """All that are not archived, at `now`, the strongest first."""
        if self._file is None:
            return []
        left = self._left(self._file, now)
        kept = [self._skill(self._file, row, left, now) for row in range(len(self._file))]
        return sorted((skill for skill in kept if not skill.archived), key=lambda skill: (-skill.strength, skill.slug))

    def strongest(self, now: datetime, most: int) -> tuple[list[Skill], int, int]:
        """The strongest trusted skills at `now`, and how many trusted and untrusted ones there are; archived ones apart.

        Only the records that are given are read in full: it stands on a hook's way.
        """
        file = self._file
        if file is None:
            return [], 0, 0
        there, left = self._there(file, now), self._left(file, now)
        trusted = np.array([file.says_trusted(row) for row in range(len(file))], np.bool_)
        rows = np.flatnonzero(there & trusted)
        best = rows[np.argsort(-left[rows], kind="stable")[:most]].tolist()
        return [self._skill(file, row, left, now) for row in best], int(rows.size), int((there & ~trusted).sum())

    def recall(self, query: str, now: datetime, limit: int = 5, *, meaning: bool = False) -> Recalled:
        """The best skills for a query at `now`, by words; by meaning too if asked (about a second where it is not `quick`).

        What is no hit at all is left out; `Found.passed` says what is relevant.
        """
        file = self._file
        if file is None or not len(file):
            return Recalled((), self.stale, meaning)
        there = self._there(file, now)
        words = np.where(there, words_share(file, stems(query)), 0.0)
        cosine: Floats | None = None
        if meaning:
            cosine = np.where(there, (file.vectors @ self._embedded(query)).astype(np.float64), -1.0)
        left = self._left(file, now)
        found = rank(words, cosine, left, limit)
        items = [
            Found(self._skill(file, row, left, now), float(score), float(w), float(m), bool(passed))
            for row, score, w, m, passed in zip(
                found.rows.tolist(), found.score, found.words, found.meaning, found.passed, strict=True
            )
            if there[row]
        ]
        return Recalled(tuple(items), self.stale, meaning)

    def _embedded(self, query: str) -> Vectors:
        from memtui.minds.offline.quick import QuickEmbedder

        try:
            return QuickEmbedder(kit_folder(self.home)).embed(query)
        except (OSError, ValueError, KeyError, ImportError, AttributeError, TypeError):
            from memtui.minds.offline.embedder import LocalEmbedder

            vector: Vectors = LocalEmbedder().embed_now([query])[0]
            return vector

    def _left(self, file: SnapshotFile, now: datetime) -> Floats:
        return file.header.law.left(file.strength, file.last_use, to_us(now))

    def _there(self, file: SnapshotFile, now: datetime) -> Bools:
        """Which are not archived at `now`."""
        ends = file.last_use + round(file.header.law.archive_days * 86_400_000_000)
        return np.asarray(file.pinned | (ends > to_us(now)), np.bool_)

    def _skill(self, file: SnapshotFile, row: int, left: Floats, now: datetime) -> Skill:
        law, last, pinned = file.header.law, int(file.last_use[row]), bool(file.pinned[row])
        stage = law.stage_after(last, to_us(now))
        if pinned and stage is Stage.ARCHIVED:
            stage = Stage.STALE
        ends = None if pinned or stage is Stage.ARCHIVED else to_iso(from_us(last) + law.archive_days * _DAY)
        return from_record(file.record(row) | {"strength": float(left[row]), "stage": stage.value, "archive_at": ends})


def kit_folder(home: Home) -> Path:
    """Where the kit of the embedder lies that is installed."""
    from memtui.minds.offline.quick import kit_name

    return home.skills / "embedder" / kit_name()


def refresh_in_background(home: Home) -> bool:
    """Start a process of its own that makes the snapshot anew, at most one a minute; True if one was started.

    Returns at once and never raises: a hook must not fail because of it.
    """
    mark = home.skills / REFRESHING_NAME
    try:
        if mark.exists() and wall_now().timestamp() - mark.stat().st_mtime < _REFRESH_EVERY_S:
            return False
        home.skills.mkdir(parents=True, exist_ok=True)
        mark.write_bytes(b"")
        subprocess.Popen(
            [*own_command(home), "skill", "refresh"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    return True


def _read_head(path: Path) -> Head | None:
    """The head of the ledger; an empty ledger's where there is none."""
    try:
        said = json.loads(path.read_bytes())
        return Head(int(said["length"]), str(said["hash"]))
    except FileNotFoundError:
        return Head(0, GENESIS)
    except (OSError, ValueError, KeyError, TypeError):
        return None
