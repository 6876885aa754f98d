"""A user turn as the pieces at whose joints a new matter may begin, in the user's own words.

What is never a fact of the user is dropped first: fenced code, quoted lines, text that is mostly a quotation. Then lines,
list items, sentences and, where both sides can stand alone, clauses joined by "and", "but", "а", "и", "но". A joint is only
a place where a turn *may* be cut; what belongs to one matter is put back together (`extract.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from memtui.minds.offline.cues import cues

LONGEST_TURN: Final = 6_000
"""Characters of a turn that are read; what a pasted megabyte is about stands at its beginning."""
MOST_PIECES: Final = 40
"""Pieces of a turn that are looked at: nobody tells forty facts in one breath, a paste does."""
LONGEST_PIECE: Final = 300
"""Characters of a memory's text; a longer piece is cut at the end of a sentence or word."""

_TITLE: Final = 4
"""Words up to which what is quoted may be a name."""
_GREETING: Final = 3
"""Words up to which a sentence that begins like a greeting may be nothing else."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•–—]|\d{1,2}[.)])\s+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|e\.g|i\.e|no|approx|jr|sr|т\.е|т\.д|т\.п|т\.к|г|гг|ул|д|кв|стр|руб|тыс|им|"
    r"см|мин|др|напр)|"
    r"\b[A-ZА-ЯЁ])\.$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…]+[)\"'»”\]]*\s+|[\u3002\uff01\uff1f]|;\s+")
_FIRST = r"(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|я|мы|мой|моя|моё|мои|моего|моей|меня|мне|у меня|у нас|наш|наша|нам)"
_KIN_RU = (
    r"(?:мама|папа|отец|мать|брат|сестра|сын|дочь|дочка|жена|муж|бабушка|дедушка|тётя|дядя|парень|девушка|друг|подруга)"
)
_KIN_EN = (
    r"(?:mom|mum|mother|dad|father|brother|sister|son|daughter|wife|husband|partner|girlfriend|boyfriend|aunt|uncle|cousin|"
    r"grandma|grandpa|nan|niece|nephew|flatmate|landlord|boss|kids?|parents|cat|dog)"
)
_VERB_RU = (
    r"(?:живу|работаю|учусь|люблю|хожу|занимаюсь|играю|пью|ем|снимаю|преподаю|пишу|езжу|служу|воспитываю|читаю|говорю|держу|"
    r"женат|замужем|родом)"
)
_JOINT = re.compile(
    r"(?:,\s*|\s+)(?:and|but|also|plus|so|oh and|btw|by the way|и|а|но|а ещё|а еще|ещё|еще|кстати|плюс|зато)\s+"
    rf"(?={_FIRST}\b|{_VERB_RU}\b|{_KIN_RU}\b)|,\s+(?={_FIRST}\b|{_VERB_RU}\b)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"[,:—–-]\s+(?=(?:so\s+|and\s+|but\s+)?(?:what|where|when|which|who|how|why|can you|could you|would you|will you|"
    r"do you|should i|"
    r"any (?:ideas?|tips|advice|suggestions?)|is there|are there|please|что|где|когда|какой|какая|какие|какое|кто|как|"
    r"почему|куда|сколько|"
    r"можешь|посоветуй|подскажи|есть ли|стоит ли|что мне)\b)",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"^\W*(?:(?:and|but|so|well|oh|а|и|ну|вот|но)\W+)*(?:if|what if|imagine|suppose|если бы?|если б|а вдруг|представь)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"^\W*(?:it|its|it's|that|that's|this|he|she|they|he's|she's|they're|there|which|so|because|same|one|nobody|everyone|"
    r"then|now|since then|теперь|с тех пор|он|она|оно|они|это|там|туда|его|её|ее|их|ему|ей|им|поэтому|потому|зато|"
    r"тоже|так|итог|итого)\b",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(
    r"\b(?:it|it's|he|she|him|her|they|them|their|that|those|these|there|this|his|он|она|они|его|её|ее|ему|ей|им|них|неё|"
    r"него|нём|ней|там|туда|это|этого|этому|этим|этой|эту)\b",
    re.IGNORECASE,
)
_NAMES_SOMEBODY = re.compile(rf"\b{_KIN_EN}\b|\b{_KIN_RU}\b", re.IGNORECASE)
_OWN_VERB = re.compile(r"\b(?:\w+(?:аю|яю|ую|ею|иву|ожу|лю|юсь|усь)|\w*езжу|ем|пью|женат|замужем|родом)\b", re.IGNORECASE)
"""A Russian verb in the first person: the piece stands by itself though no pronoun says so."""
_PAST_RU = re.compile(r"^\W*(?:[^\W\d_]+л(?:а|и|ся|ась|ись)?|не ем|не пью)\b", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"^\W*(?:oh,?\s+(?:and|also)|also|and also|by the way|btw|on another note|another thing|one more thing|unrelated|p\.?s|"
    r"separately|кстати|между прочим|а ещё|а еще|и ещё|и еще|ещё|еще|да,?\s+и|другое|з\.?ы|p\.?s|и ещё одно)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_QUOTED = re.compile(r"[\"«“„][^\"»”]{3,}[\"»”]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a turn.

    Attributes:
        text: the words as they stand in the turn.
        joined: whether it was split off from the piece before it within one sentence.
        asks: whether it ends its sentence with a question mark.
        start: where `text` begins in the turn.
        line: the number of its line in the turn.
        item: whether it begins an item of a list.
    """

    text: str
    joined: bool = False
    asks: bool = False
    start: int = 0
    line: int = 0
    item: bool = False

    @property
    def end(self) -> int:
        """Where `text` ends in the turn."""
        return self.start + len(self.text)


