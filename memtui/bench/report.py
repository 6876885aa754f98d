"""A scenario's figures for people: tables by agent and by category, then the chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

from memtui.bench.braille import STYLES, draw
from memtui.bench.curves import panels_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_MEASURES: Final = (
    ("clean", "clean", "the answer recalled, nothing outdated beside it"),
    ("hit", "hit", "the answer recalled"),
    ("contaminated", "contaminated", "something outdated recalled"),
    ("current_first", "current first", "of current and outdated, the current one ranks first"),
)
_NAME: Final = 9
_CELL: Final = 9
_WIDEST: Final = 120


def show_record(record: Mapping[str, Any], stream: IO[str], *, width: int | None = None, height: int | None = None) -> None:
    """Print one scenario's tables and chart to `stream`, in colour if it is a terminal (NO_COLOR is heeded).

    The chart is as tall as fits the terminal (`height` rows instead of it), so that it can be seen as a whole.
    """
    console = _console(stream, width)
    for line in (*_head(record), *_agents(record), *_categories(record)):
        console.print(line, soft_wrap=True)
    console.print()
    for line in draw(panels_of(record), min(console.width, _WIDEST), (height or console.height) - 3):
        console.print(line, soft_wrap=True)
    console.print()


def show_mean(record: Mapping[str, Any], stream: IO[str], *, width: int | None = None) -> None:
    """Print the tables of a `mean_of` record."""
    console = _console(stream, width)
    for line in (*_head(record), *_agents(record), *_categories(record)):
        console.print(line, soft_wrap=True)
    console.print()


def show_labels(record: Mapping[str, Any], stream: IO[str], *, width: int | None = None) -> None:
    """Print what `bench pairs` or `bench statements` found: one table a thing that is labelled."""
    from rich.text import Text

    console = _console(stream, width)
    tables = {"label": record} if "confusion" in record else {k: v for k, v in record.items() if "confusion" in v}
    for name, table in tables.items():
        title = Text().append(f"{name}  accuracy {table['accuracy']:.2f} of {table['n']}", "bold")
        if table["unanswered"]:
            title.append(f", {table['unanswered']} unanswered", "yellow")
        console.print(title)
        console.print(Text(f"{'':<11}{'precision':>10}{'recall':>8}{'f1':>7}{'n':>6}", "dim"))
        for label, one in table["labels"].items():
            quality = f"{one['precision']:>10.2f}{one['recall']:>8.2f}{one['f1']:>7.2f}{one['n']:>6}"
            console.print(Text(f"{label:<11}{quality}"))
        said = list(next(iter(table["confusion"].values())))
        console.print(Text(f"{'is / said':<11}" + "".join(f"{name:>12}" for name in said), "dim"), soft_wrap=True)
        for label, row in table["confusion"].items():
            console.print(Text(f"{label:<11}" + "".join(f"{row[name]:>12}" for name in said)), soft_wrap=True)
        console.print()


def _console(stream: IO[str], width: int | None) -> Console:
    from rich.console import Console

    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def _head(record: Mapping[str, Any]) -> list[Text]:
    from rich.text import Text

    probes = next(iter(record["agents"].values()))["n"]
    title = Text().append(record["scenario"], "bold")
    title.append(f"  {record['turns']} turns, {probes} probes, {record['mind']}", "dim")
    lines = [title]
    failed = {kind: count for kind, count in record.get("failed_calls", {}).items() if count}
    if failed:
        told = ", ".join(f"{count} of {record['calls'][kind]} {kind}" for kind, count in failed.items())
        lines.append(Text(f"failed after all retries: {told}", "yellow"))
    return lines


def _agents(record: Mapping[str, Any]) -> list[Text]:
    from rich.text import Text

    graded = record.get("graded", {})
    head = f"{'':<{_NAME}}{'clean':>7}{'hit':>7}{'contam.':>9}{'cur. 1st':>9}{'tokens mean/max':>17}{'active at end':>14}"
    lines = [Text(""), Text(head + (f"{'graded':>8}" if graded else ""), "dim")]
    for name, one in record["agents"].items():
        tokens = f"{one['tokens_mean']:.0f} / {one['tokens_max']}"
        active = f"{one['active_final']:g} ({_percent(one['active_final'], record)})"
        row = f"{name:<{_NAME}}{_said(one['clean']):>7}{_said(one['hit']):>7}{_said(one['contaminated']):>9}"
        row += f"{_said(one['current_first']):>9}{tokens:>17}{active:>14}"
        if graded:
            row += f"{_said(graded[name]['accuracy']):>8}"
        lines.append(Text(row, STYLES.get(name, "")))
    for name, one in graded.items():
        if one["failed"] or one["unreadable"]:
            told = (
                f"{name}: {one['failed']} of {one['n']} not answered (counted as not right), {one['unreadable']} not graded"
            )
            lines.append(Text(told, "yellow"))
    return lines


def _percent(active: float, record: Mapping[str, Any]) -> str:
    turns = record["turns"] / record.get("files", 1)
    return f"{active / turns:.0%}" if turns else "–"


def _categories(record: Mapping[str, Any]) -> list[Text]:
    """A block a measure: agents down, categories across."""
    lines: list[Text] = []
    for key, name, meaning in _MEASURES:
        figures = {agent: one["by_category"] for agent, one in record["agents"].items()}
        lines.extend(_block(name, meaning, key, figures))
    if record.get("graded"):
        figures = {agent: one["by_category"] for agent, one in record["graded"].items()}
        lines.extend(_block("graded", "the model's reply is right, says the model", "accuracy", figures))
    return lines


def _block(name: str, meaning: str, key: str, figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[Text]:
    from rich.text import Text

    categories: Sequence[str] = list(next(iter(figures.values())))
    title = Text().append(f"\n{name} by category", "bold")
    title.append(f"  {meaning}", "dim")
    counts = [f"{c[: _CELL - 1]}" for c in categories]
    lines = [title, Text(" " * _NAME + "".join(f"{c:>{_CELL + 1}}" for c in counts), "dim")]
    for agent, by_category in figures.items():
        cells = "".join(f"{_said(by_category[c][key]):>{_CELL + 1}}" for c in categories)
        lines.append(Text(f"{agent:<{_NAME}}{cells}", STYLES.get(agent, "")))
    return lines


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
