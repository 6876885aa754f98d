"""Searching words: stems, not the index's state, decide."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from memtui.memory.events import Edited, Restored, Retired
from memtui.memory.model import RetireReason
from memtui.memory.texts import content_hash
from memtui.memory.words import stems
from memtui.store import compaction
from memtui.store.full_text import Statistics
from memtui.store.memory_store import MemoryStore
from memtui.store.tables import CONTENTS
from tests.store.builders import done, moment, opened, told

FIRST = [
    "mori",
    "sari",
    "tuva",
    "kelo",
    "nami",
    "rupe",
    "dako",
    "lime",
    "vexo",
    "zuno",
    "pira",
    "holt",
    "brin",
    "quil",
    "marn",
    "soft",
]


def texts(count: int, seed: int = 4) -> list[str]:
    """Texts whose words are as uneven as those of a language."""
    chance = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(FIRST))]
    return [" ".join(chance.choices(FIRST, weights, k=chance.randint(3, 12))) + f" n{i}" for i in range(count)]


def test_words_are_found_by_their_stems_in_both_languages(store: MemoryStore) -> None:
    for number, text in enumerate(
        ["I moved to Lisbon.", "Переехал в Лиссабон.", "日本語を勉強しています", "My dog is called Ada."]
    ):
        told(number, text).into(store)
    ids = store.frame.ids
    assert list(store.search_words("Who is moving?")) == [ids[0]]
    assert list(store.search_words("переезжал ли я в лиссабоне")) == [ids[1]]
    assert list(store.search_words("日本語")) == [ids[2]]
    assert list(store.search_words("DOGS")) == [ids[3]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the and is",
        "?!",
        "\0",
        "*",
        '"',
        "a AND (b",
        "nothing-of-this",
        "text:* OR x",
        "\\",
        "\ud800",
        "🙂",
        "' OR 1=1 --",
    ],
)
def test_no_query_breaks_it(store: MemoryStore, text: str) -> None:
    told(0, "I live in Lisbon.").into(store)
    assert store.search_words(text) == {}


def test_operators_in_a_query_are_words(store: MemoryStore) -> None:
    told(0, "I live in Lisbon.").into(store)
    assert list(store.search_words('+lisbon -live "quoted" (OR) ~2 ^3 lisbon:*')) == store.frame.ids


def test_a_pasted_page_is_searched_by_its_rarest_words(store: MemoryStore) -> None:
    for number, text in enumerate(texts(60)):
        told(number, text).into(store)
    page = " ".join([*FIRST * 200, "n17", *(f"unheard{i}" for i in range(2000))])
    assert next(iter(store.search_words(page, 5))) == store.frame.ids[17]
    assert store.search_words("x" * 1_000_000) == {}


def test_the_score_is_bm25(store: MemoryStore) -> None:
    told(0, "green tea tea").into(store)
    told(1, "black coffee").into(store)
    found = store.search_words("tea")
    weight = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert found == {store.frame.ids[0]: pytest.approx(weight * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2.5)))}


def test_retired_memories_are_never_found(store: MemoryStore) -> None:
    blocks = [told(number, f"tea number {number}") for number in range(260)]
    store.append(
        [body for block in blocks for body in block.bodies],
        at=moment(300),
        block="B" * 26,
        texts={h: t for block in blocks for h, t in block.texts.items()},
        vectors={h: v for block in blocks for h, v in block.vectors.items()},
    )
    gone = [block.memory for block in blocks[:-3]]
    done(301, *(Retired(memory, RetireReason.PRUNED) for memory in gone)).into(store)
    assert set(store.search_words("tea", 2)) < {block.memory for block in blocks[-3:]}
    assert set(store.search_words("tea", 50)) == {block.memory for block in blocks[-3:]}
    done(302, Restored(gone[0])).into(store)
    assert gone[0] in store.search_words("tea", 50)


def test_an_edited_memory_is_found_by_its_present_text(store: MemoryStore) -> None:
    block = told(0, "I live in Berlin.")
    block.into(store)
    done(1, Edited(block.memory, content_hash("I live in Lisbon.")), embedded=["I live in Lisbon."]).into(store)
    assert store.search_words("berlin") == {} and list(store.search_words("lisbon")) == [block.memory]


def test_all_memories_with_the_same_text_are_found_newest_first(store: MemoryStore) -> None:
    blocks = [told(number, "tea") for number in range(3)]
    for block in blocks:
        block.into(store)
    assert list(store.search_words("tea")) == [block.memory for block in reversed(blocks)]
    assert list(store.search_words("tea", 2)) == [blocks[2].memory, blocks[1].memory]


def test_reasons_are_not_searched(store: MemoryStore) -> None:
    told(0, "I live in Lisbon.", why="residence").into(store)
    assert store.search_words("residence") == {}


def test_results_do_not_depend_on_what_the_index_has_seen(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened(home)
    some = texts(240)
    for start in range(0, 240, 8):  # thirty appends: the index saw the first ones, the rest lies beside it
        blocks = [told(start + i, text) for i, text in enumerate(some[start : start + 8])]
        store.append(
            [body for block in blocks for body in block.bodies],
            at=blocks[-1].at,
            block=blocks[0].block,
            texts={h: t for block in blocks for h, t in block.texts.items()},
            vectors={h: v for block in blocks for h, v in block.vectors.items()},
        )
    queries = ["mori n7", "holt marn", "soft", "quil brin holt", "n3 n200 n100", "kelo nami rupe dako lime"]
    before = [list(store.search_words(query, 20).items()) for query in queries]
    statistics = store._journal.full_text._statistics
    assert isinstance(statistics, Statistics)
    assert store._journal.tables.open(CONTENTS).index_stats("words_idx").num_unindexed_rows > 0
    for query, results in zip(queries, before, strict=True):
        expected = {i: statistics.score(stems(query), stems(text)) for i, text in zip(store.frame.ids, some, strict=True)}
        best = sorted(sorted(expected, reverse=True), key=lambda memory: -expected[memory])[:20]
        assert [memory for memory, _ in results] == [memory for memory in best if expected[memory] > 0]
        assert dict(results) == {memory: expected[memory] for memory in dict(results)}
    monkeypatch.setattr(compaction, "FRAGMENTS", 10)
    assert store.compact_if_due() is True
    assert store._journal.tables.open(CONTENTS).index_stats("words_idx").num_unindexed_rows == 0
    assert [list(store.search_words(query, 20).items()) for query in queries] == before
    store.close()
    again = opened(home)
    assert [list(again.search_words(query, 20).items()) for query in queries] == before
    again.close()
