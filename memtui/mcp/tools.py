"""The tools: what other agents may do with memory, over one companion.

Everything runs one at a time; what other processes wrote is taken in first, and a write holds the store's lock only as long
as it lasts. What a tool writes is nobody's word: skills are untrusted until the person approves them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memtui.chat.recalling import recall_now
from memtui.chat.turning import place
from memtui.errors import InputError, MemtuiError
from memtui.mcp import shapes
from memtui.mcp.records import DATA, LINE, PART, memory_record, rows_listed, skill_record, whole_record
from memtui.mcp.searching import much_alike, ranked
from memtui.memory.events import Body, Recalled, Reinforced
from memtui.memory.ids import make_id
from memtui.memory.model import KINDS, Candidate, Kind, Outcome
from memtui.memory.moments import to_us
from memtui.memory.skill import Draft
from memtui.memory.texts import clean, mask_secrets, one_line

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.memory.frame import Vectors
    from memtui.skills.view import Found

Answer = dict[str, Any]
_WARM: Final = "Where do I live?"
_PAUSE_S: Final = 2.0
"""Seconds without a call after which it is written down what was given."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        does: what it is for, told to agents.
        reads: whether it changes nothing a person would see.
    """

    name: str
    does: str
    shape: type[shapes.Arguments]
    reads: bool
    run: Callable[[Tools, Any, str], Awaitable[Answer]]


class Tools:
    """The tools over a companion."""

    def __init__(self, companion: Companion) -> None:
        self.companion = companion
        self.skills = companion.skills
        self._turn = asyncio.Lock()
        self._given: dict[str, None] = {}
        self._resting: asyncio.Task[None] | None = None
        self._calls = 0

    async def call(self, tool: Tool, arguments: shapes.Arguments, client: str) -> Answer:
        """Run a tool.

        Args:
            client: who asks, as it names itself.

        Raises:
            MemtuiError: it could not be done; nothing was changed unless the error says so.
        """
        async with self._turn:
            self._calls += 1
            await self._catch_up()
            answer = await tool.run(self, arguments, client)
        if self._resting is None or self._resting.done():
            self._resting = asyncio.ensure_future(self._rest())
        return answer

    async def warm(self) -> None:
        """Load what the first recall would wait for; changes nothing."""
        with contextlib.suppress(MemtuiError):  # the first call says what is wrong
            await self.skills.recall(_WARM, 1)
            if self.companion.mind.local:
                await self._facts(_WARM)

    async def for_hooks(self, query: str, limit: int) -> list[Found]:
        """The best skills for a hook's words, relevant or not. Nothing counts as used."""
        async with self._turn:
            await self._catch_up()
            return await self.skills.recall(query, limit, everything=True)

    async def settle(self) -> None:
        """Write what is still to be written, now."""
        if self._resting is not None:
            self._resting.cancel()
            await asyncio.gather(self._resting, return_exceptions=True)
        await self._write_given()

    async def _catch_up(self) -> None:
        """Take in what other processes wrote, their warps of time too."""
        state = self.companion.store.state
        offset = state.offset_s
        if await self.companion.store.refresh_async():
            clock = self.companion.clock
            if state.offset_s != offset:
                clock.jump_to(clock.now() + _seconds(state.offset_s - offset))
            if state.last_at is not None:
                clock.never_before(state.last_at)

    # -- reading

    async def search(self, asked: shapes.Search, client: str) -> Answer:
        """Words and meaning, fused; nothing counts as used."""
        vector = await self._vector(asked.query)
        kind = None if asked.kind is None else Kind(asked.kind)
        rows = await asyncio.to_thread(
            ranked, self.companion.store, asked.query, vector, asked.limit, kind=kind, retired=asked.retired
        )
        now = self.companion.clock.now()
        left = self.companion.law.retention(self.companion.store.frame, to_us(now))
        found = [
            memory_record(self.companion, row, now, float(left[row])) | {"score": round(score, 4)} for row, score in rows
        ]
        return {"about": DATA, "found": found}

    async def recall(self, asked: shapes.Recall, client: str) -> Answer:
        """Skills and facts for the task at hand; what is given counts as used, which is written later (see `_used`)."""
        now = self.companion.clock.now()
        answer: Answer = {"about": DATA}
        given: list[str] = []
        if asked.what != "facts":
            found = await self.skills.recall(asked.query, asked.limit)
            answer["skills"] = [skill_record(one.skill, PART) | {"score": round(one.score, 4)} for one in found]
            given += [one.skill.id for one in found]
        if asked.what != "skills":
            frame = self.companion.store.frame
            rows = await self._facts(asked.query) if bool((frame.active & ~frame.skill).any()) else []
            left = self.companion.law.retention(frame, to_us(now))
            answer["facts"] = [memory_record(self.companion, row, now, float(left[row])) for row in rows]
            given += [frame.ids[row] for row in rows]
        if given:
            self._used(given)
        return answer

    async def get(self, asked: shapes.Get, client: str) -> Answer:
        """A memory in full, with its history and earlier texts."""
        memory = self._resolve(asked.ref)
        row = self.companion.store.frame.row(memory)
        record = whole_record(self.companion, row, self.companion.clock.now())
        if self.companion.store.frame.memories[row].skill is not None:
            record["skill"] = skill_record(self.skills.get(memory))
        return {"about": DATA, "memory": record}

    async def listing(self, asked: shapes.Listing, client: str) -> Answer:
        """A page of the list."""
        now = self.companion.clock.now()
        kind = None if asked.kind is None else KINDS.index(Kind(asked.kind))
        newest = asked.sort == "newest"
        rows = rows_listed(self.companion, now, kind=kind, retired=asked.retired, newest=newest)
        page = rows[asked.offset : asked.offset + asked.limit]
        return {
            "about": DATA,
            "total": len(rows),
            "offset": asked.offset,
            "memories": [memory_record(self.companion, row, now, left, LINE) for row, left in page],
        }

    # -- writing

    async def write(self, asked: shapes.Write, client: str) -> Answer:
        """Keep a fact or an event, unless something much like it is there."""
        text = _storable(asked.text)
        if not asked.force:
            near = much_alike(self.companion.store.frame, text, await self._vector(text))
            if near:
                now = self.companion.clock.now()
                similar = [memory_record(self.companion, row, now) | {"cosine": cosine} for row, cosine in near]
                hint = "Much like it is there: mem_update changes that, mem_reinforce confirms it, force=true adds this."
                return {"written": None, "similar": similar, "hint": hint}
        now = self.companion.clock.now()
        why = f"written over MCP by {client}"
        candidate = Candidate(text, Kind(asked.kind), asked.importance, why, text, now, subject=_storable(asked.subject))
        turn = make_id(now, "mcp", client, text, self.companion.store.head.length)
        placed = await place(self.companion, [candidate], turn, now)
        await self._append(placed.bodies, turn, placed.texts, placed.vectors)
        memory = (placed.created + placed.reinforced)[0]
        done = "created" if placed.created else "reinforced"
        row = self.companion.store.frame.row(memory)
        return {"written": memory_record(self.companion, row, self.companion.clock.now()), "how": done, "similar": []}

    async def update(self, asked: shapes.Update, client: str) -> Answer:
        """Change a memory; what it said before stays in its history."""
        memory = self._resolve(asked.ref)
        given = asked.model_dump(exclude_none=True, exclude={"ref"})
        if not given:
            raise InputError("There is nothing to change.", todo="Give at least one field.")
        is_skill = self.companion.store.state.memories[memory].skill is not None
        wrong = given.keys() & ({"text", "kind", "importance"} if is_skill else _OF_SKILLS)
        if wrong:
            whose = "a skill has no" if is_skill else "only a skill has"
            raise InputError(f"{asked.ref}: {whose} {', '.join(sorted(wrong))}.", safe="Nothing was changed.")
        if is_skill:
            if "outcome" in given:
                given["outcome"] = Outcome(given["outcome"])
            return {"updated": skill_record(await self.skills.update(memory, **given, origin=_origin(client)))}
        kind = None if asked.kind is None else Kind(asked.kind)
        await self.companion.edit(memory, text=asked.text, kind=kind, importance=asked.importance)
        row = self.companion.store.frame.row(memory)
        return {"updated": whole_record(self.companion, row, self.companion.clock.now())}

    async def learn(self, asked: shapes.Learn, client: str) -> Answer:
        """Keep a skill, untrusted, unless one much like it is there."""
        draft = Draft(asked.title, asked.trigger, asked.steps, asked.lessons, Outcome(asked.outcome), asked.slug)
        learnt = await self.skills.learn(draft, origin=_origin(client), force=asked.force)
        similar = [skill_record(one) for one in learnt.similar]
        if learnt.skill is None:
            hint = (
                "A skill much like it is there: mem_update changes it, mem_reinforce strengthens it, force=true adds this."
            )
            return {"learned": None, "similar": similar, "hint": hint}
        return {"learned": skill_record(learnt.skill), "similar": similar}

    async def reinforce(self, asked: shapes.Reinforce, client: str) -> Answer:
        """Say that a skill worked or failed, or that a fact was told again."""
        memory = self._resolve(asked.ref)
        known = self.companion.store.state.memories[memory]
        if known.skill is not None:
            return {"reinforced": skill_record(await self.skills.reinforce(memory, worked=asked.worked, note=asked.note))}
        if not asked.worked:
            raise InputError(f"{asked.ref} is a fact, not a skill: it can't fail.", todo="mem_update corrects a wrong fact.")
        if not known.active:
            raise InputError(f"{asked.ref} was retired.", todo="The person can restore it in the app.")
        turn = make_id(self.companion.clock.now(), "mcp", client, memory, self.companion.store.head.length)
        await self._append([Reinforced(memory, turn)], turn)
        row = self.companion.store.frame.row(memory)
        return {"reinforced": memory_record(self.companion, row, self.companion.clock.now())}

    async def pin(self, asked: shapes.Pin, client: str) -> Answer:
        """Pin or unpin."""
        memory = self._resolve(asked.ref)
        if self.companion.store.state.memories[memory].skill is not None:
            return {"pinned": skill_record(await self.skills.pin(memory, asked.pinned))}
        await self.companion.pin(memory, asked.pinned)
        row = self.companion.store.frame.row(memory)
        return {"pinned": memory_record(self.companion, row, self.companion.clock.now())}

    # -- inside

    def _resolve(self, reference: str) -> str:
        """The id a reference names: a slug first, then what the app's commands take."""
        for memory in self.companion.store.state.memories.values():
            if memory.skill is not None and memory.skill.slug == reference:
                return memory.id
        return self.companion.resolve(reference)

    async def _vector(self, text: str) -> Vectors:
        vector: Vectors = (await self.companion.mind.embedder.embed([_storable(text)]))[0]
        return vector

    async def _facts(self, query: str) -> list[int]:
        """Rows of the facts that belong to a task, as a prompt in the chat would get them."""
        cue = await self.companion.cue(_storable(query))
        skills = self.companion.store.frame.skill.copy()
        found = await asyncio.to_thread(recall_now, self.companion, cue, skills)
        return [item.row for item in found.items if item.passed]

    async def _append(
        self, bodies: list[Body], turn: str, texts: dict[str, str] | None = None, vectors: dict[str, Vectors] | None = None
    ) -> None:
        now = self.companion.clock.now()
        block = make_id(now, "block", turn)
        await self.companion.store.append_async(bodies, at=now, block=block, texts=texts or {}, vectors=vectors or {})

    def _used(self, memories: Sequence[str]) -> None:
        """What was given to an agent counts as used. It is written once the calls pause, so that no answer waits for a disk.

        Something used twice within such a pause counts once: an agent that asks again has not lived another day.
        """
        self._given |= dict.fromkeys(memories)

    async def _rest(self) -> None:
        """Once the calls pause: write what was given, and put the tables in order if they lie in too many pieces."""
        calls = -1
        while calls != self._calls:
            calls = self._calls
            await asyncio.sleep(_PAUSE_S)
        with contextlib.suppress(MemtuiError):  # what could not be counted is not counted: the answers were given
            async with self._turn:
                await self._write_given()
                await asyncio.to_thread(self.companion.store.compact_if_due)

    async def _write_given(self) -> None:
        if not self._given:
            return
        given, self._given = list(self._given), {}
        known = self.companion.store.state.memories
        there = [known[memory] for memory in given if memory in known and known[memory].active]
        turn = make_id(self.companion.clock.now(), "mcp", *given, self.companion.store.head.length)
        facts = tuple(memory.id for memory in there if memory.skill is None)
        if facts:
            await self._append([Recalled(facts, turn)], turn)
        skills = [memory.id for memory in there if memory.skill is not None]
        if skills:
            await self.skills.used(skills, turn)


