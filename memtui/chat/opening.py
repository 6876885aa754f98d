"""Opening a memory: the heavy imports, the store, the mind, the clock; off the screen's thread."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from memtui.chat.log import NoLog, TurnLog
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.locations import Home
from memtui.memory.frame import Reader
from memtui.minds.base import Mind

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.store.memory_store import MemoryStore


async def open_companion(
    settings: Settings,
    home: Home,
    *,
    clock: SimClock | None = None,
    log: TurnLog | None = None,
    session_id: str = "",
    mind: Mind | None = None,
    environ: Mapping[str, str] | None = None,
) -> Companion:
    """Open the store of `home` (or of the settings' URI) with the configured mind.

    The simulated clock goes on from where the home's last warp left it.

    Raises:
        ConfigError: the mind's settings don't fit.
        StoreError: the store can't be opened.
    """
    return await asyncio.to_thread(open_now, settings, home, clock or SimClock(), log or NoLog(), session_id, mind, environ)


def open_now(
    settings: Settings,
    home: Home,
    clock: SimClock,
    log: TurnLog,
    session_id: str,
    mind: Mind | None = None,
    environ: Mapping[str, str] | None = None,
) -> Companion:
    """`open_companion`, in the calling thread."""
    from memtui.chat.companion import Companion
    from memtui.minds.factory import make_mind

    mind = mind or make_mind(settings.mind, os.environ if environ is None else environ)
    store = open_store(settings, home, mind)
    if store.state.offset_s and clock.is_real():
        clock.jump_to(clock.wall() + timedelta(seconds=store.state.offset_s))
    companion = Companion(store, mind, clock, settings, log, session_id)
    companion.skills.folder = home.skills
    companion.skills.snapshot.settings_file = home.settings_file
    return companion


def open_store(settings: Settings, home: Home, mind: Mind) -> MemoryStore:
    """The memory store the settings and the home name, for this mind's vectors."""
    from memtui.store.memory_store import MemoryStore

    return MemoryStore.open(
        settings.store or home.store,
        embedder_name=mind.embedder.name,
        dims=mind.embedder.dims,
        reader=reader_of(mind),
        anchor=home.anchors,
    )


def scratch_companion(
    settings: Settings, clock: SimClock, mind: Mind, *, log: TurnLog | None = None, session_id: str = "scratch"
) -> Companion:
    """A companion over a store that is gone when closed: for replays, benches and tests."""
    from memtui.chat.companion import Companion
    from memtui.store.memory_store import MemoryStore

    store = MemoryStore.scratch(
        embedder_name=mind.embedder.name,
        dims=mind.embedder.dims,
        reader=reader_of(mind),
    )
    return Companion(store, mind, clock, settings, log or NoLog(), session_id)


def reader_of(mind: Mind) -> Reader | None:
    """What the mind reads off its vectors, for a frame; None where it reads nothing."""
    reader = mind.slot_reader
    return None if reader is None else Reader(reader.read, len(reader.slots), reader.aspects)
