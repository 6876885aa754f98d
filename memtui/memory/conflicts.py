"""Open conflicts: pairs of memories of which a judge thinks, but not surely enough, that the newer replaces the older.

They are the person's to settle. Until then both stay active, and a prompt that carries one carries the other, newest
first, so that nobody answers from the older alone. Pure: computed from the state, from the few verdicts that propose a
retirement, never from all verdicts there are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memtui.memory.events import Created, Edited, Event, Judged, Reinforced, Restored
from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.model import Kind, Label, Memory
from memtui.memory.recall import Cue, Recollected, Recollection
from memtui.memory.sleep.candidates import SleepPolicy, newness
from memtui.memory.state import State


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two active memories that may contradict each other.

    Attributes:
        older, newer: ids; by valid time, then told time, never by order of insertion.
        confidence: how sure the judge is that the newer replaces the older.
        judge: who judged.
        note: hash of the judge's reason, or None.
    """

    older: str
    newer: str
    confidence: float
    judge: str
    note: str | None = None


def open_conflicts(state: State, policy: SleepPolicy) -> list[Conflict]:
    """The conflicts that wait for the person, the one with the newest memory first.

    A pair is moot, and not among them, when its older memory is pinned (it stays, whatever anyone thinks) or either is
    procedural (knowing how to do one thing contradicts nothing).
    """
    found: list[tuple[Memory, Memory, Judged]] = []
    for (older_text, newer_text), judged in list(state.judgements.proposing.items()):  # a copy: recall has its own thread
        if not policy.ask_confidence <= judged.confidence < policy.retire_confidence:
            continue
        older, newer = _newest(state, older_text), _newest(state, newer_text)
        if older is not None and newer is not None and _contradict(state, older, newer):
            found.append((older, newer, judged))
    found.sort(key=lambda entry: (newness(entry[1]), entry[2].confidence, entry[0].id), reverse=True)
    return [Conflict(older.id, newer.id, judged.confidence, judged.judge, judged.note) for older, newer, judged in found]


def _newest(state: State, content: str) -> Memory | None:
    """The newest active memory that says this (the same words may be there twice until a pass makes one of them)."""
    held = [state.memories[memory_id] for memory_id in state.holders.get(content, ()) if memory_id in state.memories]
    return max(held, key=newness, default=None)


def _contradict(state: State, older: Memory, newer: Memory) -> bool:
    moot = older.pinned or Kind.PROCEDURAL in (older.kind, newer.kind)
    return not moot and newness(older) < newness(newer) and not settled(state, older, newer)


def settled(state: State, older: Memory, newer: Memory) -> bool:
    """Whether the person decided that two memories both stay, so that no pass and no question may touch the pair.

    Three things say so: the answer "both true"; a restoring of the older beside the newer; and the answer "not sure",
    until either is told again or edited.
    """
    answer = state.judgements.answer(older.content, newer.content)
    if answer is not None:
        if not isinstance(answer.body, Judged):
            return answer.seq > max(_last(state, memory.id, _is_telling) for memory in (older, newer))
        if answer.body.label is not Label.SUPERSEDES:
            return True
    restored = _last(state, older.id, lambda event: isinstance(event.body, Restored))
    return restored > max(_last(state, memory.id, _is_wording) for memory in (older, newer))


def _last(state: State, memory_id: str, wanted: Callable[[Event], bool]) -> int:
    """Position in the ledger of the last counting event about a memory that is wanted; -1 if there is none."""
    undone = state.undone()
    events = reversed(state.history.get(memory_id, ()))
    return next((event.seq for event in events if wanted(event) and event.block not in undone), -1)


def _is_wording(event: Event) -> bool:
    """Its words are new: told for the first time, or edited."""
    return isinstance(event.body, Created) or (isinstance(event.body, Edited) and event.body.content is not None)


def _is_telling(event: Event) -> bool:
    """It was told, told again, or its words were edited."""
    return isinstance(event.body, Reinforced) or _is_wording(event)


# -- recall ------------------------------------------------------------------------------------------------------------

MOST_BROUGHT: Final = 2
"""Memories that one recalled memory brings along at most."""
NO_LIMIT: Final = 1_000_000
"""Memories in a prompt, where only tokens are to limit it."""


