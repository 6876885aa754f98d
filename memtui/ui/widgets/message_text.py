"""Text from people and models made safe to draw, to measure and to copy; the stored text is never touched.

A terminal obeys control characters, and a font may reorder a row: neither is for a text to decide. So what can act on the
terminal is drawn as a picture of itself (`␛`), and what can reorder a row is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

TAB_CELLS: Final = 4
CLIP_LINES: Final = 2_000
"""Source lines of one text that are shown before it has to be opened."""
CLIP_CHARS: Final = 120_000
"""Characters of one text that are shown before it has to be opened."""

HOSTILE: Final = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # what a terminal obeys
    r"\u2028\u2029"  # what some take for the end of a line
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what reorders a row
    r"\ufeff"
)
"""Characters that are not drawn as they are, for a regular expression's brackets."""
SURROGATES: Final = r"\ud800-\udfff"
"""Halves of characters, for a regular expression's brackets."""

_SURROGATE: Final = re.compile(f"[{SURROGATES}]")
_NOT_PLAIN: Final = re.compile(f"[{HOSTILE}]")
_BIDI: Final = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_PICTURES: Final[dict[int, str]] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: "␡",
    **dict.fromkeys(range(0x80, 0xA0), "�"),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    **dict.fromkeys((*_BIDI, 0xFEFF), ""),
}
_WIDENERS: Final = re.compile("[\u200d\ufe0e\ufe0f]")


def displayable(text: str) -> str:
    """`text` as it may be drawn: `\\n` the only line ending, nothing that a terminal would obey, no lone surrogate.

    Tabs stay; who lays the text out expands them.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _NOT_PLAIN.search(text):
        text = text.translate(_PICTURES)
    return copyable(text)


def copyable(text: str) -> str:
    """`text` with surrogates put together where they are pairs and replaced where they are not; else as it is.

    Streams split an emoji between two pieces; no clipboard and no file takes half of one.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def aligned(text: str) -> str:
    """One line of `text` for a row with columns after it, without the characters whose width terminals disagree on."""
    return " ".join(_WIDENERS.sub("", displayable(text[:2_000])).split())


def cropped(text: str, cells: int) -> str:
    """`text` in at most `cells` terminal cells, with `…` at the end if it was longer."""
    if cells <= 0:
        return ""
    if cell_len(text) <= cells:
        return text
    used = 0
    kept: list[str] = []
    for character in text:
        width = cell_len(character)
        if used + width > cells - 1:
            break
        used += width
        kept.append(character)
    return "".join(kept).rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Clip:
    """The part of a text that is shown, and what is left of it.

    Attributes:
        end: characters that are shown.
        hidden: how many of `unit` are not shown; 0 when all is.
        unit: "lines" or "characters".
    """

    end: int
    hidden: int = 0
    unit: str = "lines"


def clip(text: str, lines: int = CLIP_LINES, chars: int = CLIP_CHARS) -> Clip:
    """Where to stop showing `text`: after `lines` lines or `chars` characters, whichever comes first."""
    if len(text) <= lines:
        return Clip(len(text))
    end = _end_of_line(text, lines)
    if end > chars:
        at = max(text.rfind("\n", chars // 2, chars), text.rfind(" ", chars - 200, chars))
        end = at + 1 if at > 0 else chars
    if end >= len(text):
        return Clip(len(text))
    rest = text.count("\n", end) + (not text.endswith("\n"))
    if rest > 1:
        return Clip(end, rest, "lines")
    return Clip(end, len(text) - end, "characters")


def _end_of_line(text: str, lines: int) -> int:
    """Where the first `lines` lines of `text` end."""
    at = -1
    for _ in range(lines):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at + 1


def estimate_rows(text: str, width: int) -> int:
    """About how many rows `text` takes at `width` cells; at least 1, and cheap."""
    if not text:
        return 1
    if len(text) <= width and "\n" not in text:
        return 1
    return sum(max(1, -(-len(line) // width)) for line in text.split("\n"))


def counted(count: int, noun: str) -> str:
    """`1 memory`, `3 memories`, `12,000 lines`."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {plural}"
