"""The offline mind behind the protocol of `minds/base.py`: nothing here opens a connection or reads a clock for content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final

from memtui.clock import monotonic
from memtui.errors import MemtuiError
from memtui.memory.model import Candidate, Summary, Verdict
from memtui.minds.base import (
    OFFLINE_JUDGING,
    Delta,
    Embedder,
    Judging,
    Message,
    PairText,
    PartStatus,
    Prompt,
    SlotReader,
)
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.extract import extract, read
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.judge import judge
from memtui.minds.offline.reader import LocalSlotReader
from memtui.minds.offline.reply import compose, words_of
from memtui.minds.offline.slots import SLOTS
from memtui.minds.offline.summary import summarize

_INLINE_PAIRS: Final = 8
"""So few pairs are judged on the caller's thread; more would hold up the event loop."""


class OfflineMind:
    """No network, no key, milliseconds, deterministic; quotes what is remembered and says how old it is."""

    label: str = "offline mind"
    local: bool = True
    judging: Judging = OFFLINE_JUDGING

    def __init__(self, embedder: LocalEmbedder | None = None) -> None:
        self._embedder = embedder or LocalEmbedder()
        self.embedder: Embedder = self._embedder
        self.slot_reader: SlotReader | None = LocalSlotReader(self._embedder)

    async def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The reply, a word at a time."""
        for word in words_of(compose(prompt, self._embedder, Heads.load())):
            yield Delta(word)
            await asyncio.sleep(0)

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """What is worth keeping in one user turn told at `now` (aware)."""
        return extract(text, now, self._embedder, Heads.load())

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """A verdict on each pair."""
        if len(pairs) <= _INLINE_PAIRS:
            return list(judge(pairs, self._embedder, Heads.load()))
        return list(await asyncio.to_thread(judge, pairs, self._embedder, Heads.load()))

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """One text for several tellings (oldest first), or None if they do not say one thing."""
        return summarize(texts, language, self._embedder, Heads.load())

    def classify(self, text: str) -> tuple[bool, str | None, str | None]:
        """(worth keeping, "episodic" or "semantic", "low", "medium" or "high"); the last two None where not kept."""
        heads = Heads.load()
        reading = read([text], self._embedder, heads)[0]
        if reading.keep < heads.threshold("keep"):
            return False, None, None
        return True, "semantic" if reading.semantic >= heads.threshold("kind") else "episodic", reading.level

    async def check(self) -> list[PartStatus]:
        """Embed a sentence, load the heads, and say what answered."""
        return [await self._check_embedder(), self._check_heads()]

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _check_embedder(self) -> PartStatus:
        try:
            await self.embedder.embed(["ready"])
            begun = monotonic()
            vectors = await self.embedder.embed(["Which city do I live in?"])
        except (MemtuiError, OSError, ImportError, ValueError) as error:
            return PartStatus("embedder", self.embedder.name, False, str(error))
        took = (monotonic() - begun) * 1000
        return PartStatus(
            "embedder", self.embedder.name, True, f"{vectors.shape[1]} numbers a text, answered in {took:.1f} ms"
        )

    def _check_heads(self) -> PartStatus:
        try:
            heads = Heads.load()
        except MemtuiError as error:
            return PartStatus("heads", "heads.npz", False, str(error))
        size = sum(array.size for array in heads.arrays.values())
        data = str(heads.meta["data"])[:12]
        return PartStatus("heads", f"trained on data {data}", True, f"{size:,} weights, {len(SLOTS)} slots")
