"""`memtui schedule`: chores at fixed hours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import run
from memtui.skills.schedule.jobs import CHORES

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

_KINDS = click.Choice(["launchd", "schtasks", "systemd", "cron"])
_WITH = click.option("--with", "kind", type=_KINDS, help="Which scheduler; by default the one this machine has.")


@click.group("schedule")
def schedule_command() -> None:
    """Skills fade every day at 04:15, the vault is written on Sundays at 04:30; by the machine's own scheduler."""


@schedule_command.command("install")
@_WITH
@pass_context
def install(context: Context, kind: str | None) -> None:
    """Put both chores into the scheduler; doing it again brings them up to date."""
    from memtui.skills.schedule.jobs import jobs
    from memtui.skills.schedule.schedulers import scheduler

    with_what = scheduler(kind)
    with_what.install(jobs(context.home))
    click.echo(f"Scheduled with {with_what.kind}: decay daily at 04:15, export on Sundays at 04:30.")


@schedule_command.command("remove")
@_WITH
@pass_context
def remove(context: Context, kind: str | None) -> None:
    """Take both chores out of the scheduler."""
    from memtui.skills.schedule.jobs import jobs
    from memtui.skills.schedule.schedulers import scheduler

    with_what = scheduler(kind)
    count = with_what.remove(jobs(context.home))
    click.echo(f"{count} {'chore' if count == 1 else 'chores'} taken out of {with_what.kind}.")


@schedule_command.command("status")
@_WITH
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def status(context: Context, kind: str | None, as_json: bool) -> None:
    """Say whether the chores are scheduled, and how their last run went. Exit 1 unless all are as they should be."""
    from memtui.skills.schedule.chores import last_runs
    from memtui.skills.schedule.jobs import jobs
    from memtui.skills.schedule.schedulers import scheduler

    with_what = scheduler(kind)
    ran = last_runs(context.home)
    rows = [
        {"chore": job.chore.name, "state": with_what.state(job), "last": ran.get(job.chore.name)}
        for job in jobs(context.home)
    ]
    if as_json:
        click.echo(json.dumps({"scheduler": with_what.kind, "chores": rows}, ensure_ascii=False, indent=1))
    else:
        click.echo(f"scheduler: {with_what.kind}")
        for row in rows:
            last = row["last"]
            told = f"last run {last['at'][:16]}Z: {last['said']}" if isinstance(last, dict) else "has not run yet"
            click.echo(f"{row['chore']:<7} {row['state']:<10} {told}")
    if any(row["state"] != "installed" for row in rows):
        raise click.exceptions.Exit(1)


@schedule_command.command("run")
@click.argument("chore", type=click.Choice([chore.name for chore in CHORES]))
@pass_context
def run_chore(context: Context, chore: str) -> None:
    """Do a chore now: what the scheduler calls."""
    from memtui.skills.schedule.chores import remembering

    async def work(companion: Companion) -> str:
        if chore == "export":
            from memtui.sessions.vault.writing import write_vault

            return write_vault(companion.store, context.home.vault).sentence
        done = await companion.skills.decay()
        return f"Skills: {len(done.archived)} archived, {done.stale} stale, {done.active} active."

    with remembering(context.home, chore) as told:
        told.said = run(context, work)
    click.echo(told.said)