def pieces(turn: str) -> list[Piece]:
    """The pieces of a turn in order, at most `MOST_PIECES`."""
    out: list[Piece] = []
    for sentence in _sentences(turn):
        for piece in _clauses(sentence):
            out.append(piece)
            if len(out) >= MOST_PIECES:
                return out
    return out


def sentences(turn: str) -> Iterator[str]:
    """Sentences and list items, without fenced code, quoted lines and what is mostly a quotation."""
    for sentence in _sentences(turn):
        yield sentence.text


def _sentences(turn: str) -> Iterator[Piece]:
    seen = _FENCE.sub(lambda fence: "\n" * len(fence.group()), turn[:LONGEST_TURN])
    at = 0
    for number, whole in enumerate(seen.splitlines(keepends=True)):
        begin, at = at, at + len(whole)
        if whole.lstrip().startswith((">", "|", "#!")):
            continue
        bullet = _BULLET.match(whole)
        first = True
        for start, text in _split_sentences(whole, bullet.end() if bullet else 0):
            if text and not mostly_quoted(text):
                yield Piece(text, start=begin + start, line=number, item=bool(bullet) and first)
                first = False


def mostly_quoted(text: str) -> bool:
    """Whether more than half of a text stands between quotation marks: somebody else's words, not a title."""
    quoted = sum(len(match.group()) for match in _QUOTED.finditer(text) if _word_count(match.group()) > _TITLE)
    return quoted * 2 > len(text)


def _split_sentences(line: str, start: int) -> Iterator[tuple[int, str]]:
    for match in _SENTENCE_END.finditer(line, start):
        before = line[start : match.end()].strip()
        if match.group()[0] == "." and _ABBREVIATION.search(before):
            continue
        yield _placed(line, start, match.end())
        start = match.end()
    yield _placed(line, start, len(line))


