"""The engine as a library: a memory for any agent, without a screen, a conversation or a clock.

    from memtui import open_memory

    with open_memory("memories") as memory:          # a folder or any LanceDB URI; without one it is gone when closed
        memory.add("I'm allergic to shellfish", now=now)
        memory.recall("What can I eat?", now=now)

Every call says when: `now` is an aware datetime, and no clock is read. All calls may come from any thread, one is served
at a time, and each returns when it is done and durable. Inside a running event loop they work too, but hold that loop up
while they do: `await asyncio.to_thread(memory.recall, text, now=now)` does not. Errors are those of `memtui.errors`.

Nothing heavy is imported before a memory is opened.
"""

from __future__ import annotations

from memtui.library.agent_memory import AgentMemory, open_memory
from memtui.library.embedding import Embedding
from memtui.library.records import Fade, Forecast, Found, Kept, SleepOutcome

__all__ = ["AgentMemory", "Embedding", "Fade", "Forecast", "Found", "Kept", "SleepOutcome", "open_memory"]
