"""Behind the library's calls: the chat's companion over a clock that stands where each call says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.chat.changes import changed_settings
from memtui.chat.companion import Companion
from memtui.chat.log import NoLog
from memtui.chat.opening import reader_of
from memtui.chat.turning import LONGEST_MEMORY, place
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import InputError
from memtui.library.embedding import CheckedEmbedder, OtherVectors, OwnEmbedder
from memtui.library.records import Fade, Forecast, Found, Kept, SleepOutcome
from memtui.memory.conflicts import disputed
from memtui.memory.events import Body, Pinned, Recalled
from memtui.memory.forecast import outlook
from memtui.memory.ids import make_id
from memtui.memory.laws import LAW_NAMES, Law
from memtui.memory.model import Candidate, Kind, Memory
from memtui.memory.moments import NEVER_US, from_us, to_us
from memtui.memory.sleep.plan import Action
from memtui.memory.texts import clean, mask_secrets, one_line
from memtui.minds.base import Mind

if TYPE_CHECKING:
    from memtui.store.memory_store import MemoryStore

_USUAL = 0.5
"""The importance of what a mind finds nothing in."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def make_engine(
    path: str | Path | None,
    law: str | Law,
    policy: dict[str, object],
    embedder: OwnEmbedder | None,
    mind: Mind | None,
) -> Engine:
    """See `open_memory`."""
    settings = Settings.model_construct()  # as they ship: neither a file nor the environment is read
    if isinstance(law, str):
        if law not in LAW_NAMES:
            raise InputError(f"There is no law '{one_line(law, 20)}'.", todo=f"Choose one of {', '.join(LAW_NAMES)}.")
        policy = {"law": law, **policy}
    settings = changed_settings(settings, policy)
    thinking = await asyncio.to_thread(_mind, embedder, mind)
    store = await asyncio.to_thread(_store, path, thinking)
    companion = Companion(store, thinking, SimClock.frozen(_EPOCH), settings, NoLog(), "library")
    if not isinstance(law, str):
        companion.read_by(law)
    return Engine(companion, shared=path is not None)


def _mind(embedder: OwnEmbedder | None, mind: Mind | None) -> Mind:
    if mind is None:
        from memtui.minds.offline.mind import OfflineMind

        mind = OfflineMind()
    return mind if embedder is None else OtherVectors(mind, CheckedEmbedder(embedder))


def _store(path: str | Path | None, mind: Mind) -> MemoryStore:
    from memtui.store.memory_store import MemoryStore

    name, dims, reader = mind.embedder.name, mind.embedder.dims, reader_of(mind)
    if path is None:
        return MemoryStore.scratch(embedder_name=name, dims=dims, reader=reader)
    return MemoryStore.open(path, embedder_name=name, dims=dims, reader=reader)


