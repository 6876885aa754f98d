"""What a memory is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memtui.memory.uses import Uses


class Kind(StrEnum):
    """What sort of memory; it decides the half-life."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    CONSOLIDATED = "consolidated"
    PROCEDURAL = "procedural"

    @property
    def letter(self) -> str:
        """The letter the panel shows."""
        return self.value[0].upper()


KINDS: tuple[Kind, ...] = tuple(Kind)
"""All kinds; the position is the code in the frame's `kind` column."""


class Status(StrEnum):
    """Whether a memory takes part in recall."""

    ACTIVE = "active"
    RETIRED = "retired"


class RetireReason(StrEnum):
    """Why a memory was retired. Retired is never deleted: it can be explained and restored."""

    SUPERSEDED = "superseded"
    MERGED = "merged"
    DUPLICATE = "duplicate"
    PRUNED = "pruned"
    FORGOTTEN = "forgotten"
    ARCHIVED = "archived"


class Outcome(StrEnum):
    """How it went the way a skill tells; there is nothing else."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"


class Trust(StrEnum):
    """Whether a person stands behind a skill. What came from a tool or a file is untrusted until somebody approves it."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


@dataclass(frozen=True, slots=True)
class SkillMark:
    """What makes a procedural memory a skill; title, trigger, steps and lessons are its text (`memory.skill`).

    Attributes:
        slug: its name, unique among the skills of a store.
        origin: who wrote it: "you", the name of a tool or of a file.
        worked, failed: how often it was reported to have worked and to have failed.
    """

    slug: str
    outcome: Outcome
    trust: Trust
    origin: str
    worked: int = 0
    failed: int = 0

    def record(self) -> dict[str, object]:
        """Every field as JSON-ready data."""
        return {
            "slug": self.slug,
            "outcome": self.outcome.value,
            "trust": self.trust.value,
            "origin": self.origin,
            "worked": self.worked,
            "failed": self.failed,
        }


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as the ledger's events leave it. Immutable; texts are named by hash, never held.

    Attributes:
        id: ULID, made by the app.
        content: hash of the text.
        note: hash of the note (importance's reason, supporting words, slot value), or None.
        importance: 0..1.
        created_at: when it was told (simulated).
        valid_from: since when it is true ("three weeks ago I moved").
        last_recall: when it was last given to a prompt, or told again; birth counts.
        recalls: how often since birth.
        sources: ids of the user turns it rests on.
        merged_from: ids of the memories a consolidated one stands for.
        subject: whose fact ("user", a name, "project").
        slot: the single-valued or multi-valued slot it fills, or None.
        retired_by: id of the memory that superseded or absorbed it, or None.
        retire_note: hash of the reason's text, or None.
        uses: when it was recalled, as far as known; None before the first time. `recalls` says how often.
        skill: what makes it a skill, or None.
    """

    id: str
    kind: Kind
    content: str
    note: str | None
    importance: float
    created_at: datetime
    valid_from: datetime
    last_recall: datetime
    recalls: int = 0
    pinned: bool = False
    sources: tuple[str, ...] = ()
    merged_from: tuple[str, ...] = ()
    subject: str = "user"
    slot: str | None = None
    status: Status = Status.ACTIVE
    retired_at: datetime | None = None
    retired_reason: RetireReason | None = None
    retired_by: str | None = None
    retire_note: str | None = None
    uses: Uses | None = None
    skill: SkillMark | None = None

    @property
    def active(self) -> bool:
        """Whether it takes part in recall."""
        return self.status is Status.ACTIVE


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a mind found worth keeping in one user turn; not yet a memory.

    Attributes:
        text: the fact, self-contained, in the user's language.
        why: the reason for the importance, shown in the detail card.
        support: the words of the turn that support it; a candidate without support in its turn is dropped.
        valid_from: since when it is true, resolved against the turn's date.
        value: the slot's value in the turn's words, or None.
    """

    text: str
    kind: Kind
    importance: float
    why: str
    support: str
    valid_from: datetime
    subject: str = "user"
    slot: str | None = None
    value: str | None = None


class Label(StrEnum):
    """How an older and a newer memory relate (FORMATS: labelled pairs)."""

    SUPERSEDES = "supersedes"
    ADDITIVE = "additive"
    DUPLICATE = "duplicate"
    UNRELATED = "unrelated"


YOU = "you"
"""The name of the judge where the person decided: such a verdict beats every mind's."""


class Answer(StrEnum):
    """What the person says of two memories that may contradict each other."""

    REPLACED = "replaced"
    BOTH = "both"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge decided about an older and a newer text; the reason comes before the label.

    Attributes:
        confidence: 0..1, how sure; offline it is the pair model's probability.
    """

    reason: str
    label: Label
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Summary:
    """One text that stands for several memories, with the reason it may."""

    text: str
    reason: str