def _placed(text: str, start: int, end: int, edge: str | None = None) -> tuple[int, str]:
    """(where it begins, the words) of `text[start:end]` without white space, or the characters of `edge`, around it."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip(edge)), part.strip(edge)


def _clauses(sentence: Piece) -> list[Piece]:
    text = sentence.text
    asks = text.rstrip(")\"'»” ").endswith(("?", "？"))
    head, tail = len(text), ""
    if asks:
        found = _ASKING.search(text)
        if found and _word_count(text[: found.start()]) >= 2:
            head, tail = found.start(), text[found.end() :]
    parts = _joined(text[:head])
    out = [
        replace(
            sentence,
            text=part,
            start=sentence.start + at,
            joined=i > 0,
            item=sentence.item and i == 0,
            asks=asks and not tail and i == len(parts) - 1,
        )
        for i, (at, part) in enumerate(parts)
    ]
    if tail:
        at = sentence.start + len(text) - len(tail)
        out.append(replace(sentence, text=tail, start=at, joined=True, item=False, asks=True))
    return out


def _joined(sentence: str) -> list[tuple[int, str]]:
    parts: list[tuple[int, str]] = []
    start = 0
    for match in _JOINT.finditer(sentence):
        left, right = sentence[start : match.start()], sentence[match.end() :]
        if _word_count(left) >= 2 and _word_count(right) >= 2 and not _subordinate(left):
            parts.append(_placed(sentence, start, match.start(), " ,"))
            start = match.end()
    parts.append(_placed(sentence, start, len(sentence)))
    return [part for part in parts if part[1]]


def _subordinate(left: str) -> bool:
    """Whether what follows depends on `left` ("if I had time, I …", "когда я …, я …")."""
    return bool(
        re.match(
            r"\W*(?:if|when|whenever|although|though|because|since|while|after|before|once|unless|as|even if|если|"
            r"когда|хотя|пока|"
            r"потому|раз|после того|прежде|чтобы|как только|если бы)\b",
            left,
            re.IGNORECASE,
        )
        or re.search(
            r"\b(?:that|said|says|think|know|hope|what|which|что|чтобы|говорит|сказал\w*|думаю|знаю|надеюсь)\W*$",
            left,
            re.IGNORECASE,
        )
    )


def leans(piece: Piece) -> bool:
    """Whether a piece says little without the one before it: it refers back, or is no sentence about anybody."""
    text = piece.text
    if _REFERS.search(text) or (_ANAPHOR.search(text) and not _NAMES_SOMEBODY.search(text)):
        return True
    if piece.item:
        return _word_count(text) < 2
    shown = cues(text)
    if "i" in shown or _OWN_VERB.search(text):
        return _word_count(text) < 2
    if {"my", "relative"} & shown:
        return _word_count(text) < 3
    return not ({"digits", "code"} & shown and _word_count(text) >= 4)


def tells(piece: Piece) -> bool:
    """Whether a turn may begin with the piece as a fact of its own: it does not lean, or its verb is the speaker's."""
    return not leans(piece) or (_word_count(piece.text) >= 3 and bool(_PAST_RU.search(piece.text)))


def addresses(text: str) -> bool:
    """Whether a sentence looks like no telling: a request, a question without its mark, a greeting, an "if I were"."""
    shown = cues(text)
    if "for_later" in shown or announces(text):
        return False
    return bool(
        {"request", "question_word"} & shown
        or ("greeting" in shown and _word_count(text) <= _GREETING)
        or _SUPPOSES.search(text)
    )


def announces(text: str) -> bool:
    """Whether a piece says itself that it is another matter ("also", "by the way", "кстати")."""
    return bool(_ANNOUNCES.search(text))


def _word_count(text: str) -> int:
    return len(_WORD.findall(text))


def clipped(text: str, longest: int = LONGEST_PIECE) -> str:
    """`text` on one line, at most `longest` characters, cut at the end of a sentence, else of a word."""
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    window = flat[: longest + 1]
    ends = [match.end() for match in re.finditer(r"[.!?…]+[)\"'»”]*\s", window)]
    if ends and ends[-1] >= longest // 3:
        return window[: ends[-1]].strip()
    space = window.rfind(" ")
    return window[: space if space > longest // 2 else longest].rstrip(" ,;:—–-")
