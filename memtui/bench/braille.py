"""The chart in a terminal: braille curves, told apart by their dashes as well as by colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memtui.bench.curves import Curve, Panel, spread

if TYPE_CHECKING:
    from rich.text import Text

_DOTS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Braille bits by column and row of a cell."""
_BLANK: Final = 0x2800
STYLES: Final[dict[str, str]] = {
    "memtui": "bold green",
    "naive6": "red",
    "naive10": "magenta",
    "window20": "cyan",
    "stability+": "bold green",
    "stability": "yellow",
    "salience": "magenta",
    "fsrs": "red",
    "strength": "cyan",
    "naive": "blue",
    "window": "green",
}
"""Terminal colours by agent: names, so that they follow the terminal's own palette."""
_DASHES: Final[dict[str, str]] = {
    "memtui": "1",
    "naive6": "11110000",
    "naive10": "1000",
    "window20": "1111100100",
    "stability+": "1",
    "stability": "11110000",
    "salience": "1000",
    "fsrs": "11011000",
    "strength": "1111100100",
    "naive": "111111110000",
    "window": "1100",
}
"""Which dots along a curve are set, repeating."""
_THICK: Final = ("memtui", "stability+")
"""The agents whose curve is two dots thick."""
_SAMPLES: Final[dict[str, str]] = {
    "memtui": "⠶⠶⠶⠶",
    "naive6": "⠤⠤  ",
    "naive10": "⠄⠄⠄⠄",
    "window20": "⠤⠄⠤⠄",
    "stability+": "⠶⠶⠶⠶",
    "stability": "⠤⠤  ",
    "salience": "⠄⠄⠄⠄",
    "fsrs": "⠤ ⠤ ",
    "strength": "⠤⠄⠤⠄",
    "naive": "⠤⠤⠤ ",
    "window": "⠤ ⠤ ",
}
_OTHERS: Final = (
    ("bold green", "1", "⠶⠶⠶⠶"),
    ("red", "11110000", "⠤⠤  "),
    ("cyan", "1111100100", "⠤⠄⠤⠄"),
    ("magenta", "1000", "⠄⠄⠄⠄"),
    ("yellow", "1100", "⠤ ⠤ "),
    ("blue", "111111110000", "⠤⠤⠤ "),
)
"""Colour, dashes and sample of curves that are no agent's, by their place; the first of a chart is drawn thick."""
_AXIS: Final = 6
"""Columns left of the plot."""
_LABEL: Final = 16
"""Columns right of it, at least."""
_LEAST: Final = 16


def styles_of(names: Sequence[str]) -> dict[str, str]:
    """Colours by name: an agent's own, another curve's by its place."""
    return {name: STYLES.get(name, _OTHERS[place % len(_OTHERS)][0]) for place, name in enumerate(names)}


def _look(panel: Panel, name: str) -> tuple[str, str, str]:
    """Colour, dashes and sample of a curve."""
    if name in STYLES:
        return STYLES[name], _DASHES[name], _SAMPLES[name]
    names = [curve.agent for curve in panel.curves]
    return _OTHERS[names.index(name) % len(_OTHERS)] if name in names else ("", "1", "⠤⠤⠤⠤")


def _is_thick(panel: Panel, name: str) -> bool:
    return name in _THICK or (name not in STYLES and name == panel.curves[0].agent)


