"""The detail card of the selected memory; the same widget stands in the panel and fills a screen of 80x24."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memtui.ui.widgets.card_content import (
    ACTIVE_KEYS,
    RETIRED_KEYS,
    CardContent,
    CardTexts,
    card_content,
    key_word,
    keys_of,
)
from memtui.ui.widgets.sparkline import sparkline

__all__ = [
    "ACTIVE_KEYS",
    "RETIRED_KEYS",
    "CardContent",
    "CardTexts",
    "MemoryCard",
    "card_body",
    "card_content",
    "key_word",
    "keys_of",
]

READING: Final = frozenset({"history", "why"})
"""What only reads."""
_SPARK_CELLS: Final = 32
_Piece = str | tuple[str, str]


def card_body(content: CardContent, width: int, *, curve_line: bool = True) -> Content:
    """The card's lines for a width of `width` cells, without title and keys.

    Args:
        curve_line: whether the curve is among them; not where it is drawn larger.
    """
    why = f"  “{content.reason}”" if content.reason else ""
    pieces: list[_Piece] = [(content.text, "$foreground")]
    if content.skill:
        pieces.append(("\n" + content.skill, "$foreground"))
    else:
        pieces += ["\nimportance ", (_short(content.importance), "$foreground"), (why, "$foreground 80%")]
    pieces.append(f"\n{content.said}")
    if content.sources > 1:
        pieces.append(f"   {content.sources} sources")
    if curve_line:
        cells = min(_SPARK_CELLS, max(8, width - len(content.curve_to) - 3))
        curve = sparkline(np.array(content.curve), cells, content.curve_top)
        past = round(len(curve) * content.curve_past) if content.active else len(curve)
        pieces += ["\n", (curve[:past], "$bar-ghost"), (curve[past:], "$bar"), f"  {content.curve_to}"]
    pieces.append("\n")
    pieces += [(content.fate, "$foreground" if content.active else "$floor"), "\n"]
    if content.why_retired:
        pieces += [(f"“{content.why_retired}”\n", "$foreground 80%")]
    left = "" if content.active else f"   {content.salience:.2f} left then"
    pieces += [(content.half_life, f"$kind-{content.kind.value}"), f" {content.kind.value}   {content.used}{left}\n"]
    pieces += [f"{line}\n" for line in (content.since, *content.links) if line]
    date_cells = max((len(date) for date, _ in content.history), default=0)
    pieces += [f"{date:<{date_cells}}  {what}\n" for date, what in content.history]
    return Content.assemble(*pieces).rstrip()


def _short(share: float) -> str:
    """`.90`, as the card writes an importance; `1.0` when it is whole."""
    text = f"{min(max(share, 0.0), 1.0):.2f}"
    return text[1:] if text.startswith("0") else "1.0"


class MemoryCard(Vertical):
    """Shows one `CardContent`; its keys can be clicked. The text scrolls and can be selected.

    Attributes:
        read_only: only the keys that read are offered.
    """

    @dataclass
    class Asked(Message):
        """A key hint was clicked: `pin`, `edit`, `forget`, `restore`, `history` or `why`."""

        action: str

    class Scroller(VerticalScroll):
        """The scrolling part of the card."""

        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("up", "scroll_up", "Up", show=False, id="card.up", tooltip="Scroll the card up"),
            Binding("down", "scroll_down", "Down", show=False, id="card.down", tooltip="Scroll the card down"),
        ]

    class Keys(Static):
        """The line of key hints; a click on one does what the key does."""

        ALLOW_SELECT = False

        def action_ask(self, action: str) -> None:
            """Ask for an action on the memory shown."""
            self.post_message(MemoryCard.Asked(action))

    DEFAULT_CSS = """
    MemoryCard {
        height: 1fr; padding: 0 1; border-top: solid $foreground 25%;
        border-title-color: $accent; border-title-style: bold; border-title-align: left;
        &:focus-within { border-top: solid $accent; }
        & > #card-scroll { height: 1fr; scrollbar-size-vertical: 1; }
        & #card-body { width: 1fr; height: auto; color: $text-muted; }
        & > #card-keys {
            height: 1; color: $text-muted; link-color: $text-muted; link-style: none;
            link-background: transparent; link-style-hover: bold; link-color-hover: $foreground;
            link-background-hover: $foreground 15%;
        }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.content_shown: CardContent | None = None
        self.hint = ""
        self.read_only = False
        self._lines = 0
        self._filled: tuple[CardContent | None, str, bool] | None = None

    def compose(self) -> ComposeResult:
        """A scrolling text over one line of keys."""
        with self.Scroller(id="card-scroll"):
            yield Static("", id="card-body", markup=False)
        yield self.Keys("", id="card-keys")

    def show(self, content: CardContent | None, hint: str = "") -> None:
        """Show a memory, or `hint` when None; the scroll position stays while it is the same memory."""
        before, shown = self.content_shown, self._filled
        self.content_shown, self.hint = content, hint
        if (content, hint, self.read_only) == shown or not self.is_mounted:
            return
        self._fill()
        if content is None or before is None or content.id != before.id:
            self.query_one("#card-scroll", VerticalScroll).scroll_home(animate=False)

    def on_mount(self) -> None:
        """Show what was given before there was a screen."""
        self._fill()

    def on_resize(self, event: events.Resize) -> None:
        """The curve follows the width."""
        if self.content_shown is not None:
            self._fill()

    def _fill(self) -> None:
        content, body = self.content_shown, self.query_one("#card-body", Static)
        self._filled = (content, self.hint, self.read_only)
        keys = self.query_one("#card-keys", self.Keys)
        if content is None:
            self.border_title, self._lines = None, 0
            body.update(Content(self.hint))
            keys.update("", layout=False)
            return
        self.border_title = Content(content.handle + (" ◆" if content.pinned else ""))
        width = max(1, self.content_size.width - 1)
        text = card_body(content, width)
        lines = text.get_height({}, width)
        body.update(text, layout=lines != self._lines)  # as long as it is equally long, nothing need be laid out
        self._lines = lines
        keys.update(_keys(content, self.content_size.width, self.read_only), layout=False)


def _keys(content: CardContent, width: int, read_only: bool) -> Content:
    """The key hints, closer together where there is less room. These are our own words, so markup is safe here."""
    hints = [
        (key, action, key_word(action, pinned=content.pinned, skill=bool(content.skill)))
        for key, action in content.keys
        if not read_only or action in READING
    ]
    while len(hints) > 1 and sum(len(key) + 2 + len(word) for key, _, word in hints) - 1 > width:
        hints.pop()  # its key works all the same, and help names it
    used = sum(len(key) + 1 + len(word) for key, _, word in hints)
    gap = min(3, max(1, (width - used) // max(1, len(hints) - 1)))
    parts = [f"[@click=ask('{action}')][b $foreground]{key}[/] {word}[/]" for key, action, word in hints]
    return Content.from_markup((" " * gap).join(parts))
