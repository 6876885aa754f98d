"""What the timeline looks like, as runs of (text, style name): pure, so that it can be tested without a screen.

    past ◀──·──·─z─·──z·──z─┣━━━━━━━┿━━━━━━━━●──────┼────────────┼───▶ +40d  preview +3d 4h  ⏎ go
         turns · sleeps z   now    +1h             +1d          +7d  +30d    12 fade, 30 stay

     ◀──·──·─z─●━━z━━z━━┫────────┼───────────────┼────────────┼───▶ +40d  9d 2h ago  esc now
         turns · sleeps z   now    +1h             +1d          +7d  +30d    31 active, 4 retired

Thin rail is time that stays as it is, thick rail is the way the slider would go, or the way back: it reads without colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from memtui.memory.moments import HOUR_US
from memtui.ui.time_words import span_words
from memtui.ui.widgets.timeline_scale import LANDMARKS, Scale, label_places

if TYPE_CHECKING:
    from memtui.memory.frame import Ints

Run: TypeAlias = tuple[str, str]
"""A text and the name of its style (`timeline--` and this name is the component class)."""

_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
_WIDE: Final = 100
_MIDDLE: Final = 60
_SMALL: Final = 36


class Mark(StrEnum):
    """What happened at a moment of the past. Of two in one cell the later named here is drawn."""

    TURN = "turn"
    RECALL = "recall"
    RETIREMENT = "retirement"
    SLEEP = "sleep"

    @property
    def glyph(self) -> str:
        """One cell."""
        return _GLYPHS[self]


_GLYPHS: Final = {Mark.TURN: "·", Mark.RECALL: "»", Mark.RETIREMENT: "×", Mark.SLEEP: "z"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How one width is shared out.

    Attributes:
        lead: what stands left of the track.
        tail: what stands right of it.
        scale: the track's mapping.
        field: cells of the field at the right that says what a move would do; 0 when there is no room.
    """

    lead: str
    tail: str
    scale: Scale
    field: int

    @property
    def track_start(self) -> int:
        """The column of the track's cell 0."""
        return len(self.lead)

    @property
    def field_start(self) -> int:
        """The column where the field at the right begins."""
        return len(self.lead) + self.scale.cells + len(self.tail)


def layout(width: int, past_hours: float) -> Layout:
    """The layout for a width in cells: the past takes a quarter of the track, and goes first when there is no room."""
    if width >= _WIDE:
        lead, tail, field = " past ◀", "▶ +40d  ", 25
    elif width >= _MIDDLE:
        lead, tail, field = " ◀", "▶ +40d ", 21
    elif width >= _SMALL:
        lead, tail, field = "◀", "▶ ", 13
    else:
        lead, tail, field = "", "", 0
    track = max(width - len(lead) - len(tail) - field, 2)
    past = (track - 1) // 4 if lead else 0
    return Layout(lead, tail, Scale(past, track - 1 - past, past_hours), field)


@dataclass(frozen=True, slots=True)
class View:
    """All that is drawn.

    Attributes:
        hours: where the slider stands, hours ahead; below 0 it looks back.
        marks: for each cell of the past what is drawn there (see `mark_cells`).
        outcome: how many memories would fade and stay, or None; looking back, how many were active and retired.
        warp: the share done (0..1) of a running warp and what is being done, or None.
        focused: whether keys reach it (it then says which).
        curve: share (0..1) of memories left at each future cell, or empty.
    """

    hours: float = 0.0
    marks: Sequence[str] = ()
    outcome: tuple[int, int] | None = None
    warp: tuple[float, str] | None = None
    focused: bool = False
    curve: Sequence[float] = ()


