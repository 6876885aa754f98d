"""Another embedder: refused, embedded anew, and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memtui.errors import EmbedderMismatchError, StoreError
from memtui.memory.frame import Vectors
from memtui.store import reembedding
from memtui.store.memory_store import MemoryStore
from memtui.store.tables import CONTENTS
from tests.store.builders import DIMS, EMBEDDER, opened, shown, told, vector_of

OTHER = "other-embedder"


def other(texts: list[str], dims: int = DIMS) -> Vectors:
    return np.stack([vector_of("other: " + text, dims) for text in texts])


def filled(home: Path, count: int = 3) -> None:
    store = opened(home)
    for number in range(count):
        told(number, f"fact {number}", why="a reason").into(store)
    store.close()


def test_vectors_of_another_embedder_are_refused(home: Path) -> None:
    filled(home)
    with pytest.raises(EmbedderMismatchError) as caught:
        opened(home, embedder=OTHER)
    said = str(caught.value)
    assert EMBEDDER in said and OTHER in said and "memtui reembed" in said and caught.value.safe


def test_the_same_name_with_another_width_is_refused(home: Path) -> None:
    filled(home)
    with pytest.raises(EmbedderMismatchError, match=f"{DIMS * 2} wide"):
        opened(home, dims=DIMS * 2)


@pytest.mark.parametrize("dims", [DIMS, DIMS * 2])
def test_embedding_anew_and_switching_back(home: Path, monkeypatch: pytest.MonkeyPatch, dims: int) -> None:
    monkeypatch.setattr(reembedding, "_BATCH", 2)
    filled(home)
    store = opened(home)
    before, found = shown(store.frame), store.search_words("fact 1")
    store.close()
    told_shares: list[float] = []
    count = MemoryStore.reembed(
        home,
        embedder_name=OTHER,
        dims=dims,
        embed=lambda texts: other(texts, dims),
        progress=lambda share, what: told_shares.append(share),
    )
    assert count == 3 and told_shares == [2 / 3, 1.0]

    now = opened(home, embedder=OTHER, dims=dims)
    assert now.notices == [] and now.verify() == []
    np.testing.assert_array_equal(now.frame.vectors, other([f"fact {number}" for number in range(3)], dims))
    assert now.search_words("fact 1") == found  # the words are indexed once
    block = told(5, "fact of the other")
    block.vectors = {digest: vector_of("other: fact of the other", dims) for digest in block.vectors}
    block.into(now)
    now.close()

    back = opened(home)
    assert shown(back.frame)[:3] == before
    assert len(back.notices) == 1 and "1 memory has no vector" in back.notices[0] and "memtui reembed" in back.notices[0]
    back.close()
    embedded = MemoryStore.reembed(
        home, embedder_name=EMBEDDER, dims=DIMS, embed=lambda texts: np.stack([vector_of(text) for text in texts])
    )
    assert embedded == 1
    whole = opened(home)
    assert whole.notices == [] and whole.frame.vectors.any(axis=1).all() and whole.verify() == []
    whole.close()


def test_embedding_anew_can_be_stopped_and_goes_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "_BATCH", 1)
    filled(home)
    calls: list[list[str]] = []

    def failing(texts: list[str]) -> Vectors:
        calls.append(texts)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return other(texts)

    with pytest.raises(KeyboardInterrupt):
        MemoryStore.reembed(home, embedder_name=OTHER, dims=DIMS, embed=failing)
    part = opened(home, embedder=OTHER)
    assert "2 memories have no vector" in part.notices[0]
    part.close()
    assert MemoryStore.reembed(home, embedder_name=OTHER, dims=DIMS, embed=failing) == 2
    assert MemoryStore.reembed(home, embedder_name=OTHER, dims=DIMS, embed=failing) == 0


def test_a_wrong_answer_of_the_embedder_is_refused(home: Path) -> None:
    filled(home)
    for wrong in (np.ones((3, DIMS + 1), np.float32), np.full((3, DIMS), np.inf, np.float32)):
        with pytest.raises(StoreError, match="shape"):
            MemoryStore.reembed(home, embedder_name=OTHER, dims=DIMS, embed=lambda texts, w=wrong: w)  # type: ignore[misc]
    store = opened(home)
    assert store._journal.tables.count(CONTENTS) == 4
    store.close()


def test_a_store_without_vectors_takes_any_embedder(home: Path) -> None:
    store = opened(home)
    bare = told(0, "no vector yet")
    bare.vectors = {}
    bare.into(store)
    store.close()
    wider = opened(home, embedder=OTHER, dims=DIMS * 2)
    block = told(1, "with one")
    block.vectors = {digest: vector_of("with one", DIMS * 2) for digest in block.vectors}
    block.into(wider)
    wider.close()
    again = opened(home, embedder=OTHER, dims=DIMS * 2)
    np.testing.assert_array_equal(again.frame.vectors[1], vector_of("with one", DIMS * 2))
    again.close()
