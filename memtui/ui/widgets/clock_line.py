"""The top line: which conversation, when it is, how fast time runs, who thinks, what a prompt costs.

It is told what to show and never reads a clock. When simulated time is not real time the whole line is tinted, and the
words say it too: the rate, and how far ahead of the real clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import ClassVar, Final, Literal, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.ui.time_words import date_words, span_words
from memtui.ui.widgets.row_text import plain_line, row_text

Part: TypeAlias = Literal["brand", "title", "date", "day", "rate", "ahead", "mind", "law", "tokens"]
"""The parts of the line, which are also the names of their styles (`clock-line--date`)."""

PART_ACTIONS: Final[Mapping[Part, str]] = {
    "title": "sessions",
    "date": "time",
    "day": "time",
    "ahead": "time",
    "rate": "pause",
    "law": "memory",
    "tokens": "memory",
}
"""What a click on a part of the own chat's line does; the rest opens the help."""
_GAP: Final = 3
_TITLE_MIN: Final = 20
_MIND_MAX: Final = 28
_ORDER: Final[tuple[Part, ...]] = ("date", "day", "rate", "ahead", "mind", "law", "tokens")
# What goes, first to last, when there is no room; "year" and "weekday" shorten the date.
_DROPS: Final = ("ahead", "year", "day", "tokens", "brand", "title", "law", "weekday", "rate", "date")


@dataclass(frozen=True, slots=True)
class ClockState:
    """What the line shows.

    Attributes:
        title: the conversation's.
        now: simulated now, aware.
        tz: the zone times are shown in.
        day: day number of the simulation, from 1.
        rate: simulated seconds per real second; 0 is paused.
        real: whether simulated time is real time.
        ahead_hours: how far simulated time is ahead of the real clock.
        mind: the label of the mind; it is on the screen at all times.
        law: the law of forgetting memory is read by; "" before memory is open.
        tokens: of the last prompt's memories; None when there was none yet.
        seen: the moment shown instead of now while time is previewed or looked back at; None at now.
        past: whether that moment is looked back at.
        seen_day: its day number; None works it out from `day`.
    """

    title: str
    now: datetime
    tz: tzinfo = UTC
    day: int = 1
    rate: float = 1.0
    real: bool = True
    ahead_hours: float = 0.0
    mind: str = ""
    tokens: int | None = None
    seen: datetime | None = None
    law: str = ""
    past: bool = False
    seen_day: int | None = None


class ClockLine(Widget):
    """One line; `show` draws it."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"clock-line--{name}"
        for name in ("brand", "title", "date", "seen", "day", "rate", "ahead", "mind", "law", "tokens", "gap", "hover")
    }
    DEFAULT_CSS = """
    ClockLine {
        height: 1;
        width: 1fr;
        background: $surface;
        color: $text;
        & > .clock-line--brand { color: $accent; text-style: bold; }
        & > .clock-line--title { color: $text; text-style: bold; }
        & > .clock-line--date { color: $text; }
        & > .clock-line--seen { color: $accent; text-style: bold; }
        & > .clock-line--day { color: $text-muted; }
        & > .clock-line--rate { color: $text-muted; }
        & > .clock-line--ahead { color: $text-muted; }
        & > .clock-line--mind { color: $text-secondary; }
        & > .clock-line--law { color: $text-secondary; }
        & > .clock-line--tokens { color: $text-muted; }
        & > .clock-line--gap { color: $text-muted; }
        & > .clock-line--hover { text-style: underline; }
        &.-unreal {
            background: $warning 14%;
            & > .clock-line--date { color: $text-warning; text-style: bold; }
            & > .clock-line--rate { color: $text-warning; text-style: bold; }
            & > .clock-line--day { color: $text; }
            & > .clock-line--ahead { color: $text; }
            & > .clock-line--tokens { color: $text; }
        }
        &.-past { background: $secondary 30%; & > .clock-line--seen { color: $text-warning; text-style: bold reverse; } }
    }
    """

    @dataclass
    class Pressed(Message):
        """A part of the line was clicked."""

        part: Part

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._state: ClockState | None = None
        self._hover: Part | None = None

    @property
    def state(self) -> ClockState | None:
        """What is shown."""
        return self._state

    def show(self, state: ClockState) -> None:
        """Show `state`; drawing again what is already there costs nothing."""
        if state == self._state:
            return
        self._state = state
        self.set_class(not state.real or state.seen is not None, "-unreal")
        self.set_class(state.past, "-past")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        width = self.size.width
        if self._state is None or y > 0:
            return Strip.blank(width, self.rich_style)
        segments = [Segment(text, self._style(part)) for part, text in line_parts(self._state, width)]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _style(self, part: Part | None) -> Style:
        name = "seen" if part == "date" and self._state is not None and self._state.seen else part or "gap"
        style = self.get_component_rich_style(f"clock-line--{name}")
        if part is not None and part == self._hover:
            style += self.get_component_rich_style("clock-line--hover", partial=True)
        return style

    def on_click(self, event: events.Click) -> None:
        """Say which part it was."""
        part = self._part_at(event.x)
        if part is not None:
            event.stop()
            self.post_message(self.Pressed(part))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Underline the part under the mouse."""
        self._hover_over(self._part_at(event.x))

    def on_leave(self) -> None:
        """Underline nothing."""
        self._hover_over(None)

    def _hover_over(self, part: Part | None) -> None:
        if part != self._hover:
            self._hover = part
            self.refresh()

    def _part_at(self, x: int) -> Part | None:
        if self._state is None:
            return None
        column = 0
        for part, text in line_parts(self._state, self.size.width):
            column += cell_len(text)
            if x < column:
                return part
        return None


