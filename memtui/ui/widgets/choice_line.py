"""One of a few words, on one line, readable without colour: `( ) episodic  (●) semantic  ( ) consolidated …`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, Final, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from memtui.memory.model import KINDS, Kind, Outcome

_GAP: Final = 3
_C = TypeVar("_C", bound=StrEnum)


class ChoiceLine(Widget, Generic[_C], can_focus=True):
    """Arrows, a word's first letter or a click choose; one word a line where one line has no room for all."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice-line--chosen", "choice-line--other"}
    DEFAULT_CSS = """
    ChoiceLine {
        height: auto;
        width: 1fr;
        & > .choice-line--chosen { color: $text; text-style: bold; }
        & > .choice-line--other { color: $text-muted; }
        &:focus > .choice-line--chosen { color: $accent; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down", "choose(1)", "next", tooltip="The next one, or the one before.", show=False),
        Binding("left,up", "choose(-1)", "before", tooltip="The next one, or the one before.", show=False),
    ]

    def __init__(self, options: Sequence[_C], chosen: _C, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._options = tuple(options)
        self.chosen = chosen

    def action_choose(self, by: int) -> None:
        """The next one, or the one before."""
        self._set(self._options[(self._options.index(self.chosen) + by) % len(self._options)])

    def action_set(self, value: str) -> None:
        """One by its word."""
        self._set(next(option for option in self._options if option.value == value))

    def on_click(self, event: events.Click) -> None:
        """The one that was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for option, x, y in self._places(self.content_size.width):
            if offset.y == y and x <= offset.x < x + len(_label(option, chosen=False)):
                self._set(option)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line, or one a word."""
        return 1 + max(y for _option, _x, y in self._places(width))

    def render_line(self, y: int) -> Strip:
        """The words of a line."""
        segments: list[Segment] = []
        column = 0
        for option, x, line in self._places(self.size.width):
            if line != y:
                continue
            label = _label(option, chosen=option is self.chosen)
            style = self.get_component_rich_style(
                f"choice-line--{'chosen' if option is self.chosen else 'other'}", partial=True
            )
            segments += [Segment(" " * (x - column), self.rich_style), Segment(label, self.rich_style + style)]
            column = x + cell_len(label)
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _set(self, option: _C) -> None:
        self.chosen = option
        self.refresh()

    def _places(self, width: int) -> list[tuple[_C, int, int]]:
        """Each word with its column and line."""
        labels = [len(_label(option, chosen=False)) for option in self._options]
        if sum(labels) + _GAP * (len(labels) - 1) > width:
            return [(option, 0, line) for line, option in enumerate(self._options)]
        starts = [sum(labels[:place]) + _GAP * place for place in range(len(labels))]
        return [(option, x, 0) for option, x in zip(self._options, starts, strict=True)]


def _label(option: StrEnum, *, chosen: bool) -> str:
    return f"({'●' if chosen else ' '}) {option.value}"


class KindChoice(ChoiceLine[Kind]):
    """One of the four kinds."""

    help_name: ClassVar[str] = "kinds"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(kind.letter.lower(), f"set('{kind.value}')", kind.value, tooltip="A kind by its letter.") for kind in KINDS
    ]

    def __init__(self, kind: Kind, *, id: str | None = None) -> None:
        super().__init__(KINDS, kind, id=id)

    @property
    def kind(self) -> Kind:
        """The kind that is chosen."""
        return self.chosen


class OutcomeChoice(ChoiceLine[Outcome]):
    """How it went."""

    help_name: ClassVar[str] = "outcomes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(outcome.value[0], f"set('{outcome.value}')", outcome.value, tooltip="An outcome by its letter.")
        for outcome in Outcome
    ]

    def __init__(self, outcome: Outcome, *, id: str | None = None) -> None:
        super().__init__(tuple(Outcome), outcome, id=id)
