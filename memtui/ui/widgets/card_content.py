"""What the detail card of a memory says, as plain data: a pure function of the memory, the frame, the law and a moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

import numpy as np

from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.life import single
from memtui.memory.model import KINDS, Kind, Memory, RetireReason, Trust
from memtui.memory.moments import HOUR_US, NEVER_US, from_us, to_us
from memtui.ui.time_words import age_words, moment_words, span_words, weekday_words
from memtui.ui.widgets.memory_lines import NO_TEXT, dies_of, handle_of, last_salience
from memtui.ui.widgets.row_text import card_text, plain_line

ACTIVE_KEYS: Final = (("p", "pin"), ("e", "edit"), ("f", "forget"), ("h", "history"), ("w", "why"))
"""Keys of a card and what they ask."""
RETIRED_KEYS: Final = (("r", "restore"), ("h", "history"), ("w", "why"))
SKILL_KEYS: Final = (("+", "worked"), ("-", "failed"), *ACTIVE_KEYS)
APPROVE_KEY: Final = ("a", "approve")
_CURVE_POINTS: Final = 48
_PINNED_DAYS: Final = 40
_LINKS_SHOWN: Final = 4
_LINK_CHARS: Final = 32
_SOURCE_CHARS: Final = 14
_BY: Final = {
    RetireReason.SUPERSEDED: "superseded by",
    RetireReason.MERGED: "merged into",
    RetireReason.DUPLICATE: "a duplicate of",
}
_ALONE: Final = {
    RetireReason.PRUNED: "pruned by the law",
    RetireReason.FORGOTTEN: "forgotten on request",
    RetireReason.ARCHIVED: "archived",
}
_TOOK: Final = {
    RetireReason.SUPERSEDED: "supersedes",
    RetireReason.MERGED: "merged from",
    RetireReason.DUPLICATE: "took in duplicate",
}


def keys_of(memory: Memory) -> tuple[tuple[str, str], ...]:
    """Keys of a memory's card and what they ask."""
    if not memory.active:
        return RETIRED_KEYS
    if memory.skill is None:
        return ACTIVE_KEYS
    return SKILL_KEYS if memory.skill.trust is Trust.TRUSTED else (APPROVE_KEY, *SKILL_KEYS)


def key_word(action: str, *, pinned: bool, skill: bool) -> str:
    """What a key's hint says: pinned memories can be unpinned, skills are archived rather than forgotten."""
    if action == "forget" and skill:
        return "archive"
    return "unpin" if action == "pin" and pinned else action


@dataclass(frozen=True, slots=True)
class CardTexts:
    """What the card shows beside the memory itself; only the store knows it.

    Attributes:
        reason: why it is this important, in the mind's words.
        retire_reason: why it was retired, in the judge's words.
        history: what happened to it, in order: moment and one sentence each.
        source: what to call the turn it was told in, such as `turn 12`; empty shows the turn's id.
        rivals: ids of the memories it may contradict, as long as nobody settled that.
    """

    reason: str = ""
    retire_reason: str = ""
    history: Sequence[tuple[datetime, str]] = ()
    source: str = ""
    rivals: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CardContent:
    """Everything on the card, in words.

    Attributes:
        half_life: class as in the rows, such as `S30d`.
        salience: now; of a retired memory, when it was retired.
        said: such as `said Sun 19 Apr 18:02 (t061)`.
        links: sentences such as `supersedes m07 Berlin`.
        since: since when it is true, or empty when it was true when told.
        curve: retention at evenly spaced moments, from the last recall to the crossing of the floor.
        curve_top: its highest value, for a full block: the curve shows a shape, the bar in the rows shows how much.
        curve_past: the share of the curve, 0..1, that lies before now.
        curve_to: the moment at its right end, in words.
        fate: the sentence about how it ends.
        history: date and sentence.
        keys: the keys that are offered, and what they ask.
        skill: of a skill how it went, how strong it is and whose it is; else empty.
    """

    id: str
    handle: str
    text: str
    importance: float
    reason: str
    kind: Kind
    half_life: str
    salience: float
    used: str
    said: str
    sources: int
    links: tuple[str, ...]
    since: str
    curve: tuple[float, ...]
    curve_top: float
    curve_past: float
    curve_to: str
    fate: str
    why_retired: str
    pinned: bool
    active: bool
    history: tuple[tuple[str, str], ...]
    keys: tuple[tuple[str, str], ...] = ACTIVE_KEYS
    skill: str = ""


