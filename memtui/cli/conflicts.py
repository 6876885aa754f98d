"""`memtui conflicts` and `settle`: what a judge is unsure of, and the person's word on it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import run

if TYPE_CHECKING:
    from memtui.chat.companion import Companion


@click.command("conflicts")
@click.option("--json", "as_json", is_flag=True, help="One JSON list on standard output.")
@pass_context
def conflicts_command(context: Context, as_json: bool) -> None:
    """List memories that may contradict each other, the newer of each pair first. `memtui settle` answers."""

    async def work(companion: Companion) -> list[dict[str, Any]]:
        from memtui.chat.settling import conflict_records

        return conflict_records(companion)

    records = run(context, work)
    if as_json:
        click.echo(json.dumps(records, ensure_ascii=False, indent=1))
        return
    for record in records:
        for line in _lines(record):
            click.echo(line)
    if not records:
        click.echo("Nothing to settle: no two memories seem to contradict each other.", err=True)


def _lines(record: dict[str, Any]) -> list[str]:
    from memtui.chat.settling import since_words
    from memtui.memory.texts import clean, one_line

    lines = []
    for name in ("newer", "older"):
        side = record[name]
        lines.append(f"{name} {side['handle']:>5}  {since_words(side)}  {one_line(clean(side['content']), 100)}")
    reason = f"“{one_line(clean(record['reason']), 100)}”  " if record["reason"] else ""
    return [*lines, f"             {reason}sure {record['confidence']:.2f}, {record['judge']}", ""]


@click.command("settle")
@click.argument("one", metavar="MEMORY")
@click.argument("other", metavar="MEMORY")
@click.argument("answer", type=click.Choice(["replaced", "both", "unsure"]))
@click.option("--json", "as_json", is_flag=True, help="What was done as one JSON object.")
@pass_context
def settle_command(context: Context, one: str, other: str, answer: str, as_json: bool) -> None:
    """Say which of two memories holds: the newer replaced the older, both are true, or you are not sure.

    Name them by number or id, in any order; `memtui conflicts` lists them. `/undo` in the app takes it back:

    \b
        memtui settle m12 m30 replaced
    """

    async def work(companion: Companion) -> dict[str, Any]:
        from memtui.chat.settling import read_answer, settled_words

        done = await companion.settle(companion.resolve(one), companion.resolve(other), read_answer(answer))
        said = settled_words(companion, done)
        return {"older": done.older, "newer": done.newer, "answer": done.answer.value, "block": done.block, "said": said}

    record = run(context, work)
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        click.echo(record["said"])
