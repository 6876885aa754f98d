"""A sleep pass with a mind: what the engine finds goes to the judge, what the judge says becomes a plan."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.chat.steps import Progress
from memtui.errors import MindError, MindMalformedError
from memtui.memory.conflicts import open_conflicts, settled
from memtui.memory.events import Judged
from memtui.memory.frame import Frame
from memtui.memory.model import Label, Summary, Verdict
from memtui.memory.sleep.candidates import (
    Cluster,
    Pair,
    contradiction_pairs,
    exact_duplicates,
    repeat_clusters,
)
from memtui.memory.sleep.plan import Plan, make_plan
from memtui.memory.texts import clean
from memtui.minds.base import PairText, language_of
from memtui.minds.recorded import to_response

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

_BATCH = 40
"""Pairs a judge that takes them one by one is asked about between two progress reports."""
_BAD_IN_A_ROW = 3
"""Unusable answers in a row after which a pass asks no more; a single one costs only its own pairs."""
_LOCAL_BUDGET = 50_000
"""Pairs a mind that costs nothing is asked about in one pass."""
_WORD_SEARCHES = 2_000
"""Fresh memories whose neighbours by words are looked up; after a huge import the rest has those by vector alone."""
_NO_CLUSTER = "cluster"
"""Stands for the newer text where a cluster, not a pair, was judged."""


@dataclass
class _Asking:
    """The mind's part of one planning: what was asked and what it cost; `down` once the mind is not to be asked again."""

    companion: Companion
    now: datetime
    budget: int
    calls: int = 0
    problem: str = ""
    down: bool = False
    judged: list[tuple[Judged, str]] = field(default_factory=list)
    unasked: list[Pair] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


async def build_plan(companion: Companion, trigger: str, progress: Progress | None, *, at: datetime | None = None) -> Plan:
    """The plan of a pass at `at` (now by default). Writes nothing; a mind that fails leaves its part undone, said so."""
    now = at if at is not None else companion.clock.now()
    report: Progress = progress or (lambda _share, _what: None)
    frame, policy = companion.store.frame, companion.sleep_policy
    asking = _Asking(companion, now, budget=_LOCAL_BUDGET if companion.mind.local else policy.max_judge_calls)
    report(0.05, "looking for the same words")
    fresh = companion.store.state.fresh()
    duplicates = await asyncio.to_thread(exact_duplicates, frame, fresh)
    leaving = frozenset(member for cluster in duplicates for member in cluster.members[:-1])
    report(0.1, "looking for what may contradict")
    pairs = await asyncio.to_thread(_pairs, companion, fresh, leaving)
    verdicts = await _judge(asking, pairs, report)
    report(0.8, "looking for repeats")
    clusters = await asyncio.to_thread(repeat_clusters, frame, policy, leaving | _unmerged(companion, verdicts), fresh)
    summaries = await _summarize(asking, clusters, report)
    report(0.95, "weighing what faded")
    return make_plan(
        frame,
        now,
        companion.law,
        policy,
        trigger=trigger,
        duplicates=duplicates,
        verdicts=verdicts,
        clusters=summaries,
        judged=asking.judged,
        calls=asking.calls,
        unasked=asking.unasked,
        left=asking.left,
        problem=asking.problem,
    )


def _unmerged(companion: Companion, verdicts: Sequence[tuple[Pair, Verdict]]) -> frozenset[str]:
    """What no summary may take in: what leaves for another reason, and both sides of what the person has to settle."""
    policy = companion.sleep_policy
    out: set[str] = set()
    for conflict in open_conflicts(companion.store.state, policy):
        out.update((conflict.older, conflict.newer))
    for pair, verdict in verdicts:
        if verdict.label in (Label.SUPERSEDES, Label.DUPLICATE):
            out.add(pair.older)
        if verdict.label is Label.SUPERSEDES and policy.ask_confidence <= verdict.confidence < policy.retire_confidence:
            out.add(pair.newer)
    return frozenset(out)


def still_valid(plan: Plan, frame: Frame) -> Plan:
    """The plan without items that no longer hold because memory changed since it was made."""

    def active(memory_id: str) -> bool:
        return memory_id in frame and frame.memories[frame.row(memory_id)].active

    def holds(memory_id: str) -> bool:
        return active(memory_id) and not frame.memories[frame.row(memory_id)].pinned

    items = tuple(item for item in plan.items if all(map(holds, item.retires)) and (item.by is None or item.by in frame))
    return replace(plan, items=items, active_before=int(frame.active.sum()))


def _pairs(companion: Companion, fresh: Sequence[str], leaving: frozenset[str]) -> list[Pair]:
    """Candidate pairs of fresh memories, without what the person has settled."""
    store, policy = companion.store, companion.sleep_policy
    neighbours: dict[str, list[str]] = {}
    for memory_id in fresh[-_WORD_SEARCHES:]:
        text = store.frame.texts[store.frame.row(memory_id)]
        hits = store.search_words(text, policy.nearest_words + 1)
        neighbours[memory_id] = [hit for hit in sorted(hits, key=lambda h: -hits[h]) if hit != memory_id]
    pairs = contradiction_pairs(store.frame, fresh, neighbours, policy, leaving)
    memories = store.state.memories
    return [pair for pair in pairs if not settled(store.state, memories[pair.older], memories[pair.newer])]


