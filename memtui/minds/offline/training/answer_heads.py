"""Training what ranks the answers to a question, and what passes over those a newer one stands for, from the stories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from memtui.memory.frame import Floats, Ints, Vectors
from memtui.memory.recall import LOOKED_AT
from memtui.memory.signals import RISING, SIGNALS, Ranked, signals
from memtui.minds.offline.answers import OUTDATED_RISING, outdated_columns, rivalry
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.slots import SINGLE_VALUED
from memtui.minds.offline.training.fit import exported
from memtui.minds.offline.training.readers import FOLDS
from memtui.minds.offline.training.rows import Row
from memtui.minds.offline.training.statement_heads import Arrays, Figures
from memtui.minds.offline.training.stories import group_of, kept_of, words_arm
from memtui.minds.offline.trees import OUTDATED, RANK

_SHOWN: Final = 7
"""How many memories a prompt usually has room for; what the figures are measured at."""
ALL: Final = "all"
_ELSE: Final = 0.3
"""Weight of what is neither evidence nor stale when it is learned what to pass over."""
_NOTHING_PASSES: Final = 0.2
"""Share of the stories' questions that nothing answers at which something may pass the gate. They were written to lie near
what was told; of what people ask at large fewer do."""
_LEAVES: Final = 8
_OTHER, _EVIDENCE, _STALE, _UNKNOWN = 0, 1, 2, 3
_ENOUGH: Final = 8
"""Memories that must have been told before a question is also asked earlier."""
NOTHING, EARLIER = "nothing", "earlier"
"""Categories: nothing answers it; a changed fact asked before the change."""


@dataclass
class Asked:
    """One question of a story with the story's memories."""

    category: str
    fold: int
    signals: Floats
    truth: Ints
    texts: list[str]
    vectors: Vectors
    slots: Vectors
    aspects: Vectors


def train_answer_heads(
    stories: Sequence[Row], fold_of: Mapping[str, int], judges: Sequence[Heads], embedder: LocalEmbedder, figures: Figures
) -> tuple[Arrays, dict[str, float]]:
    """The trees that rank and that pass over, and their thresholds (log-odds), chosen out of fold."""
    asked = [one for story in stories for one in _questions(story, fold_of[group_of(story)], judges, embedder)]
    x = np.vstack([one.signals for one in asked]).astype(np.float32)
    y = np.concatenate([one.truth for one in asked])
    fold = np.concatenate([np.full(len(one.truth), one.fold) for one in asked])
    used = (y == _OTHER) | (y == _EVIDENCE)
    rising = [int(name in RISING) for name in SIGNALS]
    scores = np.zeros(len(y))
    for number in range(FOLDS):
        train, test = (fold != number) & used, fold == number
        scores[test] = _trees(x[train], y[train] == _EVIDENCE, None, rising).decision_function(x[test])
    arrays = exported(_trees(x[used], y[used] == _EVIDENCE, None, rising), RANK)
    ends = np.cumsum([len(one.truth) for one in asked])[:-1]
    by_question = np.split(scores, ends)
    thresholds = {RANK: _gate(asked, by_question, figures)}
    best = [_best(one, score - thresholds[RANK]) for one, score in zip(asked, by_question, strict=True)]
    outdated, thresholds[OUTDATED] = _train_outdated(asked, best, judges, embedder, figures)
    return arrays | outdated, thresholds


