"""Structured answers: the shapes a model's answer must have, finding them in what it wrote, and asking again.

Nothing here knows a transport: `ask` gets a function that completes a conversation. An answer is validated by pydantic
(unknown keys are ignored); a wrong one is asked for again, telling what was wrong; there is never a default in place of an
answer.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from memtui.errors import MindMalformedError
from memtui.memory.texts import clean, one_line
from memtui.minds.base import Message
from memtui.minds.shapes import FactShape, GradeShape, ProbeShape, SummaryShape, VerdictShape
from memtui.minds.thinking import without_thinking

log = logging.getLogger(__name__)

TEMPERATURES: Final = (0.1, 0.4, 0.7)
"""Sampling temperatures of the attempts: steady first, then freer, for a model repeats what it got wrong."""
ATTEMPTS: Final = len(TEMPERATURES)
"""How often one structured answer is asked for."""
LONGEST_ANSWER: Final = 20_000
"""Characters after which a structured answer is cut off: models run on."""
_FIRST_OBJECTS: Final = 20
_WRONG_OBJECTS: Final = 3
"""Complete objects of the right outer shape after which a model is not going to give a better one."""
_DECODER: Final = json.JSONDecoder(strict=False)
_NOTHING: Final = re.compile(r"\s*(?:```\w*)?\s*\[\s*\]\s*(?:```)?\s*")


T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What is asked for.

    Attributes:
        name: the task, which names the schema.
        shape: the shape of the answer, or of one item of it.
        items: the key of the list the answer is, or "" if it is a single object.
    """

    name: str
    shape: type[T]
    items: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema in the strict subset that endpoints take: no references, everything required, nothing else allowed."""
        one = _strict(self.shape.model_json_schema())
        if not self.items:
            return one
        listing = {self.items: {"type": "array", "items": one}}
        return {"type": "object", "properties": listing, "required": [self.items], "additionalProperties": False}

    @property
    def keys(self) -> frozenset[str]:
        """Keys of which an answer holds at least one."""
        return frozenset((self.items,)) if self.items else frozenset(self.shape.model_fields)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What could be read of an answer: usable items, and what is wrong (empty if nothing). `found` is whether there was an
    answer of the right outer shape at all."""

    items: tuple[T, ...]
    problems: tuple[str, ...]
    found: bool


Check = Callable[[T], str | None]
"""Says what is wrong with an item besides its shape, or None."""
Complete = Callable[[Sequence[Message], "Question[Any]", float], Awaitable[str]]
"""Sends a conversation at a temperature and gives the whole answer; raises MindMalformedError if it can't be read."""


async def ask(
    complete: Complete,
    question: Question[T],
    messages: Sequence[Message],
    *,
    check: Check[T] | None = None,
    repairs: int = ATTEMPTS,
    who: str = "The model",
) -> list[T]:
    """The items of a structured answer (one, if the question is for a single object), asking up to `ATTEMPTS` times.

    A list with some wrong items is asked for again too; if that does not help, the right ones count and the others are
    logged. What `check` finds is asked for again `repairs` times; after that an answer of the right shape is taken, and
    the caller deals with what is still wrong.

    Raises:
        MindMalformedError: no attempt gave anything usable.
        MindError: what `complete` raises.
    """
    conversation = list(messages)
    best: Reading[T] | None = None
    best_answer = ""
    problems: tuple[str, ...] = ()
    asked_again = 0
    for attempt, temperature in enumerate(TEMPERATURES, 1):
        answer = ""
        try:
            answer = await complete(conversation, question, temperature)
        except MindMalformedError as error:
            problems = (error.what,)
        else:
            reading = read_answer(answer, question, check if asked_again < repairs else None)
            asked_again += bool(reading.problems) and not read_answer(answer, question).problems
            if not reading.problems:
                return list(reading.items)
            problems = reading.problems
            if reading.found and (best is None or len(reading.items) >= len(best.items)):
                best, best_answer = reading, answer
        log.info("%s: attempt %d of %d: %s", question.name, attempt, ATTEMPTS, "; ".join(problems))
        conversation = [*messages, *_again(answer, problems, question)]
    if best is not None and question.items and read_answer(best_answer, question).items:
        log.warning("%s: left out what could not be used: %s", question.name, "; ".join(best.problems))
        return list(best.items)
    raise MindMalformedError(
        f"{who} gave no usable answer to '{question.name}' in {ATTEMPTS} attempts: {one_line(problems[0], 200)}",
        safe="What was said is kept; nothing was stored from that answer.",
        todo="Try again, or use a model that follows instructions better.",
    )


def _again(answer: str, problems: Sequence[str], question: Question[Any]) -> list[Message]:
    told = "; ".join(problems[:5])
    again = (
        f"That could not be used: {told}. Answer the same task again with one JSON object only, no other text; "
        f"it must match this JSON schema: {json.dumps(question.schema, ensure_ascii=False)}"
    )
    said = one_line(answer, 1_500)
    return [Message("assistant", said), Message("user", again)] if said else [Message("user", again)]


