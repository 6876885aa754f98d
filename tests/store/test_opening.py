"""Opening: what was kept is there again, quickly, and importing costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.memory.events import (
    Absorbed,
    Body,
    Edited,
    Judged,
    Pinned,
    Recalled,
    Reinforced,
    Restored,
    Retired,
    Slept,
    Undone,
    Warped,
)
from memtui.memory.frame import Reader
from memtui.memory.model import Kind, Label, RetireReason
from memtui.memory.state import fold, state_hash
from memtui.memory.texts import content_hash
from memtui.store.memory_store import MemoryStore
from tests.store.builders import DIMS, EMBEDDER, SLOTS, Block, done, moment, opened, shown, slots_of, told


def test_importing_the_store_imports_no_database() -> None:
    heavy = ("lancedb", "pyarrow", "filelock")
    code = f"import sys, memtui.store.memory_store; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert out.stdout.strip() == "[]"


def test_an_empty_store_has_nothing_and_says_nothing(kept: MemoryStore) -> None:
    assert len(kept.frame) == 0 and kept.head.length == 0 and kept.notices == []
    assert kept.search_words("anything") == {} and kept.verify() == [] and kept.refresh() is False
    assert list(kept.events()) == []


def a_life() -> list[Block]:
    """Operations of every kind."""
    one, two, three = (
        told(0, "I live in Berlin.", why="home"),
        told(1, "I like tea."),
        told(2, "I like tea!", kind=Kind.EPISODIC),
    )
    four = told(3, "I live in Lisbon.")
    judged = Judged(content_hash("I live in Berlin."), content_hash("I live in Lisbon."), Label.SUPERSEDES, 0.9, "judge")
    sleep = done(
        6,
        judged,
        Retired(one.memory, RetireReason.SUPERSEDED, by=four.memory, note=content_hash("moved")),
        Absorbed(two.memory, ("t2",), 1, moment(2)),
        Retired(three.memory, RetireReason.DUPLICATE, by=two.memory),
        Slept("key", 1, 1, 0, 2, 1),
        texts=["moved"],
    )
    gone = told(7, "A slip of the tongue.")
    edit = done(9, Edited(two.memory, content_hash("I like green tea."), importance=1), embedded=["I like green tea."])
    undo_edit = done(10, Undone(edit.block))
    return [
        one,
        two,
        three,
        four,
        done(4, Recalled((one.memory, two.memory), "t4")),
        done(5, Reinforced(two.memory, "t5"), Pinned(two.memory, True)),
        sleep,
        gone,
        done(8, Undone(gone.block)),
        edit,
        undo_edit,
        done(11, Undone(undo_edit.block)),
        done(12, Restored(three.memory), Warped(3600, 60)),
        told(13, "Я люблю чай."),
    ]


def test_what_was_kept_is_there_again(home: Path) -> None:
    store = opened(home, slots=True)
    for block in a_life():
        block.into(store)
    before = shown(store.frame), store.head, store.state, list(store.events())
    assert store.verify() == []
    store.close()
    again = opened(home, slots=True)
    assert (shown(again.frame), again.head, again.state, list(again.events())) == before
    assert again.notices == [] and again.verify() == []
    assert again.state.offset_s == 3600 and len(again.state.sleeps) == 1 and len(again.state.verdicts) == 1
    assert list(again.search_words("зелёный чай")) == [again.frame.ids[-1]]
    again.close()


def test_rows_and_handles_are_the_same_after_an_undone_undo_and_later_memories(home: Path) -> None:
    store = opened(home)
    first = told(0, "one")
    undo = done(1, Undone(first.block))
    for block in (first, undo, told(2, "two"), done(3, Undone(undo.block)), told(4, "three")):
        block.into(store)
    before = shown(store.frame)
    assert store.frame.texts == ["one", "two", "three"]
    store.close()
    again = opened(home)
    assert shown(again.frame) == before
    again.close()


def test_vectors_and_slots_are_read_by_text(home: Path) -> None:
    store = opened(home, slots=True)
    told(0, "tea").into(store)
    told(1, "tea").into(store)
    bare = told(2, "no vector")
    bare.vectors = {}
    bare.into(store)
    before = shown(store.frame)
    assert not store.frame.vectors[2].any() and not store.frame.slots[2].any()
    store.close()
    again = opened(home, slots=True)
    assert shown(again.frame) == before
    np.testing.assert_array_equal(again.frame.slots[1], slots_of(again.frame.vectors[1:2])[0])
    again.close()


def test_a_scratch_store_is_a_real_one_and_leaves_nothing() -> None:
    store = MemoryStore.scratch(embedder_name=EMBEDDER, dims=DIMS, reader=Reader(slots_of, SLOTS))
    folder = Path(store.uri)
    told(0, "x").into(store)
    assert (folder / "events.lance").is_dir() and store.verify() == []
    store.close()
    assert not folder.exists()


def test_a_store_in_memory_goes_without_lock_and_head() -> None:
    store = MemoryStore.open("memory://", embedder_name=EMBEDDER, dims=DIMS)
    told(0, "I live in Lisbon.").into(store)
    assert list(store.search_words("lisbon")) == store.frame.ids
    assert store.verify() == [] and store.uri == "memory://" and store.notices == []
    store.close()


def test_a_file_url_is_a_folder(tmp_path: Path) -> None:
    store = opened((tmp_path / "a b").as_uri())
    told(0, "x").into(store)
    store.close()
    assert (tmp_path / "a b" / "head.json").is_file()


def head_of_file(home: Path) -> dict[str, object]:
    record = json.loads((home / "head.json").read_text())
    assert isinstance(record, dict)
    return record


def test_a_head_left_behind_is_brought_up(home: Path) -> None:
    store = opened(home)
    told(0, "one").into(store)
    behind = (home / "head.json").read_bytes()
    told(1, "two").into(store)
    head = head_of_file(home)
    store.close()
    for left in (behind, None):
        (home / "head.json").unlink()
        if left is not None:
            (home / "head.json").write_bytes(left)
        again = opened(home)
        assert head_of_file(home) == head and again.notices == [] and again.verify() == []
        again.close()


def test_lost_events_are_said_and_stay_said(home: Path) -> None:
    store = opened(home)
    for number in range(3):
        told(number, f"fact {number}").into(store)
    ahead = head_of_file(home)
    store.close()
    shorter = opened(home)
    shorter._journal.tables.open("events").delete("seq >= 4")
    shorter.close()

    again = opened(home)
    assert len(again.notices) == 1 and "2 events too early" in again.notices[0]
    assert [problem.where for problem in again.verify()] == ["head"]
    assert head_of_file(home) == ahead
    told(5, "life goes on").into(again)
    assert [problem.where for problem in again.verify()] == ["head"]  # the loss is not written over
    again.close()
    once_more = opened(home)
    assert once_more.notices == [] and "once held 6 events" in once_more.verify()[0].what
    once_more.close()


def test_a_head_of_another_chain_is_said(home: Path) -> None:
    store = opened(home)
    told(0, "one").into(store)
    store.close()
    record = head_of_file(home)
    record["hash"] = "f" * 64
    (home / "head.json").write_text(json.dumps(record))
    again = opened(home)
    assert len(again.notices) == 1 and [problem.where for problem in again.verify()] == ["head"]
    again.close()


TEXTS = ["I live in Berlin.", "I live in Lisbon.", "чай", "tea é", "tea é"]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 30), st.sampled_from(TEXTS)), max_size=14))
def test_replaying_the_ledger_gives_the_state(
    steps: list[tuple[int, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("replay")
    store = opened(home, slots=True)
    for number, (what, which, text) in enumerate(steps):
        ids, blocks = list(store.state.history), list(store.state.blocks)
        if what < 3 or not ids:
            told(number, text).into(store)
            continue
        memory = ids[which % len(ids)]
        choices: list[Body] = [
            Recalled((memory,), f"t{number}"),
            Retired(memory, RetireReason.FORGOTTEN),
            Edited(memory, content_hash(text)),
            Undone(blocks[which % len(blocks)]),
            Undone(blocks[-1]),
        ]
        body = choices[what - 3]
        done(number, body, embedded=[text] if isinstance(body, Edited) else []).into(store)
    assert fold(store.events()) == store.state
    before = shown(store.frame), store.state, state_hash(store.state)
    store.close()
    again = opened(home, slots=True)
    assert (shown(again.frame), again.state, state_hash(again.state)) == before
    assert again.verify() == []
    again.close()
