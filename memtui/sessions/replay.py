"""Playing a session again, on a memory of its own.

A `Player` feeds a session's turns and commands to a companion over a scratch store, with a clock that stands at each line's
own moment and never looks at real time, and with the mind calls the session recorded. So a replay needs no model and two
replays of a file give the same memories. Nights between two lines are slept as they would have been.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from memtui.chat.nights import nights_between
from memtui.clock import SimClock
from memtui.errors import MemtuiError
from memtui.sessions.beats import Beat, beats_of, seconds_between
from memtui.sessions.lines import AssistantTurn, CommandLine, Probe, Session, UserTurn
from memtui.sessions.stage import replay_companion, start_of

if TYPE_CHECKING:
    from memtui.chat.commands import CommandResult
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress, Step, WarpReport
    from memtui.memory.recall import Recollection

MakeCompanion: TypeAlias = "Callable[[Session, SimClock], Awaitable[Companion]]"
"""Makes the companion a replay plays on: a fresh memory, that clock, the session's recorded calls."""
Delay: TypeAlias = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Restarted:
    """The player begins (again) with an empty memory: whoever shows it takes `companion` from here on."""

    companion: Companion


@dataclass(frozen=True, slots=True)
class NightsSlept:
    """Nights went by in front of beat `index`."""

    index: int
    report: WarpReport


@dataclass(frozen=True, slots=True)
class LineStarted:
    """Beat `index` begins; `line` can be shown already."""

    index: int
    line: UserTurn | AssistantTurn | CommandLine | Probe


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A step of the turn at beat `index`, as it happens."""

    index: int
    step: Step


@dataclass(frozen=True, slots=True)
class LinePlayed:
    """Beat `index` is over.

    Attributes:
        steps: of a user turn.
        result: of a command.
        recollection: of a probe.
        problem: why a command or probe did not work; the replay goes on.
    """

    index: int
    line: UserTurn | AssistantTurn | CommandLine | Probe
    steps: tuple[Step, ...] = ()
    result: CommandResult | None = None
    recollection: Recollection | None = None
    problem: MemtuiError | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The last beat was played."""

    beats: int


PlayerEvent: TypeAlias = Restarted | NightsSlept | LineStarted | StepTaken | LinePlayed | Finished


