"""One side of a comparison of lives: state, frame and events, folded together in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from memtui.memory.events import Body, Event
from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.state import State
from memtui.memory.texts import content_hash, same_key


class Side:
    """A fold of events with its law. It has no vectors: nothing is searched in it by meaning.

    Attributes:
        events: what made it. A branch's events are in no chain: their hashes are empty.
        active: how many memories are active.
    """

    def __init__(self, law: Law, text_of: Callable[[str], str]) -> None:
        self.law = law
        self.state = State()
        self.frame = Frame(0)
        self.events: list[Event] = []
        self.active = 0
        self._text_of = text_of
        self._own_texts: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._words: dict[str, dict[str, None]] = {}  # same words -> ids of the active memories that say them

    def text(self, content: str) -> str:
        """The text of a content hash, "" where it is unknown."""
        return self._own_texts.get(content) or self._text_of(content)

    def name(self, text: str) -> str:
        """The hash of a text of this side's own."""
        digest = content_hash(text)
        self._own_texts[digest] = text
        return digest

    def is_active(self, memory: str) -> bool:
        """Whether a memory is there and active."""
        known = self.state.memories.get(memory)
        return known is not None and known.active

    def same_words(self, memory: str) -> list[str]:
        """Ids of the active memories that say the same, this one among them."""
        known = self.state.memories.get(memory)
        return list(self._words.get(self._key(known.content), ())) if known is not None else []

    def share(self, memory: str, other: Side) -> None:
        """Hold the other side's equal object in place of an own one: what is one object is compared in no time."""
        known = other.state.memories.get(memory)
        if known is not None:
            self.state.memories[memory] = known

    def append(self, bodies: Sequence[Body], *, at: datetime, block: str) -> list[str]:
        """Fold bodies as one operation; returns the ids that changed."""
        first = len(self.events)
        return self.fold([Event(first + i, at, block, body, "", "") for i, body in enumerate(bodies)])

    def fold(self, events: Sequence[Event]) -> list[str]:
        """Fold events; returns the ids that changed."""
        touched: list[str] = []
        for event in events:
            self.events.append(event)
            for memory in self.state.apply(event):
                self._show(memory)
                touched.append(memory)
        return touched

    def _show(self, memory: str) -> None:
        frame, known = self.frame, self.state.memories.get(memory)
        row = frame.row(memory) if memory in frame else None
        was = frame.memories[row].content if row is not None and frame.active[row] else None
        now = known.content if known is not None and known.active else None
        if known is None:
            frame.drop(memory)
        else:
            frame.upsert(known, self.text(known.content))
        self.active += (now is not None) - (was is not None)
        if was != now:
            if was is not None:
                self._words.get(self._key(was), {}).pop(memory, None)
            if now is not None:
                self._words.setdefault(self._key(now), {})[memory] = None

    def _key(self, content: str) -> str:
        key = self._keys.get(content)
        if key is None:
            key = self._keys[content] = same_key(self.text(content)) or content  # what was erased is like itself alone
        return key
