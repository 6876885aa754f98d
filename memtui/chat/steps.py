"""What a turn tells whoever watches it, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from memtui.errors import MemtuiError
    from memtui.memory.recall import Recollection
    from memtui.memory.sleep.plan import Plan
    from memtui.minds.base import Delta

Progress: TypeAlias = Callable[[float, str], None]
"""Called with the share done (0..1) and what is being done."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The user's turn is on disk. `text` is what was kept; `masked` secrets were taken out of it."""

    turn_id: str
    at: datetime
    text: str
    masked: int


@dataclass(frozen=True, slots=True)
class RecalledFor:
    """What recall chose for the prompt."""

    recollection: Recollection


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of the reply."""

    delta: Delta


@dataclass(frozen=True, slots=True)
class Replied:
    """The reply is complete (or was interrupted) and on disk."""

    text: str
    at: datetime
    interrupted: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """The turn's events are committed."""

    created: tuple[str, ...]
    reinforced: tuple[str, ...]
    block: str


@dataclass(frozen=True, slots=True)
class SleepReport:
    """What a sleep pass did. `block` is what `undo` takes back; None when there was nothing to do.

    `beyond` says that more memories are left than the law has room for, and why; "" when they fit.
    """

    plan: Plan
    at: datetime
    block: str | None
    beyond: str = ""

    @property
    def sentence(self) -> str:
        """One line for people."""
        from memtui.memory.sleep.plan import Action

        plan = self.plan
        merged = plan.count(Action.MERGE, Action.DUPLICATE)
        retired, pruned = plan.count(Action.SUPERSEDE), plan.count(Action.PRUNE)
        said = f"Slept: {merged} merged, {retired} retired by newer facts, {pruned} faded."
        if not plan.items:
            said = "Slept: nothing to merge, retire or prune."
        return f"{said} {self.beyond}".rstrip()


@dataclass(frozen=True, slots=True)
class WarpReport:
    """Where a warp ended and the nights it ran."""

    start: datetime
    end: datetime
    nights: tuple[SleepReport, ...]
    cancelled: bool


@dataclass(frozen=True, slots=True)
class Slumbered:
    """A sleep pass ran because a threshold was crossed or a night went by."""

    report: SleepReport


@dataclass(frozen=True, slots=True)
class Failed:
    """Something did not work; what was said before is kept. `stage`: hear, recall, reply, extract, store, sleep."""

    error: MemtuiError
    stage: str


Step: TypeAlias = Heard | RecalledFor | Said | Replied | Learned | Slumbered | Failed