def _questions(story: Row, fold: int, judges: Sequence[Heads], embedder: LocalEmbedder) -> list[Asked]:
    """A story's questions, each as it was asked at the end, and the changed ones once more as if asked before the change.

    In a story a home is seldom told without moving; of such stories alone one would learn that what is told of a home is
    outdated, whatever stands beside it. Asked earlier, the same statement is the answer.
    """
    kept = kept_of(story)
    heads = judges[fold]
    place = {row["id"]: i for i, row in enumerate(kept)}
    linked = {tuple(pair) for pair in story["supersedes"]}
    texts = [str(row["text"]) for row in kept]
    vectors = embedder.embed_now(texts)
    known = _Known(texts, vectors, heads.slots(vectors), heads.aspects(vectors, "told"))
    out = []
    for question in story["questions"]:
        vector = embedder.embed_now([question["text"]])
        asks = heads.slots(vector)[0], heads.aspects(vector, "asked")[0]
        truth = np.zeros(len(kept), np.int64)
        for name, value in (("evidence", _EVIDENCE), ("stale", _STALE)):
            truth[[place[i] for i in question[name] if i in place]] = value
        category = question.get("category") or ("update" if question["stale"] else "fact")
        category = category if question["evidence"] else NOTHING
        out.append(known.asked(question["text"], category, fold, (vector[0], *asks), truth))
        earlier = _earlier(truth, [row["id"] for row in kept], linked)
        if earlier is not None:
            out.append(known.asked(question["text"], EARLIER, fold, (vector[0], *asks), earlier))
    return out


def _earlier(truth: Ints, names: Sequence[str], linked: set[tuple[str, ...]]) -> Ints | None:
    """The truth of a changed fact just before its change; None where it has no before, or too little was told by then."""
    stale, evidence = np.flatnonzero(truth == _STALE), np.flatnonzero(truth == _EVIDENCE)
    if stale.size == 0 or evidence.size == 0 or stale.max() > evidence.min() or evidence.min() < _ENOUGH:
        return None
    before = truth[: int(evidence.min())].copy()
    last = int(stale.max())
    for at in stale.tolist():
        before[at] = _STALE if (names[at], names[last]) in linked else _UNKNOWN
    before[last] = _EVIDENCE
    return before


@dataclass(frozen=True)
class _Known:
    """A story's memories and what is read off them."""

    texts: list[str]
    vectors: Vectors
    slots: Vectors
    aspects: Vectors

    def asked(self, question: str, category: str, fold: int, asks: tuple[Vectors, Vectors, Vectors], truth: Ints) -> Asked:
        """The question put to the first `len(truth)` memories."""
        count = len(truth)
        texts, vectors = self.texts[:count], self.vectors[:count]
        slots, aspects = self.slots[:count], self.aspects[:count]
        cosines = (vectors @ asks[0]).astype(np.float64)
        found = signals(
            words=words_arm(question, texts),
            meaning=cosines,
            spread=(float(cosines.min()), float(cosines.max())),
            slots=slots,
            asked=asks[1],
            single=len(SINGLE_VALUED),
            aspect=(aspects @ asks[2]).astype(np.float64),
            texts=texts,
            told=np.arange(count) / max(1, count - 1),
        )
        return Asked(category, fold, found, truth, texts, vectors, slots, aspects)


def _trees(x: Vectors, y: Any, weights: Floats | None, rising: Sequence[int]) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=150,
        learning_rate=0.05,
        max_leaf_nodes=_LEAVES,
        min_samples_leaf=25,
        l2_regularization=5,
        early_stopping=False,
        random_state=1,
        monotonic_cst=list(rising),
    ).fit(x, y, sample_weight=weights)


def _gate(asked: Sequence[Asked], scores: Sequence[Floats], figures: Figures) -> float:
    """The log-odds that the best memory reaches in only `_NOTHING_PASSES` of the questions that nothing answers."""
    vain = sorted(float(score.max()) for one, score in zip(asked, scores, strict=True) if one.category == NOTHING)

    def passed_by(share: float) -> float:
        return vain[int(len(vain) * (1 - share))]

    for share in (0.1, 0.2, 0.3):
        print(f"gate that {share:.0%} of the questions without an answer pass: {passed_by(share):+.2f}", flush=True)
    gate = passed_by(_NOTHING_PASSES)
    answered = [(one, score) for one, score in zip(asked, scores, strict=True) if (one.truth == _EVIDENCE).any()]
    reached = [bool((score[one.truth == _EVIDENCE] >= gate).any()) for one, score in answered]
    figures["gate_answers_pass"] = round(float(np.mean(reached)), 4)
    for depth in (1, 3, _SHOWN):
        hits = []
        for one, score in answered:
            order = np.argsort(-np.where(one.truth == _STALE, -np.inf, score), kind="stable")
            hits.append(bool((one.truth[order[:depth]] == _EVIDENCE).any()))
        figures[f"answers_at_{depth}"] = round(float(np.mean(hits)), 4)
    return round(gate, 4)


