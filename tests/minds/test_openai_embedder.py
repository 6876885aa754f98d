"""Vectors from an endpoint, and the local embedder in its place."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from memtui.errors import MindError, MindMalformedError, MindRefusedError, MindUnreachableError
from memtui.minds.openai_embedder import BATCH, CLIP, RELATED_FROM, EndpointEmbedder
from tests.loopback import Behaviour, Loopback, never, raw, status
from tests.loopback.server import embeddings
from tests.minds.helpers import endpoint_at


def embedder_at(server: Loopback, **options: float) -> EndpointEmbedder:
    return EndpointEmbedder(endpoint_at(server, **options), "loop-embed")  # type: ignore[arg-type]


def test_the_name_holds_host_and_model(loopback: Loopback) -> None:
    embedder = embedder_at(loopback)
    assert embedder.name == f"endpoint:{loopback.host}/loop-embed"
    assert embedder.related_from == RELATED_FROM == 0.30
    assert EndpointEmbedder(embedder.endpoint, "m", related_from=0.5).related_from == 0.5


async def test_vectors_are_of_unit_length_and_in_order(loopback: Loopback) -> None:
    embedder = embedder_at(loopback)
    texts = ["I live in Lisbon", "", "Я живу в Лиссабоне", "I live in Lisbon", " \x00"]
    vectors = await embedder.embed(texts)
    assert vectors.shape == (5, 8)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1, 1, 0], atol=1e-6)
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.allclose(vectors[0], vectors[2])


async def test_answers_out_of_order_are_put_in_order(loopback: Loopback) -> None:
    embedder = embedder_at(loopback)
    straight = await embedder.embed(["one", "two", "three"])
    loopback.on("embeddings", embeddings(8, order=-1))
    assert np.array_equal(await embedder.embed(["one", "two", "three"]), straight)


async def test_many_texts_go_in_batches_and_long_ones_are_clipped(loopback: Loopback) -> None:
    embedder = embedder_at(loopback)
    assert (await embedder.embed(["x" * 50_000, *map(str, range(2 * BATCH))])).shape == (2 * BATCH + 1, 8)
    sizes = [len(r.json["input"]) for r in loopback.calls("embeddings")]
    assert sizes == [1, BATCH, BATCH, 1]
    assert len(loopback.calls("embeddings")[1].json["input"][0]) == CLIP


async def test_no_texts_no_vectors(loopback: Loopback) -> None:
    assert (await embedder_at(loopback).embed([])).shape == (0, 8)


def test_dims_are_found_outside_and_inside_an_event_loop(loopback: Loopback) -> None:
    assert embedder_at(loopback).dims == 8

    async def inside() -> int:
        return embedder_at(loopback).dims

    assert asyncio.run(inside()) == 8
    embedder = embedder_at(loopback)
    assert embedder.dims == embedder.dims
    assert len(loopback.calls("embeddings")) == 3


def test_dims_of_an_endpoint_that_is_down_raise() -> None:
    with Loopback() as gone:
        embedder = embedder_at(gone, max_retries=0)
    with pytest.raises(MindUnreachableError):
        _ = embedder.dims


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (embeddings(8, count=1), MindMalformedError),
        (embeddings(5), MindMalformedError),
        (raw("{}"), MindMalformedError),
        (raw("[]"), MindMalformedError),
        (raw('{"data": [{"index": 0, "embedding": null}, {"index": 1, "embedding": [1]}]}'), MindMalformedError),
        (raw('{"data": [{"embedding": ["a"]}, {"embedding": [1]}]}'), MindMalformedError),
        (raw('{"data": [{"embedding": [NaN,1,1,1,1,1,1,1]}, {"embedding": [1,1,1,1,1,1,1,1]}]}'), MindMalformedError),
        (raw('{"data": ['), MindMalformedError),
        (raw("<html>", "text/html"), MindMalformedError),
        (status(404, "The model `loop-embed` does not exist"), MindRefusedError),
        (status(401, "no"), MindRefusedError),
    ],
)
async def test_wrong_answers_are_errors(loopback: Loopback, behaviour: Behaviour, kind: type[MindError]) -> None:
    embedder = embedder_at(loopback)
    await embedder.probe()
    loopback.on("embeddings", behaviour)
    with pytest.raises(kind) as caught:
        await embedder.embed(["one", "two"])
    assert caught.value.todo


async def test_a_hung_embedder_times_out(loopback: Loopback) -> None:
    loopback.on("embeddings", never())
    with pytest.raises(MindUnreachableError):
        await embedder_at(loopback, timeout_s=0.2).embed(["one"])


async def test_a_busy_embedder_is_tried_again(loopback: Loopback) -> None:
    loopback.on("embeddings", status(429), status(503))
    assert (await embedder_at(loopback).embed(["one"])).shape == (1, 8)
