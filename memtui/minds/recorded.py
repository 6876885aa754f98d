"""Typed results as JSON, and a mind that plays recorded ones: a replay needs no model and gives the same memories.

A call is named by what it was about, never by a prompt: `extract` by the turn's id, `judge` by the content hashes of the
older and the newer text, `summarize` by those of its texts. So a recording outlives a change of prompts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

from memtui.errors import MindMalformedError
from memtui.memory.model import Candidate, Kind, Label, Summary, Verdict
from memtui.memory.moments import from_iso, to_iso
from memtui.memory.texts import content_hash
from memtui.minds.base import (
    MODEL_JUDGING,
    Delta,
    Embedder,
    Grade,
    Judging,
    Message,
    Mind,
    PairText,
    PartStatus,
    Prompt,
    SlotReader,
)

CALLS: Final = ("extract", "judge", "summarize", "grade")
"""Calls that are recorded."""

T = TypeVar("T")
Response = dict[str, Any]
"""A typed result as JSON. An answer that was "none" is `{"answer": null}`: it is an answer too."""
_OFFLINE: Final = "offline mind"
_NONE: Final[Mapping[str, Any]] = {"answer": None}


class Recording(Protocol):
    """What a session's line tells of a call (`RecordedCall` here, `MindCall` in a session)."""

    @property
    def call(self) -> str:
        """`extract`, `judge`, `summarize` or `grade`."""
        ...

    @property
    def for_(self) -> str | tuple[str, ...]:
        """The turn's id, or the content hashes concerned."""
        ...

    @property
    def response(self) -> Any:
        """The result as `to_response` writes it."""
        ...

    @property
    def model(self) -> str | None:
        """The label of the mind that gave it."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call's result as it was given (see `Recording`), and when (aware UTC)."""

    call: str
    for_: str | tuple[str, ...]
    response: Mapping[str, Any]
    model: str | None
    at: datetime


def to_response(result: Sequence[Candidate] | Verdict | Summary | Grade | None) -> Response:
    """The JSON of a typed result."""
    if result is None:
        return dict(_NONE)
    if isinstance(result, Verdict):
        return {"reason": result.reason, "label": result.label.value, "confidence": result.confidence}
    if isinstance(result, Summary):
        return {"reason": result.reason, "text": result.text}
    if isinstance(result, Grade):
        return {"reason": result.reason, "correct": result.correct}
    return {"facts": [_fact(candidate) for candidate in result]}


def _fact(candidate: Candidate) -> Response:
    fact: Response = {
        "text": candidate.text,
        "kind": candidate.kind.value,
        "why": candidate.why,
        "importance": candidate.importance,
        "support": candidate.support,
        "valid_from": to_iso(candidate.valid_from),
        "subject": candidate.subject,
    }
    optional = {"slot": candidate.slot, "value": candidate.value}
    return fact | {key: value for key, value in optional.items() if value is not None}


def candidates_from_response(response: Mapping[str, Any]) -> list[Candidate]:
    """The candidates of an `extract` response.

    Raises:
        ValueError: a missing key or a wrong value; the message names the key.
    """
    facts = response.get("facts")
    if not isinstance(facts, list):
        raise ValueError("key 'facts': must be a list")
    out = []
    for n, fact in enumerate(facts):
        if not isinstance(fact, dict):
            raise ValueError(f"key 'facts[{n}]': must be an object")
        try:
            out.append(_candidate(fact))
        except ValueError as error:
            raise ValueError(str(error).replace("key '", f"key 'facts[{n}].", 1)) from error
    return out


def _candidate(fact: Mapping[str, Any]) -> Candidate:
    kind = _text(fact, "kind")
    if kind not in {each.value for each in Kind}:
        raise ValueError(f"key 'kind': '{kind}' is none of {', '.join(each.value for each in Kind)}")
    try:
        valid_from = from_iso(_text(fact, "valid_from"))
    except ValueError as error:
        raise error if "key '" in str(error) else ValueError(f"key 'valid_from': {error}") from error
    return Candidate(
        text=_text(fact, "text"),
        kind=Kind(kind),
        importance=_share(fact, "importance"),
        why=_text(fact, "why", optional=True) or "",
        support=_text(fact, "support"),
        valid_from=valid_from,
        subject=_text(fact, "subject", optional=True) or "user",
        slot=_text(fact, "slot", optional=True) or None,
        value=_text(fact, "value", optional=True) or None,
    )


def verdict_from_response(response: Mapping[str, Any]) -> Verdict | None:
    """The verdict of a `judge` response; None if none was given.

    Raises:
        ValueError: a missing key or a wrong value; the message names the key.
    """
    if _is_none(response):
        return None
    label = _text(response, "label")
    if label not in {each.value for each in Label}:
        raise ValueError(f"key 'label': '{label}' is none of {', '.join(each.value for each in Label)}")
    confidence = _share(response, "confidence") if "confidence" in response else 1.0
    return Verdict(_text(response, "reason", optional=True), Label(label), confidence)


def summary_from_response(response: Mapping[str, Any]) -> Summary | None:
    """The summary of a `summarize` response; None if the texts did not say one thing.

    Raises:
        ValueError: a missing key or a wrong value; the message names the key.
    """
    if _is_none(response):
        return None
    return Summary(_text(response, "text"), _text(response, "reason", optional=True))


def grade_from_response(response: Mapping[str, Any]) -> Grade:
    """The grade of a `grade` response.

    Raises:
        ValueError: a missing key or a wrong value; the message names the key.
    """
    correct = response.get("correct")
    if not isinstance(correct, bool):
        raise ValueError("key 'correct': must be true or false")
    return Grade(_text(response, "reason", optional=True), correct)


