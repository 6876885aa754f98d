"""What the library's calls return: plain, frozen, without numpy. All moments are aware UTC."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime

from memtui.memory.model import Kind, RetireReason


@dataclass(frozen=True, slots=True)
class Kept:
    """One memory.

    Attributes:
        importance: 0..1.
        retention: what the law says is left of it; may exceed 1.
        recalls: how often it was accessed or told again.
        created_at: when it was told; `valid_from` since when it is true.
        fades_at: when the law lets go of it if nothing recalls it; None for never.
        sources: what it rests on, as `add` was told.
        retired_reason, retired_by: why it is out of recall, and for which memory; None while it is active.
    """

    id: str
    text: str
    kind: Kind
    importance: float
    retention: float
    recalls: int
    pinned: bool
    created_at: datetime
    valid_from: datetime
    last_recalled_at: datetime
    fades_at: datetime | None
    sources: tuple[str, ...]
    retired_reason: RetireReason | None = None
    retired_by: str | None = None

    @property
    def active(self) -> bool:
        """Whether it takes part in recall."""
        return self.retired_reason is None


@dataclass(frozen=True, slots=True)
class Found:
    """One memory that recall found.

    Attributes:
        relevance: the fused rank; only its order means something.
        words, meaning: BM25 relative to the best, 0..1; cosine.
        retention: what the law says is left.
        tokens: what it costs in a prompt, with an id and a date.
        against: ids of other memories found that it may contradict, as long as nobody has settled it.
        passed: False for what is only here because it may contradict what was found.
    """

    id: str
    text: str
    relevance: float
    words: float
    meaning: float
    retention: float
    tokens: int
    created_at: datetime
    valid_from: datetime
    against: tuple[str, ...] = ()
    passed: bool = True


@dataclass(frozen=True, slots=True)
class SleepOutcome:
    """What a sleep pass did.

    Attributes:
        merged: memories that went into another: repeats and duplicates.
        superseded: memories a newer one replaced.
        pruned: memories the law let go of.
        unsure: pairs the judge was in doubt about; both stay.
        active: memories left.
        block: what `undo` takes back.
        problem: what went wrong with the mind, or "".
    """

    merged: int
    superseded: int
    pruned: int
    unsure: int
    active: int
    block: str | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fade:
    """When the law lets go of a memory that nothing recalls."""

    id: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will be of the active memories if nothing is told or recalled, in closed form.

    Attributes:
        active: how many are active now, those included that are due already and wait for a sleep pass.
        fades: who is let go of up to `until`, the first first.
    """

    now: datetime
    until: datetime
    active: int
    fades: tuple[Fade, ...]

    def active_at(self, moment: datetime) -> int:
        """How many the law still holds at an aware `moment` within the horizon."""
        return self.active - bisect_right(self.fades, moment, key=lambda fade: fade.at)

    def curve(self, steps: int = 30) -> tuple[tuple[datetime, int], ...]:
        """`steps` + 1 moments, evenly from `now` to `until`, each with how many the law still holds."""
        steps = max(1, steps)
        moments = (self.now + (self.until - self.now) * step / steps for step in range(steps + 1))
        return tuple((moment, self.active_at(moment)) for moment in moments)
