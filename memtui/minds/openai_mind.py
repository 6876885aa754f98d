"""The mind behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, Final

from memtui.errors import MindMalformedError, MindRefusedError
from memtui.memory.model import Candidate, Summary, Verdict
from memtui.memory.texts import one_line
from memtui.minds.base import (
    MODEL_JUDGING,
    Delta,
    Embedder,
    Grade,
    Judging,
    Message,
    PairText,
    PartStatus,
    Prompt,
    SlotReader,
)
from memtui.minds.extraction import candidates_of, fact_check, is_stated, with_earlier
from memtui.minds.openai_doctor import check_parts
from memtui.minds.openai_endpoint import Endpoint, Outcome
from memtui.minds.openai_errors import SAFE
from memtui.minds.prompts import (
    LONGEST_TURN,
    extract_messages,
    grade_messages,
    judge_messages,
    reply_messages,
    shortened,
    summarize_messages,
)
from memtui.minds.running_on import RunningOn
from memtui.minds.shapes import FactShape
from memtui.minds.structured import FACTS, GRADE, SUMMARY, VERDICTS, Check, Question, T, ask
from memtui.minds.summaries import summary_check, summary_of
from memtui.minds.verdicts import verdicts_of

log = logging.getLogger(__name__)

PAIRS_A_CALL: Final = MODEL_JUDGING.pairs_a_call
"""Pairs that are judged in one call."""


class OpenAIMind:
    """A mind at an endpoint. Every method raises `MindError`s only; none holds the key in its sentences.

    Attributes:
        label: model and provider, such as `qwen3 · ollama`.
        local: False: calls cost time or money, so budgets apply.
        judging: how its verdicts are to be taken.
        embedder: the endpoint's or the local one.
        slot_reader: the local one with the local embedder, else None.
    """

    local: bool = False
    judging: Judging = MODEL_JUDGING

    def __init__(
        self,
        endpoint: Endpoint,
        embedder: Embedder,
        *,
        slot_reader: SlotReader | None = None,
        temperature: float | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.embedder = embedder
        self.slot_reader = slot_reader
        self._temperature = temperature

    def __repr__(self) -> str:
        return f"OpenAIMind({self.label})"

    @property
    def label(self) -> str:
        """Model and provider; the provider alone until the endpoint's first model is known."""
        model = self.endpoint.known_model.replace("\\", "/")
        short = model.rpartition("/")[2] if model.startswith("/") or ":/" in model else model
        provider = self.endpoint.connection.provider
        return f"{one_line(short, 40)} · {provider}" if short else provider

    async def reply(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The streamed reply; closing it closes the connection's stream.

        Raises:
            MindUnreachableError: also in the middle, after what was said so far.
            MindRefusedError, MindBusyError: as their names say.
            MindMalformedError: nothing was said, or only thought.
        """
        outcome, running = Outcome(), RunningOn()
        said = thought = False
        stream = self.endpoint.deltas(reply_messages(prompt), temperature=self._temperature, outcome=outcome)
        async with aclosing(stream) as deltas:
            async for delta in deltas:
                thought = thought or delta.thinking
                text = delta.text if delta.thinking else running.feed(delta.text)
                said = said or (not delta.thinking and bool(text.strip()))
                if text:
                    yield Delta(text, delta.thinking)
                if running.ended:
                    log.info("reply: ended where %s runs on", self.label)
                    break
        held = running.finish()
        if held:
            yield Delta(held)
        if said or held.strip():
            return
        if outcome.finish == "content_filter":
            raise MindRefusedError(f"{self.label} refused this (content filter).", safe=SAFE, todo="Say it otherwise.")
        how = "thought but said nothing" if thought else "said nothing"
        raise MindMalformedError(f"{self.label} {how}.", safe=SAFE, todo="Ask again, or use another model.")

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """What is worth keeping in one user turn told at `now` (aware); what the turn does not say is dropped and logged.

        Raises:
            MindMalformedError: no usable answer in three attempts, or nothing in it rests on the turn, asked twice: then the
                turn is not known to hold nothing.
            MindError: the endpoint did not answer.
        """
        if not text.strip():
            return []
        turn = shortened(text, LONGEST_TURN)
        check, good = fact_check(turn, now, recent), list[FactShape]()

        def remembering(fact: FactShape) -> str | None:
            problem = check(fact)
            if problem is None:
                good.append(fact)
            return problem

        facts = await self._ask(FACTS, extract_messages(text, now, recent), remembering)
        # an answer that was asked for again for one bad fact may come back without the good ones
        found = with_earlier(candidates_of(facts, turn, now, recent), candidates_of(good, turn, now, recent))
        if not found and any(is_stated(fact) for fact in facts):
            raise MindMalformedError(
                f"{self.label} noted only what this message does not say.",
                safe="The message is kept; nothing was remembered of it.",
                todo="Ask again, say /remember, or use a model that follows instructions better.",
            )
        return found

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """A verdict on each pair, asked for in batches; None where a batch gave none that could be used.

        Raises:
            MindMalformedError: no batch gave anything usable.
            MindError: the endpoint did not answer.
        """
        out: list[Verdict | None] = []
        failure: MindMalformedError | None = None
        for at in range(0, len(pairs), PAIRS_A_CALL):
            batch = pairs[at : at + PAIRS_A_CALL]
            try:
                out.extend(verdicts_of(await self._ask(VERDICTS, judge_messages(batch)), batch))
            except MindMalformedError as error:
                log.warning("judge: no verdicts on %d pairs: %s", len(batch), error.what)
                failure = error
                out.extend([None] * len(batch))
        if failure is not None and not any(out):
            raise failure
        return out

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """One text for several tellings (oldest first); None if they do not tell one thing, or no faithful text came of it.

        A text that adds, loses or turns round something is asked for once more, then the newest telling stands for all if
        it holds every detail of the others.

        Raises:
            MindMalformedError: no answer of the right shape in three attempts.
            MindError: the endpoint did not answer.
        """
        if not texts:
            return None
        shape = (await self._ask(SUMMARY, summarize_messages(texts, language), summary_check(texts, language)))[0]
        return summary_of(shape, texts, language)

    async def grade(self, question: str, answers: Sequence[str], reply: str) -> Grade:
        """Whether `reply` answers `question` with one of `answers`.

        Raises:
            MindMalformedError: no usable answer in three attempts.
            MindError: the endpoint did not answer.
        """
        shape = (await self._ask(GRADE, grade_messages(question, answers, reply)))[0]
        return Grade(one_line(shape.reason, 400), shape.correct)

    async def check(self) -> list[PartStatus]:
        """What each part answered; never raises."""
        return await check_parts(self.endpoint, self.embedder)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.endpoint.aclose()

    async def _ask(self, question: Question[T], messages: Sequence[Message], check: Check[Any] | None = None) -> list[T]:
        return await ask(self.endpoint.complete, question, messages, check=check, repairs=1, who=self.label)
