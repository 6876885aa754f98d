"""A mind that is quick and does what a test tells it: words hashed into a vector, every turn kept as it was said."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime

import numpy as np

from memtui.memory.frame import Vectors
from memtui.memory.model import Candidate, Kind, Label, Summary, Verdict
from memtui.memory.words import stems
from memtui.minds.base import Delta, Judging, Message, PairText, PartStatus, Prompt


class WordEmbedder:
    """Unit vectors from hashed stems: texts that share words are near, others are not."""

    name = "test-words"
    dims = 64
    related_from = 0.3

    async def embed(self, texts: Sequence[str]) -> Vectors:
        out = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            for stem in stems(text):
                out[row, int(hashlib.md5(stem.encode()).hexdigest(), 16) % self.dims] += 1
            out[row] /= max(float(np.linalg.norm(out[row])), 1e-9)
        return out


class ScriptedMind:
    """Replies with `replies` in turn (an exception among them is raised), keeps every turn, judges by `verdict`."""

    label = "scripted mind"
    local = True
    judging = Judging(retire_confidence=0.32, duplicate_confidence=0.5)
    slot_reader = None

    def __init__(self) -> None:
        self.embedder = WordEmbedder()
        self.replies: list[Sequence[str | Exception]] = []
        self.extracted: list[Candidate] | Exception | None = None
        self.verdict: Callable[[PairText], Verdict | None] = lambda pair: Verdict("not related", Label.UNRELATED)
        self.summary: Callable[[Sequence[str]], Summary | None] = lambda texts: None
        self.prompts: list[Prompt] = []
        self.judged: list[PairText] = []
        self.closed = False

    async def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        self.prompts.append(prompt)
        for piece in self.replies.pop(0) if self.replies else ["All ", "right."]:
            if isinstance(piece, Exception):
                raise piece
            yield Delta(piece)

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        if isinstance(self.extracted, Exception):
            raise self.extracted
        if self.extracted is not None:
            return self.extracted
        return [candidate(text, now)]

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        self.judged.extend(pairs)
        return [self.verdict(pair) for pair in pairs]

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        return self.summary(texts)

    async def check(self) -> list[PartStatus]:
        return [PartStatus("mind", "scripted", True, "")]

    async def aclose(self) -> None:
        self.closed = True


def candidate(text: str, now: datetime, kind: Kind = Kind.SEMANTIC, importance: float = 0.6) -> Candidate:
    """A candidate that says `text`."""
    return Candidate(text, kind, importance, "a reason", text, now)
