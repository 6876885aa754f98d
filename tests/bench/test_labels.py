from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memtui.bench.checkpoint import Checkpoint
from memtui.bench.faults import MechanismError
from memtui.bench.labels import (
    PairRow,
    StatementRow,
    acted_on,
    read_pairs,
    read_statements,
    score_pairs,
    score_statements,
)
from memtui.errors import InputError, MindMalformedError, SessionFormatError
from memtui.memory.model import Candidate, Kind, Label, Verdict
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.minds.base import Message, PairText
from memtui.minds.offline.mind import OfflineMind
from tests.bench.conftest import CostlyMind


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


GOOD = {"text": "I live in Porto", "keep": True, "kind": "semantic", "importance": "high", "lang": "en"}


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ("{", ":2: no JSON"),
        ("[1]", ":2: no JSON object"),
        ({"keep": True}, ":2, key 'text'"),
        ({"text": "x", "keep": "yes"}, ":2, key 'keep'"),
        ({"text": "x", "keep": True, "kind": "odd", "importance": "low"}, ":2, key 'kind'"),
        ({"text": "x", "keep": True, "kind": "semantic"}, ":2, key 'importance'"),
    ],
)
def test_a_broken_statement_line_is_named(tmp_path: Path, row: object, where: str) -> None:
    path = write(tmp_path / "s.jsonl", GOOD, row)
    with pytest.raises(SessionFormatError) as caught:
        read_statements(path)
    assert f"{path}{where}" in str(caught.value)


def test_a_broken_pair_line_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", {"older": "a", "newer": "b", "label": "replaces"})
    with pytest.raises(SessionFormatError, match=r":1, key 'label'"):
        read_pairs(path)


def test_a_missing_or_empty_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_pairs(tmp_path / "none.jsonl")
    with pytest.raises(InputError):
        read_statements(write(tmp_path / "empty.jsonl", ""))


class _Scripted(OfflineMind):
    """Judges by a script."""

    def __init__(self, verdicts: Sequence[Verdict | None]) -> None:
        super().__init__()
        self._script = list(verdicts)

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        return [self._script.pop(0) for _ in pairs]


async def test_pairs_are_scored_as_a_sleep_pass_would_act() -> None:
    rows = [PairRow("a", "b", "supersedes")] * 3 + [PairRow("a", "b", "duplicate"), PairRow("a", "b", "unrelated")]
    mind = _Scripted(
        [
            Verdict("", Label.SUPERSEDES, 0.9),
            Verdict("", Label.SUPERSEDES, 0.1),
            None,
            Verdict("", Label.DUPLICATE, 0.9),
            Verdict("", Label.SUPERSEDES, 0.9),
        ]
    )
    found = await score_pairs(rows, mind)
    assert found["accuracy"] == 0.4
    assert found["labels"]["supersedes"] == {"precision": 0.5, "recall": 0.3333, "f1": 0.4, "n": 3}
    assert (found["n"], found["unanswered"]) == (5, 1)
    assert found["confusion"]["supersedes"] == {"supersedes": 1, "additive": 1, "duplicate": 0, "unrelated": 0, "none": 1}


def test_an_unsure_retirement_keeps_both() -> None:
    assert acted_on(Verdict("", Label.DUPLICATE, 0.4), SleepPolicy()) == "additive"
    assert acted_on(None, SleepPolicy()) == "none"


class _Extracting:
    """A mind that can only extract."""

    local = True

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        return [Candidate(text, Kind.SEMANTIC, 0.9, "", text, now)] if "Porto" in text else []


async def test_statements_are_scored_through_extraction_too(tmp_path: Path, mind_rows: list[dict[str, Any]]) -> None:
    rows = read_statements(write(tmp_path / "s.jsonl", *mind_rows))
    found = await score_statements(rows, _Extracting())  # type: ignore[arg-type]
    assert found["keep"]["accuracy"] == 1.0 and found["keep"]["n"] == 2
    assert found["kind"] == {
        "accuracy": 1.0,
        "n": 1,
        "unanswered": 0,
        "labels": {
            "episodic": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "n": 0},
            "semantic": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "n": 1},
        },
        "confusion": {
            "episodic": {"episodic": 0, "semantic": 0, "none": 0},
            "semantic": {"episodic": 0, "semantic": 1, "none": 0},
        },
    }


def _fails_at(kind: str, *numbers: int) -> CostlyMind:
    """A mind whose calls of a kind fail, by their number."""

    def before(asked: str, number: int) -> None:
        if asked == kind and number in numbers:
            raise MindMalformedError("broken JSON")

    return CostlyMind(before)


async def test_an_unanswered_pair_is_counted_and_never_guessed() -> None:
    rows = [PairRow(f"live in {n}", f"now live in {n + 1}", "supersedes") for n in range(6)]
    found = await score_pairs(rows, _fails_at("judge", 2, 3))  # the second lot of two, and its second try
    assert (found["accuracy"], found["n"], found["unanswered"]) == (0.6667, 6, 2)
    assert found["labels"]["supersedes"] == {"precision": 1.0, "recall": 0.6667, "f1": 0.8, "n": 6}
    assert found["confusion"]["supersedes"]["none"] == 2
    assert found["failed_calls"] == {"judge": 2}


async def test_a_bad_reply_that_the_second_try_mends_costs_nothing() -> None:
    rows = [PairRow("live in a", "live in b", "supersedes"), PairRow("a", "b", "unrelated")]
    found = await score_pairs(rows, _fails_at("judge", 1))
    assert (found["accuracy"], found["unanswered"], found["failed_calls"]) == (1.0, 0, {})


async def test_an_unanswered_statement_is_counted_and_never_guessed() -> None:
    rows = [StatementRow(f"I live in {n}", True, "semantic", "medium") for n in range(4)]
    found = await score_statements(rows, _fails_at("extract", 2, 3))
    assert (found["keep"]["accuracy"], found["keep"]["n"], found["keep"]["unanswered"]) == (0.75, 4, 1)
    assert found["keep"]["confusion"]["yes"] == {"yes": 3, "no": 0, "none": 1}
    assert (found["kind"]["n"], found["kind"]["accuracy"], found["importance"]["n"]) == (3, 1.0, 3)


async def test_a_mind_that_answers_nothing_gets_no_score() -> None:
    always = range(1, 100)
    with pytest.raises(MechanismError, match="Every call to judge failed"):
        await score_pairs([PairRow("a", "b", "unrelated")] * 3, _fails_at("judge", *always))
    with pytest.raises(MechanismError, match="Every call to extract failed"):
        await score_statements([StatementRow("x", True, "semantic", "low")], _fails_at("extract", *always))
    with pytest.raises(MechanismError, match="Not one row"):
        await score_pairs([PairRow("a", "b", "unrelated")], _Scripted([None]))


async def test_a_scoring_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    rows = [PairRow(f"live in {n}", f"live in {n + 1}", "supersedes") for n in range(4)]
    kept = Checkpoint.open(tmp_path / "c.jsonl", title="t", mind="m", run="r")
    first = await score_pairs(rows, CostlyMind(), checkpoint=kept)
    kept.close()
    again = Checkpoint.open(tmp_path / "c.jsonl", title="t", mind="m", run="r")
    silent = CostlyMind()
    assert await score_pairs(rows, silent, checkpoint=again) == first
    again.close()
    assert silent.asked == []


@pytest.fixture
def mind_rows() -> list[dict[str, Any]]:
    return [GOOD, {"text": "thanks", "keep": False, "kind": None, "importance": None, "lang": "en"}]
