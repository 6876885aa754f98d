"""What an endpoint has been found to accept: compatible APIs differ in what they refuse.

A dialect begins as the richest one; each refusal takes one thing away. It is remembered only once a call in it succeeded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

from memtui.minds.base import Message
from memtui.minds.presets import Connection
from memtui.minds.prompts import alternating
from memtui.minds.structured import Question

_REFUSALS: Final = (400, 404, 415, 422, 500, 501)


class Format(IntEnum):
    """How a structured answer is asked for, from the strictest."""

    JSON_SCHEMA = 0
    OBJECT_WITH_SCHEMA = 1
    JSON_OBJECT = 2
    NONE = 3

    @property
    def words(self) -> str:
        """For people."""
        return ("json_schema", "json_object with a schema", "json_object", "by instruction only")[self]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What may be sent.

    Attributes:
        format: the strictest response format taken.
        temperature: whether a sampling temperature is taken.
        system: whether a system message is taken (else it is put before the user's first).
        extras: whether the preset's own fields are taken.
    """

    format: Format = Format.JSON_SCHEMA
    temperature: bool = True
    system: bool = True
    extras: bool = True

    @classmethod
    def first(cls, connection: Connection) -> Dialect:
        """Where to begin with an endpoint."""
        return cls(format=Format.JSON_SCHEMA if connection.json_schema else Format.JSON_OBJECT)

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        question: Question[Any] | None = None,
        temperature: float | None = None,
        extras: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The body of a streaming chat request."""
        shown = alternating(messages) if self.system else _folded(alternating(messages))
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": message.role, "content": message.text} for message in shown],
            "stream": True,
        }
        if question is not None:
            if self.extras:
                body.update(extras or {})
            if self.format is not Format.NONE:
                body["response_format"] = _response_format(self.format, question)
        if temperature is not None and self.temperature:
            body["temperature"] = temperature
        return body

    def without(self, status: int, message: str, sent: Mapping[str, Any], *, proven: bool) -> Dialect | None:
        """The dialect to try after a refusal, or None if the refusal is about something else.

        Args:
            status: the HTTP status of the refusal.
            message: what the server said.
            sent: the body it refused.
            proven: whether a call in this dialect has succeeded before; then only a refusal that names its cause counts.
        """
        said = message.casefold()
        named = self._named(said, sent)
        if named is not None and status in _REFUSALS:
            return named
        about_format = any(word in said for word in ("response_format", "json_schema", "json_object", "schema", "grammar"))
        if "response_format" not in sent or status not in _REFUSALS or "context" in said:
            return None
        if about_format or (not proven and status != 404):
            return replace(self, format=Format(self.format + 1))
        return None

    def _named(self, said: str, sent: Mapping[str, Any]) -> Dialect | None:
        """The dialect without the one field that a refusal names."""
        if "temperature" in said and "temperature" in sent:
            return replace(self, temperature=False)
        roles = [message["role"] for message in sent["messages"]]
        if "system" in roles and ("system role" in said or "system message" in said or "roles must alternate" in said):
            return replace(self, system=False)
        if "enable_thinking" in said and "enable_thinking" in sent:
            return replace(self, extras=False)
        return None


def _response_format(how: Format, question: Question[Any]) -> dict[str, Any]:
    if how is Format.JSON_SCHEMA:
        named = {"name": question.name, "strict": True, "schema": question.schema}
        return {"type": "json_schema", "json_schema": named}
    if how is Format.OBJECT_WITH_SCHEMA:
        return {"type": "json_object", "schema": question.schema}
    return {"type": "json_object"}


def _folded(messages: Sequence[Message]) -> list[Message]:
    """The system text put before the first user message."""
    system = [message.text for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if not system or not rest:
        return list(messages)
    return [Message("user", "\n\n".join([*system, rest[0].text])), *rest[1:]]