def line_parts(state: ClockState, width: int) -> list[tuple[Part | None, str]]:
    """The line as (part, text), in order, with gaps under None; `width` cells together.

    What matters least goes first when there is no room; the mind's label goes never.
    """
    for dropped in range(len(_DROPS) + 1):
        gone = frozenset(_DROPS[:dropped])
        gap = 1 if width < 60 else 2 if width < 100 else _GAP
        right = [(part, text) for part, text in _right_parts(state, gone) if text]
        used = sum(cell_len(text) for _part, text in right) + gap * max(len(right) - 1, 0)
        brand = "" if "brand" in gone else "memtui"
        room = width - used - 2 - (len(brand) + gap if brand else 0)
        title = "" if "title" in gone else plain_line(state.title)
        need = min(cell_len(title), _TITLE_MIN) + gap if title else 0
        if room < need and dropped < len(_DROPS):
            continue
        if title and room > gap:
            title = row_text(title, min(cell_len(title), room - gap))
        return _assembled(brand, title, right, width, gap)
    raise AssertionError("the last drop always fits")


def _right_parts(state: ClockState, gone: frozenset[str]) -> Sequence[tuple[Part, str]]:
    texts: dict[Part, str] = {
        "date": _date(state, gone),
        "day": f"day {_day(state)}",
        "rate": "‖ paused" if state.rate == 0 else f"▶ {state.rate:g}x",
        "ahead": f"{span_words(state.ahead_hours)} ahead" if state.ahead_hours * 60 >= 1 else "",
        "mind": row_text(state.mind, min(cell_len(plain_line(state.mind)), _MIND_MAX)),
        "law": state.law,
        "tokens": "" if state.tokens is None else f"{_count(state.tokens)} tok",
    }
    return [(part, texts[part]) for part in _ORDER if part not in gone]


def _date(state: ClockState, gone: frozenset[str]) -> str:
    words = date_words(state.seen or state.now, state.tz, year="year" not in gone)
    if "weekday" in gone:
        words = words.rsplit(" ", 1)[1]
    if state.seen is None:
        return words
    return f"as of {words}" if state.past or state.seen < state.now else f"→ {words}"


def _day(state: ClockState) -> int:
    if state.seen is None:
        return state.day
    if state.seen_day is not None:
        return max(state.seen_day, 1)
    return max(state.day + (state.seen - state.now).days, 1)


def _count(tokens: int) -> str:
    return f"{tokens:,}" if tokens < 10_000 else f"{tokens / 1000:.1f}k"


def _assembled(
    brand: str, title: str, right: Sequence[tuple[Part, str]], width: int, gap: int
) -> list[tuple[Part | None, str]]:
    parts: list[tuple[Part | None, str]] = [(None, " ")]
    if brand:
        parts += [("brand", brand), (None, " " * gap)]
    if title:
        parts.append(("title", title))
    end: list[tuple[Part | None, str]] = []
    for part, text in right:
        end += [(None, " " * gap), (part, text)]
    end = end[1:]
    used = sum(cell_len(text) for _part, text in (*parts, *end))
    fill = width - used - 1
    if fill < 0:  # not even the mind's label has room: it is cut
        return [("mind", row_text(plain_line(right[-1][1]), width))] if right and width > 0 else []
    return [*parts, (None, " " * fill), *end, (None, " ")]
