"""`memtui forecast`: who fades when, and what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from memtui.cli.as_of import AS_OF_HELP, as_of_words, moment_option
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import run
from memtui.errors import InputError

if TYPE_CHECKING:
    from datetime import tzinfo

    from memtui.chat.companion import Companion
    from memtui.chat.forecasting import Ahead

_WIDEST = 100
_ROWS = 6


@click.command("forecast")
@click.option("--days", default="30", show_default=True, metavar="DAYS", help="How far to look: 7, 90, 12h, 2w.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--as-of", metavar="TIME", help=AS_OF_HELP)
@pass_context
def forecast_command(context: Context, days: str, as_json: bool, as_of: str | None) -> None:
    """Say which memories fade when if nothing is told or recalled, and how many are left.

    A memory goes with the first sleep pass after the moment given. Tokens are those of all active memories' lines together,
    which is what a prompt would hold if nothing were chosen. With --as-of: what was to come as things stood then.
    """
    from memtui.chat.forecasting import asked_of, forecast_record, read_days

    try:
        horizon = read_days(days)
    except InputError as error:
        raise InputError(f"--days: {error.what}", todo=error.todo) from error
    when = moment_option(as_of)

    async def work(companion: Companion) -> tuple[Ahead, str, tzinfo]:
        from memtui.chat.looking_back import Present, Then
        from memtui.clock import zone

        moment = None if when is None else when(companion)
        sight = Present(companion) if moment is None else Then(companion, moment)
        said = "" if moment is None else as_of_words(moment, companion)
        asked = asked_of(sight, companion.sleep_policy.grace_hours)
        return asked.answer(), said, zone(companion.settings.timezone)

    ahead, then, tz = run(context, work)
    if as_json:
        click.echo(json.dumps(forecast_record(ahead, horizon), ensure_ascii=False, indent=1))
        return
    if then:
        click.echo(then, err=True)
    for line in _lines(ahead, horizon, tz):
        click.echo(line)


def _lines(ahead: Ahead, days: float, tz: tzinfo) -> list[str]:
    import shutil

    from memtui.ui.forecast_words import charts, fade_words, summary_words
    from memtui.ui.widgets.row_text import plain_line, row_text

    found = ahead.outlook
    if not found.active:
        return ["There are no active memories, so none can fade."]
    width = max(40, min(shutil.get_terminal_size().columns, _WIDEST))
    count = found.gone_by(ahead.until_us(days))
    lines = [summary_words(ahead, days, tz), ""]
    for chart in charts(ahead, days, width, _ROWS, tz):
        lines += [*(line.rstrip() for line in chart), ""]
    if count:
        lines.append(f"{'date':<18}{'left':>7}  memory")
    for row, at_us in zip(found.rows[:count].tolist(), found.at_us[:count].tolist(), strict=True):
        date, left = fade_words(at_us, found.now_us, tz)
        handle = f"m{row + 1:02d}"
        room = width - len(date) - len(left) - len(handle) - 4
        lines.append(f"{date} {left}  {handle} {row_text(plain_line(ahead.frame.texts[row]), room)}".rstrip())
    return lines if count else lines[:-1]
