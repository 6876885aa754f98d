"""The key is sent where it belongs, and stands nowhere else: no repr, no error, no log record, no traceback."""

from __future__ import annotations

import logging
import pickle
import traceback

import pytest

from memtui.config import MindSettings
from memtui.errors import MindError, MindRefusedError
from memtui.minds.factory import make_mind
from memtui.minds.openai_mind import OpenAIMind
from tests.loopback import Behaviour, Loopback, busy, error_in_stream, status, unauthorized
from tests.minds.helpers import KEY, NOW, gathered, mind_at


def made(server: Loopback) -> OpenAIMind:
    settings = MindSettings(provider="openai", base_url=server.base_url, model=server.model, max_retries=0)
    mind = make_mind(settings, {"OPENAI_API_KEY": KEY})
    assert isinstance(mind, OpenAIMind)
    return mind


async def test_the_key_is_sent_as_a_bearer_token(loopback: Loopback) -> None:
    await gathered(made(loopback))
    assert loopback.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_without_a_key_nothing_secret_is_sent(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    mind = make_mind(MindSettings(provider="ollama", base_url=loopback.base_url, model=loopback.model), {})
    assert isinstance(mind, OpenAIMind)
    await gathered(mind)
    headers = loopback.requests[0].headers
    assert KEY not in str(headers)
    assert "org-mine" not in str(headers)


async def test_it_stands_in_no_repr(loopback: Loopback) -> None:
    mind = made(loopback)
    await gathered(mind)
    for thing in (
        mind,
        mind.label,
        mind.endpoint,
        mind.endpoint.connection,
        mind.embedder,
        mind.endpoint._client,
        vars(mind),
    ):
        assert KEY not in f"{thing!r} {thing}"


@pytest.mark.parametrize(
    "behaviour",
    [
        unauthorized(),
        status(400, f"key {KEY} may not"),
        status(404, f"model for {KEY} unknown"),
        busy(),
        status(500, f"{KEY}"),
        error_in_stream(message=f"{KEY} ran out"),
    ],
)
async def test_it_stands_in_no_error_log_or_traceback(
    loopback: Loopback, behaviour: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    loopback.on("chat", *[behaviour] * 2)
    mind = made(loopback)
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            with pytest.raises(MindError) as caught:
                await gathered(mind)
            logging.getLogger("memtui").error("failed", exc_info=caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in f"{caught.value} {caught.value!r} {caught.value.what} {vars(caught.value)}"
    assert KEY not in shown
    assert KEY not in caplog.text
    assert len(caplog.records) > 3
    assert all(KEY not in str(record.__dict__) for record in caplog.records if record.exc_info is None)


async def test_it_stands_in_no_extraction_log(loopback: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await made(loopback).extract("I like tea.", NOW)
    assert KEY not in caplog.text


async def test_a_missing_key_is_told_by_the_variables_name_without_a_call(loopback: Loopback) -> None:
    mind = make_mind(MindSettings(provider="openai"), {})
    assert isinstance(mind, OpenAIMind)
    with pytest.raises(MindRefusedError) as caught:
        await gathered(mind)
    assert "$OPENAI_API_KEY" in caught.value.what
    assert "offline" in caught.value.todo
    assert loopback.requests == []


def test_a_connection_is_never_pickled_with_its_key_in_the_clear(loopback: Loopback) -> None:
    assert KEY not in repr(mind_at(loopback, key=KEY).endpoint.connection)
    assert pickle.dumps(MindSettings()).find(KEY.encode()) == -1
