"""Tiny scenarios, and minds that cost something."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.memory.model import Candidate, Label, Summary, Verdict
from memtui.minds.base import Grade, Judging, Message, PairText
from tests.doubles import ScriptedMind

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
TURNS = (
    "I live in Berlin near the canal",
    "My sister Ana keeps bees in Porto",
    "I am allergic to walnuts",
    "I moved: now I live in Lisbon near the river",
    "The bees of Ana made honey",
    "Coffee again this morning",
)
PROBES: tuple[dict[str, Any], ...] = (
    {
        "id": "p1",
        "question": "Where do I live, near what?",
        "answers": ["Lisbon"],
        "evidence": ["t4"],
        "stale": ["t1"],
        "category": "update",
    },
    {
        "id": "p2",
        "question": "Am I allergic to walnuts?",
        "answers": ["walnuts"],
        "evidence": ["t3"],
        "category": "once",
    },
    {"id": "p3", "question": "Zebra crossing?", "answers": [], "evidence": [], "category": "nothing"},
)


def scenario_lines(turns: Sequence[str] = TURNS, probes: Sequence[dict[str, Any]] = PROBES) -> list[dict[str, Any]]:
    """A session: one turn a day, the probes an hour after the last."""
    lines: list[dict[str, Any]] = [{"type": "session", "format": "memtui-session", "version": 1, "title": "tiny"}]
    at = START
    for number, text in enumerate(turns, 1):
        at = START + timedelta(days=number - 1)
        lines.append({"type": "user", "id": f"t{number}", "at": at.isoformat(), "text": text})
    return lines + [{"type": "probe", "at": (at + timedelta(hours=1)).isoformat(), **probe} for probe in probes]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A file of six turns and three probes."""
    path = tmp_path / "tiny.jsonl"
    path.write_text("\n".join(map(json.dumps, scenario_lines())), encoding="utf-8")
    return path


class CostlyMind(ScriptedMind):
    """A mind that is not local and counts what it is asked; `before` may raise in place of any call."""

    label = "costly · test"
    local = False
    judging = Judging(retire_confidence=0.7, duplicate_confidence=0.7, pairs_a_call=2)

    def __init__(self, before: Callable[[str, int], None] = lambda kind, number: None) -> None:
        super().__init__()
        self.asked: list[str] = []
        self._before = before
        self.verdict = _changed

    def count(self, kind: str) -> int:
        """How often a kind was asked."""
        return self.asked.count(kind)

    def _ask(self, kind: str) -> None:
        self.asked.append(kind)
        self._before(kind, self.count(kind))

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        self._ask("extract")
        return await super().extract(text, now, recent)

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        self._ask("judge")
        return await super().judge(pairs)

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        self._ask("summarize")
        return await super().summarize(texts, language)

    async def reply(self, prompt: Any) -> Any:
        self._ask("reply")
        yield _delta("It is ")
        yield _delta(prompt.memories[0].text if prompt.memories else "unknown")

    async def grade(self, question: str, answers: Sequence[str], reply: str) -> Grade:
        self._ask("grade")
        return Grade("compared", any(answer in reply for answer in answers))


def _delta(text: str) -> Any:
    from memtui.minds.base import Delta

    return Delta(text)


def _changed(pair: PairText) -> Verdict:
    both_live = "live in" in pair.older and "live in" in pair.newer
    return Verdict("moved", Label.SUPERSEDES, 0.9) if both_live else Verdict("apart", Label.UNRELATED, 0.9)