def check_response(call: str, response: Mapping[str, Any]) -> None:
    """Raise ValueError, naming the key, if `response` is none that `call` can give; unknown calls pass (they are not
    played)."""
    readers = {
        "extract": candidates_from_response,
        "judge": verdict_from_response,
        "summarize": summary_from_response,
        "grade": grade_from_response,
    }
    reader = readers.get(call)
    if reader is not None:
        reader(response)


def _is_none(response: Mapping[str, Any]) -> bool:
    return "answer" in response and response["answer"] is None


def _text(source: Mapping[str, Any], key: str, *, optional: bool = False) -> str:
    value = source.get(key)
    if value is None and optional:
        return ""
    if not isinstance(value, str) or (not value and not optional):
        raise ValueError(f"key '{key}': must be a text")
    return value


def _share(source: Mapping[str, Any], key: str) -> float:
    value = source.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"key '{key}': must be a number from 0 to 1")
    return float(value)


@dataclass
class _Tape:
    """Results of one key, in order; the last is repeated."""

    responses: list[Mapping[str, Any]] = field(default_factory=list)
    at: int = 0

    def next(self) -> Mapping[str, Any]:
        response = self.responses[min(self.at, len(self.responses) - 1)]
        self.at += 1
        return response


class RecordedMind:
    """Plays recorded results; what is not recorded the fallback answers (replies too), and is counted.

    Attributes:
        fallback: who answers what is not recorded.
        hits: calls (of a judge: pairs) that were answered from the recording.
        misses: those the fallback answered.
        local: True: a recording costs nothing.
    """

    local: bool = True

    def __init__(self, calls: Iterable[Recording], fallback: Mind) -> None:
        self.fallback = fallback
        self.hits = 0
        self.misses = 0
        self._turn = ""
        self._models: dict[str, None] = {}
        self._tapes: dict[tuple[str, ...], _Tape] = defaultdict(_Tape)
        for call in calls:
            if call.model:
                self._models[call.model] = None
            self._tapes[_key(call.call, call.for_)].responses.append(_response(call.response))

    @property
    def label(self) -> str:
        """The recorded mind's name, said to be recorded."""
        return f"recorded: {next(iter(self._models))}" if len(self._models) == 1 else "recorded"

    @property
    def judging(self) -> Judging:
        """That of the mind which was recorded; the fallback's if it was of the fallback's sort."""
        return self.fallback.judging if set(self._models) <= {self.fallback.label, _OFFLINE} else MODEL_JUDGING

    @property
    def embedder(self) -> Embedder:
        """The fallback's: vectors are not recorded."""
        return self.fallback.embedder

    @property
    def slot_reader(self) -> SlotReader | None:
        """The fallback's."""
        return self.fallback.slot_reader

    def for_turn(self, turn_id: str) -> None:
        """The turn that the next `extract` is about."""
        self._turn = turn_id

    def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The fallback's reply: recorded replies are assistant lines, which the player gives itself."""
        return self.fallback.reply(prompt)

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """What was recorded for the turn named by `for_turn` (for one call), or for the hash of `text`."""
        turn, self._turn = self._turn, ""
        response = self._recorded("extract", (turn,)) if turn else None
        if response is None:
            response = self._recorded("extract", (content_hash(text),))
        if response is not None:
            return _played("extract", candidates_from_response, response)
        self.misses += 1
        return await self.fallback.extract(text, now, recent)

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """The recorded verdict of each pair; the pairs without one go to the fallback together."""
        out: list[Verdict | None] = [None] * len(pairs)
        missing: list[int] = []
        for i, pair in enumerate(pairs):
            response = self._recorded("judge", (content_hash(pair.older), content_hash(pair.newer)))
            if response is None:
                missing.append(i)
            else:
                out[i] = _played("judge", verdict_from_response, response)
        if missing:
            self.misses += len(missing)
            for i, verdict in zip(missing, await self.fallback.judge([pairs[i] for i in missing]), strict=True):
                out[i] = verdict
        return out

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """The recorded summary of these texts, in whatever order."""
        response = self._recorded("summarize", tuple(map(content_hash, texts)))
        if response is not None:
            return _played("summarize", summary_from_response, response)
        self.misses += 1
        return await self.fallback.summarize(texts, language)

    async def check(self) -> list[PartStatus]:
        """What is recorded, then the fallback's parts."""
        count = sum(len(tape.responses) for tape in self._tapes.values())
        own = PartStatus("recording", self.label, True, f"{count} calls; {self.hits} played, {self.misses} not recorded")
        return [own, *await self.fallback.check()]

    async def aclose(self) -> None:
        """Close the fallback."""
        await self.fallback.aclose()

    def _recorded(self, call: str, for_: tuple[str, ...]) -> Mapping[str, Any] | None:
        tape = self._tapes.get(_key(call, for_))
        if tape is None:
            return None
        self.hits += 1
        return tape.next()


def _played(call: str, reader: Callable[[Mapping[str, Any]], T], response: Mapping[str, Any]) -> T:
    try:
        return reader(response)
    except ValueError as error:
        raise MindMalformedError(
            f"The recording of '{call}' can't be played: {error}.",
            safe="What was played before is kept.",
            todo="Mend that line of the session file.",
        ) from error


def _response(value: object) -> Mapping[str, Any]:
    """Anything but an object is an empty one, which no reader takes."""
    return value if isinstance(value, Mapping) else {}


def _key(call: str, for_: str | Sequence[str]) -> tuple[str, ...]:
    """Summaries are of a set of texts; of a pair the order counts."""
    for_ = (for_,) if isinstance(for_, str) else for_
    return (call, *(sorted(for_) if call == "summarize" else for_))
