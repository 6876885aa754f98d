"""Fixtures every room may use, and how hypothesis runs in all of them."""

from hypothesis import settings

from tests.loopback.fixtures import loopback

__all__ = ["loopback"]

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)  # the same examples on any machine
settings.load_profile("steady")
