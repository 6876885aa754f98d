"""What a model may not add: checks that a fact rests on its turn and a summary on its sources.

Models repeat the prompt's examples as facts and put numbers into summaries that nobody said. What fails here is never
stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from memtui.memory.texts import same_key
from memtui.memory.words import stems

_ELLIPSIS = re.compile(r"\.\.\.+|…|\[[^\]]*\]")
_CLAUSES = re.compile(r"(?<=[.!?…;\n])\s+")
_WORDS_OF_A_CLAUSE: Final = 3
_MOST_WORDS: Final = 0.75
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f](?=\d{3}\b)")
_SENTENCE_START = re.compile(r"(?:\A|[.!?…:;\n]|[-–—•*]\s)[\s\"'«“(]*$")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", re.UNICODE)
_EN_NUMBERS: Final = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million"
)
_RU_NUMBERS: Final = (
    "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать "
    "шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят "
    "девяносто сто тысяча миллион"
)
_RU_MONTHS: Final = "январь февраль март апрель июнь июль август сентябрь октябрь ноябрь декабрь"
_RU_DAYS: Final = (
    "май мая мае маю понедельник понедельника вторник вторника среда среду четверг четверга пятница пятницу суббота субботу "
    "воскресенье воскресенья"
)
_LINKS: Final = (
    "also although another besides currently despite even finally first later likewise meanwhile never next nowadays "
    "previously recently sometimes soon still then though today together usually yes yet everything something someone "
    "nothing вообще зато затем изначально итак кроме лишь ныне потом прежде раньше сегодня сейчас снова теперь тогда хоть "
    "сначала скоро недавно"
)
_VALUES: Final = (*range(2, 21), 30, 40, 50, 60, 70, 80, 90, 100, 1000, 1_000_000)
_NUMBER_WORDS: Final = {
    **dict(zip(_EN_NUMBERS.split(), _VALUES, strict=True)),
    **dict(zip(_RU_NUMBERS.split(), _VALUES, strict=True)),
    **{
        "one": 1,
        "once": 1,
        "один": 1,
        "одна": 1,
        "одну": 1,
        "одного": 1,
        "twice": 2,
        "две": 2,
        "трёх": 3,
        "трех": 3,
        "двух": 2,
        "четырёх": 4,
        "четырех": 4,
        "тысячи": 1000,
        "тысяч": 1000,
    },
}
_RU_DATES: Final = frozenset(_RU_DAYS.split())
_RU_MONTH_STEMS: Final = frozenset(stems(_RU_MONTHS))
_OPENERS: Final = frozenset(_LINKS.split())
_NO_NAMES: Final = frozenset(stems("OK User User's Пользователь"))
_NO_NAME_ENDING = re.compile(r"(?:ly|ing|ed|[юуо])$")


def supported(support: str, turn: str) -> str | None:
    """The words of `turn` that `support` quotes, or None if it quotes nothing there.

    Case, punctuation, spacing and ё don't count. Of a quote with gaps ("I … moved") all parts must occur in order, and the
    longest is given back. Words that carry nothing ("I", "the") alone support nothing, unless the turn has no others.
    """
    said = f" {same_key(turn)} "
    parts = [part for part in _ELLIPSIS.split(support) if same_key(part)]
    at = 0
    for part in parts:
        found = _find(same_key(part), said, at)
        if found < 0:
            return None
        at = found + len(same_key(part))
    if not parts or (not stems(" ".join(parts)) and stems(turn)):
        return None
    return max(parts, key=len).strip()


def clause_like(quote: str, turn: str) -> str | None:
    """The clause of `turn` that `quote` was meant to copy, where it did so with a slip ("I am" for "I'm", a typo mended):
    all its content words but one in four stand there. None where it quotes nothing there.
    """
    wanted = set(stems(quote))
    if len(wanted) < _WORDS_OF_A_CLAUSE:
        return None
    clauses = [clause for clause in _CLAUSES.split(turn) if clause.strip()]
    best = max(clauses, key=lambda clause: len(wanted & set(stems(clause))), default="")
    return best.strip() if len(wanted & set(stems(best))) >= _MOST_WORDS * len(wanted) else None


def _find(part: str, said: str, start: int) -> int:
    found = said.find(f" {part} ", start)
    if found >= 0:
        return found
    # scripts without spaces have no word borders
    return said.find(part, start) if any(unicodedata.east_asian_width(c) in "WF" for c in part) else -1


def rests_on(fact: str, turn: str) -> bool:
    """Whether a fact is about what the turn says at all: it shares a content word with it (any word will do if the turn has
    none)."""
    words = set(stems(turn))
    return not words or bool(words & set(stems(fact)))


def additions(text: str, sources: Sequence[str]) -> list[str]:
    """Numbers, dates and names of `text` that no source holds, in order; empty for a faithful text."""
    joined = "\n".join(sources)
    known_words, known_numbers = set(stems(joined)), _numbers(joined)
    new = added_numbers(text, sources)
    for match in _WORD.finditer(text):
        word = match[0]
        if word.casefold() in _NUMBER_WORDS:
            if not _numbers(word) & known_numbers:
                new.append(word)
        elif _is_name(word, text[: match.start()]) and not is_known(word, known_words):
            new.append(word)
    return list(dict.fromkeys(new))


def added_numbers(text: str, sources: Sequence[str]) -> list[str]:
    """Numbers written in digits in `text` that no source holds, in digits or words."""
    known = _numbers("\n".join(sources))
    return [n for n in _NUMBER.findall(_plain_numbers(text)) if not {_bare(d) for d in _DIGITS.findall(n)} <= known]


def names_inside(text: str) -> list[str]:
    """Names of `text` that stand inside a sentence, where a capital is no accident, in order."""
    found = []
    for match in _WORD.finditer(text):
        before = text[: match.start()]
        if before[-1:].isdigit() or text[match.end() : match.end() + 1].isdigit():
            continue  # a piece of a code
        inside = _SENTENCE_START.search(before[-12:]) is None
        if inside and len(match[0]) > 1 and match[0][0].isupper() and not set(stems(match[0])) <= _NO_NAMES:
            found.append(match[0])
    return list(dict.fromkeys(found))


def added_names(text: str, sources: Sequence[str]) -> list[str]:
    """Names inside the sentences of `text` that no source holds."""
    known = {stem for source in sources for stem in stems(source)}
    return [name for name in names_inside(text) if not is_known(name, known)]


def _is_name(word: str, before: str) -> bool:
    if word.casefold() in _RU_DATES or not _RU_MONTH_STEMS.isdisjoint(stems(word)):
        return True
    if not word[0].isupper() or set(stems(word)) <= _NO_NAMES:
        return False
    opens = _SENTENCE_START.search(before[-12:]) is not None
    # the first word of a sentence is capital anyway: it counts as a name unless it looks like a verb, an adverb or a link
    return not (opens and (word.casefold() in _OPENERS or _NO_NAME_ENDING.search(word)))


def is_known(word: str, known: set[str]) -> bool:
    """Whether every stem of `word` is in `known`, a case ending aside."""
    return all(near(stem, known) for stem in stems(word))


def near(stem: str, known: Iterable[str]) -> bool:
    """Whether a stem is known, or shares all but a case ending with a known one ("Лиссабон", "Лиссабоном")."""
    if stem in known:
        return True
    root = stem[: max(4, len(stem) - 2)]
    return len(root) >= 4 and any(other.startswith(root) and abs(len(other) - len(stem)) <= 2 for other in known)


def _plain_numbers(text: str) -> str:
    return _THOUSANDS.sub("", text)


def _bare(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _numbers(text: str) -> set[str]:
    """Every number in `text`, in digits or words ("twenty-five" is 20, 5 and 25), without leading zeros."""
    found = {_bare(digits) for digits in _DIGITS.findall(_plain_numbers(text))}
    tens = 0
    for word in re.split(r"[\s-]+", text.casefold()):
        value = _NUMBER_WORDS.get(word.strip(".,;:!?()\"'«»"), 0)
        if value:
            found.add(str(value))
        if tens and 0 < value < 10:
            found.add(str(tens + value))
        tens = value if 20 <= value < 100 else 0
    return found
