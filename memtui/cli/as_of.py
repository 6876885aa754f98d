"""`--as-of`: which moment is meant, and `memtui ask` asked of that moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from memtui.cli.opened import opened
from memtui.errors import InputError, MemtuiError

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.looking_back import Then
    from memtui.cli.commands import Context
    from memtui.memory.recall import Recollection

AS_OF_HELP: Final = "As memory was at that moment: 2026-03-20T12:00Z, 2026-03-20 (the end of that day), or '3d ago'."
When: TypeAlias = "Callable[[Companion], datetime]"


def moment_option(text: str | None) -> When | None:
    """What `--as-of` says, read before anything is opened; None without the option.

    Raises:
        InputError: it is no moment.
    """
    if text is None:
        return None
    from memtui.chat.when import read_moment
    from memtui.clock import zone

    try:
        read = read_moment(text)
    except InputError as error:
        raise InputError(f"--as-of: {error.what}", todo=error.todo) from error
    return lambda companion: read(companion.clock.now(), zone(companion.settings.timezone))


def as_of_words(moment: datetime, companion: Companion) -> str:
    """Which moment is shown, in the person's time zone."""
    from memtui.clock import zone

    local = moment.astimezone(zone(companion.settings.timezone))
    return f"As of {local.isoformat(sep=' ', timespec='seconds')}:"


async def ask_then(context: Context, text: str, when: When, as_json: bool) -> MemtuiError | None:
    """Print what would have been answered then, and what would have been recalled for it; nothing is kept or recorded."""
    from memtui.chat.looking_back import Then

    async with opened(context) as companion:
        then = Then(companion, when(companion))
        try:
            found = await then.recall_for(text)
        except MemtuiError as failed:
            return failed
        reply, error = await _reply(then, text, found, live=not as_json)
        if as_json:
            click.echo(json.dumps(_record(then, found, reply, error), ensure_ascii=False, indent=1))
        else:
            _tell(then, found, as_of_words(then.moment, companion))
        return error


async def _reply(then: Then, text: str, found: Recollection, *, live: bool) -> tuple[str, MemtuiError | None]:
    said: list[str] = []
    error: MemtuiError | None = None
    try:
        async for delta in then.reply_to(text, found):
            if not delta.thinking:
                said.append(delta.text)
                if live:
                    click.echo(delta.text, nl=False)
    except MemtuiError as failed:
        error = failed
    if live and said:
        click.echo()
    return "".join(said).strip(), error


def _tell(then: Then, found: Recollection, when: str) -> None:
    from memtui.memory.texts import one_line

    click.echo(f"{when} {len(found.items) or 'nothing'} recalled; nothing was kept.", err=True)
    for item in found.items:
        passed = "" if item.passed else "  (fills up)"
        click.echo(f"  {then.handle(item.memory)} {one_line(then.frame.texts[item.row], 90)}{passed}", err=True)


def _record(then: Then, found: Recollection, reply: str, error: MemtuiError | None) -> dict[str, Any]:
    from memtui.memory.moments import to_iso

    return {
        "reply": reply,
        "recalled": [item.memory for item in found.items],
        "created": [],
        "error": str(error) if error else None,
        "as_of": to_iso(then.moment),
        "memories": [
            {"id": item.memory, "content": then.frame.texts[item.row], "retention": item.retention, "passed": item.passed}
            for item in found.items
        ],
    }
