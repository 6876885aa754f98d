"""Stores that are closed after the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.store.memory_store import MemoryStore
from tests.store.builders import opened, scratch


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    """An empty scratch store."""
    store = scratch()
    yield store
    store.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a store that is not there yet."""
    return tmp_path / "store"


@pytest.fixture
def kept(home: Path) -> Iterator[MemoryStore]:
    """An empty store in `home`."""
    store = opened(home)
    yield store
    store.close()
