"""The sleep pass: what it looks at, what it plans, and what it must never do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.events import Created, Slept
from memtui.memory.frame import Frame, Vectors
from memtui.memory.ids import make_id
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.ledger import Head, seal
from memtui.memory.model import Kind, Label, Memory, RetireReason, Status, Summary, Verdict
from memtui.memory.sleep.candidates import (
    Cluster,
    Pair,
    SleepPolicy,
    contradiction_pairs,
    exact_duplicates,
    newness,
    repeat_clusters,
)
from memtui.memory.sleep.plan import Action, Plan, PlanItem, describe, make_plan, plan_bodies
from memtui.memory.state import State
from memtui.memory.texts import content_hash
from tests.memory.builders import DAY, HOUR, START, after, born, frame_of, snapshot, unit

LAW = SalienceLaw()
POLICY = SleepPolicy(
    repeats=3, cluster_cosine=0.70, nearest_vectors=10, nearest_words=5, retire_confidence=0.5, duplicate_confidence=0.5
)
NOW = START + DAY
SURE = Verdict("they moved", Label.SUPERSEDES, 0.95)


def frame_with(*memories: tuple[Memory, str], vector: Vectors | None = None) -> Frame:
    return frame_of([(memory, text, unit(1) if vector is None else vector) for memory, text in memories])


def slept(frame: Frame, plan: Plan) -> tuple[State, Frame]:
    """State and frame after a plan, from a frame alone."""
    state, texts = State(), {content_hash(text): text for text in frame.texts}
    bodies, new = plan_bodies(plan, frame, lambda item: make_id(plan.at, "merge", *item.retires))
    texts |= new
    out = Frame(frame.dims, frame.slot_count)
    for row, memory in enumerate(frame.memories):
        state.memories[memory.id] = memory
        out.upsert(memory, frame.texts[row], frame.vectors[row])
    for event in seal(bodies, at=plan.at, block="sleep", head=Head()):
        after(state, out, texts, event)
        if isinstance(event.body, Created):
            out.vectors[out.row(event.body.memory)] = frame.vectors[frame.row(event.body.merged_from[0])]
    return state, out


# exact duplicates


def test_exact_duplicates_are_the_same_words() -> None:
    texts = ["I like tea.", "i LIKE tea", "Ещё чай!", "еще чай", "I like coffee.", "", "?!"]
    frame = frame_with(*[(born(f"m{i}", text, START + i * HOUR), text) for i, text in enumerate(texts)])
    assert exact_duplicates(frame) == [Cluster((frame.ids[0], frame.ids[1])), Cluster((frame.ids[2], frame.ids[3]))]


def test_allergic_and_not_allergic_are_no_duplicates() -> None:
    frame = frame_with((born("a", "x"), "I am allergic to nuts."), (born("b", "y"), "I am not allergic to nuts."))
    assert exact_duplicates(frame) == []


def test_a_duplicate_leaves_its_recalls_to_the_newest() -> None:
    older = born("old", "tea", START, recalls=4, last=START + 5 * HOUR)
    newer = born("new", "tea", START + HOUR)
    frame = frame_with((newer, "tea"), (older, "tea"))
    plan = make_plan(frame, NOW, LAW, POLICY, trigger="key", duplicates=exact_duplicates(frame))
    assert [(item.action, item.retires, item.by) for item in plan.items] == [(Action.DUPLICATE, (older.id,), newer.id)]
    state, _ = slept(frame, plan)
    kept = state.memories[newer.id]
    assert (kept.recalls, kept.last_recall, kept.sources) == (5, START + 5 * HOUR, ("t-new", "t-old"))
    assert state.memories[older.id].retired_reason is RetireReason.DUPLICATE


def test_a_faded_survivor_is_not_pruned_in_the_pass_that_chose_it() -> None:
    older = born("old", "tea", START, recalls=9, last=START + 399 * DAY, kind=Kind.EPISODIC)
    newer = born("new", "tea", START + HOUR, kind=Kind.EPISODIC)
    frame = frame_with((older, "tea"), (newer, "tea"))
    plan = make_plan(frame, START + 400 * DAY, LAW, POLICY, trigger="key", duplicates=exact_duplicates(frame))
    assert [item.action for item in plan.items] == [Action.DUPLICATE]
    state, out = slept(frame, plan)
    assert state.memories[newer.id].active
    again = make_plan(out, START + 400 * DAY, LAW, POLICY, trigger="key", duplicates=exact_duplicates(out))
    assert again.items == ()  # what it took over keeps it


# contradictions


def facts() -> tuple[Memory, Memory]:
    stale = born("stale", "I live in Berlin.", START, valid=START - 30 * DAY)
    correct = born("correct", "I live in Lisbon.", START - DAY, valid=START - 2 * DAY)
    return stale, correct


def test_stale_fact_loses_even_when_inserted_after_correct_one() -> None:
    stale, correct = facts()  # the stale one was even told later: since when it is true decides
    for order in permutations([(stale, "I live in Berlin."), (correct, "I live in Lisbon.")]):
        frame = frame_with(*order)
        for fresh in ([stale.id], [correct.id], [stale.id, correct.id]):
            pairs = contradiction_pairs(frame, fresh, {}, POLICY)
            assert [(pair.older, pair.newer) for pair in pairs] == [(stale.id, correct.id)]
            plan = make_plan(frame, NOW, LAW, POLICY, trigger="key", verdicts=[(pair, SURE) for pair in pairs])
            assert [(item.action, item.retires, item.by) for item in plan.items] == [
                (Action.SUPERSEDE, (stale.id,), correct.id)
            ]
            state, _ = slept(frame, plan)
            assert state.memories[correct.id].active and state.memories[stale.id].retired_by == correct.id


def test_told_time_decides_between_facts_true_from_the_same_moment() -> None:
    first = born("z", "x", START, valid=START - DAY)
    second = born("a", "y", START + HOUR, valid=START - DAY)
    assert newness(second) > newness(first)


@given(st.permutations(range(5)))
def test_the_plan_does_not_depend_on_the_order_of_insertion(order: list[int]) -> None:
    memories = [(born(f"m{i}", f"home {i}", START + i * HOUR), f"home {i}") for i in range(5)]
    frame = frame_with(*[memories[i] for i in order])
    pairs = contradiction_pairs(frame, list(frame.ids), {}, POLICY)
    plan = make_plan(frame, NOW, LAW, POLICY, trigger="key", verdicts=[(pair, SURE) for pair in pairs])
    state, _ = slept(frame, plan)
    assert [memory.id for memory in state.active()] == [memories[4][0].id]


def test_pairs_are_gated_by_rank_and_words_and_come_once() -> None:
    memories = [(born(f"m{i}", f"text {i}", START + i * HOUR), f"text {i}", unit(1, i / 10)) for i in range(30)]
    frame = frame_of(memories)
    fresh, far = frame.ids[0], frame.ids[29]
    pairs = contradiction_pairs(frame, [fresh], {fresh: [far, "not here"]}, POLICY)
    others = {pair.newer for pair in pairs}
    assert others == {*frame.ids[1:11], far} and all(pair.older == fresh for pair in pairs)
    assert [pair.cosine for pair in pairs] == sorted((pair.cosine for pair in pairs), reverse=True)
    both = contradiction_pairs(frame, frame.ids[:2], {}, POLICY)
    assert len({(pair.older, pair.newer) for pair in both}) == len(both)
    assert contradiction_pairs(frame, [fresh], {}, POLICY, frozenset([fresh])) == []


def test_retired_and_procedural_memories_are_in_no_pair() -> None:
    gone = replace(born("a", "x"), status=Status.RETIRED)
    skill = born("b", "y", kind=Kind.PROCEDURAL)
    frame = frame_with((gone, "x"), (skill, "y"), (born("c", "z"), "z"))
    assert contradiction_pairs(frame, list(frame.ids), {frame.ids[2]: [gone.id, skill.id]}, POLICY) == []


def test_an_unsure_judge_retires_nothing_and_is_shown() -> None:
    stale, correct = facts()
    frame = frame_with((stale, "I live in Berlin."), (correct, "I live in Lisbon."))
    pair = Pair(stale.id, correct.id, 0.9)
    unsure = Verdict("perhaps", Label.SUPERSEDES, 0.4)
    plan = make_plan(frame, NOW, LAW, POLICY, trigger="key", verdicts=[(pair, unsure)])
    assert plan.items == () and plan.unsure == ((pair, unsure),)
    for label in (Label.ADDITIVE, Label.UNRELATED):
        kept = make_plan(frame, NOW, LAW, POLICY, trigger="key", verdicts=[(pair, Verdict("both", label, 1.0))])
        assert kept.items == () and kept.unsure == ()


def test_unknown_ids_in_a_verdict_are_skipped() -> None:
    stale, correct = facts()
    frame = frame_with((stale, "I live in Berlin."), (correct, "I live in Lisbon."))
    verdicts = [
        (Pair("nobody", correct.id, 1), SURE),
        (Pair(stale.id, "nobody", 1), SURE),
        (Pair(stale.id, correct.id, 1), SURE),
    ]
    assert len(make_plan(frame, NOW, LAW, POLICY, trigger="key", verdicts=verdicts).items) == 1


# repeats


def repeats(count: int, text: str = "working on the parser", *, kind: Kind = Kind.SEMANTIC) -> list[tuple[Memory, str]]:
    return [(born(f"r{i}", f"{text} {i}", START + i * HOUR, kind=kind), f"{text} {i}") for i in range(count)]


def merged(frame: Frame, now_frame: Frame | None = None) -> Plan:
    clusters = repeat_clusters(frame, POLICY)
    summaries = [(cluster, Summary("works on the parser", "told over and over")) for cluster in clusters]
    return make_plan(frame, NOW, LAW, POLICY, trigger="key", clusters=summaries)


def test_three_tellings_of_one_thing_are_a_cluster() -> None:
    assert repeat_clusters(frame_with(*repeats(2)), POLICY) == []
    frame = frame_with(*repeats(3))
    assert repeat_clusters(frame, POLICY) == [Cluster(tuple(frame.ids))]
    spread = frame_of(
        [(memory, text, unit(*[float(i == j) for j in range(4)])) for i, (memory, text) in enumerate(repeats(4))]
    )
    assert repeat_clusters(spread, POLICY) == []


def test_a_consolidated_memory_inherits_its_times() -> None:
    rows = repeats(3)
    recalled = replace(rows[0][0], last_recall=START + 9 * HOUR, recalls=2, importance=0.9)
    frame = frame_with((recalled, rows[0][1]), *rows[1:])
    state, _ = slept(frame, merged(frame))
    new = next(memory for memory in state.active() if memory.kind is Kind.CONSOLIDATED)
    assert (new.created_at, new.valid_from) == (START + 2 * HOUR, START + 2 * HOUR)  # its newest source's, never now
    assert (new.last_recall, new.recalls, new.importance) == (START + 9 * HOUR, 4, 0.9)
    assert new.merged_from == tuple(frame.ids) and new.sources == ("t-r0", "t-r1", "t-r2")
    assert new.last_recall < NOW and {memory.retired_by for memory in state.retired()} == {new.id}


def test_a_summary_of_old_facts_does_not_beat_the_current_one() -> None:
    frame = frame_with(*repeats(3, "I live in Berlin"))
    state, out = slept(frame, merged(frame))
    summary = next(memory for memory in state.active() if memory.kind is Kind.CONSOLIDATED)
    current = born("current", "I live in Lisbon.", START + 3 * HOUR)
    out.upsert(current, "I live in Lisbon.", unit(1))
    assert contradiction_pairs(out, [current.id], {}, POLICY)[0].older == summary.id


@given(st.integers(3, 9), st.integers(0, 3))
def test_a_consolidated_memory_alone_never_consolidates_again(count: int, passes: int) -> None:
    frame = frame_with(*repeats(count))
    state, out = slept(frame, merged(frame))
    assert len(state.active()) == 1
    for _ in range(passes + 1):
        plan = merged(out)
        assert plan.items == ()
        state, out = slept(out, plan)
    assert len(state.active()) == 1


def test_a_new_telling_joins_the_consolidated_one() -> None:
    frame = frame_with(*repeats(3))
    _, out = slept(frame, merged(frame))
    out.upsert(born("r9", "again", START + 9 * HOUR), "working on the parser again", unit(1))
    state, last = slept(out, merged(out))
    assert [memory.sources for memory in state.active()] == [("t-r0", "t-r1", "t-r2", "t-r9")]
    assert merged(last).items == ()


# pinned, procedural, prune


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=8))
def test_pinned_memories_survive_every_plan(drawn: list[tuple[bool, float]]) -> None:
    rows = [
        (born(f"m{i}", "same text", START + i * HOUR, importance=importance, pinned=pinned, kind=Kind.EPISODIC), "same text")
        for i, (pinned, importance) in enumerate(drawn)
    ]
    frame = frame_with(*rows)
    verdicts = [(pair, SURE) for pair in contradiction_pairs(frame, list(frame.ids), {}, POLICY)]
    clusters = [(cluster, Summary("one", "same")) for cluster in repeat_clusters(frame, POLICY)]
    for arguments in (
        {"duplicates": exact_duplicates(frame)},
        {"verdicts": verdicts},
        {"clusters": clusters},
        {"duplicates": exact_duplicates(frame), "verdicts": verdicts, "clusters": clusters},
    ):
        plan = make_plan(frame, START + 900 * DAY, LAW, POLICY, trigger="key", **arguments)
        state, _ = slept(frame, plan)
        assert all(state.memories[memory.id].active for memory, _ in rows if memory.pinned)
        retired = [memory_id for item in plan.items for memory_id in item.retires]
        assert len(retired) == len(set(retired))  # a memory is dealt with once a pass


def test_skills_are_left_alone() -> None:
    frame = frame_with(*repeats(4, kind=Kind.PROCEDURAL))
    assert repeat_clusters(frame, POLICY) == [] and exact_duplicates(frame) == []
    assert make_plan(frame, START + 9000 * DAY, LAW, POLICY, trigger="key").items == ()


@given(st.floats(0, 1), st.sampled_from([Kind.EPISODIC, Kind.SEMANTIC]), st.integers(0, 3_599_999_999))
def test_what_was_just_written_is_never_pruned(importance: float, kind: Kind, age_us: int) -> None:
    now = START + timedelta(microseconds=age_us)
    frame = frame_with((born("a", "x", kind=kind, importance=importance), "x"))
    assert make_plan(frame, now, LAW, POLICY, trigger="key").items == ()
    restored = frame_with((born("b", "y", START - 900 * DAY, kind=kind, importance=importance, last=START), "y"))
    assert make_plan(restored, now, LAW, POLICY, trigger="key").items == ()


def test_what_faded_is_pruned() -> None:
    frame = frame_with((born("a", "x", kind=Kind.EPISODIC), "x"), (born("b", "y"), "y"))
    plan = make_plan(frame, START + 20 * DAY, LAW, POLICY, trigger="nightly")
    assert [(item.action, item.retires) for item in plan.items] == [(Action.PRUNE, (frame.ids[0],))]
    assert plan.items[0].salience < LAW.floor and "0.05" in plan.items[0].reason
    state, _ = slept(frame, plan)
    assert state.memories[frame.ids[0]].retired_reason is RetireReason.PRUNED


# the plan itself


def all_sorts() -> tuple[Frame, Plan]:
    stale, correct = facts()
    faded = born("faded", "a cold day", START - 400 * DAY, kind=Kind.EPISODIC)
    rows = [(stale, "I live in Berlin."), (correct, "I live in Lisbon."), (faded, "a cold day"), *repeats(3)]
    twice = [(born(f"d{i}", "tea", START + i * HOUR), "tea") for i in range(2)]
    frame = frame_with(*rows, *twice)
    plan = make_plan(
        frame,
        NOW,
        LAW,
        POLICY,
        trigger="key",
        duplicates=exact_duplicates(frame),
        verdicts=[(Pair(stale.id, correct.id, 0.9), SURE)],
        clusters=[(Cluster(tuple(memory.id for memory, _ in repeats(3))), Summary("works on the parser", "repeated"))],
        calls=2,
    )
    return frame, plan


def test_planning_changes_nothing() -> None:
    frame, _ = all_sorts()
    before = snapshot(frame)
    exact_duplicates(frame)
    repeat_clusters(frame, POLICY)
    contradiction_pairs(frame, list(frame.ids), {}, POLICY)
    plan = make_plan(frame, NOW, LAW, POLICY, trigger="key", duplicates=exact_duplicates(frame))
    plan_bodies(plan, frame, lambda item: make_id(NOW, item.key))
    assert snapshot(frame) == before


def test_a_plan_counts_what_it_does_and_can_be_cut() -> None:
    frame, plan = all_sorts()
    assert {item.action for item in plan.items} == set(Action)
    bodies, texts = plan_bodies(plan, frame, lambda item: make_id(NOW, "merge"))
    last = bodies[-1]
    assert isinstance(last, Slept)
    state, _ = slept(frame, plan)
    assert last.active == len(state.active()) and last.calls == 2
    assert (last.merged, last.retired, last.pruned) == (4, 1, 1)
    assert "works on the parser" in texts.values()
    without = plan.without(frozenset(item.key for item in plan.items if item.action is not Action.PRUNE))
    assert [item.action for item in without.items] == [Action.PRUNE]
    assert len({item.key for item in plan.items}) == len(plan.items)


def test_a_plan_is_told_in_one_line_each() -> None:
    frame, plan = all_sorts()
    lines = {item.action: describe(item, frame) for item in plan.items}
    assert lines[Action.SUPERSEDE] == "I live in Berlin. → I live in Lisbon.: they moved"
    assert lines[Action.MERGE].endswith("(+2) → works on the parser")
    assert all("\n" not in line for line in lines.values())


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_memory_is_dealt_with_once(order: Sequence[int]) -> None:
    memories = [(born(f"m{i}", "tea", START + i * HOUR), "tea") for i in range(3)]
    frame = frame_with(*[memories[i] for i in order])
    verdicts = [(pair, SURE) for pair in contradiction_pairs(frame, list(frame.ids), {}, POLICY)]
    plan = make_plan(frame, NOW, LAW, POLICY, trigger="key", duplicates=exact_duplicates(frame), verdicts=verdicts)
    retired = [memory_id for item in plan.items for memory_id in item.retires]
    assert sorted(retired) == sorted(memory.id for memory, _ in memories[:2])
    assert isinstance(plan.items[0], PlanItem) and plan.items[0].by == memories[2][0].id
