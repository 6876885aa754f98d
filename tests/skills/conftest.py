"""Skills over a real store; the embedder's weights are loaded once a process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.chat.companion import Companion
from memtui.chat.opening import open_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.locations import Home, home
from memtui.minds.offline.embedder import LocalEmbedder
from tests.doubles import ScriptedMind

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
EMBEDDER = LocalEmbedder()


class LocalMind(ScriptedMind):
    """The scripted mind with the vectors of the default install."""

    def __init__(self) -> None:
        super().__init__()
        self.embedder = EMBEDDER  # type: ignore[assignment]


@pytest.fixture
def own_home(tmp_path: Path) -> Home:
    return home(tmp_path / "home")


Opened = Callable[..., Awaitable[Companion]]


@pytest.fixture
async def opened(own_home: Home) -> AsyncIterator[Opened]:
    """Opens the home's companion (again), by a clock that stands."""
    made: list[Companion] = []

    async def open_it(at: datetime = START, **sections: object) -> Companion:
        settings = Settings(timezone="UTC", **sections)  # type: ignore[arg-type]
        companion = await open_companion(settings, own_home, clock=SimClock.frozen(at), mind=LocalMind())
        made.append(companion)
        return companion

    yield open_it
    for companion in made:
        await companion.close()
