"""`memtui bench scenario`: does forgetting answer better than never forgetting? (FORMATS: how a probe is judged)"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui.bench.agents import Agent, MemtuiAgent, NaiveAgent, WindowAgent
from memtui.bench.checkpoint import Checkpoint
from memtui.bench.figures import Played, agent_figures, fold_text, judge_probe
from memtui.bench.graded import Answer, answer_probe, graded_figures
from memtui.bench.steady import SteadyMind, no_embedder
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import InputError, MindError
from memtui.minds.base import Mind
from memtui.sessions.format import read_session
from memtui.sessions.lines import Probe, Session, UserTurn

__all__ = ["fold_text", "judge_probe", "play_scenario", "read_scenario"]

Progress = Callable[[float, str], None]
_Answers = dict[str, list[tuple[Probe, Answer]]]


def read_scenario(path: Path) -> Session:
    """A session file with probes.

    Raises:
        SessionFormatError: the file breaks its format.
        InputError: it holds no probes, or can't be read.
    """
    session = read_session(path)
    if not any(isinstance(line, Probe) for line in session.lines):
        raise InputError(f"{path}: there are no probes in it.", todo="A scenario asks: give a file with probe lines.")
    return session


async def play_scenario(
    path: Path,
    mind: Mind,
    settings: Settings,
    progress: Progress | None = None,
    *,
    checkpoint: Checkpoint | None = None,
    keep_vectors: bool = False,
) -> dict[str, Any]:
    """Play one scenario through all agents; the JSON of FORMATS.

    With a mind that is not local each probe is answered and graded too (`graded`), calls are kept in `checkpoint` and
    counted (`calls`, `failed_calls`). The mind stays open.

    Args:
        keep_vectors: keep the embedder's vectors in the checkpoint too.

    Raises:
        SessionFormatError: the file breaks its format.
        InputError: it holds no probes.
        MechanismError: something that is measured does not work at all.
    """
    session = read_scenario(path)
    steady = None if mind.local else SteadyMind(mind, checkpoint, keep_vectors=keep_vectors)
    thinking: Mind = mind if steady is None else steady
    try:
        await thinking.embedder.embed(["a first word"])
    except (MindError, ImportError) as error:
        raise no_embedder(error) from error
    clock = SimClock.frozen(session.lines[0].at)
    companion = scratch_companion(settings, clock, thinking, session_id=session.header.title)
    agents: list[Agent] = [
        MemtuiAgent(companion),
        NaiveAgent(6, thinking.embedder),
        NaiveAgent(10, thinking.embedder),
        WindowAgent(20),
    ]
    answers: _Answers = defaultdict(list)
    try:
        played = await _play(session, agents, progress, steady, answers)
    finally:
        await asyncio.to_thread(companion.store.close)
    record: dict[str, Any] = {
        "scenario": path.name,
        "mind": mind.label,
        "turns": len(session.user_turns),
        "agents": {name: agent_figures(one) for name, one in played.items()},
        "probes": _probe_records(played, answers),
    }
    if steady is not None:
        steady.tally.check()
        if answers:
            record["graded"] = {name: graded_figures(each) for name, each in answers.items()}
        record |= {"calls": steady.tally.all_calls(), "failed_calls": steady.tally.failed_calls()}
    return record


async def _play(
    session: Session,
    agents: Sequence[Agent],
    progress: Progress | None,
    steady: SteadyMind | None,
    answers: _Answers,
) -> dict[str, Played]:
    played = {agent.name: Played() for agent in agents}
    turns = 0
    for number, line in enumerate(session.lines):
        turns += isinstance(line, UserTurn)
        for agent in agents:
            if progress is not None:
                progress(number / len(session.lines), f"{line.at:%d %b %Y} {line.type} {agent.name}")
            mine = played[agent.name]
            if isinstance(line, UserTurn):
                mine.tokens.append(await agent.hear(line))
                mine.active.append(agent.active)
            elif isinstance(line, Probe):
                shown = await agent.shown(line.question, line.at)
                mine.judged.append((line, judge_probe(line, shown)))
                mine.asked_at.append(turns)
                if steady is not None and steady.grades:
                    answers[agent.name].append((line, await answer_probe(steady, line, shown)))
    return played


def _probe_records(played: Mapping[str, Played], answers: _Answers) -> list[dict[str, Any]]:
    probes = [probe for probe, _ in next(iter(played.values())).judged]
    records = []
    for number, probe in enumerate(probes):
        record: dict[str, Any] = {"id": probe.id, "category": probe.category}
        for name, one in played.items():
            judged = one.judged[number][1]
            record[name] = {
                "hit": judged.hit,
                "contaminated": judged.contaminated,
                "clean": judged.clean,
                "current_first": judged.current_first,
                "recalled": list(judged.recalled),
            }
            if name in answers:
                answer = answers[name][number][1]
                record[name]["graded"] = {
                    "outcome": str(answer.outcome),
                    "reply": answer.reply,
                    "reason": answer.reason,
                }
        records.append(record)
    return records
