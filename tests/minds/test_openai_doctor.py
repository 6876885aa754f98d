"""What the doctor says of an endpoint, well and ill."""

from __future__ import annotations

import pytest

from memtui.config import MindSettings
from memtui.minds.base import PartStatus
from memtui.minds.openai_embedder import EndpointEmbedder
from memtui.minds.openai_mind import OpenAIMind
from tests.loopback import Behaviour, Loopback, malformed, never, say, silence, status, web_page
from tests.minds.helpers import KEY, TinyEmbedder, endpoint_at, mind_at

PARTS = ["endpoint", "key", "model", "chat", "structured answers", "embeddings"]


def by_part(found: list[PartStatus]) -> dict[str, PartStatus]:
    assert [status.part for status in found] == PARTS
    assert all(status.detail and KEY not in f"{status}" for status in found)
    return {status.part: status for status in found}


async def test_all_well(loopback: Loopback) -> None:
    loopback.required_key = KEY
    loopback.on("reply", say("ok", " then"))
    endpoint = endpoint_at(loopback, key=KEY)
    found = by_part(await OpenAIMind(endpoint, EndpointEmbedder(endpoint, "loop-embed")).check())
    assert all(status.ok for status in found.values())
    assert found["endpoint"].configured == loopback.base_url
    assert "lists 1 model" in found["endpoint"].detail
    assert found["key"].detail == "set (in $OPENAI_API_KEY)"
    assert "'loop-chat' is there" in found["model"].detail
    assert "answered 'ok'" in found["chat"].detail
    assert "json_schema" in found["structured answers"].detail
    assert "8 dimensions, from the endpoint" in found["embeddings"].detail


async def test_local_embeddings_and_a_fallen_back_format_are_said(loopback: Loopback) -> None:
    loopback.refused_formats = {"json_schema", "schema"}
    found = by_part(await mind_at(loopback).check())
    assert found["structured answers"].detail.startswith("answered in the asked shape, by json_object (")
    assert "4 dimensions, on this machine" in found["embeddings"].detail


async def test_a_model_that_is_not_there(loopback: Loopback) -> None:
    settings = MindSettings(provider="openai", base_url=loopback.base_url, model="gpt-9")
    found = by_part(await OpenAIMind(endpoint_at(loopback, settings=settings), TinyEmbedder()).check())
    assert not found["model"].ok
    assert "loop-chat" in found["model"].detail
    assert not found["chat"].ok
    assert "no model 'gpt-9'" in found["chat"].detail


async def test_an_unset_model_says_what_is_taken(loopback: Loopback) -> None:
    loopback.models = ["embed-1", "a", "b"]
    settings = MindSettings(provider="ollama", base_url=loopback.base_url)
    found = by_part(await OpenAIMind(endpoint_at(loopback, settings=settings), TinyEmbedder()).check())
    assert found["model"].ok
    assert found["model"].configured == "(the endpoint's first)"
    assert "takes 'a' of embed-1, a, b" in found["model"].detail


async def test_a_missing_key_tries_nothing(loopback: Loopback) -> None:
    endpoint = endpoint_at(loopback, settings=MindSettings(provider="openrouter"))
    found = by_part(await OpenAIMind(endpoint, TinyEmbedder()).check())
    assert found["key"].detail == "missing ($OPENROUTER_API_KEY is not set)"
    assert [found[part].ok for part in PARTS] == [False] * 5 + [True]
    assert "not tried" in found["chat"].detail


async def test_nobody_there_is_said_once_and_the_rest_is_not_tried() -> None:
    with Loopback() as gone:
        endpoint = endpoint_at(gone, max_retries=0)
    found = by_part(await OpenAIMind(endpoint, EndpointEmbedder(endpoint, "e")).check())
    assert "can't be reached" in found["endpoint"].detail
    assert [found[part].ok for part in PARTS] == [False, True, False, False, False, False]
    assert "not tried" in found["embeddings"].detail


async def test_each_part_may_fail_by_itself(loopback: Loopback) -> None:
    loopback.on("models", status(404, "Not Found"))
    loopback.on("reply", silence())
    loopback.on("probe", *[say("no")] * 3)
    loopback.on("embeddings", web_page())
    endpoint = endpoint_at(loopback)
    found = by_part(await OpenAIMind(endpoint, EndpointEmbedder(endpoint, "e")).check())
    assert "no such address" in found["endpoint"].detail
    assert found["model"].ok
    assert "lists no models" in found["model"].detail
    assert "answered with nothing" in found["chat"].detail
    assert not found["chat"].ok
    assert not found["structured answers"].ok
    assert not found["embeddings"].ok


@pytest.mark.parametrize("ill", [malformed(), web_page(), status(401, f"bad key {KEY}"), status(500), never()])
async def test_it_never_raises(loopback: Loopback, ill: Behaviour) -> None:
    for kind in ("models", "chat", "embeddings"):
        loopback.on(kind, *[ill] * 12)
    endpoint = endpoint_at(loopback, key=KEY, timeout_s=0.2, max_retries=1)
    by_part(await OpenAIMind(endpoint, EndpointEmbedder(endpoint, "e")).check())


async def test_a_bug_in_a_part_is_a_finding_too(loopback: Loopback) -> None:
    class Broken(TinyEmbedder):
        async def embed(self, texts: object) -> object:  # type: ignore[override]
            raise RuntimeError(KEY)

    found = by_part(await OpenAIMind(endpoint_at(loopback), Broken()).check())  # type: ignore[arg-type]
    assert found["embeddings"].detail == "failed with RuntimeError"


async def test_plain_http_to_another_machine_is_pointed_out(loopback: Loopback) -> None:
    settings = MindSettings(provider="openai", base_url="http://192.0.2.1:9/v1", model="m")
    endpoint = endpoint_at(loopback, settings=settings, timeout_s=0.1, max_retries=0)
    assert "nothing is encrypted" in (await OpenAIMind(endpoint, TinyEmbedder()).check())[0].detail
