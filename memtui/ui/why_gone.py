"""Why a memory is gone, in sentences: how it stood at the end, what took its place, and the recall that was missing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.memory.forgotten import Ending, Shortfall, ending, retirement
from memtui.memory.life import single
from memtui.memory.model import Memory, RetireReason
from memtui.memory.moments import NEVER_US, from_us, to_us
from memtui.memory.texts import one_line
from memtui.ui.law_words import left_words

if TYPE_CHECKING:
    from memtui.chat.looking_back import Sight

Dated = Callable[[datetime], str]
"""Says a moment."""
_TEXT_WIDTH = 60


def end_state_words(sight: Sight, memory: Memory, date: Dated) -> list[str]:
    """How a retired memory stood when it left, and what took its place."""
    lines: list[str] = []
    if memory.retired_at is not None:
        lines.append(f"It left on {date(memory.retired_at)}. At that moment:")
        lines.append(left_words(sight.law, single(memory), memory, memory.retired_at))
    if memory.retired_by is not None:
        lines.append(_place_words(sight, memory.retired_by, memory.retired_reason, date))
    return lines


def _place_words(sight: Sight, by: str, reason: RetireReason | None, date: Dated) -> str:
    if by not in sight.frame:
        return "What took its place is no longer here."
    row = sight.frame.row(by)
    other = sight.frame.memories[row]
    text = one_line(sight.frame.texts[row], _TEXT_WIDTH) or "an erased text"
    gone = "" if other.active else " It is retired itself by now."
    does = {
        RetireReason.MERGED: "holds what it said",
        RetireReason.DUPLICATE: "says the same",
    }.get(reason or RetireReason.SUPERSEDED, "stands in its place")
    return f"{sight.handle(by)} “{text}”, told on {date(other.created_at)}, {does}.{gone}"


def saving_words(sight: Sight, memory: Memory, date: Dated) -> str:
    """The one recall that would have saved a retired memory, or that none would have.

    Where room was short this lives the pass through again some twenty times: milliseconds for a few thousand memories, so
    call it in a thread.
    """
    reason = memory.retired_reason
    if reason is RetireReason.FORGOTTEN:
        return "You asked for it: no recall would have kept it."
    if reason is not RetireReason.PRUNED:
        left = float(sight.law.retention(single(memory), to_us(memory.retired_at))[0]) if memory.retired_at else 0.0
        why = "something newer replaced it" if reason is RetireReason.SUPERSEDED else "what it said lives on in another"
        return f"No recall would have saved it: it had not faded ({left:.2f} was left), {why}."
    event = retirement(sight.events_of(memory.id), frozenset(sight.undone()))
    if event is None:
        return "How it stood before the pass is not known."
    before = sight.before(event)
    if memory.id not in before:
        return "How it stood before the pass is not known."
    last_use = to_us(before.memories[before.row(memory.id)].last_recall)
    found = ending(sight.law, before, memory.id, sight.block_of(event))
    return ending_words(found, sight.law.name, sight.law.capacity, last_use, date)


def ending_words(found: Ending, law: str, capacity: int | None, last_use_us: int, date: Dated) -> str:
    """An ending in one or two sentences.

    Args:
        last_use_us: when it was last told or recalled (microseconds UTC).
    """
    if found.other_law:
        return f"By the law {law} as it is set now it would not have gone then: it was let go of under other settings."
    if found.shortfall is not None:
        return _shortfall_words(found.shortfall, law)
    chance = found.chance
    if chance is None:
        rank = "" if capacity is None else f" a place among {capacity:,}"
        return f"No single recall would have saved it{rank and ': none would have given it' + rank}."
    stays = chance.until_us >= NEVER_US
    lasts = "for as long as there is room for it" if stays else f"until {date(from_us(chance.until_us))}"
    said = f"A recall by {date(from_us(chance.latest_us))}, when the pass let go of it, would have saved it {lasts}."
    if chance.since_us <= last_use_us:
        return f"{said} Any before that would have done too."
    return f"{said} The earliest that would still have done: {date(from_us(chance.since_us))}."


def _shortfall_words(lacked: Shortfall, law: str) -> str:
    said = (
        f"No single recall would have saved it: with one right before the pass its score would have been {lacked.had:.2f}, "
        f"and the least that stayed had {lacked.needed:.2f}."
    )
    if lacked.strength is None:
        return f"{said} Its importance was too low for any use to make up for it."
    return f"{said} It would have needed a {law} of {lacked.strength:.2f}."
