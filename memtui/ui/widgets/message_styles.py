"""The colours of the transcript, taken from the theme by way of component classes.

Everything the transcript draws gets its style from here by name, so a theme file or a line of CSS changes any of it, and
code is coloured from the same palette as the rest: readable on light, dark and 16-colour terminals alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Final, Protocol

from rich.console import Console
from rich.style import Style
from rich.theme import Theme

STYLE_NAMES: Final[tuple[str, ...]] = (
    *("you", "memtui", "meta", "writing", "interrupted", "thinking", "notice", "error", "more", "hint", "marker"),
    *("recall", "recall-handle", "recall-number", "recall-extra", "fold"),
    *("match", "match-current", "search"),
    *("heading", "quote", "link", "address", "bullet", "rule", "table", "code-inline"),
    *("code", "code-head", "code-keyword", "code-string", "code-number", "code-comment", "code-name", "code-builtin"),
)
"""Component classes are these, each behind `transcript--`."""

CLASS_PREFIX: Final = "transcript--"

TRANSCRIPT_CSS: Final = """
Transcript {
    height: 1fr;
    width: 1fr;
    color: $text;
    background: $background;
    overflow-x: hidden;
    overflow-y: auto;
    scrollbar-gutter: stable;
    scrollbar-size-vertical: 1;
    & > .transcript--you { color: $text; text-style: bold; }
    & > .transcript--memtui { color: $text-accent; text-style: bold; }
    & > .transcript--meta { color: $text-muted; }
    & > .transcript--writing { color: $text-accent; }
    & > .transcript--interrupted { color: $text-warning; text-style: italic; }
    & > .transcript--thinking { color: $text-muted; text-style: italic; }
    & > .transcript--notice { color: $text-muted; }
    & > .transcript--error { color: $text-error; }
    & > .transcript--more { color: $text-muted; text-style: italic; }
    & > .transcript--hint { color: $text-accent; background: $surface; text-style: bold; }
    & > .transcript--marker { color: $accent; }
    & > .transcript--recall { color: $text-muted; }
    & > .transcript--recall-handle { color: $text-accent; }
    & > .transcript--recall-number { color: $text-muted; }
    & > .transcript--recall-extra { color: $text-disabled; }
    & > .transcript--fold { color: $text-muted; }
    & > .transcript--match { background: $warning 35%; color: $text; }
    & > .transcript--match-current { background: $warning; color: auto 90%; text-style: bold; }
    & > .transcript--search { color: $text; background: $surface; }
    & > .transcript--heading { color: $text; text-style: bold; }
    & > .transcript--quote { color: $text-muted; text-style: italic; }
    & > .transcript--link { color: $text; text-style: underline; }
    & > .transcript--address { color: $text-muted; }
    & > .transcript--bullet { color: $text-accent; }
    & > .transcript--rule { color: $text-disabled; }
    & > .transcript--table { color: $text-muted; }
    & > .transcript--code-inline { color: $text; background: $surface; }
    & > .transcript--code { color: $text; background: $surface; }
    & > .transcript--code-head { color: $text-muted; background: $surface; }
    & > .transcript--code-keyword { color: $text-accent; background: $surface; }
    & > .transcript--code-string { color: $text-success; background: $surface; }
    & > .transcript--code-number { color: $text-warning; background: $surface; }
    & > .transcript--code-comment { color: $text-muted; background: $surface; text-style: italic; }
    & > .transcript--code-name { color: $text-primary; background: $surface; text-style: bold; }
    & > .transcript--code-builtin { color: $text-secondary; background: $surface; }
    &:ansi {
        & > .transcript--meta { text-style: dim; }
        & > .transcript--notice { text-style: dim; }
        & > .transcript--recall { text-style: dim; }
        & > .transcript--recall-number { text-style: dim; }
        & > .transcript--recall-extra { text-style: dim; }
        & > .transcript--fold { text-style: dim; }
        & > .transcript--address { text-style: dim; }
        & > .transcript--thinking { text-style: dim italic; }
        & > .transcript--code-comment { text-style: dim italic; }
        & > .transcript--code-head { text-style: dim; }
        & > .transcript--hint { text-style: reverse; }
        & > .transcript--match { text-style: reverse; }
        & > .transcript--match-current { text-style: bold reverse; }
        & > .transcript--search { text-style: reverse; }
    }
}
"""

_OF_TOKEN: Final[dict[str, str]] = {
    "Token.Comment": "code-comment",
    "Token.Comment.Preproc": "code-builtin",
    "Token.Keyword": "code-keyword",
    "Token.Operator.Word": "code-keyword",
    "Token.Literal.String": "code-string",
    "Token.Literal.Number": "code-number",
    "Token.Keyword.Constant": "code-number",
    "Token.Name.Function": "code-name",
    "Token.Name.Class": "code-name",
    "Token.Name.Decorator": "code-builtin",
    "Token.Name.Builtin": "code-builtin",
    "Token.Name.Tag": "code-keyword",
    "Token.Name.Attribute": "code-builtin",
    "Token.Generic.Deleted": "code-keyword",
    "Token.Generic.Inserted": "code-string",
    "Token.Generic.Heading": "code-name",
}


class TokenType(Protocol):
    """A pygments token type: a name with a parent."""

    @property
    def parent(self) -> TokenType | None:
        """The more general type, None for the root."""
        ...


@dataclass(frozen=True)
class Palette:
    """Styles by name, and what is made from them.

    Attributes:
        base: style of plain text on the transcript's background.
        styles: one for each of `STYLE_NAMES`.
    """

    base: Style
    styles: Mapping[str, Style]

    def __getitem__(self, name: str) -> Style:
        return self.styles[name]

    @classmethod
    def plain(cls) -> Palette:
        """No colours at all, for measuring and for tests."""
        return cls(Style.null(), dict.fromkeys(STYLE_NAMES, Style.null()))

    @classmethod
    def read(cls, component: Callable[[str], Style], base: Style) -> Palette:
        """The palette of a widget; `component` gives the style of a component class."""
        return cls(base, {name: component(CLASS_PREFIX + name) for name in STYLE_NAMES})

    @cached_property
    def console(self) -> Console:
        """A console that renders with these styles and writes nowhere."""
        return Console(
            file=StringIO(),
            width=80,
            color_system="truecolor",
            force_terminal=True,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            theme=Theme(self._markdown_styles(), inherit=True),
            _environ={},
        )

    def _markdown_styles(self) -> dict[str, Style]:
        heading = self["heading"]
        return {
            "markdown.paragraph": Style.null(),
            "markdown.text": Style.null(),
            "markdown.em": Style(italic=True),
            "markdown.emph": Style(italic=True),
            "markdown.strong": Style(bold=True),
            "markdown.s": Style(strike=True),
            "markdown.code": self["code-inline"],
            "markdown.code_block": self["code"],
            "markdown.block_quote": self["quote"],
            "markdown.item": Style.null(),
            "markdown.item.bullet": self["bullet"],
            "markdown.item.number": self["bullet"],
            "markdown.hr": self["rule"],
            "markdown.a": self["link"],
            "markdown.address": self["address"],
            "markdown.table.border": self["table"],
            "markdown.table.header": heading,
            "markdown.h1": heading + Style(underline=True),
            "markdown.h2": heading + Style(underline=True),
            "markdown.h3": heading,
            "markdown.h4": heading + Style(italic=True),
            "markdown.h5": heading + Style(italic=True),
            "markdown.h6": heading + Style(italic=True),
        }

    @cached_property
    def _token_styles(self) -> dict[TokenType, Style]:
        return {}

    def token(self, token: TokenType) -> Style:
        """The style of a pygments token type."""
        found = self._token_styles.get(token)
        if found is None:
            found = self["code"]
            at: TokenType | None = token
            while at is not None:
                name = _OF_TOKEN.get(str(at))
                if name is not None:
                    found = self[name]
                    break
                at = at.parent
            self._token_styles[token] = found
        return found
