"""A curve over time as a few lines of text: braille dots over an axis, with what stands at its ends in words.

Plain strings, so that a screen and a pipe draw the same; what is past and what is to come a screen may tint by the cell.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from memtui.bench.braille import plain_plot
from memtui.bench.curves import Curve, Panel
from memtui.memory.frame import Floats

FLOOR_LINE: Final = "┈"
MARK: Final = "▴"
_LEAST: Final = 8


@dataclass(frozen=True, slots=True)
class Chart:
    """A curve, drawn.

    Attributes:
        axis: cells left of the plot, the same in every line.
        lines: the plot from top to bottom, each with its axis.
    """

    axis: int
    lines: tuple[str, ...]


def plot_cells(width: int, labels: Collection[str]) -> int:
    """Cells of the plot in a chart of `width` cells whose axis says `labels`."""
    return max(_LEAST, width - max(map(len, labels), default=0) - 1)


def samples(cells: int) -> int:
    """How many values a plot of so many cells can show: two a cell."""
    return 2 * cells


def curve_chart(values: Floats, top: float, labels: tuple[str, str], width: int, rows: int, *, floor: float = 0.0) -> Chart:
    """`values` from left to right between 0 and `top`.

    Args:
        values: float64 (k,), evenly spaced; best `samples` of the plot's cells.
        labels: what stands at the axis' upper and lower end.
        floor: a level that is marked where the curve leaves room; 0 for none.
    """
    axis = max(map(len, labels))
    cells = plot_cells(width, labels)
    points = tuple((float(place), float(value)) for place, value in enumerate(values, 1))
    panel = Panel("", (Curve("", points),), max(2, len(points)), top)
    drawn = plain_plot(panel, cells, rows)
    if 0 < floor < top:
        level = rows - 1 - min(rows - 1, int(floor / top * rows))
        drawn[level] = drawn[level].replace(" ", FLOOR_LINE)
    ends = {0: labels[0], rows - 1: labels[1]}
    lines = [f"{ends.get(row, ''):>{axis}}{'┤' if row in ends else '│'}{line}" for row, line in enumerate(drawn)]
    return Chart(axis + 1, tuple(lines))


def ends_line(left: str, middle: str, right: str, width: int) -> str:
    """Words under an axis of `width` cells: at its begin, its middle and its end, those left out that have no room."""
    if len(left) + len(right) + 2 > width:
        return right.rjust(width)[:width] if len(left) + 2 > width else left.ljust(width)
    line = left.ljust(width - len(right)) + right
    start = (width - len(middle)) // 2
    if middle and start > len(left) + 1 and start + len(middle) < width - len(right) - 1:
        line = line[:start] + middle + line[start + len(middle) :]
    return line


def marks_line(shares: Collection[float], width: int, now: float | None = None) -> str:
    """`▴` under an axis of `width` cells at each share (0..1) of it, and `●` at `now`."""
    line = [" "] * width
    for share in shares:
        line[_cell(share, width)] = MARK
    if now is not None:
        line[_cell(now, width)] = "●"
    return "".join(line)


def _cell(share: float, width: int) -> int:
    return min(max(int(share * width), 0), width - 1)
