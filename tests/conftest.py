"""Fixtures every room may use."""

from tests.loopback.fixtures import loopback

__all__ = ["loopback"]
