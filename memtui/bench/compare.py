"""One session lived under several laws, side by side: what is left, what it costs, and what probes say of it.

Each life is played anew on a memory of its own, with the calls the session recorded (the offline mind where it recorded
none), so no model is asked. Recalls are each life's own: what one law keeps can be recalled, and live longer by it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from memtui.bench.agents import MemtuiAgent
from memtui.bench.figures import Played, agent_figures, judge_probe
from memtui.chat.changes import changed_settings
from memtui.chat.companion import Companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.memory.branch import difference
from memtui.memory.model import RetireReason
from memtui.memory.state import State, state_hash
from memtui.minds.base import Mind
from memtui.sessions.beats import Beat, beats_of
from memtui.sessions.headless import play_all
from memtui.sessions.lines import AssistantTurn, CommandLine, Probe, Session, UserTurn
from memtui.sessions.stage import replay_companion, start_of

AS_NOW: Final = "as now"
CHANGED: Final = "what if"
Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to live.

    Attributes:
        changes: what differs from the settings it was made of.
    """

    name: str
    settings: Settings
    changes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Life:
    """How a session ended under one variant."""

    variant: Variant
    mind: str
    played: Played
    state: State
    texts: Mapping[str, str]


def variants_of(settings: Settings, laws: Sequence[str], changes: Mapping[str, str]) -> list[Variant]:
    """The lives to compare: several laws, each with all changes; or what is set now beside what is changed.

    Raises:
        InputError: an unknown setting or a wrong value, by name.
    """
    laws = list(dict.fromkeys(laws))
    if len(laws) > 1:
        return [_variant(law, settings, {**changes, "law": law}) for law in laws]
    wanted = {**changes, **({"law": laws[0]} if laws else {})}
    return [_variant(AS_NOW, settings, {}), _variant(CHANGED, settings, wanted)]


def _variant(name: str, settings: Settings, changes: dict[str, str]) -> Variant:
    return Variant(name, changed_settings(settings, changes), changes)


async def compare(session: Session, variants: Sequence[Variant], progress: Progress | None = None) -> dict[str, Any]:
    """Play `session` under each variant; the JSON document of `memtui compare --json`.

    Raises:
        MemtuiError: memory or mind failed.
    """
    from memtui.minds.offline.mind import OfflineMind

    mind = await asyncio.to_thread(OfflineMind)
    lives = []
    for number, variant in enumerate(variants):

        def told(share: float, what: str, number: int = number, name: str = variant.name) -> None:
            if progress is not None:
                progress((number + share) / len(variants), f"{name}: {what}")

        lives.append(await _live(session, variant, mind, told))
    probes = sum(isinstance(line, Probe) for line in session.lines)
    return {
        "session": session.path.name,
        "title": session.header.title,
        "mind": lives[0].mind,
        "turns": len(session.user_turns),
        "probes": probes,
        "variants": [_figures(life, probes) for life in lives],
        "difference": [_apart(lives[0], life) for life in lives[1:]],
    }


async def _live(session: Session, variant: Variant, mind: Mind, progress: Progress) -> _Life:
    companion = await replay_companion(session, SimClock.frozen(start_of(session)), variant.settings, fallback=mind)
    played, agent, turns = Played(), MemtuiAgent(companion), 0
    try:
        beats = [beat for beat in beats_of(session) if not _chooses_law(beat)]
        for beat in beats:
            progress(beat.index / len(beats), f"{beat.line.at:%d %b %Y}")
            if isinstance(beat.line, Probe):
                shown = await agent.shown(beat.line.question, beat.line.at)
                played.judged.append((beat.line, judge_probe(beat.line, shown)))
                played.asked_at.append(turns)
                continue
            await play_all(companion, [_silent(beat)])
            if isinstance(beat.line, UserTurn):
                turns += 1
                played.tokens.append(_tokens(companion))
                played.active.append(agent.active)
        store = companion.store
        texts = {memory.id: store.text(memory.content) for memory in store.state.memories.values()}
        return _Life(variant, companion.mind.label, played, store.state, texts)
    finally:
        await companion.close()


def _chooses_law(beat: Beat) -> bool:
    """A line that chose a law when the session was recorded: here the variant does."""
    return isinstance(beat.line, CommandLine) and beat.line.text.split(maxsplit=1)[:1] == ["/law"]


def _silent(beat: Beat) -> Beat:
    """A turn whose reply was not recorded needs none here."""
    if isinstance(beat.line, UserTurn) and beat.reply is None:
        return replace(beat, reply=AssistantTurn(beat.line.at, ""))
    return beat


def _tokens(companion: Companion) -> int:
    recollection = companion.last_recollection
    return 0 if recollection is None else recollection.tokens


def _figures(life: _Life, probes: int) -> dict[str, Any]:
    state, played = life.state, life.played
    undone = state.undone()
    retired = Counter(memory.retired_reason for memory in state.retired())
    figures = agent_figures(played)
    per_probe, per_turn = figures.pop("per_probe"), figures.pop("per_turn")
    return {
        "name": life.variant.name,
        "law": life.variant.settings.memory.law,
        "changes": dict(life.variant.changes),
        "active": len(state.active()),
        "retired": {reason.value: retired[reason] for reason in RetireReason},
        "sleeps": sum(event.block not in undone for event in state.sleeps),
        "tokens_mean": round(sum(played.tokens) / max(1, len(played.tokens)), 1),
        "tokens_max": max(played.tokens, default=0),
        "probes": {key: figures[key] for key in _PROBED} if probes else None,
        "per_turn": per_turn,
        "per_probe": per_probe if probes else None,
        "state_hash": state_hash(state),
    }


_PROBED: Final = ("n", "hit", "contaminated", "clean", "current_first", "by_category")


def _apart(first: _Life, second: _Life) -> dict[str, Any]:
    apart = difference(first.state, second.state)
    return {
        "between": [first.variant.name, second.variant.name],
        "only_first": _records(first, second, apart.only_trunk),
        "only_second": _records(second, first, apart.only_branch),
        "both": apart.both,
    }


def _records(here: _Life, there: _Life, memories: Sequence[str]) -> list[dict[str, Any]]:
    """The memories that only one life has, the most important first."""
    records = [_record(here, there, memory) for memory in memories]
    return sorted(records, key=lambda record: -float(record["importance"]))


def _record(here: _Life, there: _Life, memory: str) -> dict[str, Any]:
    """A memory that only one life has, and what became of it in the other (None: it was never there)."""
    known, gone = here.state.memories[memory], there.state.memories.get(memory)
    reason = gone.retired_reason if gone is not None else None
    return {
        "id": memory,
        "kind": known.kind.value,
        "importance": known.importance,
        "content": here.texts[memory],
        "there": reason.value if reason is not None else None,
    }
