from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memtui.bench.labels import PairRow, acted_on, read_pairs, read_statements, score_pairs, score_statements
from memtui.errors import InputError, SessionFormatError
from memtui.memory.model import Candidate, Kind, Label, Verdict
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.minds.base import Message, PairText
from memtui.minds.offline.mind import OfflineMind


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
        "confusion": {
            "episodic": {"episodic": 0, "semantic": 0, "none": 0},
            "semantic": {"episodic": 0, "semantic": 1, "none": 0},
        },
    }


@pytest.fixture
def mind_rows() -> list[dict[str, Any]]:
    return [GOOD, {"text": "thanks", "keep": False, "kind": None, "importance": None, "lang": "en"}]
