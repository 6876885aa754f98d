"""The bottom line: the keys that work here, each also a button.

Textual's own footer makes a widget of every key and cuts the last ones off; this one is a single line that leaves out what
matters least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

_GAPS: Final = (3, 2)


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key with what it does.

    Attributes:
        key: as people write it (`ctrl+l`).
        label: one or two words.
        action: what is posted when it is clicked.
        priority: the lowest go first when there is no room; of equals the one furthest right.
    """

    key: str
    label: str
    action: str
    priority: int = 0

    @property
    def cells(self) -> int:
        """Its width."""
        return cell_len(self.key) + 1 + cell_len(self.label)


class KeyLine(Widget):
    """One line of key hints."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-line--key", "key-line--label", "key-line--gap", "key-line--hover"}
    DEFAULT_CSS = """
    KeyLine {
        height: 1;
        width: 1fr;
        background: $surface;
        color: $text-muted;
        & > .key-line--key { color: $accent; text-style: bold; }
        & > .key-line--label { color: $text-muted; }
        & > .key-line--gap { color: $text-muted; }
        & > .key-line--hover { text-style: underline; }
    }
    """

    @dataclass
    class Pressed(Message):
        """A hint was clicked: do its `action`."""

        action: str

    def __init__(self, hints: Iterable[KeyHint] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._hints = tuple(hints)
        self._hover: KeyHint | None = None

    def show(self, hints: Iterable[KeyHint]) -> None:
        """Show other keys."""
        hints = tuple(hints)
        if hints != self._hints:
            self._hints = hints
            self._hover = None
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        width = self.size.width
        if y > 0:
            return Strip.blank(width, self.rich_style)
        segments: list[Segment] = []
        for hint, gap in fitted(self._hints, width):
            hover = self.get_component_rich_style("key-line--hover", partial=True) if hint == self._hover else None
            key, label = (self.get_component_rich_style(f"key-line--{name}") for name in ("key", "label"))
            segments += [
                Segment(" " * gap, self.get_component_rich_style("key-line--gap")),
                Segment(hint.key, key),
                Segment(" " + hint.label, label + hover if hover else label),
            ]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Say which hint it was."""
        hint = self._hint_at(event.x)
        if hint is not None:
            event.stop()
            self.post_message(self.Pressed(hint.action))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Underline the hint under the mouse."""
        self._hover_over(self._hint_at(event.x))

    def on_leave(self) -> None:
        """Underline nothing."""
        self._hover_over(None)

    def _hover_over(self, hint: KeyHint | None) -> None:
        if hint != self._hover:
            self._hover = hint
            self.refresh()

    def _hint_at(self, x: int) -> KeyHint | None:
        column = 0
        for hint, gap in fitted(self._hints, self.size.width):
            column += gap
            if column <= x < column + hint.cells:
                return hint
            column += hint.cells
        return None


def fitted(hints: Sequence[KeyHint], width: int) -> list[tuple[KeyHint, int]]:
    """The hints that have room in `width` cells, in their order, each with the blank cells in front of it."""
    kept = list(hints)
    while kept:
        for gap in _GAPS:
            if 2 + sum(hint.cells for hint in kept) + gap * (len(kept) - 1) <= width:
                return [(hint, gap if place else 1) for place, hint in enumerate(kept)]
        lowest = min(hint.priority for hint in kept)
        kept.pop(max(place for place, hint in enumerate(kept) if hint.priority == lowest))
    return []
