"""Hostile text made fit for one line of a table: exact width in terminal cells, nothing that moves its neighbours.

Control and format characters (bidi overrides, joiners, variation selectors, tags), enclosing marks and skin tones have no
width a table can count on, so a row leaves them out; the full text stays in the memory and in its card.
"""

from __future__ import annotations

import textwrap
import unicodedata
from functools import lru_cache
from typing import Final

from rich.cells import cell_len, get_character_cell_size, set_cell_size

HEAD: Final = 400
"""Characters of a text a row looks at; a 1 MB memory costs no more than a short one."""
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
_MARKS_ON_ONE: Final = 2
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
_SELECTORS: Final = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))


def head_of(text: str) -> str:
    """The first `HEAD` characters of `text` from its first visible one on."""
    head = text[:HEAD]
    return head if not head.isspace() else text.lstrip()[:HEAD]


def row_text(text: str, cells: int) -> str:
    """`text` on one line of exactly `cells` terminal cells: cut with `…`, or filled up with spaces."""
    return _row_text(head_of(text), cells)


def wrapped(text: str, cells: int) -> list[str]:
    """A sentence of ours in lines of at most `cells` characters."""
    return textwrap.wrap(text, cells)


def plain_line(text: str) -> str:
    """The head of `text` with one space for every run of blanks and without what has no safe width."""
    return _plain(head_of(text))


def card_text(text: str, limit: int = 20_000) -> str:
    """`text` for a wrapped block: lines and letters kept, control and bidi characters and lone surrogates not.

    Args:
        limit: characters shown; more are counted, not drawn.
    """
    shown = text[:limit].replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    if not shown.isascii() or not shown.replace("\n", "").isprintable():
        shown = "".join(_in_card(char) for char in shown)
    more = len(text) - limit
    return f"{shown}\n… and {more:,} characters more" if more > 0 else shown


def _in_card(char: str) -> str:
    if char in "\n\u200d\ufe0f":
        return char
    category = unicodedata.category(char)
    if category in ("Cs", "Cn"):
        return _UNKNOWN
    return "" if category in ("Cc", "Cf") else " " if category in ("Zl", "Zp") else char


@lru_cache(maxsize=4096)
def _row_text(head: str, cells: int) -> str:
    if cells <= 0:
        return ""
    line = _plain(head)
    if cell_len(line) > cells:
        line = set_cell_size(line, cells - 1) + "…"
    return set_cell_size(line, cells)


def _plain(head: str) -> str:
    if head.isascii() and head.isprintable():
        return " ".join(head.split())
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", head):
        combining = _is_mark(char)
        marks = marks + 1 if combining else 0
        if combining and (marks > _MARKS_ON_ONE or not kept or kept[-1].isspace()):
            continue
        kept.append(_in_row(char))
    return " ".join("".join(kept).split())


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Mc") and get_character_cell_size(char) == 0


def _in_row(char: str) -> str:
    code = ord(char)
    if code in _SKIN_TONES or code in _SELECTORS:
        return ""
    if code in _FLAG_LETTERS:  # a flag is one, two or four cells wide, depending on the terminal: its letters always two
        return chr(ord("A") + code - _FLAG_LETTERS.start)
    category = unicodedata.category(char)
    if category in ("Cs", "Cn", "Co"):
        return _UNKNOWN
    if category == "Cc" or category.startswith("Z"):
        return " "
    if category in ("Cf", "Me"):
        return ""
    return "" if get_character_cell_size(char) == 0 and not _is_mark(char) else char
