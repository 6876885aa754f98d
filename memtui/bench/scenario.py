"""`memtui bench scenario`: does forgetting answer better than never forgetting? (FORMATS: how a probe is judged)"""

from __future__ import annotations

import asyncio
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from memtui.bench.agents import Agent, MemtuiAgent, NaiveAgent, Shown, WindowAgent
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import InputError
from memtui.minds.base import Mind
from memtui.sessions.format import read_session
from memtui.sessions.lines import Probe, Session, UserTurn

NOTHING: Final = "nothing"
Progress = Callable[[float, str], None]


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
class _Played:
    """What one agent did over a scenario."""

    judged: list[tuple[Probe, Judged]] = field(default_factory=list)
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


async def play_scenario(path: Path, mind: Mind, settings: Settings, progress: Progress | None = None) -> dict[str, Any]:
    """Play one scenario through all agents; the JSON of FORMATS.

    Raises:
        SessionFormatError: the file breaks its format.
        InputError: it holds no probes.
    """
    session = read_session(path)
    probes = [line for line in session.lines if isinstance(line, Probe)]
    if not probes:
        raise InputError(f"{path}: there are no probes in it.", todo="A scenario asks; see FORMATS in the docs.")
    clock = SimClock.frozen(session.lines[0].at)
    companion = scratch_companion(settings, clock, mind, session_id=session.header.title)
    agents: list[Agent] = [
        MemtuiAgent(companion),
        NaiveAgent(6, mind.embedder),
        NaiveAgent(10, mind.embedder),
        WindowAgent(20),
    ]
    try:
        played = await _play(session, agents, progress)
    finally:
        await asyncio.to_thread(companion.store.close)
    return {
        "scenario": path.name,
        "mind": mind.label,
        "turns": len(session.user_turns),
        "agents": {name: _figures(one) for name, one in played.items()},
        "probes": _probe_records(probes, played),
    }


async def _play(session: Session, agents: Sequence[Agent], progress: Progress | None) -> dict[str, _Played]:
    played = {agent.name: _Played() for agent in agents}
    for number, line in enumerate(session.lines):
        if progress is not None:
            progress(number / len(session.lines), f"{line.at:%d %b %Y}")
        for agent in agents:
            mine = played[agent.name]
            if isinstance(line, UserTurn):
                mine.tokens.append(await agent.hear(line))
                mine.active.append(agent.active)
            elif isinstance(line, Probe):
                mine.judged.append((line, judge_probe(line, await agent.shown(line.question, line.at))))
    return played


def _figures(played: _Played) -> dict[str, Any]:
    by_category: dict[str, list[Judged]] = defaultdict(list)
    for probe, judged in played.judged:
        by_category[probe.category].append(judged)
    return {
        **_shares([judged for _, judged in played.judged]),
        "active_final": played.active[-1] if played.active else 0,
        "by_category": {category: _shares(judged) for category, judged in sorted(by_category.items())},
        "per_turn": {"active": played.active, "tokens": played.tokens},
    }


def _shares(judged: Sequence[Judged]) -> dict[str, Any]:
    firsts = [one.current_first for one in judged if one.current_first is not None]
    tokens = [one.tokens for one in judged]
    return {
        "n": len(judged),
        "hit": _mean([one.hit for one in judged]),
        "contaminated": _mean([one.contaminated for one in judged]),
        "clean": _mean([one.clean for one in judged]),
        "current_first": _mean(firsts),
        "tokens_mean": round(sum(tokens) / max(1, len(tokens)), 1),
        "tokens_max": max(tokens, default=0),
    }


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _probe_records(probes: Sequence[Probe], played: dict[str, _Played]) -> list[dict[str, Any]]:
    records = []
    for number, probe in enumerate(probes):
        record: dict[str, Any] = {"id": probe.id, "category": probe.category}
        for name, one in played.items():
            judged = one.judged[number][1]
            record[name] = {
                "hit": judged.hit,
                "contaminated": judged.contaminated,
                "clean": judged.clean,
                "recalled": list(judged.recalled),
            }
        records.append(record)
    return records
