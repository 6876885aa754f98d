"""Replies through a real HTTP server that misbehaves."""

from __future__ import annotations

import asyncio

import pytest

from memtui.errors import MindBusyError, MindError, MindMalformedError, MindRefusedError, MindUnreachableError
from memtui.minds.base import Delta
from memtui.minds.openai_mind import OpenAIMind
from tests.loopback import (
    Behaviour,
    Loopback,
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
from tests.minds.helpers import KEY, Naps, endpoint_at, gathered, mind_at, prompt, said, thought


async def test_a_reply_streams_in_pieces(loopback: Loopback) -> None:
    loopback.on("reply", say("Hel", "lo ", "Åsa 😀"))
    deltas = await gathered(mind_at(loopback))
    assert [d.text for d in deltas] == ["Hel", "lo ", "Åsa 😀"]
    request = loopback.calls("reply")[0]
    assert request.path == "/v1/chat/completions"
    assert request.json["model"] == "loop-chat"
    assert request.json["stream"] is True
    assert "response_format" not in request.json
    assert "temperature" not in request.json
    assert [m["role"] for m in request.json["messages"]] == ["system", "user"]


async def test_a_configured_temperature_is_sent_and_dropped_where_it_is_refused(loopback: Loopback) -> None:
    loopback.on(
        "reply", status(400, "Unsupported value: 'temperature' does not support 0.5 with this model."), say("hi"), say("ho")
    )
    mind = OpenAIMind(endpoint_at(loopback), mind_at(loopback).embedder, temperature=0.5)
    assert said(await gathered(mind)) == "hi"
    assert said(await gathered(mind)) == "ho"
    assert [r.json.get("temperature") for r in loopback.calls("reply")] == [0.5, None, None]


async def test_a_refused_system_message_is_put_before_the_users_first(loopback: Loopback) -> None:
    loopback.on("reply", status(400, "System role not supported"), say("hi"))
    assert said(await gathered(mind_at(loopback))) == "hi"
    messages = loopback.calls("reply")[1].json["messages"]
    assert [m["role"] for m in messages] == ["user"]
    assert messages[0]["content"].startswith("You are a companion")
    assert messages[0]["content"].endswith("\n\nHello")


@pytest.mark.parametrize(
    ("behaviour", "thinking"),
    [
        (say("<think>hm", "m</think>\n\n", "Hello"), "hmm"),
        (say("<th", "ink>hm</thi", "nk>", "Hello"), "hm"),
        (say("Hello", thinking=["h", "m"]), "hm"),
        (say("Hello", thinking=["hm"], thinking_key="reasoning"), "hm"),
        (unknown_keys("Hello"), ""),
        (json_for_stream("<think>hm</think>Hello"), "hm"),
    ],
)
async def test_thinking_is_told_apart(loopback: Loopback, behaviour: Behaviour, thinking: str) -> None:
    loopback.on("reply", behaviour)
    deltas = await gathered(mind_at(loopback))
    assert said(deltas) == "Hello"
    assert thought(deltas) == thinking


async def test_an_endpoint_that_opens_thinking_in_its_prompt_is_learned(loopback: Loopback) -> None:
    loopback.on("reply", *[say("Let me see.\n", "</think>\n\n", "Hello")] * 2, say("Plain"))
    mind = mind_at(loopback)
    first, second = await gathered(mind), await gathered(mind)
    assert "think" not in said(first)
    assert (thought(second), said(second)) == ("Let me see.\n", "Hello")


@pytest.mark.parametrize("behaviour", [say("<think>I wonder"), say(thinking=["hm"])])
async def test_only_thinking_is_no_reply(loopback: Loopback, behaviour: Behaviour) -> None:
    loopback.on("reply", behaviour)
    with pytest.raises(MindMalformedError, match="thought but said nothing"):
        await gathered(mind_at(loopback))


@pytest.mark.parametrize(
    ("behaviour", "kind", "words"),
    [
        (unauthorized(), MindRefusedError, "refused"),
        (status(403, "region not allowed"), MindRefusedError, "region not allowed"),
        (unknown_model(), MindRefusedError, "no model 'loop-chat'"),
        (status(404, "Not Found"), MindRefusedError, "no such address"),
        (status(400, "maximum context length is 4096 tokens"), MindRefusedError, "context length"),
        (status(429, "You exceeded your quota", code="insufficient_quota"), MindRefusedError, "quota"),
        (malformed(), MindMalformedError, "not the API's format"),
        (not_an_object(), MindMalformedError, "chat completion"),
        (not_an_object([1, 2]), MindMalformedError, "chat completion"),
        (not_an_object("text"), MindMalformedError, "chat completion"),
        (not_an_object({"choices": {"0": 1}}), MindMalformedError, "chat completion"),
        (not_an_object({"choices": ["x"]}), MindMalformedError, "said nothing"),
        (not_an_object({"choices": [{"delta": "x"}]}), MindMalformedError, "said nothing"),
        (no_choices(), MindMalformedError, "said nothing"),
        (silence(), MindMalformedError, "said nothing"),
        (web_page(), MindMalformedError, "web page"),
        (raw("plain words", "text/plain"), MindMalformedError, "chat completion"),
        (raw(b'data: "\xff\xfe"\n\n', "text/event-stream"), MindMalformedError, "not the API's format"),
        (raw("{}", "application/json"), MindMalformedError, "chat completion"),
        (raw('{"choices": [', "application/json"), MindMalformedError, "not the API's format"),
        (say("", finish="content_filter"), MindRefusedError, "content filter"),
    ],
)
async def test_bad_answers_become_errors_that_say_what_to_do(
    loopback: Loopback, behaviour: Behaviour, kind: type[MindError], words: str
) -> None:
    loopback.on("reply", *[behaviour] * 4)
    with pytest.raises(kind) as caught:
        await gathered(mind_at(loopback, key=KEY))
    assert words in caught.value.what
    assert caught.value.safe
    assert caught.value.todo
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("code", [429, 500, 502, 503, 408])
async def test_busy_endpoints_are_tried_again_with_back_off(loopback: Loopback, code: int) -> None:
    naps = Naps()
    loopback.on("reply", busy(code=code), busy(code=code), say("hi"))
    assert said(await gathered(mind_at(loopback, naps=naps))) == "hi"
    assert naps.seconds == [0.5, 1.0]


async def test_retry_after_is_honoured(loopback: Loopback) -> None:
    naps = Naps()
    loopback.on("reply", busy("7"), busy("0.25", code=503), say("hi"))
    assert said(await gathered(mind_at(loopback, naps=naps))) == "hi"
    assert naps.seconds == [7.0, 0.25]


async def test_a_retry_after_that_is_too_long_fails_at_once_and_says_how_long(loopback: Loopback) -> None:
    naps = Naps()
    loopback.on("reply", busy("3600"))
    with pytest.raises(MindBusyError) as caught:
        await gathered(mind_at(loopback, naps=naps))
    assert "3600 s" in caught.value.todo
    assert naps.seconds == []


async def test_a_busy_endpoint_fails_after_all_retries(loopback: Loopback) -> None:
    loopback.on("reply", *[busy()] * 5)
    with pytest.raises(MindBusyError) as caught:
        await gathered(mind_at(loopback, max_retries=2))
    assert "429" in caught.value.what
    assert loopback.host in caught.value.what
    assert len(loopback.calls("reply")) == 3


@pytest.mark.parametrize("behaviour", [hang_up(), hang_up_after(), hang_up_after(reset=True), hang_up_after(chunked=False)])
async def test_a_connection_lost_before_the_first_word_is_tried_again(loopback: Loopback, behaviour: Behaviour) -> None:
    loopback.on("reply", behaviour, say("hi"))
    assert said(await gathered(mind_at(loopback))) == "hi"
    loopback.on("reply", *[behaviour] * 4)
    with pytest.raises(MindUnreachableError):
        await gathered(mind_at(loopback))


@pytest.mark.parametrize(
    "behaviour",
    [hang_up_after("One ", "two"), hang_up_after("One ", "two", chunked=False), error_in_stream("One ", "two")],
)
async def test_a_connection_lost_in_the_middle_keeps_what_was_said(loopback: Loopback, behaviour: Behaviour) -> None:
    loopback.on("reply", behaviour)
    got: list[Delta] = []
    with pytest.raises((MindUnreachableError, MindBusyError)) as caught:
        async for delta in mind_at(loopback).reply(prompt()):
            got.append(delta)  # noqa: PERF401  (the point is what came before the error)
    assert said(got) == "One two"
    assert len(loopback.calls("reply")) == 1
    assert caught.value.safe


async def test_a_silent_endpoint_times_out_without_retries(loopback: Loopback) -> None:
    loopback.on("reply", never())
    with pytest.raises(MindUnreachableError, match=r"did not answer for 0\.2 s"):
        await gathered(mind_at(loopback, timeout_s=0.2))
    assert len(loopback.calls("reply")) == 1


async def test_a_slow_stream_is_no_hung_one(loopback: Loopback) -> None:
    loopback.on("reply", slow(*"abcdef", pause=0.1))
    assert said(await gathered(mind_at(loopback, timeout_s=0.4))) == "abcdef"


async def test_nobody_there() -> None:
    with Loopback() as gone:
        mind = mind_at(gone)
    naps = Naps()
    mind.endpoint._sleep = naps
    with pytest.raises(MindUnreachableError, match="can't be reached") as caught:
        await gathered(mind)
    assert len(naps.seconds) == 1
    assert gone.host in caught.value.what


async def test_cancelling_closes_the_stream(loopback: Loopback) -> None:
    loopback.on("reply", slow(*"abcdefghij" * 50, pause=0.05))
    mind = mind_at(loopback)
    first = asyncio.Event()

    async def listen() -> None:
        async for _ in mind.reply(prompt()):
            first.set()

    task = asyncio.create_task(listen())
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(loopback.calls("reply")[0].client_gone.wait, 5)


async def test_closing_the_iterator_closes_the_stream(loopback: Loopback) -> None:
    loopback.on("reply", slow(*"abcdefghij" * 50, pause=0.05))
    stream = mind_at(loopback).reply(prompt())
    assert (await anext(stream)).text == "a"
    await stream.aclose()
    assert await asyncio.to_thread(loopback.calls("reply")[0].client_gone.wait, 5)


async def test_ten_thousand_lines(loopback: Loopback) -> None:
    loopback.on("reply", huge(10_000))
    text = said(await gathered(mind_at(loopback)))
    assert text.count("\n") == 10_000
    assert text.endswith("line 9999\n")


async def test_lone_surrogates_become_storable_and_torn_pairs_are_joined(loopback: Loopback) -> None:
    loopback.on("reply", say("a\ud83d", "\ude00 b\ud800", " c\x00"))
    text = said(await gathered(mind_at(loopback)))
    text.encode()
    assert text.startswith("a😀 b")
    assert text.endswith(" c")


async def test_content_in_parts_is_read(loopback: Loopback) -> None:
    event = '{"choices": [{"delta": {"content": [{"type": "text", "text": "hi"}, 3]}, "finish_reason": "stop"}]}'
    loopback.on("reply", raw(f"data: {event}\n\n", "text/event-stream"))
    assert said(await gathered(mind_at(loopback))) == "hi"


async def test_an_endless_reply_is_ended(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.minds.openai_endpoint.LONGEST_REPLY", 1000)
    loopback.on("reply", huge(10_000))
    assert 1000 < len(said(await gathered(mind_at(loopback)))) < 3000


async def test_the_model_is_taken_from_the_endpoint_and_shown(loopback: Loopback) -> None:
    loopback.models = ["nomic-embed-text", "qwen3", "llama3"]
    loopback.on("reply", say("hi"), say("ho"))
    mind = OpenAIMind(endpoint_at(loopback), mind_at(loopback).embedder)
    mind.endpoint._model = ""
    assert mind.label == "openai"
    await gathered(mind)
    await gathered(mind)
    assert mind.label == "qwen3 · openai"
    assert [r.json["model"] for r in loopback.calls("reply")] == ["qwen3", "qwen3"]
    assert len(loopback.calls("models")) == 1


async def test_an_endpoint_without_models_says_so(loopback: Loopback) -> None:
    mind = mind_at(loopback)
    loopback.models = []
    mind.endpoint._model = ""
    with pytest.raises(MindRefusedError, match="lists no chat model"):
        await gathered(mind)


def test_one_mind_serves_several_event_loops(loopback: Loopback) -> None:
    mind = mind_at(loopback)
    for _ in range(2):
        assert said(asyncio.run(gathered(mind))).startswith("You said")


async def test_models_that_do_not_chat_are_passed_over(loopback: Loopback) -> None:
    mind = mind_at(loopback)
    mind.endpoint._model = ""
    loopback.models = ["all-minilm:22m", "bge-m3", "text-embedding-3-small", "whisper-1", "jina-reranker", "gpt-oss:20b"]
    assert await mind.endpoint.model() == "gpt-oss:20b"


async def test_a_server_that_streams_nothing_is_asked_without_a_stream(loopback: Loopback) -> None:
    """As llama-cpp-python does where a prompt is too long: 200, an empty stream; the reason only without streaming."""
    loopback.on("reply", *[streams_nothing(say("hi"))] * 2)
    assert said(await gathered(mind_at(loopback))) == "hi"
    assert [r.json["stream"] for r in loopback.calls("reply")] == [True, False]
    too_long = status(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded")
    loopback.on("reply", *[streams_nothing(too_long)] * 2)
    with pytest.raises(MindRefusedError, match="8192 tokens") as caught:
        await gathered(mind_at(loopback))
    assert "shorter" in caught.value.todo
