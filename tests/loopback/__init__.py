"""A real HTTP server on 127.0.0.1 that speaks the OpenAI API and misbehaves on demand.

    with Loopback() as server:
        server.on("reply", slow("Hel", "lo", pause=0.01), hang_up())
        server.on("extract", say('{"facts": []}'))
        …  # point mind.base_url at server.base_url, or give server.environ() to a subprocess
        assert server.calls("reply")[0].json["model"] == server.model

`on(kind, …)` queues behaviours, one a request; an empty queue gives a plausible answer. Kinds: `models`, `embeddings`,
`chat` (any chat call), or one chat call's task: `reply`, `extract`, `judge`, `summarize`, `grade`, `probe`. As a process:
`python -m tests.loopback` prints the base URL and serves until its standard input ends.
"""

from tests.loopback.behaviours import (
    Behaviour,
    busy,
    error_in_stream,
    hang_up,
    hang_up_after,
    huge,
    json_for_stream,
    malformed,
    never,
    no_choices,
    not_an_object,
    raw,
    say,
    silence,
    slow,
    status,
    streams_nothing,
    unauthorized,
    unknown_keys,
    unknown_model,
    web_page,
)
from tests.loopback.server import Loopback, Request

__all__ = [
    "Behaviour",
    "Loopback",
    "Request",
    "busy",
    "error_in_stream",
    "hang_up",
    "hang_up_after",
    "huge",
    "json_for_stream",
    "malformed",
    "never",
    "no_choices",
    "not_an_object",
    "raw",
    "say",
    "silence",
    "slow",
    "status",
    "streams_nothing",
    "unauthorized",
    "unknown_keys",
    "unknown_model",
    "web_page",
]
