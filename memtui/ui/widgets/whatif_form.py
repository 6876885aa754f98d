"""What can be changed in a what-if: the law and its numbers, one line of fields, each stepped by keys or typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.chat.changes import changed_settings
from memtui.memory.laws import LAW_NAMES

if TYPE_CHECKING:
    from memtui.config import Settings

_HOURS: Final = (1, 6, 12, 24, 48, 72, 120, 168, 336, 720, 1440, 2160, 4320, 8640)
_FLOORS: Final = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
_ROOM: Final = (0, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 5000, 20_000)
_GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Field:
    """One number.

    Attributes:
        key: as `chat.changes` names it.
        steps: values the keys go through, ascending.
    """

    key: str
    label: str
    steps: Sequence[float] = ()


_CAPACITY: Final = Field("capacity", "room", _ROOM)
_OF_LAW: Final[Mapping[str, tuple[Field, ...]]] = {
    "salience": (
        Field("half_life.episodic", "episodic", _HOURS),
        Field("half_life.semantic", "semantic", _HOURS),
        Field("half_life.consolidated", "consolidated", _HOURS),
        Field("half_life.procedural", "procedural", _HOURS),
        Field("floor", "floor", _FLOORS),
        _CAPACITY,
    ),
    "stability": (
        Field("stability.rate", "rate", (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)),
        Field("stability.delta", "delta", (0.05, 0.1, 0.15, 0.25, 0.4, 0.6)),
        Field("stability.rooted", "rooted", (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        Field("stability.importance", "importance", (0.0, 0.25, 0.5, 0.75, 1.0)),
        _CAPACITY,
    ),
    "strength": (
        Field("strength.archive_days", "archived after days", (7, 14, 30, 60, 90, 180, 365)),
        Field("strength.idle", "idle", (0.5, 0.7, 0.85, 0.95)),
        Field("strength.floor", "floor", _FLOORS),
        _CAPACITY,
    ),
    "fsrs": (Field("fsrs.floor", "floor", (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)), _CAPACITY),
    "naive": (_CAPACITY,),
    "window": (_CAPACITY,),
}
LAW: Final = Field("law", "law")


def fields_of(law: str) -> tuple[Field, ...]:
    """The law, and the numbers it has."""
    return (LAW, *_OF_LAW[law])


def value_of(settings: Settings, key: str) -> str | float:
    """The value of a field."""
    value: object = settings.memory
    for part in key.split("."):
        value = getattr(value, part)
    return value if isinstance(value, str) else float(value)  # type: ignore[arg-type]


def stepped(field: Field, value: str | float, by: int) -> str | None:
    """The next value up (`by` 1) or down (-1), as a change is written; None at the end."""
    if isinstance(value, str):
        return LAW_NAMES[(LAW_NAMES.index(value) + by) % len(LAW_NAMES)]
    beyond = [step for step in field.steps if (step > value + 1e-9 if by > 0 else step < value - 1e-9)]
    return f"{(min if by > 0 else max)(beyond):g}" if beyond else None


def value_words(field: Field, value: str | float) -> str:
    """A value as it is read: `72h`, `30d`, `0.05`, `no limit`."""
    if isinstance(value, str):
        return value
    if field.key.startswith("half_life."):
        return f"{value / 24:g}d" if value >= 96 else f"{value:g}h"
    if field is _CAPACITY:
        return f"{value:,.0f}" if value else "its own"
    return f"{value:g}"


class WhatIfForm(Widget, can_focus=True, inherit_bindings=False):
    """The fields of the law that is tried. It changes nothing itself: `Changed` and `Typing` say what is wanted."""

    @dataclass
    class Changed(Message):
        """A field is to have another value (None: the one it has in the trunk)."""

        key: str
        value: str | None

    @dataclass
    class Typing(Message):
        """A value is to be typed for a field."""

        field: Field
        value: str

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"whatif-form--{name}" for name in ("label", "value", "changed", "chosen")}
    DEFAULT_CSS = """
    WhatIfForm {
        height: auto; width: 1fr; padding: 0 1;
        & > .whatif-form--label { color: $text-muted; }
        & > .whatif-form--value { color: $foreground; }
        & > .whatif-form--changed { color: $accent; text-style: bold; }
        & > .whatif-form--chosen { color: $foreground; background: $foreground 14%; text-style: bold; }
        &:focus > .whatif-form--chosen { color: $background; background: $accent; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "go(-1)", "before", tooltip="The number to the left.", show=False),
        Binding("right,l", "go(1)", "next", tooltip="The number to the right.", show=False),
        Binding("up,plus,k", "step(1)", "more", tooltip="More of it.", show=False),
        Binding("down,minus,j", "step(-1)", "less", tooltip="Less of it.", show=False),
        Binding("enter", "type", "type", tooltip="Type a value.", show=False),
        Binding("backspace,delete", "reset", "as it is", tooltip="As it is in the trunk.", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._own: Settings | None = None
        self._tried: Settings | None = None
        self._at = 0

    def show(self, own: Settings, tried: Settings) -> None:
        """Show the settings that are tried; what differs from the trunk's `own` stands out."""
        self._own, self._tried = own, tried
        self._at = min(self._at, len(self.fields) - 1)
        self.refresh(layout=True)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields there are."""
        return fields_of(self._tried.memory.law) if self._tried is not None else ()

    @property
    def chosen(self) -> Field | None:
        """The field the keys change."""
        return self.fields[self._at] if self.fields else None

    def action_go(self, by: int) -> None:
        """Choose another field."""
        if self.fields:
            self._at = (self._at + by) % len(self.fields)
            self.refresh()

    def action_step(self, by: int) -> None:
        """More or less of the chosen one."""
        if self.chosen is None or self._tried is None:
            return
        value = stepped(self.chosen, value_of(self._tried, self.chosen.key), by)
        if value is not None:
            key = self.chosen.key
            self._tried = changed_settings(self._tried, {key: value})  # the next key may come before the answer
            self.post_message(self.Changed(key, value))

    def action_type(self) -> None:
        """Type a value for the chosen one; the law is only chosen."""
        if self.chosen is LAW:
            self.action_step(1)
        elif self.chosen is not None and self._tried is not None:
            value = value_of(self._tried, self.chosen.key)
            shown = value_words(self.chosen, value) if self.chosen.key.startswith("half_life.") else f"{value:g}"
            self.post_message(self.Typing(self.chosen, shown))

    def action_reset(self) -> None:
        """The chosen one as it is."""
        if self.chosen is not None:
            self.post_message(self.Changed(self.chosen.key, None))

    def on_click(self, event: events.Click) -> None:
        """Choose the field under the pointer."""
        event.stop()
        for at, (line, start, end) in enumerate(self._places(self.content_size.width)):
            if line == event.y and start <= event.x - 1 < end:
                self._at = at
                self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the fields take."""
        places = self._places(width)
        return places[-1][0] + 1 if places else 1

    def render_line(self, y: int) -> Strip:
        """One line of fields."""
        inner = max(1, self.size.width)
        segments: list[Segment] = []
        column = 0
        blank = self.rich_style
        for at, (line, start, end) in enumerate(self._places(inner)):
            if line != y:
                continue
            segments.append(Segment(" " * (start - column), blank))
            segments += self._field(at)
            column = end
        return Strip(segments).adjust_cell_length(inner, blank)

    def _field(self, at: int) -> list[Segment]:
        field = self.fields[at]
        label, value, changed = self._words(field)
        part = "chosen" if at == self._at else "changed" if changed else "value"
        return [
            Segment(f"{label} ", self.get_component_rich_style("whatif-form--label")),
            Segment(f" {value} ", self.get_component_rich_style(f"whatif-form--{part}")),
        ]

    def _words(self, field: Field) -> tuple[str, str, bool]:
        if self._tried is None or self._own is None:
            return field.label, "", False
        value, own = value_of(self._tried, field.key), value_of(self._own, field.key)
        return field.label, value_words(field, value) + ("*" if value != own else ""), value != own

    def _places(self, width: int) -> list[tuple[int, int, int]]:
        """Line, first cell and the cell behind the last of every field, filled into lines of `width` cells."""
        places: list[tuple[int, int, int]] = []
        line = column = 0
        for field in self.fields:
            label, value, _ = self._words(field)
            cells = cell_len(label) + 1 + cell_len(value) + 2
            if column and column + _GAP + cells > width:
                line, column = line + 1, 0
            start = column + _GAP if column else 0
            places.append((line, start, start + cells))
            column = start + cells
        return places
