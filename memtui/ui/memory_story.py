"""What happened to a memory and why it stands where it stands, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.chat.notes import read_note
from memtui.chat.settling import reason_of
from memtui.memory.conflicts import Conflict
from memtui.memory.events import (
    Absorbed,
    Created,
    Edited,
    Event,
    Pinned,
    Recalled,
    Reinforced,
    Restored,
    Retired,
)
from memtui.memory.ids import ID_PATTERN
from memtui.memory.model import KINDS, Memory, RetireReason
from memtui.memory.moments import from_us, hours_between, to_us
from memtui.memory.texts import one_line
from memtui.ui.time_words import span_words
from memtui.ui.widgets.card_content import CardTexts

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

_TEXT_WIDTH = 48
_RETIRED = {
    RetireReason.SUPERSEDED: "retired, superseded",
    RetireReason.MERGED: "merged into another",
    RetireReason.DUPLICATE: "retired as a duplicate",
    RetireReason.PRUNED: "pruned: it had faded below the floor",
    RetireReason.FORGOTTEN: "forgotten on request",
}


def card_texts(companion: Companion, memory: Memory, *, events: int | None = None) -> CardTexts:
    """What only the store knows of a memory: the reasons, and what happened to it.

    Args:
        events: how many of the last events are told; all of them by default.
    """
    store = companion.store
    note = read_note(store.text(memory.note)) if memory.note else None
    retired = store.text(memory.retire_note) if memory.retire_note else ""
    told = history(companion, memory.id, events)
    rivals = disputes(companion, memory.id)
    return CardTexts(note.why if note else "", retired, told, _turn_name(companion, memory), tuple(rivals))


def disputes(companion: Companion, memory_id: str) -> dict[str, Conflict]:
    """The open conflicts of a memory, by the other memory's id."""
    return {
        conflict.newer if conflict.older == memory_id else conflict.older: conflict
        for conflict in companion.conflicts()
        if memory_id in (conflict.older, conflict.newer)
    }


def _turn_name(companion: Companion, memory: Memory) -> str:
    """`turn 12` for a turn whose id is a made one; a session's own names, such as `t061`, stay as they are."""
    turns = companion.store.state.turns
    first = memory.sources[0] if memory.sources else ""
    if first not in turns or not ID_PATTERN.fullmatch(first):
        return ""
    return f"turn {list(turns).index(first) + 1}"


def history(companion: Companion, memory_id: str, last: int | None = None) -> list[tuple[datetime, str]]:
    """Moment and sentence of each event that touched a memory, in order; what was undone says so."""
    state = companion.store.state
    undone = state.undone()
    events = state.history.get(memory_id, [])
    told = events if last is None else events[-last:] if last else []
    return [(event.at, _sentence(event, companion) + (" (undone)" if event.block in undone else "")) for event in told]


def _sentence(event: Event, companion: Companion) -> str:
    def named(memory_id: str | None) -> str:
        return companion.handle(memory_id) if memory_id is not None and memory_id in companion.store.frame else "another"

    def said(content: str) -> str:
        return one_line(companion.store.text(content), _TEXT_WIDTH) or "an erased text"

    match event.body:
        case Created(merged_from=sources) if sources:
            return f"made of {len(sources)} memories: {', '.join(map(named, sources[:4]))}"
        case Created(content=content):
            return f"told: {said(content)}"
        case Recalled():
            return "recalled for a reply"
        case Reinforced():
            return "told again"
        case Absorbed(sources=sources):
            return f"took over a duplicate ({len(sources)} source{'' if len(sources) == 1 else 's'})"
        case Retired(reason=reason, by=by):
            return _RETIRED[reason] + (f" by {named(by)}" if by is not None else "")
        case Restored():
            return "restored"
        case Pinned(pinned=pinned):
            return "pinned" if pinned else "unpinned"
        case Edited(content=content, kind=kind, importance=importance):
            parts = [f"edited: {said(content)}"] if content is not None else []
            parts += [f"kind set to {kind}"] if kind is not None else []
            parts += [f"importance set to {importance:g}"] if importance is not None else []
            return ", ".join(parts) or "edited"
        case _:
            return event.body.type


def why(companion: Companion, memory: Memory, now: datetime, date: Callable[[datetime], str]) -> list[str]:
    """Why a memory is kept, fading or gone: the law's formula with its numbers, and the judge's words."""
    store, law = companion.store, companion.law
    lines: list[str] = []
    if memory.note and (reason := read_note(store.text(memory.note)).why):
        lines.append(f"Importance {memory.importance:.2f}: {reason}")
    else:
        lines.append(f"Importance {memory.importance:.2f}.")
    if not memory.active:
        reason = store.text(memory.retire_note) if memory.retire_note else ""
        if memory.retired_reason is not None:
            alone = not reason or memory.retired_reason in (RetireReason.PRUNED, RetireReason.FORGOTTEN)
            what = _RETIRED[memory.retired_reason].capitalize()
            lines.append(f"{what}." if alone else f"{what}: {reason.rstrip('.')}.")
        lines.append("It can be restored; that counts as a recall.")
        return lines
    for other, conflict in disputes(companion, memory.id).items():
        reason = reason_of(companion, conflict)
        said = f": “{reason.rstrip('.')}”" if reason else ""
        lines.append(f"It may contradict {companion.handle(other)}{said}. Both stay until you settle it (/conflicts).")
    now_us = to_us(now)
    row = store.frame.row(memory.id)
    salience = law.salience(memory, now_us)
    boost = salience_boost(memory)
    age = hours_between(memory.last_recall, now)
    kept = salience / (memory.importance * boost) if memory.importance > 0 else 0.0
    label = law.half_life_label(KINDS.index(memory.kind))
    recalls = f"{memory.recalls} recall{'' if memory.recalls == 1 else 's'}"
    lines.append(
        f"Salience {salience:.2f} = importance {memory.importance:.2f} × {boost:.2f} for {recalls}"
        f" × {kept:.2f} left after {span_words(age)} ({label})."
    )
    if memory.pinned:
        lines.append("Pinned: it is never pruned.")
    elif salience < law.floor:
        lines.append(f"That is below the floor of {law.floor:g}: the next sleep pass lets go of it unless it is recalled.")
    else:
        dies = from_us(int(law.dies_at(store.frame)[row]))
        lines.append(
            f"It falls below the floor of {law.floor:g} on {date(dies)}, in {span_words(hours_between(now, dies))}, "
            "unless it is recalled before."
        )
    return lines


def salience_boost(memory: Memory) -> float:
    """What recalls multiply a memory's importance by."""
    return 1 + math.log1p(memory.recalls)
