"""The features of an older and a newer text for the pair judge, and what can be named about their difference.

One-word edits decide ("allergic / not allergic" is .958 in cosine and no duplicate), so beside the sentence vectors the
features compare negation, numbers, names, tense, subject and change words, and align the words of both texts by
meaning: which words of one have no partner in the other, and how near the best partners are (Berlin / Lisbon).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.words import STOP_WORDS, stems
from memtui.minds.offline.cues import CUES, cues, listed
from memtui.minds.offline.pair_cues import pair_cues
from memtui.minds.offline.slots import SINGLE_VALUED

PAIR_VERSION: Final = 3
"""Changes with the meaning of a column."""
SURFACE_SHARE: Final = 0.1
"""Weight of the standardised surface columns beside the vector columns."""
ASPECT_SHARE: Final = 3.0
"""Weight of the product of both aspects beside the vector columns."""
_SEEN: Final = 400
_MOST_WORDS: Final = 24
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"[A-ZА-ЯЁ][\w'’-]*", re.UNICODE)
_SENTENCE_START = re.compile(r"(?:^|[.!?…]\s+)\W*$")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_NOT_NAMES: Final = frozenset(listed("i i'm i've i'd i'll im ok user пользователь"))
_TELLING: Final = frozenset(
    listed(
        "not no nor before after now only once over under until up down out off on more most without без более если "
        "еще когда раньше сейчас теперь уже однако чтобы"
    )
)
"""Stop words of the index that carry meaning between two texts."""
_SPELLED: Final[dict[str, str]] = {
    word: str(value)
    for value, words in enumerate(
        (
            "zero ноль",
            "one один одна одну",
            "two два две twice",
            "three три",
            "four четыре",
            "five пять",
            "six шесть",
            "seven семь",
            "eight восемь",
            "nine девять",
            "ten десять",
            "eleven одиннадцать",
            "twelve двенадцать",
        )
    )
    for word in words.split()
}


class Embeds(Protocol):
    """What the pair judge needs of an embedder."""

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), dims) of unit length."""
        ...


@dataclass(frozen=True, slots=True)
class Marks:
    """What of a text can be compared by eye: numbers, names, content stems, surface cues."""

    numbers: frozenset[str]
    names: frozenset[str]
    stems: frozenset[str]
    cues: frozenset[str]


@lru_cache(maxsize=16_384)
def marks(text: str) -> Marks:
    """The marks of a text's first 400 characters."""
    seen = text[:_SEEN].replace("’", "'")
    numbers = {found.replace(",", ".") for found in _NUMBER.findall(seen)}
    words = re.findall(r"[^\W\d_]+", seen.casefold())
    numbers |= {_SPELLED[word] for word in words if word in _SPELLED}
    names = {
        match.group().casefold()
        for match in _NAME.finditer(seen)
        if match.group().casefold() not in _NOT_NAMES and not _SENTENCE_START.search(seen[: match.start()])
    }
    return Marks(frozenset(numbers), frozenset(names), frozenset(stems(seen)), cues(seen))


@lru_cache(maxsize=16_384)
def content_words(text: str) -> tuple[tuple[str, str], ...]:
    """(word, stem) of the content words of a text, in order, at most 24; negations count as content."""
    folded = text[:_SEEN].replace("’", "'").casefold().replace("ё", "е")
    out: list[tuple[str, str]] = []
    for word in _WORD.findall(folded):
        if word in STOP_WORDS and word not in _TELLING:
            continue
        found = stems(word)
        out.append((word, found[0] if found else word))
    return tuple(out[:_MOST_WORDS])


def plain(text: str) -> str:
    """The second view that is embedded: lower case, no final stop, "User is …" and "Пользователь …" as the first person."""
    said = re.sub(r"^(?:the )?user's\b", "my", text[:_SEEN].strip(), flags=re.IGNORECASE)
    said = re.sub(r"^(?:the )?user(?: is| has)?\b", "I", said, flags=re.IGNORECASE)
    said = re.sub(r"^пользовател\w+", "я", said, flags=re.IGNORECASE)
    return said.lower().rstrip(".! ")


def vector_columns(a: Vectors, b: Vectors) -> Vectors:
    """float32 (n, 4 * dims): |a-b|, a*b, b, a, weighted as cross-validation chose."""
    parts = [np.abs(a - b) * 1.5, a * b * 12, b * 0.4, a * 0.2]
    return np.asarray(np.hstack(parts) / np.sqrt(2), np.float32)


def surface_columns(
    older: Sequence[str], newer: Sequence[str], a: Vectors, b: Vectors, slots: tuple[Vectors, Vectors],
    heads: tuple[Vectors, Vectors],
    embedder: Embeds,
) -> Vectors:  # fmt: skip
    """float32 (n, columns): everything but the vectors themselves.

    Args:
        a, b: float32 (n, dims) unit vectors of the older and the newer texts.
        slots: slot posteriors of older and newer, float32 (n, slots) each.
        heads: what the small statement heads say of older and newer, float32 (n, k) each.
        embedder: gives the vectors of single words.
    """
    cosine = np.sum(a * b, axis=1)
    single = len(SINGLE_VALUED)
    both = slots[0] * slots[1]
    dense = np.stack(
        [
            cosine,
            cosine**2,
            cosine**3,
            np.abs(a - b).sum(1) / 10,
            both.sum(1),
            both[:, :single].sum(1),
            both[:, single:].sum(1),
        ],
        axis=1,
    )
    said = np.hstack([heads[0], heads[1], np.abs(heads[0] - heads[1]), heads[0] * heads[1]])
    vectors = _word_vectors([*older, *newer], embedder)
    rows = [[*_marked(x, y), *_cued(x, y), *_aligned(x, y, vectors)] for x, y in zip(older, newer, strict=True)]
    return np.hstack([dense, said, np.array(rows, np.float32).reshape(len(older), -1)]).astype(np.float32)


