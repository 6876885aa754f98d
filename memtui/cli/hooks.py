"""`memtui hook` and `hooks-status`: what Claude Code runs, and how it fared."""

from __future__ import annotations

import json
import os
import sys

import click

from memtui.cli.commands import Context, pass_context


@click.command("hook")
@click.argument("name")
@pass_context
def hook_command(context: Context, name: str) -> None:
    """Run a hook: session-start, prompt, tool, stop or session-end, on the JSON of standard input.

    `memtui init --claude-code` sets them up. A hook reads the snapshot of the skills, never the store itself; whatever goes
    wrong, it prints nothing, exits with 0 and is counted (`memtui hooks-status`).
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: one small product needs no threads
    from memtui.skills.hooks.running import HOOKS, run_hook

    if name in HOOKS:
        run_hook(context.home, name, sys.stdin.buffer, sys.stdout)


@click.command("hooks-status")
@click.option("--json", "as_json", is_flag=True, help="One JSON list on standard output.")
@pass_context
def hooks_status_command(context: Context, as_json: bool) -> None:
    """Say how often each hook ran, spoke, had nothing to say or failed, why, and how long it took."""
    from memtui.skills.hooks.counting import tallies

    records = [tally.record() for tally in tallies(context.home.hooks)]
    if as_json:
        click.echo(json.dumps(records, ensure_ascii=False, indent=1))
        return
    for record in records:
        reasons = ", ".join(f"{why}: {times}" for why, times in record["reasons"].items())
        click.echo(
            f"{record['hook']:<14} {record['runs']:>6} runs  {record['said']:>6} said  {record['silent']:>6} silent  "
            f"{record['failed']:>4} failed  {record['ms']:>7.1f} ms (most {record['most_ms']:.1f})  "
            f"last {record['last'][:16]}Z"
        )
        if reasons:
            click.echo(f"{'':<14} {reasons}")
    if not records:
        click.echo("No hook has run yet. `memtui init --claude-code` sets them up.", err=True)
