"""One OpenAI-compatible endpoint through the official SDK: streams, retries, and what the endpoint was found to accept.

Every call streams, structured ones too: then `timeout_s` means seconds without a byte, however slow the model is, and a
model that runs on past its answer can be stopped. This module imports the SDK (0.4 s); the factory imports it only when it
is needed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

import httpx2
import openai

from memtui.errors import MindError, MindMalformedError, MindRefusedError
from memtui.minds.base import Delta, Message
from memtui.minds.dialect import Dialect
from memtui.minds.openai_errors import (
    SAFE,
    TRANSPORT_ERRORS,
    BrokenOffError,
    BrokenReplyError,
    mind_error,
    wait_before_retry,
)
from memtui.minds.presets import Connection
from memtui.minds.structured import LONGEST_ANSWER, Question, is_complete
from memtui.minds.thinking import StreamText, ThinkingSplitter

log = logging.getLogger(__name__)

LONGEST_REPLY: Final = 2_000_000
"""Characters (thinking included) after which a stream is ended: a model in a loop never ends by itself."""
_CONNECT_S: Final = 10.0
_NO_KEY: Final = "none-needed"
_NO_CHAT = re.compile(r"embed|rerank|whisper|minilm|\b(?:bge|e5|gte|tts)\b", re.IGNORECASE)
"""Names of models that do not chat, among those an endpoint lists."""
_THINKING_KEYS: Final = ("reasoning_content", "reasoning")

T = TypeVar("T")


@dataclass
class Outcome:
    """How a stream ended: the finish reason ("" if none was given), and whether it ended inside a thinking block."""

    finish: str = ""
    unclosed: bool = False


class Endpoint:
    """Calls to one endpoint. Raises `MindError`s only, whose sentences never hold the key.

    Attributes:
        connection: where it is.
        dialect: what it was found to accept so far.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        timeout_s: float = 60.0,
        max_retries: int = 3,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.connection = connection
        self.dialect = Dialect.first(connection)
        self._proven = False
        self._opens_inside = False
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._sleep = sleep
        self._model = connection.model
        self._client: openai.AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.connection.provider}, {self.connection.base_url})"

    @property
    def known_model(self) -> str:
        """The chat model, "" as long as the endpoint has not been asked for its first."""
        return self._model

    def twin(self) -> Endpoint:
        """Another endpoint like this one with connections of its own, for another event loop."""
        return Endpoint(self.connection, timeout_s=self._timeout_s, max_retries=self._max_retries)

    async def model(self) -> str:
        """The chat model: the configured one, or the first chat model that the endpoint lists (asked once).

        Raises:
            MindRefusedError: none is configured and the endpoint lists none.
        """
        if not self._model:
            listed = await self.list_models()
            chatty = [name for name in listed if not _NO_CHAT.search(name)]
            if not chatty:
                raise MindRefusedError(
                    f"{self._who} lists no chat model.", safe=SAFE, todo="Load one there, or set mind.model to its name."
                )
            self._model = chatty[0]
            log.info("%s: mind.model is not set; taking the first of %d: %s", self._who, len(chatty), self._model)
        return self._model

    async def list_models(self) -> list[str]:
        """Ids of the models the endpoint lists."""

        async def call(client: openai.AsyncOpenAI) -> object:
            return await client.get("/models", cast_to=object)

        answer = await self._retried(call)
        rows = answer.get("data", answer.get("models")) if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise self._malformed("a list of models")
        named = (row.get("id", row.get("name")) for row in rows if isinstance(row, dict))
        return [name for name in named if isinstance(name, str) and name]

    async def vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order. Not checked for their width.

        Raises:
            MindMalformedError: another number of vectors than texts, or no vectors.
        """
        body = {"model": model, "input": list(texts), "encoding_format": "float"}

        async def call(client: openai.AsyncOpenAI) -> object:
            return await client.post("/embeddings", cast_to=object, body=body)

        answer = await self._retried(call, model)
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or len(rows) != len(texts) or not all(isinstance(row, dict) for row in rows):
            raise self._malformed(f"{len(texts)} embeddings")
        ordered = sorted(rows, key=lambda row: row["index"]) if all(isinstance(r.get("index"), int) for r in rows) else rows
        found = [row.get("embedding") for row in ordered]
        if not all(isinstance(v, list) and v and all(isinstance(x, int | float) for x in v) for v in found):
            raise self._malformed(f"{len(texts)} embeddings")
        return [list(map(float, vector)) for vector in found if isinstance(vector, list)]

    async def complete(self, messages: Sequence[Message], question: Question[Any], temperature: float) -> str:
        """The whole answer to a structured question, without thinking (or the thinking, if nothing else was said).

        The stream is ended as soon as the answer is complete. One that breaks off is asked for once more: nobody saw it.
        """
        try:
            return await self._whole(messages, question, temperature)
        except BrokenReplyError as error:
            log.info("%s: %s Asking again.", question.name, error.what)
        return await self._whole(messages, question, temperature)

    async def _whole(self, messages: Sequence[Message], question: Question[Any], temperature: float) -> str:
        said, thought = "", ""
        async with aclosing(self.deltas(messages, question=question, temperature=temperature)) as stream:
            async for delta in stream:
                if delta.thinking:
                    thought += delta.text
                    continue
                said += delta.text
                if len(said) > LONGEST_ANSWER or is_complete(said, question):
                    break
        return said if said.strip() else thought

    async def deltas(
        self,
        messages: Sequence[Message],
        *,
        question: Question[Any] | None = None,
        temperature: float | None = None,
        outcome: Outcome | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """The streamed answer, tried again (with back-off) as long as nothing has come of it.

        Closing the iterator closes the stream.

        Raises:
            MindError: after all retries, or at once where they would not help, or when the stream breaks off after a part.
        """
        model = await self.model()
        dialect, tried = self.dialect, 0
        while True:
            came = False
            body = dialect.body(model, messages, question=question, temperature=temperature, extras=self.connection.extras)
            try:
                async with aclosing(self._deltas_once(body, outcome or Outcome())) as stream:
                    async for delta in stream:
                        came = True
                        self._learn(dialect, question)
                        yield delta
                self._learn(dialect, question)
                return
            except (*TRANSPORT_ERRORS, BrokenOffError) as error:
                lowered = None if came else self._lowered(error, dialect, body)
                wait = None if came or lowered else wait_before_retry(error, tried, self._max_retries)
                if lowered is None and wait is None:
                    raise self._error(error, model, said=came) from None  # the cause's own text may hold the key
            if lowered is not None:
                log.info("%s refused %s; trying %s", self._who, dialect, lowered)
                dialect = lowered
            elif wait is not None:
                tried += 1
                log.info("%s: try %d failed; the next in %.1f s", self._who, tried, wait)
                await self._sleep(wait)

    async def aclose(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    @property
    def _who(self) -> str:
        return f"{self.connection.provider} at {self.connection.host}"

    def _learn(self, dialect: Dialect, question: Question[Any] | None) -> None:
        self.dialect = dialect
        self._proven = self._proven or question is not None

    def _lowered(self, error: Exception, dialect: Dialect, body: Mapping[str, Any]) -> Dialect | None:
        if isinstance(error, openai.APIStatusError):
            status, told = error.status_code, f"{error.message} {error.body}"
        elif isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
            status, told = 500, error.message  # an error event: some servers find out only then
        else:
            return None
        return dialect.without(status, told, body, proven=self._proven and dialect == self.dialect)

    async def _deltas_once(self, body: Mapping[str, Any], outcome: Outcome) -> AsyncGenerator[Delta, None]:
        splitter, cleaner = ThinkingSplitter(starts_inside=self._opens_inside), StreamText()
        length = 0
        async with aclosing(self._events(body)) as events:
            async for event in events:
                thought, said, finish = _parts(event)
                outcome.finish = finish or outcome.finish
                length += len(thought) + len(said)
                if thought:
                    yield Delta(thought, thinking=True)
                for delta in splitter.feed(cleaner.feed(said)):
                    yield delta
                if length > LONGEST_REPLY:
                    log.warning("%s: the answer was ended after %d characters", self._who, length)
                    break
        for delta in (*splitter.feed(cleaner.finish()), *splitter.finish()):
            yield delta
        outcome.unclosed = splitter.unclosed
        self._opens_inside = splitter.stray_close or (self._opens_inside and not splitter.unclosed)

    async def _events(self, body: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """The JSON objects of one stream; a whole completion counts as its only event."""
        client = await self._client_here()
        stream = await client.post(
            "/chat/completions", cast_to=object, body=dict(body), stream=True, stream_cls=openai.AsyncStream[object]
        )
        try:
            kind = stream.response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "application/json":
                yield self._checked(json.loads(await stream.response.aread()))
                return
            if kind == "text/html":
                raise MindMalformedError(
                    f"{self._who} answered with a web page.",
                    safe=SAFE,
                    todo="Check mind.base_url: the API's address usually ends in /v1.",
                )
            finished = began = False
            async for data in stream:
                event, began = self._checked(data), True
                finished = finished or bool(_parts(event)[2])
                yield event
            # a body without a length ends by hanging up: only the model's own word tells then that it was complete
            if not finished and not {"transfer-encoding", "content-length"} & set(stream.response.headers):
                raise BrokenOffError
            if not began:  # some servers can't stream, or stream nothing where they would say what is wrong
                whole = {**body, "stream": False}
                yield self._checked(await client.post("/chat/completions", cast_to=object, body=whole))
        finally:
            await stream.close()

    def _checked(self, data: object) -> Mapping[str, Any]:
        if not isinstance(data, dict) or not isinstance(data.get("choices"), list):
            raise self._malformed("a chat completion")
        return data

    async def _retried(self, call: Callable[[openai.AsyncOpenAI], Awaitable[T]], model: str = "") -> T:
        tried = 0
        while True:
            try:
                return await call(await self._client_here())
            except TRANSPORT_ERRORS as error:
                wait = wait_before_retry(error, tried, self._max_retries)
                if wait is None:
                    raise self._error(error, model or self._model) from None  # the cause's own text may hold the key
            tried += 1
            await self._sleep(wait)

    def _error(self, error: Exception, model: str, *, said: bool = False) -> MindError:
        return mind_error(error, self.connection, model, timeout_s=self._timeout_s, said=said)

    def _malformed(self, expected: str) -> MindMalformedError:
        return MindMalformedError(
            f"{self._who} did not answer with {expected}.",
            safe=SAFE,
            todo="Check that mind.base_url is an OpenAI-compatible API (it usually ends in /v1).",
        )

    async def _client_here(self) -> openai.AsyncOpenAI:
        """The client of the running loop (connections belong to a loop; a command may run several, one after the other)."""
        connection = self.connection
        if connection.key is None and connection.key_required:
            raise MindRefusedError(
                f"{connection.provider} needs a key, and ${connection.key_env} is not set.",
                safe=SAFE,
                todo=f"Set ${connection.key_env} and start again, or set mind.provider to offline.",
            )
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            made = await asyncio.to_thread(self._make_client)  # reads certificates: tens of milliseconds
            if self._client is None or self._loop is not loop:
                self._client, self._loop = made, loop
            else:
                await made.close()
        return self._client

    def _make_client(self) -> openai.AsyncOpenAI:
        connection = self.connection
        client = openai.AsyncOpenAI(
            api_key=connection.key.get_secret_value() if connection.key is not None else _NO_KEY,
            base_url=connection.base_url,
            timeout=httpx2.Timeout(self._timeout_s, connect=min(_CONNECT_S, self._timeout_s)),
            max_retries=0,  # ours know of streams that said nothing and of what the endpoint refuses
            # no proxy stands between us and this machine, whatever the environment says
            http_client=openai.DefaultAsyncHttpxClient(trust_env=not connection.local, verify=_certificates()),
        )
        if connection.provider != "openai":
            client.organization = client.project = None  # names from OPENAI_* variables are nobody else's business
        return client


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Reading the certificates takes a tenth of a second: once is enough."""
    return httpx2.create_ssl_context()


def _parts(event: Mapping[str, Any]) -> tuple[str, str, str]:
    """Thinking, text and finish reason of an event, whatever its shape."""
    choices = event.get("choices") or [None]
    choice = choices[0] if isinstance(choices[0], dict) else {}
    said = choice.get("delta")
    if not isinstance(said, dict):
        said = choice.get("message")
    if not isinstance(said, dict):
        said = {}
    thought = next((value for key in _THINKING_KEYS if isinstance(value := said.get(key), str) and value), "")
    finish = choice.get("finish_reason")
    return thought, _text(said.get("content")), finish if isinstance(finish, str) else ""


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # some servers stream content as parts
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""
