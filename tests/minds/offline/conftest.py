from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.mind import OfflineMind

NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
"""A Saturday."""
_EMBEDDER = LocalEmbedder()


@pytest.fixture(scope="session")
def embedder() -> LocalEmbedder:
    return _EMBEDDER


@pytest.fixture(scope="session")
def heads() -> Heads:
    return Heads.load()


@pytest.fixture(scope="session")
def mind(embedder: LocalEmbedder) -> OfflineMind:
    return OfflineMind(embedder)
