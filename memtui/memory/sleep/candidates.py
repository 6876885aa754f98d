"""What a sleep pass looks at: exact duplicates, repeats and possible contradictions.

Similarity proposes, it never decides. Pairs for the judge are gated by rank (the nearest by vector plus the best by
words), never by an absolute similarity: real contradictions were measured from cosine .27 up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memtui.memory.frame import Frame, Ints
from memtui.memory.model import Kind, Memory
from memtui.memory.texts import same_key


@dataclass(frozen=True, slots=True)
class SleepPolicy:
    """The numbers a sleep pass goes by.

    Attributes:
        repeats: how many tellings of one thing become one memory.
        cluster_cosine: from which cosine tellings may be repeats of each other.
        nearest_vectors, nearest_words: how many neighbours of a memory may be its contradictions.
        max_judge_calls: pairs the judge may be asked about in one pass.
        retire_confidence: how sure the judge must be to retire.
        duplicate_confidence: how sure it must be to drop a duplicate.
    """

    repeats: int = 3
    cluster_cosine: float = 0.70
    nearest_vectors: int = 10
    nearest_words: int = 5
    max_judge_calls: int = 40
    retire_confidence: float = 0.5
    duplicate_confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories the judge is asked about; `newer` by valid time, then told time, never by order of insertion."""

    older: str
    newer: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories that may be repeats of one thing, oldest first."""

    members: tuple[str, ...]


def newness(memory: Memory) -> tuple[object, object, str]:
    """What decides which of two facts is the newer: valid time, told time, and last the id."""
    return (memory.valid_from, memory.created_at, memory.id)


def sleepable(frame: Frame) -> Ints:
    """Rows a pass may change: active, unpinned, not procedural."""
    procedural = [i for i in frame.active_rows().tolist() if frame.memories[i].kind is Kind.PROCEDURAL]
    return np.setdiff1d(np.flatnonzero(frame.active & ~frame.pinned), np.array(procedural, np.int64))


def exact_duplicates(frame: Frame) -> list[Cluster]:
    """Groups of active memories with the same text but for case, punctuation and ё; oldest first."""
    groups: dict[str, list[Memory]] = defaultdict(list)
    for row in frame.active_rows().tolist():
        memory = frame.memories[row]
        if memory.kind is not Kind.PROCEDURAL:
            groups[same_key(frame.texts[row])].append(memory)
    return [
        Cluster(tuple(m.id for m in sorted(group, key=newness))) for key, group in groups.items() if key and len(group) > 1
    ]


def repeat_clusters(frame: Frame, policy: SleepPolicy, leave_out: frozenset[str] = frozenset()) -> list[Cluster]:
    """Greedy clusters whose members are all within `cluster_cosine` of the cluster's mean, largest first.

    A consolidated memory in a cluster counts for all of its sources, so repeats are found across passes; a cluster that
    is one consolidated memory alone never consolidates again.
    """
    rows = [row for row in sleepable(frame).tolist() if frame.ids[row] not in leave_out]
    if len(rows) < 2:
        return []
    taken: set[int] = set()
    clusters: list[Cluster] = []
    vectors = frame.vectors
    for row in sorted(rows, key=lambda r: newness(frame.memories[r]), reverse=True):
        if row in taken:
            continue
        free = np.array([r for r in rows if r not in taken], np.int64)
        near = free[(vectors[free] @ vectors[row]) >= policy.cluster_cosine]
        if near.size < 2:
            continue
        mean = vectors[near].mean(axis=0)
        mean /= max(float(np.linalg.norm(mean)), 1e-9)
        members = near[(vectors[near] @ mean) >= policy.cluster_cosine].tolist()
        if row not in members or len(members) < 2 or _tellings(frame, members) < policy.repeats:
            continue
        taken.update(members)
        ordered = sorted((frame.memories[r] for r in members), key=newness)
        clusters.append(Cluster(tuple(m.id for m in ordered)))
    return sorted(clusters, key=lambda c: -len(c.members))


def contradiction_pairs(
    frame: Frame,
    fresh: Sequence[str],
    word_neighbours: Mapping[str, Sequence[str]],
    policy: SleepPolicy,
    leave_out: frozenset[str] = frozenset(),
) -> list[Pair]:
    """Pairs of each fresh memory with its nearest by vector and by words, most similar first, each pair once.

    Args:
        fresh: ids not looked at before (written since the last pass).
        word_neighbours: ids by id, best first, from the full-text index.
        leave_out: ids that another step of this pass already deals with.
    """
    rows = frame.active_rows()
    pairs: dict[tuple[str, str], Pair] = {}
    for memory_id in fresh:
        if memory_id not in frame or memory_id in leave_out:
            continue
        row = frame.row(memory_id)
        memory = frame.memories[row]
        if not memory.active or memory.kind is Kind.PROCEDURAL:
            continue
        cosines = frame.vectors[rows] @ frame.vectors[row]
        nearest = rows[np.argsort(-cosines, kind="stable")[: policy.nearest_vectors + 1]].tolist()
        others = dict.fromkeys([frame.ids[r] for r in nearest])
        others.update(dict.fromkeys(word_neighbours.get(memory_id, ())[: policy.nearest_words]))
        for other_id in others:
            if other_id == memory_id or other_id in leave_out or other_id not in frame:
                continue
            other = frame.memories[frame.row(other_id)]
            if not other.active or other.kind is Kind.PROCEDURAL:
                continue
            older, newer = sorted((memory, other), key=newness)
            cosine = float(frame.vectors[row] @ frame.vectors[frame.row(other_id)])
            pairs[older.id, newer.id] = Pair(older.id, newer.id, cosine)
    return sorted(pairs.values(), key=lambda pair: (-pair.cosine, pair.older, pair.newer))


def _tellings(frame: Frame, rows: list[int]) -> int:
    return len({source for row in rows for source in frame.memories[row].sources})
