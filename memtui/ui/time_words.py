"""Times in words, the same everywhere on the screen: ages, spans, dates.

English names are written out here rather than taken from the locale, so a screen reads the same on every machine.
"""

from __future__ import annotations

import math
from datetime import datetime, tzinfo
from typing import Final

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_H: Final = 24
_YEAR_D: Final = 365
_MOST_H: Final = 1e12


def age_words(hours: float) -> str:
    """How long ago, in at most four cells: `now`, `2m`, `5h`, `9d`, `2.7y`, `31y`.

    Args:
        hours: the age; below 0 counts as 0, endless as `ever`.
    """
    if not math.isfinite(hours):
        return "ever"
    minutes = int(min(max(0.0, hours), _MOST_H) * 60)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes}m"
    if minutes < _DAY_H * 60:
        return f"{minutes // 60}h"
    days = minutes // (60 * _DAY_H)
    if days < 1000:
        return f"{days}d"
    years = days / _YEAR_D
    return f"{years:.1f}y" if years < 10 else f"{min(int(years), 999)}y"


def span_words(hours: float) -> str:
    """A length of time by its two largest units: `0m`, `35m`, `4h 10m`, `3d 4h`, `40d`, `2y 40d`.

    Args:
        hours: the length, rounded to minutes; its sign is dropped, endless is `for ever`.
    """
    if not math.isfinite(hours):
        return "for ever"
    minutes = round(min(abs(hours), _MOST_H) * 60)
    hour, minute = divmod(minutes, 60)
    day, hour = divmod(hour, _DAY_H)
    year, day_of_year = divmod(day, _YEAR_D)
    if year:
        parts = ((year, "y"), (day_of_year, "d"))
    elif day:
        parts = ((day, "d"), (hour, "h"))
    else:
        parts = ((hour, "h"), (minute, "m"))
    return " ".join(f"{count}{unit}" for count, unit in parts if count) or "0m"


def date_words(moment: datetime, tz: tzinfo, *, year: bool = True) -> str:
    """`Sat 25 Apr 2026 21:14` in the zone `tz`; without `year`, `Sat 25 Apr 21:14`.

    Args:
        moment: aware. At the very ends of the calendar, where the zone has no time for it, it is shown as it is.
    """
    local = _local(moment, tz)
    middle = f" {local.year}" if year else ""
    return f"{_DAYS[local.weekday()]} {day_words(moment, tz)}{middle} {local.hour:02d}:{local.minute:02d}"


def day_words(moment: datetime, tz: tzinfo) -> str:
    """`25 Apr` in the zone `tz`."""
    local = _local(moment, tz)
    return f"{local.day} {_MONTHS[local.month - 1]}"


def weekday_words(moment: datetime, tz: tzinfo, *, now: datetime | None = None) -> str:
    """`Fri 4 Sep` in the zone `tz`; `Fri 4 Sep 2027` when `now` is given and lies in another year there."""
    local = _local(moment, tz)
    year = f" {local.year}" if now is not None and local.year != _local(now, tz).year else ""
    return f"{_DAYS[local.weekday()]} {day_words(moment, tz)}{year}"


def moment_words(moment: datetime, tz: tzinfo, now: datetime) -> str:
    """`Sun 19 Apr 18:02` in the zone `tz`, with the year when `now` lies in another one there."""
    return date_words(moment, tz, year=_local(moment, tz).year != _local(now, tz).year)


def _local(moment: datetime, tz: tzinfo) -> datetime:
    try:
        return moment.astimezone(tz)
    except OverflowError:  # year 1 or 9999 in a zone on the far side of UTC
        return moment
