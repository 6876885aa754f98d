"""Open conflicts: when there is one, what settles it, what undo gives back, and what recall makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.conflicts import MOST_BROUGHT, Conflict, disputed, open_conflicts, settled, with_conflicts
from memtui.memory.events import (
    Body,
    Edited,
    Event,
    Judged,
    Pinned,
    Reinforced,
    Restored,
    Retired,
    SetAside,
    Undone,
)
from memtui.memory.frame import Frame
from memtui.memory.ids import make_id
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import YOU, Kind, Label, RetireReason
from memtui.memory.moments import to_us
from memtui.memory.recall import Cue, Recollected, Recollection
from memtui.memory.sleep.candidates import SleepPolicy, newness
from memtui.memory.state import State, fold
from memtui.memory.texts import content_hash
from tests.memory.builders import DAY, HOUR, START, born, chained, created, frame_of, unit

POLICY = SleepPolicy(ask_confidence=0.25, retire_confidence=0.5)
TEXTS = ("in Berlin", "in Lisbon", "in Porto", "in Faro")
HASHES = tuple(map(content_hash, TEXTS))
NAMES = ("a", "b", "c", "d")
IDS = tuple(make_id(START, name) for name in NAMES)
BERLIN, LISBON = HASHES[:2]
A, B = IDS[:2]

Block = tuple[str, datetime, Sequence[Body]]


def unsure(older: int = 0, newer: int = 1, confidence: float = 0.3, judge: str = "a mind") -> Judged:
    return Judged(HASHES[older], HASHES[newer], Label.SUPERSEDES, confidence, judge, "why")


def born_pair(**more: object) -> list[Block]:
    return [
        ("a", START, [created("a", TEXTS[0], START, **more)]),  # type: ignore[arg-type]
        ("b", START + DAY, [created("b", TEXTS[1], START + DAY)]),
        ("night", START + DAY, [unsure()]),
    ]


def state_of(*more: Sequence[Body], blocks: list[Block] | None = None) -> State:
    later = [(f"x{i}", START + 2 * DAY, bodies) for i, bodies in enumerate(more)]
    return fold(chained([*(blocks or born_pair()), *later]))


def pairs(state: State) -> list[tuple[str, str]]:
    return [(conflict.older, conflict.newer) for conflict in open_conflicts(state, POLICY)]


# when there is one


def test_a_verdict_between_the_two_thresholds_is_a_conflict() -> None:
    (conflict,) = open_conflicts(state_of(), POLICY)
    assert conflict == Conflict(A, B, 0.3, "a mind", "why")


@pytest.mark.parametrize(("confidence", "there"), [(0.24, False), (0.25, True), (0.49, True), (0.5, False), (1.0, False)])
def test_below_it_is_no_matter_and_above_it_is_for_the_pass(confidence: float, there: bool) -> None:
    blocks = [*born_pair()[:2], ("night", START + DAY, [unsure(confidence=confidence)])]
    assert bool(pairs(state_of(blocks=blocks))) is there


@pytest.mark.parametrize("label", [Label.ADDITIVE, Label.DUPLICATE, Label.UNRELATED])
def test_other_labels_ask_nothing(label: Label) -> None:
    body = Judged(BERLIN, LISBON, label, 0.3, "a mind")
    assert not pairs(state_of(blocks=[*born_pair()[:2], ("night", START + DAY, [body])]))


def test_a_verdict_on_the_other_order_of_time_is_none() -> None:
    assert not pairs(state_of(blocks=[*born_pair()[:2], ("night", START + DAY, [unsure(1, 0)])]))


def test_pins_and_kinds_that_make_it_moot() -> None:
    assert not pairs(state_of([Pinned(A, True)]))
    assert pairs(state_of([Pinned(A, True)], [Pinned(A, False)])) == [(A, B)]
    assert pairs(state_of([Pinned(B, True)])) == [(A, B)]
    assert not pairs(state_of(blocks=born_pair(kind=Kind.PROCEDURAL)))


def test_it_ends_when_either_leaves_and_comes_back_with_it() -> None:
    for memory in (A, B):
        retired = [Retired(memory, RetireReason.PRUNED)]
        assert not pairs(state_of(retired))
        assert pairs(state_of(retired, [Undone("x0")])) == [(A, B)]
    assert pairs(state_of([Edited(A, importance=0.9)])) == [(A, B)]
    assert not pairs(state_of([Edited(A, content_hash("in Bern"))]))
    assert pairs(state_of([Edited(A, content_hash("in Bern"))], [Edited(A, BERLIN)])) == [(A, B)]


def test_of_the_same_words_twice_the_newest_counts() -> None:
    again = created("c", TEXTS[1], START + 2 * DAY)
    assert pairs(state_of([again])) == [(A, IDS[2])]
    assert not pairs(state_of([created("c", TEXTS[0], START + 2 * DAY)]))  # Berlin again: that is the newest now


# what settles it

BOTH = Judged(BERLIN, LISBON, Label.ADDITIVE, 1.0, YOU)


def test_both_true_is_never_asked_again_whatever_a_mind_says() -> None:
    state = state_of([BOTH], [unsure(confidence=0.4, judge="another")], [Reinforced(A, "t9")], [Pinned(B, True)])
    assert not pairs(state)
    assert settled(state, state.memories[A], state.memories[B]) and settled(state, state.memories[B], state.memories[A])
    verdict = state.verdict(BERLIN, LISBON)
    assert verdict is not None and verdict.label is Label.ADDITIVE


def test_other_words_are_another_question() -> None:
    bern = content_hash("in Bern")
    asked = Judged(bern, LISBON, Label.SUPERSEDES, 0.3, "a mind")
    assert pairs(state_of([BOTH], [Edited(A, bern)], [asked])) == [(A, B)]


@pytest.mark.parametrize("again", [Reinforced(A, "t9"), Reinforced(B, "t9"), Edited(B, LISBON)])
def test_not_sure_waits_until_either_is_told_again_or_edited(again: Body) -> None:
    aside = [SetAside(BERLIN, LISBON)]
    assert not pairs(state_of(aside, [unsure(confidence=0.45)], [Pinned(B, True)], [Edited(A, importance=0.2)]))
    assert pairs(state_of(aside, [again])) == [(A, B)]
    assert not pairs(state_of(aside, [again], [Undone("x1")]))
    assert not pairs(state_of(aside, [again], aside))


def test_restoring_the_older_beside_the_newer_says_that_both_are_true() -> None:
    superseded = [Retired(A, RetireReason.SUPERSEDED, by=B)]
    state = state_of(superseded, [Restored(A)])
    assert not pairs(state) and settled(state, state.memories[A], state.memories[B])
    undone = state_of(superseded, [Restored(A)], [Undone("x1")], [Undone("x0")])
    assert pairs(undone) == [(A, B)]
    edited = state_of(superseded, [Restored(A)], [Edited(B, HASHES[2])])
    assert not settled(edited, edited.memories[A], edited.memories[B])


def test_a_verdict_of_an_undone_pass_is_known_but_asks_nothing() -> None:
    state = state_of([Undone("night")])
    assert not pairs(state)
    assert state.verdict(BERLIN, LISBON) is not None and not state.judgements.counts((BERLIN, LISBON))
    assert pairs(state_of([Undone("night")], [unsure()])) == [(A, B)]


# laws, over whole lives


def _bodies() -> st.SearchStrategy[Body]:
    memory, content = st.sampled_from(IDS), st.sampled_from(HASHES)
    shares, labels = st.sampled_from([0.1, 0.3, 0.4, 0.9]), st.sampled_from([Label.SUPERSEDES, Label.ADDITIVE])
    birth = st.builds(
        lambda who, text, day: created(NAMES[who], TEXTS[text], START + day * DAY),
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 3),
    )
    return st.one_of(
        birth,
        birth,
        st.builds(Judged, older=content, newer=content, label=labels, confidence=shares, judge=st.sampled_from(["m", YOU])),
        st.builds(
            Judged, older=content, newer=content, label=st.just(Label.SUPERSEDES), confidence=shares, judge=st.just("m")
        ),
        st.builds(SetAside, older=content, newer=content),
        st.builds(Retired, memory=memory, reason=st.sampled_from([RetireReason.SUPERSEDED, RetireReason.PRUNED])),
        st.builds(Restored, memory=memory),
        st.builds(Reinforced, memory=memory, turn=st.just("t")),
        st.builds(Edited, memory=memory, content=st.none() | content),
        st.builds(Pinned, memory=memory, pinned=st.booleans()),
    )


BODIES = _bodies()


@st.composite
def lives(draw: st.DrawFn) -> list[Event]:
    births = [("b0", START, [created(name, text, START) for name, text in zip(NAMES, TEXTS, strict=True)])]
    births = births if draw(st.booleans()) else []
    count = draw(st.integers(1, 12))
    blocks: list[Block] = list(births)
    for number in range(1, count + 1):
        undo = number > 1 and draw(st.integers(0, 3)) == 0
        bodies: list[Body] = (
            [Undone(f"b{draw(st.integers(0, number - 1))}")] if undo else draw(st.lists(BODIES, min_size=1, max_size=3))
        )
        blocks.append((f"b{number}", START + number * HOUR, bodies))
    return chained(blocks)


def slowly(state: State, policy: SleepPolicy) -> list[tuple[str, str]]:
    """All pairs of active memories against all verdicts: what the index must agree with."""
    found = set()
    for older in state.active():
        for newer in state.active():
            judged = [
                event.body
                for events in state.blocks.values()
                for event in sorted(events, key=lambda e: e.seq)
                if event.block not in state.undone()
                and isinstance(event.body, Judged)
                and (event.body.older, event.body.newer) == (older.content, newer.content)
            ]
            persons = [body for body in judged if body.judge == YOU]
            last = next(reversed(persons or judged), None)
            newest = all(
                newness(memory) >= newness(other)
                for memory in (older, newer)
                for other in state.active()
                if other.content == memory.content
            )
            if (
                last is not None
                and last.label is Label.SUPERSEDES
                and policy.ask_confidence <= last.confidence < policy.retire_confidence
                and newness(older) < newness(newer)
                and newest
                and not older.pinned
                and not settled(state, older, newer)
            ):
                found.add((older.id, newer.id))
    return sorted(found)


@settings(max_examples=200)
@given(lives())
def test_the_index_finds_what_looking_at_everything_finds(events: list[Event]) -> None:
    state = fold(events)
    assert sorted(pairs(state)) == slowly(state, POLICY)
    live = State()
    for event in events:
        live.apply(event)
    assert open_conflicts(live, POLICY) == open_conflicts(state, POLICY) and live == state


@settings(max_examples=200)
@given(lives(), st.lists(BODIES, min_size=1, max_size=4))
def test_undo_gives_back_the_conflicts_there_were(events: list[Event], more: list[Body]) -> None:
    state = fold(events)
    before = (open_conflicts(state, POLICY), dict(state.memories), {t: set(m) for t, m in state.holders.items()})
    for i, body in enumerate(more):
        state.apply(Event(1000 + i, events[-1].at, "doing", body, "", ""))
    done = open_conflicts(state, POLICY)
    state.apply(Event(2000, events[-1].at, "undoing", Undone("doing"), "", ""))
    after = (open_conflicts(state, POLICY), dict(state.memories), {t: set(m) for t, m in state.holders.items()})
    assert after == before
    state.apply(Event(2001, events[-1].at, "redoing", Undone("undoing"), "", ""))
    assert open_conflicts(state, POLICY) == done


THREE: list[Block] = [
    ("births", START, [created(name, TEXTS[i], START + i * DAY) for i, name in enumerate(NAMES)]),
    ("night", START + 5 * DAY, [unsure(0, 1), unsure(1, 2), unsure(0, 3)]),
]
SETTLED_BY: dict[str, list[Body]] = {
    "both": [BOTH],
    "aside": [SetAside(HASHES[1], HASHES[2])],
    "replaced": [
        Judged(HASHES[0], HASHES[3], Label.SUPERSEDES, 1.0, YOU),
        Retired(IDS[0], RetireReason.SUPERSEDED, by=IDS[3]),
    ],
}


@given(st.permutations(sorted(SETTLED_BY)), st.lists(st.floats(0, 1), max_size=3))
def test_answers_in_any_order_settle_the_same_and_stay_settled(order: list[str], later: list[float]) -> None:
    state = state_of(*(SETTLED_BY[name] for name in order), blocks=THREE)
    assert open_conflicts(state, POLICY) == []
    assert {memory.id for memory in state.active()} == set(IDS[1:])
    for i, confidence in enumerate(later):  # no mind opens again what the person settled
        for older, newer in ((0, 1), (1, 2), (0, 3)):
            body = unsure(older, newer, confidence, judge="another mind")
            state.apply(Event(500 + i, START + 9 * DAY, f"m{i}", body, "", ""))
    assert open_conflicts(state, POLICY) == []


# recall


def cost(text: str) -> int:
    return len(text)


def prompt_of(frame: Frame, rows: Sequence[int], budget: int) -> Recollection:
    """What recall chose: these rows, best first, as far as they fit."""
    items: list[Recollected] = []
    spent = 0
    for rank, row in enumerate(rows):
        tokens = cost(frame.texts[row])
        if spent + tokens <= budget:
            spent += tokens
            items.append(Recollected(frame.ids[row], row, 0.5, 0.5, 0.0, 1 - rank / 100, 0.7, tokens, rank < 4))
    return Recollection(tuple(items), spent, budget)


def carried(found: Recollection, conflicts: Sequence[Conflict], frame: Frame, **more: int) -> Recollection:
    law, cue = SalienceLaw(), Cue("?", unit(1), {})
    return with_conflicts(found, conflicts, frame, cost, cue=cue, law=law, now_us=to_us(START + 9 * DAY), **more)


def framed(lengths: Sequence[int]) -> Frame:
    rows = [(born(f"m{i}", "x" * size, START + i * DAY), "x" * size, unit(1)) for i, size in enumerate(lengths)]
    return frame_of(rows)


def between(frame: Frame, older: int, newer: int) -> Conflict:
    return Conflict(frame.ids[older], frame.ids[newer], 0.3, "m")


def rows_of(found: Recollection) -> list[int]:
    return [item.row for item in found.items]


def test_who_is_recalled_brings_the_other_along_newest_first() -> None:
    frame = framed([10] * 6)
    for recalled in (1, 4):
        found = carried(prompt_of(frame, [0, recalled, 2], 100), [between(frame, 1, 4)], frame)
        assert rows_of(found) == [0, 4, 1, 2] and found.tokens == 40
        assert [item.passed for item in found.items if item.row in (1, 4)].count(True) == 1
        assert frame.ids[recalled] in found.recalled and len(found.recalled) == 3


def test_both_recalled_stand_together_at_the_place_of_the_better() -> None:
    frame = framed([10] * 6)
    found = carried(prompt_of(frame, [1, 0, 2, 4], 100), [between(frame, 1, 4)], frame)
    assert rows_of(found) == [4, 1, 0, 2] and all(item.passed for item in found.items)


def test_the_weakest_others_make_room_and_never_what_ranks_above() -> None:
    frame = framed([10] * 6)
    conflict = [between(frame, 1, 4)]
    assert rows_of(carried(prompt_of(frame, [0, 1, 2, 3], 40), conflict, frame)) == [0, 4, 1, 2]
    assert rows_of(carried(prompt_of(frame, [0, 2, 3, 1], 40), conflict, frame)) == [0, 2, 3, 4]  # the newer stays
    assert rows_of(carried(prompt_of(frame, [0, 1, 2, 3], 40), conflict, frame, mark_tokens=5)) == [0, 4, 1]
    assert rows_of(carried(prompt_of(frame, [0, 1, 2, 3], 90), conflict, frame, most=4)) == [0, 4, 1, 2]


def test_an_older_one_is_never_left_alone() -> None:
    frame = framed([10, 10, 10, 10, 80])
    assert rows_of(carried(prompt_of(frame, [0, 1, 2], 40), [between(frame, 1, 4)], frame)) == [0, 2]


def test_chains_stand_together_and_nothing_else_changes() -> None:
    frame = framed([10] * 6)
    chain = [between(frame, 0, 2), between(frame, 2, 5)]
    assert rows_of(carried(prompt_of(frame, [1, 0, 3], 100), chain, frame)) == [1, 2, 0, 3]  # who is brought brings nobody
    assert rows_of(carried(prompt_of(frame, [1, 2, 3], 100), chain, frame)) == [1, 5, 2, 0, 3]
    assert rows_of(carried(prompt_of(frame, [0, 1, 5], 100), chain, frame)) == [5, 2, 0, 1]
    found = prompt_of(frame, [1, 3], 100)
    assert carried(found, chain, frame) is found


def test_of_many_doubts_only_the_surest_come_along() -> None:
    frame = framed([10] * 8)
    many = [Conflict(frame.ids[0], frame.ids[row], 0.2 + row / 100, "m") for row in range(2, 8)]
    assert rows_of(carried(prompt_of(frame, [1, 0, 3], 100), many, frame)) == [1, 7, 6, 3, 0]


@settings(max_examples=300)
@given(st.data())
def test_what_recall_carries_keeps_its_laws(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, 40), min_size=2, max_size=9))
    frame = framed(lengths)
    numbers = st.integers(0, len(lengths) - 1)
    several = st.lists(st.tuples(numbers, numbers).filter(lambda p: p[0] != p[1]), max_size=4)
    conflicts = [between(frame, min(p), max(p)) for p in {tuple(sorted(p)) for p in data.draw(several)}]
    budget, mark, most = data.draw(st.integers(0, 150)), data.draw(st.integers(0, 6)), data.draw(st.integers(0, 9))
    before = prompt_of(frame, data.draw(st.permutations(range(len(lengths))))[: data.draw(numbers) + 1], budget)
    before = Recollection(before.items[:most], sum(item.tokens for item in before.items[:most]), budget)
    found = carried(before, conflicts, frame, mark_tokens=mark, most=most)
    rows, there = rows_of(found), {item.memory for item in found.items}
    assert len(rows) == len(set(rows)) <= max(most, 0)
    assert sum(item.tokens for item in found.items) == found.tokens <= budget
    place = {memory: at for at, memory in enumerate(item.memory for item in found.items)}
    recalled = {item.memory for item in before.items}
    doubts = Counter(memory for conflict in conflicts for memory in (conflict.older, conflict.newer))
    for conflict in conflicts:
        pair = {conflict.older, conflict.newer}
        if pair <= there:
            assert place[conflict.newer] < place[conflict.older], "the older above the newer"
        elif conflict.older in there and pair & recalled:
            assert max(doubts[memory] for memory in pair) > MOST_BROUGHT, "an older one alone"
    passed = {item.memory for item in before.items if item.passed}
    assert set(found.recalled) <= passed
    in_conflict = {memory for conflict in conflicts for memory in (conflict.older, conflict.newer)}
    if not in_conflict & {item.memory for item in before.items}:
        assert found is before
    for older, newers in disputed(conflicts, there).items():
        assert {older, *newers} <= there
        if len(conflicts) == 1:
            assert all(abs(place[older] - place[newer]) == 1 for newer in newers), "not side by side"


def test_many_conflicts_cost_a_turn_little() -> None:
    """Only the verdicts that propose a retirement are looked at, not the many that do not."""
    state = State()
    for i in range(300):
        state.apply(Event(i, START, f"b{i}", created(f"m{i}", f"text {i}", START + timedelta(hours=i)), "", ""))
    for i in range(299):
        for j in range(i + 1, min(i + 16, 300)):
            label = Label.SUPERSEDES if j == i + 1 else Label.UNRELATED
            body = Judged(content_hash(f"text {i}"), content_hash(f"text {j}"), label, 0.3, "m")
            state.apply(Event(1000 + i, START + 30 * DAY, "night", body, "", ""))
    assert len(state.judgements.proposing) == 299 < len(state.verdicts) // 10
    assert len(open_conflicts(state, POLICY)) == 299
