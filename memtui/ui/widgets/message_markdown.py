"""Rich's Markdown, changed where a chat needs it otherwise.

Nothing written may vanish: HTML is shown as text, so are link definitions, an address stands behind its link, a line break
is a line break. Headings stay left, lists stay readable when they are deep or the screen is narrow, and no text is ever
taken for rich markup.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    Heading,
    HorizontalRule,
    ListElement,
    ListItem,
    Markdown,
    MarkdownContext,
    MarkdownElement,
    Paragraph,
    TableElement,
)
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from memtui.ui.widgets.message_lines import LEAST_WIDTH, Line, code_lines, verbatim_lines, wrapped
from memtui.ui.widgets.message_styles import Palette

_DEEPEST: Final = 100
"""Levels of nesting after which the parser drops text; what comes near is shown letter by letter."""
_SOFT: Final = "soft"
_LEAST_ITEM: Final = 16
"""Cells a list item keeps for its text, however deep it is."""
_BAR: Final = "▌"
_BULLETS: Final = ("•", "◦", "▪")


@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough; no HTML, no link definitions (they would vanish)."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST}).enable(["strikethrough", "table"])
    return parser.disable(["reference", "html_block", "html_inline"])


def markdown_lines(text: str, width: int, palette: Palette) -> list[Line]:
    """`text` as Markdown, in rows of at most `width` cells."""
    console = palette.console
    options = console.options.update(width=width, height=None, highlight=False)
    try:
        rows = console.render_lines(_ChatMarkdown(text, palette), options, pad=False)
    except (AssertionError, IndexError, KeyError, RecursionError, RuntimeError, ValueError):
        # A shape the renderer can't lay out is shown as it was written: a chat never dies of a reply.
        return verbatim_lines(text, width, palette, palette.base)
    lines = [_line(row) for row in rows]
    first, last = 0, len(lines)
    while first < last and not lines[first].text.strip():
        first += 1
    while last > first and not lines[last - 1].text.strip():
        last -= 1
    after_soft = False
    for line in lines[first:last]:
        plain = line.text
        if after_soft or plain.startswith(_BAR):
            line.skip = len(plain) - len(plain.lstrip(" ▌"))
        after_soft = line.soft is not None
    return lines[first:last]


def _line(row: list[Segment]) -> Line:
    soft: str | None = None
    for segment in reversed(row):
        if segment.text.strip():
            meta = segment.style.meta if segment.style is not None else {}
            soft = meta.get(_SOFT)
            break
    return Line(row, soft=soft)


def _shown(token: Token) -> Token:
    """The token with line breaks kept and each link followed by its address."""
    if not token.children:
        return token
    children: list[Token] = []
    link = ""
    label: list[str] = []
    for child in token.children:
        if child.type == "softbreak":
            child.type = "hardbreak"
        elif child.type == "link_open":
            link, label = str(child.attrs.get("href", "")), []
            child = Token("a_open", "a", 1)
        elif child.type == "link_close":
            children.append(Token("a_close", "a", -1))
            if link and link.removeprefix("mailto:") != "".join(label):
                children += _address(f" ({link})")
            continue
        elif child.type == "image":
            children += [
                Token("text", "", 0, content=f"image: {child.content}"),
                *_address(f" ({child.attrs.get('src', '')})"),
            ]
            continue
        elif child.type in ("text", "code_inline"):
            label.append(child.content)
        children.append(child)
    token.children = children
    return token


def _address(text: str) -> list[Token]:
    return [Token("address_open", "address", 1), Token("text", "", 0, content=text), Token("address_close", "address", -1)]


class _Paragraph(Paragraph):
    """A paragraph that knows which of its line ends are the screen's."""

    palette: Palette

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Paragraph:
        paragraph = cls(justify="left")
        assert isinstance(markdown, _ChatMarkdown)
        paragraph.palette = markdown.palette
        return paragraph

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "default"
        yield from _soft_wrapped(self.text, options.max_width, self.palette)


def _soft_wrapped(text: Text, width: int, palette: Palette) -> RenderResult:
    for row, soft in wrapped(text, width, palette):
        if soft is not None and row.plain.strip():
            end = len(row.plain.rstrip())
            row.stylize(Style(meta={_SOFT: soft}), end - 1, end)
        yield from row.render(palette.console, end="\n")


