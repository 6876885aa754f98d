"""`memtui bench`: speed, scenarios, the laws' experiment, labelled statements, labelled pairs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.charts import chart_option, warn_of_charts
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine
from memtui.errors import InputError

if TYPE_CHECKING:
    from memtui.bench.checkpoint import Checkpoint
    from memtui.config import Settings
    from memtui.minds.base import Mind

    _Score = Callable[[Mind, Checkpoint | None, ProgressLine], Coroutine[Any, Any, dict[str, Any]]]

_MIND = click.option("--mind", type=click.Choice(["offline", "openai"]), default="offline", show_default=True)

_CHECKPOINT = click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep a model's results here and go on from them (default: a file in the home's bench folder).",
)


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
            from memtui.ui.measure_scrub import measure_scrub

            figures |= {key: value for key, value in measure_panel(size).items() if key != "salience_ms"}
            figures |= measure_scrub(size)
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
@_CHECKPOINT
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output (a list for several files).")
@chart_option("the chart of each file")
@pass_context
def scenario_command(
    context: Context, files: tuple[Path, ...], mind: str, checkpoint: Path | None, as_json: bool, chart: Path | None
) -> None:
    """Play scenario FILES through memtui, `naive` (every turn, k nearest) and `window` (last 20) and judge the probes.

    A file may be named as `memtui replay` does: by its path, or as a sample (berlin-to-lisbon).

    With --mind openai (the configured endpoint) each probe is also answered from each agent's memories and graded by the
    model. Such a run keeps every result in a checkpoint: started again, it goes on where it was.
    """
    from memtui.bench.running import only_for_models
    from memtui.bench.scenario import read_scenario
    from memtui.bench.svgchart import unique_names, write_charts
    from memtui.cli.talk import find_session

    only_for_models(checkpoint, mind, len(files))
    found = [find_session(context, file) for file in files]
    for file in found:
        read_scenario(file)  # a broken file is said before hours are spent on the others
    warn_of_charts(chart)
    records = []
    for file, name in zip(found, unique_names(found), strict=True):
        record = _play(context, file, mind, checkpoint)
        records.append(record)
        if chart is not None:
            for path in write_charts(record | {"scenario": name}, chart):
                click.echo(f"chart: {path}", err=True)
    if as_json:
        click.echo(json.dumps(records[0] if len(records) == 1 else records, ensure_ascii=False))
    else:
        _show(records)


def _play(context: Context, file: Path, name: str, chosen: Path | None) -> dict[str, Any]:
    from memtui.bench.running import kept_run
    from memtui.bench.scenario import play_scenario

    settings, progress, mind = _settings(context, name), ProgressLine(), _mind(context, name)
    vectors = not mind.local and bool(settings.mind.embedding_model)

    async def main() -> dict[str, Any]:
        async with kept_run(file, mind, settings, folder=context.home.bench, chosen=chosen, say=_note) as kept:
            return await play_scenario(file, mind, settings, progress, checkpoint=kept, keep_vectors=vectors)

    try:
        return asyncio.run(main())
    finally:
        progress.done()


def _show(records: Sequence[dict[str, Any]]) -> None:
    from memtui.bench.figures import mean_of
    from memtui.bench.report import show_mean, show_record

    for record in records:
        show_record(record, sys.stdout)
    if len(records) > 1:
        show_mean(mean_of(records), sys.stdout)


@bench_command.command("stability")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@chart_option()
def stability_command(as_json: bool, chart: Path | None) -> None:
    """Live 150 steps under each law: which of five critical facts, and one told once, are there when needed."""
    from memtui.bench.stability import run_experiment
    from memtui.bench.stability_report import show_experiment, write_experiment

    warn_of_charts(chart)
    record = run_experiment()
    for path in write_experiment(record, chart) if chart is not None else ():
        click.echo(f"chart: {path}", err=True)
    if as_json:
        click.echo(json.dumps(record))
    else:
        show_experiment(record, sys.stdout)


@bench_command.command("statements")
@click.argument("file", type=click.Path(path_type=Path))
@_MIND
@_CHECKPOINT
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def statements_command(context: Context, file: Path, mind: str, checkpoint: Path | None, as_json: bool) -> None:
    """Score keep, kind and importance of a mind on a labelled FILE (JSONL); `openai` is the configured endpoint."""
    from memtui.bench.labels import read_statements, score_statements

    rows = read_statements(file)
    _label(
        context, file, mind, checkpoint, as_json, lambda who, kept, told: score_statements(rows, who, told, checkpoint=kept)
    )


@bench_command.command("pairs")
@click.argument("file", type=click.Path(path_type=Path))
@_MIND
@_CHECKPOINT
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def pairs_command(context: Context, file: Path, mind: str, checkpoint: Path | None, as_json: bool) -> None:
    """Score the judge of a mind on a labelled FILE of pairs (JSONL); `openai` is the configured endpoint."""
    from memtui.bench.labels import read_pairs, score_pairs

    rows = read_pairs(file)
    _label(
        context,
        file,
        mind,
        checkpoint,
        as_json,
        lambda who, kept, told: score_pairs(rows, who, progress=told, checkpoint=kept),
    )


def _label(context: Context, file: Path, name: str, chosen: Path | None, as_json: bool, score: _Score) -> None:
    """Score the rows of `file` with the mind called `name` and print what comes of it."""
    from memtui.bench.report import show_labels
    from memtui.bench.running import kept_run, only_for_models

    only_for_models(chosen, name)
    settings, progress, mind = _settings(context, name), ProgressLine(), _mind(context, name)

    async def main() -> dict[str, Any]:
        async with kept_run(file, mind, settings, folder=context.home.bench, chosen=chosen, say=_note) as kept:
            return await score(mind, kept, progress)

    try:
        record = asyncio.run(main())
    finally:
        progress.done()
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        show_labels(record, sys.stdout)


def _mind(context: Context, name: str) -> Mind:
    from memtui.minds.factory import make_mind

    settings = context.settings.mind
    if name == "offline":
        settings = settings.model_copy(update={"provider": "offline"})
    elif settings.provider == "offline":
        raise InputError("--mind openai: no endpoint is configured.", todo="Set MEMTUI_MIND__PROVIDER; see README.")
    return make_mind(settings, os.environ)


def _settings(context: Context, mind: str) -> Settings:
    """The settings as they ship, so that figures compare; of the user's own only who thinks."""
    from memtui.sessions.stage import default_settings

    settings = default_settings()
    return settings if mind == "offline" else settings.model_copy(update={"mind": context.settings.mind})


def _note(sentence: str) -> None:
    click.echo(sentence, err=True)


@bench_command.command("skills")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def skills_command(as_json: bool) -> None:
    """Does a question find its skill, in the same language and in the other one? Fifty skills, a hundred questions."""
    from memtui.bench.skills import measure_skills

    record = measure_skills()
    if as_json:
        click.echo(json.dumps(record, indent=1))
        return
    click.echo(f"{'':<8} {'pairs':>6} {'hit@1':>6} {'hit@3':>6}   words alone @1 / @3")
    for way, figures in record["ways"].items():
        alone = f"{figures['words alone hit@1']:.2f} / {figures['words alone hit@3']:.2f}"
        click.echo(f"{way:<8} {figures['pairs']:>6} {figures['hit@1']:>6.2f} {figures['hit@3']:>6.2f}   {alone}")
    click.echo(f"{record['skills']} skills, {record['ms_a_question']:g} ms a question")
