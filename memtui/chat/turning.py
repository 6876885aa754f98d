"""One turn, headless, in the order ARCHITECTURE tells it: hear, recall, reply, extract, append."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from memtui.chat.notes import note_of
from memtui.chat.prompting import build_prompt
from memtui.chat.steps import Failed, Heard, Learned, RecalledFor, Replied, Said, Step
from memtui.chat.stopping import until_stopped
from memtui.errors import InputError, MemtuiError, MindError, StoreError
from memtui.memory.events import Body, Created, Recalled, Reinforced, Turned
from memtui.memory.frame import Vectors
from memtui.memory.ids import make_id
from memtui.memory.model import Candidate, Kind, Label, Memory
from memtui.memory.recall import Cue, Recollection
from memtui.memory.sleep.candidates import newness
from memtui.memory.tellings import telling_key
from memtui.memory.texts import clean, content_hash, mask_secrets, same_key
from memtui.minds.base import Message
from memtui.minds.recorded import to_response

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

LONGEST_MEMORY = 600
"""Characters of one memory; a mind that gives more is cut here, the turn itself stays whole in the session."""
_SAME_COSINE = 0.80
"""Where to look for the same telling in other punctuation; equality itself is decided on the text."""
_SAME_MOMENT = timedelta(seconds=1)
"""What is told within this of a memory that counts as told later was told behind it."""
_ASKED_IMPORTANCE = 0.7
"""The least importance of what the user asked to remember."""


class Turn:
    """One user turn on its way through a companion."""

    def __init__(
        self, companion: Companion, text: str, *, given_reply: str | None, turn_id: str | None, again: bool = False
    ) -> None:
        self.companion = companion
        self.again = again
        self.now = companion.clock.now()
        self.spoken = clean(text)
        self.text, self.masked = mask_secrets(self.spoken)
        self.given_reply = given_reply
        self.turn_id = turn_id or make_id(self.now, "turn", companion.session_id, self.text, companion.store.head.length)
        self.learned = False

    async def run(self) -> AsyncIterator[Step]:
        """The steps of the turn. See `Companion.turn`."""
        companion = self.companion
        if not self.text.strip():
            yield Failed(InputError("Nothing was said.", todo="Type something first."), "hear")
            return
        try:
            await asyncio.to_thread(companion.log.user, self.turn_id, self.now, self.text)
        except StoreError as error:
            yield Failed(error, "hear")
        yield Heard(self.turn_id, self.now, self.text, self.masked)
        self._take_into_history()
        try:
            await companion.skills.embed_lacking()
            cue = await companion.cue(self.text)
            recollection = await asyncio.to_thread(companion.recall_now, cue)
        except MemtuiError as error:
            yield Failed(error, "recall")
            return
        companion.last_recollection = recollection
        yield RecalledFor(recollection)
        async for step in self._reply(recollection):
            yield step
        if self.again and self.turn_id in companion.store.state.turns and self.turn_id not in companion.unlearned:
            return  # what it told was taken in the first time
        try:
            candidates = await self._extract()
            companion.unlearned.discard(self.turn_id)
        except MindError as error:
            yield Failed(error, "extract")
            companion.unlearned.add(self.turn_id)
            candidates = []
        try:
            yield await self._commit(cue, recollection, candidates)
            self.learned = True
        except MemtuiError as error:
            yield Failed(error, "store")

    def _take_into_history(self) -> None:
        """The turn is the conversation's last message; asked again, it takes the place of its first asking."""
        history, message = self.companion.history, Message("user", self.text)
        if self.again and message in history[-2:]:
            del history[len(history) - 1 - history[::-1].index(message) :]
        history.append(message)

    async def _reply(self, recollection: Recollection) -> AsyncIterator[Step]:
        companion = self.companion
        said: list[str] = []
        failure: MindError | None = None
        if self.given_reply is not None:
            said.append(self.given_reply)
        else:
            prompt = build_prompt(companion, recollection, self.spoken, self.now)
            stream = companion.mind.reply(prompt)
            try:
                async for delta in until_stopped(stream, companion.stopped):
                    if not delta.thinking:
                        said.append(delta.text)
                    yield Said(delta)
                    if companion.stopping:
                        break
            except MindError as error:
                failure = error
            finally:
                closing = getattr(stream, "aclose", None)
                if closing is not None:
                    await closing()
        text = clean("".join(said)).strip()
        interrupted = failure is not None or companion.stopping
        if text:
            companion.history.append(Message("assistant", text))
            try:
                await asyncio.to_thread(self._log_reply, text, interrupted)
            except StoreError as error:
                yield Failed(error, "store")
            yield Replied(text, self.now, interrupted)
        if failure is not None:
            yield Failed(failure, "reply")

    def _log_reply(self, text: str, interrupted: bool) -> None:
        self.companion.log.assistant(max(self.now, self.companion.clock.now()), text, self.turn_id, interrupted=interrupted)

    async def _extract(self) -> list[Candidate]:
        """Candidates from the user's own words; what the turn does not support is dropped."""
        mind = self.companion.mind
        for_turn = getattr(mind, "for_turn", None)
        if for_turn is not None:
            for_turn(self.turn_id)
        candidates = await mind.extract(self.text, self.now, tuple(self.companion.history[-5:-1]))
        said = same_key(self.text)
        kept = [c for c in candidates if c.text.strip() and same_key(c.support) and same_key(c.support) in said]
        self.companion.log.mind(self.now, "extract", self.turn_id, to_response(kept), mind.label)
        return kept

    async def _commit(self, cue: Cue, recollection: Recollection, candidates: Sequence[Candidate]) -> Learned:
        companion = self.companion
        new = await place(companion, candidates, self.turn_id, self.now, cue)
        recalled = tuple(m for m in recollection.recalled if m not in new.reinforced)
        bodies: list[Body] = [Turned(self.turn_id, companion.session_id)]
        if recalled:
            bodies.append(Recalled(recalled, self.turn_id))
        bodies.extend(new.bodies)
        asking = (companion.store.head.length,) if self.again else ()  # another block than the first asking's
        block = make_id(self.now, "block", self.turn_id, *asking)
        await companion.store.append_async(bodies, at=self.now, block=block, texts=new.texts, vectors=new.vectors)
        return Learned(new.created, new.reinforced, block)