async def _judge(asking: _Asking, pairs: Sequence[Pair], report: Progress) -> list[tuple[Pair, Verdict]]:
    """Verdicts on all pairs, cached ones first; what the budget or a failing mind leaves out is in `unasked`."""
    companion = asking.companion
    state = companion.store.state
    known: list[tuple[Pair, Verdict]] = []
    open_pairs: list[Pair] = []
    for pair in pairs:
        older, newer = state.memories[pair.older], state.memories[pair.newer]
        texts = (older.content, newer.content)
        cached = state.verdicts.get(texts)
        if cached is None:
            open_pairs.append(pair)
            continue
        reason = companion.store.text(cached.note) if cached.note else ""
        known.append((pair, Verdict(reason, cached.label, cached.confidence)))
        if cached.label is Label.SUPERSEDES and not state.judgements.counts(texts):
            asking.judged.append((cached, reason))  # the pass that found it was undone: it is to count again
    a_call = companion.mind.judging.pairs_a_call
    room, size = asking.budget * a_call, a_call if a_call > 1 else _BATCH
    ask, asking.unasked = open_pairs[:room], list(open_pairs[room:])
    bad = 0
    for start in range(0, len(ask), size):
        batch = ask[start : start + size]
        report(0.1 + 0.7 * start / len(ask), f"judging {start + len(batch)} of {len(ask)} pairs")
        asking.calls += -(-len(batch) // a_call)
        try:
            verdicts = await companion.mind.judge([_pair_text(companion, pair) for pair in batch])
        except MindError as error:
            bad += 1
            asking.unasked.extend(batch)
            asking.problem = str(error)
            asking.down = not isinstance(error, MindMalformedError)
            if not asking.down and bad < _BAD_IN_A_ROW:
                continue
            asking.unasked.extend(ask[start + size :])
            break
        bad = 0
        for pair, verdict in zip(batch, verdicts, strict=True):
            if verdict is None:
                asking.unasked.append(pair)
            else:
                verdict = replace(verdict, reason=clean(verdict.reason))
                known.append((pair, verdict))
                _keep(asking, pair, verdict)
    return known


def _keep(asking: _Asking, pair: Pair, verdict: Verdict) -> None:
    companion = asking.companion
    memories = companion.store.state.memories
    older, newer = memories[pair.older].content, memories[pair.newer].content
    judged = Judged(older, newer, verdict.label, round(verdict.confidence, 4), companion.mind.label)
    telling = verdict.label is not Label.UNRELATED
    asking.judged.append((judged, verdict.reason if telling else ""))
    if telling or not companion.mind.local:
        companion.log.mind(asking.now, "judge", (older, newer), to_response(verdict), companion.mind.label)


def _pair_text(companion: Companion, pair: Pair) -> PairText:
    frame = companion.store.frame
    older, newer = frame.row(pair.older), frame.row(pair.newer)
    return PairText(
        frame.texts[older], frame.texts[newer], frame.memories[older].valid_from, frame.memories[newer].valid_from
    )


async def _summarize(asking: _Asking, clusters: Sequence[Cluster], report: Progress) -> list[tuple[Cluster, Summary]]:
    """A text for each cluster the mind is willing to merge; what it declined once is not asked again."""
    companion = asking.companion
    frame, state = companion.store.frame, companion.store.state
    out: list[tuple[Cluster, Summary]] = []
    for done, cluster in enumerate(clusters):
        texts = [frame.texts[frame.row(member)] for member in cluster.members]
        contents = [state.memories[member].content for member in cluster.members]
        key = hashlib.sha256("".join(contents).encode()).hexdigest()
        if (key, _NO_CLUSTER) in state.verdicts:
            continue
        if asking.calls >= asking.budget or asking.down:
            asking.left.append(cluster.members[-1])
            continue
        report(0.8 + 0.15 * done / len(clusters), f"merging {done + 1} of {len(clusters)} repeats")
        asking.calls += 1
        try:
            summary = await companion.mind.summarize(texts, language_of(texts[-1]))
        except MindError as error:
            asking.left.append(cluster.members[-1])
            asking.problem = str(error)
            asking.down = not isinstance(error, MindMalformedError)  # one bad answer costs only its own cluster
            continue
        summary = Summary(clean(summary.text), clean(summary.reason)) if summary is not None else None
        if summary is None or not summary.text.strip():
            declined = Judged(key, _NO_CLUSTER, Label.UNRELATED, 1.0, companion.mind.label)
            asking.judged.append((declined, ""))
            continue
        out.append((cluster, summary))
        companion.log.mind(asking.now, "summarize", contents, to_response(summary), companion.mind.label)
    return out