_OF_SKILLS: Final = frozenset({"title", "trigger", "steps", "lessons", "outcome", "slug"})

TOOLS: Final = (
    Tool("mem_search", "Search memory by words and meaning. Changes nothing.", shapes.Search, True, Tools.search),
    Tool(
        "mem_recall",
        "Before a task: the skills and facts that help with it. What is given counts as used.",
        shapes.Recall,
        True,
        Tools.recall,
    ),
    Tool("mem_get", "One memory or skill in full, with its history and earlier texts.", shapes.Get, True, Tools.get),
    Tool("mem_list", "List memories, the strongest or the newest first.", shapes.Listing, True, Tools.listing),
    Tool(
        "mem_write",
        "Keep a fact or an event about the person or the project. Something much like it is reported instead of added.",
        shapes.Write,
        False,
        Tools.write,
    ),
    Tool("mem_update", "Change a memory or a skill; the old words stay in its history.", shapes.Update, False, Tools.update),
    Tool(
        "mem_learn",
        "After a nasty task: keep how it was solved. The skill is untrusted until the person approves it.",
        shapes.Learn,
        False,
        Tools.learn,
    ),
    Tool(
        "mem_reinforce",
        "Say that a skill worked or failed, or that a fact still holds.",
        shapes.Reinforce,
        False,
        Tools.reinforce,
    ),
    Tool("mem_pin", "Pin a memory so that it never fades, or unpin it.", shapes.Pin, False, Tools.pin),
)


def _origin(client: str) -> str:
    """Who wrote a skill; never the person, whatever a client calls itself."""
    return f"mcp:{client}"


def client_name(name: object) -> str:
    """A client's name of itself, fit to be kept."""
    return one_line(clean(name), 40) if isinstance(name, str) and name.strip() else "unknown"


def _storable(text: str) -> str:
    return mask_secrets(clean(text).strip())[0]


def _seconds(seconds: float) -> Any:
    from datetime import timedelta

    return timedelta(seconds=seconds)
