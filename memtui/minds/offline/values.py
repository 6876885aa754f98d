"""The value of a slot in the words of the turn, where it can be cut out safely; else None."""

from __future__ import annotations

import re
from typing import Final

from memtui.minds.offline.cues import listed

_AMOUNT = re.compile(
    r"[$€£₽]?\s?\d[\d.,:/-]*\s?(?:[ap]m\b|%|kg\b|cm\b|mg\b|k\b|кг\b|см\b|мг\b|лет\b|г\.|руб\w*|тыс\w*|€|£|₽|\$)?",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b(?=[\w-]*\d)[\w-]{3,}\b")
_DATE = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|"
    r"dec)[a-z]*\b(?:\s+\d{1,2}(?:st|nd|rd|th)?)?|"
    r"\b\d{1,2}(?:-?го)?\s+(?:янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек)\w*|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:понедельник|вторник|сред|четверг|пятниц|суббот|воскресень)\w*|"
    r"\b\d{1,2}\.\d{2}(?:\.\d{2,4})?\b|\bthe\s+\d{1,2}(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|to|at|near|from|outside)\s+(?P<v>[A-ZÀ-Þ][\w'’-]*(?:\s+[A-ZÀ-Þ][\w'’-]*)*)|\b(?:в|во|на|из|"
    r"под)\s+(?P<r>[А-ЯЁ][\w-]*(?:\s+[А-ЯЁ][\w-]*)*)"
)
_AFTER_CAPITAL = re.compile(r"(?<=[\w,:—–-])\s+[\"«“]?(?P<v>[A-ZА-ЯЁÀ-Þ][\w'’+#-]*(?:\s+[A-ZА-ЯЁÀ-Þ][\w'’+#-]*)*)")
_EMPLOYER = re.compile(
    r"\b(?:at|for|with|joined)\s+(?:the\s+)?(?P<v>[A-Z][\w'’&-]*(?:\s+[A-Z][\w'’&-]*)*)|"
    r"\b(?:работа\w+|устроил\w*|взяли|перешл?\w*|переш[её]л|служ\w+)\s+(?:\w+\s+){0,2}(?:в|во|"
    r"на)\s+[«\"]?(?P<r>[А-ЯЁA-Z][\w-]*(?:\s+[А-ЯЁA-Z][\w-]*)*)"
)
_NO_VALUES: Final = frozenset(listed("I I'm I've I'll I'd Я Monday Tuesday Wednesday Thursday Friday Saturday Sunday"))

_NUMBERS: Final = frozenset(listed("age income body_size work_schedule bedtime commute"))
_CODES: Final = frozenset(listed("code phone_contact"))
_DATES: Final = frozenset(listed("deadline birthday meeting"))
_PLACES: Final = frozenset(listed("residence travel origin"))
_NAMES: Final = frozenset(
    listed("partner name vehicle insurance_bank main_tool programming_language device pet friend doctor children project")
)


def value_of(text: str, slot: str | None) -> str | None:
    """The slot's value in the words of `text`, or None where it does not stand out."""
    if slot is None:
        return None
    match: re.Match[str] | None = None
    if slot in _CODES:
        match = _CODE.search(text)
    elif slot in _NUMBERS:
        match = _AMOUNT.search(text)
    elif slot in _DATES:
        match = _DATE.search(text)
    elif slot in _PLACES:
        match = _PLACE.search(text)
    elif slot == "employer":
        match = _EMPLOYER.search(text)
    elif slot in _NAMES:
        match = _AFTER_CAPITAL.search(text)
    if match is None:
        return None
    named = [group for group in match.groups() if group] if match.re.groups else []
    value = (named[0] if named else match.group()).strip(" ,.;:")
    return value if value and value not in _NO_VALUES else None
