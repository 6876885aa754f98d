"""What is worth keeping in a user's turn, by the trained heads, in the user's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise, zip_longest
from typing import Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.model import Candidate, Kind
from memtui.minds.base import language_of
from memtui.minds.offline.clauses import LONGEST_PIECE, Piece, addresses, announces, clipped, leans, pieces, tells
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
_SLOT_FROM: Final = 0.33
"""Posterior from which a slot is named."""
_LASTS: Final = frozenset(
    listed(
        "residence employer allergy health_condition medication code legal_status deadline partner children diet birthday "
        "insurance_bank phone_contact family"
    )
)
"""Slots whose critical facts must outlive an episodic half-life even when told as news."""
_MATTERS: Final = tuple(
    listed(group)
    for group in (
        "residence home_detail where_things_are",
        "employer role income work_schedule education bedtime",
        "partner family children friend",
        "allergy health_condition medication doctor",
        "diet coffee_tea smoking_alcohol favourite_food",
        "main_tool programming_language device",
        "vehicle commute travel",
        "project deadline goal event_plan meeting",
        "name age birthday",
        "sport hobby music books_films",
    )
)
"""Slots that one matter runs across: a flat and its floor, a job and its pay."""
_SPOKEN: Final = 0.3
"""Probability of keeping below which a sentence that looks like a request or a greeting is one."""
_SURELY_KEPT: Final = 0.75
"""The probability asked of what looks like a question, and of the rest of a turn that as a whole looks like small talk."""
_HARDLY_KEPT: Final = 0.4
"""The probability that is enough for what plainly fills a slot."""
_ALIKE: Final = 0.4
"""Cosine of two pieces' posteriors over matters from which they may be one matter."""
_ALIKE_TOLD: Final = 0.8
"""The same where the turn itself says that another matter begins: a list, "by the way"."""
_SURE: Final = 0.12
"""Product of the likeliest matters' posteriors from which two pieces are two matters."""
_SURE_OTHERS: Final = 0.05
"""The same where the second tells about another person."""
_JOINT_WORDS: Final = 2
"""Words between two groups that were cut at a joint ("and", "а ещё"), not at a dropped sentence."""
_NEAR: Final = 0.45
"""Cosine of the sentence vectors from which two pieces are one matter."""


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
    found = [piece for piece in pieces(turn) if any(c.isalnum() for c in piece.text)]
    runs = _runs(found, embedder, heads)
    groups = [group for run in runs for group in _matters(turn, _chunks(run), embedder, heads)]
    if not groups:
        return []
    threshold = heads.threshold("keep")
    told = _told(turn, groups, embedder, heads)
    if sum(map(len, groups)) < len(found) and read([clipped(turn)], embedder, heads)[0].keep < threshold:
        told = [(group, r) for group, r in told if r.keep >= _SURELY_KEPT]  # beside small talk only what surely is a fact
    return [_candidate(r, _support(turn, group), now, heads) for group, r in told if _worth_keeping(r, threshold)]


def _worth_keeping(reading: Reading, threshold: float) -> bool:
    """Whether the keep head says so; less is asked of what plainly fills a slot, more of what looks like a question."""
    if addresses(reading.text):
        return reading.keep >= max(threshold, _SURELY_KEPT)
    return reading.keep >= threshold or (reading.keep >= _HARDLY_KEPT and reading.slot is not None)


def _told(
    turn: str, groups: Sequence[list[Piece]], embedder: LocalEmbedder, heads: Heads
) -> list[tuple[list[Piece], Reading]]:
    """Each group with its reading; one that would not be kept by itself is put back to the one before or after it."""
    readings = read([clipped(_text(turn, group)) for group in groups], embedder, heads)
    weak = [not _worth_keeping(reading, heads.threshold("keep")) for reading in readings]
    joined: list[list[Piece]] = []
    lacking = False  # whether the last of `joined` still says too little
    for group, little in zip(groups, weak, strict=True):
        if joined and (little or lacking) and _adjoin(turn, joined[-1], group):
            joined[-1] = [*joined[-1], *group]
            lacking = lacking and little
        else:
            joined.append(list(group))
            lacking = little
    if len(joined) == len(groups):
        return list(zip(groups, readings, strict=True))
    return list(zip(joined, read([clipped(_text(turn, group)) for group in joined], embedder, heads), strict=True))


