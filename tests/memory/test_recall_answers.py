"""Recall with a ranker: what ranks answers takes over where something is asked, and a newer one may stand for an older."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from memtui.memory.frame import Floats, Frame
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.moments import to_us
from memtui.memory.recall import LOOKED_AT, Cue, RecallPolicy, Recollection, recall
from memtui.memory.signals import RISING, SIGNALS, Ranked, Ranker, signals
from tests.memory.builders import DAY, DIMS, START, born, unit

NOW = to_us(START + DAY * 30)
ASPECT = SIGNALS.index("aspect")


def by_aspect(columns: Floats) -> Floats:
    return columns[:, ASPECT] - 0.5


def all_but_the_newest(best: Ranked) -> list[int]:
    newest = int(np.argmin(best.age))
    return [-1 if k == newest else newest for k in range(len(best.texts))]


def city_frame() -> Frame:
    """An older and a newer home, and something else; one slot and two aspects."""
    frame = Frame(DIMS, 1, 2)
    rows = (("berlin", 0, (1.0, 0.0)), ("lisbon", 9, (0.9, 0.1)), ("soup", 5, (0.0, 1.0)))
    for name, day, aspects in rows:
        memory = born(name, name)
        at = START + DAY * day
        memory = replace(memory, created_at=at, valid_from=at, last_recall=at)
        frame.upsert(memory, name, unit(0, 0, 1), np.array([0.5, *aspects], np.float32))
    return frame


def ask(
    frame: Frame,
    outdated: Callable[[Ranked], list[int]] | None = None,
    *,
    asks: bool = True,
    both_stand: Callable[[str, str], bool] = lambda _older, _newer: False,
) -> Recollection:
    ranker = Ranker(by_aspect, 1) if outdated is None else Ranker(by_aspect, 1, outdated)
    cue = Cue("which city", unit(1), {}, np.ones(1, np.float32), np.array([1.0, 0.0], np.float32), asks, ranker)
    policy = RecallPolicy(backfill=False)
    return recall(frame, cue, NOW, SalienceLaw(), policy, lambda text: len(text.split()), both_stand)


def named(frame: Frame, found: Recollection) -> list[str]:
    return [frame.texts[item.row] for item in found.items]


def test_the_ranker_orders_and_is_the_gate() -> None:
    frame = city_frame()
    assert named(frame, ask(frame)) == ["berlin", "lisbon"]
    assert all(item.passed for item in ask(frame).items)


def test_a_statement_is_recalled_by_the_policy_not_by_the_ranker() -> None:
    frame = city_frame()
    found = ask(frame, all_but_the_newest, asks=False)
    assert sorted(named(frame, found)) == ["berlin", "lisbon", "soup"], "all fill the slot from .3 on"
    assert found.passed_over == ()


def test_two_values_of_one_thing_never_both_reach_the_prompt() -> None:
    frame = city_frame()
    found = ask(frame, all_but_the_newest)
    assert named(frame, found) == ["lisbon"]
    assert (frame.ids[0], frame.ids[1]) in found.passed_over
    assert found.recalled == (frame.ids[1],), "what is passed over is not reinforced"


def test_newer_is_by_valid_time_whatever_the_order_of_insertion() -> None:
    frame = Frame(DIMS, 1, 2)
    for name, day in (("lisbon", 9), ("berlin", 0)):
        at = START + DAY * day
        memory = replace(born(name, name), created_at=START + DAY * 10, valid_from=at, last_recall=at)
        frame.upsert(memory, name, unit(0, 0, 1), np.array([0.5, 1.0, 0.0], np.float32))
    assert named(frame, ask(frame, all_but_the_newest)) == ["lisbon"]


def test_what_the_person_pinned_or_settled_is_never_passed_over() -> None:
    frame = city_frame()
    settled = ask(frame, all_but_the_newest, both_stand=lambda older, newer: {older, newer} == {frame.ids[0], frame.ids[1]})
    assert sorted(named(frame, settled)) == ["berlin", "lisbon"]
    frame.upsert(replace(frame.memories[0], pinned=True), "berlin")
    assert sorted(named(frame, ask(frame, all_but_the_newest))) == ["berlin", "lisbon"]


def test_only_the_best_are_looked_at_together() -> None:
    frame = Frame(DIMS, 1, 2)
    for n in range(LOOKED_AT + 5):
        frame.upsert(born(f"m{n}", f"m{n}"), f"m{n}", unit(0, 0, 1), np.array([0.5, 1.0 - n / 100, 0.0], np.float32))
    looked: list[int] = []

    def none(best: Ranked) -> list[int]:
        looked.append(len(best.texts))
        return [-1] * len(best.texts)

    ask(frame, none)
    assert looked == [LOOKED_AT]


def test_signals_have_their_columns_and_salience_is_not_among_them() -> None:
    found = signals(
        words=np.array([1.0, 0.0]),
        meaning=np.array([0.4, 0.1]),
        spread=(0.1, 0.4),
        slots=np.array([[0.5, 0.5], [0.0, 1.0]], np.float32),
        asked=np.array([1.0, 0.0], np.float32),
        single=1,
        aspect=np.array([0.9, 0.2]),
        texts=["x" * 300, ""],
        told=np.array([0.0, 1.0]),
    )
    assert found.shape == (2, len(SIGNALS)) and found.dtype == np.float64
    np.testing.assert_allclose(found[0], [1, 0.4, 1, 0.5, 0.5, 0.9, 1, 0, 1, 1], atol=1e-6)
    np.testing.assert_allclose(found[1], [0, 0.1, 0, 0, 0, 0.2, 0, 1, 1, 1], atol=1e-6)
    assert set(RISING) < set(SIGNALS) and not {"salience", "retention", "importance"} & set(SIGNALS)


def test_a_language_that_needs_more_tokens_gets_more_room() -> None:
    frame = city_frame()
    cue = Cue("q", unit(1), {}, np.ones(1, np.float32), np.array([1.0, 0.0], np.float32), True, Ranker(by_aspect, 1))
    policy = RecallPolicy(backfill=False, budget_tokens=1)
    narrow = recall(frame, cue, NOW, SalienceLaw(), policy, lambda text: 1)
    wide = recall(frame, replace(cue, room=2.0), NOW, SalienceLaw(), policy, lambda text: 1)
    assert (len(narrow.items), narrow.budget) == (1, 1) and (len(wide.items), wide.budget) == (2, 2)
