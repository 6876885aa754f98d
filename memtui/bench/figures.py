"""How a probe is judged without a model, and what all probes come to (FORMATS)."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memtui.bench.agents import Shown
from memtui.sessions.lines import Probe

NOTHING: Final = "nothing"
"""The category of probes that nothing told answers."""
SHARES: Final = ("hit", "contaminated", "clean", "current_first")
"""Figures that are shares of the probes."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How one agent did on one probe.

    `hit` for a "nothing" probe means that nothing passed the gate; `current_first` is None where neither evidence nor
    anything stale was recalled.
    """

    hit: bool
    contaminated: bool
    current_first: bool | None
    tokens: int
    recalled: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """A hit without anything stale beside it."""
        return self.hit and not self.contaminated


@dataclass
class Played:
    """What one agent did over a scenario.

    Attributes:
        judged: each probe with its judgement, in order.
        asked_at: for each probe, how many user turns had been told.
        active: memories held after each user turn.
        tokens: memory tokens of the prompt of each user turn.
    """

    judged: list[tuple[Probe, Judged]] = field(default_factory=list)
    asked_at: list[int] = field(default_factory=list)
    active: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)


def judge_probe(probe: Probe, shown: Sequence[Shown]) -> Judged:
    """FORMATS, "How a probe is judged"."""
    evidence, stale = set(probe.evidence), set(probe.stale)
    answers = [fold_text(answer) for answer in probe.answers]
    first: bool | None = None
    hit = contaminated = False
    for memory in shown:
        sources = set(memory.sources)
        is_evidence = bool(sources & evidence)
        is_stale = bool(sources) and sources <= stale
        text = fold_text(memory.text)
        hit = hit or (is_evidence and any(answer in text for answer in answers))
        contaminated = contaminated or is_stale
        if first is None and (is_evidence or is_stale):
            first = is_evidence
    if probe.category == NOTHING:
        hit = not any(memory.passed for memory in shown)
    recalled = tuple(source for memory in shown for source in memory.sources)
    return Judged(hit, contaminated, first, sum(memory.tokens for memory in shown), recalled)


def fold_text(text: str) -> str:
    """Text as answers are compared: NFKC, case folded, ё as е."""
    return unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")


def agent_figures(played: Played) -> dict[str, Any]:
    """One agent's figures: over all probes, by category, and turn by turn."""
    by_category: dict[str, list[Judged]] = defaultdict(list)
    for probe, judged in played.judged:
        by_category[probe.category].append(judged)
    return {
        **_shares([judged for _, judged in played.judged]),
        "active_final": played.active[-1] if played.active else 0,
        "by_category": {category: _shares(judged) for category, judged in sorted(by_category.items())},
        "per_turn": {"active": played.active, "tokens": played.tokens},
        "per_probe": {
            "turn": played.asked_at,
            "tokens": [judged.tokens for _, judged in played.judged],
            "clean": [judged.clean for _, judged in played.judged],
        },
    }


def _shares(judged: Sequence[Judged]) -> dict[str, Any]:
    tokens = [one.tokens for one in judged]
    return {
        "n": len(judged),
        "hit": share([one.hit for one in judged]),
        "contaminated": share([one.contaminated for one in judged]),
        "clean": share([one.clean for one in judged]),
        "current_first": share([one.current_first for one in judged if one.current_first is not None]),
        "tokens_mean": round(sum(tokens) / max(1, len(tokens)), 1),
        "tokens_max": max(tokens, default=0),
    }


def share(values: Sequence[bool]) -> float | None:
    """The share of true ones to four decimals; None of nothing."""
    return round(sum(values) / len(values), 4) if values else None


def mean_of(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One record in which each figure is the mean of the files' (each file counts the same; `tokens_max` is the largest).

    A category that only some files have is the mean of those; `n` and `turns` are sums.
    """
    names = list(records[0]["agents"])
    agents: dict[str, Any] = {}
    for name in names:
        each = [record["agents"][name] for record in records]
        categories = sorted({category for one in each for category in one["by_category"]})
        agents[name] = {
            **_mean_shares(each),
            "active_final": round(sum(one["active_final"] for one in each) / len(each), 1),
            "by_category": {
                category: _mean_shares([one["by_category"][category] for one in each if category in one["by_category"]])
                for category in categories
            },
        }
    return {
        "scenario": f"mean of {len(records)} files",
        "mind": records[0]["mind"],
        "turns": sum(record["turns"] for record in records),
        "files": len(records),
        "agents": agents,
    } | _mean_graded(records)


def _mean_shares(figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {"n": sum(one["n"] for one in figures)}
    for key in SHARES:
        out[key] = mean([one[key] for one in figures])
    return out | {
        "tokens_mean": round(sum(one["tokens_mean"] for one in figures) / len(figures), 1),
        "tokens_max": max(one["tokens_max"] for one in figures),
    }


def _mean_graded(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not all("graded" in record for record in records):
        return {}
    out: dict[str, Any] = {}
    for name in records[0]["graded"]:
        each = [record["graded"][name] for record in records]
        categories = sorted({category for one in each for category in one["by_category"]})
        parts = {c: [one["by_category"][c] for one in each if c in one["by_category"]] for c in categories}
        out[name] = _mean_grades(each) | {"by_category": {c: _mean_grades(part) for c, part in parts.items()}}
    return {"graded": out}


def _mean_grades(figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    sums: dict[str, Any] = {key: sum(one[key] for one in figures) for key in ("n", "correct", "failed", "unreadable")}
    return sums | {"accuracy": mean([one["accuracy"] for one in figures])}


def mean(values: Sequence[float | None]) -> float | None:
    """The mean to four decimals of what is there; None of nothing."""
    there = [value for value in values if value is not None]
    return round(sum(there) / len(there), 4) if there else None
