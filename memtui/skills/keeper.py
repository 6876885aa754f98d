"""What skills need of the memory they are kept in; a companion is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from memtui.clock import SimClock
from memtui.memory.events import Body, Event
from memtui.memory.frame import Vectors
from memtui.memory.laws.apart import SkillsApart
from memtui.minds.base import Mind

if TYPE_CHECKING:
    from memtui.store.memory_store import MemoryStore


class Keeper(Protocol):
    """An open memory."""

    @property
    def store(self) -> MemoryStore:
        """Where it is kept."""
        ...

    @property
    def clock(self) -> SimClock:
        """Its simulated clock."""
        ...

    @property
    def mind(self) -> Mind:
        """Whose embedder made its vectors."""
        ...

    @property
    def law(self) -> SkillsApart:
        """The law it is read by."""
        ...

    async def change(
        self,
        bodies: Sequence[Body],
        command: str,
        *,
        texts: dict[str, str] | None = None,
        vectors: dict[str, Vectors] | None = None,
    ) -> list[Event]:
        """Append bodies as one block at the clock's moment, and note the command that does the same."""
        ...
