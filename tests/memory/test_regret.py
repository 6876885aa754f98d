"""Regret: what counts as missed, what stands in for it, and what was never used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.frame import Frame
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import Memory, RetireReason, Status
from memtui.memory.moments import to_us
from memtui.memory.recall import Cue, RecallPolicy
from memtui.memory.regret import UNUSED_AFTER_DAYS, Asked, lost_rows, missed, regretted, stands_for, unused_rows
from tests.memory.builders import DAY, START, born, frame_of, snapshot, unit

NOW = START + 60 * DAY
POLICY = RecallPolicy(backfill=True)
NEAR, FAR = unit(1), unit(0, 0, 0, 1)


def retired(memory: Memory, reason: RetireReason = RetireReason.PRUNED, by: Memory | None = None) -> Memory:
    return replace(
        memory,
        status=Status.RETIRED,
        retired_at=START + DAY,
        retired_reason=reason,
        retired_by=None if by is None else by.id,
    )


def miss(frame: Frame, recalled: Collection[str] = (), *, policy: RecallPolicy = POLICY) -> tuple[str, ...]:
    cue = Cue("where?", NEAR, {})
    return missed(
        frame,
        cue,
        to_us(NOW),
        law=SalienceLaw(),
        policy=policy,
        count_tokens=lambda text: len(text.split()),
        both_stand=lambda older, newer: False,
        recalled=recalled,
    )


BERLIN, LISBON, PORTO = born("berlin", "I live in Berlin"), born("lisbon", "I live in Lisbon"), born("porto", "now Porto")


def test_what_faded_and_would_have_passed_is_missed() -> None:
    gone, other = retired(BERLIN), retired(born("ramen", "ramen for lunch"))
    frame = frame_of([(gone, "I live in Berlin", NEAR), (other, "ramen for lunch", FAR), (PORTO, "now Porto", FAR)])
    assert miss(frame) == (gone.id,)
    assert lost_rows(frame).tolist() == [0, 1]


def test_what_is_active_is_never_missed_and_backfill_neither() -> None:
    frame = frame_of([(BERLIN, "I live in Berlin", NEAR), (retired(LISBON), "I live in Lisbon", FAR)])
    assert miss(frame) == ()


def test_superseded_is_no_regret_where_its_replacement_was_recalled() -> None:
    gone = retired(BERLIN, RetireReason.SUPERSEDED, by=LISBON)
    frame = frame_of([(gone, "I live in Berlin", NEAR), (LISBON, "I live in Lisbon", FAR)])
    assert miss(frame, [LISBON.id]) == ()
    assert miss(frame) == (gone.id,)  # the replacement was no answer to this one


def test_a_chain_of_replacements_stands_as_one() -> None:
    first = retired(BERLIN, RetireReason.SUPERSEDED, by=LISBON)
    second = retired(LISBON, RetireReason.MERGED, by=PORTO)
    frame = frame_of([(first, "Berlin", NEAR), (second, "Lisbon", NEAR), (PORTO, "now Porto", FAR)])
    assert stands_for(frame, first.id, {PORTO.id}) and stands_for(frame, second.id, {PORTO.id})
    assert miss(frame, [PORTO.id]) == () and set(miss(frame)) == {first.id, second.id}


def test_a_forged_circle_of_replacements_ends() -> None:
    one, two = (
        retired(BERLIN, RetireReason.SUPERSEDED, by=LISBON),
        retired(LISBON, RetireReason.SUPERSEDED, by=BERLIN),
    )
    frame = frame_of([(one, "Berlin", NEAR), (two, "Lisbon", NEAR)])
    assert not stands_for(frame, one.id, {PORTO.id})


def test_the_same_words_that_were_recalled_leave_nothing_to_miss() -> None:
    again = born("again", "I LIVE in Berlin!")
    frame = frame_of([(retired(BERLIN), "I live in Berlin", NEAR), (again, "i live in berlin", NEAR)])
    assert miss(frame, [again.id]) == ()


def test_what_had_no_room_in_the_prompt_is_not_missed() -> None:
    frame = frame_of([(retired(BERLIN), "I live in Berlin", NEAR)])
    assert miss(frame, policy=replace(POLICY, budget_tokens=3)) == ()


def test_looking_changes_nothing() -> None:
    frame = frame_of([(retired(BERLIN), "I live in Berlin", NEAR), (LISBON, "I live in Lisbon", NEAR)])
    before = snapshot(frame)
    miss(frame)
    unused_rows(frame, to_us(NOW))
    assert snapshot(frame) == before
    assert frame.revived(lost_rows(frame)).active.tolist() == [True, True] and frame.active.tolist() == [False, True]


def test_a_creation_that_was_undone_is_not_lost() -> None:
    frame = frame_of([(BERLIN, "I live in Berlin", NEAR), (LISBON, "I live in Lisbon", NEAR)])
    frame.drop(BERLIN.id)
    assert lost_rows(frame).size == 0 and miss(frame) == ()


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from(RetireReason), st.integers(0, 7)), max_size=8),
    st.sets(st.integers(0, 7)),
)
def test_only_retired_ones_are_missed_and_none_that_something_recalled_stands_for(
    rows: list[tuple[bool, bool, RetireReason, int]], recalled: set[int]
) -> None:
    memories = [born(f"m{i}", f"word{i}") for i in range(len(rows))]
    told = [
        (retired(memory, reason, memories[by % len(rows)] if by != i else None) if gone else memory)
        for i, (memory, (gone, _, reason, by)) in enumerate(zip(memories, rows, strict=True))
    ]
    frame = frame_of([(m, f"word{i}", NEAR if rows[i][1] else FAR) for i, m in enumerate(told)])
    ids = {told[i].id for i in recalled if i < len(told) and told[i].active}
    found = miss(frame, ids, policy=replace(POLICY, budget_tokens=10_000))
    assert len(set(found)) == len(found)
    for i, memory in enumerate(told):
        gone, near = rows[i][:2]
        assert (memory.id in found) == (gone and near and not stands_for(frame, memory.id, ids))


def question(turn: str, at: datetime, *memories: Memory) -> Asked:
    return Asked(turn, at, "where?", tuple(memory.id for memory in memories))


def test_what_was_missed_most_comes_first_and_what_came_back_is_left_out() -> None:
    berlin, lisbon = retired(BERLIN), retired(LISBON)
    frame = frame_of([(berlin, "a", NEAR), (lisbon, "b", NEAR), (PORTO, "c", NEAR)])
    asked = [
        question("t1", START, berlin, PORTO),
        question("t2", START + DAY, lisbon),
        question("t3", START + 2 * DAY, lisbon, berlin),
        question("t4", START + 3 * DAY, lisbon),
        question("t5", START + 4 * DAY),
    ]
    found = regretted(frame, asked)
    assert [(one.memory, [q.turn for q in one.asked]) for one in found] == [
        (lisbon.id, ["t2", "t3", "t4"]),
        (berlin.id, ["t1", "t3"]),
    ]
    assert regretted(frame, []) == ()


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 2), st.booleans()), max_size=12), st.integers(1, 40))
def test_never_used_are_the_old_active_ones_without_a_recall(rows: list[tuple[int, int, bool]], days: int) -> None:
    told = [
        (born(f"m{i}", "x", START + timedelta(days=day), recalls=recalls), active)
        for i, (day, recalls, active) in enumerate(rows)
    ]
    frame = frame_of([(memory if active else retired(memory), "x", NEAR) for memory, active in told])
    found = [frame.ids[row] for row in unused_rows(frame, to_us(NOW), days).tolist()]
    wanted = [m for m, active in told if active and not m.recalls and NOW - m.created_at >= timedelta(days=days)]
    assert found == [memory.id for memory in sorted(wanted, key=lambda memory: memory.created_at)]
    assert np.all(np.diff([frame.created[frame.row(memory)] for memory in found]) >= 0)


def test_how_old_is_said() -> None:
    assert UNUSED_AFTER_DAYS == 14
    frame = frame_of([(BERLIN, "a", NEAR)])
    at = to_us(BERLIN.created_at + timedelta(days=14))
    assert unused_rows(frame, at).tolist() == [0] and unused_rows(frame, at - 1).tolist() == []
