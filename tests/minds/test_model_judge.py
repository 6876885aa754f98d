"""Verdicts from a model: what can be used is used, and no confidence goes beyond what was reasoned."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta

import pytest

from memtui.memory.model import Label
from memtui.minds.base import MODEL_JUDGING, PairText
from memtui.minds.prompts import judge_messages
from memtui.minds.recorded import RecordedCall, RecordedMind
from memtui.minds.shapes import VerdictShape
from memtui.minds.verdicts import verdicts_of
from tests.loopback import Loopback, say
from tests.minds.helpers import NOW, mind_at
from tests.minds.test_recorded import Fallback

ACTS = MODEL_JUDGING.retire_confidence


def pair(older: str = "I live in Berlin.", newer: str = "I live in Lisbon.") -> PairText:
    return PairText(older, newer, NOW - timedelta(days=90), NOW)


def verdict(n: int = 1, label: str = "supersedes", **more: object) -> dict[str, object]:
    return {"pair": n, "reason": "the home changed", "both_true_now": "no", "label": label, "confidence": 0.95} | more


def judged(*verdicts: Mapping[str, object], pairs: list[PairText] | None = None) -> list[object]:
    shapes = [VerdictShape.model_validate(each) for each in verdicts]
    return [None if v is None else (v.label, v.confidence) for v in verdicts_of(shapes, pairs or [pair()])]


def test_a_plain_change_is_acted_on() -> None:
    assert judged(verdict()) == [(Label.SUPERSEDES, 0.95)]


@pytest.mark.parametrize("both", ["yes", "unclear", True, "Maybe"])
def test_a_retirement_against_its_own_reasoning_is_left_to_the_person(both: object) -> None:
    (found,) = verdicts_of([VerdictShape.model_validate(verdict(both_true_now=both))], [pair()])
    assert found is not None
    assert MODEL_JUDGING.ask_confidence <= found.confidence < ACTS


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I am allergic to nuts.", "I am not allergic to nuts."),
        ("My code is 4417 and 9.", "My code is 4417."),
        ("I work with Anna and Tom.", "I work with Anna."),
        ("Код подъезда 4417.", "The front door code."),
    ],
)
def test_a_duplicate_that_says_less_or_otherwise_drops_nothing(older: str, newer: str) -> None:
    shape = VerdictShape.model_validate(verdict(label="duplicate", both_true_now="yes"))
    (found,) = verdicts_of([shape], [pair(older, newer)])
    assert found is not None
    assert found.label is Label.DUPLICATE
    assert found.confidence < MODEL_JUDGING.duplicate_confidence


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Lisbon.", "My home is in Lisbon, as ever."),
        ("I quit smoking.", "I don't smoke any more, I quit."),
        ("Живу в Лиссабоне.", "I live in Lisbon."),
        ("I like tea", "i like TEA!"),
    ],
)
def test_a_duplicate_that_says_all_is_one(older: str, newer: str) -> None:
    assert judged(verdict(label="duplicate", both_true_now="yes"), pairs=[pair(older, newer)]) == [(Label.DUPLICATE, 0.95)]


@pytest.mark.parametrize("given", [95, "95%", "0.95"])
def test_confidence_however_it_is_written(given: object) -> None:
    assert judged(verdict(confidence=given)) == [(Label.SUPERSEDES, 0.95)]


@pytest.mark.parametrize("given", [None, "high", 7, -1, True and "yes"])
async def test_a_verdict_without_a_confidence_is_asked_for_again(loopback: Loopback, given: object) -> None:
    """A missing confidence is no certainty."""
    loopback.on(
        "judge", say(json.dumps({"verdicts": [verdict(confidence=given)]})), say(json.dumps({"verdicts": [verdict()]}))
    )
    (found,) = await mind_at(loopback).judge([pair()])
    assert found is not None
    assert len(loopback.calls("judge")) == 2


def test_two_verdicts_on_a_pair_that_disagree_cancel_each_other() -> None:
    pairs = [pair(), pair()]
    assert judged(verdict(), verdict(label="additive", both_true_now="yes"), verdict(2), pairs=pairs) == [
        None,
        (Label.SUPERSEDES, 0.95),
    ]
    assert judged(verdict(), verdict(), pairs=pairs) == [(Label.SUPERSEDES, 0.95), None]


async def test_missing_unknown_and_repeated_numbers_leave_the_rest(
    loopback: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [verdict(2), verdict(9), verdict(2), verdict(4, label="additive", both_true_now="yes")]
    loopback.on("judge", say(f"<think>{{}}</think>Sure:\n```json\n{json.dumps({'verdicts': rows})}\n```"))
    found = await mind_at(loopback).judge([pair()] * 4)
    assert [v.label if v else None for v in found] == [None, Label.SUPERSEDES, None, Label.ADDITIVE]
    assert len(loopback.calls("judge")) == 1
    assert "[1, 3]" in caplog.text


def test_the_prompt_shows_both_dates_and_explains_what_only_looks_like_a_change() -> None:
    system, user = (m.text for m in judge_messages([pair()]))
    assert '<older date="2026-01-25">' in user and '<newer date="2026-04-25">' in user
    for rule in ("not the employer", "is no move", "Somebody else's change", "only supposed", "of the past", "A second"):
        assert rule in system
    assert system.index('"reason"') < system.index('"both_true_now"') < system.index('"label"')
    assert f"Below {ACTS:g} nothing is removed" in system.replace("\n", " ")


def test_a_recording_is_played_by_the_thresholds_of_the_mind_that_was_recorded() -> None:
    def mind(model: str | None) -> RecordedMind:
        return RecordedMind([RecordedCall("judge", ("a", "b"), {}, model, NOW)], Fallback())

    assert mind("qwen3 · ollama").judging is MODEL_JUDGING
    assert mind("offline mind").judging is Fallback().judging
    assert mind(None).judging is Fallback().judging
