"""A replay without a screen, and the final state as other programs rely on it (FORMATS)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import InputError
from memtui.locations import home
from memtui.memory.model import KINDS
from memtui.sessions.beats import Beat, beats_of
from memtui.sessions.format import read_session
from memtui.sessions.lines import Session
from memtui.sessions.record import save_session
from memtui.sessions.replay import LinePlayed, play_beat
from memtui.sessions.stage import replay_companion, start_of

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress
    from memtui.memory.state import State


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a replay ended with; the keys are FORMATS'.

    Attributes:
        by_kind: active memories by kind.
        sleeps: sleep passes that count (undone ones do not).
        state_hash: over every field of every memory: equal hashes, equal memories.
    """

    title: str
    turns: int
    memories_active: int
    memories_retired: int
    by_kind: dict[str, int]
    sleeps: int
    state_hash: str

    def to_json(self) -> dict[str, Any]:
        """The JSON document of `memtui replay --headless --json`."""
        return asdict(self)


async def replay_headless(
    path: str | Path, settings: Settings | None = None, *, keep: Path | None = None, progress: Progress | None = None
) -> ReplayResult:
    """Play a session file from beginning to end and say what memory holds then.

    Args:
        settings: the law, recall and sleep to play by; as shipped, whatever the environment says, when None.
        keep: a folder that is empty or not there yet: the played memory is left in it as a home.

    Raises:
        SessionFormatError: the file breaks its format.
        InputError: `keep` holds something.
    """
    session = await asyncio.to_thread(read_session, path)
    if keep is not None:
        await asyncio.to_thread(_must_be_empty, keep)
    companion = await replay_companion(session, SimClock.frozen(start_of(session)), settings, keep=keep)
    try:
        await play_all(companion, beats_of(session), progress)
        if keep is not None:
            await asyncio.to_thread(save_session, session, home(keep).sessions)
            await _live_on(companion)
        return result_of(session, companion.store.state)
    finally:
        await companion.close()


def _must_be_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder.", safe="Nothing was written.", todo="Name a new one.")


async def play_all(companion: Companion, beats: Sequence[Beat], progress: Progress | None = None) -> list[LinePlayed]:
    """Play beats without waiting; what each came to.

    Raises:
        MemtuiError: memory or mind failed; nobody watches, so half a replay must not pass for a whole one. What a session
            itself says wrongly (a command about a memory that is not there) is only noted in its `LinePlayed`.
    """
    played: list[LinePlayed] = []
    for beat in beats:
        if progress is not None:
            progress(beat.index / len(beats), f"{beat.line.at:%d %b %Y}")
        async for event in play_beat(companion, beat):
            if isinstance(event, LinePlayed):
                _must_have_worked(event)
                played.append(event)
    if progress is not None:
        progress(1.0, "played")
    return played


def _must_have_worked(event: LinePlayed) -> None:
    from memtui.chat.steps import Failed

    problems = [step.error for step in event.steps if isinstance(step, Failed)]
    problems += [event.problem] if event.problem is not None else []
    for problem in problems:
        if not isinstance(problem, InputError):
            raise problem


def result_of(session: Session, state: State) -> ReplayResult:
    """The result of a replay that ended in `state`."""
    from memtui.memory.state import state_hash

    undone = state.undone()
    kinds = Counter(memory.kind for memory in state.active())
    return ReplayResult(
        title=session.header.title,
        turns=len(session.user_turns),
        memories_active=len(state.active()),
        memories_retired=len(state.retired()),
        by_kind={kind.value: kinds[kind] for kind in KINDS},
        sleeps=sum(event.block not in undone for event in state.sleeps),
        state_hash=state_hash(state),
    )


async def _live_on(companion: Companion) -> None:
    """Let a kept home go on from the session's end in real time: its clock stands there when it is opened next."""
    end = companion.clock.now()
    companion.clock = SimClock()
    companion.clock.jump_to(end)
    await companion.set_rate(1.0)
