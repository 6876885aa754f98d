"""A companion for the length of one command."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.log import TurnLog
    from memtui.chat.steps import Progress
    from memtui.cli.commands import Context
    from memtui.sessions.lines import Session

T = TypeVar("T")


@asynccontextmanager
async def opened(context: Context, *, log: TurnLog | None = None, session_id: str = "cli") -> AsyncIterator[Companion]:
    """The companion of the user's home, closed afterwards; what its opening has to say goes to standard error."""
    from memtui.chat.opening import open_companion

    companion = await open_companion(context.settings, context.home, log=log, session_id=session_id)
    try:
        for notice in (*companion.notices, *companion.store.notices):
            click.echo(notice, err=True)
        yield companion
    finally:
        await companion.close()


def run(context: Context, work: Callable[[Companion], Awaitable[T]]) -> T:
    """Run `work` on the home's companion."""

    async def main() -> T:
        async with opened(context) as companion:
            return await work(companion)

    return asyncio.run(main())


def run_played(context: Context, file: Path, work: Callable[[Companion, Session], Awaitable[T]], progress: Progress) -> T:
    """Play the session of a file on a memory of its own, by the person's settings, then run `work` on it.

    Raises:
        SessionFormatError: the file breaks its format.
    """
    from memtui.clock import SimClock
    from memtui.sessions.beats import beats_of
    from memtui.sessions.format import read_session
    from memtui.sessions.headless import play_all
    from memtui.sessions.stage import replay_companion, start_of

    session = read_session(file)

    async def main() -> T:
        companion = await replay_companion(session, SimClock.frozen(start_of(session)), context.settings)
        try:
            await play_all(companion, beats_of(session), progress)
            return await work(companion, session)
        finally:
            await companion.close()

    return asyncio.run(main())


class ProgressLine:
    """Progress on standard error: one line rewritten on a terminal, silent in a pipe."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._live = self._stream.isatty()

    def __call__(self, share: float, what: str) -> None:
        """Show `share` (0..1) and what is being done."""
        if self._live:
            full = int(share * 30)
            self._stream.write(f"\r\x1b[K{'█' * full}{'░' * (30 - full)} {share:4.0%} {what[:40]}")
            self._stream.flush()

    def done(self) -> None:
        """Take the line away."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
