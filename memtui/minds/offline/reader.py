"""What the offline mind reads off a sentence vector: slots, aspects, and the ranker that goes by them."""

from __future__ import annotations

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.signals import Ranker
from memtui.minds.offline.answers import ranker_of
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import ASPECTS, Heads
from memtui.minds.offline.slots import SLOTS


class LocalSlotReader:
    """Slots and aspects of vectors of the local embedder, and the ranker trained on them."""

    slots: tuple[str, ...] = SLOTS
    aspects: int = ASPECTS

    def __init__(self, embedder: LocalEmbedder) -> None:
        self.ranker: Ranker | None = ranker_of(embedder)

    def read(self, vectors: Vectors) -> Vectors:
        """float32 (n, slots + aspects) of statements; a zero vector (an empty text) has neither."""
        return self._read(vectors, "told")

    def asked(self, vectors: Vectors) -> Vectors:
        """The same of questions."""
        return self._read(vectors, "asked")

    def _read(self, vectors: Vectors, side: str) -> Vectors:
        if len(vectors) == 0:
            return np.zeros((0, len(SLOTS) + ASPECTS), np.float32)
        heads, given = Heads.load(), np.asarray(vectors, np.float32)
        found = np.hstack([heads.slots(given), heads.aspects(given, side)])
        found[~np.any(given, axis=1)] = 0
        return found
