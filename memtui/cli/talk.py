"""`memtui ask` and `memtui replay`."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.as_of import AS_OF_HELP, ask_then, moment_option
from memtui.cli.commands import Context, pass_context
from memtui.cli.opened import ProgressLine, opened
from memtui.errors import InputError, MemtuiError

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.sessions.record import Recorder


@click.command("ask")
@click.argument("text", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Reply, memories and what was learned as one JSON object.")
@click.option("--as-of", metavar="TIME", help=f"{AS_OF_HELP} Nothing is kept.")
@pass_context
def ask_command(context: Context, text: tuple[str, ...], as_json: bool, as_of: str | None) -> None:
    """Ask once and print the reply.

    The turn is remembered and recorded like any other; with --as-of it is answered from what was known then, and nothing is
    remembered or recorded. Without TEXT, or with `-`, the text comes from standard input:

    \b
        memtui ask "What can I cook tonight?"
        git log -5 | memtui ask
    """
    when = moment_option(as_of)
    words = " ".join(text)
    if words in ("", "-"):
        if sys.stdin.isatty() and words == "":
            raise InputError("There is nothing to ask.", todo='Try: memtui ask "Where do I live?"')
        words = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not words.strip():
        raise InputError("There is nothing to ask: the text is empty.")
    asking = _ask(context, words, as_json) if when is None else ask_then(context, words, when, as_json)
    error = asyncio.run(asking)
    if error is not None:
        raise error


async def _ask(context: Context, text: str, as_json: bool) -> MemtuiError | None:
    """Print the reply as it comes; the first failure is returned, after all that did work was kept."""
    recorder = _recorder(context)
    try:
        async with opened(context, log=recorder, session_id="ask") as companion:
            return await _answer(companion, text, as_json)
    finally:
        recorder.close()


def _recorder(context: Context) -> Recorder:
    from memtui.sessions.record import Recorder

    return Recorder(context.home.sessions, mind=context.settings.mind.provider, note="memtui ask")


async def _answer(companion: Companion, text: str, as_json: bool) -> MemtuiError | None:
    from memtui.chat.steps import Failed, Learned, RecalledFor, Replied, Said

    error: MemtuiError | None = None
    reply, recalled, created, live = "", [], [], False
    async with aclosing(companion.turn(text)) as steps:
        async for step in steps:
            if isinstance(step, RecalledFor):
                recalled = [item.memory for item in step.recollection.items]
            elif isinstance(step, Said) and not step.delta.thinking and not as_json:
                click.echo(step.delta.text, nl=False)
                live = True
            elif isinstance(step, Replied):
                reply = step.text
            elif isinstance(step, Learned):
                created = list(step.created)
            elif isinstance(step, Failed):
                error = error or step.error
    if live:
        click.echo()
    if as_json:
        record = {"reply": reply, "recalled": recalled, "created": created, "error": str(error) if error else None}
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    return error


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--speed", type=click.FloatRange(min=0.0, min_open=True), default=1.0, show_default=True, help="Times as fast."
)
@click.option("--headless", is_flag=True, help="Play without a screen and print the final state.")
@click.option("--json", "as_json", is_flag=True, help="With --headless: one JSON object on standard output.")
@click.option(
    "--keep", metavar="DIR", type=click.Path(path_type=Path), help="With --headless: leave the played memory as a home."
)
@pass_context
def replay_command(context: Context, file: Path, speed: float, headless: bool, as_json: bool, keep: Path | None) -> None:
    """Play a session FILE (or the name of a sample: berlin-to-lisbon, allergy-once, tour, …).

    A replay works on a scratch memory of its own and leaves yours alone. In the app: space plays and pauses, the arrows
    step, the line seeks.
    """
    path = find_session(context, file)
    if not headless and (as_json or keep is not None):
        raise InputError(f"{'--json' if as_json else '--keep'} goes with --headless.")
    if headless:
        _replay_headless(context, path, as_json, keep)
        return
    from memtui.sessions.format import read_session
    from memtui.ui.launch import run_replay

    read_session(path)  # what is wrong with the file is said before the screen opens
    click.get_current_context().exit(run_replay(lambda: context.settings, context.home, path, speed=speed))


def find_session(context: Context, file: Path) -> Path:
    """The session file meant by a path, a sample's name, or the name of a recorded chat.

    Raises:
        InputError: there is none.
    """
    from memtui.locations import sample_sessions

    names = (file, file.with_name(file.name + ".jsonl"))
    for folder in (Path(), sample_sessions(), context.home.sessions):
        for name in names:
            if (folder / name).is_file():
                return folder / name
    raise InputError(f"{file}: there is no such file, sample or chat.", todo="`memtui replay tour` plays the tour.")


def _replay_headless(context: Context, path: Path, as_json: bool, keep: Path | None) -> None:
    from memtui.sessions.headless import replay_headless

    progress = ProgressLine()
    result = asyncio.run(replay_headless(path, context.settings, keep=keep, progress=progress))
    progress.done()
    record = result.to_json()
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
        return
    kinds = ", ".join(f"{n} {kind}" for kind, n in record["by_kind"].items() if n)
    click.echo(f"{record['title']}: {record['turns']} turns, {record['sleeps']} sleep passes")
    click.echo(f"{record['memories_active']} memories active ({kinds}), {record['memories_retired']} retired")
    click.echo(f"state {record['state_hash']}")
