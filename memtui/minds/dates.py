"""Calendar dates as people and models write them (English, Russian, ISO), and whether a text tells time at all.

A model resolves "next Friday" to a calendar date, so a date may stand in a fact although its turn does not hold it. That
is allowed where the turn tells time, and nowhere else.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

_EN: Final = "January February March April May June July August September October November December"
_RU: Final = "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|январ[яеь]|феврал[яеь]|март[ае]?|апрел[яеь]|ма[йяе]|июн[яеь]|июл[яеь]|август[ае]?|"
    r"сентябр[яеь]|октябр[яеь]|ноябр[яеь]|декабр[яеь])"
)
_YEAR: Final = r"(?:19|20)\d\d(?:-?го)?(?:\s*(?:года|году|год|г\.))?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th|-?го|-?е)?"
_WEEKDAY: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|понедельник\w{0,3}|вторник\w{0,3}|сред[аыуе]|четверг\w{0,3}|"
    r"пятниц\w{0,2}|суббот\w{0,2}|воскресень\w{0,2}"
)
_DATE: Final = re.compile(
    rf"\b(?:(?:19|20)\d\d-\d\d(?:-\d\d)?|{_DAY}\s+(?:of\s+)?{_MONTH}\.?(?:,?\s+{_YEAR})?|{_MONTH}\.?\s+{_DAY}\b(?:,?\s+{_YEAR})?|"
    rf"{_MONTH}\.?(?:,?\s+{_YEAR})|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|{_WEEKDAY}|{_MONTH}|{_YEAR})(?!\w)",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(
    rf"\b(?:{_WEEKDAY}|{_MONTH}|{_YEAR}|\d{{4}}-\d\d-\d\d|today|tonight|tomorrow|yesterday|now|ago|last|next|past|coming|since|"
    r"until|till|by|just|recently|earlier|later|soon|this|fortnight|weeks?|months?|years?|days?|weekends?|hours?|"
    r"morning|evening|night|summer|autumn|fall|winter|spring|сегодня|завтра|послезавтра|вчера|позавчера|сейчас|теперь|"
    r"назад|недавно|только|скоро|через|прошл\w+|следующ\w+|недел\w+|месяц\w*|год\w*|лет|дн\w{1,2}|день|сутк\w*|полгода|утр\w+|"
    r"вечер\w*|ноч\w+|лет\w{1,2}|осень\w*|зим\w+|весн\w+|выходн\w+)\b",
    re.IGNORECASE,
)
_CORRECTS: Final = re.compile(
    r"(?:\A|[.,;!—–-]\s*)(?:oh,?\s+|no,?\s+)?actually\b|\b(?:correction|scrap that|i meant|i was wrong|my mistake|"
    r"i misspoke|sorry,? it'?s|not \w+ but|"
    r"поправк\w*|поправля\w+|точнее|вернее|ошибся|ошиблась|перепутал\w*|на самом деле|оговорил\w*)\b",
    re.IGNORECASE,
)


def without_dates(text: str) -> str:
    """`text` with every calendar date, month, year and weekday taken out."""
    return _DATE.sub(" ", text)


def tells_time(text: str) -> bool:
    """Whether `text` says anything of when, so that a calendar date may follow from it."""
    return _TELLS.search(text) is not None


def corrects(text: str) -> bool:
    """Whether `text` corrects something said before: it is then true from now, whatever day it speaks of."""
    return _CORRECTS.search(text) is not None


def spelled(moment: datetime) -> str:
    """The day of `moment` in the ways a fact may name it."""
    month = moment.month - 1
    return f"{moment:%Y-%m-%d} {moment.day} {_EN.split()[month]} {_RU.split()[month]} {moment.year} {moment:%A}"
