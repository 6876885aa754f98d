"""`memtui survival`: how long memories live, by kind or by law."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.as_of import AS_OF_HELP, as_of_words, moment_option
from memtui.cli.charts import chart_option, warn_of_charts
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine, run, run_played

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.survival import Survivals
    from memtui.cli.as_of import When


@click.command("survival")
@click.argument("session", type=click.Path(path_type=Path), required=False)
@click.option("--by", type=click.Choice(["kind", "law"]), default="kind", show_default=True, help="What to tell apart.")
@click.option("--as-of", metavar="TIME", help=AS_OF_HELP)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@chart_option()
@pass_context
def survival_command(
    context: Context, session: Path | None, by: str, as_of: str | None, as_json: bool, chart: Path | None
) -> None:
    """Show how long memories live: the share alive by age, a Kaplan-Meier curve a kind or a law.

    A memory that is alive is counted up to its present age, a retired one died when it was retired. Without SESSION it is
    your memory; SESSION (named as for `memtui replay`) is played first, on a memory of its own.

    With --by law the same events are lived again under each law, turns and recalls as they were; no model is asked. What
    only another law kept counts as unused there. `memtui compare` plays a session anew under each law, recalls included.

    \b
        memtui survival
        memtui survival --by law --chart charts forty-days-en
    """
    from memtui.bench.survival_report import show_survival, write_survival
    from memtui.chat.survival import survival_record

    when = moment_option(as_of)
    warn_of_charts(chart)
    progress = ProgressLine()

    async def work(companion: Companion) -> tuple[Survivals, str]:
        return await _measure(companion, by, when, progress)

    try:
        if session is None:
            found, then = run(context, work)
        else:
            from memtui.cli.talk import find_session

            file = find_session(context, session)
            found, then = run_played(context, file, lambda companion, _: work(companion), progress)
    finally:
        progress.done()
    for path in write_survival(found, chart, session.stem if session is not None else "") if chart is not None else ():
        click.echo(f"chart: {path}", err=True)
    if as_json:
        click.echo(json.dumps(survival_record(found), ensure_ascii=False))
        return
    if then:
        click.echo(then, err=True)
    show_survival(found, sys.stdout)


async def _measure(companion: Companion, by: str, when: When | None, progress: ProgressLine) -> tuple[Survivals, str]:
    from memtui.chat.survival import survival_by_law, survival_now

    until = when(companion) if when is not None else None
    then = as_of_words(until, companion) if until is not None else ""
    if by == "kind":
        return survival_now(companion, until), then

    def told(share: float) -> bool:
        progress(share, "living it again")
        return True

    found = await asyncio.to_thread(survival_by_law, companion, until, told)
    assert found is not None, "nobody says stop"
    return found, then
