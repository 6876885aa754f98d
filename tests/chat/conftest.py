"""A companion on a real scratch store, a scripted mind and a frozen clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from tests.doubles import ScriptedMind

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind()


@pytest.fixture
async def companion(mind: ScriptedMind) -> AsyncIterator[Companion]:
    settings = Settings(timezone="UTC")
    made = scratch_companion(settings, SimClock.frozen(START), mind)
    yield made
    await made.close()
