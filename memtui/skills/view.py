"""A skill as it is shown: what the ledger says of it, its words, and what the law leaves of it at a moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtui.errors import LedgerError
from memtui.memory.laws.strength import Stage
from memtui.memory.model import Outcome, Trust
from memtui.memory.moments import from_iso, to_iso
from memtui.memory.skill import Draft, body_text

UNVERIFIED: Final = "unverified"


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill at a moment.

    Attributes:
        id: the memory's id.
        trigger, steps, lessons: Markdown; may be empty.
        origin: who wrote it: "you", or the name of a tool or file.
        strength: 0.05..2 by the law.
        stage: active, stale or archived.
        uses: how often it was used, in any way.
        worked, failed: how often it was reported to have worked, and not to.
        last_used: the last use; its learning counts.
        archive_at: when it will be archived if nobody uses it; None when pinned or archived.
    """

    id: str
    slug: str
    title: str
    trigger: str
    steps: str
    lessons: str
    outcome: Outcome
    trust: Trust
    origin: str
    strength: float
    stage: Stage
    uses: int
    worked: int
    failed: int
    pinned: bool
    created_at: datetime
    last_used: datetime
    archive_at: datetime | None

    @property
    def archived(self) -> bool:
        """Whether it is out of recall."""
        return self.stage is Stage.ARCHIVED

    @property
    def trusted(self) -> bool:
        """Whether somebody stands behind it."""
        return self.trust is Trust.TRUSTED

    @property
    def draft(self) -> Draft:
        """Its words."""
        return Draft(self.title, self.trigger, self.steps, self.lessons, self.outcome, self.slug)

    @property
    def text(self) -> str:
        """Its canonical text."""
        return body_text(self.draft)

    def record(self) -> dict[str, Any]:
        """Every field as JSON-ready data; stable once shipped."""
        return {
            "id": self.id,
            "slug": self.slug,
            "title": self.title,
            "trigger": self.trigger,
            "steps": self.steps,
            "lessons": self.lessons,
            "outcome": self.outcome.value,
            "trust": self.trust.value,
            "origin": self.origin,
            "strength": round(self.strength, 6),
            "stage": self.stage.value,
            "uses": self.uses,
            "worked": self.worked,
            "failed": self.failed,
            "pinned": self.pinned,
            "created_at": to_iso(self.created_at),
            "last_used": to_iso(self.last_used),
            "archive_at": None if self.archive_at is None else to_iso(self.archive_at),
        }


def from_record(record: Mapping[str, Any]) -> Skill:
    """The skill of a record.

    Raises:
        LedgerError: a field is missing or wrong.
    """
    try:
        end = record["archive_at"]
        return Skill(
            id=str(record["id"]),
            slug=str(record["slug"]),
            title=str(record["title"]),
            trigger=str(record["trigger"]),
            steps=str(record["steps"]),
            lessons=str(record["lessons"]),
            outcome=Outcome(record["outcome"]),
            trust=Trust(record["trust"]),
            origin=str(record["origin"]),
            strength=float(record["strength"]),
            stage=Stage(record["stage"]),
            uses=int(record["uses"]),
            worked=int(record["worked"]),
            failed=int(record["failed"]),
            pinned=bool(record["pinned"]),
            created_at=from_iso(record["created_at"]),
            last_used=from_iso(record["last_used"]),
            archive_at=None if end is None else from_iso(end),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LedgerError(f"A skill's record can't be read: {error}.") from error


@dataclass(frozen=True, slots=True)
class Found:
    """A skill that recall found.

    Attributes:
        score: the fused rank, weighted by strength; the best first.
        words: share of the query's words found in it, by their weight: 0..1.
        meaning: cosine; 0 where words alone were searched.
        passed: whether it is relevant at all, not only the best there is.
    """

    skill: Skill
    score: float
    words: float
    meaning: float
    passed: bool

    def record(self) -> dict[str, Any]:
        """The skill's record with the parts of its rank."""
        rank = {"score": round(self.score, 4), "words": round(self.words, 4), "meaning": round(self.meaning, 4)}
        return self.skill.record() | rank | {"passed": self.passed}


@dataclass(frozen=True, slots=True)
class Near:
    """Two skills that say nearly the same.

    Attributes:
        cosine: of their titles and triggers.
        words: share of words in common (Jaccard): 0..1.
    """

    one: Skill
    other: Skill
    cosine: float
    words: float

    def record(self) -> dict[str, Any]:
        """Both slugs and how near they are."""
        pair = {"one": self.one.slug, "other": self.other.slug}
        return pair | {"cosine": round(self.cosine, 4), "words": round(self.words, 4)}


@dataclass(frozen=True, slots=True)
class Learnt:
    """What became of a draft.

    Attributes:
        skill: the new skill, or None when one that is there says nearly the same and `force` was not asked for.
        similar: skills that say nearly the same, the nearest first.
    """

    skill: Skill | None
    similar: tuple[Skill, ...] = ()


@dataclass(frozen=True, slots=True)
class Decayed:
    """What a look after the skills found and did.

    Attributes:
        archived: skills that went to the archive.
        stale: how many are stale now.
        active: how many are active now.
        file: where the archived ones were written in full before, or "".
    """

    archived: tuple[Skill, ...]
    stale: int
    active: int
    file: str = ""
