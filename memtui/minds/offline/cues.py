"""What the surface of a text gives away, in English and Russian: questions, negation, time, person, numbers, names.

Sentence vectors blur exactly these ("allergic" and "not allergic" have cosine .958), so the heads read them apart.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import numpy as np

from memtui.memory.frame import Vectors


def listed(words: str) -> list[str]:
    """The words of a table written as one string."""
    return words.split()


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def _words(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


_PATTERNS: Final[dict[str, re.Pattern[str]]] = {
    "question_mark": _any(r"[?？]\s*[)\]\"'»”:(]*\s*$"),
    "question_inside": _any(r"[?？]"),
    "question_word": _any(
        r"^\W*(?:what|whats|what's|who|whose|which|where|when|why|how|is|are|am|do|does|did|can|could|should|would|will|"
        r"have|has|any)\b",
        r"^\W*(?:что|чего|кто|кого|кому|чей|чья|чьё|какой|какая|какое|какие|какую|где|куда|откуда|когда|почему|зачем|как|"
        r"сколько|можно|можешь|разве|неужели|есть ли|а что|а как|а где|а когда|стоит ли)\b",
        r"\bли\b",
    ),
    "request": _any(
        r"^\W*(?:(?:ok|okay|hey|so|now|and|please|pls|can you|could you|would you|will you|i need you to|help me)\W+)*"
        r"(?:write|rewrite|translate|explain|summari[sz]e|tell|show|give|list|find|make|draft|compose|fix|check|proofread|"
        r"calculate|compute|convert|compare|suggest|recommend|generate|create|describe|define|solve|help|remind|let's|lets|"
        r"play|sing|imagine|pretend|act|continue|repeat|shorten|search|look|open|set|turn|count|name|pick|choose|spell|"
        r"format|sort|guess|plan|roast|rate|read|stop|wait|go on|try|say|answer|think|debug|refactor|walk me)\b",
        r"^\W*(?:(?:ну|а|и|ок|так|теперь|пожалуйста|плиз|слушай|давай|можешь)\W+)*"
        r"(?:напиши|перепиши|переведи|объясни|расскажи|покажи|дай|составь|найди|сделай|исправь|проверь|посчитай|сравни|"
        r"посоветуй|предложи|придумай|опиши|реши|помоги|напомни|давай|сыграй|спой|представь|продолжи|повтори|сократи|"
        r"поищи|открой|включи|выключи|назови|выбери|скажи|подскажи|перечисли|подбери|распиши|набросай|сформулируй|"
        r"разбери|ответь|поставь|прочитай|угадай|подумай|пройдись|отформатируй|вычитай|сгенерируй|накидай)(?:те|ка|-ка)?\b",
    ),
    "for_later": _any(
        r"\b(?:from now on|always|never|remember|keep in mind|note that|for the record|fyi|don't forget|in future|"
        r"when you)\b",
        r"\b(?:впредь|всегда|никогда|запомни|имей в виду|учти|на будущее|отныне|не забудь|когда (?:ты )?(?:пишешь|"
        r"отвечаешь))\b",
    ),
    "you": _any(_words("you your yours yourself u ur"), _words("ты тебя тебе тобой твой твоя твои твоё вы вас вам ваш")),
    "i": _any(_words("i i'm im i've ive i'd i'll me myself"), _words("я меня мне мной мною")),
    "my": _any(
        _words("my mine our ours we we're we've us"),
        _words(
            "мой моя моё мое мои моего моей моих моим моему моём моем мою наш наша наше наши нашего нашей наших мы "
            "нас нам нами "
            "свой своя своё свои своего своей своих свою"
        ),
        r"\bу (?:меня|нас)\b",
    ),
    "third": _any(
        _words("he she they him her his hers their them she's he's they're"),
        _words("он она они его её ее их ему ей им ним ней него неё них"),
    ),
    "relative": _any(
        r"\b(?:mom|mum|mother|dad|father|brother|sister|son|daughter|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|"
        r"aunt|uncle|cousin|grandma|grandpa|grandmother|grandfather|granny|nan|niece|nephew|kid|kids|baby|friend|mate|boss|"
        r"colleague|neighbou?r|in-laws?|flatmate|roommate|landlord|toddler|twins?)(?:'s|s)?\b",
        r"\b(?:мам|пап|мать|матер|отец|отц|брат|сестр|сын|доч|жен[аыеуо]|муж|супруг|девушк|парен[ьяю]|т[её]т|дяд|"
        r"кузен|бабушк|"
        r"дедушк|дед|племянни|реб[её]н|дет[ией]|малыш|друг|друз|подруг|начальник|шеф|коллег|сосед|тещ|т[её]щ|свекров|зять|"
        r"невестк|хозя[ий])\w*",
    ),
    "negation": _any(
        r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|cant|dont|doesnt|didnt|isnt|arent|wont|wasnt|"
        r"stopped|quit|gave up|no longer|anymore)\b|n't\b",
        r"\b(?:не|нет|ни|никогда|никто|ничего|нигде|никак|нельзя|без|больше не|перестал\w*|бросил\w*|отказал\w*)\b",
    ),
    "hypothetical": _any(
        r"\b(?:if i|if we|if only|what if|imagine|suppose|let's say|hypothetically|would be|would love|would rather|"
        r"i'd love|"
        r"might|maybe|perhaps|thinking (?:of|about)|considering|could have|would have|almost|nearly|dream(?:t|ed|"
        r"ing)? (?:of|about)|"
        r"wish|someday|one day|in theory)\b",
        r"\b(?:если|бы|представь|допустим|предположим|может|может быть|наверное|возможно|думаю|подумываю|мечта\w*|хотелось|"
        r"когда-нибудь|чуть не|едва не|якобы|вдруг)\b",
    ),
    "reported": _any(
        r"\b(?:says|said|told me|reckons|thinks|claims|apparently|heard|according to|they say|quote|lyrics?|"
        r"as .{1,20} put it)\b",
        r"\b(?:говор[ияю]т?|сказал\w*|считает|утвержда\w*|мол|дескать|слышал\w*|цитата|пишут|по словам)\b",
    ),
    "joke": _any(
        r"\b(?:lol|lmao|haha+|rofl|jk|just kidding|joking|kidding)\b|😂|🤣|\bха(?:-?ха)+\b|\b(?:шучу|шутка|ржу|лол)\b|\)\)\)"
    ),
    "greeting": _any(
        r"^\W*(?:hi|hello|hey|hiya|yo|morning|good (?:morning|evening|night|afternoon)|bye|goodbye|see you|thanks|"
        r"thank you|thx|"
        r"cheers|ta|ok|okay|cool|great|nice|wow|sure|yes|yep|yeah|no|nope|sorry|welcome|please|lol|hmm+|ugh|oh|ah|"
        r"right|got it|"
        r"never ?mind|perfect|awesome|brilliant|test|testing|ping)\b",
        r"^\W*(?:привет|здравствуй\w*|добр\w+ (?:утро|день|вечер)|доброе|пока|спокойной|спасибо|спс|благодарю|ок|окей|"
        r"ладно|круто|"
        r"класс|отлично|супер|ого|да|нет|ага|угу|хм+|ясно|понятно|понял\w*|извини|прости|хорошо|блин|ну|эх|ох|тест|"
        r"проверка|ку)\b",
    ),
    "today": _any(
        r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|week|weekend)|last (?:night|week|weekend|"
        r"month|year)|just|"
        r"just now|right now|an hour ago|ago|earlier|finally|at lunch|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
        r"at \d)\b",
        r"\b(?:сегодня|вчера|позавчера|сегодняшн\w+|вчерашн\w+|утром|вечером|днём|днем|ночью|только что|только-только|"
        r"сейчас|час назад|"
        r"назад|недавно|на днях|наконец|в (?:понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье)|"
        r"на прошлой|в прошл\w+)\b",
    ),
    "future": _any(
        r"\b(?:will|gonna|going to|tomorrow|next (?:week|month|year|mon|tues|wednes|thurs|fri|satur|sun)\w*|i'll|"
        r"we'll|plan(?:ning)?|"
        r"hope|want|booked|due|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|until|till|soon)\b",
        r"\b(?:буд\w{1,4}|завтра|послезавтра|скоро|хочу|хотим|план\w*|собира\w+|надеюсь|до (?:\d|конца|поне|втор|сред|"
        r"четв|пятн|субб|воск)\w*|"
        r"к (?:\d|понед|втор|сред|четв|пятн|субб|воск)\w*|в следующ\w+|через \w+)\b",
    ),
    "past_verb": _any(
        r"\b(?:was|were|had|did|went|got|came|saw|ate|took|made|found|lost|bought|sold|met|left|broke|fell|felt|won|"
        r"ran|drove|"
        r"flew|slept|woke|spent|paid|sent|gave|told|caught|hit|cut|burnt|read|threw|wore|drank|sat|stood|signed|"
        r"\w{3,}ed)\b",
        r"\b\w{2,}(?:л|ла|ло|ли|лся|лась|лось|лись)\b",
    ),
    "habit": _any(
        r"\b(?:always|usually|every|each|often|sometimes|rarely|never|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|"
        r"weekly|daily|"
        r"monthly|since|for years|whenever|most (?:days|nights|weeks)|by default|regularly|a week|a day|a month|twice|"
        r"used to)\b",
        r"\b(?:всегда|обычно|кажд\w+|часто|иногда|редко|никогда|по (?:понедельникам|вторникам|средам|четвергам|"
        r"пятницам|субботам|"
        r"воскресеньям|утрам|вечерам|выходным|будням|ночам)|ежедневно|еженедельно|раз в|с детства|годами|постоянно|"
        r"в неделю|в день|в месяц)\b",
    ),
    "change": _any(
        r"\b(?:now|no longer|anymore|switched|changed|moved|instead|actually|correction|new|since|from now on|"
        r"not .{1,20} but|"
        r"these days|replaced|gave up|quit|stopped|started|swapped|turned out|update|scrap that|wrong|used to|back to|"
        r"again)\b",
        r"\b(?:теперь|больше не|уже не|перешл?\w*|сменил\w*|поменял\w*|переехал\w*|вместо|на самом деле|поправк\w*|"
        r"нов\w{2,3}|отныне|"
        r"заменил\w*|бросил\w*|перестал\w*|начал\w*|оказал\w*|перенесл\w*|ошибся|ошиблась|раньше|снова|опять|"
        r"вернул\w*|передумал\w*)\b",
    ),
    "before": _any(
        r"\b(?:used to|back then|years ago|as a (?:kid|child|teen\w*|student)|in my (?:twenties|teens|youth)|"
        r"growing up|once|before that|"
        r"previously|formerly|ex|old|was|were|had been|in (?:19|20)\d\d|at school|at uni)\b",
        r"\b(?:раньше|когда-то|в детстве|в юности|лет назад|до этого|прежде|бывш\w+|был|была|были|в (?:19|20)\d\d|"
        r"в школе|в институте|"
        r"прошл\w+|студент\w*)\b",
    ),
    "like": _any(
        r"\b(?:like|love|hate|prefer|enjoy|favou?rite|can't stand|adore|fan of|into|a \w+ person|don't mind|"
        r"fine by me|rather)\b",
        r"\b(?:люб\w+|нрав\w+|ненавижу|обожаю|предпочита\w+|терпеть|не против|фанат\w*|больше по|лучше|удобнее)\b",
    ),
    "be": _any(_words("am is are i'm im it's that's he's she's we're they're be"), r"[—–] "),
    "have": _any(_words("have has i've ive got own"), r"\b(?:есть|имею|имеется)\b"),
    "health": _any(
        r"\b(?:allerg\w*|diagnos\w*|cancer|diabet\w*|insulin|asthma|epi\w*|seizure|pregnan\w*|surgery|operation|"
        r"hospital|er|icu|stroke|"
        r"heart|blood|mg|dose|pills?|meds?|medication|anxiety|depress\w*|sober|relapse\w*|overdose|concussion|biopsy|"
        r"tumou?r|miscarr\w*|"
        r"warfarin|penicillin|celiac|coeliac|nut|suicid\w*|therap\w*|transplant|kidney|chemo|pacemaker|ambulance|"
        r"faint\w*)\b",
        r"\b(?:аллерг\w*|диагноз\w*|рак|диабет\w*|инсулин\w*|астм\w*|эпилеп\w*|приступ\w*|беремен\w*|операци\w*|"
        r"больниц\w*|реанимац\w*|"
        r"инсульт\w*|инфаркт\w*|сердц\w*|кров\w*|мг|доз\w*|таблет\w*|лекарств\w*|депресс\w*|сорвал\w*|опухол\w*|"
        r"биопс\w*|выкидыш\w*|"
        r"пеницилл\w*|целиак\w*|скор\w{2,3}|давлени\w*|анафилак\w*|химио\w*|психотерап\w*|антидепресс\w*|перелом\w*|"
        r"сотрясени\w*)\b",
    ),
    "life": _any(
        r"\b(?:died|dead|death|funeral|passed away|divorc\w*|married|engaged|wedding|born|birth|fired|laid off|"
        r"redundan\w*|evict\w*|"
        r"arrest\w*|court|lawsuit|sued|custody|visa|citizen\w*|deport\w*|asylum|passport|broke up|split up|accident|"
        r"crash\w*|fire|stolen|"
        r"robbed|burgl\w*|scam\w*|hacked|bankrupt\w*|debt|mortgage|loan|quit my job|resign\w*|offer|promoted|"
        r"moved out|pregnant)\b",
        r"\b(?:умер\w*|смерт\w*|похорон\w*|разв[её]л\w*|развод\w*|женил\w*|замуж|свадьб\w*|родил\w*|рожд\w*|увол\w*|"
        r"сократил\w*|высел\w*|"
        r"арест\w*|суд\w{0,2}|иск\w{0,2}|опек\w*|виз\w{1,2}|гражданств\w*|депорт\w*|внж|пмж|паспорт\w*|расстал\w*|"
        r"авари\w*|пожар\w*|украл\w*|"
        r"угнал\w*|ограбил\w*|мошенник\w*|взломал\w*|банкрот\w*|долг\w*|ипотек\w*|кредит\w*|повыс\w+|погиб\w*|потерял\w*)\b",
    ),
    "code": _any(
        r"\b(?:pin|password|passcode|code|combination|wi-?fi|ssid|key ?safe|keypad|license|plate|iban|number is|serial)\b",
        r"\b(?:пин\w*|парол\w*|код\w*|вай-?фай\w*|домофон\w*|номер\w*|шифр\w*)\b",
    ),
    "money": _any(
        r"[$€£₽¥]|\b\d+\s?k\b|\b(?:dollars?|euros?|pounds?|quid|bucks|grand|рубл\w*|тыс\w*|млн|миллион\w*|тысяч\w*|евро)\b"
    ),
    "digits": _any(r"\d"),
    "long_digits": _any(r"\d{4,}"),
    "clock_time": _any(r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm)\b"),
    "url": _any(r"https?://|www\.|\S+@\S+\.\w"),
    "quote": _any(r"[\"«“„].{6,}[\"»”]|^\s*>|^\s*[-—–] ?[\"«“]"),
    "codeish": _any(
        r"[{}<>;=]{2,}|\w\(\)|\w+\.\w+\(|^\s*(?:def|class|import|const|let|var|SELECT|git|sudo|npm|pip|docker)\b|"
        r"\bTraceback\b|=>|\berror:"
    ),
    "capital_name": re.compile(r"(?<![.!?…\s])\s+[A-ZА-ЯЁ][a-zа-яё]{2,}"),
    "ellipsis": _any(r"\.\.\.|…"),
    "exclaim": _any(r"!"),
    "must": _any(
        r"\b(?:must|have to|need to|needs to|should|mustn't|can't|cannot|not allowed|only|strictly|deadline|due)\b",
        r"\b(?:должен|должна|должны|надо|нужно|нельзя|обязательно|только|строго|дедлайн\w*|срок\w*|крайний)\b",
    ),
    "small_day": _any(
        r"\b(?:lunch|dinner|breakfast|coffee|weather|rain\w*|sunny|snow\w*|bus|train|queue|nap|walk|shower|film|movie|"
        r"episode|socks?|"
        r"shop\w*|laundry|dishes|sandwich|soup|pizza|bird|pigeon|squirrel|umbrella)\b",
        r"\b(?:обед\w*|ужин\w*|завтрак\w*|кофе|погод\w*|дожд\w*|солн\w*|снег\w*|автобус\w*|электричк\w*|очеред\w*|"
        r"прогул\w*|душ\w*|фильм\w*|"
        r"сери\w+|носк\w*|магазин\w*|стирк\w*|посуд\w*|бутерброд\w*|суп\w*|пицц\w*|голуб\w*|белк\w*|зонт\w*|пробк\w*)\b",
    ),
}

CUES: Final[tuple[str, ...]] = (*_PATTERNS, "length", "short", "very_short", "letters", "words_repeat", "upper", "russian")
"""The columns of `cue_vector`, in order."""
CUES_VERSION: Final = 1
"""Changes with the meaning of a column, so that weights trained on other cues are refused."""
_SEEN: Final = 600
"""Characters of a text whose surface is read."""


@lru_cache(maxsize=8_192)
def cues(text: str) -> frozenset[str]:
    """Names of the surface cues that `text` shows."""
    seen = text[:_SEEN].strip().replace("’", "'")
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(seen))


def cue_vector(text: str) -> Vectors:
    """float32 (len(CUES),): each pattern 0 or 1, then shape of the text, 0..1."""
    seen = text[:_SEEN].strip()
    shown = cues(text)
    words = seen.split()
    letters = [c for c in seen if c.isalpha()]
    shape = (
        min(1.0, len(words) / 30),
        float(len(words) <= 3),
        float(len(words) <= 1),
        len(letters) / max(1, len(seen)),
        1 - len(set(words)) / max(1, len(words)),
        sum(c.isupper() for c in letters) / max(1, len(letters)),
        float(sum("а" <= c.lower() <= "я" or c in "ёЁ" for c in letters) * 2 > len(letters)),
    )
    return np.array([*(float(name in shown) for name in _PATTERNS), *shape], np.float32)
