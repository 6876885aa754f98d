"""How the offline mind says things, in English and Russian: dates, ages, quotes, choices."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from memtui.memory.texts import clean
from memtui.minds.offline.cues import listed

_MONTHS_EN: Final = tuple(listed("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"))
_MONTHS_RU: Final = tuple(listed("января февраля марта апреля мая июня июля августа сентября октября ноября декабря"))
_MARKUP = re.compile(r"([\\`*_\[\]<>|~#&])")
_HIDDEN = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LONGEST_QUOTE: Final = 220


def quoted(text: str, language: str) -> str:
    """`text` in quotation marks on one line, with every character that Markdown could read escaped."""
    flat = " ".join(_HIDDEN.sub("", clean(text[: _LONGEST_QUOTE * 4])).split())
    if len(flat) > _LONGEST_QUOTE:
        flat = (
            flat[: flat.rfind(" ", 0, _LONGEST_QUOTE) if " " in flat[:_LONGEST_QUOTE] else _LONGEST_QUOTE].rstrip(" ,.;:")
            + "…"
        )
    flat = flat.replace("://", ":\u2060//")
    marks = "«»" if language == "ru" else "“”"
    for mark in marks:
        flat = flat.replace(mark, "'" if language == "en" else '"')
    return marks[0] + _MARKUP.sub(r"\\\1", flat) + marks[1]


def date(moment: datetime, now: datetime, language: str) -> str:
    """`19 Apr`, `19 апреля`; with the year when it is not this one."""
    month = _MONTHS_RU[moment.month - 1] if language == "ru" else _MONTHS_EN[moment.month - 1]
    return f"{moment.day} {month}" + (f" {moment.year}" if moment.year != now.year else "")


def ago(moment: datetime, now: datetime, language: str) -> str:
    """How long ago `moment` was: `just now`, `3 hours ago`, `yesterday`, `6 days ago`, `2 months ago`."""
    seconds = max(0.0, (now - moment).total_seconds())
    russian = language == "ru"
    if seconds < 90:
        return "только что" if russian else "just now"
    days = (now.date() - moment.date()).days
    if seconds < 3600:
        return _count(round(seconds / 60), ("minute", "минуту минуты минут"), russian)
    if days == 0:
        return _count(max(1, round(seconds / 3600)), ("hour", "час часа часов"), russian)
    if days == 1:
        return "вчера" if russian else "yesterday"
    if days < 14:
        return _count(days, ("day", "день дня дней"), russian)
    if days < 60:
        return _count(days // 7, ("week", "неделю недели недель"), russian)
    if days < 730:
        return _count(days // 30, ("month", "месяц месяца месяцев"), russian)
    return _count(days // 365, ("year", "год года лет"), russian)


def _count(number: int, names: tuple[str, str], russian: bool) -> str:
    if not russian:
        return f"{number} {names[0]}{'' if number == 1 else 's'} ago"
    one, few, many = names[1].split()
    ten, hundred = number % 10, number % 100
    form = one if ten == 1 and hundred != 11 else few if 2 <= ten <= 4 and not 12 <= hundred <= 14 else many
    return f"{number} {form} назад"


def said(moment: datetime, now: datetime, language: str) -> str:
    """When something was told: `on 19 Apr (6 days ago)`; `today`, `yesterday` and `just now` without a date."""
    age = ago(moment, now, language)
    if (now.date() - moment.date()).days <= 0:
        return age
    on = "" if language == "ru" else "on "
    return f"{on}{date(moment, now, language)} ({age})"


def pick(choices: Sequence[str], seed: str) -> str:
    """One of `choices`, always the same for the same seed."""
    return choices[zlib.crc32(seed.encode("utf-8", "replace")) % len(choices)]
