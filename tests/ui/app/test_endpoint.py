"""An endpoint that fails in every way it can: the screen says so, the turn is kept, the next one works."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.config import MindSettings
from memtui.locations import Home
from memtui.minds.base import Mind
from memtui.minds.factory import make_mind
from memtui.sessions.format import read_session
from tests.loopback import (
    Behaviour,
    Loopback,
    busy,
    error_in_stream,
    hang_up,
    hang_up_after,
    malformed,
    never,
    say,
    slow,
    status,
    unauthorized,
    unknown_model,
    web_page,
)
from tests.ui.app.conftest import Open


def endpoint(loopback: Loopback, timeout_s: float = 5.0) -> Mind:
    settings = MindSettings(
        provider="openai",
        base_url=loopback.base_url,
        model=loopback.model,
        embedding_model="embedder",
        timeout_s=timeout_s,
        max_retries=0,
    )
    return make_mind(settings, {"OPENAI_API_KEY": "sk-test-0123456789abcdef"})


FAILURES: dict[str, Sequence[Behaviour]] = {
    "hang-up": [hang_up()],
    "hang-up mid-stream": [hang_up_after("Half a ", "word")],
    "wrong key": [unauthorized()],
    "no such model": [unknown_model()],
    "429": [busy()],
    "500": [status(500, "out of order")],
    "error in the stream": [error_in_stream("Well, ")],
    "a web page": [web_page()],
}


async def test_a_reply_that_fails_is_told_and_the_next_one_works(bench: Open, own_home: Home, loopback: Loopback) -> None:
    async with bench(endpoint(loopback)) as b:
        for name, behaviours in FAILURES.items():
            loopback.on("reply", *behaviours)
            await b.say(f"hello, {name}")
            assert b.chat.alert_box.error is not None, name
            assert f"user: hello, {name}" in b.messages()
            assert "sk-test" not in b.text()
            await b.say("/retry")
            assert b.chat.alert_box.error is None, name
            assert b.messages()[-1].startswith("reply: ")
            assert len(b.messages()[-1]) > len("reply: ")
    (file,) = own_home.sessions.glob("*.jsonl")
    assert [turn.text for turn in read_session(file).user_turns] == [f"hello, {name}" for name in FAILURES]


async def test_an_extraction_of_the_wrong_shape_costs_the_reply_nothing(bench: Open, loopback: Loopback) -> None:
    shapes = (malformed(), say("{}"), say("<think>hm</think> no JSON here"))
    async with bench(endpoint(loopback)) as b:
        for number, answer in enumerate(shapes):
            loopback.on("extract", answer, answer, answer)
            await b.say(f"I moved to Lisbon in {2000 + number}")
            assert b.messages()[-1].startswith("reply: ")
            assert b.chat.alert_box.error is not None
            assert len(b.companion.store.frame) == number  # nothing made up in its place
            await b.say("/retry")
            assert len(b.companion.store.frame) == number + 1


async def test_thinking_is_folded_and_never_kept(bench: Open, own_home: Home, loopback: Loopback) -> None:
    loopback.on("reply", slow("<think>The user ", "wants tea.</think>", "Tea it is.", pause=0.0))
    async with bench(endpoint(loopback)) as b:
        await b.say("tea or coffee?")
        assert b.messages()[-1] == "reply: Tea it is."
        assert "wants tea" not in b.text()
    (file,) = own_home.sessions.glob("*.jsonl")
    assert "wants tea" not in file.read_text()


async def test_escape_leaves_an_endpoint_that_says_nothing(bench: Open, loopback: Loopback) -> None:
    loopback.on("reply", never())
    async with bench(endpoint(loopback, timeout_s=60)) as b:
        b.chat.prompt.draft = "hello?"
        await b.press("enter")
        await b.until(lambda: loopback.calls("reply"), "the call")
        await b.press("escape")
        await b.idle()
        assert not b.chat.busy
        assert loopback.model in b.text()  # which mind is on, at all times
