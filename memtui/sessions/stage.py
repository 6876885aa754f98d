"""Where a replay plays: a memory of its own, a clock without real time, the mind the session recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.chat.opening import open_companion, scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.locations import home
from memtui.memory.model import Candidate, Label, Summary, Verdict
from memtui.minds.base import Delta, Message, PairText, PartStatus, Prompt
from memtui.sessions.lines import Session

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.minds.base import Mind

SESSION_ID = "replay"
"""Named in the events of every replay, so that two replays of a file give the same memories."""


def default_settings() -> Settings:
    """The settings as they ship, whatever the user's file and environment say: what a session was written for."""
    return Settings.model_construct()


def start_of(session: Session) -> datetime:
    """The moment a replay's clock stands at first."""
    return session.lines[0].at if session.lines else datetime(2026, 1, 1, tzinfo=UTC)


def recorded_mind(session: Session, fallback: Mind | None = None) -> Mind:
    """The session's recorded calls; in a session without any, `fallback` (the offline mind) thinks."""
    from memtui.minds.offline.mind import OfflineMind
    from memtui.minds.recorded import RecordedMind

    thinking = fallback or OfflineMind()
    return RecordedMind(session.mind_calls, QuietNights(thinking)) if session.mind_calls else thinking


class QuietNights:
    """A fallback that decides nothing in sleep: in a recorded session, what is not recorded did not happen.

    Verdicts that change nothing are not recorded; a mind that thought of those pairs anew could retire what the session
    kept.
    """

    local = True

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.label = mind.label
        self.judging = mind.judging
        self.embedder = mind.embedder
        self.slot_reader = mind.slot_reader

    def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The mind's reply."""
        return self.mind.reply(prompt)

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """What the mind finds."""
        return await self.mind.extract(text, now, recent)

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """Unrelated, all of them."""
        return [Verdict("", Label.UNRELATED) for _ in pairs]

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """None: what was not merged then is not merged now."""
        return None

    async def check(self) -> list[PartStatus]:
        """The mind's parts."""
        return await self.mind.check()

    async def aclose(self) -> None:
        """Close the mind."""
        await self.mind.aclose()


async def replay_companion(
    session: Session,
    clock: SimClock,
    settings: Settings | None = None,
    *,
    keep: Path | None = None,
    fallback: Mind | None = None,
) -> Companion:
    """A companion for a replay of `session`, over a scratch store, or over a new home in the folder `keep`."""
    chosen = settings or default_settings()
    mind = await asyncio.to_thread(recorded_mind, session, fallback)
    if keep is None:
        return await asyncio.to_thread(scratch_companion, chosen, clock, mind, session_id=SESSION_ID)
    alone = chosen.model_copy(update={"store": ""})  # never the store the user's settings name
    return await open_companion(alone, home(keep), clock=clock, session_id=SESSION_ID, mind=mind)
