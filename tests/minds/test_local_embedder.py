"""The local embedder: unit vectors, no waiting on the event loop, safe from several threads."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memtui.memory.frame import Vectors
from memtui.minds.offline.embedder import CLIP, LocalEmbedder


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder(cached=4)


def test_rows_are_of_unit_length_and_empty_texts_are_zero(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed_now(["I live in Lisbon", "", "  \x00", "Я живу в Лиссабоне", "\ud800 东京 😀"])
    assert vectors.shape == (5, embedder.dims)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0, 1, 1], atol=1e-3)
    assert embedder.embed_now([]).shape == (0, 512)
    assert embedder.name == "usem3-512"
    assert embedder.related_from == 0.30


def test_languages_share_one_space(embedder: LocalEmbedder) -> None:
    english, russian, other = embedder.embed_now(["I live in Lisbon", "Я живу в Лиссабоне", "The cat sleeps all day"])
    assert english @ russian > english @ other + 0.2


def test_only_the_beginning_of_a_long_text_counts(embedder: LocalEmbedder) -> None:
    start = "a word " * (CLIP // 7 + 1)
    assert np.array_equal(*embedder.embed_now([start, start + "z" * 1_000_000]))


def test_the_cache_changes_nothing(embedder: LocalEmbedder) -> None:
    texts = [f"fact {n}" for n in range(9)]
    first = embedder.embed_now(texts)
    assert np.allclose(first, embedder.embed_now(texts[::-1])[::-1], atol=1e-5)
    assert len(embedder._cache) == 4


def test_several_threads_get_the_same(embedder: LocalEmbedder) -> None:
    texts = [f"thing {n}" for n in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed_now, [texts] * 4))
    assert all(np.allclose(found[0], other, atol=1e-5) for other in found)


async def test_the_event_loop_never_waits_for_a_batch_in_another_thread(embedder: LocalEmbedder) -> None:
    embedder.embed_now(["warm"])
    here = threading.get_ident()
    asked: list[int] = []

    class Spy(LocalEmbedder):
        def embed_now(self, texts: object) -> Vectors:
            asked.append(threading.get_ident())
            return np.zeros((1, 512), np.float32)

    spy = Spy()
    spy._encoder = embedder._encoder
    await spy.embed(["idle"])
    with spy._lock:
        await asyncio.wait_for(spy.embed(["busy"]), 5)
    await spy.embed(["many"] * 20)
    assert [ident == here for ident in asked] == [True, False, False]
