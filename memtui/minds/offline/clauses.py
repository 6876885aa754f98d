"""A user turn as the pieces that may each hold a fact, in the user's own words.

What is never a fact of the user is dropped first: fenced code, quoted lines, text that is mostly a quotation. Then lines,
list items, sentences and, where both sides can stand alone, clauses joined by "and", "but", "а", "и", "но".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

LONGEST_TURN: Final = 6_000
"""Characters of a turn that are read; what a pasted megabyte is about stands at its beginning."""
MOST_PIECES: Final = 40
"""Pieces of a turn that are looked at: nobody tells forty facts in one breath, a paste does."""
LONGEST_PIECE: Final = 300
"""Characters of a memory's text; a longer piece is cut at the end of a sentence or word."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*•–—]|\d{1,2}[.)])\s+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|e\.g|i\.e|no|approx|jr|sr|т\.е|т\.д|т\.п|т\.к|г|гг|ул|д|кв|стр|руб|тыс|им|"
    r"см|мин|др|напр)|"
    r"\b[A-ZА-ЯЁ])\.$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…]+[)\"'»”\]]*\s+|[\u3002\uff01\uff1f]|;\s+")
_FIRST = r"(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|я|мы|мой|моя|моё|мои|меня|мне|у меня|у нас|наш|наша|нам)"
_VERB_RU = (
    r"(?:живу|работаю|учусь|люблю|хожу|занимаюсь|играю|пью|ем|снимаю|преподаю|пишу|езжу|служу|воспитываю|читаю|говорю|держу|"
    r"женат|замужем|родом)"
)
_JOINT = re.compile(
    r"(?:,\s*|\s+)(?:and|but|also|plus|so|oh and|btw|by the way|и|а|но|а ещё|а еще|ещё|еще|кстати|плюс|зато)\s+"
    rf"(?={_FIRST}\b|{_VERB_RU}\b)|,\s+(?={_FIRST}\b|{_VERB_RU}\b)",
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
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_QUOTED = re.compile(r"[\"«“„][^\"»”]{3,}[\"»”]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a turn.

    Attributes:
        text: the words as they stand in the turn.
        joined: whether it was split off from the piece before it within one sentence.
        asks: whether it ends its sentence with a question mark.
    """

    text: str
    joined: bool = False
    asks: bool = False


def pieces(turn: str) -> list[Piece]:
    """The pieces of a turn in order, at most `MOST_PIECES`."""
    out: list[Piece] = []
    for sentence in sentences(turn):
        for piece in _clauses(sentence):
            out.append(piece)
            if len(out) >= MOST_PIECES:
                return out
    return out


def sentences(turn: str) -> Iterator[str]:
    """Sentences and list items, without fenced code, quoted lines and what is mostly a quotation."""
    seen = _FENCE.sub("\n", turn[:LONGEST_TURN])
    for line in seen.splitlines():
        if line.lstrip().startswith((">", "|", "#!")):
            continue
        for sentence in _split_sentences(_BULLET.sub("", line).strip()):
            if sentence and not mostly_quoted(sentence):
                yield sentence


def mostly_quoted(text: str) -> bool:
    """Whether more than half of a text stands between quotation marks: somebody else's words."""
    quoted = sum(len(match.group()) for match in _QUOTED.finditer(text))
    return quoted * 2 > len(text)


def _split_sentences(line: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END.finditer(line):
        before = line[start : match.end()].strip()
        if match.group()[0] == "." and _ABBREVIATION.search(before):
            continue
        yield before
        start = match.end()
    yield line[start:].strip()


def _clauses(sentence: str) -> list[Piece]:
    asks = sentence.rstrip(")\"'»” ").endswith(("?", "？"))
    head, tail = sentence, ""
    if asks:
        found = _ASKING.search(sentence)
        if found and _word_count(sentence[: found.start()]) >= 2:
            head, tail = sentence[: found.start()], sentence[found.end() :]
    parts = _joined(head)
    out = [Piece(part, joined=i > 0, asks=asks and not tail and i == len(parts) - 1) for i, part in enumerate(parts)]
    if tail:
        out.append(Piece(tail, joined=True, asks=True))
    return out


def _joined(sentence: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for match in _JOINT.finditer(sentence):
        left, right = sentence[start : match.start()], sentence[match.end() :]
        if _word_count(left) >= 2 and _word_count(right) >= 2 and not _subordinate(left):
            parts.append(left.strip(" ,"))
            start = match.end()
    parts.append(sentence[start:].strip())
    return [part for part in parts if part]


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
