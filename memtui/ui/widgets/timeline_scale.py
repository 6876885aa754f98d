"""How the timeline maps cells to hours: pure functions, both ways, with no screen.

One logarithmic scale runs in both directions from now: near now a cell is minutes, at the far ends it is days. Cells are
counted from 0 at the left end of the past; the cell `past_cells` is now.

    x(hours) = past_cells + future_cells * ln(1 + hours / UNIT_H) / ln(1 + future_hours / UNIT_H)     for hours >= 0
    x(hours) = past_cells - past_cells * ln(1 - hours / UNIT_H) / ln(1 + past_hours / UNIT_H)         for hours < 0
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FUTURE_H: Final = 960.0
"""How far ahead the slider goes: 40 days."""
UNIT_H: Final = 0.5
"""Hours around now in which the scale is nearly linear."""
SHORTEST_PAST_H: Final = 1.0
"""A history shorter than this is drawn as if it were this long."""
LANDMARKS: Final[tuple[tuple[float, str], ...]] = ((1.0, "+1h"), (24.0, "+1d"), (168.0, "+7d"), (720.0, "+30d"))
"""The ticks right of now with their labels."""

_ROUND_H: Final = (168.0, 72.0, 24.0, 12.0, 6.0, 3.0, 1.0, 0.5, 0.25, 1 / 6, 1 / 12, 1 / 60)
_LEAPS_H: Final = (0.0, 0.5, 1.0, 3.0, 6.0, 12.0, 24.0, 48.0, 72.0, 120.0, 168.0, 240.0, 336.0, 504.0, 720.0, FUTURE_H)
_YEAR_H: Final = 8760.0
_STEPS_H: Final = ((1.0, 1 / 12), (6.0, 0.5), (24.0, 1.0), (72.0, 3.0), (168.0, 6.0), (336.0, 12.0), (math.inf, 24.0))
_UNITS_H: Final = {"m": 1 / 60, "h": 1.0, "d": 24.0, "w": 168.0}
_TYPED: Final = re.compile(r"(-?)(\d{1,5})([mhdw]?)", re.ASCII)
_EPS: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Scale:
    """The mapping of one width.

    Attributes:
        past_cells: cells left of now (0 when there is no room for the past).
        future_cells: cells right of now, at least 1.
        past_hours: how long ago the history begins.
        future_hours: how far ahead the right end is.
    """

    past_cells: int
    future_cells: int
    past_hours: float = SHORTEST_PAST_H
    future_hours: float = FUTURE_H

    @property
    def cells(self) -> int:
        """All cells of the track, now included."""
        return self.past_cells + 1 + self.future_cells

    def x_of(self, hours: float) -> float:
        """The place of a moment `hours` from now (negative: ago), in cells; beyond an end it stands at the end."""
        if hours >= 0:
            share = math.log1p(min(hours, self.future_hours) / UNIT_H) / math.log1p(self.future_hours / UNIT_H)
            return self.past_cells + self.future_cells * share
        span = max(self.past_hours, SHORTEST_PAST_H)
        return self.past_cells * (1.0 - math.log1p(min(-hours, span) / UNIT_H) / math.log1p(span / UNIT_H))

    def hours_at(self, x: float) -> float:
        """The inverse of `x_of`: hours from now at place `x`, negative left of now."""
        x = min(max(x, 0.0), float(self.past_cells + self.future_cells))
        if x >= self.past_cells:
            share = (x - self.past_cells) / self.future_cells
            return min(UNIT_H * math.expm1(share * math.log1p(self.future_hours / UNIT_H)), self.future_hours)
        span = max(self.past_hours, SHORTEST_PAST_H)
        return -min(UNIT_H * math.expm1((1.0 - x / self.past_cells) * math.log1p(span / UNIT_H)), span)

    def cell_of(self, hours: float) -> int:
        """The cell a moment is drawn in."""
        return round(self.x_of(hours))

    def round_hours_at(self, cell: int) -> float:
        """The roundest length of time that is drawn in `cell`, negative left of now: what a click there means.

        A tick is always hit exactly, so is now, so is each end.
        """
        last = self.past_cells + self.future_cells
        if cell == self.past_cells:
            return 0.0
        if cell >= last:
            return self.future_hours
        if cell <= 0:
            return -max(self.past_hours, SHORTEST_PAST_H)
        sign = 1.0 if cell > self.past_cells else -1.0
        low, high = sorted((sign * self.hours_at(cell - 0.5), sign * self.hours_at(cell + 0.5)))
        for hours, _label in LANDMARKS:
            if low <= hours < high:
                return sign * hours
        middle = sign * self.hours_at(cell)
        for step in _ROUND_H:
            hours = round(middle / step) * step
            if low <= hours < high and hours > 0:
                return sign * hours
        return sign * middle


def stepped(hours: float, direction: int, past_hours: float = 0.0) -> float:
    """The next round length of time: 5 minutes apart below an hour, 30 minutes to 6 h, hours to a day, days at the end.

    Args:
        hours: where the slider stands (-`past_hours`..`FUTURE_H`).
        direction: above 0 later, below 0 sooner.
        past_hours: how far back the slider goes.
    """
    if hours < 0 or (hours == 0 and direction < 0):
        return -_stepped(-hours, -direction, past_hours)
    return _stepped(hours, direction, FUTURE_H)


def _stepped(hours: float, direction: int, most: float) -> float:
    if direction > 0:
        step = next(size for below, size in _STEPS_H if hours < below - _EPS)
        return min((math.floor(hours / step + _EPS) + 1) * step, most)
    step = next(size for below, size in _STEPS_H if hours <= below + _EPS)
    return max((math.ceil(hours / step - _EPS) - 1) * step, 0.0)


def leaped(hours: float, direction: int, past_hours: float = 0.0) -> float:
    """The next landmark later or sooner: 30m, 1h, 3h, 6h, 12h, 1d, 2d, 3d, 5d, 7d, 10d, 14d, 21d, 30d, 40d, by quarters."""
    if hours < 0 or (hours == 0 and direction < 0):
        return -_leaped(-hours, -direction, past_hours)
    return _leaped(hours, direction, FUTURE_H)


def _leaped(hours: float, direction: int, most: float) -> float:
    years = (_YEAR_H * n / 4 for n in range(1, int(most / _YEAR_H * 4) + 1))
    leaps = [*_LEAPS_H, *years]
    if direction > 0:
        return min(next((leap for leap in leaps if leap > hours + _EPS), most), most)
    return next((leap for leap in reversed(leaps) if leap < hours - _EPS), 0.0)


def moved_days(hours: float, days: int, past_hours: float = 0.0) -> float:
    """`hours` and so many days, kept within the slider."""
    return min(max(hours + 24.0 * days, -past_hours), FUTURE_H)


def typed_hours(text: str, past_hours: float = 0.0) -> float | None:
    """What was typed on the slider: `7` is 7 days, `90m`, `3h`, `12d`, `2w`, `-3d` is ago; None when it is no such thing."""
    match = _TYPED.fullmatch(text)
    if match is None:
        return 0.0 if text == "-" else None
    hours = int(match[2]) * _UNITS_H[match[3] or "d"]
    return max(-hours, -past_hours) if match[1] else min(hours, FUTURE_H)


def label_places(labels: Sequence[tuple[int, str]], width: int) -> list[tuple[int, str]]:
    """Where labels start so that each is centred on its cell, inside `width`, and none touches another.

    Args:
        labels: (cell, label), the most important first; a label without room is left out.
    """
    taken: list[tuple[int, int]] = []
    placed: list[tuple[int, str]] = []
    for cell, label in labels:
        start = min(max(cell - len(label) // 2, 0), max(width - len(label), 0))
        end = start + len(label)
        if end > width or any(start <= other_end and other_start <= end for other_start, other_end in taken):
            continue
        taken.append((start, end))
        placed.append((start, label))
    return sorted(placed)
