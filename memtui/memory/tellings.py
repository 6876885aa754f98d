"""When two texts are one telling: the same words but for what carries no meaning of its own.

Only what can't change a fact is folded: case, punctuation, ё, articles, contractions, a few fillers. Stems, tense, order and
numbers are not: "I lived in Berlin" is no second telling of "I live in Berlin". Whether other words say the same is for a
judge, in a sleep pass, where nothing is lost by it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from memtui.memory.texts import same_key

_WHOLE: Final = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "let's": "let us",
    "it's": "it is",
    "that's": "that is",
    "he's": "he is",
    "she's": "she is",
    "there's": "there is",
    "im": "i am",
    "dont": "do not",
}
_ENDS: Final = (("n't", " not"), ("'m", " am"), ("'re", " are"), ("'ve", " have"), ("'ll", " will"))
_EMPTY: Final = frozenset(
    "a an the really actually also still btw oh hey please я же ведь вообще кстати ещё еще всё-таки по-прежнему".replace(
        "ё", "е"
    ).split()
)
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_LONGEST: Final = 2_000
"""Characters that are looked at; longer texts are one telling only when they are the same."""


def telling_key(text: str) -> str:
    """What two texts must share to be one telling, told again; as strict as `same_key` for long texts."""
    if len(text) > _LONGEST:
        return same_key(text)
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ё", "е").replace("’", "'")
    words = [word for word in _WORD.findall(folded) if word not in _EMPTY]
    return same_key(" ".join(map(_spelled_out, words))) or same_key(text)


def _spelled_out(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    for end, full in _ENDS:
        if word.endswith(end) and len(word) > len(end):
            return word[: -len(end)] + full
    return word