def _best(one: Asked, relevance: Floats) -> tuple[Ranked, Ints]:
    order = np.argsort(-relevance, kind="stable")
    top = order[:LOOKED_AT]
    ranked = Ranked(
        texts=tuple(one.texts[i] for i in top),
        signals=one.signals[top],
        relevance=relevance[top],
        vectors=one.vectors[top],
        slots=one.slots[top],
        aspects=one.aspects[top],
        age=np.argsort(np.argsort(-top)),
    )
    return ranked, order


def _train_outdated(
    asked: Sequence[Asked], best: Sequence[tuple[Ranked, Ints]], judges: Sequence[Heads], embedder: LocalEmbedder,
    figures: Figures,
) -> tuple[Arrays, float]:  # fmt: skip
    columns, truth, fold, question, place = [], [], [], [], []
    for number, (one, (ranked, order)) in enumerate(zip(asked, best, strict=True)):
        if one.category == NOTHING:
            continue
        lines, rows, _ = outdated_columns(ranked, rivalry(ranked, embedder, judges[one.fold]))
        if rows:
            columns.append(lines)
            truth.extend(one.truth[order[rows]].tolist())
            fold.extend([one.fold] * len(rows))
            question.extend([number] * len(rows))
            place.extend(order[rows].tolist())
    x, y, of_fold = np.vstack(columns), np.array(truth), np.array(fold)
    weights = np.select([y == _OTHER, y == _UNKNOWN], [_ELSE, 0.0], 1.0)
    scores = np.zeros(len(y))
    for number in range(FOLDS):
        train, test = of_fold != number, of_fold == number
        scores[test] = _trees(x[train], y[train] == _STALE, weights[train], OUTDATED_RISING).decision_function(x[test])
    arrays = exported(_trees(x, y == _STALE, weights, OUTDATED_RISING), OUTDATED)
    return arrays, _cut(asked, best, (scores, np.array(question), np.array(place)), figures)


def _cut(
    asked: Sequence[Asked], best: Sequence[tuple[Ranked, Ints]], found: tuple[Floats, Ints, Ints], figures: Figures
) -> float:
    """The log-odds from which the most questions are answered with nothing stale beside it, at the prompt's usual size.

    Each category counts the same: stories ask mostly of changes, people do not. Of cuts that do as well the highest is
    taken: to leave out what still holds is the worse mistake.
    """
    scores, question, place = found
    begin = np.searchsorted(question, np.arange(len(asked) + 1))

    def clean(cut: float) -> dict[str, float]:
        good: dict[str, list[bool]] = defaultdict(list)
        for number, (one, (_, order)) in enumerate(zip(asked, best, strict=True)):
            if one.category == NOTHING or not (one.truth == _EVIDENCE).any():
                continue
            rows = slice(begin[number], begin[number + 1])
            dropped = set(place[rows][scores[rows] >= cut].tolist())
            shown = one.truth[[i for i in order.tolist() if i not in dropped][:_SHOWN]]
            good[one.category].append(bool((shown == _EVIDENCE).any() and not (shown == _STALE).any()))
        shares = {category: float(np.mean(answers)) for category, answers in sorted(good.items())}
        return {**shares, ALL: float(np.mean(list(shares.values())))}

    cuts = np.arange(-2.0, 2.05, 0.1).tolist()
    results = [clean(cut) for cut in cuts]
    for cut, result in zip(cuts, results, strict=True):
        print(f"pass over from {cut:+.1f}", {category: round(share, 3) for category, share in result.items()}, flush=True)
    most = max(result[ALL] for result in results)
    at = max(n for n, result in enumerate(results) if result[ALL] == most)
    figures |= {f"answers_clean_{category}": round(share, 4) for category, share in results[at].items()}
    return round(float(cuts[at]), 2)
