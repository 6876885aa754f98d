"""Words as the full-text index and the gate see them: Snowball stems of English and Russian, stop words removed.

Cyrillic words get the Russian stemmer, Latin ones the English; scripts without spaces (CJK) become character pairs, so
nothing a person writes is unsearchable.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from snowballstemmer.basestemmer import BaseStemmer

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯豈-﫿]")
_LONGEST_TEXT: Final = 20_000
"""Characters of a text that are indexed; a pasted megabyte is findable by its beginning."""

_STOP_EN = (
    "a about above after again all am an and any are aren't as at be because been before being below between both but by "
    "can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further had "
    "has have having he he's her here hers him his how how's i i'd i'll i'm i've if in into is isn't it it's its itself "
    "just let's me more most my myself no nor not now of off on once only or other ought our ours out over own same she "
    "she's should so some such than that that's the their theirs them then there there's these they they're this those "
    "through to too under until up very was wasn't we we're we've were what what's when when's where where's which while "
    "who who's whom why why's will with won't would you you're your yours yourself im ive dont please tell know"
)
_STOP_RU = (
    "какого какому каком каким какую каких какими какова которой котором который которую "
    "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть "
    "еще же за здесь и из или им их к как какая какие какой когда кто ли либо мне может мой моя мое мои моего моей моих мы "
    "на надо наш не него нее нет ни них но ну о об однако он она они оно от очень по под при про с со свой своя сейчас так "
    "также такой там те тем то того тоже той только том ты тебя тебе твой твоя у уже хотя чего чей чем что чтобы чье чья "
    "эта эти это этот я меня мной нам нас скажи помнишь пожалуйста"
)
STOP_WORDS: Final[frozenset[str]] = frozenset(_STOP_EN.split()) | frozenset(_STOP_RU.split())


@cache
def _stemmer(language: str) -> BaseStemmer:
    """A stemmer, made at first use: importing them reads every language there is."""
    import snowballstemmer

    return snowballstemmer.stemmer(language)


def stems(text: str) -> list[str]:
    """The stems of a text's content words, in order, repeats kept."""
    folded = unicodedata.normalize("NFKC", text[:_LONGEST_TEXT]).casefold().replace("ё", "е").replace("’", "'")
    out: list[str] = []
    for match in _WORD.finditer(folded):
        word = match.group()
        if word in STOP_WORDS:
            continue
        if _CJK.search(word):
            out.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            out.append(_stem(word))
    return out


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    stemmer = _stemmer("russian" if "а" <= word[0] <= "я" else "english")
    return str(stemmer.stemWord(word.removesuffix("'s")))


def coverage(query: frozenset[str], text: str) -> float:
    """Share of the query's stems found in `text`: 0..1; 0 for a query without content words."""
    if not query:
        return 0.0
    return len(query & frozenset(stems(text))) / len(query)


_ASKING = re.compile(
    r"\?|^\W*(?:who|what|when|where|which|why|how|whose|do i|am i|did i|can i|should i|remind|"
    r"кто|что|где|куда|откуда|когда|какой|какая|какое|какие|сколько|почему|зачем|как|чей|чья|напомни|можно ли|нужно ли)\b",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether a text asks something: a question mark anywhere, or a question's first word (en, ru)."""
    return _ASKING.search(text[:_LONGEST_TEXT]) is not None
