"""Makers of minds and endpoints over the loopback server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from memtui.config import MindSettings
from memtui.memory.frame import Vectors
from memtui.minds.base import Delta, Message, Prompt, Remembered
from memtui.minds.openai_endpoint import Endpoint
from memtui.minds.openai_mind import OpenAIMind
from memtui.minds.presets import connection_of
from tests.loopback import Loopback

NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
"""A Saturday."""
KEY = "sk-test-0123456789abcdefSECRET"


class Naps:
    """Stands in for sleeping: notes how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class TinyEmbedder:
    """An embedder that needs nothing."""

    name = "tiny-4"
    dims = 4
    related_from = 0.3

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.eye(4, dtype=np.float32)[[len(text) % 4 for text in texts]]


def endpoint_at(
    server: Loopback,
    *,
    naps: Naps | None = None,
    timeout_s: float = 10.0,
    max_retries: int = 3,
    key: str = "",
    settings: MindSettings | None = None,
) -> Endpoint:
    """An endpoint at `server` that never really sleeps."""
    chosen = settings or MindSettings(provider="openai", base_url=server.base_url, model=server.model)
    connection = connection_of(chosen, {"OPENAI_API_KEY": key} if key else {})
    return Endpoint(connection, timeout_s=timeout_s, max_retries=max_retries, sleep=naps or Naps())


def mind_at(server: Loopback, **options: object) -> OpenAIMind:
    """A mind at `server` (options as for `endpoint_at`)."""
    return OpenAIMind(endpoint_at(server, **options), TinyEmbedder())  # type: ignore[arg-type]


def prompt(text: str = "Hello", *memories: Remembered, language: str = "en", before: Sequence[Message] = ()) -> Prompt:
    """A prompt that ends with `text`."""
    return Prompt((*before, Message("user", text)), memories, NOW, language)


async def gathered(mind: OpenAIMind, asked: Prompt | None = None) -> list[Delta]:
    """All deltas of a reply."""
    return [delta async for delta in mind.reply(asked or prompt())]


def said(deltas: Sequence[Delta]) -> str:
    """What was said aloud."""
    return "".join(delta.text for delta in deltas if not delta.thinking)


def thought(deltas: Sequence[Delta]) -> str:
    """What was only thought."""
    return "".join(delta.text for delta in deltas if delta.thinking)
