"""Memory as it is looked at: now, or as it was at a moment of the past.

What the screen and the commands tell of a memory they read through a `Sight`, so that the card of a memory says then what
it would have said then. Looking back writes nothing: it has no way to.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memtui.chat.prompting import build_prompt
from memtui.chat.recalling import cue_of, recall_in
from memtui.memory.conflicts import Conflict
from memtui.memory.events import Event
from memtui.memory.frame import Frame
from memtui.memory.moments import to_us
from memtui.memory.recall import Recollection
from memtui.memory.texts import clean
from memtui.minds.base import Delta

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.memory.laws import Law
    from memtui.store.as_of import Past


class Sight(Protocol):
    """What can be told of memory at one moment."""

    @property
    def frame(self) -> Frame:
        """The memories there are."""
        ...

    @property
    def law(self) -> Law:
        """The law of forgetting."""
        ...

    @property
    def moment(self) -> datetime:
        """The moment, aware."""
        ...

    def text(self, content: str) -> str:
        """The text of a content hash; "" when it is unknown or erased."""
        ...

    def handle(self, memory: str) -> str:
        """The short name the screen shows, such as `m31`; the same at every moment."""
        ...

    def conflicts(self) -> list[Conflict]:
        """The open conflicts."""
        ...

    def events_of(self, memory: str) -> Sequence[Event]:
        """What has happened to a memory, in order, undone things included."""
        ...

    def undone(self) -> Collection[str]:
        """Blocks that do not count."""
        ...

    def block_of(self, event: Event) -> Sequence[Event]:
        """The events of the operation one belongs to, in order."""
        ...

    def before(self, event: Event) -> Frame:
        """The memories as they stood in front of the operation an event belongs to."""
        ...

    def turn_number(self, turn: str) -> int | None:
        """Which user turn an id names, from 1; None if it names none."""
        ...


class Present:
    """Memory now."""

    def __init__(self, companion: Companion) -> None:
        self._companion = companion

    @property
    def frame(self) -> Frame:
        """The memories there are."""
        return self._companion.store.frame

    @property
    def law(self) -> Law:
        """The law of forgetting."""
        return self._companion.law

    @property
    def moment(self) -> datetime:
        """Now."""
        return self._companion.clock.now()

    def text(self, content: str) -> str:
        """The text of a content hash."""
        return self._companion.store.text(content)

    def handle(self, memory: str) -> str:
        """The short name the screen shows."""
        return self._companion.handle(memory)

    def conflicts(self) -> list[Conflict]:
        """The open conflicts."""
        return self._companion.conflicts()

    def events_of(self, memory: str) -> Sequence[Event]:
        """What has happened to a memory."""
        return self._companion.store.state.history.get(memory, [])

    def undone(self) -> Collection[str]:
        """Blocks that do not count."""
        return self._companion.store.state.undone()

    def block_of(self, event: Event) -> Sequence[Event]:
        """The events of the operation one belongs to."""
        return self._companion.store.state.blocks[event.block]

    def before(self, event: Event) -> Frame:
        """The memories as they stood in front of it."""
        return self._companion.store.before(event).frame

    def turn_number(self, turn: str) -> int | None:
        """Which user turn an id names."""
        return _turn_number(self._companion, turn)


class Then:
    """Memory as it was at a moment; good until the next append or refresh.

    Attributes:
        past: the store's own view.
    """

    def __init__(self, companion: Companion, moment: datetime) -> None:
        self._companion = companion
        self.past: Past = companion.store.as_of(moment)

    @property
    def frame(self) -> Frame:
        """The memories there were."""
        return self.past.frame

    @property
    def law(self) -> Law:
        """The law of forgetting, by which what was left then is computed."""
        return self._companion.law

    @property
    def moment(self) -> datetime:
        """The moment looked at."""
        return self.past.moment

    def text(self, content: str) -> str:
        """The text of a content hash."""
        return self._companion.store.text(content)

    def handle(self, memory: str) -> str:
        """The short name the screen shows."""
        return f"m{self.frame.row(memory) + 1:02d}"

    def conflicts(self) -> list[Conflict]:
        """The conflicts that were open."""
        return self.past.conflicts(self._companion.sleep_policy)

    def events_of(self, memory: str) -> Sequence[Event]:
        """What had happened to a memory."""
        return self.past.events_of(memory)

    def undone(self) -> Collection[str]:
        """Blocks that did not count."""
        return self.past.undone()

    def block_of(self, event: Event) -> Sequence[Event]:
        """The events of the operation one belongs to."""
        return self._companion.store.state.blocks[event.block]

    def before(self, event: Event) -> Frame:
        """The memories as they stood in front of it."""
        return self._companion.store.before(event).frame

    def turn_number(self, turn: str) -> int | None:
        """Which user turn an id names."""
        return _turn_number(self._companion, turn)

    def counts(self) -> tuple[int, int]:
        """How many memories were active, how many retired."""
        active = int(self.frame.active.sum())
        return active, len(self.frame) - active - len(self.frame.dropped_rows())

    async def recall_for(self, text: str) -> Recollection:
        """What recall would have put into the prompt for `text` then. Writes nothing and reinforces nothing.

        Raises:
            MindError: the embedder did not answer.
        """
        cue = replace(await cue_of(self._companion, clean(text), self.past.search_words), asks=True)
        return await asyncio.to_thread(
            recall_in,
            self._companion,
            self.frame,
            cue,
            to_us(self.moment),
            self.conflicts(),
            self.past.both_stand,
        )

    async def reply_to(self, text: str, recollection: Recollection) -> AsyncIterator[Delta]:
        """What the mind says to `text` from what it would have known then; nothing is kept or recorded.

        Raises:
            MindError: the mind did not answer.
        """
        prompt = build_prompt(self._companion, recollection, clean(text), self.moment, self)
        async for delta in self._companion.mind.reply(prompt):
            yield delta


def _turn_number(companion: Companion, turn: str) -> int | None:
    turns = companion.store.state.turns
    return list(turns).index(turn) + 1 if turn in turns else None
