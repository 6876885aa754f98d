"""Recall: which memories a prompt gets.

Candidates come from words (BM25) and meaning (cosine); relative-score fusion ranks them, with an additive bonus where the
memory fills the slot the question asks for; an absolute gate decides who is relevant at all; the law's retention breaks
ties among the relevant; the token budget ends the list. A mind that learned to rank answers replaces the fusion and the gate
where something is asked, and passes over an older memory for which a newer one stands: two values of one thing never both
reach the prompt. Salience never enters the relevance: multiplying it in lets a
critical fact told once die (measured: `once` .33). Backfill may fill what is left but never counts as recalled.
Pure: reading changes nothing, whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints, Vectors
from memtui.memory.laws import Law
from memtui.memory.signals import Ranked, Ranker, signals
from memtui.memory.words import coverage, stems

LOOKED_AT: Final = 12
"""How many of the best ranked are looked at together for what a newer one stands for."""


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
        told_margin: how much more of both it takes where nothing is asked: what only shares the topic of some small talk
            would be reinforced by every turn and never fade.
        tie: relevances closer than this are a tie, broken by retention.
        backfill: whether, when something is asked, the best of what did not pass fills the remaining budget.
        fill_to: backfill ends at this many memories.
        max_memories: upper bound on the memories in a prompt.
        skill_cosine: cosine from which meaning alone lets a skill pass; a fourth less does where a quarter of the question's
            words is in it too. Skills have a gate of their own, whoever ranks the answers, and never fill up a prompt.
        stretch: whether a question whose language needs more tokens gets more room (`Cue.room`).
    """

    budget_tokens: int = 145
    candidates: int = 50
    words_weight: float = 0.5
    slot_weight: float = 1.5
    aspect_weight: float = 0.0
    min_cosine: float = 0.30
    min_coverage: float = 0.5
    min_slot: float = 0.30
    told_margin: float = 0.12
    tie: float = 0.05
    backfill: bool = True
    fill_to: int = 8
    max_memories: int = 12
    stretch: bool = True
    skill_cosine: float = 0.40


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
        room: times the policy's token budget this question gets: a language may need more tokens for the same words.
    """

    text: str
    vector: Vectors
    words: Mapping[str, float]
    slots: Vectors | None = None
    aspects: Vectors | None = None
    asks: bool = True
    ranker: Ranker | None = None
    room: float = 1.0


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
    """What recall chose, best first.

    Attributes:
        passed_over: (memory, newer memory) where both would answer and the newer stands for the older in this question.
    """

    items: tuple[Recollected, ...]
    tokens: int
    budget: int
    passed_over: tuple[tuple[str, str], ...] = ()

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
    both_stand: Callable[[str, str], bool] = lambda _older, _newer: False,
    without: Bools | None = None,
) -> Recollection:
    """The memories for a prompt at `now_us` (microseconds UTC), best first, within the budget. Changes nothing.

    Args:
        both_stand: whether the person settled that an older and a newer memory both hold; then neither is passed over.
        without: bool (n,), active rows that take no part: skills whose time has run out.
    """
    found = _rank(frame, cue, policy, without)
    budget = round(policy.budget_tokens * (cue.room if policy.stretch else 1.0))
    if found is None:
        return Recollection((), 0, budget)
    retention = law.retention(frame, now_us)[found.rows]
    order = _order(found.relevance, retention, found.passed, policy.tie)
    passed_over = _passed_over(frame, cue, found, order, both_stand)
    items: list[Recollected] = []
    spent = 0
    for i in order:
        if i in passed_over:
            continue
        if not found.passed[i] and not (policy.backfill and cue.asks and len(items) < policy.fill_to):
            break
        if not found.passed[i] and frame.skill[found.rows[i]]:
            continue
        if len(items) >= policy.max_memories:
            break
        cost = count_tokens(frame.texts[found.rows[i]])
        if spent + cost <= budget:
            spent += cost
            items.append(found.recollected(i, frame, float(retention[i]), cost))
    named = tuple((frame.ids[found.rows[i]], frame.ids[found.rows[j]]) for i, j in passed_over.items())
    return Recollection(tuple(items), spent, budget, named)


def passing_rows(frame: Frame, cue: Cue, policy: RecallPolicy) -> Ints:
    """Rows of the memories that pass the gate for a cue: what `recall` chooses from by retention, budget and what stands for
    what. Cheaper than that.
    """
    found = _rank(frame, cue, policy, None)
    return np.zeros(0, np.int64) if found is None else found.rows[np.array(found.passed, np.bool_)]


@dataclass(frozen=True, slots=True)
class _Found:
    """The candidates, one place a candidate in every column."""

    rows: Ints
    words: Floats
    cosine: Floats
    slot: Floats
    relevance: Floats
    passed: list[bool]
    signals: Floats | None

    def recollected(self, i: int, frame: Frame, retention: float, tokens: int) -> Recollected:
        row = int(self.rows[i])
        return Recollected(
            memory=frame.ids[row],
            row=row,
            words=float(self.words[i]),
            meaning=float(self.cosine[i]),
            slot=float(self.slot[i]),
            relevance=float(self.relevance[i]),
            retention=retention,
            tokens=tokens,
            passed=self.passed[i],
        )


def _rank(frame: Frame, cue: Cue, policy: RecallPolicy, without: Bools | None = None) -> _Found | None:
    rows = frame.active_rows() if without is None else np.flatnonzero(frame.active & ~without)
    if rows.size == 0:
        return None
    meaning = (frame.vectors @ cue.vector)[rows]  # the whole matrix once: picking rows first would copy it
    slot, aspect = _match(frame.slots, rows, cue.slots), _match(frame.aspects, rows, cue.aspects)
    chosen, words = _candidates(frame, rows, (meaning, slot, aspect), cue, policy)
    if chosen.size == 0:
        return None
    spread = float(meaning.min()), float(meaning.max())
    cosine: Floats = meaning[chosen].astype(np.float64)
    slot, aspect, rows = slot[chosen], aspect[chosen], rows[chosen]
    if cue.ranker is not None and cue.asks and cue.slots is not None:
        columns = _signals(frame, rows, cue, cue.ranker, (words, cosine, spread, aspect))
        relevance = _with_skills(frame, rows, cosine, words, cue, policy, cue.ranker.rank(columns))
        return _Found(rows, words, cosine, slot, relevance, (relevance >= 0).tolist(), columns)
    relevance = policy.words_weight * words + (1 - policy.words_weight) * _scaled(cosine)
    relevance = relevance + policy.slot_weight * slot + policy.aspect_weight * aspect
    passed = _gate(frame, rows, cosine, words, slot, cue, policy)
    for i in np.flatnonzero(frame.skill[rows]).tolist():
        passed[i] = _skill_helps(frame.texts[rows[i]], float(cosine[i]), float(words[i]), cue, policy)
    return _Found(rows, words, cosine, slot, relevance, passed, None)


def _passed_over(
    frame: Frame, cue: Cue, found: _Found, order: Sequence[int], both_stand: Callable[[str, str], bool]
) -> dict[int, int]:
    """Places of the candidates for which, in this question, a newer one stands; and whose place that is."""
    if cue.ranker is None or found.signals is None:
        return {}
    top = np.array(order[:LOOKED_AT], np.int64)
    rows = found.rows[top]
    newest_first = sorted(range(len(top)), key=lambda k: (-frame.valid[rows[k]], -frame.created[rows[k]], -rows[k]))
    age = np.empty(len(top), np.int64)
    age[newest_first] = np.arange(len(top))
    best = Ranked(
        texts=tuple(frame.texts[row] for row in rows.tolist()),
        signals=found.signals[top],
        relevance=found.relevance[top],
        vectors=frame.vectors[rows],
        slots=frame.slots[rows],
        aspects=frame.aspects[rows],
        age=age,
    )
    out: dict[int, int] = {}
    for k, newer in enumerate(cue.ranker.outdated(best)):
        row = int(rows[k])
        if newer < 0 or frame.pinned[row] or both_stand(frame.ids[row], frame.ids[rows[newer]]):
            continue
        out[int(top[k])] = int(top[newer])
    return out


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
    margin = 0.0 if cue.asks else policy.told_margin
    return [
        bool(
            meaning[i] >= policy.min_cosine + margin
            or slot[i] >= policy.min_slot + margin
            or (words[i] > 0 and coverage(asked, frame.texts[row]) >= policy.min_coverage)
        )
        for i, row in enumerate(rows.tolist())
    ]


def _with_skills(
    frame: Frame, rows: Ints, cosine: Floats, words: Floats, cue: Cue, policy: RecallPolicy, relevance: Floats
) -> Floats:
    """The ranker's relevance, with that of skills in their place: it learned what answers a question, not what helps."""
    skills = np.flatnonzero(frame.skill[rows]).tolist()
    if not skills:
        return relevance
    relevance = relevance.copy()
    for i in skills:
        helps = _skill_helps(frame.texts[rows[i]], float(cosine[i]), float(words[i]), cue, policy)
        relevance[i] = cosine[i] if helps else min(relevance[i], -1e-9)
    return relevance


def _skill_helps(text: str, cosine: float, words: float, cue: Cue, policy: RecallPolicy) -> bool:
    """Whether a skill is relevant to what is asked or told: by meaning, by words, or by something of both."""
    shared = coverage(frozenset(stems(cue.text)), text) if words > 0 else 0.0
    return (
        cosine >= policy.skill_cosine
        or shared >= policy.min_coverage
        or (shared >= policy.min_coverage / 2 and cosine >= policy.skill_cosine * 0.75)
    )


def _order(relevance: Floats, retention: Floats, passed: list[bool], tie: float) -> list[int]:
    """Passed first, then by relevance in steps of `tie`, then by retention, then by relevance itself."""
    step = np.floor(relevance / tie) if tie > 0 else relevance
    return sorted(range(relevance.size), key=lambda i: (not passed[i], -step[i], -retention[i], -relevance[i], i))
