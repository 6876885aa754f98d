"""Where a conversation is written down as it happens; `sessions.record` implements it on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol


class TurnLog(Protocol):
    """Each call appends durably before it returns, so nothing said is lost whatever comes after."""

    def user(self, turn_id: str, at: datetime, text: str) -> None:
        """A user turn, before anything can fail."""
        ...

    def assistant(self, at: datetime, text: str, reply_to: str, *, interrupted: bool = False) -> None:
        """The reply that was given, as far as it got."""
        ...

    def mind(self, at: datetime, call: str, for_: str | Sequence[str], response: Mapping[str, Any], model: str) -> None:
        """A typed result of a mind's call; `for_` is the turn's id or the content hashes concerned."""
        ...

    def command(self, at: datetime, text: str) -> None:
        """What the user did besides talking, as a slash command."""
        ...


class NoLog:
    """Keeps nothing: for replays, probes and tests."""

    def user(self, turn_id: str, at: datetime, text: str) -> None:
        """Nothing."""

    def assistant(self, at: datetime, text: str, reply_to: str, *, interrupted: bool = False) -> None:
        """Nothing."""

    def mind(self, at: datetime, call: str, for_: str | Sequence[str], response: Mapping[str, Any], model: str) -> None:
        """Nothing."""

    def command(self, at: datetime, text: str) -> None:
        """Nothing."""
