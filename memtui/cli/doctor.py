"""`memtui doctor`: what is configured, what is reachable, and what each part answered."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from memtui.cli.commands import Context, pass_context
from memtui.errors import MemtuiError
from memtui.minds.base import PartStatus

if TYPE_CHECKING:
    from memtui.minds.base import Mind


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@pass_context
def doctor_command(context: Context, as_json: bool) -> None:
    """Try every part and say what answered. Exit 0 when all is well, else 1. Keys are never shown."""
    parts = asyncio.run(_examine(context))
    ok = all(part.ok for part in parts)
    if as_json:
        click.echo(json.dumps({"ok": ok, "parts": [asdict(part) for part in parts]}, ensure_ascii=False, indent=1))
    else:
        width = max(len(part.part) for part in parts)
        for part in parts:
            click.echo(f"{'✓' if part.ok else '✗'} {part.part:<{width}}  {part.configured}")
            if part.detail:
                click.echo(f"  {'':<{width}}  {part.detail}")
    sys.exit(0 if ok else 1)


async def _examine(context: Context) -> list[PartStatus]:
    from memtui.minds.factory import make_mind
    from memtui.minds.tokens import ENCODING, count_tokens

    home = context.home
    file = home.settings_file
    parts = [
        PartStatus("home", str(home.data), True, "" if home.data.is_dir() else "will be made at the first turn"),
        PartStatus("settings", str(file), True, "" if file.is_file() else "no file: the defaults hold"),
    ]
    try:
        settings = context.settings
        mind = make_mind(settings.mind, os.environ)
    except MemtuiError as error:
        return [*parts, PartStatus("settings", str(file), False, str(error))]
    parts.append(PartStatus("mind", f"{settings.mind.provider}: {mind.label}", True, ""))
    try:
        parts.extend(await mind.check())
        parts.append(await asyncio.to_thread(_store, context, mind))
    finally:
        await mind.aclose()
    parts.append(PartStatus("tokens", f"{ENCODING} (offline copy)", count_tokens("hello world") == 2, ""))
    parts.append(_themes(context))
    return parts


def _store(context: Context, mind: Mind) -> PartStatus:
    from memtui.chat.opening import open_store

    where = context.settings.store or str(context.home.store)
    if not context.settings.store and not context.home.store.exists():
        return PartStatus("store", where, True, "empty: will be made at the first turn")
    try:
        store = open_store(context.settings, context.home, mind)
    except MemtuiError as error:
        return PartStatus("store", where, False, str(error))
    try:
        problems = store.verify()
        active = len(store.state.active())
        detail = f"{store.head.length} events, {active} active of {len(store.state.memories)} memories"
        if problems:
            detail += f"; {len(problems)} problems, the first: {problems[0].where}: {problems[0].what}"
        return PartStatus("store", where, not problems, detail)
    finally:
        store.close()


def _themes(context: Context) -> PartStatus:
    from memtui.locations import shipped_themes
    from memtui.ui.themes import load_themes

    themes, problems = load_themes([shipped_themes(), context.home.themes])
    return PartStatus("themes", f"{len(themes)} themes", not problems, "; ".join(problems))
