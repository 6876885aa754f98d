"""One request and the ways to answer it, down to the socket."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any


class Exchange:
    """What a behaviour gets: the request's body, and ways to answer.

    Attributes:
        body: the parsed JSON body ({} for a GET).
        stopping: set when the server shuts down; every wait ends then.
    """

    def __init__(self, handler: BaseHTTPRequestHandler, body: Mapping[str, Any], stopping: threading.Event) -> None:
        self._handler = handler
        self.body = body
        self.stopping = stopping
        self.client_gone = threading.Event()

    @property
    def streams(self) -> bool:
        """Whether the client asked for server-sent events."""
        return bool(self.body.get("stream"))

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body.get("model", ""))

    def header(self, name: str) -> str:
        """A request header, or ""."""
        return str(self._handler.headers.get(name, ""))

    def send(
        self, status: int, body: bytes, content_type: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> None:
        """A whole answer with its length."""
        handler = self._handler
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        self._write(body)

    def json(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer as JSON."""
        self.send(status, json.dumps(value).encode(), headers=headers)

    def start_stream(self, *, chunked: bool = True, content_type: str = "text/event-stream") -> None:
        """The head of a stream: chunked, or ended by closing the connection."""
        handler = self._handler
        handler.send_response(200)
        handler.send_header("Content-Type", content_type)
        if chunked:
            handler.send_header("Transfer-Encoding", "chunked")
        else:
            handler.send_header("Connection", "close")
            handler.close_connection = True
        self._chunked = chunked
        handler.end_headers()

    def event(self, data: str) -> None:
        """One server-sent event."""
        self.part(f"data: {data}\n\n".encode("utf-8", "surrogatepass"))

    def part(self, data: bytes) -> None:
        """Raw bytes of a stream that was started."""
        self._write(b"%x\r\n%s\r\n" % (len(data), data) if self._chunked else data)

    def end_stream(self) -> None:
        """The proper end of a stream."""
        if self._chunked:
            self._write(b"0\r\n\r\n")

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than the client stays and the server lives."""
        step = 0.02
        waited = 0.0
        while waited < seconds and not self.stopping.is_set() and not self._peer_left():
            self.stopping.wait(min(step, seconds - waited))
            waited += step

    def hang_up(self, *, reset: bool = True) -> None:
        """Drop the connection without another byte."""
        connection = self._handler.connection
        self._handler.close_connection = True
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()

    def _peer_left(self) -> bool:
        if self.client_gone.is_set():
            return True
        ready, _, _ = select.select([self._handler.connection], [], [], 0)
        try:
            left = bool(ready) and self._handler.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            left = True
        if left:
            self.client_gone.set()
        return left

    def _write(self, data: bytes) -> None:
        try:
            self._handler.wfile.write(data)
            self._handler.wfile.flush()
        except (OSError, ValueError):
            self.client_gone.set()
            self._handler.close_connection = True


def chunk(
    model: str, delta: Mapping[str, Any], finish: str | None = None, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A `chat.completion.chunk`."""
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    return {
        "id": "c-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": [choice],
        **(extra or {}),
    }


def completion(
    model: str, message: Mapping[str, Any], finish: str = "stop", extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A whole `chat.completion`."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "c-1", "object": "chat.completion", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": usage, **(extra or {})}


def chat(exchange: Exchange, pieces: Sequence[Mapping[str, Any]], finish: str | None = "stop", pause: float = 0.0) -> None:
    """Answer a chat call with deltas, streamed or whole as it was asked for."""
    if not exchange.streams:
        whole: dict[str, str] = {}
        for piece in pieces:
            for key, value in piece.items():
                whole[key] = whole.get(key, "") + value
        exchange.json(200, completion(exchange.model, whole, finish or "stop"))
        return
    exchange.start_stream()
    for piece in pieces:
        exchange.event(json.dumps(chunk(exchange.model, piece)))
        if pause:
            exchange.pause(pause)
        if exchange.client_gone.is_set():
            return
    if finish is not None:
        exchange.event(json.dumps(chunk(exchange.model, {}, finish)))
    exchange.event("[DONE]")
    exchange.end_stream()
