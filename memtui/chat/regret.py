"""The regret meter: which retired memories later questions would have needed, and which kept ones nobody ever used.

Nothing of it is written down. What a question missed follows from the events in front of it and its words, so it is worked
out from the ledger and the turn log when somebody wants to know, kept for as long as memory is open, and comes out the same
after the next opening. By the present law, recall policy and embedder, as everywhere where one looks back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from memtui.chat.recalling import LINE_COST, cue_of
from memtui.memory.events import Event, Recalled, Reinforced, Turned
from memtui.memory.frame import Frame
from memtui.memory.moments import to_iso, to_us
from memtui.memory.regret import UNUSED_AFTER_DAYS, Asked, Regretted, lost_rows, missed, regretted, unused_rows
from memtui.memory.words import asks
from memtui.minds.tokens import count_tokens

if TYPE_CHECKING:
    from datetime import datetime

    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress
    from memtui.store.as_of import Past

TextsOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
"""The words of user turns by id, as far as they are known; may read files."""


@dataclass(frozen=True, slots=True)
class Regret:
    """What memory has to regret at a moment.

    Attributes:
        moment: the moment.
        missed: retired memories a question would have needed, those missed most first.
        unused: ids of the active memories that are old and were never recalled, oldest first.
        questions: how many questions were looked at.
        wordless: turns whose words are kept nowhere (a chat that was deleted): whether they asked is not known.
    """

    moment: datetime
    missed: tuple[Regretted, ...]
    unused: tuple[str, ...]
    questions: int
    wordless: int

    @property
    def words(self) -> str:
        """`regret 2 · never used 14`; "" when there is nothing to say."""
        parts = [("regret", len(self.missed)), ("never used", len(self.unused))]
        return " · ".join(f"{name} {count:,}" for name, count in parts if count)


@dataclass(slots=True)
class _Turn:
    """One user turn of the ledger: its event, and what was recalled for it."""

    event: Event
    recalled: set[str]


class RegretMeter:
    """Looks at the questions of one companion, each once. For one task at a time."""

    def __init__(self, companion: Companion, texts: TextsOf) -> None:
        self._companion = companion
        self._texts = texts
        self._turns: dict[str, _Turn] = {}
        self._scanned = 0
        self._looked: dict[str, Asked | None] = {}
        self._wordless: set[str] = set()
        self._by: object = None
        self._measuring = asyncio.Lock()

    @property
    def is_cheap(self) -> bool:
        """Whether looking asks nobody: with an endpoint's embeddings every question would be a call."""
        return self._companion.mind.local or not self._companion.settings.mind.embedding_model

    async def measure(self, progress: Progress | None = None) -> None:
        """Look at the questions that were not looked at yet. Reads only.

        Raises:
            MindError: the embedder did not answer; what was looked at before is kept.
            StoreError: the store was closed meanwhile.
        """
        async with self._measuring:
            self._begin()
            waiting = [turn for turn in self._turns if turn not in self._looked and turn not in self._wordless]
            texts = await asyncio.to_thread(self._texts, waiting) if waiting else {}
            for number, turn in enumerate(waiting):
                text = texts.get(turn)
                if text is None:
                    self._wordless.add(turn)
                elif not asks(text):
                    self._looked[turn] = None
                else:
                    event = self._turns[turn].event
                    self._looked[turn] = Asked(turn, event.at, text, await self._missed(self._turns[turn], text))
                if progress is not None:
                    progress((number + 1) / len(waiting), "looking at what was asked")
                await asyncio.sleep(0)

    def report(self, frame: Frame | None = None, moment: datetime | None = None) -> Regret:
        """What there is to regret now, of the questions looked at so far.

        Args:
            frame, moment: memory as it was at a moment of the past, to say what there was to regret then.
        """
        companion = self._companion
        shown = companion.store.frame if frame is None else frame
        at = companion.clock.now() if moment is None else moment
        asked = [one for one in self._looked.values() if one is not None and (moment is None or one.at <= moment)]
        rows = unused_rows(shown, to_us(at))
        return Regret(
            moment=at,
            missed=regretted(shown, asked),
            unused=tuple(shown.ids[row] for row in rows.tolist()),
            questions=len(asked),
            wordless=sum(moment is None or self._turns[turn].event.at <= moment for turn in self._wordless),
        )

    def _begin(self) -> None:
        """Take in what was appended since; by another law or policy all is looked at anew."""
        by = (self._companion.law, self._companion.recall_policy)
        if self._by is None or self._by != by:
            self._by = by
            self._looked = {}
        events = self._companion.store.events()
        for event in events[self._scanned :]:
            body = event.body
            if isinstance(body, Turned):  # asked again (a retry), it is the same question
                self._turns.setdefault(body.turn, _Turn(event, set()))
            elif isinstance(body, Recalled | Reinforced) and body.turn in self._turns:
                told = body.memories if isinstance(body, Recalled) else (body.memory,)
                self._turns[body.turn].recalled.update(told)
        self._scanned = len(events)

    async def _missed(self, turn: _Turn, text: str) -> tuple[str, ...]:
        companion, store = self._companion, self._companion.store
        while True:
            length = store.head.length
            past: Past = await asyncio.to_thread(store.before, turn.event)
            lost = lost_rows(past.frame)
            if not lost.size:
                return ()

            def search(words: str, limit: int, past: Past = past) -> Mapping[str, float]:
                return past.search_words(words, limit, lost_rows(past.frame))

            cue = await cue_of(companion, text, search)
            found = await asyncio.to_thread(
                missed,
                past.frame,
                cue,
                to_us(turn.event.at),
                law=companion.law,
                policy=companion.recall_policy,
                count_tokens=_cost,
                both_stand=past.both_stand,
                recalled=turn.recalled,
            )
            if store.head.length == length:  # else a view of the past may be no good any more
                return found


def _cost(text: str) -> int:
    return count_tokens(text) + LINE_COST


def regret_record(companion: Companion, regret: Regret, frame: Frame | None = None) -> dict[str, Any]:
    """The JSON document of `memtui regret --json`."""
    shown = companion.store.frame if frame is None else frame

    def told(memory: str) -> dict[str, Any]:
        row = shown.row(memory)
        known = shown.memories[row]
        return {
            "id": memory,
            "handle": f"m{row + 1:02d}",
            "kind": known.kind.value,
            "content": shown.texts[row],
            "importance": known.importance,
            "created_at": to_iso(known.created_at),
            "pinned": known.pinned,
            "retired_at": None if known.retired_at is None else to_iso(known.retired_at),
            "retired_reason": None if known.retired_reason is None else known.retired_reason.value,
        }

    return {
        "as_of": to_iso(regret.moment),
        "questions": regret.questions,
        "wordless": regret.wordless,
        "unused_after_days": UNUSED_AFTER_DAYS,
        "missed": [
            {**told(one.memory), "questions": [{"turn": q.turn, "at": to_iso(q.at), "text": q.text} for q in one.asked]}
            for one in regret.missed
        ],
        "unused": [told(memory) for memory in regret.unused],
    }
