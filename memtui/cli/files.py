"""`memtui export`, `import` and `reembed`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine, run

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.memory.frame import Vectors
    from memtui.sessions.importing import ImportReport
    from memtui.sessions.vault.restoring import VaultReport
    from memtui.sessions.vault.writing import Written


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True), default="-")
@click.option("--format", "form", type=click.Choice(["jsonl", "markdown"]), help="By default what FILE's ending says.")
@pass_context
def export_command(context: Context, file: Path, form: str | None) -> None:
    """Write all memories with their whole history to FILE (standard output by default), or as a vault into a folder.

    JSONL holds everything and `memtui import` gives the same state again; Markdown is a list for people. A folder (one
    that is there, or a name without an ending) becomes a vault: one Markdown file a memory, with front matter, for
    Obsidian and git; `memtui import` takes it in again.
    """
    if form is None and _is_vault(file):
        _export_vault(context, file)
        return
    chosen = form or ("markdown" if file.suffix in (".md", ".markdown") else "jsonl")

    async def work(companion: Companion) -> int:
        from memtui.sessions.export import export_memories

        target = sys.stdout if str(file) == "-" else file
        return export_memories(companion.store, target, "markdown" if chosen == "markdown" else "jsonl")

    count = run(context, work)
    click.echo(f"{count} memories exported.", err=True)


def _is_vault(file: Path) -> bool:
    return str(file) != "-" and (file.is_dir() or (not file.suffix and not file.exists()))


def _export_vault(context: Context, folder: Path) -> None:
    async def work(companion: Companion) -> Written:
        from memtui.sessions.vault.writing import write_vault

        return await asyncio.to_thread(write_vault, companion.store, folder)

    click.echo(run(context, work).sentence, err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--conversation", type=click.IntRange(min=0), default=0, show_default=True, help="Which one of a LoCoMo file.")
@click.option("--trust", is_flag=True, help="Leave imported skills as trusted as the file says; else you approve them.")
@click.option("--dry-run", is_flag=True, help="Say what would be imported and change nothing.")
@pass_context
def import_command(context: Context, file: Path, conversation: int, trust: bool, dry_run: bool) -> None:
    """Take in FILE: a LoCoMo conversation (JSON), a memtui session or an export of memories (JSONL); or a folder.

    Memories get the dates of their conversation. Importing twice adds nothing; an import that was stopped goes on. A
    folder is a vault of `memtui export`, edits included, or any Obsidian vault: notes with steps become skills, others
    memories.
    """
    progress = ProgressLine()
    if file.is_dir():
        _import_vault(context, file, progress, trust=trust, dry_run=dry_run)
        return

    async def work(companion: Companion) -> ImportReport:
        from memtui.sessions.importing import import_file

        return await import_file(
            file,
            companion,
            context.home.sessions,
            conversation=conversation,
            trust=trust,
            dry_run=dry_run,
            progress=progress,
        )

    try:
        report = run(context, work)
    finally:
        progress.done()
    click.echo(report.sentence)


def _import_vault(context: Context, folder: Path, progress: ProgressLine, *, trust: bool, dry_run: bool) -> None:
    async def work(companion: Companion) -> VaultReport:
        from memtui.sessions.vault.restoring import import_vault

        return await import_vault(folder, companion, trust=trust, dry_run=dry_run, progress=progress)

    try:
        report = run(context, work)
    finally:
        progress.done()
    for problem in report.problems:
        click.echo(problem, err=True)
    for name in report.similar:
        click.echo(f"{name}: a skill much like it is there already", err=True)
    click.echo(report.sentence)


@click.command("reembed")
@pass_context
def reembed_command(context: Context) -> None:
    """Make vectors with the configured embedder for all memories that have none of it yet.

    Needed once after `mind.embedding_model` was changed: vectors of different embedders are never mixed.
    """
    from memtui.minds.factory import make_mind
    from memtui.store.memory_store import MemoryStore

    mind = make_mind(context.settings.mind, os.environ)
    progress = ProgressLine()
    with asyncio.Runner() as runner:

        def embed(texts: list[str]) -> Vectors:
            return runner.run(mind.embedder.embed(texts))

        where = context.settings.store or context.home.store
        dims = mind.embedder.dims
        count = MemoryStore.reembed(where, embedder_name=mind.embedder.name, dims=dims, embed=embed, progress=progress)
        runner.run(mind.aclose())
    progress.done()
    click.echo(f"{count} memories have vectors of {mind.embedder.name} now.")
