"""Memory as it was: a cut through the history with the texts, vectors and words that were there then.

Texts are as they were worded; their vectors are those of the present embedder (a text it never saw is found by words
alone, as everywhere); words are weighed by the texts known by then, so nothing that came later changes what is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from memtui.memory.conflicts import Conflict, open_conflicts, settled
from memtui.memory.events import Event
from memtui.memory.frame import Frame, Ints, Reader, Vectors
from memtui.memory.history import History
from memtui.memory.past import Cut, PastFrame
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.state import State
from memtui.memory.words import stems

if TYPE_CHECKING:
    from memtui.store.full_text import Statistics
    from memtui.store.journal import Journal

_MOST_KEPT: Final = 4_096
"""Vectors of former wordings that are kept for the next look."""


class Past:
    """Memory as of a moment. Reading it changes nothing; it is good until the next append or refresh.

    Attributes:
        moment: the moment asked for.
        cut: what the events up to it left.
        frame: the same as the frame that recall, laws and panel read.
    """

    def __init__(self, moment: datetime, cut: Cut, frame: PastFrame, history: History, state: State, pasts: Pasts) -> None:
        self.moment = moment
        self.cut = cut
        self.frame = frame
        self._history = history
        self._state = state
        self._pasts = pasts
        self._conflicts: tuple[SleepPolicy, list[Conflict]] | None = None

    def conflicts(self, policy: SleepPolicy) -> list[Conflict]:
        """The conflicts that were open, the one with the newest memory first."""
        if self._conflicts is None or self._conflicts[0] != policy:
            self._conflicts = (policy, open_conflicts(self._history.doubts(self.cut, self._state), policy))
        return self._conflicts[1]

    def both_stand(self, older: str, newer: str) -> bool:
        """Whether the person had settled that two memories that were there both hold."""
        state = self._history.between(self.cut, self._state, older, newer)
        return settled(state, state.memories[older], state.memories[newer])

    def events_of(self, memory: str) -> list[Event]:
        """What had happened to a memory, in order, undone things included."""
        return [event for event in self._state.history.get(memory, ()) if event.seq < self.cut.events]

    def undone(self) -> frozenset[str]:
        """Blocks that did not count."""
        return self._history.undone(self.cut.events)

    def search_words(self, text: str, limit: int = 50, besides: Ints | None = None) -> dict[str, float]:
        """BM25 by id of the memories that were active and shared words with `text`, weighed by what was known.

        Args:
            besides: int64 rows that are searched too though they were not active.
        """
        return self._pasts.search(self.cut, self._history, text, limit, besides)


class Pasts:
    """Makes `Past`s of one store; keeps the vectors of former wordings and the last statistics of words."""

    def __init__(self, journal: Journal, reader: Reader | None) -> None:
        self._journal = journal
        self._reader = reader
        self._vectors: dict[str, Vectors] = {}
        self._statistics: tuple[int, Statistics] | None = None

    def at(self, moment: datetime, history: History, state: State, now: Frame) -> Past:
        """Memory as it was at `moment`; the caller keeps others from folding meanwhile."""
        return self.after(history.events_at(moment), moment, history, state, now)

    def after(self, events: int, moment: datetime, history: History, state: State, now: Frame) -> Past:
        """The same, after the first `events` events, of which the last was not behind `moment`."""
        cut = history.cut(events)
        texts = self._journal.contents.texts
        worded = {cut.memories[row].content for row in cut.reworded.tolist()}
        vectors = self._vectors_of(worded)
        frame = PastFrame(
            cut,
            now,
            history.row,
            texts={content: texts.get(content, "") for content in worded},
            vectors=vectors,
            readings=self._read(vectors),
        )
        return Past(moment, cut, frame, history, state, self)

    def search(self, cut: Cut, history: History, text: str, limit: int, besides: Ints | None = None) -> dict[str, float]:
        """BM25 among the memories that were active, and those of some rows besides."""
        more: dict[int, list[str]] = {}
        for row in besides.tolist() if besides is not None else ():
            more.setdefault(int(cut.content[row]), []).append(cut.ids[row])

        def owners(content: str) -> Sequence[str]:
            code = history.code(content)
            return [*cut.holding(code), *more.get(code, ())] if 0 <= code < cut.known else ()

        return self._journal.search(text, limit, owners, self._statistics_of(history, cut.known))

    def _statistics_of(self, history: History, known: int) -> Statistics:
        kept = self._statistics
        if kept is None or kept[0] > known:
            kept = self._statistics = (known, self._journal.statistics_of(history.contents(known)))
        elif kept[0] < known:  # going on in time counts what came, and not everything again
            texts = self._journal.contents.texts
            came = (stems(texts.get(content, "")) for content in history.contents(known)[kept[0] :])
            kept = self._statistics = (known, kept[1].grown(came))
        return kept[1]

    def _vectors_of(self, contents: set[str]) -> dict[str, Vectors]:
        """Vectors of former wordings by the present embedder, those there are."""
        lacking = contents - self._vectors.keys()
        if lacking:
            if len(self._vectors) + len(lacking) > _MOST_KEPT:
                self._vectors = {content: self._vectors[content] for content in contents & self._vectors.keys()}
            self._vectors |= self._journal.vectors(lacking)
        return {content: self._vectors[content] for content in contents if content in self._vectors}

    def _read(self, vectors: Mapping[str, Vectors]) -> dict[str, Vectors]:
        if self._reader is None or not vectors:
            return {}
        readings = self._reader.read(np.stack(list(vectors.values())))
        return dict(zip(vectors, readings, strict=True))
