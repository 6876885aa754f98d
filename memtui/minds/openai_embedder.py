"""Vectors from the configured endpoint."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Final

import numpy as np

from memtui.errors import MindMalformedError
from memtui.memory.frame import Vectors
from memtui.memory.texts import clean
from memtui.minds.openai_endpoint import Endpoint
from memtui.minds.openai_errors import SAFE

RELATED_FROM: Final = 0.30
"""Cosine from which two texts are related, unless the caller knows the model better."""
BATCH: Final = 64
"""Texts a request."""
CLIP: Final = 6_000
"""Characters of a text that are embedded: models take 512 to 8,192 tokens and refuse what is longer."""


class EndpointEmbedder:
    """The endpoint's embedding model. Its name holds host and model, so vectors of two models are never mixed.

    Attributes:
        name: `endpoint:<host>/<model>`.
        related_from: cosine from which two texts are related at all.
    """

    def __init__(self, endpoint: Endpoint, model: str, *, related_from: float = RELATED_FROM) -> None:
        self.endpoint = endpoint
        self.model = model
        self.name = f"endpoint:{endpoint.connection.host}/{model}"
        self.related_from = related_from
        self._dims = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"EndpointEmbedder({self.name})"

    @property
    def dims(self) -> int:
        """Width of the vectors. If nothing was embedded yet the endpoint is asked, which blocks: read it off the screen's
        thread.

        Raises:
            MindError: the endpoint does not answer.
        """
        with self._lock:
            if not self._dims:
                self._dims = _in_a_thread(self)
        return self._dims

    async def probe(self) -> int:
        """Find the width by embedding one word; asked once.

        Raises:
            MindError: the endpoint does not answer, or not with vectors.
        """
        if not self._dims:
            self._dims = len((await self.endpoint.vectors(self.model, ["width"]))[0])
        return self._dims

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), dims), each row of unit length (zero for an empty text).

        Raises:
            MindError: the endpoint does not answer.
            MindMalformedError: a vector of another width than before, or not finite.
        """
        dims = await self.probe()
        shown = [clean(text[:CLIP]).strip() for text in texts]
        rows = [i for i, text in enumerate(shown) if text]
        out = np.zeros((len(shown), dims), np.float32)
        for at in range(0, len(rows), BATCH):
            part = rows[at : at + BATCH]
            found = await self.endpoint.vectors(self.model, [shown[i] for i in part])
            if any(len(vector) != dims for vector in found):
                raise self._wrong(f"vectors of another width than {dims}")
            out[part] = np.asarray(found, np.float64).astype(np.float32)
        if not np.isfinite(out).all():
            raise self._wrong("vectors that are not finite")
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        out /= np.where(norms > 0, norms, 1)
        return out

    def _wrong(self, what: str) -> MindMalformedError:
        return MindMalformedError(
            f"The embedding model {self.name} answered with {what}.",
            safe=SAFE,
            todo="Check mind.embedding_model; empty it to embed on this machine.",
        )


def _in_a_thread(embedder: EndpointEmbedder) -> int:
    """Probe in a thread with an event loop and connections of its own: the caller may stand in a running loop."""
    twin = EndpointEmbedder(embedder.endpoint.twin(), embedder.model)
    found: list[int] = []
    failed: list[Exception] = []

    async def probe() -> None:
        try:
            found.append(await twin.probe())
        finally:
            await twin.endpoint.aclose()

    def run() -> None:
        try:
            asyncio.run(probe())
        except Exception as error:  # raised again on the caller's thread
            failed.append(error)

    thread = threading.Thread(target=run, name="embedder-probe", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return found[0]
