"""Moments as people write them: an ISO time with an offset, a day, or how long ago."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, TypeAlias

from memtui.chat.commands import parse_duration
from memtui.errors import InputError
from memtui.memory.moments import from_iso
from memtui.memory.texts import one_line

Moment: TypeAlias = Callable[[datetime, tzinfo], datetime]
"""Gives the moment (aware UTC) that was written, once now (aware) and the person's time zone are known."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_AGO: Final = re.compile(r"(.+?)\s+ago", re.IGNORECASE)
_FORMS: Final = "Write a time such as 2026-03-20T12:00Z, a day such as 2026-03-20 (its end), or 3d ago."


def read_moment(text: str) -> Moment:
    """`2026-03-20T12:00Z`, `2026-03-20` (the end of that day), `3d ago`, `1d6h ago`, `now`.

    Raises:
        InputError: it is none of these.
    """
    words = text.strip()
    if words.lower() == "now":
        return lambda now, _zone: now
    if (ago := _AGO.fullmatch(words)) is not None:
        return _ago(ago[1], text)
    try:
        if _DAY.fullmatch(words):
            return _end_of(date.fromisoformat(words))
        moment = from_iso(words)
    except (ValueError, OverflowError) as error:
        offset = "has no offset" in str(error)
        problem = "has no offset, so it could be any of many moments" if offset else "is no moment"
        raise InputError(f"'{one_line(text, 40)}' {problem}.", todo=_FORMS) from error
    return lambda _now, _zone: moment


def _ago(span: str, text: str) -> Moment:
    try:
        back = parse_duration(span)
    except InputError as error:
        raise InputError(f"'{one_line(text, 40)}' is no moment.", todo=_FORMS) from error
    return lambda now, _zone: now - back


def _end_of(day: date) -> Moment:
    after = day + timedelta(days=1)
    return lambda _now, zone: datetime.combine(after, time(), zone).astimezone(UTC) - timedelta(microseconds=1)
