"""`memtui mcp`: memory for other agents."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click

from memtui.cli.commands import Context, pass_context

if TYPE_CHECKING:
    from memtui.mcp.tools import Tools


@click.command("mcp")
@pass_context
def mcp_command(context: Context) -> None:
    """Serve memory over the Model Context Protocol on standard input and output, for Claude Code, Codex, Cursor and others.

    The app may be open at the same time: both work on the same memory. `memtui init` writes the agents' configuration.
    """
    from memtui.mcp.server import serve

    if sys.stdin.isatty():
        click.echo("This waits for an agent's requests (JSON-RPC). `memtui init --claude-code` lets one start it.", err=True)
    asyncio.run(serve(lambda: _open(context), context.home.hooks))


async def _open(context: Context) -> Tools:
    from memtui.chat.opening import open_companion
    from memtui.mcp.tools import Tools

    tools = Tools(await open_companion(context.settings, context.home, session_id="mcp"))
    await tools.warm()
    return tools
