"""`memtui memories`, `sleep` and `verify`: looking at memory and looking after it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.as_of import AS_OF_HELP, as_of_words, moment_option
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine, run

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

_SORTS = ("salience", "age", "recalls", "kind", "left")


@click.command("memories")
@click.option("--json", "as_json", is_flag=True, help="One JSON list on standard output.")
@click.option("--all", "everything", is_flag=True, help="Retired memories too.")
@click.option("--as-of", metavar="TIME", help=AS_OF_HELP)
@click.option(
    "--sort", type=click.Choice(["salience", "age", "recalls", "kind", "left"]), default="salience", show_default=True
)
@pass_context
def memories_command(context: Context, as_json: bool, everything: bool, as_of: str | None, sort: str) -> None:
    """List memories, the most salient first.

    With --as-of: those there were at that moment, as they were worded then, with what was left of them then.
    """
    when = moment_option(as_of)

    async def work(companion: Companion) -> tuple[list[dict[str, Any]], str]:
        from memtui.chat.records import memory_records

        if when is None:
            return memory_records(companion, everything=everything), ""
        moment = when(companion)
        return memory_records(companion, at=moment, everything=everything), as_of_words(moment, companion)

    records, then = run(context, work)
    keys = {
        "salience": lambda r: -r["salience"],
        "age": lambda r: r["last_recalled_at"],
        "recalls": lambda r: -r["recalls"],
        "kind": lambda r: (r["kind"], -r["salience"]),
        "left": lambda r: (r["dies_at"] is None, r["dies_at"]),
    }
    records.sort(key=keys[sort])
    if as_json:
        click.echo(json.dumps(records, ensure_ascii=False, indent=1))
        return
    if then:
        click.echo(then, err=True)
    for record in records:
        click.echo(_row(record))
    if not records and then:
        click.echo("There were no memories.", err=True)
    elif not records:
        click.echo("No memories yet. Say something in `memtui`, or `memtui ask`.", err=True)


def _row(record: dict[str, Any]) -> str:
    from memtui.memory.texts import one_line

    share = min(1.0, record["salience"])
    full = round(share * 10)
    bar = "█" * full + "·" * (10 - full)
    pin = "◆" if record["pinned"] else " "
    state = "" if record["status"] == "active" else f"  ({record['retired_reason']})"
    kind = record["kind"][0].upper()
    return f"{bar} {record['salience']:5.2f} {kind} ×{record['recalls']:<3}{pin} {one_line(record['content'], 90)}{state}"


@click.command("sleep")
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def sleep_command(context: Context, dry_run: bool, as_json: bool) -> None:
    """Run the sleep pass now and tell what was merged, retired and pruned, and why. `/undo` in the app takes it back."""
    progress = ProgressLine()

    async def work(companion: Companion) -> dict[str, Any]:
        from memtui.chat.records import plan_record

        plan = await companion.plan_sleep("key", progress)
        before = plan_record(plan, companion.store.frame)
        if not dry_run:
            await companion.apply_sleep(plan)
        return before

    record = run(context, work)
    progress.done()
    if as_json:
        click.echo(json.dumps(record | {"applied": not dry_run}, ensure_ascii=False, indent=1))
        return
    for item in record["items"]:
        click.echo(f"{item['action']:<10} {item['line']}")
    if record["problem"]:
        click.echo(f"The mind did not judge everything: {record['problem']}", err=True)
    done = "would be " if dry_run else ""
    counts = f"{record['merged']} {done}merged, {record['retired']} {done}retired, {record['pruned']} {done}pruned"
    click.echo(f"{counts}, {record['untouched']} untouched.", err=True)
    if record["unsure"]:
        click.echo(f"{record['unsure']} to settle: `memtui conflicts` lists them.", err=True)


@click.command("verify")
@click.option("--strict", is_flag=True, help="Every stored row, the skills' snapshot and the head outside the database too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def verify_command(context: Context, strict: bool, as_json: bool) -> None:
    """Check that the ledger's chain holds and that texts and state agree with it. Exit 0 if so, else 1.

    The whole state is recomputed from the ledger and compared. --strict also compares the head that is kept outside the
    database, every text the ledger ever named, the stored words of each, and every field of the skills' snapshot.
    """

    async def work(companion: Companion) -> dict[str, Any]:
        problems = companion.store.verify(strict=strict)
        if strict:
            from memtui.skills.snapshot_check import check_snapshot

            store, law = companion.store, companion.law.strength
            problems += check_snapshot(companion.skills.folder, store.events(), store.text, law)
        return {
            "ok": not problems,
            "events": companion.store.head.length,
            "memories": len(companion.store.state.memories),
            "problems": [{"where": p.where, "what": p.what} for p in problems],
        }

    record = run(context, work)
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        for problem in record["problems"]:
            click.echo(f"{problem['where']}: {problem['what']}")
        state = "ok" if record["ok"] else "does not hold"
        click.echo(f"{record['events']} events, {record['memories']} memories: {state}", err=not record["ok"])
    sys.exit(0 if record["ok"] else 1)
