"""What `memtui doctor` says about an endpoint: every part is tried and says what answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Final

from memtui.clock import monotonic
from memtui.errors import MemtuiError, MindMalformedError, MindRefusedError, MindUnreachableError
from memtui.memory.texts import one_line
from memtui.minds.base import Embedder, Message, PartStatus
from memtui.minds.openai_endpoint import Endpoint
from memtui.minds.prompts import probe_messages
from memtui.minds.structured import PROBE, ask

_HELLO: Final = (Message("system", "You are friendly. Answer in a word or two."), Message("user", "Hello!"))
_SHOWN: Final = 8
"""Models that are listed by name."""


async def check_parts(endpoint: Endpoint, embedder: Embedder) -> list[PartStatus]:
    """Endpoint, key, model, chat, structured answers, embeddings: what is configured and what it answered. Never raises."""
    connection = endpoint.connection
    configured = connection.model or "(the endpoint's first)"
    asked = ("model", "chat", "structured answers")
    fits = connection.key is not None or not connection.key_required
    key = PartStatus("key", f"${connection.key_env}" if connection.key_env else "none", fits, connection.key_status)
    if not fits:
        told = "not tried: the key is missing"
        first, rest = PartStatus("endpoint", connection.base_url, False, told), told
    else:
        first, listed = await _reached(endpoint)
        rest = "" if listed is not None else "not tried: the endpoint can't be reached"
    if rest:
        parts = [PartStatus(part, configured, False, rest) for part in asked]
        return [first, key, *parts, await _embeddings(endpoint, embedder, tried=False)]
    model = await _model(endpoint, configured, listed or [])
    chat, _ = await _tried("chat", configured, lambda: _chat(endpoint))
    structured, _ = await _tried("structured answers", configured, lambda: _structured(endpoint))
    return [first, key, model, chat, structured, await _embeddings(endpoint, embedder, tried=True)]


async def _reached(endpoint: Endpoint) -> tuple[PartStatus, list[str] | None]:
    """The endpoint's state and its models: [] if it lists none, None if it can't be reached at all."""
    connection = endpoint.connection
    listed: list[str] = []

    async def attempt() -> str:
        listed.extend(await endpoint.list_models())
        return f"lists {len(listed)} model{'' if len(listed) == 1 else 's'}"

    status, error = await _tried("endpoint", connection.base_url, attempt)
    if not connection.local and connection.base_url.startswith("http:"):
        detail = f"{status.detail} (http: nothing is encrypted on the way)"
        status = PartStatus(status.part, status.configured, status.ok, detail)
    return status, None if isinstance(error, MindUnreachableError) else listed


async def _tried(part: str, configured: str, attempt: Callable[[], Awaitable[str]]) -> tuple[PartStatus, Exception | None]:
    began = monotonic()
    try:
        detail = await attempt()
    except MemtuiError as error:
        return PartStatus(part, configured, False, str(error)), error
    except Exception as error:  # a doctor must not die of what it finds; the kind of error is its finding
        return PartStatus(part, configured, False, f"failed with {type(error).__name__}"), error
    return PartStatus(part, configured, True, f"{detail} ({monotonic() - began:.2f} s)"), None


async def _model(endpoint: Endpoint, configured: str, listed: list[str]) -> PartStatus:
    names = ", ".join(one_line(name, 60) for name in listed[:_SHOWN]) + (", …" if len(listed) > _SHOWN else "")

    async def attempt() -> str:
        model = await endpoint.model()
        if not endpoint.connection.model:
            return f"mind.model is not set: takes '{model}' of {names}"
        if not listed:
            return f"'{model}' (the endpoint lists no models)"
        if model in listed or f"{model}:latest" in listed:
            return f"'{model}' is there"
        raise MindRefusedError(f"'{model}' is not among its models: {names}.", todo="Set mind.model to one of them.")

    status, _ = await _tried("model", configured, attempt)
    return status


async def _chat(endpoint: Endpoint) -> str:
    """The first words the model says; the stream is ended after them."""
    words = ""
    async with aclosing(endpoint.deltas(_HELLO)) as stream:
        async for delta in stream:
            words += delta.text
            if words.strip():
                break
    if not words.strip():
        raise MindMalformedError("It answered with nothing.", todo="Try another model.")
    return f"answered '{one_line(words, 40)}'"


async def _structured(endpoint: Endpoint) -> str:
    await ask(endpoint.complete, PROBE, probe_messages(), who="The model")
    return f"answered in the asked shape, by {endpoint.dialect.format.words}"


async def _embeddings(endpoint: Endpoint, embedder: Embedder, *, tried: bool) -> PartStatus:
    remote = embedder.name.startswith("endpoint:")
    if remote and not tried:
        return PartStatus("embeddings", embedder.name, False, "not tried: the endpoint was not reached")

    async def attempt() -> str:
        vectors = await embedder.embed(["Are you there?"])
        return f"{vectors.shape[1]} dimensions, " + ("from the endpoint" if remote else "on this machine")

    status, _ = await _tried("embeddings", embedder.name, attempt)
    return status
