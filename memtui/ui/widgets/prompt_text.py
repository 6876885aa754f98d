"""What a text area can't hold, held for it: huge pastes, control characters and lone surrogates.

The document of a prompt has stand-ins from a private plane of Unicode: one for each character a terminal would obey, and
one at the head of each `[pasted 1,048,576 characters]`. They are drawn as what they mean and turned back when the text is
sent, so the text goes out as it came in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memtui.ui.widgets.message_text import HOSTILE, SURROGATES, displayable

LONG_PASTE: Final = 2_000
"""Characters from which a paste is shown by its size only."""
LONG_PASTE_LINES: Final = 40
"""Lines from which it is."""

# All from plane 16: plane 15 has the icons of patched fonts, which people do type.
_STAND_IN: Final = 0x100000
_TOKEN_HEAD: Final = 0x10E000
_MOST_TOKENS: Final = 0x1FFD
_HOSTILE: Final = re.compile(f"[{HOSTILE}{SURROGATES}]")
_STANDING_IN: Final = re.compile("[\U00100000-\U0010dfff]")
_HEAD: Final = re.compile("[\U0010e000-\U0010fffd]")
_TOKEN: Final = re.compile("[\U0010e000-\U0010fffd]pasted [\\d,]+ characters\\]")
_PLANE_16: Final = re.compile("[\U00100000-\U0010ffff]")


class PasteShelf:
    """The pastes that are shown by their size, by the stand-in at the head of their place."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, text: str) -> str:
        """Keep `text`; what stands for it in the document."""
        head = chr(_TOKEN_HEAD + len(self._texts) % _MOST_TOKENS)
        self._texts[head] = text
        return f"{head}pasted {len(text):,} characters]"

    def clear(self) -> None:
        """Forget all pastes."""
        self._texts.clear()

    def encoded(self, text: str) -> str:
        """`text` as the document holds it: long ones as a place, others with stand-ins; line ends become `\\n`."""
        if len(text) >= LONG_PASTE or text.count("\n") >= LONG_PASTE_LINES or _PLANE_16.search(text):
            return self.put(text)
        return stand_ins(text)

    def decoded(self, document: str) -> str:
        """What was written and pasted, as it came in."""
        places = {head: text for head, text in self._texts.items() if head in document}
        pieces = re.split(f"({_TOKEN.pattern})", document)
        return "".join(
            places.get(piece[0], _HEAD.sub("[", piece)) if number % 2 else _HEAD.sub("[", _raw(piece))
            for number, piece in enumerate(pieces)
        )


def stand_ins(text: str) -> str:
    """`text` with a stand-in for each character that must not reach a terminal."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _HOSTILE.search(text):
        return text
    return _HOSTILE.sub(lambda match: chr(_STAND_IN + ord(match[0])), text)


def _raw(document: str) -> str:
    if not _STANDING_IN.search(document):
        return document
    return _STANDING_IN.sub(lambda match: chr(ord(match[0]) - _STAND_IN), document)


def drawn(document: str) -> str:
    """A line of the document as it is drawn, as many characters as it has."""
    if document.isascii():
        return document

    def picture(match: re.Match[str]) -> str:
        shown = displayable(chr(ord(match[0]) - _STAND_IN))
        return shown if len(shown) == 1 and shown != "\n" else "�"

    return _HEAD.sub("[", _STANDING_IN.sub(picture, document))


def places(line: str) -> Iterator[tuple[int, int]]:
    """Where the pastes' places in a line of the document begin and end."""
    return (match.span() for match in _TOKEN.finditer(line))