def read_answer(answer: str, question: Question[T], check: Check[T] | None = None) -> Reading[T]:
    """Find and validate the answer in what a model wrote: after its thinking, in a fence, among prose, or bare.

    The first object of the right shape counts: what follows is a model running on.
    """
    first: Reading[T] | None = None
    said = without_thinking(answer)
    for found in _objects(said, question):
        reading = _validated(found, question, check)
        if not reading.problems:
            return reading
        if first is None or (reading.found and not first.found):
            first = reading
    if first is not None and first.found:
        return first
    if not answer.strip():
        problem = "the answer was empty"
    elif not said.strip():
        problem = "there was only thinking and no answer"
    elif "{" in said and _decoded(said, said.index("{"))[0] is None:
        problem = "the JSON is broken or cut off"
    elif first is not None:
        return first
    else:
        problem = "there is no JSON object in it"
    return Reading((), (problem,), found=False)


def _objects(text: str, question: Question[Any]) -> Iterator[object]:
    """JSON values in `text` that may be the answer, in order; a bare list counts where items are asked for, if it comes
    first."""
    at = tried = 0
    inside = False
    if question.items and "[" in text.partition("{")[0]:
        value, end = _decoded(text, text.index("["))
        if isinstance(value, list) and all(isinstance(x, dict) for x in value) and (value or _NOTHING.fullmatch(text)):
            yield {question.items: value}
            at = end
    while tried < _FIRST_OBJECTS and (at := text.find("{", at)) >= 0:
        tried += 1
        value, at = _decoded(text, at)
        if value is not None:
            yield value if inside else _unwrapped(value, question)
        inside = inside or value is None  # what follows may be a piece of a list that was cut off


def _decoded(text: str, at: int) -> tuple[object, int]:
    """The JSON value at `at` and where it ends, or None and the next place."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at + 1


def _unwrapped(value: object, question: Question[Any]) -> object:
    """The answer in a wrapper (`{"answer": {…}}`), or a single item where a list belongs, as the answer."""
    if not isinstance(value, dict) or question.keys & value.keys():
        return value
    if question.items and {n for n, f in question.shape.model_fields.items() if f.is_required()} <= value.keys():
        return {question.items: [value]}
    inner = next(iter(value.values())) if len(value) == 1 else None
    return inner if isinstance(inner, dict) and question.keys & inner.keys() else value


def _validated(value: object, question: Question[T], check: Check[T] | None) -> Reading[T]:
    if not isinstance(value, dict) or not question.keys & value.keys():
        missing = question.items or ", ".join(question.shape.model_fields)
        return Reading((), (f"the object has none of the keys it must have ({missing})",), found=False)
    if not question.items:
        item, problem = _item(value, question.shape, check, "")
        return Reading((item,) if item is not None else (), (problem,) if problem else (), found=True)
    raw = value[question.items]
    if not isinstance(raw, list):
        return Reading((), (f"'{question.items}' is not a list",), found=False)
    items: list[T] = []
    problems: list[str] = []
    for n, each in enumerate(raw, 1):
        item, problem = _item(each, question.shape, check, f"{question.items}[{n}]: ")
        if item is not None:
            items.append(item)
        if problem:
            problems.append(problem)
    return Reading(tuple(items), tuple(problems), found=True)


def _item(value: object, shape: type[T], check: Check[T] | None, where: str) -> tuple[T | None, str]:
    try:
        item = shape.model_validate(_cleaned(value))
    except ValidationError as error:
        wrong = (
            f"{'.'.join(map(str, e['loc'])) or 'value'}: {e['msg'].removeprefix('Value error, ')}"
            for e in error.errors()[:3]
        )
        return None, where + ", ".join(wrong)
    problem = check(item) if check is not None else None
    return (item, "") if problem is None else (None, where + problem)


def _cleaned(value: object) -> object:
    """Strings made storable, as deep as a shape goes: escapes of lone surrogates come through JSON unharmed."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean(each) if isinstance(each, str) else each for each in value]
    if isinstance(value, dict):
        return {clean(str(key)): each if isinstance(each, dict) else _cleaned(each) for key, each in value.items()}
    return value


def is_complete(text: str, question: Question[Any]) -> bool:
    """Whether `text` so far holds a usable answer, or several that are none: a model that runs on can be stopped then.

    The first object alone tells nothing: models repeat the empty form of the task before they fill it in.
    """
    if not text.rstrip().endswith(("}", "]", "`")):
        return False
    said = without_thinking(text)
    whole = [value for value in _objects(said, question) if isinstance(value, dict) and question.keys & value.keys()]
    if len(whole) >= _WRONG_OBJECTS:
        return True
    return any(not _validated(value, question, None).problems for value in whole)


_DROPPED: Final = ("title", "default", "description", "minLength", "maxLength")


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            out[key] = {name: _strict(each) for name, each in value.items()}
            out["required"] = list(value)
            out["additionalProperties"] = False
        elif key == "anyOf":
            out[key] = [_strict(each) for each in value]
        elif key not in _DROPPED and key != "required":
            out[key] = value
    return out


FACTS: Final = Question("extract", FactShape, "facts")
VERDICTS: Final = Question("judge", VerdictShape, "verdicts")
SUMMARY: Final = Question("summarize", SummaryShape)
GRADE: Final = Question("grade", GradeShape)
PROBE: Final = Question("probe", ProbeShape)