def card_content(
    memory: Memory,
    frame: Frame,
    law: Law,
    now_us: int,
    texts: CardTexts,
    *,
    zone: tzinfo,
    text: str | None = None,
) -> CardContent:
    """What the card of `memory` says at `now_us` (microseconds UTC).

    Args:
        text: the memory's text where the frame's is not the one to show.

    Raises:
        KeyError: `memory` is not in `frame`.
    """
    row, now = frame.row(memory.id), from_us(now_us)
    alone = single(memory)
    dies_us = dies_of(law, frame, memory)
    start_us, end_us = _curve_ends(memory, dies_us, now_us)
    curve = tuple(
        float(law.retention(alone, int(moment))[0]) for moment in np.linspace(start_us, end_us, _CURVE_POINTS).tolist()
    )
    return CardContent(
        id=memory.id,
        handle=handle_of(row),
        text=card_text(frame.texts[row] if text is None else text) or NO_TEXT,
        importance=memory.importance,
        reason=plain_line(texts.reason),
        kind=memory.kind,
        half_life=ruling_of(law, memory).half_life_label(KINDS.index(memory.kind)),
        salience=float(law.retention(alone, now_us)[0]) if memory.active else last_salience(law, memory),
        used=_used(memory, now_us),
        said=_said(memory, zone, now, texts.source),
        sources=len(memory.sources),
        links=(*(f"may contradict {_named(rival, frame)}" for rival in texts.rivals), *_links(memory, frame)),
        since=_since(memory, zone, now),
        curve=curve,
        curve_top=max(curve) or 1.0,
        curve_past=min(1.0, max(0.0, (now_us - start_us) / max(1, end_us - start_us))),
        curve_to="now" if end_us == now_us else weekday_words(from_us(end_us), zone, now=now),
        fate=_fate(memory, frame, law, dies_us, now_us, zone),
        why_retired=plain_line(texts.retire_reason),
        pinned=memory.pinned,
        active=memory.active,
        history=tuple((moment_words(at, zone, now), plain_line(what)) for at, what in texts.history),
        keys=keys_of(memory),
        skill=_skill(memory, law, now_us),
    )


def ruling_of(law: Law, memory: Memory) -> Law:
    """The law that rules a memory: that of skills, or the one for all others."""
    if isinstance(law, SkillsApart):
        return law.strength if memory.skill is not None else law.law
    return law


def _skill(memory: Memory, law: Law, now_us: int) -> str:
    mark = memory.skill
    if mark is None:
        return ""
    moment = now_us if memory.retired_at is None else to_us(memory.retired_at)
    strength = float(law.retention(single(memory), moment)[0])
    trust = mark.trust.value if mark.trust is Trust.TRUSTED else "unverified"
    by = "" if mark.origin == "you" else f", by {plain_line(mark.origin)}"
    reports = f"worked {mark.worked}×, failed {mark.failed}×"
    return f"{mark.slug}   {mark.outcome.value}   strength {strength:.2f}   {reports}   {trust}{by}"


def _curve_ends(memory: Memory, dies_us: int, now_us: int) -> tuple[int, int]:
    """From the last recall to the crossing of the floor; to now or the retirement when that is over."""
    start_us = to_us(memory.last_recall)
    if memory.retired_at is not None:
        return start_us, max(start_us, to_us(memory.retired_at))
    start_us = min(start_us, now_us)
    if dies_us >= NEVER_US:
        return start_us, now_us + _PINNED_DAYS * 24 * HOUR_US
    return start_us, max(dies_us, now_us)


