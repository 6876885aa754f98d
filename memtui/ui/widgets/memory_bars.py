"""What a row of the memory panel is made of, without a widget: columns, bars, numbers, theme defaults.

A bar is full at a salience of 1. It is cut in two by the floor mark: the cells before the mark stand for 0..floor, those
after it for floor..1, so a bar passes the mark exactly when the memory is above the floor, whatever the width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from memtui.memory.frame import Floats, Frame, Ints
from memtui.memory.laws import Law

if TYPE_CHECKING:
    from textual.theme import Theme

THEME_DEFAULTS: Final[Mapping[str, str]] = {
    "kind-episodic": "#c58a3a",
    "kind-semantic": "#4c97c9",
    "kind-consolidated": "#9a7fd1",
    "kind-procedural": "#4fa374",
    "bar": "#5b9bd0",
    "bar-ghost": "#7c8794",
    "floor": "#c9743f",
    "glow": "#c58a3a",
}
"""The panel's own theme variables with values of middle lightness, readable on dark and on light ground. An app returns
them (or `derived_defaults`) from `get_theme_variable_defaults`; a theme file overrides any of them."""

Role = Literal["bar", "edge", "ghost", "floor", "floor-on-bar", "floor-on-ghost", "blank"]
"""`edge` is the bar's last, partly filled cell where the ghost begins in it."""
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
FLOOR_MARK: Final = "┆"
GHOST: Final = "░"
BAR_MIN: Final = 6
BAR_USUAL: Final = 15
BAR_MAX: Final = 24
_WORDS_MIN: Final = 16
_WORDS_AT_LEAST: Final = 8


