"""Fixtures over the loopback server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loopback.server import Loopback


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A running loopback endpoint that answers plausibly until told otherwise."""
    with Loopback() as server:
        yield server