def _fate(memory: Memory, frame: Frame, law: Law, dies_us: int, now_us: int, zone: tzinfo) -> str:
    now = from_us(now_us)
    if not memory.active:
        when = f"retired {moment_words(memory.retired_at, zone, now)}" if memory.retired_at is not None else "retired"
        return f"{when}: {_retired_how(memory, frame)}"
    if memory.pinned:
        return "pinned: does not fade"
    if dies_us >= NEVER_US:
        return "stays" if law.capacity is None else f"stays while it is among the best {law.capacity:,}"
    if memory.skill is not None:
        if dies_us <= now_us:
            return "unused for so long that it is archived"
        span, day = span_words((dies_us - now_us) / HOUR_US), weekday_words(from_us(dies_us), zone, now=now)
        return f"archived in {span} ({day}) unless it is used"
    floor = law.floor > 0 and float(law.retention(single(memory), max(now_us, dies_us + HOUR_US))[0]) < law.floor
    if memory.kind is Kind.PROCEDURAL:
        faint = "already faint" if dies_us <= now_us else f"faint from {weekday_words(from_us(dies_us), zone, now=now)} on"
        return f"{faint}, yet no sleep prunes it"
    if dies_us <= now_us:
        return f"{'already below the floor' if floor else 'no room is left for it'}: the next sleep prunes it"
    span, day = span_words((dies_us - now_us) / HOUR_US), weekday_words(from_us(dies_us), zone, now=now)
    return f"{'fades below the floor' if floor else 'goes'} in {span} ({day})"


def _retired_how(memory: Memory, frame: Frame) -> str:
    reason = memory.retired_reason
    if reason is None:
        return "no longer used"
    by = _named(memory.retired_by, frame) if memory.retired_by is not None else ""
    if by and reason in _BY:
        return f"{_BY[reason]} {by.split()[0]}"
    return _ALONE.get(reason, reason.value)


def _links(memory: Memory, frame: Frame) -> Iterable[str]:
    """What it replaced and what replaced it."""
    took: dict[RetireReason, dict[str, None]] = {reason: {} for reason in _TOOK}
    took[RetireReason.MERGED].update(dict.fromkeys(memory.merged_from))
    for row in np.flatnonzero(~frame.active).tolist():
        other = frame.memories[row]
        if other.retired_by == memory.id and other.retired_reason in took and other.id in frame:
            took[other.retired_reason][other.id] = None
    if memory.retired_by is not None and memory.retired_reason in _BY:
        yield f"{_BY[memory.retired_reason]} {_named(memory.retired_by, frame)}"
    for reason, ids in took.items():
        if ids:
            named = ", ".join(_named(other_id, frame, short=len(ids) > 1) for other_id in list(ids)[:_LINKS_SHOWN])
            more = f" and {len(ids) - _LINKS_SHOWN} more" if len(ids) > _LINKS_SHOWN else ""
            yield f"{_TOOK[reason]} {named}{more}"


def _named(memory_id: str, frame: Frame, *, short: bool = False) -> str:
    if memory_id not in frame:
        return "a memory that is no longer here"
    row = frame.row(memory_id)
    words = "" if short else plain_line(frame.texts[row])
    cut = words if len(words) <= _LINK_CHARS else words[: _LINK_CHARS - 1] + "…"
    return f"{handle_of(row)} {cut}".rstrip()


def _said(memory: Memory, zone: tzinfo, now: datetime, name: str) -> str:
    said = f"said {moment_words(memory.created_at, zone, now)}"
    if not memory.sources:
        return said
    source = plain_line(name or memory.sources[0])
    return f"{said} ({source if len(source) <= _SOURCE_CHARS else source[: _SOURCE_CHARS - 1] + '…'})"


def _since(memory: Memory, zone: tzinfo, now: datetime) -> str:
    told, true = (weekday_words(moment, zone, now=now) for moment in (memory.created_at, memory.valid_from))
    return "" if told == true else f"true since {true}"


def _used(memory: Memory, now_us: int) -> str:
    if memory.recalls == 0:
        return "never recalled"
    age = age_words((now_us - to_us(memory.last_recall)) / HOUR_US)
    when = "just now" if age == "now" else f"{age} ago"
    return f"recalled {memory.recalls} {'time' if memory.recalls == 1 else 'times'}, last {when}"
