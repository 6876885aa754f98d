"""A person's memory and a mind, together: everything the screen, the commands and a replay do goes through here.

One operation runs at a time (`_lock`); reading (`recall_for`, previews) changes nothing and waits for nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memtui.chat.log import TurnLog
from memtui.chat.nights import nights_between
from memtui.chat.policy import apart, law_of, recall_policy, sleep_policy
from memtui.chat.recalling import cue_of, recall_now
from memtui.chat.settling import Settlement, settle, waiting
from memtui.chat.sleeping import build_plan, still_valid
from memtui.chat.steps import Progress, SleepReport, Slumbered, Step, WarpReport
from memtui.chat.turning import Turn
from memtui.chat.undoing import last_undoable, undone_words
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import InputError
from memtui.memory.conflicts import Conflict
from memtui.memory.events import Body, Edited, Event, Pinned, Restored, Retired, Undone, Warped
from memtui.memory.forecast import spared_kinds
from memtui.memory.frame import Vectors
from memtui.memory.ids import make_id
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.laws.capacity import beyond_words
from memtui.memory.model import Answer, Kind, Memory, RetireReason
from memtui.memory.moments import to_us
from memtui.memory.recall import Cue, Recollection
from memtui.memory.skill import text_to_embed
from memtui.memory.sleep.plan import Plan, plan_bodies
from memtui.memory.texts import clean, content_hash, mask_secrets, one_line, same_key
from memtui.minds.base import Message, Mind
from memtui.skills.service import Skills

if TYPE_CHECKING:
    from memtui.store.memory_store import MemoryStore


class Companion:
    """One open memory with its mind, clock and log.

    Attributes:
        history: the conversation so far, for the prompt.
        last_recollection: what the last turn's recall chose.
        notices: sentences the opening wants shown once.
        skills: its procedural memory.
        stopped: set while a running reply or warp is asked to end early.
        unlearned: ids of turns whose extraction failed: asked again, they are taken in.
    """

    def __init__(
        self,
        store: MemoryStore,
        mind: Mind,
        clock: SimClock,
        settings: Settings,
        log: TurnLog,
        session_id: str,
    ) -> None:
        self.store = store
        self.mind = mind
        self.clock = clock
        self.settings = settings
        self.log = log
        self.session_id = session_id
        self._law = apart(law_of(settings), settings)
        self.recall_policy = recall_policy(settings, mind.embedder.related_from)
        self.sleep_policy = sleep_policy(settings, mind.judging)
        self.history: list[Message] = []
        self.last_recollection: Recollection | None = None
        self.notices: list[str] = []
        self.stopped = asyncio.Event()
        self.unlearned: set[str] = set()
        self._lock = asyncio.Lock()
        self._nights_done: datetime | None = None
        self.skills = Skills(self)
        if store.state.last_at is not None:
            clock.never_before(store.state.last_at)

    @property
    def law(self) -> SkillsApart:
        """The law memory is read by, skills apart."""
        return self._law

    def read_by(self, law: Law) -> None:
        """Read what is no skill by another law from now on."""
        self._law = apart(law, self.settings)

    # -- talking ---------------------------------------------------------------------------------------------------

    async def turn(
        self, text: str, *, given_reply: str | None = None, turn_id: str | None = None, again: bool = False
    ) -> AsyncGenerator[Step, None]:
        """One user turn: heard, recalled, replied, learned, and a sleep pass if one is due.

        Never raises for what a mind, an endpoint or a disk does: that is a `Failed` step, and what was said is kept.
        `given_reply` is used in place of the mind's (a replay); `turn_id` in place of a made one. `again` asks anew for
        the reply to an earlier turn, by its id: it is not told twice, so nothing is reinforced.
        """
        async with self._lock:
            self.stopped.clear()
            turn = Turn(self, text, given_reply=given_reply, turn_id=turn_id, again=again)
            async for step in turn.run():
                yield step
            if turn.learned and self.sleep_due():
                yield Slumbered(await self._sleep("threshold", None))
            self.skills.snapshot.keep()

    def stop(self) -> None:
        """Ask the running reply or warp to end early; what was said so far is kept."""
        self.stopped.set()

    @property
    def stopping(self) -> bool:
        """Whether `stop` was asked for."""
        return self.stopped.is_set()

    async def recall_for(self, text: str) -> Recollection:
        """What recall would put into the prompt for `text` now. Writes nothing and reinforces nothing."""
        text = clean(text)
        cue = replace(await self.cue(text), asks=True)
        return await asyncio.to_thread(self.recall_now, cue)

    async def cue(self, text: str) -> Cue:
        """The signals recall works with for `text`.

        Raises:
            MindError: the embedder did not answer.
        """
        return await cue_of(self, text)

    def recall_now(self, cue: Cue) -> Recollection:
        """What recall finds by this companion's law, policy and clock; of an open conflict both sides or none."""
        return recall_now(self, cue)

    # -- single memories -------------------------------------------------------------------------------------------

    async def remember(self, text: str) -> str:
        """Keep `text` because the user asked to; returns the memory's id (an equal one is reinforced instead).

        Raises:
            InputError: nothing to remember.
        """
        from memtui.chat.turning import remember

        async with self._lock:
            return await remember(self, text)

    async def pin(self, memory: str, pinned: bool = True) -> None:
        """Pin or unpin: a pinned memory survives everything but `forget`."""
        await self.change([Pinned(self._known(memory).id, pinned)], f"/{'pin' if pinned else 'unpin'} {memory}")

    async def forget(self, memory: str) -> None:
        """Retire a memory because the user said so; it can be restored."""
        known = self._known(memory)
        if known.active:
            reason = "you asked to forget it"
            body = Retired(known.id, RetireReason.FORGOTTEN, note=content_hash(reason))
            await self.change([body], f"/forget {memory}", texts={body.note or "": reason})

    async def restore(self, memory: str) -> None:
        """Make a retired memory active again; it counts as recalled now."""
        known = self._known(memory)
        if not known.active:
            await self.change([Restored(known.id)], f"/restore {memory}")

    async def edit(
        self, memory: str, *, text: str | None = None, kind: Kind | None = None, importance: float | None = None
    ) -> None:
        """Change a memory's text, kind or importance; the old text stays in its history.

        Raises:
            InputError: an empty text, or an importance outside 0..1.
        """
        known = self._known(memory)
        if importance is not None and not 0.0 <= importance <= 1.0:
            raise InputError(f"importance {importance:g} is not within 0 and 1.", todo="Give a number such as 0.8.")
        texts, vectors, digest = {}, {}, None
        if text is not None:
            text = mask_secrets(clean(text).strip())[0]
            if not text:
                raise InputError("A memory's text can't be empty.", todo="Use forget to let go of it.")
            digest = content_hash(text)
            texts[digest] = text
            vectors[digest] = (await self.mind.embedder.embed([text_to_embed(text)]))[0]
        body = Edited(known.id, digest, kind, importance)
        line = f"/edit {memory} {text}" if text is not None else f"/edit {memory}"
        await self.change([body], line, texts=texts, vectors=vectors)

    async def undo(self, block: str | None = None) -> str:
        """Take back a block of events (the last one that changed memories by default); returns what was undone.

        Raises:
            InputError: nothing to undo.
        """
        target = block if block is not None else last_undoable(self.store.state)
        if target is None or target not in self.store.state.blocks:
            raise InputError("There is nothing to undo.")
        sentence = undone_words(self.store.state, target)
        await self.change([Undone(target)], "/undo")
        return sentence

    def resolve(self, reference: str) -> str:
        """The id meant by `m31`, an id, or words that match exactly one memory.

        Raises:
            InputError: none or several match.
        """
        frame, wanted = self.store.frame, reference.strip()
        if wanted in frame:
            return wanted
        if wanted[:1] in "mM" and wanted[1:].isdigit():
            row = int(wanted[1:]) - 1
            if 0 <= row < len(frame) and frame.ids[row] in frame:
                return frame.ids[row]
        key = same_key(wanted)
        hits = [m for m, text in zip(frame.ids, frame.texts, strict=True) if key and key in same_key(text) and m in frame]
        active = [m for m in hits if frame.memories[frame.row(m)].active]
        best = active or hits
        if len(best) == 1:
            return best[0]
        problem = "no memory matches" if not best else f"{len(best)} memories match"
        raise InputError(f"{problem} '{one_line(wanted, 40)}'.", todo="Name it by its number, such as m31.")

    def handle(self, memory: str) -> str:
        """The short name the screen shows, such as `m31`."""
        return f"m{self.store.frame.row(memory) + 1:02d}"

    # -- conflicts -------------------------------------------------------------------------------------------------

    def conflicts(self) -> list[Conflict]:
        """Pairs of memories a judge is in doubt about, for the person to settle; the one with the newest memory first."""
        return waiting(self)

    async def settle(self, one: str, other: str, answer: Answer) -> Settlement:
        """Do what the person answered about two memories (see `settling.settle`)."""
        async with self._lock:
            return await settle(self, one, other, answer)

    # -- sleep -----------------------------------------------------------------------------------------------------

    def sleep_due(self) -> bool:
        """Whether the memories written since the last pass reached the threshold (crossed, never met exactly)."""
        after = self.settings.sleep.after_memories
        return after > 0 and self.store.state.written_since_sleep() >= after

    async def plan_sleep(self, trigger: str, progress: Progress | None = None) -> Plan:
        """What a sleep pass would do now; changes nothing."""
        async with self._lock:
            return await build_plan(self, trigger, progress)

    async def apply_sleep(self, plan: Plan) -> SleepReport:
        """Do what a (possibly edited) plan says, as one block that can be undone."""
        async with self._lock:
            return await self._apply(plan)

    async def sleep(self, trigger: str, progress: Progress | None = None) -> SleepReport:
        """Plan and apply in one go."""
        async with self._lock:
            return await self._sleep(trigger, progress)

    async def _sleep(self, trigger: str, progress: Progress | None) -> SleepReport:
        await self.skills.tidy(self.clock.now())
        return await self._apply(await build_plan(self, trigger, progress))

    async def _apply(self, plan: Plan) -> SleepReport:
        plan = still_valid(plan, self.store.frame)
        now = self.clock.now()
        block = make_id(now, "sleep", self.store.head.length)
        bodies, texts = plan_bodies(plan, self.store.frame, lambda item: make_id(now, "merge", *item.retires))
        merged = [item.text for item in plan.items if item.text is not None]
        rows: Sequence[Vectors] | Vectors = await self.mind.embedder.embed(merged) if merged else []
        vectors = {content_hash(text): row for text, row in zip(merged, rows, strict=True)}
        await self.store.append_async(bodies, at=now, block=block, texts=texts, vectors=vectors)
        self.skills.snapshot.keep()
        if plan.trigger == "key":
            self.log.command(now, "/sleep")
        return SleepReport(plan, now, block, beyond_words(self.law, int(self.store.frame.active.sum())))

    # -- time ------------------------------------------------------------------------------------------------------

    async def warp_to(self, moment: datetime, progress: Progress | None = None) -> WarpReport:
        """Move the simulated clock forward to `moment`, sleeping each night between if nightly sleep is on.

        `stop()` ends it at the night it has reached; the clock stands there.

        Raises:
            InputError: `moment` is not after now.
        """
        async with self._lock:
            self.stopped.clear()
            start = self.clock.now()
            if moment <= start:
                raise InputError("Time does not run backwards.", todo="Choose a moment ahead of now.")
            reports = await self._nights(start, moment, progress)
            if not self.stopping:
                self.clock.jump_to(moment)
            end = self.clock.now()
            await self._note_time()
            hours = (end - start) / timedelta(hours=1)
            self.log.command(start, f"/warp {hours:.6g}h")
            return WarpReport(start, end, tuple(reports), self.stopping)

    async def catch_up(self, progress: Progress | None = None) -> list[SleepReport]:
        """Sleep the nights that went by since memory was last awake (the clock ran, or the app was closed)."""
        if not self.settings.sleep.nightly:
            return []
        since = self._nights_done or self.store.state.last_at
        now = self.clock.now()
        if since is None or not nights_between(since, now, 1):
            self._nights_done = max(now, since) if since is not None else now
            return []
        async with self._lock:
            self.stopped.clear()
            return await self._nights(since, now, progress, standing=True)

    async def _nights(
        self, since: datetime, until: datetime, progress: Progress | None, *, standing: bool = False
    ) -> list[SleepReport]:
        """Sleep each night in (since, until]; `standing` leaves the clock where it is (those nights are past)."""
        nights = nights_between(since, until) if self.settings.sleep.nightly else []
        reports: list[SleepReport] = []
        for done, night in enumerate(nights):
            if self.stopping:
                break
            if progress is not None:
                progress(done / len(nights), f"night {done + 1} of {len(nights)}")
            if not standing:
                self.clock.jump_to(night)
            await self.skills.tidy(night)
            plan = await build_plan(self, "nightly", None, at=night)
            if plan.items or plan.judged:
                reports.append(await self._apply(plan))
            self._nights_done = night
            await asyncio.sleep(0)
        if progress is not None:
            progress(1.0, "awake")
        return reports

    async def set_rate(self, rate: float) -> None:
        """Change how fast simulated time runs (0 pauses it)."""
        async with self._lock:
            self.clock.set_rate(rate)
            await self._note_time()

    def fading(self, moment: datetime) -> tuple[int, int]:
        """How many active memories a pass would let go of at `moment`, and how many would stay."""
        frame = self.store.frame
        fades = int(self.law.faded(frame, to_us(moment), spared=spared_kinds(frame)).sum())
        return fades, int(frame.active.sum()) - fades

    async def _note_time(self) -> None:
        now = self.clock.now()
        body = Warped(offset_s=round(self.clock.offset().total_seconds(), 6), rate=self.clock.rate)
        await self.store.append_async([body], at=now, block=make_id(now, "time", self.store.head.length))
        self.skills.snapshot.keep()

    # -- ending ----------------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Keep the clock's place, free connections and the store."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._lock.acquire(), 5.0)
        drift = abs(self.clock.offset().total_seconds() - self.store.state.offset_s)
        try:
            if drift > 1.0 and len(self.store.frame) and not self.clock.is_real():
                await self._note_time()
        finally:
            await self.skills.snapshot.settled()
            await self.mind.aclose()
            await asyncio.to_thread(self.store.close)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _known(self, memory: str) -> Memory:
        return self.store.state.memories.get(memory) or self.store.state.memories[self.resolve(memory)]

    async def change(
        self,
        bodies: Sequence[Body],
        command: str,
        *,
        texts: dict[str, str] | None = None,
        vectors: dict[str, Vectors] | None = None,
    ) -> list[Event]:
        """Append bodies as one block at the clock's moment, and note the command that does the same."""
        async with self._lock:
            now = self.clock.now()
            block = make_id(now, "command", self.store.head.length)
            events = await self.store.append_async(bodies, at=now, block=block, texts=texts or {}, vectors=vectors or {})
            self.log.command(now, command)
        self.skills.snapshot.keep()
        return events
