"""`memtui regret`: what was let go of and then missed, and what is kept and never used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.as_of import AS_OF_HELP, as_of_words, moment_option
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine, run, run_played

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.regret import TextsOf
    from memtui.sessions.lines import Session

_WIDTH: Final = 90
_QUESTIONS: Final = 3
"""Questions of a missed memory that are listed; the JSON has all."""


@click.command("regret")
@click.argument("session", type=click.Path(path_type=Path), required=False)
@click.option("--as-of", metavar="TIME", help=AS_OF_HELP)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def regret_command(context: Context, session: Path | None, as_of: str | None, as_json: bool) -> None:
    """List retired memories that a later question would have needed, and kept ones that were never recalled.

    Each question you asked is recalled for once more as if nothing had been retired by then, by the same ranker, gate and
    budget. What was superseded is no regret where its replacement was recalled; what was restored is none any more. Never
    used are active memories told 14 days ago or longer, without a recall. Nothing is written.

    Without SESSION it is your memory; SESSION (named as for `memtui replay`) is played first, on a memory of its own.
    """
    when = moment_option(as_of)
    progress = ProgressLine()

    async def work(companion: Companion, texts: TextsOf) -> tuple[dict[str, Any], str]:
        from memtui.chat.regret import RegretMeter, regret_record

        meter = RegretMeter(companion, texts)
        await meter.measure(progress)
        if when is None:
            return regret_record(companion, meter.report()), ""
        moment = when(companion)
        frame = companion.store.as_of(moment).frame
        return regret_record(companion, meter.report(frame, moment), frame), as_of_words(moment, companion)

    async def own(companion: Companion) -> tuple[dict[str, Any], str]:
        from memtui.sessions.turn_texts import TurnTexts

        return await work(companion, TurnTexts(context.home.sessions))

    async def played(companion: Companion, session: Session) -> tuple[dict[str, Any], str]:
        return await work(companion, lambda _: {turn.id: turn.text for turn in session.user_turns})

    try:
        if session is None:
            record, then = run(context, own)
        else:
            from memtui.cli.talk import find_session

            record, then = run_played(context, find_session(context, session), played, progress)
    finally:
        progress.done()
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
        return
    if then:
        click.echo(then, err=True)
    for line in _lines(record):
        click.echo(line)
    click.echo(_foot(record), err=True)


def _lines(record: dict[str, Any]) -> Iterator[str]:
    from memtui.memory.texts import clean, one_line

    if record["missed"]:
        yield f"Missed: {len(record['missed'])} retired and needed later"
    for one in record["missed"]:
        words = one_line(clean(one["content"]), _WIDTH)
        yield f"{one['handle']:>5} {one['retired_reason']:<10} {one['retired_at'][:10]}  {words}"
        for asked in one["questions"][-_QUESTIONS:]:
            yield f"{'':>5} asked {asked['at'][:10]}: {one_line(clean(asked['text']), _WIDTH)}"
        if len(one["questions"]) > _QUESTIONS:
            yield f"{'':>5} … and {len(one['questions']) - _QUESTIONS} more"
    if record["unused"]:
        yield f"Never used: {len(record['unused'])} kept for {record['unused_after_days']} days or more without a recall"
    for one in record["unused"]:
        pin, words = "◆" if one["pinned"] else " ", one_line(clean(one["content"]), _WIDTH)
        yield f"{one['handle']:>5}{pin}{one['kind'][0].upper()} told {one['created_at'][:10]}  {words}"


def _foot(record: dict[str, Any]) -> str:
    questions = record["questions"]
    said = f"{questions} question{'' if questions == 1 else 's'} looked at"
    if record["wordless"]:
        said += f"; the words of {record['wordless']} turns are in no chat kept here"
    nothing = "" if record["missed"] or record["unused"] else "; nothing to regret, nothing unused"
    return f"{said}{nothing}."
