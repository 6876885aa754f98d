"""A comparison of laws for people: a table, what only one of them kept, and the chart, in the terminal or as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from memtui.bench.braille import draw, styles_of
from memtui.bench.curves import Panel, panels_of
from memtui.bench.svgchart import drawing, write_drawing
from memtui.memory.model import RetireReason
from memtui.memory.texts import one_line

if TYPE_CHECKING:
    from rich.text import Text

_NAME: Final = 11
_WIDEST: Final = 120
_LISTED: Final = 8
"""Memories of a difference that are listed; the JSON has all."""
_NEVER: Final = "never there"


def show_comparison(
    record: Mapping[str, Any], stream: IO[str], *, width: int | None = None, height: int | None = None
) -> None:
    """Print what `compare` found to `stream`, in colour if it is a terminal (NO_COLOR is heeded)."""
    from rich.console import Console

    console = Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
    panels = comparison_panels(record)
    styles = styles_of([variant["name"] for variant in record["variants"]])
    for line in (*_head(record), *_table(record, styles), *_categories(record, styles)):
        console.print(line, soft_wrap=True)
    for apart in record["difference"]:
        for line in _difference(apart, min(console.width, _WIDEST)):
            console.print(line, soft_wrap=True)
    console.print()
    for line in draw(panels, min(console.width, _WIDEST), (height or console.height) - 3):
        console.print(line, soft_wrap=True)


def write_comparison(record: Mapping[str, Any], folder: Path) -> tuple[Path, Path]:
    """Write `compare-SESSION.svg` and `.png` into `folder`; returns both paths.

    Raises:
        InputError: the extra for the PNG is not installed.
        StoreFullError: the folder can't be written.
    """
    probes = f", {record['probes']} probes" if record["probes"] else ""
    said = f"{record['turns']} turns{probes}, {_plain(record['mind'], 40)}; tokens: mean of ten turns"
    title = _plain(record["title"] or record["session"], 60)
    return write_drawing(drawing(title, said, comparison_panels(record)), folder, f"compare-{Path(record['session']).stem}")


def comparison_panels(record: Mapping[str, Any]) -> list[Panel]:
    """Active memories and prompt tokens over the turns, and clean answers where there are probes."""
    empty: dict[str, list[float]] = {"turn": [], "clean": []}
    agents = {v["name"]: {"per_turn": v["per_turn"], "per_probe": v["per_probe"] or empty} for v in record["variants"]}
    return [panel for panel in panels_of({"turns": record["turns"], "agents": agents}) if panel.curves]


def _head(record: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text

    probes = f", {record['probes']} probes" if record["probes"] else ""
    title = Text(_plain(record["title"] or record["session"], 60), "bold")
    yield title.append(f"  {record['turns']} turns{probes}, {_plain(record['mind'], 40)}", "not bold dim")
    for variant in record["variants"]:
        changes = ", ".join(f"{key} {value}" for key, value in variant["changes"].items() if key != "law")
        told = [] if variant["name"] == variant["law"] else [variant["law"]]
        told += [changes] if changes else []
        if told:
            yield Text(_plain(f"{variant['name']}: {', '.join(told)}", 200), "dim")


def _table(record: Mapping[str, Any], styles: Mapping[str, str]) -> Iterator[Text]:
    from rich.text import Text

    reasons = [r.value for r in RetireReason if any(v["retired"][r.value] for v in record["variants"])]
    head = f"{'':<{_NAME}}{'active':>7}{'retired':>8}" + "".join(f"{reason:>11}" for reason in reasons)
    head += f"{'tokens mean/max':>17}" + (f"{'clean':>7}{'hit':>6}{'contam.':>9}" if record["probes"] else "")
    yield Text("")
    yield Text(head, "dim")
    for variant in record["variants"]:
        tokens = f"{variant['tokens_mean']:.0f} / {variant['tokens_max']}"
        row = f"{variant['name']:<{_NAME}}{variant['active']:>7}{sum(variant['retired'].values()):>8}"
        row += "".join(f"{variant['retired'][reason]:>11}" for reason in reasons) + f"{tokens:>17}"
        if variant["probes"] is not None:
            probes = variant["probes"]
            row += f"{_share(probes['clean']):>7}{_share(probes['hit']):>6}{_share(probes['contaminated']):>9}"
        yield Text(row, styles[variant["name"]])


def _categories(record: Mapping[str, Any], styles: Mapping[str, str]) -> Iterator[Text]:
    from rich.text import Text

    if not record["probes"]:
        return
    categories = list(record["variants"][0]["probes"]["by_category"])
    yield Text("")
    yield Text(f"{'clean':<{_NAME}}" + "".join(f"{_plain(category, 9):>10}" for category in categories), "dim")
    for variant in record["variants"]:
        by_category = variant["probes"]["by_category"]
        cells = "".join(f"{_share(by_category[category]['clean']):>10}" for category in categories)
        yield Text(f"{variant['name']:<{_NAME}}{cells}", styles[variant["name"]])


def _difference(apart: Mapping[str, Any], width: int) -> Iterator[Text]:
    from rich.text import Text

    yield Text("")
    first, second = apart["between"]
    if not apart["only_first"] and not apart["only_second"]:
        yield Text(f"{first} and {second}: the same {apart['both']} memories.")
        return
    yield Text(f"{first} and {second}: {apart['both']} memories on both sides", "bold")
    for name, other, only in ((first, second, apart["only_first"]), (second, first, apart["only_second"])):
        if not only:
            continue
        yield Text(f"only {name}: {len(only)}")
        for memory in only[:_LISTED]:
            tail = f"  {other}: {memory['there'] or _NEVER}"
            words = _plain(memory["content"], max(20, width - len(tail) - 5))
            yield Text(f"  {memory['kind'][0].upper()} {words}").append(tail, "dim")
        if len(only) > _LISTED:
            yield Text(f"  … and {len(only) - _LISTED} more (--json lists all)", "dim")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _plain(text: str, width: int) -> str:
    """Text of others on one line, without what a terminal would obey."""
    return one_line("".join(char for char in text[: width * 8] if char.isprintable() or char.isspace()), width)