def _word_vectors(texts: Sequence[str], embedder: Embeds) -> dict[str, Vectors]:
    words = list(dict.fromkeys(word for text in texts for word, _ in content_words(text)))
    return dict(zip(words, embedder.embed_now(words), strict=True))


def _overlap(a: frozenset[str], b: frozenset[str]) -> tuple[float, float, float, float]:
    """Jaccard, and how much is shared, only in `a`, only in `b` (bounded counts)."""
    union = len(a | b)
    return (
        len(a & b) / union if union else 0.0,
        min(3, len(a & b)) / 3,
        min(3, len(a - b)) / 3,
        min(3, len(b - a)) / 3,
    )


_COMPARED: Final = CUES[: CUES.index("length")]


def _marked(older: str, newer: str) -> list[float]:
    x, y = marks(older), marks(newer)
    shared = x.stems & y.stems
    out = [*_overlap(x.numbers, y.numbers), *_overlap(x.names, y.names), *_overlap(x.stems, y.stems)]
    out.append(len(shared) / max(1, min(len(x.stems), len(y.stems))))
    out.append(float(x.stems == y.stems))
    out.append(float(bool(x.numbers) and bool(y.numbers) and x.numbers != y.numbers))
    out.append(float(("negation" in x.cues) != ("negation" in y.cues)))
    for name in _COMPARED:
        out.extend((float(name in x.cues), float(name in y.cues)))
    out.extend((min(1.0, len(older) / 150), min(1.0, len(newer) / 150)))
    out.append((len(newer) - len(older)) / max(len(newer), len(older), 1))
    return out


def _cued(older: str, newer: str) -> list[float]:
    x, y = pair_cues(older), pair_cues(newer)
    return [*map(float, x), *map(float, y), *(float(late and not early) for early, late in zip(x, y, strict=True))]


def _aligned(older: str, newer: str, vectors: dict[str, Vectors]) -> list[float]:
    """How the words of both texts match: by stem, then the rest by meaning."""
    x, y = content_words(older), content_words(newer)
    stems_x, stems_y = {stem for _, stem in x}, {stem for _, stem in y}
    rest_x = [word for word, stem in x if stem not in stems_y]
    rest_y = [word for word, stem in y if stem not in stems_x]
    same = len(stems_x & stems_y)
    out = [
        same / max(1, min(len(stems_x), len(stems_y))),
        same / max(1, len(stems_x)),
        same / max(1, len(stems_y)),
        min(len(rest_x), 6) / 6,
        min(len(rest_y), 6) / 6,
        float(not rest_x),
        float(not rest_y),
    ]
    if x and y:
        near = np.stack([vectors[word] for word, _ in x]) @ np.stack([vectors[word] for word, _ in y]).T
        of_x, of_y = near.max(axis=1), near.max(axis=0)
        for best in (of_x, of_y):
            out.extend((float(best.mean()), float(best.min()), float((best > 0.75).mean()), float((best < 0.45).mean())))
    else:
        out.extend([0.0] * 8)
    return [*out, *_leftover(rest_x, rest_y, vectors)]


_BANDS: Final = ((0.35, 0.5), (0.5, 0.65), (0.65, 0.8), (0.8, 1.01))


def _leftover(rest_x: Sequence[str], rest_y: Sequence[str], vectors: dict[str, Vectors]) -> list[float]:
    """How the words that differ pair up: near partners are another value of the same thing, none is something new."""
    if not rest_x or not rest_y:
        return [0.0] * 11
    u, v = np.stack([vectors[word] for word in rest_x]), np.stack([vectors[word] for word in rest_y])
    near = u @ v.T
    partners: list[float] = []
    free = near.copy()
    for _ in range(min(len(rest_x), len(rest_y))):
        i, j = np.unravel_index(int(free.argmax()), free.shape)
        partners.append(float(free[i, j]))
        free[i, :] = -1
        free[:, j] = -1
    bands = [min(3, sum(low <= p < high for p in partners)) / 3 for low, high in _BANDS]
    mean_u, mean_v = u.mean(axis=0), v.mean(axis=0)
    between = float(mean_u @ mean_v / max(1e-6, float(np.linalg.norm(mean_u) * np.linalg.norm(mean_v))))
    matched = sum(p > 0.6 for p in partners)
    return [
        *[*partners, 0.0, 0.0, 0.0][:3],
        *bands,
        between,
        float(near.mean()),
        max(0, len(rest_y) - matched) / 6,
        max(0, len(rest_x) - matched) / 6,
    ]
