"""The server: threads, a queue of behaviours by kind of call, and a record of every request."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.loopback.answers import plausible, task_of, vector
from tests.loopback.behaviours import Behaviour, say, status, unknown_model
from tests.loopback.exchange import Exchange


@dataclass
class Request:
    """A request as it came, header names in lower case.

    Attributes:
        kind: `models`, `embeddings`, or the chat call's task.
        client_gone: set when the client left before the answer was complete.
    """

    method: str
    path: str
    headers: dict[str, str]
    json: dict[str, Any]
    kind: str
    client_gone: threading.Event = field(default_factory=threading.Event)

    @property
    def format(self) -> str:
        """The response format asked for: json_schema, json_object, or ""."""
        return str((self.json.get("response_format") or {}).get("type", ""))

    @property
    def text(self) -> str:
        """All messages' contents, a line break between."""
        return "\n".join(str(message.get("content", "")) for message in self.json.get("messages", ()))


class Loopback:
    """A scripted endpoint. Use it as a context manager.

    Attributes:
        base_url: what to configure, such as `http://127.0.0.1:40123/v1`.
        models: ids that `/models` lists.
        model: the first of them.
        requests: all requests, in order of arrival.
        refused_formats: response formats refused with `refusal_status`: `json_schema`, `json_object`, `schema` (a
            json_object that carries a schema).
        required_key: if set, any other key gets 401.
        dims: width of the vectors `/embeddings` gives.
    """

    def __init__(self, *models: str, dims: int = 8) -> None:
        self.models = list(models) or ["loop-chat"]
        self.dims = dims
        self.requests: list[Request] = []
        self.refused_formats: set[str] = set()
        self.refusal_status = 400
        self.required_key = ""
        self._queues: dict[str, deque[Behaviour]] = defaultdict(deque)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler_class())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    @property
    def model(self) -> str:
        """The first model."""
        return self.models[0]

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The base URL to configure."""
        return f"http://{self.host}/v1"

    def on(self, kind: str, *behaviours: Behaviour) -> Loopback:
        """Queue behaviours for the next requests of a kind; each is used once."""
        with self._lock:
            self._queues[kind].extend(behaviours)
        return self

    def calls(self, kind: str) -> list[Request]:
        """The requests of a kind; `chat` means every chat call."""
        with self._lock:
            asked = list(self.requests)
        return [r for r in asked if r.kind == kind or (kind == "chat" and r.kind not in ("models", "embeddings"))]

    def environ(self, **more: str) -> dict[str, str]:
        """Environment variables that point a memtui process here (`provider` openai, no key needed)."""
        named = {"PROVIDER": "openai", "BASE_URL": self.base_url, "MODEL": self.model}
        return {**{f"MEMTUI_MIND__{name}": value for name, value in named.items()}, **more}

    def _answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        body = json.loads(handler.rfile.read(length)) if length else {}
        path = handler.path.partition("?")[0]
        kind = {"/v1/models": "models", "/v1/embeddings": "embeddings"}.get(path) or task_of(body)
        request = Request(method, path, {name.lower(): value for name, value in handler.headers.items()}, body, kind)
        exchange = Exchange(handler, body, self._stopping)
        exchange.client_gone = request.client_gone
        with self._lock:
            self.requests.append(request)
            behaviour = self._next(request)
        behaviour(exchange)

    def _next(self, request: Request) -> Behaviour:
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.required_key and sent != self.required_key:
            return status(401, "Incorrect API key provided")
        if request.path not in ("/v1/models", "/v1/embeddings", "/v1/chat/completions"):
            return status(404, f"no such path: {request.path}")
        if self._refuses(request):
            return status(self.refusal_status, f"response_format {request.format} is not supported")
        for kind in (request.kind, "chat"):
            if self._queues[kind] and (kind == request.kind or request.kind not in ("models", "embeddings")):
                return self._queues[kind].popleft()
        return self._plausible(request)

    def _refuses(self, request: Request) -> bool:
        asked = request.json.get("response_format") or {}
        return request.format in self.refused_formats or ("schema" in self.refused_formats and "schema" in asked)

    def _plausible(self, request: Request) -> Behaviour:
        if request.kind == "models":
            listing = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
            return lambda exchange: exchange.json(200, listing)
        if request.kind == "embeddings":
            return embeddings(self.dims)
        if request.json.get("model") not in self.models:
            return unknown_model()
        text = plausible(request.kind, request.json)
        return say(*(text[at : at + 7] for at in range(0, len(text), 7)))

    def _handler_class(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                loopback._answer(self, "GET")

            def do_POST(self) -> None:
                loopback._answer(self, "POST")

            def handle(self) -> None:
                try:
                    super().handle()
                except (OSError, ValueError):
                    self.close_connection = True  # the connection was dropped on purpose, by us or by the client

            def finish(self) -> None:
                try:
                    super().finish()
                except (OSError, ValueError):
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        return Handler


def embeddings(dims: int, *, count: int | None = None, order: int = 1) -> Behaviour:
    """Vectors of `dims`; a wrong `count` of them, or in reverse `order` (-1, each with its index), if asked for."""

    def answer(exchange: Exchange) -> None:
        texts = exchange.body.get("input", [])
        texts = [texts] if isinstance(texts, str) else texts
        rows = [{"object": "embedding", "index": i, "embedding": vector(t, dims)} for i, t in enumerate(texts)]
        exchange.json(200, {"object": "list", "model": exchange.model, "data": rows[:count][::order]})

    return answer
