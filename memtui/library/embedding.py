"""An agent's own embedder in place of the local one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from memtui.memory.frame import Vectors
    from memtui.memory.model import Candidate, Summary, Verdict
    from memtui.minds.base import Delta, Embedder, Judging, Message, Mind, PairText, PartStatus, Prompt, SlotReader


class OwnEmbedder(Protocol):
    """What may be given as an embedder: `Embedding`, any `memtui.minds.base.Embedder`, or an object of your own.

    `embed` may be a coroutine; texts in, one row of `dims` numbers each out (arrays and lists alike, of any length).
    """

    @property
    def name(self) -> str:
        """Stored with the vectors; those of different names are never mixed."""
        ...

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def related_from(self) -> float:
        """Cosine from which two texts are related at all."""
        ...

    @property
    def embed(self) -> Callable[[Sequence[str]], Any]:
        """Texts to vectors."""
        ...


@dataclass(frozen=True)
class Embedding:
    """A function as an embedder: `Embedding("my-model", 384, model.encode)`.

    Attributes:
        name: stored with the vectors; give another one when the model changes.
        dims: how many numbers a vector has.
        embed: a list of texts to one vector each, a plain function or a coroutine.
        related_from: cosine from which two texts are related at all; what is below is never recalled by meaning alone.
    """

    name: str
    dims: int
    embed: Callable[[Sequence[str]], Any | Awaitable[Any]]
    related_from: float = 0.3


class CheckedEmbedder:
    """An own embedder as the engine wants it: float32, finite, of unit length; what is none of that is refused."""

    def __init__(self, own: OwnEmbedder) -> None:
        self._own = own
        self.name = own.name
        self.dims = own.dims
        self.related_from = own.related_from

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), dims), each row of unit length (zero for an empty text).

        Raises:
            MindMalformedError: the embedder gave something else.
        """
        import numpy as np

        from memtui.errors import MindMalformedError

        asked = list(texts)
        if not asked:
            return np.zeros((0, self.dims), np.float32)
        if inspect.iscoroutinefunction(self._own.embed):
            given = await self._own.embed(asked)
        else:
            given = await asyncio.to_thread(self._own.embed, asked)
            given = await given if inspect.isawaitable(given) else given
        try:
            rows = np.array(given, np.float64)
        except (TypeError, ValueError) as error:
            raise MindMalformedError(
                f"The embedder '{self.name}' gave no numbers: {error}.", safe="Nothing was stored."
            ) from error
        if rows.shape != (len(asked), self.dims) or not np.isfinite(rows).all():
            wanted = f"{len(asked)} finite vectors of {self.dims} numbers"
            raise MindMalformedError(
                f"The embedder '{self.name}' gave an array of shape {rows.shape} for {wanted}.",
                safe="Nothing was stored.",
                todo="Mend the embedder, or its 'dims'.",
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)
        return unit


class OtherVectors:
    """A mind that thinks as another one does, over vectors of an embedder of its own.

    What the mind reads off its own vectors (slots) it can't read off these.
    """

    def __init__(self, mind: Mind, embedder: Embedder) -> None:
        self._mind = mind
        self.embedder = embedder
        self.slot_reader: SlotReader | None = None
        self.label: str = mind.label
        self.local: bool = mind.local
        self.judging: Judging = mind.judging

    def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The mind's reply."""
        return self._mind.reply(prompt)

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """What the mind finds."""
        return await self._mind.extract(text, now, recent)

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """The mind's verdicts."""
        return await self._mind.judge(pairs)

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """The mind's summary."""
        return await self._mind.summarize(texts, language)

    async def check(self) -> list[PartStatus]:
        """The mind's parts."""
        return await self._mind.check()

    async def aclose(self) -> None:
        """Close the mind."""
        await self._mind.aclose()
