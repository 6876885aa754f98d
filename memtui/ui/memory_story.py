"""What happened to a memory and why it stands where it stands, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.chat.notes import read_note
from memtui.memory.conflicts import Conflict
from memtui.memory.events import (
    Absorbed,
    Created,
    Edited,
    Event,
    Learned,
    Pinned,
    Practised,
    Retired,
    Trusted,
)
from memtui.memory.ids import ID_PATTERN
from memtui.memory.model import Memory, RetireReason
from memtui.memory.texts import one_line
from memtui.ui.law_words import end_words, left_words
from memtui.ui.why_gone import end_state_words
from memtui.ui.widgets.card_content import CardTexts

if TYPE_CHECKING:
    from memtui.chat.looking_back import Sight

_TEXT_WIDTH = 48
_PLAIN = {"recalled": "recalled for a reply", "reinforced": "told again"}
_RETIRED = {
    RetireReason.SUPERSEDED: "retired, superseded",
    RetireReason.MERGED: "merged into another",
    RetireReason.DUPLICATE: "retired as a duplicate",
    RetireReason.PRUNED: "pruned by the law of forgetting",
    RetireReason.FORGOTTEN: "forgotten on request",
    RetireReason.ARCHIVED: "archived",
}


def card_texts(sight: Sight, memory: Memory, *, events: int | None = None) -> CardTexts:
    """What only the store knows of a memory: the reasons, and what happened to it.

    Args:
        events: how many of the last events are told; all of them by default.
    """
    note = read_note(sight.text(memory.note)) if memory.note else None
    retired = sight.text(memory.retire_note) if memory.retire_note else ""
    told = history(sight, memory.id, events)
    rivals = disputes(sight, memory.id)
    return CardTexts(note.why if note else "", retired, told, _turn_name(sight, memory), tuple(rivals))


def disputes(sight: Sight, memory_id: str) -> dict[str, Conflict]:
    """The open conflicts of a memory, by the other memory's id."""
    return {
        conflict.newer if conflict.older == memory_id else conflict.older: conflict
        for conflict in sight.conflicts()
        if memory_id in (conflict.older, conflict.newer)
    }


def _turn_name(sight: Sight, memory: Memory) -> str:
    """`turn 12` for a turn whose id is a made one; a session's own names, such as `t061`, stay as they are."""
    first = memory.sources[0] if memory.sources else ""
    number = sight.turn_number(first) if ID_PATTERN.fullmatch(first) else None
    return "" if number is None else f"turn {number}"


def history(sight: Sight, memory_id: str, last: int | None = None) -> list[tuple[datetime, str]]:
    """Moment and sentence of each event that touched a memory, in order; what was undone says so."""
    undone = sight.undone()
    events = sight.events_of(memory_id)
    told = events if last is None else events[-last:] if last else []
    return [(event.at, _sentence(event, sight) + (" (undone)" if event.block in undone else "")) for event in told]


def _sentence(event: Event, sight: Sight) -> str:
    def named(memory_id: str | None) -> str:
        return sight.handle(memory_id) if memory_id is not None and memory_id in sight.frame else "another"

    def said(content: str) -> str:
        return one_line(sight.text(content), _TEXT_WIDTH) or "an erased text"

    match event.body:
        case Created(merged_from=sources) if sources:
            return f"made of {len(sources)} memories: {', '.join(map(named, sources[:4]))}"
        case Created(content=content):
            return f"told: {said(content)}"
        case Absorbed(sources=sources):
            return f"took over a duplicate ({len(sources)} source{'' if len(sources) == 1 else 's'})"
        case Retired(reason=reason, by=by):
            return _RETIRED[reason] + (f" by {named(by)}" if by is not None else "")
        case Pinned(pinned=pinned):
            return "pinned" if pinned else "unpinned"
        case Edited():
            return _edit_sentence(event.body, sight)
        case Learned() | Practised() | Trusted():
            return _skill_sentence(event.body, sight)
        case _:
            return _PLAIN.get(event.body.type, event.body.type)


def _edit_sentence(body: Edited, sight: Sight) -> str:
    parts = []
    if body.content is not None:
        parts.append(f"edited: {one_line(sight.text(body.content), _TEXT_WIDTH) or 'an erased text'}")
    if body.kind is not None:
        parts.append(f"kind set to {body.kind}")
    if body.importance is not None:
        parts.append(f"importance set to {body.importance:g}")
    return ", ".join(parts) or "edited"


def _skill_sentence(body: Learned | Practised | Trusted, sight: Sight) -> str:
    match body:
        case Learned(slug=slug, trust=trust, origin=origin):
            return f"a skill: {slug}, by {one_line(origin, 24)}, {trust.value}"
        case Practised(worked=worked, note=note):
            words = f": {one_line(sight.text(note), _TEXT_WIDTH)}" if note is not None else ""
            return ("reported to have worked" if worked else "reported to have failed") + words
        case Trusted(trust=trust, by=by):
            return f"{trust.value} by {one_line(by, 24)}"


def why(sight: Sight, memory: Memory, date: Callable[[datetime], str]) -> list[str]:
    """Why a memory is kept, fading or gone: the law's formula with its numbers, and the judge's words."""
    lines: list[str] = []
    if memory.note and (reason := read_note(sight.text(memory.note)).why):
        lines.append(f"Importance {memory.importance:.2f}: {reason}")
    else:
        lines.append(f"Importance {memory.importance:.2f}.")
    if not memory.active:
        reason = sight.text(memory.retire_note) if memory.retire_note else ""
        if memory.retired_reason is not None:
            alone = not reason or memory.retired_reason is RetireReason.FORGOTTEN
            what = _RETIRED[memory.retired_reason].capitalize()
            lines.append(f"{what}." if alone else f"{what}: {reason.rstrip('.')}.")
        lines += end_state_words(sight, memory, date)
        lines.append("It can be restored; that counts as a recall.")
        return lines
    for other, conflict in disputes(sight, memory.id).items():
        reason = sight.text(conflict.note) if conflict.note else ""
        said = f": “{reason.rstrip('.')}”" if reason else ""
        lines.append(f"It may contradict {sight.handle(other)}{said}. Both stay until you settle it (/conflicts).")
    lines.append(left_words(sight.law, sight.frame, memory, sight.moment))
    lines.append(end_words(sight.law, sight.frame, memory, sight.moment, date))
    return lines
