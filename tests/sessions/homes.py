"""Companions and a chat that the tests of importing and exporting share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.errors import MindUnreachableError
from memtui.memory.model import Candidate
from memtui.minds.base import Message
from memtui.sessions.lines import AssistantTurn, CommandLine, Session, SessionHeader, UserTurn
from memtui.sessions.stage import default_settings
from tests.doubles import ScriptedMind, candidate

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class NamingMind(ScriptedMind):
    """Keeps statements as they are, fails when told to, and counts what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.fails_at: str | None = None

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        if self.fails_at is not None and self.fails_at in text:
            raise MindUnreachableError("no connection")
        self.asked.append(text)
        return [] if text.endswith("?") else [candidate(text, now)]


def companion_with(mind: ScriptedMind, now: datetime = NOW) -> Companion:
    return scratch_companion(default_settings(), SimClock.frozen(now), mind)


def a_chat() -> Session:
    at = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
    lines = (
        UserTurn("t1", at, "I live in Lisbon"),
        AssistantTurn(at, "Lisbon, noted.\n# not a heading", "t1"),
        CommandLine(at + timedelta(minutes=1), "/remember the door code is 2038"),
        CommandLine(at + timedelta(minutes=2), "/sleep"),
        UserTurn("t2", at + timedelta(minutes=3), "Where do I live?"),
    )
    return Session(Path("chat.jsonl"), SessionHeader("My [chat] about *moving*", "en"), lines)
