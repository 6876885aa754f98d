"""What a text says of its place beside another: still, also, for a while, once, no longer, now, instead, correction.

These words decide between "replaces", "adds to" and "repeats" where sentence vectors see one topic.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SOURCES: Final[dict[str, str]] = {
    "still": (
        r"\b(?:still|as before|same as ever|as always|по-прежнему|до сих пор|всё ещё|все еще|как и раньше|"
        r"так и|как всегда)\b"
    ),
    "also": (
        r"\b(?:also|too|as well|another|second|besides|on top|plus|both|extra|additional|even|other|один из|"
        r"тоже|также|ещё|еще|вдобавок|плюс|второй|вторая|второе|вторую|другой|другая|другое|заодно|кроме|"
        r"помимо|и)\b"
    ),
    "temp": (
        r"\b(?:for (?:a|the|two|three|one|\d+)?\s*(?:day|days|week|weeks|weekend|month|months|now|while)|till|"
        r"until|visiting|visit|trip|holiday|vacation|staying|temporar\w*|this week|tonight|today|на (?:неделю|"
        r"выходные|месяц|пару|день|время|лето|\d+)|до (?:воскресенья|понедельника|пятницы|\w+ря|\w+ля)|"
        r"временно|в командировк\w+|в отпуск\w*|в гост\w+|пока|сегодня|на этой неделе|разок|один раз|once|"
        r"just this)\b"
    ),
    "past": (
        r"\b(?:used to|back then|years? ago|as a (?:kid|child|teen\w*|student)|when i was|growing up|"
        r"before (?:that|this|all)|previously|formerly|in (?:19|20)\d\d|at (?:school|uni)|once|had been|"
        r"раньше|когда-то|в детстве|в юности|лет назад|год назад|до этого|прежде|бывш\w+|в (?:19|20)\d\d|"
        r"в школе|в институте|студент\w+|однажды)\b"
    ),
    "nomore": (
        r"\b(?:no longer|any ?more|not any|stopped|quit|gave up|dropped|ditched|cancelled|canceled|called off|"
        r"over|done with|sold|died|left|broke up|split|больше не|уже не|перестал\w*|бросил\w*|завязал\w*|"
        r"отменил\w*|отказал\w*|продал\w*|умер\w*|ушел|ушёл|ушла|расстал\w*|закрыл\w*|нет больше|закончил\w*|"
        r"развелись|сдал\w*|отдал\w*)\b"
    ),
    "now": (
        r"\b(?:now|these days|nowadays|currently|at the moment|as of|from now on|теперь|сейчас|нынче|отныне|"
        r"на данный момент|с (?:понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья|сегодняшнего|"
        r"завтрашнего)|с \d+)\b"
    ),
    "switch": (
        r"\b(?:switched|changed|moved|swapped|replaced|traded|upgraded|instead|converted|transferred|promoted|"
        r"became|turned into|rebranded|renamed|перешл?\w*|сменил\w*|поменял\w*|переехал\w*|вместо|заменил\w*|"
        r"пересел\w*|перенесл\w*|переименовал\w*|стал\w?|обновил\w*|перевел\w*|перевёл\w*|переш[её]л)\b"
    ),
    "correct": (
        r"\b(?:actually|correction|scrap that|i meant|i was wrong|wrong|mistake|typo|typed|not .{1,15} but|"
        r"turns out|turned out|misread|forget what|поправк\w*|ошибся|ошиблась|на самом деле|перепутал\w*|"
        r"оказал\w*|опечатал\w*|неправильно|оговорил\w*|не .{1,15}, а|забудь)\b"
    ),
    "hyp": (
        r"\b(?:if|might|maybe|perhaps|thinking (?:of|about)|considering|would|could|almost|nearly|wish|"
        r"someday|one day|dream\w*|tempted|toying|want to|wanted to|hope|hoping|looking at|considered|offered|"
        r"если|бы|может|возможно|наверное|подумываю|думаю|мечта\w+|хочу|хотел\w*|хочется|чуть не|едва не|"
        r"когда-нибудь|планирую|предлагали|предложили|звали|присматрива\w+|собираюсь|вдруг)\b"
    ),
    "other": (
        r"\b(?:my (?:mum|mom|dad|mother|father|brother|sister|son|daughter|wife|husband|boss|friend|colleague|"
        r"neighbou?r|cousin|aunt|uncle|flatmate|roommate|partner|girlfriend|boyfriend|mate|in-laws?|gran\w*|"
        r"nan|kid|kids)|his|her|their|he|she|they|the neighbours?|(?:мам|пап|брат|сестр|сын|доч|жен|муж|"
        r"начальни|друг|подруг|сосед|коллег|т[её]т|дяд|бабушк|дед|тёщ|тещ|свекров|племянни|кузен|дет|парень|"
        r"девушк|супруг)\w*|он|она|они|его|её|ее|их)\b"
    ),
    "neg": (
        r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|cant|dont|doesnt|didnt|isnt|arent|"
        r"wont|wasnt|не|нет|ни|никогда|никто|ничего|нельзя|без)\b|n't\b"
    ),
    "joke": (r"lol|haha|jk|kidding|ха-?ха|шучу|😂|🤣|:\)|\)\)"),
    "quote": '["«“]',
    "q": (r"\?"),
    "since": (r"\b(?:since|ever since|for years|с тех пор|с \w+ года|давно)\b"),
    "confirm": (
        r"\b(?:yes|yeah|yep|again|as i said|like i said|remember|that's right|confirmed|повторю|напомню|"
        r"как я (?:и )?говорил\w*|да,|кстати|точно|подтверждаю)\b"
    ),
    "only": (
        r"\b(?:only|just|always|never|strictly|completely|fully|entirely|только|всегда|никогда|полностью|"
        r"совсем|исключительно|лишь)\b"
    ),
    "back": (r"\b(?:back|returned|again|обратно|снова|опять|вернул\w*)\b"),
    "start": (
        r"\b(?:started|starting|begin|began|took up|joined|got|bought|hired|adopted|born|signed|начал\w*|"
        r"завел\w*|завёл|купил\w*|устроил\w*|взял\w*|родил\w*|подписал\w*|получил\w*|записал\w*|вступил\w*)\b"
    ),
    "like": (
        r"\b(?:like|love|hate|prefer|enjoy|favou?rite|can't stand|люблю|нрав\w+|ненавижу|обожаю|предпочита\w+|"
        r"любим\w+)\b"
    ),
}
PAIR_CUES: Final[tuple[str, ...]] = tuple(_SOURCES)
"""Names of the cues, in the order of the flags."""
_PATTERNS: Final = tuple(re.compile(source, re.IGNORECASE) for source in _SOURCES.values())
_SEEN: Final = 400


@lru_cache(maxsize=16_384)
def pair_cues(text: str) -> tuple[bool, ...]:
    """Which of `PAIR_CUES` the first 400 characters of `text` show."""
    seen = text[:_SEEN].replace("’", "'")
    return tuple(pattern.search(seen) is not None for pattern in _PATTERNS)
