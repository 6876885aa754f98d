"""What a sleep pass looks at: exact duplicates, repeats and possible contradictions.

Similarity proposes, it never decides. Pairs for the judge are gated by rank (the nearest by vector plus the best by
words), never by an absolute similarity: real contradictions were measured from cosine .27 up. Every search starts from the
*fresh* memories (told, edited or restored since the last pass), so a pass costs what is new, not what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memtui.memory.frame import Floats, Frame, Ints, Vectors
from memtui.memory.model import KINDS, Kind, Memory
from memtui.memory.texts import same_key

_BLOCK: Final = 128
"""Fresh rows compared with all others at once (a float32 block of 128 x n)."""
_SAME_COSINE: Final = 0.80
"""Where the same telling in other punctuation is looked for; equality itself is decided on the text."""
_PROCEDURAL: Final = KINDS.index(Kind.PROCEDURAL)


@dataclass(frozen=True, slots=True)
class SleepPolicy:
    """The numbers a sleep pass goes by.

    Attributes:
        repeats: how many tellings of one thing become one memory.
        cluster_cosine: from which cosine tellings may be repeats of each other.
        nearest_vectors, nearest_words: how many neighbours of a memory may be its contradictions.
        max_judge_calls: judge and summary calls a mind that costs something may be asked in one pass.
        retire_confidence: how sure the judge must be to retire; each mind says its own (`Mind.judging`), this is the
            offline one's.
        ask_confidence: from which the person is asked where the judge is not sure enough to retire; the same.
        duplicate_confidence: how sure it must be to drop a duplicate; the same.
        grace_hours: how long what was just told, recalled or restored is not pruned, however little is left of it.
    """

    repeats: int = 3
    cluster_cosine: float = 0.70
    nearest_vectors: int = 10
    nearest_words: int = 5
    max_judge_calls: int = 40
    retire_confidence: float = 0.32
    ask_confidence: float = 0.25
    duplicate_confidence: float = 0.5
    grace_hours: float = 1.0


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
    """Rows a pass may change, ascending: active, unpinned, not procedural."""
    return np.flatnonzero(frame.active & ~frame.pinned & (frame.kind != _PROCEDURAL))


def exact_duplicates(frame: Frame, fresh: Sequence[str] | None = None) -> list[Cluster]:
    """Groups of active memories with the same text but for case, punctuation and ё; oldest first.

    `fresh` None looks at all.
    """
    rows = np.flatnonzero(frame.active & (frame.kind != _PROCEDURAL))
    groups: dict[str, set[int]] = {}
    for seed, cosines in _compared(frame, _seeds(frame, rows, fresh), rows):
        key = same_key(frame.texts[seed])
        near = rows[cosines >= _SAME_COSINE].tolist() if np.any(frame.vectors[seed]) else rows.tolist()
        same = {row for row in near if same_key(frame.texts[row]) == key} if key else set()
        if len(same | {seed}) > 1:
            groups.setdefault(key, set()).update(same | {seed})
    return [_ordered(frame, members) for members in groups.values()]


def repeat_clusters(
    frame: Frame, policy: SleepPolicy, leave_out: frozenset[str] = frozenset(), fresh: Sequence[str] | None = None
) -> list[Cluster]:
    """Greedy clusters whose members are all within `cluster_cosine` of the cluster's mean, largest first.

    A consolidated memory in a cluster counts for all of its sources, so repeats are found across passes; a consolidated
    memory alone never consolidates again. `fresh` None looks at all.
    """
    rows = np.array([row for row in sleepable(frame).tolist() if frame.ids[row] not in leave_out], np.int64)
    seeds = _seeds(frame, rows, fresh)
    seeds = sorted(seeds, key=lambda row: newness(frame.memories[row]), reverse=True)
    free = np.ones(len(frame), np.bool_)
    clusters: list[Cluster] = []
    for seed, cosines in _compared(frame, seeds, rows):
        if not free[seed]:
            continue
        near = rows[(cosines >= policy.cluster_cosine) & free[rows]]
        if near.size < 2:
            continue
        mean = frame.vectors[near].mean(axis=0)
        mean /= max(float(np.linalg.norm(mean)), 1e-9)
        members = near[(frame.vectors[near] @ mean) >= policy.cluster_cosine].tolist()
        if seed not in members or len(members) < 2 or _tellings(frame, members) < policy.repeats:
            continue
        free[members] = False
        clusters.append(_ordered(frame, members))
    return sorted(clusters, key=lambda cluster: -len(cluster.members))


def contradiction_pairs(
    frame: Frame,
    fresh: Sequence[str],
    word_neighbours: Mapping[str, Sequence[str]],
    policy: SleepPolicy,
    leave_out: frozenset[str] = frozenset(),
) -> list[Pair]:
    """Pairs of each fresh memory with its nearest by vector and by words, most similar first, each pair once.

    Args:
        fresh: ids not looked at before.
        word_neighbours: ids by id, best first, from the full-text index.
        leave_out: ids that another step of this pass already deals with.
    """
    keep = frame.active & (frame.kind != _PROCEDURAL)
    keep[[frame.row(memory_id) for memory_id in leave_out if memory_id in frame]] = False
    rows = np.flatnonzero(keep)
    pairs: dict[tuple[str, str], Pair] = {}
    for seed, cosines in _compared(frame, _seeds(frame, rows, fresh), rows):
        others = dict.fromkeys(rows[_nearest(cosines, policy.nearest_vectors + 1)].tolist())
        for other_id in word_neighbours.get(frame.ids[seed], ())[: policy.nearest_words]:
            if other_id in frame and keep[frame.row(other_id)]:
                others[frame.row(other_id)] = None
        for other in others:
            if other == seed:
                continue
            older, newer = sorted((frame.memories[seed], frame.memories[other]), key=newness)
            cosine = float(frame.vectors[seed] @ frame.vectors[other])
            pairs[older.id, newer.id] = Pair(older.id, newer.id, cosine)
    return sorted(pairs.values(), key=lambda pair: (-pair.cosine, pair.older, pair.newer))


def _seeds(frame: Frame, rows: Ints, fresh: Sequence[str] | None) -> list[int]:
    """The rows among `rows` that a search starts from."""
    if fresh is None:
        return [int(row) for row in rows]
    allowed = np.zeros(len(frame), np.bool_)
    allowed[rows] = True
    return [row for row in dict.fromkeys(frame.row(i) for i in fresh if i in frame) if allowed[row]]


def _compared(frame: Frame, seeds: Sequence[int], rows: Ints) -> Iterator[tuple[int, Vectors]]:
    """Each seed with its cosines to `rows`: float32 (len(rows),)."""
    if rows.size == 0:
        return
    for start in range(0, len(seeds), _BLOCK):
        block = list(seeds[start : start + _BLOCK])
        cosines = (frame.vectors[block] @ frame.vectors.T)[:, rows]  # picking rows first would copy the whole matrix
        yield from zip(block, cosines, strict=True)


def _nearest(cosines: Vectors | Floats, count: int) -> Ints:
    """Positions of the `count` highest, highest first; equal ones in order."""
    if cosines.size > count:
        edge = np.partition(cosines, cosines.size - count)[cosines.size - count]
        top = np.flatnonzero(cosines >= edge)
    else:
        top = np.arange(cosines.size)
    return top[np.argsort(-cosines[top], kind="stable")][:count].astype(np.int64)


def _ordered(frame: Frame, rows: set[int] | list[int]) -> Cluster:
    return Cluster(tuple(memory.id for memory in sorted((frame.memories[row] for row in rows), key=newness)))


def _tellings(frame: Frame, rows: list[int]) -> int:
    return len({source for row in rows for source in frame.memories[row].sources})
