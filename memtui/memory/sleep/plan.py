"""The plan of a sleep pass: what will be merged, retired and pruned, and why; then the one block of events it becomes.

A plan can be shown, and single items unticked, before anything happens. Order within a pass: exact duplicates,
contradictions and duplicates the judge found, repeats, prune; a memory is dealt with once a pass. Pinned memories are
never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import numpy as np

from memtui.memory.events import Absorbed, Body, Created, Judged, Retired, Slept
from memtui.memory.frame import Bools, Floats, Frame
from memtui.memory.laws import Law, parting_words
from memtui.memory.model import KINDS, Kind, Label, Memory, RetireReason, Summary, Verdict
from memtui.memory.moments import HOUR_US, to_us
from memtui.memory.sleep.candidates import Cluster, Pair, SleepPolicy, newness
from memtui.memory.texts import content_hash, one_line


class Action(StrEnum):
    """What an item of a plan does."""

    MERGE = "merge"
    DUPLICATE = "duplicate"
    SUPERSEDE = "supersede"
    PRUNE = "prune"


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One thing the pass would do.

    Attributes:
        key: stable within the plan; unticking names it.
        retires: ids that leave the active set.
        by: the surviving memory's id, or None (pruned; or the merge's new memory).
        text: the merged text, for a merge.
        reason: why, in words a person reads.
        confidence: the judge's, 1 where none was asked.
        salience: of the first retired memory at planning time.
    """

    key: str
    action: Action
    retires: tuple[str, ...]
    by: str | None
    text: str | None
    reason: str
    confidence: float = 1.0
    salience: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sleep pass would do at `at`.

    Attributes:
        judged: verdicts newly made, with their reasons, to be cached.
        calls: how many judge and summary calls were made for it.
        unasked: pairs left for the next pass because the call budget was used up or the mind failed.
        left: memories the next pass looks at again, because of unasked pairs or clusters.
        problem: what went wrong with the mind while planning, or "".
        unsure: pairs the judge would retire but not surely enough; shown to the person.
    """

    at: datetime
    trigger: str
    items: tuple[PlanItem, ...]
    judged: tuple[tuple[Judged, str], ...] = ()
    calls: int = 0
    unasked: tuple[Pair, ...] = ()
    left: tuple[str, ...] = ()
    problem: str = ""
    unsure: tuple[tuple[Pair, Verdict], ...] = ()
    active_before: int = 0

    def without(self, keys: frozenset[str]) -> Plan:
        """The plan with the items of these keys unticked."""
        return replace(self, items=tuple(item for item in self.items if item.key not in keys))

    def count(self, *actions: Action) -> int:
        """How many memories the items of these actions retire."""
        return sum(len(item.retires) for item in self.items if item.action in actions)


@dataclass
class _Pass:
    """What one planning has dealt with so far."""

    frame: Frame
    retention: Floats
    items: list[PlanItem]
    gone: set[str]

    def memory(self, memory_id: str) -> Memory:
        return self.frame.memories[self.frame.row(memory_id)]

    def may_retire(self, memory_id: str) -> bool:
        if memory_id in self.gone or memory_id not in self.frame:
            return False
        memory = self.memory(memory_id)
        return memory.active and not memory.pinned and memory.kind is not Kind.PROCEDURAL

    def alive(self, memory_id: str) -> bool:
        return memory_id not in self.gone and memory_id in self.frame and self.memory(memory_id).active

    def add(
        self,
        action: Action,
        retires: Sequence[str],
        *,
        by: str | None,
        reason: str,
        text: str | None = None,
        confidence: float = 1.0,
    ) -> None:
        self.gone.update(retires)
        left = float(self.retention[self.frame.row(retires[0])])
        key = f"{action}:{retires[0]}"
        self.items.append(PlanItem(key, action, tuple(retires), by, text, reason, confidence, salience=left))


def make_plan(
    frame: Frame,
    now: datetime,
    law: Law,
    policy: SleepPolicy,
    *,
    trigger: str,
    duplicates: Sequence[Cluster] = (),
    verdicts: Sequence[tuple[Pair, Verdict]] = (),
    clusters: Sequence[tuple[Cluster, Summary]] = (),
    judged: Sequence[tuple[Judged, str]] = (),
    calls: int = 0,
    unasked: Sequence[Pair] = (),
    left: Sequence[str] = (),
    problem: str = "",
) -> Plan:
    """The plan at `now`, from what `candidates` found and the mind decided. Changes nothing.

    Args:
        verdicts: every pair of this pass with the judge's verdict, cached ones included.
        clusters: repeats with the text that would stand for them.
        judged: the verdicts that are new, with their reasons.
    """
    now_us = to_us(now)
    work = _Pass(frame, law.retention(frame, now_us), [], set())
    for cluster in duplicates:
        keep = cluster.members[-1]
        leaving = [member for member in cluster.members[:-1] if work.may_retire(member)]
        if leaving:
            work.add(Action.DUPLICATE, leaving, by=keep, reason="said again in the same words")
    unsure = _take_verdicts(work, verdicts, policy)
    for cluster, summary in clusters:
        members = [member for member in cluster.members if work.may_retire(member)]
        if len(members) == len(cluster.members):
            work.add(Action.MERGE, members, by=None, text=summary.text, reason=summary.reason)
    _prune(work, law, now_us, policy)
    return Plan(
        at=now,
        trigger=trigger,
        items=tuple(work.items),
        judged=tuple(judged),
        calls=calls,
        unasked=tuple(unasked),
        left=tuple(dict.fromkeys((*(pair.newer for pair in unasked), *left))),
        problem=problem,
        unsure=tuple(unsure),
        active_before=int(frame.active.sum()),
    )


def _prune(work: _Pass, law: Law, now_us: int, policy: SleepPolicy) -> None:
    """Let go of what the law lets go of once the rest of the pass is done, but for what is too new.

    What is new takes no one else's place: where only so many are kept, there are more of them until its grace is over.
    """
    frame = work.frame
    survivors = {item.by for item in work.items if item.by is not None}  # looked at again next time
    leaving = _rows(frame, work.gone)
    spared = _rows(frame, survivors) | (frame.kind == KINDS.index(Kind.PROCEDURAL))
    old_enough = frame.last_recall <= now_us - policy.grace_hours * HOUR_US
    for row in np.flatnonzero(law.faded(frame, now_us, leaving=leaving, spared=spared) & old_enough).tolist():
        if work.may_retire(frame.ids[row]):
            reason = parting_words(law, float(work.retention[row]))
            work.add(Action.PRUNE, [frame.ids[row]], by=None, reason=reason)


def _rows(frame: Frame, ids: Iterable[str]) -> Bools:
    mask = np.zeros(len(frame), np.bool_)
    mask[[frame.row(memory_id) for memory_id in ids if memory_id in frame]] = True
    return mask


def _take_verdicts(work: _Pass, verdicts: Sequence[tuple[Pair, Verdict]], policy: SleepPolicy) -> list[tuple[Pair, Verdict]]:
    unsure: list[tuple[Pair, Verdict]] = []

    def newest_first(entry: tuple[Pair, Verdict]) -> tuple[object, float]:
        return (newness(work.memory(entry[0].newer)), entry[1].confidence)

    known = [entry for entry in verdicts if entry[0].newer in work.frame and entry[0].older in work.frame]
    for pair, verdict in sorted(known, key=newest_first, reverse=True):
        if not work.may_retire(pair.older) or not work.alive(pair.newer):
            continue
        if verdict.label is Label.SUPERSEDES:
            if verdict.confidence >= policy.retire_confidence:
                work.add(Action.SUPERSEDE, [pair.older], by=pair.newer, reason=verdict.reason, confidence=verdict.confidence)
            elif verdict.confidence >= policy.ask_confidence:
                unsure.append((pair, verdict))
        elif verdict.label is Label.DUPLICATE and verdict.confidence >= policy.duplicate_confidence:
            work.add(Action.DUPLICATE, [pair.older], by=pair.newer, reason=verdict.reason, confidence=verdict.confidence)
    return unsure


def plan_bodies(plan: Plan, frame: Frame, new_id: Callable[[PlanItem], str]) -> tuple[list[Body], dict[str, str]]:
    """The block of events a plan becomes, and the texts it names, by content hash.

    `new_id` gives the id of the memory a merge creates.
    """
    bodies: list[Body] = []
    texts: dict[str, str] = {}

    def name(text: str) -> str:
        digest = content_hash(text)
        texts[digest] = text
        return digest

    for judged, reason in plan.judged:
        bodies.append(replace(judged, note=name(reason) if reason else None))
    for item in plan.items:
        members = [frame.memories[frame.row(memory_id)] for memory_id in item.retires]
        by = item.by
        if item.action is Action.MERGE and item.text is not None:
            by = new_id(item)
            bodies.append(_consolidated(by, item.text, members, name))
        elif item.action is Action.DUPLICATE and by is not None:
            bodies.append(_absorbed(by, members))
        note = name(item.reason)
        reason = _REASONS[item.action]
        bodies.extend(Retired(memory=member.id, reason=reason, by=by, note=note) for member in members)
    merged = plan.count(Action.MERGE, Action.DUPLICATE)
    created = sum(item.action is Action.MERGE for item in plan.items)
    gone = sum(len(item.retires) for item in plan.items)
    bodies.append(
        Slept(
            trigger=plan.trigger,
            merged=merged,
            retired=plan.count(Action.SUPERSEDE),
            pruned=plan.count(Action.PRUNE),
            active=plan.active_before - gone + created,
            calls=plan.calls,
            left=plan.left,
        )
    )
    return bodies, texts


_REASONS: Mapping[Action, RetireReason] = {
    Action.MERGE: RetireReason.MERGED,
    Action.DUPLICATE: RetireReason.DUPLICATE,
    Action.SUPERSEDE: RetireReason.SUPERSEDED,
    Action.PRUNE: RetireReason.PRUNED,
}


def _consolidated(memory_id: str, text: str, members: Sequence[Memory], name: Callable[[str], str]) -> Created:
    """A consolidated memory: times from its newest source, never "now"; recalls and importance from its strongest."""
    newest = max(members, key=newness)
    content = name(text)
    return Created(
        memory=memory_id,
        kind=Kind.CONSOLIDATED,
        content=content,
        note=None,
        importance=max(member.importance for member in members),
        created_at=newest.created_at,
        valid_from=newest.valid_from,
        last_recall=max(member.last_recall for member in members),
        recalls=sum(member.recalls for member in members) + len(members) - 1,
        sources=tuple(dict.fromkeys(source for member in members for source in member.sources)),
        merged_from=tuple(member.id for member in members),
        subject=newest.subject,
        slot=newest.slot,
    )


def _absorbed(keep: str, members: Sequence[Memory]) -> Absorbed:
    return Absorbed(
        memory=keep,
        sources=tuple(dict.fromkeys(source for member in members for source in member.sources)),
        recalls=sum(member.recalls for member in members) + len(members),
        last_recall=max(member.last_recall for member in members),
    )


def describe(item: PlanItem, frame: Frame, width: int = 60) -> str:
    """One line for reports: what leaves, for what, and why."""
    old = one_line(frame.texts[frame.row(item.retires[0])], width)
    more = f" (+{len(item.retires) - 1})" if len(item.retires) > 1 else ""
    if item.action is Action.MERGE:
        return f"{old}{more} → {one_line(item.text or '', width)}"
    new = f" → {one_line(frame.texts[frame.row(item.by)], width)}" if item.by else ""
    return f"{old}{more}{new}: {item.reason}"
