"""From a line's tuple to a strip of styled cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.color import Color
from textual.strip import Strip
from textual.widget import Widget

from memtui.memory.model import KINDS
from memtui.ui.widgets.memory_bars import Columns, bar_runs, floor_cells
from memtui.ui.widgets.memory_lines import Line, RetiredColumns, RetiredLine

PREFIX: Final = "memory-rows--"
ROLES: Final = (
    *("bar", "edge", "ghost", "floor", "floor-on-bar", "floor-on-ghost", "blank", "number", "muted"),
    *("pin", "given", "dying", "pointer", "reason", "words-0", "words-1", "words-2"),
    *(kind.value for kind in KINDS),
)
"""What a piece of a row is; each has the component class `memory-rows--<role>`."""
GROUNDS: Final = ("cursor", "cursor-blurred", "glow")
STEPS: Final = 6
"""Steps in which a glow calms and a leaving row fades."""
ROWS_CSS: Final = """
MemoryRows {
    height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-gutter: stable; scrollbar-size-vertical: 1;
    & > .memory-rows--bar { color: $bar; }
    & > .memory-rows--edge { color: $bar; background: $bar-ghost 40%; }
    & > .memory-rows--ghost { color: $bar-ghost; background: $bar-ghost 40%; }
    & > .memory-rows--floor { color: $floor; }
    & > .memory-rows--floor-on-bar { color: $background; background: $bar; }
    & > .memory-rows--floor-on-ghost { color: $floor; background: $bar-ghost 40%; }
    & > .memory-rows--number { color: $foreground; }
    & > .memory-rows--muted { color: $text-muted; }
    & > .memory-rows--pin { color: $accent; }
    & > .memory-rows--given { color: $accent; text-style: bold; }
    & > .memory-rows--dying { color: $floor; text-style: bold; }
    & > .memory-rows--pointer { color: $accent; text-style: bold; }
    & > .memory-rows--reason { color: $foreground 80%; }
    & > .memory-rows--words-2 { color: $foreground; }
    & > .memory-rows--words-1 { color: $foreground 80%; }
    & > .memory-rows--words-0 { color: $text-muted; }
    & > .memory-rows--episodic { color: $kind-episodic; }
    & > .memory-rows--semantic { color: $kind-semantic; }
    & > .memory-rows--consolidated { color: $kind-consolidated; }
    & > .memory-rows--procedural { color: $kind-procedural; }
    & > .memory-rows--cursor { background: $foreground 14%; text-style: bold; }
    & > .memory-rows--cursor-blurred { background: $foreground 7%; }
    & > .memory-rows--glow { background: $glow 60%; }
}
"""
"""The default look of `MemoryRows`, one rule a role."""
_KIND_ROLES: Final = tuple(kind.value for kind in KINDS)
_MARK_ROLES: Final = {"✝": "dying", "◆": "pin", "»": "given", " ": "blank"}


class Ground(NamedTuple):
    """What lies under a line.

    Attributes:
        cursor: 0 not selected, 1 selected without focus, 2 selected with focus.
        glow: 0 calm .. `STEPS` just given to a reply.
        fade: 0 full .. `STEPS` gone.
    """

    cursor: int = 0
    glow: int = 0
    fade: int = 0


CALM: Final = Ground()


class Painter:
    """Styles of a widget's component classes, read once, and the strips made with them. Made anew when styles change."""

    def __init__(self, widget: Widget) -> None:
        self._base = widget.rich_style
        self._roles = {role: widget.get_component_rich_style(PREFIX + role) for role in ROLES}
        self._own_ground = {
            role
            for role in ROLES
            if widget.get_component_rich_style(PREFIX + role, partial=True).bgcolor is not None and role != "blank"
        }
        self._grounds = {name: widget.get_component_rich_style(PREFIX + name) for name in GROUNDS}
        self._styles: dict[tuple[str, Ground], Style] = {}
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(1024)

    def style(self, role: str, ground: Ground = CALM) -> Style:
        """The style of a role on a ground."""
        key = (role, ground)
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._mixed(role, ground)
        return style

    def active(self, line: Line, columns: Columns, floor: float, ground: Ground) -> Strip:
        """The strip of an active memory's line."""
        key = (line, columns, floor, ground)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._strip(_active_pieces(line, columns, floor, ground), columns.width, ground)
        return strip

    def retired(self, line: RetiredLine, columns: RetiredColumns, ground: Ground) -> Strip:
        """The strip of a retired memory's line."""
        key = (line, columns, ground)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._strip(_retired_pieces(line, ground), columns.width, ground)
        return strip

    def _strip(self, pieces: Iterable[tuple[str, str]], width: int, ground: Ground) -> Strip:
        segments = [Segment(text, self.style(role, ground)) for text, role in pieces if text]
        return Strip(segments).crop_extend(0, width, self.style("blank", ground))

    def _mixed(self, role: str, ground: Ground) -> Style:
        style = self._roles[role]
        below = self._below(ground)
        if role not in self._own_ground:
            style += below
        if not ground.fade:
            return style
        color, under = _color(style.color), _color(self._base.bgcolor)
        if color is None or under is None:  # a terminal palette can't be mixed
            return style + Style(dim=True)
        share = ground.fade / STEPS
        style += Style.from_color(color.blend(under, share).rich_color)
        own = _color(style.bgcolor)
        return style + Style(bgcolor=own.blend(under, share).rich_color) if own is not None else style

    def _below(self, ground: Ground) -> Style:
        name = ("", "cursor-blurred", "cursor")[ground.cursor]
        chosen = self._grounds[name] if name else self._base
        style = Style(bgcolor=chosen.bgcolor, bold=chosen.bold or None, reverse=chosen.reverse or None)
        if not ground.glow:
            return style
        here, there = _color(style.bgcolor), _color(self._grounds["glow"].bgcolor)
        if here is None or there is None:
            return style + Style(bold=True)
        return style + Style(bgcolor=here.blend(there, ground.glow / STEPS).rich_color)


def _color(color: object) -> Color | None:
    """A mixable colour, or None for one out of the terminal's own palette."""
    triplet = getattr(color, "triplet", None)
    return None if triplet is None else Color(triplet.red, triplet.green, triplet.blue)


def pointer(ground: Ground) -> tuple[str, str]:
    """The selection mark: it shows without colour which line is selected."""
    return ("›" if ground.cursor else " ", "pointer")


def _active_pieces(line: Line, columns: Columns, floor: float, ground: Ground) -> Iterable[tuple[str, str]]:
    yield pointer(ground)
    yield from bar_runs(line.now8, line.then8, floor_cells(floor, columns.bar), columns.bar)
    yield line.over
    if line.number:
        yield " " + line.number, "dying" if line.marks[0] == "✝" else "number"
    if line.half:
        yield " " + line.half, _KIND_ROLES[line.kind]
    for text in (line.recalls, line.age, line.left):
        if text:
            yield " " + text, "muted"
    yield " ", "blank"
    for mark in line.marks:
        yield mark, _MARK_ROLES[mark]
    if line.handle:
        yield " " + line.handle, "muted"
    yield " " + line.words, f"words-{line.vivid}"


def _retired_pieces(line: RetiredLine, ground: Ground) -> Iterable[tuple[str, str]]:
    yield pointer(ground)
    if line.reason:
        yield line.reason + " ", "reason"
    for text in (line.when, line.by):
        if text:
            yield text + " ", "muted"
    if line.last:
        yield line.last + " ", "muted"
    yield line.words, "words-1"
