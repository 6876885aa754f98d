"""Recall: which memories a prompt gets.

Candidates come from words (BM25) and meaning (cosine); relative-score fusion ranks them, with an additive bonus where the
memory fills the slot the question asks for; an absolute gate decides who is relevant at all; the law's retention breaks
ties among the relevant; the token budget ends the list. Salience never enters the relevance: multiplying it in lets a
critical fact told once die (measured: `once` .33). Backfill may fill what is left but never counts as recalled.
Pure: reading changes nothing, whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memtui.memory.frame import Floats, Frame, Ints, Vectors
from memtui.memory.laws import Law
from memtui.memory.signals import Ranker, signals
from memtui.memory.words import coverage, stems


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """The numbers recall goes by.

    Attributes:
        budget_tokens: the prompt's room for memories.
        candidates: how many of each arm (words, meaning, slots) are fused.
        words_weight: share of BM25 in the fusion, the rest is cosine.
        slot_weight: weight of the slot posteriors' inner product.
        aspect_weight: weight of the cosine in the aspect space.
        min_cosine: cosine from which meaning alone lets a memory pass (depends on the embedder).
        min_coverage: share of the question's content words from which words alone let it pass.
        min_slot: inner product of slot posteriors from which the slot alone lets it pass.
        tie: relevances closer than this are a tie, broken by retention.
        backfill: whether, when something is asked, the best of what did not pass fills the remaining budget.
        fill_to: backfill ends at this many memories.
        max_memories: upper bound on the memories in a prompt.
    """

    budget_tokens: int = 170
    candidates: int = 50
    words_weight: float = 0.5
    slot_weight: float = 1.5
    aspect_weight: float = 0.0
    min_cosine: float = 0.30
    min_coverage: float = 0.5
    min_slot: float = 0.30
    tie: float = 0.05
    backfill: bool = True
    fill_to: int = 6
    max_memories: int = 12


@dataclass(frozen=True, slots=True)
class Cue:
    """What recall is asked with.

    Attributes:
        text: the question or the user's turn.
        vector: float32 (dims,), unit length.
        words: BM25 score by memory id, from the full-text index (absent: no shared word).
        slots: float32 (slot_count,) posterior of what is asked for, or None.
        aspects: float32 (aspect_count,) where a question lies among the aspects, or None.
        asks: whether something is asked; only then backfill is of use.
        ranker: what ranks answers to a question; None ranks by the policy's weights.
    """

    text: str
    vector: Vectors
    words: Mapping[str, float]
    slots: Vectors | None = None
    aspects: Vectors | None = None
    asks: bool = True
    ranker: Ranker | None = None


@dataclass(frozen=True, slots=True)
class Recollected:
    """One memory in the prompt, with the parts of its rank.

    Attributes:
        words: BM25 relative to the best candidate, 0..1.
        meaning: cosine.
        slot: inner product of slot posteriors.
        relevance: the fused rank.
        retention: what the law says is left.
        tokens: what its line costs in the prompt.
        passed: whether it passed the gate; only then it counts as recalled.
    """

    memory: str
    row: int
    words: float
    meaning: float
    slot: float
    relevance: float
    retention: float
    tokens: int
    passed: bool


@dataclass(frozen=True, slots=True)
class Recollection:
    """What recall chose, best first."""

    items: tuple[Recollected, ...]
    tokens: int
    budget: int

    @property
    def recalled(self) -> tuple[str, ...]:
        """Ids that count as recalled: those that passed the gate."""
        return tuple(item.memory for item in self.items if item.passed)


def recall(
    frame: Frame,
    cue: Cue,
    now_us: int,
    law: Law,
    policy: RecallPolicy,
    count_tokens: Callable[[str], int],
) -> Recollection:
    """The memories for a prompt at `now_us` (microseconds UTC), best first, within the budget. Changes nothing."""
    rows = frame.active_rows()
    if rows.size == 0:
        return Recollection((), 0, policy.budget_tokens)
    meaning = (frame.vectors @ cue.vector)[rows]  # the whole matrix once: picking rows first would copy it
    slot, aspect = _match(frame.slots, rows, cue.slots), _match(frame.aspects, rows, cue.aspects)
    chosen, words = _candidates(frame, rows, (meaning, slot, aspect), cue, policy)
    if chosen.size == 0:
        return Recollection((), 0, policy.budget_tokens)
    spread = float(meaning.min()), float(meaning.max())
    cosine: Floats = meaning[chosen].astype(np.float64)
    slot, aspect, rows = slot[chosen], aspect[chosen], rows[chosen]
    if cue.ranker is not None and cue.asks and cue.slots is not None:
        relevance = cue.ranker.rank(_signals(frame, rows, cue, cue.ranker, (words, cosine, spread, aspect)))
        passed = (relevance >= 0).tolist()
    else:
        relevance = policy.words_weight * words + (1 - policy.words_weight) * _scaled(cosine)
        relevance = relevance + policy.slot_weight * slot + policy.aspect_weight * aspect
        passed = _gate(frame, rows, cosine, words, slot, cue, policy)
    retention = law.retention(frame, now_us)[rows]
    order = _order(relevance, retention, passed, policy.tie)
    items: list[Recollected] = []
    spent = 0
    for i in order:
        if not passed[i] and not (policy.backfill and cue.asks and len(items) < policy.fill_to):
            break
        if len(items) >= policy.max_memories:
            break
        cost = count_tokens(frame.texts[rows[i]])
        if spent + cost > policy.budget_tokens:
            continue
        spent += cost
        items.append(
            Recollected(
                memory=frame.ids[rows[i]],
                row=int(rows[i]),
                words=float(words[i]),
                meaning=float(cosine[i]),
                slot=float(slot[i]),
                relevance=float(relevance[i]),
                retention=float(retention[i]),
                tokens=cost,
                passed=bool(passed[i]),
            )
        )
    return Recollection(tuple(items), spent, policy.budget_tokens)


def _match(of_memories: Vectors, rows: Ints, of_cue: Vectors | None) -> Floats:
    if of_cue is None or of_memories.shape[1] == 0:
        return np.zeros(rows.size, np.float64)
    return np.asarray((of_memories @ of_cue)[rows], np.float64)


def _candidates(
    frame: Frame, rows: Ints, arms: Sequence[Vectors | Floats], cue: Cue, policy: RecallPolicy
) -> tuple[Ints, Floats]:
    """Positions in `rows` that enter the ranking (the best of each arm and by words), and their relative BM25 (0..1)."""
    picked: set[int] = set()
    for at, scores in enumerate(arms):
        if at == 0 or scores.any():  # meaning always; a mind without slots or aspects has no such arm
            picked.update(_top(scores, policy.candidates).tolist())
    found = {frame.row(memory_id): score for memory_id, score in cue.words.items() if memory_id in frame}
    by_words = {at: found[row] for row in found if (at := int(np.searchsorted(rows, row))) < rows.size and rows[at] == row}
    picked.update(sorted(by_words, key=lambda at: -by_words[at])[: policy.candidates])
    chosen = np.array(sorted(picked), np.int64)
    best = max(by_words.values(), default=0.0)
    words = np.array([by_words.get(at, 0.0) / best if best > 0 else 0.0 for at in chosen.tolist()], np.float64)
    return chosen, words


def _signals(
    frame: Frame, rows: Ints, cue: Cue, ranker: Ranker, found: tuple[Floats, Floats, tuple[float, float], Floats]
) -> Floats:
    words, cosine, spread, aspect = found
    told = frame.created[frame.active]
    first, last = int(told.min()), int(told.max())
    assert cue.slots is not None
    return signals(
        words=words,
        meaning=cosine,
        spread=spread,
        slots=frame.slots[rows],
        asked=cue.slots,
        single=ranker.single,
        aspect=aspect,
        texts=[frame.texts[row] for row in rows.tolist()],
        told=(frame.created[rows] - first) / max(1, last - first),
    )


def _top(scores: Vectors | Floats, count: int) -> Ints:
    if scores.size <= count:
        return np.arange(scores.size, dtype=np.int64)
    return np.argpartition(-scores, count)[:count].astype(np.int64)


def _scaled(values: Floats) -> Floats:
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-12:
        return np.ones_like(values)
    return np.asarray((values - low) / (high - low), np.float64)


def _gate(
    frame: Frame, rows: Ints, meaning: Floats, words: Floats, slot: Floats, cue: Cue, policy: RecallPolicy
) -> list[bool]:
    asked = frozenset(stems(cue.text))
    return [
        bool(
            meaning[i] >= policy.min_cosine
            or slot[i] >= policy.min_slot
            or (words[i] > 0 and coverage(asked, frame.texts[row]) >= policy.min_coverage)
        )
        for i, row in enumerate(rows.tolist())
    ]


def _order(relevance: Floats, retention: Floats, passed: list[bool], tie: float) -> list[int]:
    """Passed first, then by relevance in steps of `tie`, then by retention, then by relevance itself."""
    step = np.floor(relevance / tie) if tie > 0 else relevance
    return sorted(range(relevance.size), key=lambda i: (not passed[i], -step[i], -retention[i], -relevance[i], i))
