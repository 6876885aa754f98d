"""One of the four kinds, on one line, readable without colour: `( ) episodic  (●) semantic  ( ) consolidated …`."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from memtui.memory.model import KINDS, Kind

_GAP: Final = 3


class KindChoice(Widget, can_focus=True):
    """Arrows, a kind's first letter or a click choose; one kind a line where one line has no room for all."""

    ALLOW_SELECT = False
    help_name: ClassVar[str] = "kinds"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"kind-choice--chosen", "kind-choice--other"}
    DEFAULT_CSS = """
    KindChoice {
        height: auto;
        width: 1fr;
        & > .kind-choice--chosen { color: $text; text-style: bold; }
        & > .kind-choice--other { color: $text-muted; }
        &:focus > .kind-choice--chosen { color: $accent; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down", "choose(1)", "next kind", tooltip="The next kind, or the one before.", show=False),
        Binding("left,up", "choose(-1)", "kind before", tooltip="The next kind, or the one before.", show=False),
        *(
            Binding(kind.letter.lower(), f"set('{kind.value}')", kind.value, tooltip="A kind by its letter.")
            for kind in KINDS
        ),
    ]

    def __init__(self, kind: Kind, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._kind = kind

    @property
    def kind(self) -> Kind:
        """The kind that is chosen."""
        return self._kind

    def action_choose(self, by: int) -> None:
        """The next kind, or the one before."""
        self._set(KINDS[(KINDS.index(self._kind) + by) % len(KINDS)])

    def action_set(self, value: str) -> None:
        """A kind by its name."""
        self._set(Kind(value))

    def on_click(self, event: events.Click) -> None:
        """The kind that was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for kind, x, y in self._places(self.content_size.width):
            if offset.y == y and x <= offset.x < x + len(_label(kind, chosen=False)):
                self._set(kind)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line, or one a kind."""
        return 1 + max(y for _kind, _x, y in self._places(width))

    def render_line(self, y: int) -> Strip:
        """The kinds of a line."""
        segments: list[Segment] = []
        column = 0
        for kind, x, line in self._places(self.size.width):
            if line != y:
                continue
            label = _label(kind, chosen=kind is self._kind)
            style = self.get_component_rich_style(
                f"kind-choice--{'chosen' if kind is self._kind else 'other'}", partial=True
            )
            segments += [Segment(" " * (x - column), self.rich_style), Segment(label, self.rich_style + style)]
            column = x + cell_len(label)
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _set(self, kind: Kind) -> None:
        self._kind = kind
        self.refresh()

    @staticmethod
    def _places(width: int) -> list[tuple[Kind, int, int]]:
        """Each kind with its column and line."""
        labels = [len(_label(kind, chosen=False)) for kind in KINDS]
        if sum(labels) + _GAP * (len(KINDS) - 1) > width:
            return [(kind, 0, line) for line, kind in enumerate(KINDS)]
        starts = [sum(labels[:place]) + _GAP * place for place in range(len(KINDS))]
        return [(kind, x, 0) for kind, x in zip(KINDS, starts, strict=True)]


def _label(kind: Kind, *, chosen: bool) -> str:
    return f"({'●' if chosen else ' '}) {kind.value}"