def with_conflicts(
    found: Recollection,
    conflicts: Iterable[Conflict],
    frame: Frame,
    cost: Callable[[str], int],
    *,
    cue: Cue,
    law: Law,
    now_us: int,
    mark_tokens: int = 0,
    most: int = NO_LIMIT,
) -> Recollection:
    """What recall chose, made fair to open conflicts: who is recalled brings along whoever may contradict it.

    Members of a conflict (and of conflicts that share a member) stand together, newest first, at the place of the best
    ranked of them. What ranks below gives way to them, weakest first; what ranks above never does. An older one is never
    shown without the newer: when both can't fit, the newer stays alone. The tokens stay within the budget. Who was brought
    along counts as backfill: `passed` is False, so it is not reinforced; it brings nobody along in turn, and of many who
    may contradict one memory only the `MOST_BROUGHT` surest come, or doubts would crowd out what was asked. Changes nothing.

    Args:
        cost: tokens of a memory's line, from its text.
        mark_tokens: what the line costs more where it says that it may be contradicted.
        most: upper bound on the memories in the prompt.
    """
    place = {item.memory: item for item in found.items}
    all_rivals = _rivals(conflicts := [c for c in conflicts if c.older in frame and c.newer in frame])
    if not any(memory in all_rivals for memory in place):
        return found
    brought = {other for memory in place for other in _surest(memory, place, conflicts)}
    rivals = _rivals(c for c in conflicts if {c.older, c.newer} <= place.keys() | brought)
    retention = None
    chosen: list[Recollected] = []
    spent, done = 0, set[str]()
    for item in found.items:
        if item.memory in done:
            continue
        group = _group(item.memory, rivals, frame)
        done.update(group)
        if len(group) == 1:
            taken = [item]
            taken = taken if spent + item.tokens <= found.budget and len(chosen) < most else []
        else:
            if retention is None:
                retention = law.retention(frame, now_us)
            members = [place.get(m) or _brought(m, item, frame, cost, cue, float(retention[frame.row(m)])) for m in group]
            taken = _fitting(members, rivals, found.budget - spent, most - len(chosen), mark_tokens)
        chosen += taken
        spent += sum(one.tokens for one in taken)
    return replace(found, items=tuple(chosen), tokens=spent)


def disputed(conflicts: Iterable[Conflict], memories: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each of these memories that is in open conflict with others of them: those others."""
    there = set(memories)
    rivals = _rivals(conflict for conflict in conflicts if {conflict.older, conflict.newer} <= there)
    return {memory: tuple(others) for memory, others in rivals.items()}


def _rivals(conflicts: Iterable[Conflict]) -> dict[str, list[str]]:
    rivals: dict[str, list[str]] = {}
    for conflict in conflicts:
        rivals.setdefault(conflict.older, []).append(conflict.newer)
        rivals.setdefault(conflict.newer, []).append(conflict.older)
    return rivals


def _surest(memory: str, there: Collection[str], conflicts: Iterable[Conflict]) -> list[str]:
    """Who may most surely contradict `memory` and is not there yet."""
    found = [
        (conflict.confidence, other)
        for conflict in conflicts
        if memory in (conflict.older, conflict.newer)
        and (other := conflict.newer if conflict.older == memory else conflict.older) not in there
    ]
    return [other for _, other in sorted(found, reverse=True)[:MOST_BROUGHT]]


def _group(memory: str, rivals: Mapping[str, Sequence[str]], frame: Frame) -> list[str]:
    """All that a chain of conflicts ties to `memory`, newest first."""
    group, waiting = {memory}, [memory]
    while waiting:
        for other in rivals.get(waiting.pop(), ()):
            if other not in group:
                group.add(other)
                waiting.append(other)
    return sorted(group, key=lambda m: newness(frame.memories[frame.row(m)]), reverse=True)


def _fitting(
    members: Sequence[Recollected], rivals: Mapping[str, Sequence[str]], room: int, places: int, mark_tokens: int
) -> list[Recollected]:
    """The members that fit, newest first, none of them without the newer ones it may be contradicted by."""
    order = {member.memory: at for at, member in enumerate(members)}
    taken: list[Recollected] = []
    for member in members:
        newer = {other for other in rivals[member.memory] if order.get(other, len(order)) < order[member.memory]}
        with_it = [*taken, member]
        marks = mark_tokens * len(with_it) if len(with_it) > 1 else 0
        fits = sum(one.tokens for one in with_it) + marks <= room and len(with_it) <= places
        if fits and newer <= {one.memory for one in taken}:
            taken = with_it
    if len(taken) < 2:
        return taken
    return [replace(one, tokens=one.tokens + mark_tokens) for one in taken]


def _brought(
    memory: str, beside: Recollected, frame: Frame, cost: Callable[[str], int], cue: Cue, retention: float
) -> Recollected:
    """A memory that is in the prompt only because `beside` is."""
    row = frame.row(memory)
    return replace(
        beside,
        memory=memory,
        row=row,
        words=0.0,
        meaning=float(frame.vectors[row] @ cue.vector),
        slot=0.0,
        relevance=0.0,
        retention=retention,
        tokens=cost(frame.texts[row]),
        passed=False,
    )
