"""A growing Markdown text cut into pieces that can be drawn one by one.

A piece is one block of the text (a paragraph, a list, a code fence) or a bounded part of a very long one. All pieces but
the last are final, so a stream redraws its last piece only; and a piece that is never looked at is never drawn. Streamed
and stored texts are cut alike, so nothing moves when a reply is complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

PieceKind = Literal["markdown", "verbatim", "code"]

SOFT_LINES: Final = 100
"""Lines after which a piece ends where that does no harm."""
HARD_LINES: Final = 200
"""Lines after which it ends anyway."""
MOST_CHARS: Final = 4_000
"""Characters after which a line is broken."""

_FENCE: Final = re.compile(r"^( {0,3})(`{3,}|~{3,})\s*([^`\s]*)[^`]*$")
_NESTED_FENCE: Final = re.compile(r"^[ >\t]*(?:[-*+] |\d{1,9}[.)] )?[ \t]*(`{3,}|~{3,})([^`]*)$")
_ITEM: Final = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_TABLE_RULE: Final = re.compile(r"^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """What is drawn at once.

    Attributes:
        kind: how `source` is drawn: as Markdown, letter by letter, or as code.
        source: the text; for code without its fences.
        joined: it goes on from the piece before it, with no blank row between.
        language: of code, as the fence names it.
        block: number of the code block within the message, from 0 (-1: no code).
    """

    kind: PieceKind
    source: str
    joined: bool = False
    language: str = ""
    block: int = -1


class BlockSplitter:
    """Cuts a text that arrives in parts.

    Args:
        verbatim: draw what is outside of fences letter by letter (what a person typed), not as Markdown.
    """

    def __init__(self, *, verbatim: bool = False) -> None:
        self._plain: PieceKind = "verbatim" if verbatim else "markdown"
        self._done: list[Piece] = []
        self._lines: list[str] = []
        self._chars = 0
        self._partial = ""
        self._blank = False
        self._joined = False
        self._fence = ""
        self._language = ""
        self._nested = ""
        self._blocks = 0

    @property
    def done(self) -> list[Piece]:
        """The pieces that are final; only ever longer."""
        return self._done

    @property
    def open(self) -> Piece | None:
        """The piece that still grows."""
        lines = [*self._lines, self._partial] if self._partial else self._lines
        if self._fence:
            closing = self._partial.strip() if self._partial else ""
            if closing and set(closing) == {self._fence[0]}:
                lines = self._lines  # the closing fence is on its way: not a line of code
            return self._code(lines)
        opening = _FENCE.match(self._partial)
        if opening and not self._keeps(self._partial):
            lines = self._lines  # a fence being written is no text
        if not any(line.strip() for line in lines):
            return None
        return Piece(self._plain, "\n".join(lines).rstrip("\n"), self._joined)

    def feed(self, text: str) -> None:
        """Take in more text (`\\n` its only line ending)."""
        first, *rest = (self._partial + text).split("\n")
        for line in rest:
            self._line(first)
            first = line
        while len(first) > MOST_CHARS:
            at = first.rfind(" ", MOST_CHARS // 2, MOST_CHARS) + 1 or MOST_CHARS
            self._line(first[:at])
            self._close(joined=True)
            first = first[at:]
        self._partial = first

    def finish(self) -> None:
        """No more text will come: the open piece is final too."""
        if self._partial:
            self._line(self._partial)
            self._partial = ""
        if self._fence:
            self._end_fence()
        self._close()

    def _line(self, line: str) -> None:
        while len(line) > MOST_CHARS:
            at = line.rfind(" ", MOST_CHARS // 2, MOST_CHARS) + 1 or MOST_CHARS
            self._whole_line(line[:at])
            self._close(joined=True)
            line = line[at:]
        self._whole_line(line)

    def _whole_line(self, line: str) -> None:
        if self._fence:
            self._code_line(line)
            return
        fence = None if self._nested else _FENCE.match(line)
        if fence and not self._keeps(line):
            self._close()
            self._fence, self._language = fence[2], fence[3]
            return
        if not line.strip() and not self._nested:
            if self._lines:
                self._blank = True
                self._add("")
            return
        if self._lines and self._splits_before(line):
            self._close(joined=not self._blank or self._plain == "verbatim")
        self._blank = False
        self._add(line)
        self._track_nested(line)

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._chars += len(line)

    def _empty(self, keep: list[str] | None = None) -> None:
        self._lines = keep or []
        self._chars = sum(map(len, self._lines))

    def _keeps(self, line: str) -> bool:
        """Whether a fence on `line` belongs to the list that is open."""
        return bool(self._lines) and bool(_ITEM.match(self._lines[0])) and line[:1] in " \t"

    def _splits_before(self, line: str) -> bool:
        if self._plain == "verbatim":
            return len(self._lines) >= SOFT_LINES
        long = len(self._lines) >= SOFT_LINES or self._chars > MOST_CHARS
        if self._nested:
            return len(self._lines) >= HARD_LINES
        if long and (len(self._lines) >= HARD_LINES or line[:1] not in " \t"):
            return True
        if not self._blank:
            return False
        first = self._lines[0]
        if _ITEM.match(first):
            return not (line[:1] in " \t" or _ITEM.match(line))
        if first.startswith(("    ", "\t")):
            return not line.startswith(("    ", "\t"))
        return True

    def _track_nested(self, line: str) -> None:
        """Follow fences inside of lists and quotes: blank lines in them end nothing."""
        if self._plain == "verbatim":
            return
        fence = _NESTED_FENCE.match(line)
        if self._nested:
            closed = fence is not None and fence[1].startswith(self._nested) and not fence[2].strip()
            if closed or (self._lines[0].startswith(">") and not line.startswith(">")):
                self._nested = ""
        elif fence and (_ITEM.match(self._lines[0]) or self._lines[0].lstrip().startswith(">")):
            self._nested = fence[1]

    def _code_line(self, line: str) -> None:
        text = line.strip()
        if text.startswith(self._fence) and set(text) == {self._fence[0]} and len(line) - len(line.lstrip()) <= 3:
            self._end_fence()
            return
        self._add(line)
        long = len(self._lines)
        if long >= HARD_LINES or self._chars > MOST_CHARS or (long >= SOFT_LINES and not text):
            self._done.append(self._code(self._lines))
            self._empty()
            self._joined = True

    def _end_fence(self) -> None:
        if self._lines or not self._joined:
            self._done.append(self._code(self._lines))
        self._empty()
        self._fence, self._joined = "", False
        self._blocks += 1

    def _code(self, lines: list[str]) -> Piece:
        return Piece("code", "\n".join(lines), self._joined, self._language, self._blocks)

    def _close(self, *, joined: bool = False) -> None:
        """End the open piece; `joined` tells whether the next one goes on from it."""
        if self._fence:
            if joined and self._lines:
                self._done.append(self._code(self._lines))
                self._empty()
                self._joined = True
            return
        repeat = self._table_head() if joined else []
        while self._lines and not self._lines[-1].strip() and not (joined and self._plain == "verbatim"):
            self._lines.pop()
        if self._lines:
            self._done.append(Piece(self._plain, "\n".join(self._lines), self._joined))
        self._empty(repeat)
        self._blank, self._nested, self._joined = False, "", joined

    def _table_head(self) -> list[str]:
        """The head of the table that is open, for the piece that goes on with it."""
        if (
            self._plain == "markdown"
            and len(self._lines) > 2
            and "|" in self._lines[0]
            and _TABLE_RULE.match(self._lines[1])
        ):
            return self._lines[:2]
        return []


def split_blocks(text: str, *, verbatim: bool = False) -> list[Piece]:
    """All pieces of a text that is complete (`\\n` its only line ending)."""
    splitter = BlockSplitter(verbatim=verbatim)
    splitter.feed(text)
    splitter.finish()
    return splitter.done


def code_blocks(text: str) -> list[str]:
    """The code of every fence in `text`, in order; those inside of lists too, without the list's indentation."""
    return list(_fences(text.split("\n")))


def _fences(lines: list[str]) -> Iterator[str]:
    fence = ""
    indent = 0
    code: list[str] = []
    for line in lines:
        match = _NESTED_FENCE.match(line)
        if not fence:
            if match:
                fence, indent, code = match[1], match.start(1), []
        elif match and match[1].startswith(fence) and not match[2].strip():
            yield "\n".join(code)
            fence = ""
        else:
            lead = line[:indent]
            code.append(line[indent:] if not lead.strip(" >\t") else line.lstrip())
    if fence:
        yield "\n".join(code)


def fenced_block(text: str, block: int, *, verbatim: bool = False) -> str:
    """The code of block number `block` as pieces count them; "" if there is none."""
    return "\n".join(piece.source for piece in split_blocks(text, verbatim=verbatim) if piece.block == block)
