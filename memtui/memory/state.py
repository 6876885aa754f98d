"""State by folding: what the events say at a moment.

`evolve` is the whole meaning of an event for one memory. A block that was undone is left out of the fold, so undo gives
back the state before it, exactly, and undoing the undo brings it back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from memtui.memory.events import (
    Absorbed,
    Body,
    Created,
    Edited,
    Event,
    Judged,
    Learned,
    Pinned,
    Practised,
    Recalled,
    Reinforced,
    Restored,
    Retired,
    SetAside,
    Slept,
    Trusted,
    Turned,
    Undone,
    Warped,
    memories_of,
)
from memtui.memory.ledger import canonical
from memtui.memory.model import Memory, SkillMark, Status, Verdict
from memtui.memory.moments import to_iso, to_us
from memtui.memory.uses import How, Uses
from memtui.memory.verdicts import TextPair, Verdicts


def evolve(memory: Memory | None, body: Body, at: datetime) -> Memory | None:
    """What one event makes of one memory (None: not there). Events about an absent memory leave it absent."""
    if isinstance(body, Created):
        return _born(body)
    if memory is None:
        return None
    match body:
        case Recalled():
            return _recalled(memory, at)
        case Reinforced():
            sources = memory.sources if body.turn in memory.sources else (*memory.sources, body.turn)
            return replace(_recalled(memory, at, How.REINFORCED), sources=sources)
        case Absorbed():
            return replace(
                memory,
                sources=tuple(dict.fromkeys((*memory.sources, *body.sources))),
                recalls=memory.recalls + body.recalls,
                last_recall=max(memory.last_recall, body.last_recall),
                uses=_brought(body.recalls, memory.created_at, body.last_recall, memory.uses),
            )
        case Retired():
            return replace(
                memory,
                status=Status.RETIRED,
                retired_at=at,
                retired_reason=body.reason,
                retired_by=body.by,
                retire_note=body.note,
            )
        case Restored():
            cleared = replace(
                memory,
                status=Status.ACTIVE,
                retired_at=None,
                retired_reason=None,
                retired_by=None,
                retire_note=None,
            )
            return _recalled(cleared, at)
        case Pinned():
            return replace(memory, pinned=body.pinned)
        case Edited():
            return replace(
                memory,
                content=memory.content if body.content is None else body.content,
                kind=memory.kind if body.kind is None else body.kind,
                importance=memory.importance if body.importance is None else body.importance,
            )
        case Learned() | Practised() | Trusted():
            return _skilled(memory, body, at)
        case _:
            return memory


def _skilled(memory: Memory, body: Learned | Practised | Trusted, at: datetime) -> Memory:
    """What an event about a skill makes of it; a memory that is none is not practised."""
    mark = memory.skill
    if isinstance(body, Learned):
        if mark is None:
            return replace(memory, skill=SkillMark(body.slug, body.outcome, body.trust, body.origin))
        changed = replace(mark, slug=body.slug, outcome=body.outcome, trust=body.trust, origin=body.origin)
        return replace(memory, skill=changed)
    if mark is None:
        return memory
    if isinstance(body, Trusted):
        return replace(memory, skill=replace(mark, trust=body.trust))
    used = _recalled(memory, at, How.REINFORCED if body.worked else How.FAILED)
    worked = replace(mark, worked=mark.worked + 1) if body.worked else replace(mark, failed=mark.failed + 1)
    return replace(used, skill=worked)


def _born(body: Created) -> Memory:
    return Memory(
        id=body.memory,
        kind=body.kind,
        content=body.content,
        note=body.note,
        importance=body.importance,
        created_at=body.created_at,
        valid_from=body.valid_from,
        last_recall=body.last_recall,
        recalls=body.recalls,
        pinned=body.pinned,
        sources=body.sources,
        merged_from=body.merged_from,
        subject=body.subject,
        slot=body.slot,
        uses=_brought(body.recalls, body.created_at, body.last_recall, None),
    )


def _recalled(memory: Memory, at: datetime, how: How = How.RECALLED) -> Memory:
    uses = Uses(to_us(at), how, memory.uses)
    return replace(memory, recalls=memory.recalls + 1, last_recall=max(memory.last_recall, at), uses=uses)


def _brought(recalls: int, since: datetime, last: datetime, before: Uses | None) -> Uses | None:
    """Recalls that come as a number, evenly over the time they must have been in."""
    if recalls <= 0:
        return before
    at_us = to_us(last)
    return Uses(at_us, before=before, count=recalls, since_us=min(at_us, to_us(since)))


@dataclass
class State:
    """All memories and what else the events say. Advanced in place by `apply`; made by `fold`.

    Attributes:
        memories: by id, in order of creation.
        history: the events that touched each memory, in order.
        judgements: what was decided about pairs of texts, by minds and by the person.
        holders: ids of the active memories that hold a content, by its hash.
        offset_s: seconds the simulated clock is ahead of real time, by the last warp.
        turns: moment of every user turn taken in (a marker on the time line).
        sleeps: the `Slept` events, undone ones included.
    """

    memories: dict[str, Memory] = field(default_factory=dict)
    history: dict[str, list[Event]] = field(default_factory=dict)
    blocks: dict[str, list[Event]] = field(default_factory=dict)
    judgements: Verdicts = field(default_factory=Verdicts)
    holders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    turns: dict[str, datetime] = field(default_factory=dict)
    sleeps: list[Event] = field(default_factory=list)
    last_at: datetime | None = None
    offset_s: float = 0.0
    _changes: list[Event] = field(default_factory=list)
    _undoes: list[tuple[str, str]] = field(default_factory=list)  # (undo's block, its target)
    _undone: frozenset[str] | None = field(default=None, compare=False)  # what `undone` found

    def apply(self, event: Event) -> tuple[str, ...]:
        """Take one event in; returns the ids of the memories it changed (all of a block's for an undo)."""
        self.last_at = event.at
        body = event.body
        if isinstance(body, Undone) and body.block not in self.blocks:
            return ()  # there is nothing to undo yet, and what comes under that name later is no part of it
        self.blocks.setdefault(event.block, []).append(event)
        if isinstance(body, Undone):
            self._undoes.append((event.block, body.block))
            self._undone = None
            return self._refold(self._reached_by(body.block))
        touched = memories_of(body)
        for memory_id in touched:
            self.history.setdefault(memory_id, []).append(event)
            self._put(memory_id, evolve(self.memories.get(memory_id), body, event.at))
        self._note(event)
        return touched

    def active(self) -> list[Memory]:
        """The memories that take part in recall."""
        return [memory for memory in self.memories.values() if memory.active]

    def retired(self) -> list[Memory]:
        """The memories that were retired."""
        return [memory for memory in self.memories.values() if not memory.active]

    def undone(self) -> frozenset[str]:
        """Blocks that do not count: targets of an undo that itself counts."""
        if self._undone is None:
            out: set[str] = set()
            for undo, target in reversed(self._undoes):
                if undo not in out:
                    out.add(target)
            self._undone = frozenset(out)
        return self._undone

    def last_sleep(self) -> Event | None:
        """The last sleep pass that was not undone."""
        undone = self.undone()
        return next((event for event in reversed(self.sleeps) if event.block not in undone), None)

    def written_since_sleep(self) -> int:
        """Memories told since the last sleep pass; the trigger compares it with a threshold by `>=`."""
        return sum(isinstance(event.body, Created) for event in self._since_sleep())

    def fresh(self) -> tuple[str, ...]:
        """Ids the next sleep pass looks at: told, edited or restored since the last one, or left over by it."""
        last = self.last_sleep()
        left = last.body.left if last is not None and isinstance(last.body, Slept) else ()
        ids = dict.fromkeys(left)
        for event in reversed(self._since_sleep()):
            ids.update(dict.fromkeys(memories_of(event.body)))
        return tuple(i for i in ids if i in self.memories and self.memories[i].active)

    def _since_sleep(self) -> list[Event]:
        last = self.last_sleep()
        since = -1 if last is None else last.seq
        out: list[Event] = []
        for event in reversed(self._changes):
            if event.seq < since:
                break
            out.append(event)
        return out

    def touched_by(self, block: str) -> tuple[str, ...]:
        """Ids of all memories a block changes, through undoes of undoes."""
        return tuple(dict.fromkeys(i for event in self._reached_by(block) for i in memories_of(event.body)))

    def _reached_by(self, block: str) -> list[Event]:
        """The events of a block, and of the blocks it undoes."""
        events: list[Event] = []
        seen, waiting = {block}, [block]
        while waiting:
            for event in self.blocks.get(waiting.pop(), ()):
                if isinstance(event.body, Undone) and event.body.block not in seen:  # a forged ledger may go in circles
                    seen.add(event.body.block)
                    waiting.append(event.body.block)
                events.append(event)
        return events

    @property
    def verdicts(self) -> dict[TextPair, Judged]:
        """By (older hash, newer hash): the judge's cache, with the judge's name."""
        return self.judgements.cache

    def verdict(self, older: str, newer: str) -> Verdict | None:
        """The cached verdict on two content hashes."""
        judged = self.verdicts.get((older, newer))
        return None if judged is None else Verdict("", judged.label, judged.confidence)

    def _note(self, event: Event) -> None:
        match event.body:
            case Created(merged_from=()) | Edited() | Restored():
                self._changes.append(event)
            case Judged() | SetAside():
                self.judgements.take(event, self.undone())
            case Slept():
                self.sleeps.append(event)
            case Warped(offset_s=offset_s):
                self.offset_s = offset_s
            case Turned(turn=turn):
                self.turns[turn] = event.at
            case _:
                pass

    def _refold(self, events: list[Event]) -> tuple[str, ...]:
        undone = self.undone()
        self.judgements.refold(events, undone)
        ids = tuple(dict.fromkeys(i for event in events for i in memories_of(event.body)))
        for memory_id in ids:
            memory: Memory | None = None
            for event in self.history.get(memory_id, ()):
                if event.block not in undone:
                    memory = evolve(memory, event.body, event.at)
            self._put(memory_id, memory)
        return ids

    def _put(self, memory_id: str, memory: Memory | None) -> None:
        before = self.memories.get(memory_id)
        if memory is None:
            self.memories.pop(memory_id, None)
        else:
            self.memories[memory_id] = memory
        was = before.content if before is not None and before.active else None
        now = memory.content if memory is not None and memory.active else None
        if was != now:
            self._hold(memory_id, was, now)

    def _hold(self, memory_id: str, was: str | None, now: str | None) -> None:
        """The active memory `memory_id` holds another content than before (None: it is not active)."""
        if was is not None:
            left = tuple(other for other in self.holders.get(was, ()) if other != memory_id)
            if left:
                self.holders[was] = left
            else:
                self.holders.pop(was, None)
        if now is not None:
            self.holders[now] = (*self.holders.get(now, ()), memory_id)


def fold(events: Iterable[Event], until: datetime | None = None) -> State:
    """The state after all events up to and including `until` (all of them when None)."""
    state = State()
    for event in events:
        if until is not None and event.at > until:
            break
        state.apply(event)
    return state


def memory_record(memory: Memory) -> dict[str, object]:
    """Every field of a memory as JSON-ready data (hashes for texts), for export, hashing and comparison.

    What makes it a skill is left out of what is none.
    """
    return {name: _plain(getattr(memory, name)) for name in Memory.__slots__ if name != "skill" or memory.skill is not None}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return to_iso(value)
    return value.record() if isinstance(value, Uses | SkillMark) else value


def state_hash(state: State) -> str:
    """SHA-256 (hex) over every field of every memory, independent of the order of creation."""
    records = [memory_record(state.memories[memory_id]) for memory_id in sorted(state.memories)]
    return hashlib.sha256(canonical(records).encode()).hexdigest()
