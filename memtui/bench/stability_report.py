"""The 150-step experiment for people: a table, and the chart in the terminal or as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from memtui.bench.braille import STYLES, draw
from memtui.bench.curves import Curve, Panel
from memtui.bench.stability import NEEDED_AT, USES, score_words
from memtui.bench.svgchart import drawing, write_drawing

_SHORT: Final[Mapping[str, str]] = {"stability+importance": "stability+"}
"""Names as the charts have room for."""
_FIRST: Final = ("stability+importance", "stability", "salience", "fsrs")
"""Who is drawn on top, in this order; the others lie below."""
_AXIS: Final = "step"
_WIDEST: Final = 120


def panels_of(record: Mapping[str, Any]) -> tuple[Panel, Panel, Panel]:
    """Critical facts alive, memories held and uses that found their fact, over the steps."""
    agents: Mapping[str, Any] = record["agents"]
    names = [name for name in _FIRST if name in agents] + [name for name in agents if name not in _FIRST]
    steps, capacity = int(record["steps"]), float(record["capacity"])

    def panel(title: str, top: float, points: Mapping[str, Sequence[tuple[float, float]]], *, shares: bool = False) -> Panel:
        curves = tuple(Curve(_SHORT.get(name, name), tuple(points[name])) for name in names)
        return Panel(title, curves, steps, top, shares, _AXIS)

    alive = {name: _by_step(agents[name]["survivors"]) for name in names}
    held = {name: _by_step(agents[name]["active"]) for name in names}
    found = {name: _shares(agents[name]["per_use"], steps) for name in names}
    return (
        panel(f"critical facts alive, of {len(USES)}", len(USES) + 1.0, alive),
        panel("memories held", capacity, held),
        panel("uses that found their fact", 1.0, found, shares=True),
    )


def show_experiment(
    record: Mapping[str, Any], stream: IO[str], *, width: int | None = None, height: int | None = None
) -> None:
    """Print table and chart to `stream`, in colour if it is a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
    uses = ", ".join(str(count) for count in USES)
    console.print(Text(f"{record['steps']} steps (days), room for {record['capacity']} memories", "bold"), soft_wrap=True)
    said = f"Five critical facts used {uses} times, one told once and needed at step {NEEDED_AT}, the rest noise."
    console.print(Text(said, "dim"))
    console.print(Text(f"\n{'':<22}{'kept at the end':<27}{'uses found':>11}{'most held':>11}", "dim"))
    for group in ("agents", "ablations"):
        for name, one in record[group].items():
            cells = f"{name:<22}{score_words(one):<27}{one['uses_found']:>5} of {one['uses']:<2}{max(one['active']):>11}"
            console.print(Text(cells, STYLES.get(_SHORT.get(name, name), "dim")), soft_wrap=True)
    console.print(Text("\nstability+ in the chart is stability with importance and context triggers.", "dim"))
    for line in draw(panels_of(record), min(console.width, _WIDEST), (height or console.height) - 3):
        console.print(line, soft_wrap=True)


def write_experiment(record: Mapping[str, Any], folder: Path) -> tuple[Path, Path]:
    """Write `stability.svg` and `stability.png` into `folder`; returns both paths.

    Raises:
        InputError: the extra for the PNG is not installed.
        StoreFullError: the folder can't be written.
    """
    uses = ", ".join(str(count) for count in USES)
    said = (
        f"{record['steps']} steps, room for {record['capacity']}; five critical facts used {uses} times among noise; "
        "stability+: with importance and context triggers"
    )
    return write_drawing(drawing("Which facts survive, by law", said, panels_of(record)), folder, "stability")


def _by_step(values: Sequence[float]) -> list[tuple[float, float]]:
    return [(float(step), float(value)) for step, value in enumerate(values, 1)]


def _shares(per_use: Mapping[str, Any], steps: int) -> list[tuple[float, float]]:
    """The share of uses up to each step that found their fact, held until the end."""
    by_step: dict[float, float] = {}
    right = 0
    for asked, (step, there) in enumerate(zip(per_use["step"], per_use["found"], strict=True), 1):
        right += bool(there)
        by_step[float(step)] = right / asked
    points = list(by_step.items())
    return [*points, (float(steps), points[-1][1])] if points[-1][0] < steps else points
