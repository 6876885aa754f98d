"""Whose fact it is: the user's, another person's (by relation or name), a project's."""

from __future__ import annotations

import re
from typing import Final

from memtui.minds.offline.cues import listed

_RELATIONS_EN: Final = listed(
    "mom mum mother dad father brother sister son daughter wife husband partner girlfriend boyfriend fiancé fiancée fiance "
    "aunt uncle cousin grandma grandpa grandmother grandfather granny nan niece nephew kid baby friend boss manager "
    "colleague neighbour neighbor flatmate roommate landlord stepson stepdaughter twins kids parents cat dog"
)
_RELATION_EN = re.compile(
    r"^\W*(?:(?:so|and|but|oh|well|btw|also)\W+)*(?:my|our)\s+(?:\w+\s+){0,2}?"
    rf"(?P<who>{'|'.join(_RELATIONS_EN)})(?P<owner>'s)?\b",
    re.IGNORECASE,
)
_RELATIONS_RU: Final[dict[str, str]] = {
    r"мам(?:а|ы|е|у|ой)": "мама",
    r"пап(?:а|ы|е|у|ой)": "папа",
    r"отец|отц(?:а|у|ом|е)": "отец",
    r"мать|матери|матерью": "мать",
    r"брат(?:а|у|ом|е|ья)?": "брат",
    r"сестр(?:а|ы|е|у|ой|[её]нка)": "сестра",
    r"сын(?:а|у|ом|е|ок|уля)?": "сын",
    r"доч(?:ь|ка|ки|ке|ку|кой|ери|ерью)": "дочь",
    r"жен(?:а|ы|е|у|ой)": "жена",
    r"муж(?:а|у|ем|е)?": "муж",
    r"т[её]т(?:я|и|е|ю|ка|ки)": "тётя",
    r"дяд(?:я|и|е|ю|ька)": "дядя",
    r"бабушк(?:а|и|е|у|ой)": "бабушка",
    r"дед(?:а|у|ом|е|ушка|ушки|ушке|ушку)?": "дедушка",
    r"племянник(?:а|у|ом)?": "племянник",
    r"племянниц(?:а|ы|е|у|ей)": "племянница",
    r"подруг(?:а|и|е|у|ой)": "подруга",
    r"друг(?:а|у|ом)?": "друг",
    r"начальни(?:к|ка|ку|ца|цы)|шеф(?:а|у)?": "начальник",
    r"коллег(?:а|и|е|у|ой)": "коллега",
    r"сосед(?:а|у|ка|ки|ке)?": "сосед",
    r"свекров(?:ь|и|ью)": "свекровь",
    r"т[её]щ(?:а|и|е|у|ей)": "тёща",
    r"родител(?:и|ей|ям)": "родители",
    r"девушк(?:а|и|е|у|ой)": "девушка",
    r"пар(?:ень|ня|ню|нем)": "парень",
    r"кот(?:а|у|ом)?|кошк(?:а|и|е|у|ой)": "кот",
    r"собак(?:а|и|е|у|ой)|п[её]с(?:а|у)?": "собака",
}
_LEAD_RU: Final = r"^\W*(?:(?:а|и|но|ну|кстати|ещё)\W+)*(?:(?:у\s+)?(?:мо\w{1,2}|наш\w{0,2})\s+|у\s+)?"
_RELATION_RU: Final = tuple(
    (re.compile(rf"{_LEAD_RU}(?:{pattern})\b", re.IGNORECASE), who) for pattern, who in _RELATIONS_RU.items()
)
_NAMED = re.compile(
    r"^\W*(?P<who>[A-Z][a-z]+)(?:'s)?\s+(?:is|was|has|had|lives|works|said|got|will|wants|likes|loves|hates|moved|"
    r"left|and\s+(?!I\b))|"
    r"^\W*(?:у\s+)?(?P<who_ru>[А-ЯЁ][а-яё]{2,})\s+(?:жив[её]т|работает|сказал\w*|любит|не|переехал\w*|учится|родил\w*|"
    r"купил\w*|уш[её]л|ушла|будет|хочет)\b"
)
_NO_NAMES: Final = frozenset(
    listed(
        "This That There What Who It He She They We You The My Our Work Today Yesterday Tomorrow Everyone Nobody Dinner "
        "Lunch Это Там Тут Вот Она Они Мы Вы Работа Сегодня Вчера Завтра Все Никто Теперь Пока Вчерашний Врач"
    )
)
_PROJECT = re.compile(
    r"^\W*(?:the|our|this|project)\s+(?:\w+\s+)?(?:project|app|repo|backend|frontend|service|deploy\w*|release|build|"
    r"sprint|prototype|launch|"
    r"pipeline|database|migration|website|site|api|demo)\b|^\W*(?:проект\w*|приложени\w+|релиз\w*|бэкенд\w*|сервис\w*|"
    r"сайт\w*|деплой\w*|прототип\w*)\b",
    re.IGNORECASE,
)


def subject_of(text: str, slot: str | None = None) -> str:
    """ "user", a relation ("sister", "сестра"), a name, or "project"."""
    seen = text[:200].replace("’", "'")
    if _PROJECT.search(seen) or (slot == "project" and not re.search(r"\b(?:i|i'm|я|мне)\b", seen, re.IGNORECASE)):
        return "project"
    relation = _RELATION_EN.search(seen)
    if relation and not re.match(r"\s+and\s+i\b", seen[relation.end() :], re.IGNORECASE):
        return relation["who"].lower()
    for pattern, who in _RELATION_RU:
        if pattern.search(seen):
            return who
    named = _NAMED.search(seen)
    if named:
        who_named = named["who"] or named["who_ru"]
        if who_named not in _NO_NAMES:
            return str(who_named)
    return "user"
