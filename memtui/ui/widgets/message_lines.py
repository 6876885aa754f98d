"""Pieces of text drawn as rows of styled segments, each row knowing how it is copied.

What is copied should be what was written: a row remembers how much of it is decoration (an indent, the pad of a code
block) and whether it goes on in the next row only because the screen was too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from memtui.ui.widgets.message_blocks import Piece
from memtui.ui.widgets.message_styles import Palette, TokenType
from memtui.ui.widgets.message_text import TAB_CELLS, displayable

LEAST_WIDTH: Final = 8
"""Cells below which nothing is laid out; a narrower screen crops."""
_LONGEST_CODE_LINE: Final = 2_000
CODE_PAD: Final = 1
ALL: Final = 1 << 30
"""`skip` of a row that is decoration as a whole."""


@dataclass(slots=True)
class Line:
    """One row.

    Attributes:
        segments: what is drawn.
        skip: characters at its start that are decoration and are not copied.
        soft: what joins it to the next row when copied ("" or " "); None: a line ends here.
        fill: style of the rest of the row, if it is not the transcript's own.
        strip: the row as it was last painted, for the painter's own use.
    """

    segments: list[Segment]
    skip: int = 0
    soft: str | None = None
    fill: Style | None = None
    strip: Strip | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The row's characters, decoration included."""
        return "".join(segment.text for segment in self.segments)

    def copied(self, start: int, end: int | None) -> str:
        """The characters from `start` to `end` (None: all) that are worth copying."""
        text = self.text
        return text[max(start, self.skip) : len(text) if end is None else end]


def hit(style: Style, *target: str | int) -> Style:
    """`style` that tells where a click on it goes."""
    return style + Style(meta={"hit": list(target)})


def wrapped(text: Text, width: int, palette: Palette) -> Iterator[tuple[Text, str | None]]:
    """The rows of `text` at `width` cells, each with what joins it to the next one (None at the end of a line)."""
    for source in text.split("\n", allow_blank=True):
        if "\t" in source.plain:
            source.expand_tabs(TAB_CELLS)
        if not source.plain.strip():
            yield Text(), None
            continue
        rows = source.wrap(palette.console, max(width, LEAST_WIDTH), overflow="fold")
        at = 0
        plain = source.plain
        for number, row in enumerate(rows):
            at += len(row.plain)
            if number == len(rows) - 1:
                yield row, None
                break
            gap = len(plain[at:]) - len(plain[at:].lstrip(" "))
            at += gap
            yield row, " " if gap and not row.plain.endswith(" ") else ""


def draw(piece: Piece, width: int, palette: Palette) -> list[Line]:
    """The rows of a piece at `width` cells; at least one."""
    width = max(width, LEAST_WIDTH)
    if piece.kind == "code":
        lines = list(code_lines(displayable(piece.source), piece.language, width, palette, piece.block, not piece.joined))
    elif piece.kind == "verbatim":
        lines = verbatim_lines(displayable(piece.source), width, palette, palette.base)
    else:
        from memtui.ui.widgets.message_markdown import markdown_lines

        lines = markdown_lines(displayable(piece.source), width, palette)
    return lines or [Line([])]


def verbatim_lines(text: str, width: int, palette: Palette, style: Style) -> list[Line]:
    """`text` letter by letter: its own line ends and spaces, wrapped at words."""
    whole = Text(text)
    whole.stylize(style)
    return [Line(list(row.render(palette.console, end="")), soft=soft) for row, soft in wrapped(whole, width, palette)]


def code_lines(code: str, language: str, width: int, palette: Palette, block: int = -1, head: bool = True) -> Iterator[Line]:
    """A code block's rows: its language and a place to click for a copy, then the highlighted code.

    Args:
        block: number of the block in its message, -1 if it can't be copied by a click.
        head: whether this is the beginning of the block.
    """
    style, pad = palette["code"], " " * CODE_PAD
    if head:
        yield _code_head(language, width, palette, block)
    inner = max(LEAST_WIDTH, width - 2 * CODE_PAD)
    for tokens in _highlighted(code.expandtabs(TAB_CELLS), language, palette):
        rows = list(_chopped(tokens, inner))
        for number, row in enumerate(rows):
            soft = "" if number < len(rows) - 1 else None
            yield Line([Segment(pad, style), *row], skip=CODE_PAD, soft=soft, fill=style)


def _code_head(language: str, width: int, palette: Palette, block: int) -> Line:
    style = palette["code-head"]
    name = f"{' ' * CODE_PAD}{displayable(language)[:20] or 'text'}"
    copy = "copy" + " " * CODE_PAD
    gap = width - cell_len(name) - len(copy)
    segments = [Segment(name, style)]
    if block >= 0 and gap > 0:
        link = hit(style + Style(underline=True), "code", block)
        segments += [Segment(" " * gap, style), Segment("copy", link), Segment(" " * CODE_PAD, style)]
    return Line(segments, skip=ALL, fill=style)


def _highlighted(code: str, language: str, palette: Palette) -> Iterator[list[tuple[str, Style]]]:
    """The lines of `code` as (text, style) runs."""
    row: list[tuple[str, Style]] = []
    for token, text in _tokens(code, language):
        style = palette["code"] if token is None else palette.token(token)
        first, *rest = text.split("\n")
        if first:
            row.append((first, style))
        for part in rest:
            yield row
            row = [(part, style)] if part else []
    yield row


def _tokens(code: str, language: str) -> Iterable[tuple[TokenType | None, str]]:
    if not language or any(len(line) > _LONGEST_CODE_LINE for line in code.split("\n")):
        return [(None, code)]
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [(None, code)]
    tokens: Iterable[tuple[TokenType | None, str]] = lexer.get_tokens(code)
    return tokens


def _chopped(tokens: list[tuple[str, Style]], width: int) -> Iterator[list[Segment]]:
    """One line of code in rows of at most `width` cells, broken anywhere."""
    row: list[Segment] = []
    room = width
    for text, style in tokens:
        rest = text
        while rest:
            if cell_len(rest) <= room:
                row.append(Segment(rest, style))
                room -= cell_len(rest)
                break
            head = chop_cells(rest, room)[0] if room > 0 else ""
            if head and cell_len(head) <= room:
                row.append(Segment(head, style))
                rest = rest[len(head) :]
            elif room == width:  # one character is wider than the row: draw it cropped rather than loop
                row.append(Segment(rest[0], style))
                rest = rest[1:]
            yield row
            row, room = [], width
    yield row
