"""What is worth keeping in a user's turn, by the trained heads, in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.model import Candidate, Kind
from memtui.minds.base import language_of
from memtui.minds.offline.clauses import LONGEST_PIECE, Piece, clipped, pieces
from memtui.minds.offline.cues import cues, listed
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.features import statement_features
from memtui.minds.offline.heads import LEVELS, Heads
from memtui.minds.offline.reasons import why
from memtui.minds.offline.slots import SLOTS
from memtui.minds.offline.subjects import subject_of
from memtui.minds.offline.times import valid_since
from memtui.minds.offline.values import value_of

_IMPORTANCE: Final = np.array([0.3, 0.6, 0.9], np.float32)
"""What low, medium and high are worth; the importance is their mean under the head's probabilities."""
_SLOT_FROM: Final = 0.45
"""Posterior from which a slot is named."""
_SCRAP: Final = 5
"""Words up to which a piece without a person or name counts as a scrap of the one before."""
_LASTS: Final = frozenset(
    listed(
        "residence employer allergy health_condition medication code legal_status deadline partner children diet birthday "
        "insurance_bank phone_contact family"
    )
)
"""Slots whose critical facts must outlive an episodic half-life even when told as news."""
_CONTINUES = re.compile(
    r"^\W*(?:it|its|it's|that|that's|this|he|she|they|he's|she's|they're|there|which|so|because|same|also|the one|он|"
    r"она|оно|они|это|там|"
    r"туда|его|её|ее|их|поэтому|потому|зато|тоже|причём|причем|и)\b",
    re.IGNORECASE,
)


_OWN_VERB = re.compile(r"\b(?:\w+(?:аю|яю|ую|ею|иву|ожу|лю|юсь|усь)|ем|пью|женат|замужем|родом)\b", re.IGNORECASE)
"""A Russian verb in the first person: the piece stands by itself though no pronoun says so."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the heads say of one text.

    Attributes:
        keep, semantic: probabilities.
        importance: probabilities of low, medium, high.
        slots: posteriors, by `SLOTS`.
    """

    text: str
    keep: float
    semantic: float
    importance: tuple[float, ...]
    slots: Vectors

    @property
    def level(self) -> str:
        """The likeliest importance class."""
        return LEVELS[int(np.argmax(self.importance))]

    @property
    def slot(self) -> str | None:
        """The slot, where the posterior is sure enough."""
        best = int(np.argmax(self.slots))
        return SLOTS[best] if self.slots[best] >= _SLOT_FROM else None


def read(texts: Sequence[str], embedder: LocalEmbedder, heads: Heads) -> list[Reading]:
    """The heads' reading of each text, vectorised."""
    if not texts:
        return []
    vectors = embedder.embed_now(texts)
    features = statement_features(texts, vectors)
    keep, semantic, importance = heads.keep(features), heads.semantic(features), heads.importance(features)
    slots = heads.slots(vectors)
    return [
        Reading(text, float(keep[i]), float(semantic[i]), tuple(float(p) for p in importance[i]), slots[i])
        for i, text in enumerate(texts)
    ]


def extract(turn: str, now: datetime, embedder: LocalEmbedder, heads: Heads) -> list[Candidate]:
    """The candidates of one user turn told at `now` (aware), in order of telling."""
    found = [piece for piece in pieces(turn) if not piece.asks and _has_words(piece.text)]
    texts = [clipped(piece.text) for piece in found]
    readings = read(texts, embedder, heads)
    threshold = heads.threshold("keep")
    kept = [(piece, reading) for piece, reading in zip(found, readings, strict=True) if _keeps(reading, threshold)]
    return [_candidate(reading, support, now, heads) for reading, support in _grouped(kept, embedder, heads)]


def _has_words(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _keeps(reading: Reading, threshold: float) -> bool:
    return reading.keep >= threshold


def _grouped(kept: Sequence[tuple[Piece, Reading]], embedder: LocalEmbedder, heads: Heads) -> list[tuple[Reading, str]]:
    """Pieces that only make sense after the one before are put back together with it, in the words of the turn."""
    groups: list[list[str]] = []
    for piece, reading in kept:
        if groups and _leans(reading.text) and len(" ".join(groups[-1])) + len(reading.text) < LONGEST_PIECE:
            groups[-1].append(reading.text)
        else:
            groups.append([reading.text])
        del piece
    single = {reading.text: reading for _, reading in kept}
    joined = [" ".join(_stopped(group)) for group in groups]
    fresh = {r.text: r for r in read([text for text in joined if text not in single], embedder, heads)}
    return [({**single, **fresh}[text], " ".join(group)) for text, group in zip(joined, groups, strict=True)]


def _leans(text: str) -> bool:
    """Whether a piece says little without the one before it: it begins with a pronoun, or is a scrap without a person."""
    if _CONTINUES.search(text):
        return True
    return (
        len(text.split()) <= _SCRAP
        and not _OWN_VERB.search(text)
        and not {"i", "my", "relative", "capital_name"} & cues(text)
    )


def _stopped(group: Sequence[str]) -> list[str]:
    return [text if text[-1:] in ".!?…,;:" or i == len(group) - 1 else f"{text}." for i, text in enumerate(group)]


def _candidate(reading: Reading, support: str, now: datetime, heads: Heads) -> Candidate:
    language = language_of(reading.text)
    slot, level = reading.slot, reading.level
    importance = float(np.dot(np.array(reading.importance, np.float32), _IMPORTANCE))
    candidate = Candidate(
        text=reading.text,
        kind=Kind.SEMANTIC if _lasting(reading, heads) else Kind.EPISODIC,
        importance=round(importance, 3),
        why=why(slot, level, language),
        support=support,
        valid_from=valid_since(reading.text, now),
        subject=subject_of(reading.text, slot),
        slot=slot,
    )
    return replace(candidate, value=value_of(reading.text, slot))


def _lasting(reading: Reading, heads: Heads) -> bool:
    """Semantic by the head; critical facts told as news count as lasting unless they clearly are a happening."""
    if reading.semantic >= heads.threshold("kind"):
        return True
    if reading.level != "high":
        return False
    return reading.semantic >= 0.2 or (reading.slot in _LASTS and "small_day" not in cues(reading.text))
