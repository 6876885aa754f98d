"""Recall: who passes the gate, in what order, and what the budget holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.frame import Frame, Vectors
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import Kind, Memory, Status
from memtui.memory.moments import to_us
from memtui.memory.recall import Cue, RecallPolicy, Recollection, recall
from tests.memory.builders import DAY, DIMS, HOUR, START, born, frame_of, snapshot, unit

LAW = SalienceLaw()
NOW = to_us(START + HOUR)
POLICY = RecallPolicy(
    budget_tokens=170,
    candidates=50,
    words_weight=0.5,
    slot_weight=1.5,
    min_cosine=0.30,
    min_coverage=0.5,
    min_slot=0.35,
    tie=0.05,
    backfill=False,
    max_memories=12,
)
FAR = unit(0, 0, 0, 1)


def words_in(text: str) -> int:
    return len(text.split())


def ask(
    frame: Frame,
    text: str = "question",
    *,
    vector: Vectors | None = None,
    words: dict[str, float] | None = None,
    slots: Vectors | None = None,
    policy: RecallPolicy = POLICY,
    now: int = NOW,
) -> Recollection:
    return recall(frame, Cue(text, unit(1) if vector is None else vector, words or {}, slots), now, LAW, policy, words_in)


def named(frame: Frame, found: Recollection) -> list[str]:
    return [frame.texts[item.row] for item in found.items]


def test_nothing_in_memory_recalls_nothing() -> None:
    assert ask(Frame(DIMS)).items == () and ask(Frame(DIMS)).budget == 170
    retired = replace(born("a", "x"), status=Status.RETIRED)
    assert ask(frame_of([(retired, "x", unit(1))])).items == ()


# the gate


def test_meaning_alone_passes_from_its_threshold() -> None:
    frame = frame_of(
        [
            (born("a", "x"), "near", unit(0.31, (1 - 0.31**2) ** 0.5)),
            (born("b", "y"), "not near", unit(0.29, (1 - 0.29**2) ** 0.5)),
        ]
    )
    assert named(frame, ask(frame)) == ["near"]


def test_words_alone_pass_when_they_cover_half_the_question() -> None:
    frame = frame_of([(born("a", "x"), "green tea", FAR), (born("b", "y"), "tea", FAR)])
    scores = {frame.ids[0]: 2.0, frame.ids[1]: 1.0}
    found = ask(frame, "green tea kettle mug", words=scores)
    assert named(frame, found) == ["green tea"]
    assert [(item.words, item.passed) for item in found.items] == [(1.0, True)]


def test_words_the_index_did_not_find_do_not_pass() -> None:
    frame = frame_of([(born("a", "x"), "green tea", FAR)])
    assert ask(frame, "green tea").items == ()


def test_the_slot_alone_passes() -> None:
    memory, other = born("a", "x"), born("b", "y")
    slots = [np.array([0.9, 0.0], np.float32), np.array([0.0, 0.9], np.float32)]
    frame = frame_of([(memory, "lives in Lisbon", FAR), (other, "works at a bakery", FAR)], slots=slots)
    found = ask(frame, "where?", slots=np.array([0.8, 0.0], np.float32))
    assert named(frame, found) == ["lives in Lisbon"] and found.items[0].slot == pytest.approx(0.72)
    assert ask(frame, "where?").items == ()


def test_where_nothing_is_asked_it_takes_more_to_be_recalled() -> None:
    """What shares the topic of some small talk would be reinforced by every turn and never fade."""
    slots = [np.array([0.6], np.float32), np.array([0.9], np.float32), np.array([0.0], np.float32)]
    far, near, close = FAR, unit(0.35, (1 - 0.35**2) ** 0.5), unit(0.6, 0.8)
    frame = frame_of(
        [(born("a", "x"), "slot", far), (born("b", "y"), "near", near), (born("c", "z"), "close", close)], slots=slots
    )
    cue = Cue("talk", unit(1), {}, np.array([0.6], np.float32))
    asked = recall(frame, cue, NOW, LAW, POLICY, words_in)
    assert set(named(frame, asked)) == {"slot", "near", "close"}
    told = recall(frame, replace(cue, asks=False), NOW, LAW, replace(POLICY, told_margin=0.12), words_in)
    assert set(named(frame, told)) == {"near", "close"}  # "near" by its slot: .54 is above .35 + .12
    told = recall(frame, replace(cue, asks=False, slots=None), NOW, LAW, replace(POLICY, told_margin=0.12), words_in)
    assert set(named(frame, told)) == {"close"}


# order


def test_relevance_orders_and_retention_breaks_ties() -> None:
    weak = born("weak", "x", importance=0.2)
    strong = born("strong", "y", importance=0.9)
    other = born("other", "z", importance=1.0)
    frame = frame_of(
        [(weak, "weak", unit(0.9, 0.1)), (strong, "strong", unit(0.9, 0.1)), (other, "less relevant", unit(0.6, 0.8))]
    )
    assert named(frame, ask(frame)) == ["strong", "weak", "less relevant"]
    exact = ask(frame, policy=replace(POLICY, tie=0.0))
    assert named(frame, exact)[2] == "less relevant"


def test_salience_never_enters_the_relevance() -> None:
    faded = born("a", "x", kind=Kind.EPISODIC, importance=0.06)
    fresh = born("b", "y", importance=1.0, last=START + 100 * DAY)
    frame = frame_of([(faded, "told once, long ago", unit(1)), (fresh, "told all the time", unit(0.5, 0.87))])
    found = ask(frame, now=to_us(START + 100 * DAY))
    assert named(frame, found)[0] == "told once, long ago" and found.items[0].retention < 0.001


# the budget


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(0, 60))
def test_the_budget_is_never_exceeded(sizes: list[int], budget: int) -> None:
    frame = frame_of([(born(f"m{i}", "x"), " ".join(["w"] * size), unit(1)) for i, size in enumerate(sizes)])
    found = ask(frame, policy=replace(POLICY, budget_tokens=budget))
    assert found.tokens == sum(item.tokens for item in found.items) <= budget == found.budget
    left_out = [size for i, size in enumerate(sizes) if frame.ids[i] not in found.recalled]
    assert len(found.items) == POLICY.max_memories or all(size > budget - found.tokens for size in left_out)


def test_what_does_not_fit_leaves_room_for_what_does() -> None:
    frame = frame_of([(born("a", "x"), "w " * 50, unit(1)), (born("b", "y"), "short", unit(0.7, 0.7))])
    assert named(frame, ask(frame, policy=replace(POLICY, budget_tokens=10))) == ["short"]


def test_no_more_memories_than_allowed() -> None:
    frame = frame_of([(born(f"m{i}", "x"), "w", unit(1)) for i in range(30)])
    assert len(ask(frame).items) == POLICY.max_memories
    assert len(ask(frame, policy=replace(POLICY, max_memories=3)).items) == 3


# backfill


def test_backfill_fills_and_is_not_counted_as_recalled() -> None:
    frame = frame_of([(born("a", "x"), "relevant", unit(1)), (born("b", "y"), "noise", FAR)])
    assert named(frame, ask(frame)) == ["relevant"]
    filled = ask(frame, policy=replace(POLICY, backfill=True))
    assert named(frame, filled) == ["relevant", "noise"]
    assert filled.recalled == (frame.ids[0],)
    only_noise = ask(frame, vector=unit(0, 0, 1), policy=replace(POLICY, backfill=True))
    assert len(only_noise.items) == 2 and only_noise.recalled == ()


# 3, 9: reading is free, retired is gone


rows = st.lists(
    st.tuples(st.booleans(), st.lists(st.floats(-1, 1), min_size=DIMS, max_size=DIMS), st.booleans()),
    min_size=1,
    max_size=20,
)


@given(rows, st.booleans(), st.sampled_from([None, 1, 3]))
def test_retired_memories_are_absent_whatever_the_index_says(
    drawn: list[tuple[bool, list[float], bool]], backfill: bool, candidates: int | None
) -> None:
    memories: list[tuple[Memory, str, Vectors]] = []
    for i, (active, vector, _) in enumerate(drawn):
        memory = born(f"m{i}", "x")
        memories.append((memory if active else replace(memory, status=Status.RETIRED), f"question w{i}", unit(*vector)))
    frame = frame_of(memories)
    scores = {frame.ids[i]: 1.0 + i for i, (_, _, found) in enumerate(drawn) if found} | {"not here": 9.0}
    before = snapshot(frame)
    policy = replace(POLICY, backfill=backfill, candidates=candidates or POLICY.candidates)
    found = ask(frame, words=scores, policy=policy)
    assert snapshot(frame) == before
    assert all(frame.active[item.row] and frame.ids[item.row] == item.memory for item in found.items)
    assert len({item.memory for item in found.items}) == len(found.items)
    assert ask(frame, words=scores, policy=policy) == found


def test_a_dropped_memory_is_absent() -> None:
    frame = frame_of([(born("a", "x"), "one", unit(1)), (born("b", "y"), "two", unit(1))])
    frame.drop(frame.ids[0])
    assert named(frame, ask(frame, words={frame.ids[0]: 3.0})) == ["two"]


def test_few_candidates_are_the_best_of_each_arm() -> None:
    frame = frame_of([(born(f"m{i}", "x"), f"w{i} question", unit(1, i / 10)) for i in range(20)])
    scores = {frame.ids[19]: 5.0, frame.ids[18]: 1.0}
    found = ask(frame, words=scores, policy=replace(POLICY, candidates=1))
    assert set(named(frame, found)) == {"w0 question", "w19 question"}
