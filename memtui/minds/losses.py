"""What a model may not lose or turn round: the counterpart of `faithful`, which says what it may not add.

A summary puts its sources away, so what it leaves out is gone from every prompt. Numbers, names, dates and codes must be in
it or be named as outdated; a "not" must stay a "not"; a sentence of words no source holds is a claim without support.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memtui.memory.texts import same_key
from memtui.memory.words import stems
from memtui.minds.faithful import added_numbers, is_known, names_inside, near
from memtui.minds.faithful import supported as quoted

_TOKEN = re.compile(r"(?<!\w)(?:[\w#*/.:-]|(?<=\d),(?=\d))*\w#?(?!\w)")
_SHORTEST_CODE: Final = 5
"""Letters and digits from which a mixed token ("B4Q9-7") is a code that must stay as it is, not an amount ("20kg")."""
_SENTENCES = re.compile(r"(?<=[.!?…;])\s+|\n+")
_NEGATIONS: Final = re.compile(
    r"\b(?:not|no(?!\s*[,.!?])|never|no longer|without|cannot|nor|neither|\w+n['’]t|не|нет|нельзя|никогда|больше не|без)\b",
    re.IGNORECASE,
)
_ENDINGS: Final = re.compile(
    r"\b(?:quit|stop\w*|gave up|giv\w+ up|left|end\w*|cancel\w*|sold|lost|avoid\w*|hate\w*|refus\w+|fail\w*|un\w{4,}|"
    r"брос\w+|перестал\w*|завязал\w*|уш[её]л|ушла|отмен\w+|продал\w*|потерял\w*|ненавижу|отказал\w*|закончил\w*|кончил\w*)\b",
    re.IGNORECASE,
)
"""Words that deny without a "not": "I quit smoking" and "I don't smoke any more" are one claim."""
_OWN_WORDS: Final = 0.5
"""Share of a sentence's content words from which words of no source make it a claim of the model's own."""
_FEWEST: Final = 3
"""Words of no source that are always forgiven: "because", "lasting", "currently" and their kind."""


def lost_details(text: str, sources: Sequence[str]) -> list[str]:
    """Numbers, codes and names of the sources that `text` does not hold, in order of telling."""
    details = dict.fromkeys(detail for source in sources for detail in (*_codes(source), *names_inside(source)))
    return [detail for detail in details if not _holds(text, detail)]


def unaccounted(text: str, sources: Sequence[str], outdated: Sequence[str]) -> list[str]:
    """Details of the sources (oldest first) that are neither in `text` nor quoted in `outdated`.

    What the newest source says can't be outdated; what is called outdated must stand in an older source.
    """
    excused = " … ".join(quote for quote in outdated if any(quoted(quote, source) for source in sources[:-1]))
    newest = set(lost_details(text, sources[-1:]))
    return [detail for detail in lost_details(text, sources) if detail in newest or not _holds(excused, detail)]


def _holds(text: str, detail: str) -> bool:
    """Whether `text` holds a number (in digits or words), a code (spacing aside) or a name (its case ending aside)."""
    if not any(c.isdigit() for c in detail):
        return is_known(detail, set(stems(text)))
    squeezed = _squeezed(detail)
    if len(squeezed) >= _SHORTEST_CODE and not squeezed.isdigit():
        return squeezed in _squeezed(text)
    return not added_numbers(detail, [text])


def _codes(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if any(c.isdigit() for c in token)]


def _squeezed(text: str) -> str:
    return same_key(text).replace(" ", "")


def unsupported_sentences(text: str, sources: Sequence[str]) -> list[str]:
    """Sentences of `text` made mostly of words that no source holds."""
    known = {stem for source in sources for stem in stems(source)}
    out = []
    for sentence in _SENTENCES.split(text):
        words = [stem for stem in dict.fromkeys(stems(sentence)) if not stem.isdigit()]
        new = [stem for stem in words if not near(stem, known)]
        if len(new) >= min(_FEWEST, max(1, len(words))) and len(new) > _OWN_WORDS * len(words):
            out.append(sentence.strip())
    return out


def turned_round(text: str, sources: Sequence[str]) -> bool:
    """Whether `text` denies what no source denies, or drops the denial of the newest source."""
    if _denies(text):
        return not any(_denies(source) or _ENDINGS.search(source) for source in sources)
    return bool(sources) and _denies(sources[-1]) and not _ENDINGS.search(text)


def flips(text: str, quote: str) -> bool:
    """Whether `text` says in the quote's own words the opposite of it; other words may deny in other ways."""
    return _denies(text) != _denies(quote) and set(stems(text)) <= set(stems(quote))


def _denies(text: str) -> bool:
    return _NEGATIONS.search(text) is not None
