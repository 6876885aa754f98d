"""An event loop in a thread of its own, for callers that have none, or one they do not lend."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from memtui.errors import InputError, StoreError

T = TypeVar("T")


class LoopThread:
    """Runs coroutines one caller waits for; any thread may call. The thread ends with `stop` or with the process."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._stopping = threading.Lock()
        self._stopped = False
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` on the loop and wait for it; what it raises is raised here.

        Raises:
            StoreError: it was stopped.
            InputError: called from the loop itself, which would wait for ever.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise InputError("A memory can't be used from within its own embedder or mind.", safe="Nothing was changed.")
        with self._stopping:
            if self._stopped:
                work.close()
                raise StoreError("The memory is closed.", todo="Open it again.")
            waiting = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()  # an interrupt of the caller ends the work too
            raise

    def stop(self) -> None:
        """End the loop behind what it is doing. May be called again."""
        with self._stopping:
            if self._stopped:
                return
            self._stopped = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