def derived_defaults(theme: Theme) -> dict[str, str]:
    """The panel's variables in the colours of a theme that does not name them (else `THEME_DEFAULTS`)."""
    taken = {
        "kind-episodic": theme.warning or theme.accent,
        "kind-semantic": theme.primary,
        "kind-consolidated": theme.secondary,
        "kind-procedural": theme.success,
        "bar": theme.primary,
        "floor": theme.error,
        "glow": theme.accent,
    }
    return {**THEME_DEFAULTS, **{name: value for name, value in taken.items() if value}}


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths in cells of a row's parts, left to right; 0 where a part has no room. They add up to `width`.

    Attributes:
        bar: cells of the bar without floor mark (1) and overflow mark (1).
        marks: 1 or 2 cells for `◆ » ✝`.
        handle: such as `m31`.
        words: the first words of the memory.
    """

    width: int
    bar: int
    number: int
    half: int
    recalls: int
    age: int
    left: int
    marks: int
    handle: int
    words: int


@lru_cache(maxsize=256)
def columns_for(width: int, half: int = 4, handle: int = 3) -> Columns:
    """How a row of `width` cells is divided.

    Args:
        half: cells of the widest half-life label.
        handle: cells of the widest handle.
    """
    marks = 2 if width >= 50 else 1
    parts = {"number": 4, "age": 4, "half": half, "recalls": 4, "handle": handle, "left": 4}
    wanted = {"number": 22, "half": 32, "age": 38, "recalls": 46 + max(0, half - 4), "handle": 72, "left": 84}
    has = {name: cells if width >= wanted[name] else 0 for name, cells in parts.items()}
    fixed = 5 + marks + sum(cells + 1 for cells in has.values() if cells)  # selection, floor, overflow and two blanks
    bar = min(max(width - fixed - _WORDS_MIN, BAR_MIN), BAR_USUAL) + min(max(0, width - 64) // 4, BAR_MAX - BAR_USUAL)
    if width - fixed - bar < _WORDS_AT_LEAST:
        bar = max(1, width - fixed - _WORDS_AT_LEAST)
    words = max(0, width - fixed - bar)
    return Columns(width, bar, marks=marks, words=words, **has)


def floor_cells(floor: float, cells: int) -> int:
    """Cells of a bar of `cells` that lie before the floor mark: at least 1 while the floor is above 0."""
    if floor <= 0 or cells < 2:
        return 0
    return min(max(1, round(floor * cells)), cells - 1)


def bar_eighths(values: Floats, floor: float, cells: int) -> Ints:
    """Filled eighths of a cell for each salience: int64, 0..8*cells; at `8 * floor_cells` or more only from the floor on."""
    before = 8 * floor_cells(floor, cells)
    whole = 8 * cells
    shares = np.clip(np.nan_to_num(values, nan=0.0, posinf=1.0), 0.0, 1.0)
    if before == 0:
        return np.ceil(shares * whole - 1e-9).astype(np.int64)
    top = max(floor, 1e-12)
    low = np.minimum(np.ceil(shares / top * before - 1e-9), before)
    high = before + np.ceil((shares - floor) / max(1.0 - floor, 1e-12) * (whole - before) - 1e-9)
    return np.where(shares < floor, np.minimum(low, before - 1), np.maximum(high, before)).astype(np.int64)


@lru_cache(maxsize=8192)
def bar_runs(now: int, then: int, before: int, cells: int) -> tuple[tuple[str, Role], ...]:
    """A bar as runs of one role: `cells + 1` characters in all, the floor mark among them.

    Args:
        now: filled eighths now.
        then: filled eighths at the previewed moment (as `now` without a preview); what lies between is the ghost.
        before: cells before the floor mark (`floor_cells`).
    """
    solid = min(now, then)
    full, part = divmod(solid, 8)
    drawn: list[tuple[str, Role]] = [("█", "bar")] * full
    if part:
        drawn.append((_EIGHTHS[part], "bar" if now == solid else "edge"))
    ghost_to = -(-now // 8) if now > solid else 0
    drawn += [(GHOST, "ghost")] * (ghost_to - len(drawn))
    drawn += [(" ", "blank")] * (cells - len(drawn))
    mark: Role = "floor-on-bar" if solid > 8 * before else "floor-on-ghost" if ghost_to > before else "floor"
    drawn.insert(before, (FLOOR_MARK, mark))
    return _joined(drawn)


def _joined(drawn: list[tuple[str, Role]]) -> tuple[tuple[str, Role], ...]:
    runs: list[tuple[str, Role]] = []
    for char, role in drawn:
        if runs and runs[-1][1] == role:
            runs[-1] = (runs[-1][0] + char, role)
        else:
            runs.append((char, role))
    return tuple(runs)


def over_mark(now: float, then: float) -> tuple[str, Role]:
    """What stands after a bar: `▸` when the salience is beyond 1, `▹` when the preview takes that away."""
    if then > 1.0:
        return "▸", "bar"
    return ("▹", "ghost") if now > 1.0 else (" ", "blank")


def number_words(value: float) -> str:
    """A salience in at most four cells: `0.71`, `1.66`, `14.8`, `148`. Cut, not rounded: below the floor it reads so."""
    value = min(max(0.0, value), 9999.0) if value == value else 0.0
    if value < 10:
        return f"{int(value * 100 + 1e-9) / 100:.2f}"
    return f"{int(value * 10 + 1e-9) / 10:.1f}" if value < 100 else str(int(value))


def recalls_words(count: int) -> str:
    """A recall count in at most four cells: `×7`, `×120`, `×12k`."""
    if count < 1000:
        return f"×{count}"
    return f"×{count // 1000}k" if count < 100_000 else "×99k"


def marks_words(cells: int, *, dying: bool, pinned: bool, given: bool) -> str:
    """The marks of a row in `cells`: `✝` or `◆`, then `»`; in one cell the first of them that holds, `»` before `◆`."""
    first = "✝" if dying else "◆" if pinned else " "
    second = "»" if given else " "
    if cells >= 2:
        return first + second
    return "✝" if dying else second if given else first


@dataclass(frozen=True, slots=True)
class PreviewCounts:
    """How many active memories would fade by a moment, and how many would stay."""

    fade: int
    stay: int


def preview_counts(frame: Frame, law: Law, then_us: int) -> PreviewCounts:
    """What a sleep pass at `then_us` (microseconds UTC) would prune of the active memories, and leave; changes nothing."""
    fade = int(np.count_nonzero(law.faded(frame, then_us)))
    return PreviewCounts(fade, int(np.count_nonzero(frame.active)) - fade)
