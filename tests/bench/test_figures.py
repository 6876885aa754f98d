"""How probes are judged and added up, on hand-made ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memtui.bench.agents import Shown
from memtui.bench.figures import Judged, Played, agent_figures, fold_text, judge_probe, mean_of
from memtui.bench.graded import Answer, Outcome, graded_figures
from memtui.minds.base import Remembered
from memtui.sessions.lines import Probe

AT = datetime(2026, 4, 1, tzinfo=UTC)


def shown(text: str, *sources: str, passed: bool = True, tokens: int = 10) -> Shown:
    return Shown(text, sources, passed, tokens, Remembered("m01", text, AT, AT, passed))


def probe(category: str = "update", answers: tuple[str, ...] = ("Lisbon",), **more: Any) -> Probe:
    evidence = () if category == "nothing" else ("new",)
    return Probe("p", AT, "Where?", answers, evidence, category, **{"stale": ("old", "older"), **more})


def test_a_hit_needs_an_evidence_source_and_an_answer_in_the_text() -> None:
    assert judge_probe(probe(), [shown("I live in LISBON", "new")]).hit
    assert not judge_probe(probe(), [shown("I live in Lisbon", "chatter")]).hit
    assert not judge_probe(probe(), [shown("I live by the river", "new")]).hit


def test_answers_are_compared_folded() -> None:
    assert fold_text("Ёлка ＡＢ") == "елка ab"
    assert judge_probe(probe(answers=("ёлка",)), [shown("У нас ЕЛКА", "new")]).hit


def test_only_what_rests_on_stale_turns_alone_contaminates() -> None:
    assert judge_probe(probe(), [shown("Berlin", "old", "older")]).contaminated
    assert not judge_probe(probe(), [shown("Berlin, then Lisbon", "old", "new")]).contaminated
    assert not judge_probe(probe(), [shown("no source at all")]).contaminated


def test_clean_is_a_hit_without_anything_stale() -> None:
    both = judge_probe(probe(), [shown("Lisbon", "new"), shown("Berlin", "old")])
    assert (both.hit, both.contaminated, both.clean) == (True, True, False)


@pytest.mark.parametrize(
    ("order", "first"),
    [(("chatter", "new", "old"), True), (("chatter", "old", "new"), False), (("chatter",), None), ((), None)],
)
def test_current_first_looks_at_the_first_of_evidence_and_stale(order: tuple[str, ...], first: bool | None) -> None:
    assert judge_probe(probe(), [shown("x", source) for source in order]).current_first is first


def test_nothing_is_clean_when_nothing_passed_the_gate() -> None:
    asked = probe("nothing", stale=())
    assert judge_probe(asked, [shown("filler", "t1", passed=False)]).clean
    assert not judge_probe(asked, [shown("filler", "t1")]).clean
    assert judge_probe(asked, []).clean


def judged(hit: bool, *, stale: bool = False, first: bool | None = None, tokens: int = 10) -> Judged:
    return Judged(hit, stale, first, tokens, ("t1",))


def test_figures_are_shares_over_all_and_by_category() -> None:
    played = Played(
        judged=[
            (probe("update"), judged(True, first=True, tokens=10)),
            (probe("update"), judged(True, stale=True, first=False, tokens=20)),
            (probe("fact"), judged(False, tokens=60)),
        ],
        asked_at=[2, 2, 4],
        active=[1, 2, 2, 3],
        tokens=[0, 5, 9, 9],
    )
    found = agent_figures(played)
    assert (found["n"], found["hit"], found["clean"], found["contaminated"]) == (3, 0.6667, 0.3333, 0.3333)
    assert (found["current_first"], found["tokens_mean"], found["tokens_max"]) == (0.5, 30.0, 60)
    assert found["active_final"] == 3
    assert found["by_category"]["update"]["clean"] == 0.5
    assert found["by_category"]["fact"] == {
        "n": 1,
        "hit": 0.0,
        "contaminated": 0.0,
        "clean": 0.0,
        "current_first": None,
        "tokens_mean": 60.0,
        "tokens_max": 60,
    }
    assert found["per_turn"] == {"active": [1, 2, 2, 3], "tokens": [0, 5, 9, 9]}
    assert found["per_probe"] == {"turn": [2, 2, 4], "tokens": [10, 20, 60], "clean": [True, False, False]}


def record(clean: bool, category: str, grades: list[Outcome]) -> dict[str, Any]:
    played = Played([(probe(category), judged(clean, first=clean or None))], [1], [4], [7])
    answers = [(probe(category), Answer(outcome, "r", "")) for outcome in grades]
    return {
        "scenario": "x",
        "mind": "m",
        "turns": 4,
        "agents": {"memtui": agent_figures(played)},
        "graded": {"memtui": graded_figures(answers)},
    }


def test_the_mean_counts_each_file_the_same_and_each_category_where_it_is() -> None:
    found = mean_of([record(True, "fact", [Outcome.RIGHT]), record(False, "update", [Outcome.WRONG, Outcome.WRONG])])
    mine = found["agents"]["memtui"]
    assert (found["turns"], found["files"]) == (8, 2)
    assert (mine["clean"], mine["current_first"], mine["n"], mine["tokens_max"]) == (0.5, 1.0, 2, 10)
    assert mine["by_category"]["fact"]["clean"] == 1.0 and mine["by_category"]["update"]["clean"] == 0.0
    assert found["graded"]["memtui"]["accuracy"] == 0.5 and found["graded"]["memtui"]["n"] == 3


def test_unanswered_counts_as_not_right_and_ungraded_is_left_out() -> None:
    outcomes = [Outcome.RIGHT, Outcome.WRONG, Outcome.NOT_ANSWERED, Outcome.NOT_GRADED]
    found = graded_figures([(probe("fact"), Answer(outcome, "", "")) for outcome in outcomes])
    assert {key: found[key] for key in ("n", "correct", "failed", "unreadable", "accuracy")} == {
        "n": 4,
        "correct": 1,
        "failed": 1,
        "unreadable": 1,
        "accuracy": 0.3333,
    }
    only = graded_figures([(probe("fact"), Answer(Outcome.NOT_GRADED, "", ""))])
    assert only["by_category"]["fact"]["accuracy"] is None