@dataclass
class Placed:
    """What candidates become: events with the texts and vectors they name."""

    bodies: list[Body]
    texts: dict[str, str]
    vectors: dict[str, Vectors]
    created: tuple[str, ...]
    reinforced: tuple[str, ...]


async def place(
    companion: Companion, candidates: Sequence[Candidate], turn_id: str, now: datetime, cue: Cue | None = None
) -> Placed:
    """Events for candidates of one turn: the same text again reinforces what is there, anything else is created."""
    texts = [clean(c.text).strip()[:LONGEST_MEMORY] for c in candidates]
    rows: Sequence[Vectors] | Vectors
    if cue is not None and texts == [cue.text]:
        rows = [cue.vector]
    else:
        rows = await companion.mind.embedder.embed(texts) if texts else []
    placed = Placed([], {}, {}, (), ())
    seen: set[str] = set()
    first = _told_from(companion, now)
    for index, (candidate, text, vector) in enumerate(zip(candidates, texts, rows, strict=True)):
        key = telling_key(text)
        if key in seen:
            continue
        seen.add(key)
        there = _same_telling(companion, text, vector)
        if there is not None:
            placed.bodies.append(Reinforced(there, turn_id))
            placed.reinforced += (there,)
            continue
        digest, note = content_hash(text), note_of(candidate)
        memory = make_id(now, "memory", turn_id, index)
        placed.texts |= {digest: text, content_hash(note): note}
        placed.vectors[digest] = vector
        placed.created += (memory,)
        placed.bodies.append(
            Created(
                memory=memory,
                kind=candidate.kind,
                content=digest,
                note=content_hash(note),
                importance=round(min(1.0, max(0.0, candidate.importance)), 4),
                created_at=first + timedelta(microseconds=index),  # told in this order
                valid_from=min(candidate.valid_from, now),
                last_recall=now,
                sources=(turn_id,),
                subject=candidate.subject,
                slot=candidate.slot,
            )
        )
    return placed


def _told_from(companion: Companion, now: datetime) -> datetime:
    """When what is told now counts as told: while time stands still, behind what was told at the same moment."""
    last = next(reversed(companion.store.state.memories.values()), None)
    if last is not None and timedelta(0) <= last.created_at - now < _SAME_MOMENT:
        return last.created_at + timedelta(microseconds=1)
    return now


def _same_telling(companion: Companion, text: str, vector: Vectors) -> str | None:
    """The active memory that says just this (see `tellings`); None if a possible rival was told since.

    Berlin, then Lisbon, then Berlin again: reinforcing the first telling would leave Lisbon the newer of the two. What is
    related and known to be true beside it is no rival.
    """
    frame = companion.store.frame
    rows = frame.active_rows()
    if rows.size == 0:
        return None
    cosines = (frame.vectors @ vector)[rows]
    near = rows[cosines >= _SAME_COSINE] if np.any(vector) else rows
    key, telling = same_key(text), telling_key(text)
    same = [row for row in near.tolist() if same_key(frame.texts[row]) == key or telling_key(frame.texts[row]) == telling]
    if not same:
        return None
    last = max(same, key=lambda row: newness(frame.memories[row]))
    related = rows[cosines >= companion.mind.embedder.related_from].tolist()
    if any(_rivals(companion, frame.memories[last], frame.memories[row]) for row in related if row not in same):
        return None
    found: str = frame.ids[last]
    return found


def _rivals(companion: Companion, told: Memory, since: Memory) -> bool:
    """Whether `since` is newer than `told` and nobody has found yet that both are true."""
    if newness(since) <= newness(told):
        return False
    verdicts = companion.store.state.verdicts
    known = [verdicts.get((a, b)) for a, b in ((told.content, since.content), (since.content, told.content))]
    return not any(judged is not None and judged.label in (Label.ADDITIVE, Label.UNRELATED) for judged in known)


async def remember(companion: Companion, text: str) -> str:
    """Keep a text the user asked to keep; its kind and slot are the mind's, its importance is at least .7.

    Raises:
        InputError: nothing to remember.
    """
    text = mask_secrets(clean(text).strip())[0]
    if not text:
        raise InputError("There is nothing to remember.", todo="Write it behind /remember.")
    now = companion.clock.now()
    turn_id = make_id(now, "remember", companion.session_id, text, companion.store.head.length)
    try:
        found = await companion.mind.extract(text, now, ())
    except MindError:
        found = []  # the user's word is enough; kind and slot can be edited
    first = found[0] if found else None
    why = first.why if first is not None else ""
    candidate = Candidate(
        text=text,
        kind=Kind.SEMANTIC,
        importance=max(_ASKED_IMPORTANCE, first.importance if first is not None else 0.0),
        why=why or "you asked to remember it",
        support=text,
        valid_from=first.valid_from if first is not None else now,
        subject=first.subject if first is not None else "user",
        slot=first.slot if first is not None else None,
        value=first.value if first is not None else None,
    )
    placed = await place(companion, [candidate], turn_id, now)
    block = make_id(now, "block", turn_id)
    await companion.store.append_async(placed.bodies, at=now, block=block, texts=placed.texts, vectors=placed.vectors)
    companion.log.command(now, f"/remember {text}")
    return (placed.created + placed.reinforced)[0]
