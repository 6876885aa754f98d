"""Ending a stream early, even one that says nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

_T = TypeVar("_T")


async def until_stopped(stream: AsyncIterator[_T], stop: asyncio.Event) -> AsyncIterator[_T]:
    """The pieces of `stream` until it ends or `stop` is set, whichever comes first.

    A stream that hangs is left at once: its pending piece is cancelled, which ends the request behind it.
    """
    stopped = asyncio.ensure_future(stop.wait())
    piece: asyncio.Task[tuple[_T] | None] | None = None
    try:
        while not stop.is_set():
            piece = asyncio.ensure_future(_next(stream))
            await asyncio.wait({piece, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not piece.done():
                return
            got = piece.result()
            if got is None:
                return
            yield got[0]
    finally:
        left = [task for task in (piece, stopped) if task is not None and not task.done()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _next(stream: AsyncIterator[_T]) -> tuple[_T] | None:
    """The next piece in a tuple; None at the end (an exception for the end can't leave a task)."""
    async for piece in stream:
        return (piece,)
    return None
