"""Since when something is true: relative times, weekdays and dates of English and Russian against an aware `now`.

Only the past is resolved. A fact about the future is known from now on; putting its valid time ahead would let it
beat every correction told in between. Weekdays and months mean the last such; all arithmetic is in UTC and no time zone of
the machine is ever looked at.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Final

_NUMBER_WORDS: Final[dict[str, float]] = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "half": 0.5, "several": 3,
    "один": 1,
    "одну": 1, "одна": 1, "два": 2, "две": 2, "пару": 2, "три": 3, "несколько": 3, "четыре": 4, "пять": 5, "шесть": 6,
    "семь": 7, "восемь": 8, "девять": 9, "десять": 10, "пол": 0.5, "полтора": 1.5, "полторы": 1.5,
}  # fmt: skip
_EN_UNITS: Final = {
    "hour": 1 / 24,
    "day": 1.0,
    "night": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "weekend": 7.0,
    "minute": 1 / 1440,
}
_RU_UNITS: Final = (
    ("минут", 1 / 1440), ("час", 1 / 24), ("дн", 1.0), ("день", 1.0), ("сут", 1.0), ("недел", 7.0),
)  # fmt: skip
_WEEKDAYS: Final = (
    ("mon", "понедельник"), ("tue", "вторник"), ("wed", "сред"), ("thu", "четверг"), ("fri", "пятниц"), ("sat", "суббот"),
    ("sun", "воскресень"),
)  # fmt: skip
_MONTHS: Final = (
    ("jan", "январ"), ("feb", "феврал"), ("mar", "март"), ("apr", "апрел"), ("may", "ма"), ("jun", "июн"), ("jul", "июл"),
    ("aug", "август"), ("sep", "сентябр"), ("oct", "октябр"), ("nov", "ноябр"), ("dec", "декабр"),
)  # fmt: skip
_EN_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_RU_MONTH: Final = (
    r"(?P<month>январ[яеь]|феврал[яеь]|март[ае]?|апрел[яеь]|ма[йяе]|июн[яеь]|июл[яеь]|август[ае]?|сентябр[яеь]|октябр[яеь]|"
    r"ноябр[яеь]|декабр[яеь])"
)
_EN_DAY: Final = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day"
_RU_DAY: Final = r"(?P<weekday>понедельник|вторник|сред|четверг|пятниц|суббот|воскресень)\w{0,2}"
_COUNT: Final = r"(?P<count>\d{1,3}|" + "|".join(_NUMBER_WORDS) + r")"

_CORRECTION: Final = re.compile(
    r"\b(?:actually|correction|scrap that|i meant|i was wrong|on second thought|my mistake|typo|поправк\w*|точнее|"
    r"ошибся|ошиблась|"
    r"перепутал\w*|на самом деле|оговорил\w*)\b",
    re.IGNORECASE,
)
_AHEAD: Final = re.compile(
    r"\b(?:will|going to|gonna|i'll|we'll|he'll|she'll|they'll|it'll|tomorrow|next|upcoming|is due|are due|буд\w{1,4}|"
    r"завтра|"
    r"послезавтра|следующ\w+|собира\w+|планир\w+|начнёт\w*|начнет\w*|начну|выйду|переезжаю|уезжаю)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:was|were|had|did|went|got|came|took|made|found|lost|bought|sold|met|left|broke|fell|won|ran|flew|spent|paid|sent|"
    r"told|gave|quit|began|became|put|hit|cut|\w{3,}ed)\b|\b\w{2,}(?:л|ла|ло|ли|лся|лась|лось|лись)\b",
    re.IGNORECASE,
)


class _Needs(Enum):
    """What else a text must show for a rule to hold."""

    NOTHING = 0
    NOT_AHEAD = 1
    PAST = 2


Resolve = Callable[[re.Match[str], datetime], datetime | None]


def valid_since(text: str, now: datetime) -> datetime:
    """Since when the fact in `text`, told at `now` (aware), is true: never after `now`, aware UTC; `now` if it does not say.

    A correction ("actually", "поправка") is true from now on, whatever day it speaks of.
    """
    told = now.astimezone(UTC)
    seen = text[:400].replace("’", "'")
    if _CORRECTION.search(seen):
        return told
    for pattern, needs, resolve in _RULES:
        match = pattern.search(seen)
        if match is None:
            continue
        if needs is not _Needs.NOTHING and _AHEAD.search(seen):
            continue
        if needs is _Needs.PAST and not _PAST.search(seen):
            continue
        try:
            moment = resolve(match, told)
        except (ValueError, OverflowError):
            moment = None
        if moment is not None and moment <= told:
            return moment
    return told


def _days(count: float) -> Resolve:
    return lambda _match, now: now - timedelta(days=count)


def _ago(match: re.Match[str], now: datetime) -> datetime | None:
    said = (match["count"] or "1").lower()
    count = float(said) if said.isdigit() else _NUMBER_WORDS[said]
    unit = match["unit"].lower()
    months = _months_of(unit)
    if months:
        return _months_back(now, round(count * months)) if count * months >= 1 else now - timedelta(days=15)
    return now - timedelta(days=count * _days_of(unit))


def _half_ago(match: re.Match[str], now: datetime) -> datetime | None:
    return _months_back(now, 6) if match["unit"].lower() == "year" else now - timedelta(minutes=30)


def _days_of(unit: str) -> float:
    if unit.rstrip("s") in _EN_UNITS:
        return _EN_UNITS[unit.rstrip("s")]
    return next(days for stem, days in _RU_UNITS if unit.startswith(stem))


def _months_of(unit: str) -> int:
    if unit.startswith(("month", "месяц")):
        return 1
    if unit.startswith(("year", "год", "лет")):
        return 12
    return 0


def _months_back(now: datetime, months: int) -> datetime:
    index = now.year * 12 + now.month - 1 - months
    year, month = divmod(index, 12)
    return now.replace(year=year, month=month + 1, day=min(now.day, calendar.monthrange(year, month + 1)[1]))


def _last_unit(match: re.Match[str], now: datetime) -> datetime | None:
    unit = match["unit"].lower()
    months = _months_of(unit)
    return _months_back(now, months) if months else now - timedelta(days=_days_of(unit))


def _weekday(match: re.Match[str], now: datetime) -> datetime | None:
    said = match["weekday"].lower()
    wanted = next(i for i, stems in enumerate(_WEEKDAYS) if said.startswith(stems))
    return now - timedelta(days=(now.weekday() - wanted) % 7)


def _month_number(said: str) -> int:
    lowered = said.lower()
    if lowered in ("май", "мая", "мае"):
        return 5
    return next(i for i, stems in enumerate(_MONTHS, 1) if lowered.startswith(stems))


def _dated(match: re.Match[str], now: datetime) -> datetime | None:
    parts = match.groupdict()
    month = _month_number(parts["month"]) if not parts["month"].isdigit() else int(parts["month"])
    day = int(parts.get("day") or 1)
    if parts.get("year"):
        return datetime(int(parts["year"]), month, day, tzinfo=UTC)
    this_year = datetime(now.year, month, day, tzinfo=UTC)
    return this_year if this_year <= now else datetime(now.year - 1, month, day, tzinfo=UTC)


def _rules() -> tuple[tuple[re.Pattern[str], _Needs, Resolve], ...]:
    """(pattern, what else it needs, how to resolve); the first that matches and resolves wins."""
    nothing, past = _Needs.NOTHING, _Needs.PAST
    unit_en = r"(?P<unit>minutes?|hours?|days?|nights?|weeks?|weekends?|fortnights?|months?|years?)"
    unit_ru = r"(?P<unit>минут\w{0,2}|час\w{0,2}|дн\w{1,2}|день|сут\w{1,2}|недел\w{1,2}|месяц\w{0,2}|год\w{0,1}|лет)"
    year = r"(?P<year>(?:19|20)\d\d)"
    rules: list[tuple[str, _Needs, Resolve]] = [
        (r"\bhalf an? (?P<unit>hour|year)\s+ago\b", nothing, _half_ago),
        (rf"\b{_COUNT}?\s*(?:of\s+|more\s+)?{unit_en}\s+ago\b", nothing, _ago),
        (rf"\b(?:{_COUNT}\s*)?{unit_ru}\s+(?:тому\s+)?назад\b", nothing, _ago),
        (r"\bполгода\s+(?:тому\s+)?назад\b|\bполгода как\b", nothing, lambda _m, now: _months_back(now, 6)),
        (r"\b(?:the day before yesterday|позавчера)\b", nothing, _days(2)),
        (r"\b(?:yesterday|вчера)\b|\blast night\b", nothing, _days(1)),
        (r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b", nothing, _dated),
        (rf"\b(?P<day>\d\d?)\.(?P<month>\d\d)\.{year}\b", nothing, _dated),
        (
            rf"\b(?:since|from|as of)\s+(?:the\s+)?(?P<day>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_EN_MONTH}\b(?:,?\s+{year})?",
            nothing,
            _dated,
        ),
        (rf"\b(?:since|from|as of)\s+{_EN_MONTH}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+{year})?", nothing, _dated),
        (rf"\bсо?\s+(?P<day>\d\d?)(?:-?го)?\s+{_RU_MONTH}(?:\s+{year})?", nothing, _dated),
        (rf"\b(?:since|back in)\s+(?:last\s+|early\s+|late\s+|mid[- ])?{_EN_MONTH}\b(?:\s+{year})?", nothing, _dated),
        (rf"\bс\s+(?:начала\s+|конца\s+|середины\s+|прошлого\s+)?{_RU_MONTH}\b(?:\s+{year})?", nothing, _dated),
        (rf"\bsince\s+(?:last\s+)?{_EN_DAY}\b", nothing, _weekday),
        (rf"\bsince\s+last\s+{unit_en}\b|\bfor\s+the\s+(?:last|past)\s+(?P<unit2>week|month|year)\b", nothing, _since_last),
        (rf"\bsince\s+{year}\b|\bс\s+(?P<year2>(?:19|20)\d\d)(?:-го|\s+года)?\b", nothing, _since_year),
        (r"\blast\s+(?P<unit>week|weekend|month|year)\b", nothing, _last_unit),
        (r"\b(?:на|в)\s+прошл\w+\s+(?P<unit>недел\w|месяц\w|год\w)\b", nothing, _last_unit),
        (rf"\b(?P<day>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_EN_MONTH}\b(?:,?\s+{year})?", past, _dated),
        (rf"\b{_EN_MONTH}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+{year})?", past, _dated),
        (rf"\b(?P<day>\d\d?)(?:-?го)?\s+{_RU_MONTH}(?:\s+{year})?", past, _dated),
        (rf"\bin\s+(?:early\s+|late\s+|mid[- ])?{_EN_MONTH}\b(?:\s+{year})?", past, _dated),
        (rf"\bв\s+{_RU_MONTH}\b(?:\s+{year})?", past, _dated),
        (rf"\b(?:on|last|this past)\s+{_EN_DAY}\b(?!s)", past, _weekday),
        (rf"\b(?:с|со)\s+{_RU_DAY}\b", _Needs.NOT_AHEAD, _weekday),
        (rf"\b(?:в|во|прошл\w+)\s+{_RU_DAY}\b", past, _weekday),
        (rf"\bin\s+{year}\b|\bв\s+(?P<year2>(?:19|20)\d\d)(?:-м|\s+году)?\b", past, _since_year),
    ]
    return tuple((re.compile(pattern, re.IGNORECASE), needs, resolve) for pattern, needs, resolve in rules)


def _since_last(match: re.Match[str], now: datetime) -> datetime | None:
    unit = (match["unit"] or match["unit2"]).lower()
    months = _months_of(unit)
    return _months_back(now, months) if months else now - timedelta(days=_days_of(unit))


def _since_year(match: re.Match[str], _now: datetime) -> datetime | None:
    return datetime(int(match["year"] or match["year2"]), 1, 1, tzinfo=UTC)


_RULES: Final = _rules()