def mark_cells(scale: Scale, now_us: int, moments: dict[Mark, Ints]) -> list[str]:
    """What is drawn in each cell of the past: a `Mark`'s name or ``""``.

    Args:
        now_us: microseconds UTC.
        moments: int64 (n,) microseconds UTC of each mark, ascending; those after now are left out.
    """
    import numpy as np

    cells = [""] * scale.past_cells
    if not cells:
        return cells
    borders = now_us + (np.array([scale.hours_at(cell + 0.5) for cell in range(len(cells) - 1)]) * HOUR_US).astype(np.int64)
    for mark in Mark:
        us = moments.get(mark)
        if us is None or not len(us):
            continue
        # The first cell reaches back to the beginning, the last up to now: just now is drawn beside the handle.
        ends = np.searchsorted(us, [*borders.tolist(), now_us + 1])
        for cell in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
            # Far back a night is less than a cell: every other one is drawn, so that what lies between stays visible.
            if cell == 0 or cells[cell - 1] != mark or not cells[cell]:
                cells[cell] = mark.value
    return cells


def mark_moment(scale: Scale, now_us: int, moments: dict[Mark, Ints], marks: Sequence[str], cell: int) -> int | None:
    """The last moment (microseconds UTC) of the mark drawn in a cell of the past, or None: what a click on it means."""
    import numpy as np

    if not 0 <= cell < min(scale.past_cells, len(marks)) or not marks[cell]:
        return None
    us = moments[Mark(marks[cell])]
    end = now_us + int(scale.hours_at(cell + 0.5) * HOUR_US) if cell + 1 < scale.past_cells else now_us + 1
    place = int(np.searchsorted(us, end)) - 1
    return int(us[place]) if place >= 0 else None


def track_runs(place: Layout, view: View, *, alone: bool) -> list[Run]:
    """The line of the slider itself. `alone`: there is no second line, so the outcome goes here too."""
    scale = place.scale
    handle = scale.cell_of(view.hours)
    if view.hours < 0:
        handle = min(handle, max(scale.past_cells - 1, 0))  # just now is not now
    ticks = {scale.cell_of(hours) for hours, _label in LANDMARKS}
    reached = scale.past_cells
    if view.warp is not None:
        reached += round((handle - scale.past_cells) * min(max(view.warp[0], 0.0), 1.0))
    runs: list[Run] = [(place.lead, "label")] if place.lead else []
    runs.extend(_past_cell(cell, handle, view) for cell in range(scale.past_cells))
    warping = view.warp is not None
    runs.extend(
        _future_cell(cell, handle, reached, ticks, scale.past_cells, warping=warping, focused=view.focused)
        for cell in range(scale.past_cells, scale.cells)
    )
    runs.append((place.tail, "label"))
    if place.field:
        runs.extend(_field_runs(place, view, alone=alone))
    return joined(runs)


def _past_cell(cell: int, handle: int, view: View) -> Run:
    mark = view.marks[cell] if cell < len(view.marks) else ""
    if cell == handle and view.hours < 0:
        return "◉" if view.focused else "●", "handle"
    if mark:
        return Mark(mark).glyph, mark
    return ("━", "fill") if handle < cell and view.hours < 0 else ("─", "past")


def _future_cell(cell: int, handle: int, reached: int, ticks: set[int], now: int, *, warping: bool, focused: bool) -> Run:
    if cell == handle:
        return "◉" if focused else "●", "handle"
    if warping and cell == reached:
        return "▶", "warp"
    if cell == now and handle < now:
        return "┫", "fill"
    if cell == now:
        return "┣", "warp" if warping else "fill"
    if cell < handle:
        return "┿" if cell in ticks else "━", "warp" if warping and cell < reached else "fill"
    return "┼" if cell in ticks else "─", "rail"


