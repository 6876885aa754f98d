"""`memtui init` and `uninstall`: memtui in other agents' configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.commands import Context, pass_context
from memtui.errors import InputError
from memtui.skills.agents.entries import AGENTS, SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memtui.skills.agents.setting_up import Done

_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


def _agent_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for agent in reversed(AGENTS):
        command = click.option(f"--{agent}", agent.replace("-", "_"), is_flag=True)(command)
    return command


def _named(flags: dict[str, bool]) -> list[str]:
    return [agent for agent in AGENTS if flags[agent.replace("-", "_")]]


@click.command("init")
@_agent_options
@click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="For all projects, or for one.")
@click.option("--project", metavar="DIR", type=_FOLDER, help="The project's folder; by default the present one.")
@click.option("--print", "only_print", is_flag=True, help="Show what would be written and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="What was done as one JSON object.")
@pass_context
def init_command(
    context: Context, /, scope: str, project: Path | None, only_print: bool, as_json: bool, **agents: bool
) -> None:
    """Put memtui's MCP server into an agent's configuration, and for Claude Code its hooks too.

    \b
        memtui init --claude-code
        memtui init --codex --cursor --scope project

    A file that does not parse is left as it is; the old file is kept beside the new one. Doing it again changes nothing.
    """
    from memtui.locations import own_command
    from memtui.skills.agents.setting_up import Places, set_up, shown

    names = _named(agents)
    if not names:
        raise InputError("Which agent?", todo=f"Name one or more: {', '.join(f'--{agent}' for agent in AGENTS)}.")
    if only_print:
        click.echo(shown(names, own_command(context.home)), nl=False)
        return
    _say(set_up(names, scope, own_command(context.home), Places.here(project)), as_json, setting_up=True)


@click.command("uninstall")
@_agent_options
@click.option("--project", metavar="DIR", type=_FOLDER, help="The project's folder; by default the present one.")
@click.option("--json", "as_json", is_flag=True, help="What was done as one JSON object.")
@pass_context
def uninstall_command(context: Context, /, project: Path | None, as_json: bool, **agents: bool) -> None:
    """Take memtui out of the agents' configuration again: of all of them unless some are named. Memory stays.

    `memtui schedule remove` takes out the scheduled chores.
    """
    from memtui.skills.agents.setting_up import Places, take_out

    done = take_out(_named(agents) or AGENTS, SCOPES, Places.here(project))
    _say(done, as_json, setting_up=False)
    if done.left_alone:
        raise click.exceptions.Exit(1)


def _say(done: Done, as_json: bool, *, setting_up: bool) -> None:
    if as_json:
        names = ("written", "unchanged", "backups", "left_alone")
        click.echo(json.dumps({name: [str(path) for path in getattr(done, name)] for name in names}, ensure_ascii=False))
        return
    for path in done.written:
        click.echo(f"wrote {path}" if path.exists() else f"removed {path}")
    for path in done.unchanged if setting_up else ():
        click.echo(f"{path} is as it should be")
    for path in done.backups:
        click.echo(f"kept {path}", err=True)
    if setting_up and done.written:
        click.echo("The agent sees memtui from its next session on.", err=True)
    for problem in done.left_alone:
        click.echo(problem, err=True)
    if not setting_up and not done.written and not done.left_alone:
        click.echo("There was nothing to take out.", err=True)
