"""The features that the heads multiply: sentence vector, surface cues, hashed character n-grams. Pure numpy."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.minds.offline.cues import CUES, cue_vector

BUCKETS: Final = 8_192
"""Columns that character n-grams are hashed into."""
_NGRAMS: Final = (2, 3, 4, 5)
_READ: Final = 400
"""Characters of a text whose n-grams are read."""
_CUE_SCALE: Final = 0.25
FEATURES_VERSION: Final = 1
"""Changes with the meaning of a column."""
_TOKEN = re.compile(r"[^\W_]+|[?!]", re.UNICODE)


def folded(text: str) -> str:
    """Lower case, NFKC, ё as е, digits as 0: what n-grams are taken of."""
    plain = unicodedata.normalize("NFKC", text[:_READ]).casefold().replace("ё", "е").replace("’", "'")
    return re.sub(r"\d", "0", plain)


def hashed_ngrams(text: str) -> Vectors:
    """float32 (BUCKETS,) of unit length: log counts of character n-grams within words, and of word pairs."""
    row = np.zeros(BUCKETS, np.float32)
    words = _TOKEN.findall(folded(text))
    grams: list[str] = []
    for word in words:
        padded = f" {word} "
        for n in _NGRAMS:
            grams.extend(padded[i : i + n] for i in range(max(1, len(padded) - n + 1)))
    grams.extend(f"{a}_{b}" for a, b in zip(["^", *words], [*words, "$"], strict=True))
    for gram in grams:
        row[zlib.crc32(gram.encode("utf-8", "replace")) % BUCKETS] += 1
    row = np.log1p(row)
    norm = float(np.linalg.norm(row))
    return row / norm if norm > 0 else row


def statement_features(texts: Sequence[str], vectors: Vectors) -> Vectors:
    """float32 (n, 512 + cues + BUCKETS) for the keep, kind and importance heads."""
    count = len(texts)
    cues = np.array([cue_vector(text) for text in texts], np.float32).reshape(count, len(CUES))
    grams = np.array([hashed_ngrams(text) for text in texts], np.float32).reshape(count, BUCKETS)
    return np.hstack([vectors.astype(np.float32), cues * _CUE_SCALE, grams])
