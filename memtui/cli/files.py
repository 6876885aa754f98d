"""`memtui export`, `import` and `reembed`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine, opened, run


@click.command("reembed")
@pass_context
def reembed_command(context: Context) -> None:
    """Make vectors with the configured embedder for all texts that have none of it yet.

    Needed once after `mind.embedding_model` was changed: vectors of different embedders are never mixed.
    """
    import os

    from memtui.memory.frame import Vectors
    from memtui.minds.factory import make_mind
    from memtui.store.reembed import reembed

    mind = make_mind(context.settings.mind, os.environ)
    progress = ProgressLine()

    def embed(texts: list[str]) -> Vectors:
        return asyncio.run(mind.embedder.embed(texts))

    count = reembed(
        context.settings.store or context.home.store, mind.embedder.name, mind.embedder.dims, embed, progress
    )
    progress.done()
    click.echo(f"{count} texts have vectors of {mind.embedder.name} now.")