class _Heading(Heading):
    """A heading at the left, in the weight of its level."""

    palette: Palette

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Heading:
        heading = cls(token.tag)
        assert isinstance(markdown, _ChatMarkdown)
        heading.palette = markdown.palette
        return heading

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _soft_wrapped(self.text, options.max_width, self.palette)


class _CodeBlock(CodeBlock):
    """Code inside of a list or a quote, and indented code."""

    palette: Palette

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _CodeBlock:
        block = cls((token.info or "").partition(" ")[0], "")
        assert isinstance(markdown, _ChatMarkdown)
        block.palette = markdown.palette
        return block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = self.text.plain.rstrip("\n")
        width = options.max_width
        named = bool(self.lexer_name)
        for line in code_lines(code, self.lexer_name, width, self.palette, head=named):
            used = sum(segment.cell_length for segment in line.segments)
            yield from line.segments
            yield Segment(" " * max(0, width - used), line.fill)
            yield Segment.line()


class _BlockQuote(BlockQuote):
    """A quote behind a bar, never narrower than can be read."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(LEAST_WIDTH, options.max_width - 2)
        bar = Segment(f"{_BAR} ", self.style) if width + 2 <= options.max_width else Segment("")
        for line in console.render_lines(self.elements, options.update(width=width), style=self.style, pad=False):
            yield bar
            yield from line
            yield Segment.line()


class _Rule(HorizontalRule):
    """A thin line."""

    new_line = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Segment("─" * min(options.max_width, 24), console.get_style("markdown.hr"))
        yield Segment.line()


class _List(ListElement):
    """A list that knows how deep it is."""

    depth = 0

    def on_enter(self, context: MarkdownContext) -> None:
        self.depth = sum(isinstance(element, ListElement) for element in context.stack) - 1

    def on_child_close(self, context: MarkdownContext, child: MarkdownElement) -> bool:
        assert isinstance(child, ListItem)
        self.items.append(child)
        return False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        numbered = self.list_type != "bullet_list_open"
        start = self.list_start if self.list_start is not None else 1
        digits = len(str(start + len(self.items) - 1))
        for number, item in enumerate(self.items, start):
            mark = f"{number:>{digits}}. " if numbered else f"{_BULLETS[self.depth % len(_BULLETS)]} "
            indent = len(mark) if options.max_width - len(mark) >= _LEAST_ITEM else 0
            width = max(LEAST_WIDTH, options.max_width - indent)
            style = console.get_style("markdown.item.bullet")
            lines = console.render_lines(item.elements, options.update(width=width), style=item.style, pad=False)
            for row, line in enumerate(lines or [[]]):
                yield Segment(mark if row == 0 else " " * indent, style)
                yield from line
                yield Segment.line()


class _Table(TableElement):
    """A table with thin rules."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, style="markdown.table.border", show_edge=False, highlight=False)
        if self.header is not None and self.header.row is not None:
            if 3 * len(self.header.row.cells) > options.max_width:
                raise ValueError("more columns than there is room for")
            for cell in self.header.row.cells:
                heading = cell.content.copy()
                heading.stylize("markdown.table.header")
                justify = cell.justify if cell.justify != "default" else "left"
                table.add_column(heading, justify=justify, overflow="fold")
        if self.body is not None:
            for row in self.body.rows:
                table.add_row(*(cell.content for cell in row.cells))
        yield table


_ELEMENTS: Final[dict[str, type[MarkdownElement]]] = {
    **Markdown.elements,
    "paragraph_open": _Paragraph,
    "heading_open": _Heading,
    "fence": _CodeBlock,
    "code_block": _CodeBlock,
    "blockquote_open": _BlockQuote,
    "hr": _Rule,
    "bullet_list_open": _List,
    "ordered_list_open": _List,
    "table_open": _Table,
}


class _ChatMarkdown(Markdown):
    """Markdown by our own parser and elements."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = _ELEMENTS

    def __init__(self, text: str, palette: Palette) -> None:
        self.markup = text
        tokens = _parser().parse(text)
        if max((token.level for token in tokens), default=0) >= _DEEPEST - 2:
            raise ValueError("nested too deep: the parser drops what lies deeper")
        self.parsed = [_shown(token) for token in tokens]
        self.code_theme = ""
        self.justify = None
        self.style = palette.base
        self.hyperlinks = False
        self.inline_code_lexer = None
        self.inline_code_theme = ""
        self.palette = palette
        self.inlines = {"em", "strong", "code", "s", "a", "address"}