def _field_runs(place: Layout, view: View, *, alone: bool) -> list[Run]:
    """The field at the right: what a move would do, before it is done."""
    room = place.field
    if view.warp is not None:
        share = f"{min(max(view.warp[0], 0.0), 1.0):4.0%}"
        word = "" if room < 25 else "going "
        return _fitted([(f"{word}+{span_words(view.hours)}", "warp"), (share, "warp"), ("  esc stops", "hint")], room)
    if view.hours < 0:
        return _fitted([(f"{span_words(view.hours)} ago", "value"), ("  esc now", "hint")], room)
    if view.hours == 0:
        return _fitted([("← → or type 3d, -3d" if view.focused else "drag to look ahead", "hint")], room)
    word = "preview " if not alone and room >= 20 else ""
    runs = [(f"{word}+{span_words(view.hours)}", "value")]
    if alone and view.outcome is not None:
        runs.append((f"  {view.outcome[0]:,} fade", "outcome"))
    if view.focused:
        runs.append(("  ⏎ go", "hint"))
    return _fitted(runs, room)


def _fitted(runs: list[Run], room: int) -> list[Run]:
    """As many whole runs as have room, filled up to it."""
    kept: list[Run] = []
    left = room
    for text, style in runs:
        if len(text) > left:
            break
        kept.append((text, style))
        left -= len(text)
    return [*kept, (" " * left, "label")]


def label_runs(place: Layout, view: View, width: int) -> list[Run]:
    """The line under the slider: what the marks and ticks mean, and the outcome."""
    scale = place.scale
    start = place.track_start
    labels = [(start + scale.past_cells, "now")]
    end = place.field_start if place.field else width
    if scale.cells > scale.past_cells + 8:
        labels += [(start + scale.cell_of(hours), label) for hours, label in LANDMARKS]
    legend = "turns · sleeps z"
    if scale.past_cells >= len(legend) + 2 and any(view.marks):
        labels.append((start + len(legend) // 2, legend))
    elif scale.past_cells >= 10 and any(view.marks):
        labels.append((start + 3, "· turn z"))
    runs: list[Run] = []
    column = 0
    for at, label in label_places(labels, end):
        runs += [(" " * (at - column), "label"), (label, "now" if label == "now" else "label")]
        column = at + len(label)
    runs.append((" " * (end - column), "label"))
    if place.field:
        runs += _outcome_runs(view, place.field)
    return joined(runs)


def _outcome_runs(view: View, room: int) -> list[Run]:
    if view.warp is not None:
        text = " ".join(view.warp[1].split())
        return _fitted([(text if len(text) <= room else text[: room - 1] + "…", "hint")], room)
    if view.hours == 0 and view.focused and any(view.marks):
        return _fitted([("recalls » retired ×", "label")], room)
    if view.hours == 0 or view.outcome is None:
        return [(" " * room, "label")]
    fade, stay = view.outcome
    if view.hours < 0:
        return _fitted([(f"{fade:,} active", "outcome"), (f", {stay:,} retired", "label")], room)
    return _fitted([(f"{fade:,} fade", "outcome"), (f", {stay:,} stay", "label")], room)


def curve_runs(place: Layout, view: View, width: int) -> list[Run]:
    """The line above the slider: how much of memory is left at each moment ahead, if nothing is recalled."""
    start = place.track_start + place.scale.past_cells + 1
    lead = "left if unused "
    runs: list[Run] = [(lead.rjust(start) if start >= len(lead) else " " * start, "label")]
    bars = "".join(_BLOCKS[round(min(max(share, 0.0), 1.0) * 5) + (share > 0)] for share in view.curve)
    bars = bars[: max(width - start, 0)]
    split = max(place.scale.cell_of(max(view.hours, 0.0)) - place.scale.past_cells, 0)
    runs += [(bars[:split], "curve-passed"), (bars[split:], "curve")]
    return joined([*runs, (" " * max(width - start - len(bars), 0), "label")])


def joined(runs: Sequence[Run]) -> list[Run]:
    """Runs with neighbours of one style made one, empty ones left out."""
    out: list[Run] = []
    for text, style in runs:
        if not text:
            continue
        if out and out[-1][1] == style:
            out[-1] = (out[-1][0] + text, style)
        else:
            out.append((text, style))
    return out
