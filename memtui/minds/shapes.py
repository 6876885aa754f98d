"""The shapes a model's structured answers must have, tolerant of how models write a value, strict about what it is.

Field order is the order a model writes in: what it must see before it decides (quote, reason) stands before what it decides.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from memtui.minds.offline.slots import SLOTS

STATES: Final = "states"
"""The mode of a fact; a clause of any other mode is none."""
_MODES: Final = (STATES, "asks", "supposes", "quotes", "jokes", "repeats")
_NO_VALUE: Final = frozenset(("", "null", "none", "n/a", "unknown", "-", "…"))
_TEN: Final = 10
"""Up to here a number above 1 may be of a scale of ten or five: it is asked for again."""
_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*(%?)\s*")


def _folded(value: object) -> object:
    return value.strip().strip("\"'`*").casefold() if isinstance(value, str) else value


def _worded(value: str) -> str:
    if not any(c.isalnum() for c in value):
        raise ValueError("must be words of your own, not a placeholder")
    return value


def _share(value: object) -> object:
    """A share of one, also where it is given in percent ("85%", 85); anything else is left for the validation to refuse."""
    if isinstance(value, str) and (match := _PERCENT.fullmatch(value)):
        number = float(match[1])
        return number / 100 if match[2] or number > _TEN else number
    if isinstance(value, int | float) and not isinstance(value, bool) and _TEN < value <= 100:
        return value / 100
    return value


def _known_slot(value: object) -> object:
    """A slot of the list, or None: a name of the model's own making costs the fact its slot, not its life."""
    name = _folded(value)
    return name.replace(" ", "_") if isinstance(name, str) and name.replace(" ", "_") in SLOTS else None


def _optional(value: object) -> object:
    """A text or None; a number where a text belongs (a code, an amount) is taken as it is written."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None if isinstance(value, str) and value.strip().casefold() in _NO_VALUE else value


def _yes_no(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    folded = _folded(value)
    words = {"true": "yes", "false": "no", "": None, "maybe": "unclear", "unknown": "unclear", "null": None}
    return words.get(folded, folded) if isinstance(folded, str) else folded


def _whose(value: object) -> object:
    return value if isinstance(value, str) and value.strip() else "user"


def _listed(value: object) -> object:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def _enum(*values: str) -> Any:
    return WithJsonSchema({"type": "string", "enum": list(values)})


def _enum_or_null(*values: str) -> Any:
    return WithJsonSchema({"anyOf": [{"type": "string", "enum": list(values)}, {"type": "null"}]})


Words = Annotated[str, AfterValidator(_worded)]
"""A text with at least one letter or digit: small models give the "…" of the task back."""
Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(_share)]
"""A number from 0 to 1."""
MaybeText = Annotated[str | None, BeforeValidator(_optional)]
"""A text, or None where the model says in one way or another that there is none."""


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True, allow_inf_nan=False)


class FactShape(_Shape):
    """One fact as a model gives it: first the quote and how it was meant, then what memory makes of it."""

    support: Words
    mode: Annotated[str, BeforeValidator(_folded), _enum(*_MODES)] = STATES
    subject: Annotated[str, BeforeValidator(_whose)] = "user"
    valid_from: MaybeText = None
    text: Words
    slot: Annotated[str | None, BeforeValidator(_known_slot), _enum_or_null(*SLOTS)] = None
    value: MaybeText = None
    kind: Annotated[Literal["episodic", "semantic"], BeforeValidator(_folded)]
    why: Words
    importance: Share


class VerdictShape(_Shape):
    """One verdict on a pair; the reason comes first, for a verdict before its reason is right half as often."""

    pair: int
    reason: Words
    both_true_now: Annotated[
        Literal["yes", "no", "unclear"] | None, BeforeValidator(_yes_no), _enum("yes", "no", "unclear")
    ] = None
    label: Annotated[Literal["supersedes", "additive", "duplicate", "unrelated"], BeforeValidator(_folded)]
    confidence: Share


class SummaryShape(_Shape):
    """One text for several tellings, or that they do not tell one thing; `outdated` excuses what the text leaves out."""

    reason: Words
    one_thing: bool
    outdated: Annotated[list[str], BeforeValidator(_listed)] = Field(default_factory=list)
    text: str | None = None

    @model_validator(mode="after")
    def _text_where_it_is_one_thing(self) -> Self:
        if self.one_thing and not any(c.isalnum() for c in self.text or ""):
            raise ValueError("text is empty although one_thing is true")
        return self


class GradeShape(_Shape):
    """Whether a reply is right."""

    reason: Words
    correct: bool


class ProbeShape(_Shape):
    """The answer to a try."""

    reason: str
    ready: bool
