"""`memtui bench`: speed, labelled statements, labelled pairs."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine
from memtui.errors import InputError

if TYPE_CHECKING:
    from memtui.minds.base import Mind


_MIND = click.option("--mind", type=click.Choice(["offline", "openai"]), default="offline", show_default=True)


@click.group("bench")
def bench_command() -> None:
    """Measure memtui on this machine, or score a mind on labelled files."""


@bench_command.command("speed")
@click.option("--rows", default="1000,10000,100000", show_default=True, metavar="N[,N…]", help="Numbers of memories.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--no-screen", is_flag=True, help="Leave out what needs the screen (first paint, panel, typing).")
def speed_command(rows: str, as_json: bool, no_screen: bool) -> None:
    """Opening, recall, a turn, sleep, a warp, the panel, the first paint; medians and 95th percentiles."""
    from memtui.bench.speed import machine, measure_rows

    sizes = _sizes(rows)
    record: dict[str, Any] = {"machine": machine(), "rows": {}}
    if not no_screen:
        click.echo("first paint …", err=True)
        record |= _screen_figures()
    for size in sizes:
        click.echo(f"{size} memories …", err=True)
        figures = measure_rows(size)
        if not no_screen:
            from memtui.ui.measure_panel import measure_panel

            figures |= {key: value for key, value in measure_panel(size).items() if key != "salience_ms"}
        record["rows"][str(size)] = figures
    if as_json:
        click.echo(json.dumps(record, indent=1))
        return
    for key in ("first_paint_s", "typing", "switch"):
        if key in record:
            click.echo(f"{key:<16} {record[key]}")
    names = list(dict.fromkeys(name for figures in record["rows"].values() for name in figures))
    click.echo(f"{'':<16} " + " ".join(f"{size:>22}" for size in record["rows"]))
    for name in names:
        cells = (_cell(figures.get(name)) for figures in record["rows"].values())
        click.echo(f"{name:<16} " + " ".join(f"{cell:>22}" for cell in cells))


def _cell(value: Any) -> str:
    return " / ".join(f"{v:g}" for v in value.values()) if isinstance(value, dict) else f"{value}"


def _sizes(rows: str) -> list[int]:
    try:
        sizes = [int(part) for part in rows.split(",")]
    except ValueError:
        sizes = []
    if not sizes or not all(0 < size <= 1_000_000 for size in sizes):
        raise InputError(f"--rows: '{rows}' is no list of numbers up to 1,000,000.", todo="Write --rows 1000,10000.")
    return sizes


def _screen_figures() -> dict[str, Any]:
    from memtui.ui.measure_chat import measure_switch, measure_typing
    from memtui.ui.measure_start import measure_first_paint

    return {
        "first_paint_s": round(measure_first_paint(), 3),
        "typing": measure_typing(),
        "switch": measure_switch(),
    }


@bench_command.command("scenario")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@_MIND
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output (a list for several files).")
@pass_context
def scenario_command(context: Context, files: tuple[Path, ...], mind: str, as_json: bool) -> None:
    """Play scenario FILES through memtui, `naive` (every turn, k nearest) and `window` (last 20) and judge the probes."""
    from memtui.bench.scenario import play_scenario
    from memtui.sessions.stage import default_settings

    progress = ProgressLine()
    records = [asyncio.run(play_scenario(file, _mind(context, mind), default_settings(), progress)) for file in files]
    progress.done()
    if as_json:
        click.echo(json.dumps(records[0] if len(records) == 1 else records, ensure_ascii=False))
        return
    for record in records:
        click.echo(f"{record['scenario']} ({record['turns']} turns, {record['mind']})")
        for name, figures in record["agents"].items():
            click.echo(
                f"  {name:<9} hit {figures['hit']:.2f}  clean {figures['clean']:.2f}"
                f"  contaminated {figures['contaminated']:.2f}"
                f"  tokens {figures['tokens_mean']:>6.1f}  active {figures['active_final']}"
            )


@bench_command.command("statements")
@click.argument("file", type=click.Path(path_type=Path))
@_MIND
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def statements_command(context: Context, file: Path, mind: str, as_json: bool) -> None:
    """Score keep, kind and importance of a mind on a labelled FILE (JSONL); `openai` is the configured endpoint."""
    from memtui.bench.labels import read_statements, score_statements

    rows, progress = read_statements(file), ProgressLine()
    record = asyncio.run(score_statements(rows, _mind(context, mind), progress))
    progress.done()
    _print(record, as_json)


@bench_command.command("pairs")
@click.argument("file", type=click.Path(path_type=Path))
@_MIND
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def pairs_command(context: Context, file: Path, mind: str, as_json: bool) -> None:
    """Score the judge of a mind on a labelled FILE of pairs (JSONL); `openai` is the configured endpoint."""
    from memtui.bench.labels import read_pairs, score_pairs

    rows, progress = read_pairs(file), ProgressLine()
    record = asyncio.run(score_pairs(rows, _mind(context, mind), progress=progress))
    progress.done()
    _print(record, as_json)


def _mind(context: Context, name: str) -> Mind:
    from memtui.minds.factory import make_mind

    settings = context.settings.mind
    if name == "offline":
        settings = settings.model_copy(update={"provider": "offline"})
    elif settings.provider == "offline":
        raise InputError("--mind openai: no endpoint is configured.", todo="Set MEMTUI_MIND__PROVIDER; see README.")
    return make_mind(settings, os.environ)


def _print(record: dict[str, Any], as_json: bool) -> None:
    click.echo(json.dumps(record, ensure_ascii=False, indent=None if as_json else 1))
