"""A mind for long runs: it plays what a checkpoint holds, asks again a bounded number of times, and counts what fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, Final, TypeVar, cast

import numpy as np

from memtui.bench.checkpoint import Checkpoint
from memtui.bench.faults import MechanismError, Tally
from memtui.errors import MindError, MindMalformedError, MindRefusedError
from memtui.memory.frame import Vectors
from memtui.memory.model import Candidate, Summary, Verdict
from memtui.memory.moments import to_iso
from memtui.memory.texts import clean, content_hash
from memtui.minds.base import (
    Delta,
    Embedder,
    Grade,
    Grader,
    Judging,
    Message,
    Mind,
    PairText,
    PartStatus,
    Prompt,
    SlotReader,
)
from memtui.minds.recorded import (
    candidates_from_response,
    grade_from_response,
    summary_from_response,
    to_response,
    verdict_from_response,
)

TRIES: Final = 2
"""How often a call is asked for; the endpoint has its own retries and the structured answer its own attempts below that."""
T = TypeVar("T")


class SteadyMind:
    """`mind`, with results kept in `checkpoint`. What it returns is always what the checkpoint would give back, so a run
    that goes on has the same figures as one that was never stopped.

    A failed `extract`, `summarize`, `reply` or `grade` raises its `MindError`; a pair without a verdict is None.

    Attributes:
        tally: what worked and what failed.
        embedder: the mind's, asked again when it fails.
    """

    local: bool = False

    def __init__(self, mind: Mind, checkpoint: Checkpoint | None = None, *, keep_vectors: bool = False) -> None:
        """Args:
        keep_vectors: record vectors too (an endpoint's embedder).
        """
        self.mind = mind
        self.checkpoint = checkpoint or Checkpoint()
        self.tally = Tally()
        self.embedder: Embedder = SteadyEmbedder(mind.embedder, self.checkpoint if keep_vectors else Checkpoint())
        self._turn = ""

    @property
    def label(self) -> str:
        """The mind's."""
        return self.mind.label

    @property
    def judging(self) -> Judging:
        """The mind's."""
        return self.mind.judging

    @property
    def slot_reader(self) -> SlotReader | None:
        """The mind's."""
        return self.mind.slot_reader

    @property
    def grades(self) -> bool:
        """Whether the mind can grade replies."""
        return hasattr(self.mind, "grade")

    def for_turn(self, turn_id: str) -> None:
        """The turn that the next `extract` is about."""
        self._turn = turn_id

    def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The mind's reply, not recorded; see `reply_text`."""
        return self.mind.reply(prompt)

    async def reply_text(self, prompt: Prompt) -> str:
        """The whole reply to a prompt, recorded; one that broke off counts as none.

        Raises:
            MindError: no whole reply came.
            MechanismError: replying does not work at all.
        """
        name = _prompt_name(prompt)
        known = self.checkpoint.reply(name)
        if known is not None:
            self.tally.played("reply")
            return known

        async def whole() -> str:
            said: list[str] = []
            stream = self.mind.reply(prompt)
            if hasattr(stream, "aclose"):
                async with aclosing(cast(Any, stream)) as deltas:
                    said.extend([delta.text async for delta in deltas if not delta.thinking])
            else:
                said.extend([delta.text async for delta in stream if not delta.thinking])
            text = clean("".join(said)).strip()
            if not text:
                raise MindMalformedError(f"{self.label} said nothing.")
            return text

        text = await self._asked("reply", whole)
        self.checkpoint.keep_reply(name, text, prompt.now)
        return text

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """See `Mind.extract`."""
        turn, self._turn = self._turn, ""
        names = (turn or content_hash(text),)
        known = self.checkpoint.result("extract", names)
        if known is None:
            found = await self._asked("extract", lambda: self.mind.extract(text, now, recent))
            known = to_response(found)
            self.checkpoint.keep("extract", names, known, self.label, now)
        else:
            self.tally.played("extract")
        return candidates_from_response(known)

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """See `Mind.judge`; asked a call's worth at a time, each on disk before the next. None: no usable verdict."""
        out: list[Verdict | None] = [None] * len(pairs)
        missing: list[int] = []
        for i, pair in enumerate(pairs):
            known = self.checkpoint.result("judge", _pair_names(pair))
            if known is None:
                missing.append(i)
            else:
                out[i] = verdict_from_response(known)
                self.tally.played("judge")
        lot = self.mind.judging.pairs_a_call
        for start in range(0, len(missing), lot):
            await self._judge_lot(pairs, missing[start : start + lot], out)
        return out

    async def _judge_lot(self, pairs: Sequence[PairText], lot: Sequence[int], out: list[Verdict | None]) -> None:
        left = list(lot)
        failure: MindError = MindMalformedError(f"{self.label} left pairs without a verdict.")
        for _ in range(TRIES):
            try:
                verdicts = await self.mind.judge([pairs[i] for i in left])
            except MindRefusedError as error:
                failure = error
                break
            except MindError as error:
                failure = error
                continue
            for i, verdict in zip(left, verdicts, strict=True):
                if verdict is not None:
                    response = to_response(verdict)
                    self.checkpoint.keep("judge", _pair_names(pairs[i]), response, self.label, pairs[i].newer_at)
                    out[i] = verdict_from_response(response)
            left = [i for i in left if out[i] is None]
            if not left:
                break
        if len(left) < len(lot):
            self.tally.succeeded("judge", len(lot) - len(left))
        if left:
            self.tally.gave_up("judge", failure, len(left))

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """See `Mind.summarize`."""
        names = sorted(map(content_hash, texts))
        known = self.checkpoint.result("summarize", names)
        if known is None:
            known = to_response(await self._asked("summarize", lambda: self.mind.summarize(texts, language)))
            self.checkpoint.keep("summarize", names, known, self.label)
        else:
            self.tally.played("summarize")
        return summary_from_response(known)

    async def grade(self, question: str, answers: Sequence[str], reply: str) -> Grade:
        """See `Grader.grade`."""
        names = tuple(map(content_hash, (question, "\n".join(answers), reply)))
        known = self.checkpoint.result("grade", names)
        if known is None:
            grader = cast(Grader, self.mind)
            known = to_response(await self._asked("grade", lambda: grader.grade(question, answers, reply)))
            self.checkpoint.keep("grade", names, known, self.label)
        else:
            self.tally.played("grade")
        return grade_from_response(known)

    async def check(self) -> list[PartStatus]:
        """The mind's parts."""
        return await self.mind.check()

    async def aclose(self) -> None:
        """Close the mind; the checkpoint is its opener's."""
        await self.mind.aclose()

    async def _asked(self, kind: str, call: Callable[[], Awaitable[T]]) -> T:
        failure: MindError | None = None
        for _ in range(TRIES):
            try:
                result = await call()
            except MindRefusedError as error:
                failure = error
                break  # asked again it would refuse again
            except MindError as error:
                failure = error
            else:
                self.tally.succeeded(kind)
                return result
        assert failure is not None
        self.tally.gave_up(kind, failure)
        raise failure


class SteadyEmbedder:
    """An embedder asked again when it fails, and once for each text; without vectors nothing can be measured, so in the end
    it raises a `MechanismError`."""

    def __init__(self, embedder: Embedder, checkpoint: Checkpoint) -> None:
        self._embedder = embedder
        self._checkpoint = checkpoint
        self._dims = 0

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def dims(self) -> int:
        """Width of the vectors; known without asking once something was embedded."""
        return self._dims or self._embedder.dims

    @property
    def related_from(self) -> float:
        """The embedder's."""
        return self._embedder.related_from

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`.

        Raises:
            MechanismError: it did not answer.
        """
        missing = [text for text in dict.fromkeys(texts) if self._checkpoint.vector(text) is None]
        if missing:
            vectors = await self._asked(missing)
            for text, vector in zip(missing, vectors, strict=True):
                self._checkpoint.keep_vector(text, vector)
        if not texts:
            return np.zeros((0, self.dims), np.float32)
        out: Vectors = np.stack([cast(Vectors, self._checkpoint.vector(text)) for text in texts])
        self._dims = out.shape[1]
        return out

    async def _asked(self, texts: Sequence[str]) -> Vectors:
        failure: Exception | None = None
        for _ in range(TRIES):
            try:
                return await self._embedder.embed(texts)
            except MindError as error:
                failure = error
        raise no_embedder(failure)


def no_embedder(cause: Exception | None) -> MechanismError:
    """What to say when there are no vectors."""
    what = cause.what if isinstance(cause, MindError) else str(cause)
    return MechanismError(
        f"The embedder does not work: {what}",
        safe="No figures were made up.",
        todo="`memtui doctor` tells what is configured; run the same command again to go on.",
    )


def _pair_names(pair: PairText) -> tuple[str, str]:
    return content_hash(pair.older), content_hash(pair.newer)


def _prompt_name(prompt: Prompt) -> str:
    """A content hash over all that reaches the prompt."""
    rows = [f"{message.role}: {message.text}" for message in prompt.messages]
    rows += [
        f"{m.id} {to_iso(m.said_at)} {to_iso(m.valid_from)} {m.passed} {','.join(m.against)} {m.text}"
        for m in prompt.memories
    ]
    return content_hash("\n".join([to_iso(prompt.now), prompt.language, *rows]))