def _runs(found: Sequence[Piece], embedder: LocalEmbedder, heads: Heads) -> list[list[Piece]]:
    """The pieces between questions, requests and greetings."""
    whole = [
        piece.text
        for piece, after in zip_longest(found, found[1:])
        if len(found) > 1 and not (piece.asks or piece.joined or (after and after.joined)) and addresses(piece.text)
    ]
    spoken = {reading.text for reading in read(whole, embedder, heads) if reading.keep < _SPOKEN}
    runs: list[list[Piece]] = [[]]
    for piece in found:
        if piece.asks or piece.text in spoken:
            runs.append([])
        else:
            runs[-1].append(piece)
    return [run for run in runs if run]


def _chunks(run: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of a run, what says little by itself joined to the one before, or at the beginning to the one after."""
    chunks: list[list[Piece]] = []
    alone = False
    for piece in run:
        leaning = leans(piece) and not announces(piece.text)
        if chunks and (leaning or not alone) and _span([*chunks[-1], piece]) < LONGEST_PIECE:
            chunks[-1].append(piece)
        else:
            chunks.append([piece])
            alone = False
        alone = alone or not leaning or tells(piece)
    return chunks


def _matters(turn: str, chunks: Sequence[list[Piece]], embedder: LocalEmbedder, heads: Heads) -> list[list[Piece]]:
    """Chunks of one matter put together."""
    if len(chunks) < 2:
        return list(chunks)
    texts = [clipped(_text(turn, chunk)) for chunk in chunks]
    vectors = embedder.embed_now(texts)
    matters = heads.slots(vectors) @ _BY_MATTER
    groups = [list(chunks[0])]
    for i in range(1, len(chunks)):
        near = float(vectors[i - 1] @ vectors[i]) >= _NEAR
        other = not near and _differ(texts[i - 1], texts[i], chunks[i][0], matters[i - 1], matters[i])
        if other or _span([*groups[-1], *chunks[i]]) >= LONGEST_PIECE:
            groups.append(list(chunks[i]))
        else:
            groups[-1].extend(chunks[i])
    return groups


def _differ(before: str, after: str, first: Piece, a: Vectors, b: Vectors) -> bool:
    """Whether two neighbouring chunks, with the posteriors `a` and `b` over matters, are two matters."""
    likeness = float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-8))
    if first.item or announces(after):
        return likeness < _ALIKE_TOLD
    sure = float(a.max() * b.max())
    if _others(before, after):
        return sure >= _SURE_OTHERS
    return sure >= _SURE and likeness < _ALIKE


def _others(before: str, after: str) -> bool:
    """Whether two chunks are about different people, the second of them not the user."""
    whose, other = subject_of(before), subject_of(after)
    return other not in ("user", "project", whose)


def _adjoin(turn: str, before: Sequence[Piece], after: Sequence[Piece]) -> bool:
    """Whether nothing but a joint stands between two groups and both fit into one memory."""
    gap = turn[before[-1].end : after[0].start]
    return _span([*before, *after]) < LONGEST_PIECE and len(gap.split()) <= _JOINT_WORDS


def _span(pieces_: Sequence[Piece]) -> int:
    return pieces_[-1].end - pieces_[0].start


def _text(turn: str, group: Sequence[Piece]) -> str:
    """The words of a group as they stand in the turn; between lines a stop."""
    parts = [group[0].text]
    for before, piece in pairwise(group):
        if before.line == piece.line:
            parts.append(turn[before.end : piece.start])
        else:
            parts.append(" " if before.text[-1:] in ".!?…,;:" else ". ")
        parts.append(piece.text)
    return "".join(parts)


def _support(turn: str, group: Sequence[Piece]) -> str:
    return turn[group[0].start : group[-1].end]


def _by_matter() -> Vectors:
    """float32 (slots, matters): which matter each slot belongs to; a slot of no group is a matter of its own."""
    groups = [*_MATTERS, *([slot] for slot in SLOTS if not any(slot in group for group in _MATTERS))]
    return np.array([[slot in group for group in groups] for slot in SLOTS], np.float32)


_BY_MATTER: Final = _by_matter()


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
