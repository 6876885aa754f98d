"""The store as it was: rows, words, vectors, conflicts, other processes, other embedders."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from memtui.errors import StoreError
from memtui.memory.events import Edited, Judged, Pinned, Recalled, Retired, Undone
from memtui.memory.model import Label, RetireReason
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.state import fold
from memtui.memory.texts import content_hash
from memtui.store.memory_store import MemoryStore
from tests.store.builders import START, done, moment, opened, scratch, told, vector_of

POLICY = SleepPolicy(ask_confidence=0.3, retire_confidence=0.8)


def lived(store: MemoryStore) -> list[str]:
    """Twenty minutes of a life with an edit, a retirement, an undo and a pin; returns the ids."""
    blocks = [told(1, "I live in Berlin"), told(2, "The cat is called Mia"), told(3, "I live in Lisbon now")]
    for block in blocks:
        block.into(store)
    ids = [block.memory for block in blocks]
    done(5, Edited(ids[1], content_hash("The cat is called Tom")), embedded=["The cat is called Tom"]).into(store)
    done(8, Recalled((ids[0], ids[1]), "t")).into(store)
    gone = done(10, Retired(ids[0], RetireReason.SUPERSEDED, by=ids[2]))
    gone.into(store)
    done(12, Undone(gone.block)).into(store)
    done(15, Pinned(ids[0], True)).into(store)
    return ids


def test_at_every_moment_it_is_what_the_fold_says() -> None:
    with_slots = scratch(slots=True)
    lived(with_slots)
    for minute in range(20):
        past = with_slots.as_of(moment(minute))
        assert past.cut.there() == fold(with_slots.events(), moment(minute)).memories
        assert past.moment == moment(minute)
    with_slots.close()


def test_in_front_of_a_block_is_without_it_even_where_all_happened_at_one_moment() -> None:
    store = scratch()
    berlin, cat = told(2, "I live in Berlin"), told(3, "The cat is called Mia")
    berlin.into(store)
    cat.into(store)
    gone = done(3, Retired(berlin.memory, RetireReason.PRUNED), Pinned(cat.memory, True))
    gone.into(store)
    done(4, Pinned(cat.memory, False)).into(store)
    event = store.state.history[berlin.memory][-1]
    for held in (event, store.state.history[cat.memory][1]):  # any event of the block names it
        past = store.before(held)
        assert past.cut.there() == fold(store.events()[: past.cut.events]).memories
        assert past.frame.active.tolist() == [True, True] and not past.frame.pinned.any()
    store.close()


def test_words_and_vectors_are_those_of_then(tmp_path: Path) -> None:
    for store in (scratch(slots=True), opened(tmp_path / "store", slots=True)):
        cat = lived(store)[1]
        before, after = store.as_of(moment(4)), store.as_of(moment(6))
        row = before.frame.row(cat)
        assert (before.frame.texts[row], after.frame.texts[row]) == ("The cat is called Mia", "The cat is called Tom")
        assert np.allclose(before.frame.vectors[row], vector_of("The cat is called Mia"))
        assert np.allclose(after.frame.vectors[row], vector_of("The cat is called Tom"))
        assert np.allclose(before.frame.slots[row], vector_of("The cat is called Mia")[:3] + 1)
        assert np.allclose(before.frame.select(np.array([row])).slots[0], before.frame.slots[row])
        store.close()


def test_words_are_found_as_they_were_found_then() -> None:
    """Searched at the time and searched as of the time: the same memories with the same weights."""
    store = scratch()
    questions = ("cat called Mia", "Tom", "live in Berlin or Lisbon", "nothing of it", "the lighthouse")
    blocks = [
        told(1, "I live in Berlin"),
        told(2, "The cat is called Mia"),
        told(3, "I live in Lisbon now"),
    ]
    cat = blocks[1].memory
    edit = done(5, Edited(cat, content_hash("The cat is called Tom")), embedded=["The cat is called Tom"])
    blocks += [edit, done(7, Undone(edit.block)), told(9, "Mia, the cat, and Tom live by the lighthouse")]
    blocks.append(done(11, Retired(blocks[0].memory, RetireReason.FORGOTTEN)))
    heard = []
    for block in blocks:
        block.into(store)
        heard.append((block.at, {question: store.search_words(question) for question in questions}))
    for at, found in heard:
        past = store.as_of(at)
        for question, then in found.items():
            assert past.search_words(question) == pytest.approx(then), (at, question)
    assert store.as_of(START - timedelta(days=1)).search_words("cat") == {}
    store.close()


def test_conflicts_are_those_that_were_open() -> None:
    store = scratch()
    berlin, _, lisbon = lived(store)
    doubt = Judged(content_hash("I live in Berlin"), content_hash("I live in Lisbon now"), Label.SUPERSEDES, 0.5, "j")
    done(16, Pinned(berlin, False)).into(store)
    done(17, doubt).into(store)
    assert [(c.older, c.newer) for c in store.as_of(moment(17)).conflicts(POLICY)] == [(berlin, lisbon)]
    assert store.as_of(moment(16)).conflicts(POLICY) == []
    done(20, Pinned(berlin, True)).into(store)
    assert store.as_of(moment(20)).conflicts(POLICY) == []
    store.close()


def test_what_happened_to_a_memory_by_then() -> None:
    store = scratch()
    berlin = lived(store)[0]
    kinds = [[event.body.type for event in store.as_of(moment(minute)).events_of(berlin)] for minute in (0, 1, 9, 11)]
    assert kinds == [[], ["created"], ["created", "recalled"], ["created", "recalled", "retired"]]
    assert not store.as_of(moment(11)).undone()
    assert len(store.as_of(moment(12)).undone()) == 1
    store.close()


def test_a_creation_undone_later_was_there_and_one_redone_is_again() -> None:
    store = scratch()
    block = told(1, "I live in Berlin")
    block.into(store)
    undo = done(5, Undone(block.block))
    undo.into(store)
    told(7, "The cat is called Mia").into(store)
    done(9, Undone(undo.block)).into(store)
    shown = [block.memory in store.as_of(moment(minute)).frame for minute in (0, 1, 4, 5, 8, 9)]
    assert shown == [False, True, True, False, False, True]
    assert store.as_of(moment(4)).frame.texts[0] == "I live in Berlin"
    store.close()


def test_what_others_append_counts_once_it_is_taken_in(tmp_path: Path) -> None:
    mine, theirs = opened(tmp_path / "store"), opened(tmp_path / "store")
    told(1, "I live in Berlin").into(mine)
    theirs.refresh()
    told(2, "The cat is called Mia", who="b").into(theirs)
    assert len(mine.as_of(moment(3)).cut.there()) == 1
    assert mine.refresh()
    assert len(mine.as_of(moment(3)).cut.there()) == 2
    assert len(mine.as_of(moment(1)).cut.there()) == 1
    again = opened(tmp_path / "store")
    for minute in range(4):
        assert again.as_of(moment(minute)).cut.there() == mine.as_of(moment(minute)).cut.there()
    for store in (mine, theirs, again):
        store.close()


def test_after_reembedding_former_wordings_have_vectors_of_the_new_embedder(tmp_path: Path) -> None:
    store = opened(tmp_path / "store")
    cat = lived(store)[1]
    store.close()

    def other(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return np.stack([vector_of("other " + text, 4) for text in texts])

    MemoryStore.reembed(tmp_path / "store", embedder_name="other", dims=4, embed=other)
    store = opened(tmp_path / "store", embedder="other", dims=4)
    past = store.as_of(moment(4))
    assert past.frame.dims == 4
    assert np.allclose(past.frame.vectors[past.frame.row(cat)], vector_of("other The cat is called Mia", 4))
    store.close()
    former = opened(tmp_path / "store")
    past = former.as_of(moment(4))
    assert np.allclose(past.frame.vectors[past.frame.row(cat)], vector_of("The cat is called Mia"))
    former.close()


def test_looking_back_writes_nothing_and_a_closed_store_has_no_past() -> None:
    store = scratch()
    lived(store)
    head, version = store.head, store.frame.version
    for minute in range(20):
        store.as_of(moment(minute)).search_words("cat")
    assert (store.head, store.frame.version) == (head, version)
    store.close()
    with pytest.raises(StoreError):
        store.as_of(START)


def test_going_on_in_time_counts_words_as_counting_them_anew_does() -> None:
    store = scratch()
    lived(store)
    for minute in (0, 2, 3, 4, 6, 11, 19, 5, 1):
        for question in ("cat called Tom", "live in Berlin or Lisbon"):
            found = store.as_of(moment(minute)).search_words(question)
            store._pasts._statistics = None
            assert store.as_of(moment(minute)).search_words(question) == found
            store._pasts._statistics = None if minute == 5 else store._pasts._statistics
    store.close()


def test_what_was_retired_is_searched_when_it_is_asked_for() -> None:
    store = scratch()
    berlin = lived(store)[0]
    past = store.as_of(moment(11))
    row = past.frame.row(berlin)
    assert not past.frame.active[row] and berlin not in past.search_words("live in Berlin")
    found = past.search_words("live in Berlin", besides=np.array([row]))
    assert next(iter(found)) == berlin and set(past.search_words("live in Berlin")) < set(found)
    revived = past.frame.revived(np.array([row]))
    assert revived.active[row] and not past.frame.active[row] and not store.as_of(moment(11)).frame.active[row]
    store.close()


def test_in_front_of_an_event_nothing_of_its_block_has_happened() -> None:
    store = scratch()
    lived(store)
    for event in store.events():
        past = store.before(event)
        first = store.state.blocks[event.block][0].seq
        assert past.moment == event.at and past.cut.events == first
        assert past.cut.there() == fold(store.events()[:first]).memories
    store.close()
