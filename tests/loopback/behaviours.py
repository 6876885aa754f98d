"""How a server can answer one request: well, badly, slowly, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.loopback.exchange import Exchange, chat, chunk, completion

Behaviour = Callable[[Exchange], None]
"""Answers one request."""


def say(
    *pieces: str, thinking: Sequence[str] = (), thinking_key: str = "reasoning_content", finish: str | None = "stop"
) -> Behaviour:
    """The pieces as deltas (`thinking` first, under its own key)."""
    deltas = [{thinking_key: text} for text in thinking] + [{"content": text} for text in pieces]

    def answer(exchange: Exchange) -> None:
        chat(exchange, deltas, finish)

    return answer


def slow(*pieces: str, pause: float) -> Behaviour:
    """The pieces with `pause` seconds after each."""

    def answer(exchange: Exchange) -> None:
        chat(exchange, [{"content": text} for text in pieces], pause=pause)

    return answer


def status(code: int, /, message: str = "no", headers: Mapping[str, str] | None = None, **extra: object) -> Behaviour:
    """An error status with an OpenAI-shaped body."""

    def answer(exchange: Exchange) -> None:
        exchange.json(code, {"error": {"message": message, "type": "error", "code": None, **extra}}, headers)

    return answer


def unauthorized() -> Behaviour:
    """401, echoing the key it was sent, as some servers do."""

    def answer(exchange: Exchange) -> None:
        sent = exchange.header("Authorization").removeprefix("Bearer ")
        exchange.json(401, {"error": {"message": f"Incorrect API key provided: {sent}.", "code": "invalid_api_key"}})

    return answer


def unknown_model() -> Behaviour:
    """404 for a model that is not there."""

    def answer(exchange: Exchange) -> None:
        exchange.json(404, {"error": {"message": f"The model `{exchange.model}` does not exist", "code": "model_not_found"}})

    return answer


def busy(retry_after: str | None = None, code: int = 429) -> Behaviour:
    """429 (or a 5xx), with a Retry-After header if one is given."""
    return status(code, "slow down", {"Retry-After": retry_after} if retry_after is not None else None)


def hang_up() -> Behaviour:
    """Drop the connection before any header."""
    return lambda exchange: exchange.hang_up()


def hang_up_after(*pieces: str, chunked: bool = True, reset: bool = False) -> Behaviour:
    """Begin a stream, say the pieces, drop the connection. Without `chunked` the end looks like a clean one."""

    def answer(exchange: Exchange) -> None:
        exchange.start_stream(chunked=chunked)
        for text in pieces:
            exchange.event(json.dumps(chunk(exchange.model, {"content": text})))
        exchange.hang_up(reset=reset)

    return answer


def never(seconds: float = 60.0) -> Behaviour:
    """No byte until the client gives up."""

    def answer(exchange: Exchange) -> None:
        exchange.pause(seconds)
        exchange.hang_up()

    return answer


def raw(
    body: str | bytes, content_type: str = "application/json", code: int = 200, headers: Mapping[str, str] | None = None
) -> Behaviour:
    """These bytes."""
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return lambda exchange: exchange.send(code, data, content_type, headers)


def malformed() -> Behaviour:
    """Broken JSON where the API's own JSON belongs."""

    def answer(exchange: Exchange) -> None:
        if exchange.streams:
            raw('data: {"choices": [{"delta": {"content": "Hel\n\ndata: [DONE]\n\n', "text/event-stream")(exchange)
        else:
            raw('{"choices": [{"message": ')(exchange)

    return answer


def not_an_object(value: object = None) -> Behaviour:
    """Valid JSON of a shape the API never has: `{}` by default."""
    data = json.dumps({} if value is None else value)

    def answer(exchange: Exchange) -> None:
        if exchange.streams:
            raw(f"data: {data}\n\ndata: [DONE]\n\n", "text/event-stream")(exchange)
        else:
            raw(data)(exchange)

    return answer


def no_choices() -> Behaviour:
    """`choices` is an empty list."""

    def answer(exchange: Exchange) -> None:
        empty: dict[str, Any] = {"id": "c-1", "object": "chat.completion.chunk", "model": exchange.model, "choices": []}
        not_an_object(empty)(exchange)

    return answer


def silence() -> Behaviour:
    """A proper stream in which nothing is said."""
    return say()


def streams_nothing(whole: Behaviour) -> Behaviour:
    """A stream without any event; what it would have been is said only to who does not stream (`whole`)."""

    def answer(exchange: Exchange) -> None:
        if exchange.streams:
            exchange.start_stream()
            exchange.end_stream()
        else:
            whole(exchange)

    return answer


def web_page() -> Behaviour:
    """An HTML page with status 200, as a proxy or a wrong path gives."""
    return raw("<!doctype html><title>Welcome</title>", "text/html; charset=utf-8")


def json_for_stream(text: str) -> Behaviour:
    """A whole completion although a stream was asked for."""
    return lambda exchange: exchange.json(200, completion(exchange.model, {"content": text}))


def error_in_stream(*pieces: str, message: str = "out of memory", code: int | None = 500) -> Behaviour:
    """An error event in the middle of a stream that began well."""

    def answer(exchange: Exchange) -> None:
        exchange.start_stream()
        for text in pieces:
            exchange.event(json.dumps(chunk(exchange.model, {"content": text})))
        exchange.event(json.dumps({"error": {"message": message, "code": code}}))
        exchange.end_stream()

    return answer


def unknown_keys(text: str) -> Behaviour:
    """The text, in chunks full of keys nobody knows."""

    def answer(exchange: Exchange) -> None:
        odd: dict[str, Any] = {
            "x_odd": {"a": [1, None]},
            "usage": {"weird": "yes"},
            "system_fingerprint": None,
            "timings": {"ms": 1.5},
        }
        if not exchange.streams:
            whole = completion(exchange.model, {"content": text, "refusal": None, "audio": None}, extra=odd)
            exchange.json(200, whole)
            return
        exchange.start_stream()
        delta: dict[str, Any] = {
            "role": "assistant",
            "content": text,
            "tool_calls": None,
            "annotations": [],
            "provider": {"k": 1},
        }
        exchange.event(json.dumps(chunk(exchange.model, delta, extra=odd)))
        exchange.event(json.dumps(chunk(exchange.model, {"content": None}, "stop", extra=odd)))
        exchange.event("[DONE]")
        exchange.end_stream()

    return answer


def huge(lines: int = 10_000) -> Behaviour:
    """A reply of many lines, a hundred lines a delta."""
    texts = [f"line {n}\n" for n in range(lines)]
    return say(*("".join(texts[at : at + 100]) for at in range(0, lines, 100)))
