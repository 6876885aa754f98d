"""`memtui compare`: one session under several laws."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import click

from memtui.cli.charts import chart_option, warn_of_charts
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine
from memtui.errors import InputError


@click.command("compare")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--law", "laws", multiple=True, metavar="NAME", help="A law to live by; name several to compare them.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting: half_life.episodic=24h, floor=0.1, capacity=40, stability.rate=0.02, sleep.repeats=2.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@chart_option()
@pass_context
def compare_command(
    context: Context, file: Path, laws: tuple[str, ...], changes: tuple[str, ...], as_json: bool, chart: Path | None
) -> None:
    """Play a session FILE under several laws and say what each keeps, what that costs and, with probes, how it answers.

    FILE is named as for `memtui replay`. Two or more --law are compared with each other, each with every --set; one law, or
    --set alone, is compared with your settings as they are. No model is asked, and your own memory is left alone.

    \b
        memtui compare --law salience --law stability --law fsrs forty-days-en
        memtui compare --set half_life.episodic=24h --set floor=0.1 berlin-to-lisbon
    """
    from memtui.bench.compare import compare, variants_of
    from memtui.bench.compare_report import show_comparison, write_comparison
    from memtui.chat.changes import parse_changes
    from memtui.cli.talk import find_session
    from memtui.memory.laws import LAW_NAMES
    from memtui.sessions.format import read_session

    unknown = [law for law in laws if law not in LAW_NAMES]
    if unknown:
        raise InputError(f"--law: there is no law '{unknown[0]}'.", todo=f"Choose one of {', '.join(LAW_NAMES)}.")
    if not laws and not changes:
        raise InputError("There is nothing to compare.", todo="Name two laws with --law, or change a setting with --set.")
    variants = variants_of(context.settings, laws, parse_changes(changes))
    session = read_session(find_session(context, file))
    warn_of_charts(chart)
    progress = ProgressLine()
    try:
        record = asyncio.run(compare(session, variants, progress))
    finally:
        progress.done()
    for path in write_comparison(record, chart) if chart is not None else ():
        click.echo(f"chart: {path}", err=True)
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        show_comparison(record, sys.stdout)
