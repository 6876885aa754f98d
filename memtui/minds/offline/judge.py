"""The pair judge: how an older and a newer text relate, and a reason that names what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.model import Label, Verdict
from memtui.memory.texts import same_key
from memtui.minds.base import PairText, language_of
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.grounds import UNSURE, grounds
from memtui.minds.offline.heads import LABELS, Heads
from memtui.minds.offline.pair_cues import pair_cues
from memtui.minds.offline.pairs import ASPECT_SHARE, Embeds, content_words, marks, plain, surface_columns, vector_columns
from memtui.minds.offline.speakers import spoken


def judge(pairs: Sequence[PairText], embedder: LocalEmbedder, heads: Heads) -> list[Verdict]:
    """A verdict on each pair, vectorised: every text is embedded once. Of what two people said, each stays."""
    if not pairs:
        return []
    older, newer = [spoken(p.older) for p in pairs], [spoken(p.newer) for p in pairs]
    bare = [replace(p, older=a[1], newer=b[1]) for p, a, b in zip(pairs, older, newer, strict=True)]
    probabilities = label_probabilities([p.older for p in bare], [p.newer for p in bare], embedder, heads)
    verdicts = [
        _verdict(pair, row, heads) if a[0] == b[0] or not (a[0] and b[0]) else _of_two_people(pair)
        for pair, row, a, b in zip(bare, probabilities, older, newer, strict=True)
    ]
    return _grounded(bare, verdicts, embedder, heads)


def _grounded(pairs: Sequence[PairText], verdicts: list[Verdict], embedder: Embeds, heads: Heads) -> list[Verdict]:
    """The verdicts, those that would retire without a ground made unsure."""
    a, b = embedder.embed_now([p.older for p in pairs]), embedder.embed_now([p.newer for p in pairs])
    slots_a, slots_b = heads.slots(a), heads.slots(b)
    return [
        verdict
        if verdict.confidence == 1.0 or grounds(verdict.label, p.older, p.newer, a[i], b[i], (slots_a[i], slots_b[i]))
        else replace(verdict, confidence=min(verdict.confidence, UNSURE))
        for i, (p, verdict) in enumerate(zip(pairs, verdicts, strict=True))
    ]


def _of_two_people(pair: PairText) -> Verdict:
    russian = language_of(pair.newer) == "ru"
    return Verdict("сказали разные люди" if russian else "said by two people", Label.UNRELATED, 1.0)


def label_probabilities(older: Sequence[str], newer: Sequence[str], embedder: Embeds, heads: Heads) -> Vectors:
    """float32 (n, 4) in the order of `heads.LABELS`. What says the same in the same words replaces nothing, it repeats."""
    found = heads.pairs(*pair_columns(older, newer, embedder, heads))
    again = [i for i, (a, b) in enumerate(zip(older, newer, strict=True)) if told_again(a, b)]
    replaces, repeats = LABELS.index(Label.SUPERSEDES), LABELS.index(Label.DUPLICATE)
    found[again, repeats] += found[again, replaces]
    found[again, replaces] = 0.0
    return found


def told_again(older: str, newer: str) -> bool:
    """Whether both have the same content words and numbers, and neither denies, ends or doubts what the other says."""
    x, y = content_words(older), content_words(newer)
    if not x or {word for word, _ in x} != {word for word, _ in y}:
        return False
    a, b = marks(older), marks(newer)
    same_sense = ("negation" in a.cues) == ("negation" in b.cues) and pair_cues(older) == pair_cues(newer)
    return a.numbers == b.numbers and same_sense


def pair_columns(older: Sequence[str], newer: Sequence[str], embedder: Embeds, heads: Heads) -> tuple[Vectors, Vectors]:
    """The surface and the vector columns of each pair, from two views of every distinct text."""
    distinct = list(dict.fromkeys([*older, *newer]))
    row = {text: i for i, text in enumerate(distinct)}
    at, bt = [row[text] for text in older], [row[text] for text in newer]
    vectors = embedder.embed_now(distinct)
    folded = embedder.embed_now([plain(text) for text in distinct])
    slots, brief, aspects = heads.slots(vectors), heads.brief(vectors), heads.aspects(vectors, "told")
    a, b = vectors[at], vectors[bt]
    surface = surface_columns(older, newer, a, b, (slots[at], slots[bt]), (brief[at], brief[bt]), embedder)
    both = aspects[at] * aspects[bt]
    near = both.sum(axis=1, keepdims=True)
    columns = [vector_columns(a, b), vector_columns(folded[at], folded[bt]), both * ASPECT_SHARE]
    return np.hstack([surface, near, near**2]), np.hstack(columns)


def _verdict(pair: PairText, probabilities: Vectors, heads: Heads) -> Verdict:
    if same_key(pair.older) == same_key(pair.newer):
        russian = language_of(pair.newer) == "ru"
        return Verdict("те же слова" if russian else "the same words", Label.DUPLICATE, 1.0)
    best = int(np.argmax(probabilities))
    label = LABELS[best]
    sure = float(probabilities[best])
    if label in (Label.SUPERSEDES, Label.DUPLICATE):
        sure = scaled(sure, heads.threshold(str(label)))
    return Verdict(reason_for(pair, label), label, round(sure, 3))


def scaled(probability: float, threshold: float) -> float:
    """A confidence that is .5 where the probability reaches the threshold for acting, 0 at 0 and 1 at 1."""
    if probability < threshold:
        return 0.5 * probability / threshold
    return 0.5 + 0.5 * (probability - threshold) / max(1e-9, 1 - threshold)


def reason_for(pair: PairText, label: Label) -> str:
    """Why the pair got `label`, naming what differs, in the language of the newer text."""
    russian = language_of(pair.newer) == "ru"
    differs = difference(pair.older, pair.newer, russian=russian)
    if label is Label.SUPERSEDES:
        lead = "то же, но новее" if russian else "the same thing, told anew"
        return f"{lead}: {differs}" if differs else lead
    if label is Label.DUPLICATE:
        return "тот же факт другими словами" if russian else "the same fact in other words"
    if label is Label.ADDITIVE:
        lead = "рядом, но оба верны" if russian else "related, and both hold"
        return f"{lead} ({differs})" if differs else lead
    return "о разном" if russian else "about different things"


def difference(older: str, newer: str, *, russian: bool) -> str:
    """What the eye sees differ first: numbers, names, negation, a word of change; "" when nothing does."""
    x, y = marks(older), marks(newer)
    if x.numbers and y.numbers and x.numbers != y.numbers:
        gone, come = sorted(x.numbers - y.numbers), sorted(y.numbers - x.numbers)
        if gone and come:
            return f"{', '.join(gone[:3])} → {', '.join(come[:3])}"
    if x.names and y.names and x.names != y.names:
        gone, come = sorted(x.names - y.names), sorted(y.names - x.names)
        if gone and come:
            return f"{', '.join(n.title() for n in gone[:2])} → {', '.join(n.title() for n in come[:2])}"
    if ("negation" in x.cues) != ("negation" in y.cues):
        if "negation" in y.cues:
            return "теперь отрицается" if russian else "it is negated now"
        return "раньше отрицалось" if russian else "it was negated before"
    if "change" in y.cues and "change" not in x.cues:
        return "сказано, что изменилось" if russian else "the newer says it changed"
    return ""
