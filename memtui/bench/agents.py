"""The agents a scenario is played through: memtui, and the two everybody compares with.

`naive` keeps every turn verbatim and recalls the k nearest by cosine, with memtui's own embedder; `window` has the last N.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import numpy as np

from memtui.chat.nights import nights_between
from memtui.chat.prompting import build_prompt
from memtui.chat.recalling import LINE_COST
from memtui.chat.steps import Failed, Learned
from memtui.memory.frame import Vectors
from memtui.minds.base import Embedder, Remembered
from memtui.minds.tokens import count_tokens
from memtui.sessions.lines import UserTurn

if TYPE_CHECKING:
    from memtui.chat.companion import Companion


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory that would reach the prompt.

    Attributes:
        sources: ids of the user turns it rests on.
        passed: whether it passed a relevance gate (an agent without one: always).
        tokens: what it costs in the prompt.
        as_prompted: what a prompt gets of it.
    """

    text: str
    sources: tuple[str, ...]
    passed: bool
    tokens: int
    as_prompted: Remembered


class Agent(Protocol):
    """Something that hears turns and is asked what it would recall."""

    name: str

    async def hear(self, turn: UserTurn) -> int:
        """Take one turn in; returns the memory tokens its prompt would have cost."""
        ...

    async def shown(self, question: str, at: datetime) -> list[Shown]:
        """What recall would put into the prompt, best first. Changes nothing."""
        ...

    @property
    def active(self) -> int:
        """Memories it holds."""
        ...


class MemtuiAgent:
    """memtui itself, on a scratch store, asleep each simulated night."""

    name = "memtui"

    def __init__(self, companion: Companion) -> None:
        self.companion = companion

    async def hear(self, turn: UserTurn) -> int:
        """One turn through the companion; the nights in front of it are slept.

        A turn whose extraction failed is taken back as a whole: it leaves no memory and reinforces none.
        """
        companion = self.companion
        await self._stand_at(turn.at)
        unlearned, block = False, ""
        async with aclosing(companion.turn(turn.text, given_reply="", turn_id=turn.id)) as steps:
            async for step in steps:
                if isinstance(step, Failed) and step.stage == "extract":
                    unlearned = True
                elif isinstance(step, Failed):
                    raise step.error
                elif isinstance(step, Learned):
                    block = step.block
        if unlearned and block:
            await companion.undo(block)
        recollection = companion.last_recollection
        return 0 if recollection is None else recollection.tokens

    async def shown(self, question: str, at: datetime) -> list[Shown]:
        """What recall gives at `at`."""
        await self._stand_at(at)
        frame = self.companion.store.frame
        recollection = await self.companion.recall_for(question)
        prompted = build_prompt(self.companion, recollection, question, at).memories
        return [
            Shown(memory.text, frame.memories[item.row].sources, item.passed, item.tokens, memory)
            for item, memory in zip(recollection.items, prompted, strict=True)
        ]

    @property
    def active(self) -> int:
        """Active memories."""
        return int(self.companion.store.frame.active.sum())

    async def _stand_at(self, moment: datetime) -> None:
        companion = self.companion
        if nights_between(companion.clock.now(), moment, 1):
            await companion.warp_to(moment)
        companion.clock.never_before(moment)


class _Told:
    """Turns kept verbatim."""

    def __init__(self) -> None:
        self.turns: list[UserTurn] = []

    @property
    def active(self) -> int:
        """Turns held."""
        return len(self.turns)

    @staticmethod
    def _shown(turn: UserTurn) -> Shown:
        prompted = Remembered(turn.id, turn.text, turn.at, turn.at)
        return Shown(turn.text, (turn.id,), True, count_tokens(turn.text) + LINE_COST, prompted)


class NaiveAgent(_Told):
    """Every turn, never forgotten; the `k` nearest by cosine."""

    def __init__(self, k: int, embedder: Embedder) -> None:
        super().__init__()
        self.name = f"naive{k}"
        self._k = k
        self._embedder = embedder
        self._vectors: list[Vectors] = []

    async def hear(self, turn: UserTurn) -> int:
        """Keep the turn."""
        spent = sum(shown.tokens for shown in await self.shown(turn.text, turn.at))
        self.turns.append(turn)
        self._vectors.append((await self._embedder.embed([turn.text]))[0])
        return spent

    async def shown(self, question: str, at: datetime) -> list[Shown]:
        """The k nearest turns."""
        if not self.turns:
            return []
        query = (await self._embedder.embed([question]))[0]
        order = np.argsort(-(np.array(self._vectors) @ query), kind="stable")[: self._k]
        return [self._shown(self.turns[i]) for i in order.tolist()]


class WindowAgent(_Told):
    """The last `size` turns, first in first out."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.name = f"window{size}"
        self._size = size

    async def hear(self, turn: UserTurn) -> int:
        """Keep the turn, drop the oldest beyond the window."""
        spent = sum(self._shown(kept).tokens for kept in self.turns)
        self.turns = [*self.turns, turn][-self._size :]
        return spent

    async def shown(self, question: str, at: datetime) -> list[Shown]:
        """All that is left, newest first."""
        return [self._shown(turn) for turn in reversed(self.turns)]