class Player:
    """Plays one session: `async for event in player` until it is finished or closed.

    `play`, `pause`, `step`, `seek`, `set_speed` and `stop` may be called at any time from the same loop; they take effect
    between two beats. The companion is replaced on a seek backwards (`Restarted` says so).

    Attributes:
        beats: what there is to play.
        position: how many beats were played.
        speed: 1 is a comfortable reading pace.
        playing: False while paused.
    """

    def __init__(
        self,
        session: Session,
        make: MakeCompanion | None = None,
        *,
        speed: float = 1.0,
        playing: bool = True,
        delay: Delay = asyncio.sleep,
    ) -> None:
        """A player standing in front of the first beat.

        Args:
            make: makes the companion; a scratch store with the session's recorded mind by default.
            delay: waits real seconds (tests pass their own).
        """
        self.session = session
        self.beats = beats_of(session)
        self.position = 0
        self.speed = max(0.01, speed)
        self.playing = playing
        self._make = make or _on_scratch
        self._delay = delay
        self._companion: Companion | None = None
        self._target: int | None = None
        self._steps = 0
        self._closed = False
        self._changed = asyncio.Event()

    @property
    def companion(self) -> Companion | None:
        """The memory being played on; None before the first event."""
        return self._companion

    @property
    def now(self) -> datetime | None:
        """Simulated moment of the last beat played; None at the start."""
        return self.beats[self.position - 1].line.at if self.position else None

    def play(self) -> None:
        """Go on."""
        self.playing = True
        self._changed.set()

    def pause(self) -> None:
        """Stop behind the present beat."""
        self.playing = False
        self._changed.set()

    def step(self) -> None:
        """Play one more beat, paused or not, without waiting."""
        self._steps += 1
        self._changed.set()

    def seek(self, index: int) -> None:
        """Stand in front of beat `index`, with the memory as it was then; going back plays from the start."""
        self._target = min(max(0, index), len(self.beats))
        self._changed.set()

    def set_speed(self, speed: float) -> None:
        """Change the pace (more than 0); 1 is a comfortable reading pace."""
        self.speed = max(0.01, speed)
        self._changed.set()

    def stop(self) -> None:
        """End the iteration behind the present beat."""
        self._closed = True
        self._changed.set()

    async def close(self) -> None:
        """Free the memory being played on."""
        self.stop()
        if self._companion is not None:
            companion, self._companion = self._companion, None
            await companion.close()

    async def __aiter__(self) -> AsyncGenerator[PlayerEvent, None]:
        """Everything that happens, as it happens; waits while paused, and at the end for a seek back or `stop`."""
        yield await self._restart()
        finished = False
        while not self._closed:
            if self._target is not None and self._target < self.position:
                yield await self._restart()
                finished = False
            if self.position < (self._target or 0):
                async for event in self._play_beat():
                    yield event
                await asyncio.sleep(0)
                continue
            self._target = None
            if self.position == len(self.beats):
                if not finished:
                    finished = True
                    self._steps = 0
                    yield Finished(len(self.beats))
                await self._wait_for_change()
                continue
            if await self._rest():
                async for event in self._play_beat():
                    yield event

    async def _rest(self) -> bool:
        """Wait until the next beat is due; False when something else was asked for meanwhile."""
        self._changed.clear()
        if self._steps:
            self._steps -= 1
            return True
        if not self.playing:
            await self._changed.wait()
            return False
        if self.position == 0:
            return True
        pause = seconds_between(self.beats[self.position - 1], self.beats[self.position], self.speed)
        waiting = asyncio.ensure_future(self._delay(pause))
        changed = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait((waiting, changed), return_when=asyncio.FIRST_COMPLETED)
            return waiting.done() and not self._closed and self._target is None
        finally:
            for task in (waiting, changed):
                task.cancel()

    async def _wait_for_change(self) -> None:
        if self._target is None and not self._closed:
            self._changed.clear()
            await self._changed.wait()

    async def _restart(self) -> Restarted:
        if self._companion is not None:
            await self._companion.close()
        self._companion = await self._make(self.session, SimClock.frozen(start_of(self.session)))
        self.position = 0
        return Restarted(self._companion)

    async def _play_beat(self) -> AsyncIterator[PlayerEvent]:
        beat, companion = self.beats[self.position], self._companion
        if companion is None:
            return
        async for event in play_beat(companion, beat):
            yield event
        self.position += 1


async def play_beat(companion: Companion, beat: Beat, progress: Progress | None = None) -> AsyncIterator[PlayerEvent]:
    """Play one beat on a companion: move its clock there (sleeping the nights between), then do what the line says."""
    from memtui.chat.commands import run_command

    line = beat.line
    slept = await _move_to(companion, line.at, progress)
    if slept is not None:
        yield NightsSlept(beat.index, slept)
    yield LineStarted(beat.index, line)
    match line:
        case UserTurn():
            steps: list[Step] = []
            given = beat.reply.text if beat.reply is not None else None
            async for step in companion.turn(line.text, given_reply=given, turn_id=line.id):
                steps.append(step)
                yield StepTaken(beat.index, step)
            yield LinePlayed(beat.index, line, tuple(steps))
        case CommandLine(text=text):
            try:
                yield LinePlayed(beat.index, line, result=await run_command(companion, text, progress))
            except MemtuiError as error:  # what a command named may be of another conversation's memory
                yield LinePlayed(beat.index, line, problem=error)
        case Probe(question=question):
            try:
                yield LinePlayed(beat.index, line, recollection=await companion.recall_for(question))
            except MemtuiError as error:
                yield LinePlayed(beat.index, line, problem=error)
        case AssistantTurn():
            yield LinePlayed(beat.index, line)


async def _on_scratch(session: Session, clock: SimClock) -> Companion:
    return await replay_companion(session, clock)


async def _move_to(companion: Companion, moment: datetime, progress: Progress | None) -> WarpReport | None:
    """Stand at `moment`; with nights between, they are slept and reported."""
    now = companion.clock.now()
    if companion.settings.sleep.nightly and nights_between(now, moment, 1):
        return await companion.warp_to(moment, progress)
    companion.clock.never_before(moment)
    return None
