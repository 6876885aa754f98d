"""What is to be done when, and the command that does it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from memtui.locations import Home, own_command, system_home


@dataclass(frozen=True, slots=True)
class Chore:
    """Something done at a fixed hour of the machine's own time.

    Attributes:
        name: what `memtui schedule run` calls it.
        what: a few words for people.
        hour, minute: local time.
        weekday: 0 is Sunday; None is every day.
    """

    name: str
    what: str
    hour: int
    minute: int
    weekday: int | None = None


CHORES: Final = (
    Chore("decay", "skills fade: idle ones become stale, then archived", 4, 15),
    Chore("export", "the vault is written", 4, 30, weekday=0),
)
"""Decay every day at 04:15, export on Sundays at 04:30 (issue E)."""


@dataclass(frozen=True, slots=True)
class Job:
    """A chore of one home, as a scheduler takes it.

    Attributes:
        name: unique on the machine: two homes do not take each other's place.
        command: program and arguments; nothing in it is for a shell.
    """

    name: str
    chore: Chore
    command: tuple[str, ...]

    @property
    def title(self) -> str:
        """A few words for people."""
        return f"memtui: {self.chore.what}"


def jobs(home: Home) -> tuple[Job, ...]:
    """The jobs of a home; one that was named by hand has a mark of its path in its jobs' names."""
    mark = "" if home == system_home() else f"-{hashlib.sha256(str(home.data).encode()).hexdigest()[:6]}"
    return tuple(
        Job(f"memtui-{chore.name}{mark}", chore, (*own_command(home), "schedule", "run", chore.name)) for chore in CHORES
    )