def draw(panels: Sequence[Panel], width: int, height: int) -> list[Text]:
    """Lines of at most `width` columns; about `height` of them, shared out among the panels (each gets 4 rows at least)."""

    rows = max(4, min(10, (height - 2) // len(panels) - 1))
    lines: list[Text] = []
    for panel in panels:
        lines.extend(_panel(panel, max(_LEAST, width - _AXIS - _label_cells(panel)), rows))
    widest = max(width, _AXIS + _LEAST + _LABEL)
    legend = _legend(panels[0], widest)
    lines.extend(legend if len(panels) == 1 else legend[:1])
    for line in lines:
        line.truncate(widest)
    return lines


def _label_cells(panel: Panel) -> int:
    """Columns right of the plot: what the longest name needs, with a blank on both sides."""
    return max(_LABEL, *(len(f"{curve.agent} {panel.said(curve.last)}") + 2 for curve in panel.curves), 0)


def _legend(panel: Panel, width: int) -> list[Text]:
    """Each curve's name behind a sample of it, in as many lines as it takes."""
    from rich.text import Text

    lines = [Text(" " * _AXIS)]
    for curve in panel.curves:
        style, _, sample = _look(panel, curve.agent)
        entry = f"{sample} {curve.agent}"
        if lines[-1].cell_len > _AXIS and lines[-1].cell_len + len(entry) > width:
            lines.append(Text(" " * _AXIS))
        lines[-1].append(f"{entry}   ", style)
    for line in lines:
        line.rstrip()
    return lines


def plain_plot(panel: Panel, columns: int, rows: int) -> list[str]:
    """The panel's curves alone, as `rows` lines of `columns` cells: no axis, no colours, blanks where nothing is drawn."""
    return ["".join(chr(_BLANK + cell) if cell else " " for cell in row) for row in _plot(panel, columns, rows)[0]]


def _panel(panel: Panel, columns: int, rows: int) -> list[Text]:
    from rich.text import Text

    cells, owners = _plot(panel, columns, rows)
    labels = _labels(panel, rows)
    lines = [Text(" " * _AXIS + panel.title, "bold")]
    for row in range(rows):
        tick = {0: panel.said(panel.top), rows - 1: panel.said(0)}.get(row, "")
        line = Text().append(f"{tick:>{_AXIS - 1}}{'┤' if tick else '│'}", "dim")
        for cell, owner in zip(cells[row], owners[row], strict=True):
            line.append(chr(_BLANK + cell) if cell else " ", _look(panel, owner)[0])
        if row in labels:
            agent, value = labels[row]
            line.append(f" {agent} {value}", _look(panel, agent)[0])
        lines.append(line)
    if panel.shares:
        lines.append(_turns(panel, columns))
    return lines


def _plot(panel: Panel, columns: int, rows: int) -> tuple[list[list[int]], list[list[str]]]:
    """Braille bits and the agent that colours each cell; the first agent is drawn last, on top."""
    cells = [[0] * columns for _ in range(rows)]
    owners = [[""] * columns for _ in range(rows)]
    for curve in reversed(panel.curves):
        dashes = _look(panel, curve.agent)[1]
        for number, (x, y) in enumerate(_dots(curve, panel, columns * 2, rows * 4)):
            if dashes[number % len(dashes)] != "1":
                continue
            for dot in (y, y - 1 if y else 1) if _is_thick(panel, curve.agent) else (y,):
                cells[dot // 4][x // 2] |= _DOTS[x % 2][dot % 4]
                owners[dot // 4][x // 2] = curve.agent
    return cells, owners


def _dots(curve: Curve, panel: Panel, wide: int, high: int) -> list[tuple[int, int]]:
    """The curve's dots from left to right, without holes where it is steep."""
    out: list[tuple[int, int]] = []
    before: int | None = None
    for x in range(wide):
        value = curve.at(panel.first + (panel.turns - panel.first) * x / max(1, wide - 1))
        if value is None:
            continue
        y = high - 1 - round(min(1.0, max(0.0, value / panel.top)) * (high - 1))
        if before is not None and abs(y - before) > 1:
            step = 1 if y > before else -1
            out.extend((x, between) for between in range(before + step, y, step))
        out.append((x, y))
        before = y
    if curve.ends and before is not None:  # a step at the very end lies between two dots
        last = high - 1 - round(min(1.0, max(0.0, curve.last / panel.top)) * (high - 1))
        step = 1 if last > before else -1
        out.extend((out[-1][0], y) for y in range(before + step, last + step, step) if last != before)
    return out


def _labels(panel: Panel, rows: int) -> dict[int, tuple[str, str]]:
    """Which agent is named in which row, with its last value."""
    wanted = [(1 - min(1.0, curve.last / panel.top)) * (rows - 1) for curve in panel.curves]
    places = spread(wanted, 1.0, 0.0, rows - 1.0)
    out: dict[int, tuple[str, str]] = {}
    taken = -1
    for i in sorted(range(len(places)), key=lambda i: places[i]):
        left = sum(place > places[i] for place in places)
        row = min(max(round(places[i]), taken + 1), rows - 1 - left)
        out[row] = (panel.curves[i].agent, panel.said(panel.curves[i].last))
        taken = row
    return out


def _turns(panel: Panel, columns: int) -> Text:
    from rich.text import Text

    first, middle, last = (str(tick) for tick in panel.ticks)
    first = f"{panel.axis.split()[-1]} {first}"
    line = first.ljust((columns - len(middle)) // 2) + middle
    return Text(" " * _AXIS + line.ljust(columns - len(last)) + last, "dim")
