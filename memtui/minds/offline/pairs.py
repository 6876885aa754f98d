"""The features of an older and a newer text for the pair judge, and what can be named about their difference.

One-word edits decide ("allergic / not allergic" is .958 in cosine and no duplicate), so beside the vectors the features
compare negation, numbers, names, hypotheticals, tense, subject and change words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.words import stems
from memtui.minds.offline.cues import CUES, cues, listed
from memtui.minds.offline.slots import SINGLE_VALUED

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"[A-ZА-ЯЁ][\w'’-]*", re.UNICODE)
_SENTENCE_START = re.compile(r"(?:^|[.!?…]\s+)\W*$")
_NOT_NAMES: Final = frozenset(listed("i i'm i've i'd i'll im ok"))
_SPELLED: Final[dict[str, str]] = {
    word: str(value)
    for value, words in enumerate(
        (
            "zero ноль", "one один одна одну", "two два две twice", "three три", "four четыре", "five пять", "six шесть",
            "seven семь", "eight восемь", "nine девять", "ten десять", "eleven одиннадцать", "twelve двенадцать",
        )
    )
    for word in words.split()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Marks:
    """What of a text can be compared by eye: numbers, names, content stems, surface cues."""

    numbers: frozenset[str]
    names: frozenset[str]
    stems: frozenset[str]
    cues: frozenset[str]


@lru_cache(maxsize=8_192)
def marks(text: str) -> Marks:
    """The marks of a text's first 600 characters."""
    seen = text[:600].replace("’", "'")
    numbers = {found.replace(",", ".") for found in _NUMBER.findall(seen)}
    words = re.findall(r"[^\W\d_]+", seen.casefold())
    numbers |= {_SPELLED[word] for word in words if word in _SPELLED}
    names = {
        match.group().casefold()
        for match in _NAME.finditer(seen)
        if match.group().casefold() not in _NOT_NAMES and not _SENTENCE_START.search(seen[: match.start()])
    }
    return Marks(frozenset(numbers), frozenset(names), frozenset(stems(seen)), cues(seen))


def _overlap(a: frozenset[str], b: frozenset[str]) -> tuple[float, float, float, float]:
    """Jaccard, and whether something is shared, only in `a`, only in `b` (each as a bounded count)."""
    union = len(a | b)
    return (
        len(a & b) / union if union else 0.0,
        min(3, len(a & b)) / 3,
        min(3, len(a - b)) / 3,
        min(3, len(b - a)) / 3,
    )


def pair_features(
    older: Sequence[str], newer: Sequence[str], a: Vectors, b: Vectors, slots_a: Vectors, slots_b: Vectors, basis: Vectors
) -> Vectors:
    """float32 (n, F).

    Args:
        a, b: float32 (n, dims) unit vectors of the older and the newer texts.
        slots_a, slots_b: float32 (n, len(SLOTS)) slot posteriors.
        basis: float32 (dims, k) onto which |a-b| and a*b are projected.
    """
    cosine = np.sum(a * b, axis=1)
    single = len(SINGLE_VALUED)
    both = slots_a * slots_b
    slot = np.stack([both.sum(1), both[:, :single].sum(1), both[:, single:].sum(1), slots_a.sum(1), slots_b.sum(1)], axis=1)
    surface = np.array([_surface(x, y) for x, y in zip(older, newer, strict=True)], np.float32)
    dense = np.stack([cosine, cosine**2, cosine**3, np.abs(a - b).sum(1) / 10], axis=1)
    low = [np.abs(a - b) @ basis, (a * b) @ basis * 8]
    return np.hstack([dense, slot, surface.reshape(len(older), -1), *low]).astype(np.float32)


_COMPARED: Final = tuple(name for name in CUES[: CUES.index("length")])


def _surface(older: str, newer: str) -> list[float]:
    x, y = marks(older), marks(newer)
    shared = x.stems & y.stems
    out = [*_overlap(x.numbers, y.numbers), *_overlap(x.names, y.names), *_overlap(x.stems, y.stems)]
    out.append(len(shared) / max(1, min(len(x.stems), len(y.stems))))
    out.append(float(x.stems == y.stems))
    out.append(float(bool(x.numbers) and bool(y.numbers) and x.numbers != y.numbers))
    out.append(float(("negation" in x.cues) != ("negation" in y.cues)))
    for name in _COMPARED:
        out.append(float(name in x.cues))
        out.append(float(name in y.cues))
    out.append(min(1.0, len(older) / 150))
    out.append(min(1.0, len(newer) / 150))
    out.append((len(newer) - len(older)) / max(len(newer), len(older), 1))
    return out


SURFACE_WIDTH: Final = 12 + 4 + 2 * len(_COMPARED) + 3
"""Columns of `_surface`."""
PAIR_VERSION: Final = 1
"""Changes with the meaning of a column."""
