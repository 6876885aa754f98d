"""Why a memory is gone, and the recall that would have saved it: checked by living it again from the events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.events import Body, Event, Recalled, Retired, Turned, Undone
from memtui.memory.forgotten import ending, retirement
from memtui.memory.frame import Bools, Frame
from memtui.memory.laws import Law
from memtui.memory.laws.baselines import WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.model import Kind, RetireReason
from memtui.memory.moments import NEVER_US, from_us, to_us
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.sleep.plan import make_plan, plan_bodies
from memtui.memory.state import fold
from tests.memory.builders import DAY, HOUR, START, chained, created
from tests.memory.test_every_law import every_law, framed, lives

Drawn = list[tuple[Kind, float, list[tuple[float, bool]]]]
Block = tuple[str, datetime, Sequence[Body]]


def told(drawn: Drawn) -> list[Block]:
    """Blocks of memories m0, m1, … told an hour apart, each with its recalls."""
    blocks: list[Block] = []
    for number, (kind, importance, uses) in enumerate(drawn):
        at = START + HOUR * number
        body = created(f"m{number}", f"text {number}", at, kind=kind, importance=importance)
        blocks.append((f"b{number}", at, [body]))
        for k, (gap, _) in enumerate(uses):
            at += timedelta(hours=gap)
            blocks.append((f"b{number}.{k}", at, [Recalled((body.memory,), f"t{k}")]))
    return sorted(blocks, key=lambda block: block[1])


def slept(blocks: list[Block], law: Law, days: float) -> tuple[Frame, list[Event]]:
    """The frame in front of a pass so many days after the last thing that happened, and the events of the pass."""
    frame = framed(fold(chained(blocks)))
    at = blocks[-1][1] + DAY * days
    plan = make_plan(frame, at, law, SleepPolicy(), trigger="test")
    bodies, _ = plan_bodies(plan, frame, lambda item: "none")
    events = chained([*blocks, ("pass", at, bodies)])
    return frame, [event for event in events if event.block == "pass"]


def pruned(events: Sequence[Event]) -> list[str]:
    bodies = [event.body for event in events if isinstance(event.body, Retired)]
    return [body.memory for body in bodies if body.reason is RetireReason.PRUNED]


def goes(blocks: list[Block], law: Law, memory: str, at: datetime, recalled_us: int | None) -> bool:
    """Whether the law lets go of it at `at`, lived from the events with one recall more."""
    more: list[Block] = [] if recalled_us is None else [("more", from_us(recalled_us), [Recalled((memory,), "t")])]
    frame = framed(fold(chained(sorted([*blocks, *more], key=lambda block: block[1]))))
    skills: Bools = np.array([known.kind is Kind.PROCEDURAL for known in frame.memories])
    return bool(law.faded(frame, to_us(at), spared=skills)[frame.row(memory)])


@every_law
@settings(max_examples=30, deadline=None)
@given(st.lists(lives, min_size=1, max_size=9), st.floats(1, 200))
def test_the_recall_that_is_named_would_have_saved_it_and_no_earlier_one(law: Law, drawn: Drawn, days: float) -> None:
    blocks = told(drawn)
    frame, events = slept(blocks, law, days)
    at, gone = events[0].at, pruned(events)
    for memory in gone[:2]:
        found = ending(law, frame, memory, events)
        assert not found.other_law and goes(blocks, law, memory, at, None)
        if found.chance is None:
            assert goes(blocks, law, memory, at, to_us(at))
            continue
        chance, last = found.chance, to_us(frame.memories[frame.row(memory)].last_recall)
        assert chance.latest_us == to_us(at) and last <= chance.since_us <= chance.latest_us <= chance.until_us
        assert not goes(blocks, law, memory, at, chance.latest_us)
        assert not goes(blocks, law, memory, at, chance.since_us)
        if chance.since_us > last + 2_000_000:
            assert goes(blocks, law, memory, at, chance.since_us - 2_000_000)


def test_of_salience_it_is_the_closed_form() -> None:
    law, blocks = SalienceLaw(), told([(Kind.EPISODIC, 0.3, [])])
    frame, events = slept(blocks, law, 20)
    (memory,) = pruned(events)
    chance = ending(law, frame, memory, events).chance
    assert chance is not None
    lasts = timedelta(hours=72 * float(np.log2(0.3 * (1 + np.log(2)) / 0.05)))
    assert abs(from_us(chance.until_us) - (events[0].at + lasts)) < timedelta(seconds=1)
    assert abs(from_us(chance.since_us) - (events[0].at - lasts)) < timedelta(seconds=2)


def test_one_that_is_worth_next_to_nothing_no_recall_would_have_saved() -> None:
    law, blocks = SalienceLaw(), told([(Kind.EPISODIC, 0.02, [])])
    frame, events = slept(blocks, law, 20)
    found = ending(law, frame, pruned(events)[0], events)
    assert (found.chance, found.shortfall, found.other_law) == (None, None, False)


def test_where_room_is_short_it_says_what_was_lacking() -> None:
    law = StabilityLaw(capacity=2)
    blocks = told([(Kind.SEMANTIC, importance, [(1.0, False)] * 4) for importance in (0.05, 0.9, 0.9)])
    frame, events = slept(blocks, law, 2)
    (memory,) = pruned(events)
    lacked = ending(law, frame, memory, events).shortfall
    assert memory == frame.ids[0] and lacked is not None and lacked.had < lacked.needed
    assert lacked.strength is not None and lacked.strength == pytest.approx(lacked.needed - 0.5 * 0.05)
    near = told([(Kind.SEMANTIC, importance, []) for importance in (0.50, 0.51, 0.52)])
    frame, events = slept(near, law, 2)
    chance = ending(law, frame, pruned(events)[0], events).chance
    assert chance is not None and chance.until_us == NEVER_US
    capped = Capped(SalienceLaw(), 2)
    frame, events = slept(blocks, capped, 2)
    lacked = ending(capped, frame, pruned(events)[0], events).shortfall
    assert lacked is not None and lacked.strength is not None and lacked.strength > lacked.had - 1e-9


def test_a_law_that_looks_at_no_use_offers_no_recall() -> None:
    law = WindowLaw(1)
    frame, events = slept(told([(Kind.SEMANTIC, 0.5, []), (Kind.SEMANTIC, 0.5, [])]), law, 2)
    found = ending(law, frame, pruned(events)[0], events)
    assert found.chance is None and found.shortfall is None


def test_under_another_law_it_would_not_have_gone() -> None:
    blocks = told([(Kind.EPISODIC, 0.3, [])])
    frame, events = slept(blocks, SalienceLaw(), 20)
    assert ending(SalienceLaw(floor=1e-9), frame, pruned(events)[0], events).other_law


def test_the_retirement_is_the_last_that_counts() -> None:
    body = created("a", "x")
    gone = Retired(body.memory, RetireReason.FORGOTTEN)
    blocks: list[Block] = [
        ("b", START, [body, Turned("t", "s")]),
        ("f", START + DAY, [gone]),
        ("g", START + 2 * DAY, [gone]),
    ]
    events = chained([*blocks, ("u", START + 3 * DAY, [Undone("g")])])
    state = fold(events)
    found = retirement(state.history[body.memory], state.undone())
    assert found is not None and found.block == "f"
    assert retirement(state.history[body.memory][:1], frozenset()) is None