class Engine:
    """An open companion that does one call at a time, each at its own moment."""

    def __init__(self, companion: Companion, *, shared: bool) -> None:
        """Args:
        shared: whether other processes may write to the store.
        """
        self._companion = companion
        self._shared = shared
        self._turn = asyncio.Lock()

    # -- writing ---------------------------------------------------------------------------------------------------

    async def add(
        self,
        text: str,
        now: datetime,
        *,
        kind: Kind | None,
        importance: float | None,
        valid_from: datetime | None,
        subject: str | None,
        slot: str | None,
        source: str | None,
        pinned: bool,
    ) -> str:
        """See `AgentMemory.add`."""
        text = mask_secrets(clean(text).strip())[0]
        if not text:
            raise InputError("There is nothing to keep: the text is empty.")
        if len(text) > LONGEST_MEMORY:
            problem = f"A memory holds at most {LONGEST_MEMORY} characters; this text has {len(text):,}."
            raise InputError(problem, safe="Nothing was stored.", todo="Add what matters of it, or its parts.")
        async with self._writing(now) as moment:
            companion, read = self._companion, None
            if kind is None or importance is None:
                found = await companion.mind.extract(text, moment, ())
                read = found[0] if found else None
            said = Candidate(
                text=text,
                kind=kind or (read.kind if read is not None else Kind.SEMANTIC),
                importance=importance if importance is not None else read.importance if read is not None else _USUAL,
                why=read.why if read is not None and importance is None else "",
                support=text,
                valid_from=valid_from or (read.valid_from if read is not None else now),
                subject=subject or (read.subject if read is not None else "user"),
                slot=slot or (read.slot if read is not None else None),
                value=read.value if read is not None and slot is None else None,
            )
            turn = clean(source) if source else make_id(moment, "add", text, companion.store.head.length)
            placed = await place(companion, [said], turn, moment)
            memory = (placed.created + placed.reinforced)[0]
            bodies: list[Body] = [*placed.bodies, *([Pinned(memory, True)] if pinned else [])]
            block = make_id(moment, "block", turn, companion.store.head.length)
            await companion.store.append_async(bodies, at=moment, block=block, texts=placed.texts, vectors=placed.vectors)
            return memory

    async def access(self, memories: Sequence[str], now: datetime) -> None:
        """See `AgentMemory.access`."""
        async with self._writing(now) as moment:
            known = [self._known(memory) for memory in dict.fromkeys(memories)]
            for memory in known:
                if not memory.active:
                    raise InputError(f"{memory.id} is retired.", safe="Nothing was changed.", todo="Restore it first.")
            if known:
                store = self._companion.store
                block = make_id(moment, "access", store.head.length)
                body = Recalled(tuple(memory.id for memory in known), block)
                await store.append_async([body], at=moment, block=block)

    async def pin(self, memory: str, now: datetime, pinned: bool) -> None:
        """See `AgentMemory.pin`."""
        async with self._writing(now):
            await self._companion.pin(self._known(memory).id, pinned)

    async def forget(self, memory: str, now: datetime) -> None:
        """See `AgentMemory.forget`."""
        async with self._writing(now):
            await self._companion.forget(self._known(memory).id)

    async def restore(self, memory: str, now: datetime) -> None:
        """See `AgentMemory.restore`."""
        async with self._writing(now):
            await self._companion.restore(self._known(memory).id)

    async def undo(self, block: str | None, now: datetime) -> str:
        """See `AgentMemory.undo`."""
        async with self._writing(now):
            return await self._companion.undo(block)

    async def sleep(self, now: datetime) -> SleepOutcome:
        """See `AgentMemory.sleep`."""
        async with self._writing(now):
            report = await self._companion.sleep("library")
            plan = report.plan
            return SleepOutcome(
                merged=plan.count(Action.MERGE, Action.DUPLICATE),
                superseded=plan.count(Action.SUPERSEDE),
                pruned=plan.count(Action.PRUNE),
                unsure=len(plan.unsure),
                active=int(self._companion.store.frame.active.sum()),
                block=report.block,
                problem=plan.problem,
            )

    # -- reading ---------------------------------------------------------------------------------------------------

    async def recall(self, text: str, now: datetime, limit: int | None, budget_tokens: int | None) -> list[Found]:
        """See `AgentMemory.recall`."""
        async with self._reading(now):
            companion, usual = self._companion, self._companion.recall_policy
            companion.recall_policy = replace(
                usual,
                backfill=False,
                max_memories=usual.max_memories if limit is None else limit,
                budget_tokens=usual.budget_tokens if budget_tokens is None else budget_tokens,
                stretch=budget_tokens is None,
            )
            try:
                found = await companion.recall_for(text)
            finally:
                companion.recall_policy = usual
            against = disputed(companion.conflicts(), (item.memory for item in found.items))
            memories, texts = companion.store.frame.memories, companion.store.frame.texts
            return [
                Found(
                    id=item.memory,
                    text=texts[item.row],
                    relevance=item.relevance,
                    words=item.words,
                    meaning=item.meaning,
                    retention=item.retention,
                    tokens=item.tokens,
                    created_at=memories[item.row].created_at,
                    valid_from=memories[item.row].valid_from,
                    against=against.get(item.memory, ()),
                    passed=item.passed,
                )
                for item in found.items
            ]

    async def get(self, memory: str, now: datetime) -> Kept:
        """See `AgentMemory.get`."""
        async with self._reading(now):
            return self._kept([self._known(memory)], now)[0]

    async def memories(self, now: datetime, retired: bool) -> list[Kept]:
        """See `AgentMemory.memories`."""
        async with self._reading(now):
            chosen = [m for m in self._companion.store.state.memories.values() if retired or m.active]
            return sorted(self._kept(chosen, now), key=lambda kept: (not kept.active, -kept.retention, kept.id))

    async def forecast(self, now: datetime, horizon: timedelta) -> Forecast:
        """See `AgentMemory.forecast`."""
        async with self._reading(now):
            companion, until = self._companion, now + horizon
            frame = companion.store.frame
            ahead = outlook(frame, companion.law, to_us(now), grace_hours=companion.sleep_policy.grace_hours)
            count = ahead.gone_by(to_us(until))
            pairs = zip(ahead.rows[:count].tolist(), ahead.at_us[:count].tolist(), strict=True)
            fades = tuple(Fade(frame.ids[row], frame.texts[row], from_us(at_us)) for row, at_us in pairs)
            return Forecast(now, until, ahead.active, fades)

    async def verify(self) -> list[str]:
        """See `AgentMemory.verify`."""
        async with self._turn:
            problems = await asyncio.to_thread(self._companion.store.verify)
            return [f"{problem.where}: {problem.what}" for problem in problems]

    async def close(self) -> None:
        """Free connections and the store. The clock's place is none of this memory's business, so none is kept."""
        async with self._turn:
            await self._companion.mind.aclose()
            await asyncio.to_thread(self._companion.store.close)

    # -- inside ----------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _writing(self, now: datetime) -> AsyncIterator[datetime]:
        """A call's turn, at its moment or that of the last write, if that is later."""
        async with self._reading(now):
            last = self._companion.store.state.last_at
            moment = now if last is None else max(now, last)
            self._companion.clock.jump_to(moment)
            yield moment

    @asynccontextmanager
    async def _reading(self, now: datetime) -> AsyncIterator[None]:
        async with self._turn:
            if self._shared:
                await self._companion.store.refresh_async()
            self._companion.clock.jump_to(now)
            yield

    def _known(self, memory: str) -> Memory:
        known = self._companion.store.state.memories.get(memory)
        if known is None:
            raise InputError(f"There is no memory '{one_line(str(memory), 40)}'.", todo="Give an id that `add` returned.")
        return known

    def _kept(self, memories: Sequence[Memory], now: datetime) -> list[Kept]:
        store, law = self._companion.store, self._companion.law
        left, due = law.retention(store.frame, to_us(now)), law.dies_at(store.frame)
        out = []
        for memory in memories:
            row = store.frame.row(memory.id)
            fades = int(due[row])
            out.append(
                Kept(
                    id=memory.id,
                    text=store.frame.texts[row],
                    kind=memory.kind,
                    importance=memory.importance,
                    retention=float(left[row]),
                    recalls=memory.recalls,
                    pinned=memory.pinned,
                    created_at=memory.created_at,
                    valid_from=memory.valid_from,
                    last_recalled_at=memory.last_recall,
                    fades_at=from_us(fades) if fades < NEVER_US and not memory.pinned and memory.active else None,
                    sources=memory.sources,
                    retired_reason=memory.retired_reason,
                    retired_by=memory.retired_by,
                )
            )
        return out
