"""Survival curves for people: a braille chart and a table, in the terminal, on the screen or as files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from memtui.bench.braille import draw, styles_of
from memtui.bench.curves import Curve, Panel
from memtui.bench.svgchart import drawing
from memtui.chat.survival import ALL, Survivals
from memtui.memory.survival import DAY_H, TOLD_DAYS, Survival

if TYPE_CHECKING:
    from rich.text import Text

_NAME: Final = 14
_WIDEST: Final = 120
_MOST_ROWS: Final = 10
"""Rows of the chart in the terminal, as `braille.draw` has them at most."""
_LEAST_CHART: Final = 7
"""Lines below which a chart says nothing."""


def survival_panel(found: Survivals) -> Panel | None:
    """The share of memories alive by age in days; None where there are none."""
    there = {name: curve for name, curve in found.curves.items() if curve.count}
    if not there:
        return None
    oldest = max(curve.known for curve in there.values()) / DAY_H
    curves = tuple(Curve(name, _points(curve), ends=True) for name, curve in there.items())
    return Panel(f"memories alive by age, by {found.by}", curves, max(1, math.ceil(oldest)), 1.0, True, "age in days", 0)


def _points(curve: Survival) -> tuple[tuple[float, float], ...]:
    """The steps of a curve, as far as it is known."""
    out = [(0.0, 1.0)]
    for age, share in zip(curve.ages.tolist(), curve.share.tolist(), strict=True):
        if age <= curve.known:
            out += [(age / DAY_H, out[-1][1]), (age / DAY_H, share)]
    return (*out, (curve.known / DAY_H, out[-1][1]))


def survival_lines(found: Survivals, width: int, height: int) -> list[Text]:
    """Chart and table in at most `width` columns and about `height` rows; the chart is left out where it has no room."""
    from rich.text import Text

    panel, table = survival_panel(found), list(_table(found))
    if panel is None:
        return [Text("There are no memories yet.", "dim")]
    lines = [*_chart(panel, min(width, _WIDEST), height - len(table)), *table]
    for line in lines:
        line.truncate(max(1, width))
    return lines


def _chart(panel: Panel, width: int, room: int) -> list[Text]:
    """The chart in at most `room` lines; nothing where it has no room. Its legend may take more than one."""
    if room < _LEAST_CHART:
        return []
    lines = draw([panel], width, min(room, _MOST_ROWS + 3))
    return draw([panel], width, 2 * room - len(lines)) if len(lines) > room else lines


def _table(found: Survivals) -> Iterator[Text]:
    from rich.text import Text

    yield Text("")
    ages = "".join(f"{f'{days} d':>7}" for days in TOLD_DAYS)
    yield Text(f"{'alive at':<{_NAME}}{ages}{'median life':>13}{'memories':>10}{'retired':>9}", "dim")
    styles = styles_of(list(found.curves))
    for name, curve in found.curves.items():
        shares = "".join(f"{_share(curve.at(days * DAY_H)):>7}" for days in TOLD_DAYS)
        own = "*" if found.by == "law" and name == found.law else ""
        row = f"{name + own:<{_NAME}}{shares}{_median(curve):>13}{curve.count:>10,}{curve.died:>9,}"
        yield Text(row, styles[name])


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _median(curve: Survival) -> str:
    if curve.median is not None:
        return f"{curve.median / DAY_H:.1f} d"
    return f"> {curve.known / DAY_H:.1f} d" if curve.count else "–"


def explained(found: Survivals) -> str:
    """What is shown, in a sentence or two."""
    if found.by == "law":
        return f"The same events lived again under each law; * is in force ({found.law}). Alive now: counted up to its age."
    return "A memory that is alive is counted up to its present age (Kaplan-Meier). –: too few could be so old by now."


def show_survival(found: Survivals, stream: IO[str], *, width: int | None = None, height: int | None = None) -> None:
    """Print chart and table to `stream`, in colour if it is a terminal (NO_COLOR is heeded)."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
    room = max((height or console.height) - 3, len(found.curves) + 2 + _LEAST_CHART)
    for line in survival_lines(found, console.width, room):
        console.print(line, soft_wrap=True)
    console.print(Text(explained(found), "dim"), soft_wrap=True)


def survival_svg(found: Survivals, of: str = "") -> str:
    """The chart as one SVG document.

    Args:
        of: whose memories these are, for the title.
    """
    whole = found.curves.get(ALL if found.by == "kind" else found.law)
    said = f"{whole.count:,} memories, {whole.died:,} retired" if whole is not None else ""
    said += f"; as of {found.moment:%d %b %Y %H:%M} UTC; Kaplan-Meier, alive: counted up to its present age"
    panel = survival_panel(found)
    title = f"How long memories live, by {found.by}" + (f": {of}" if of else "")
    return drawing(title, said, [panel] if panel is not None else [])


def survival_stem(found: Survivals) -> str:
    """The name of the chart's files, without what they end in."""
    return f"survival-{found.by}-{found.moment:%Y-%m-%d}"


def write_survival(found: Survivals, folder: Path, of: str = "") -> tuple[Path, Path]:
    """Write the chart as SVG and PNG into `folder`; returns both paths.

    Raises:
        InputError: the extra for the PNG is not installed.
        StoreFullError: the folder can't be written.
    """
    from memtui.bench.svgchart import write_drawing

    return write_drawing(survival_svg(found, of), folder, survival_stem(found))
