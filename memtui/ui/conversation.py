"""One chat from the screen's side, without a screen: it opens the companion, lets turns wait their turn, and ends well.

Turns typed before the store is open, or while a reply is being written, are written to the session at once and asked in
order. Whoever watches implements `Watcher`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from memtui.clock import SimClock
from memtui.errors import InputError, MemtuiError
from memtui.memory.ids import make_id
from memtui.memory.texts import clean

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Step
    from memtui.minds.base import Message
    from memtui.sessions.format import Session
    from memtui.sessions.record import Recorder
    from memtui.ui.session_log import SessionLog

Opener: TypeAlias = "Callable[[SimClock, SessionLog, str], Awaitable[Companion]]"
"""Opens the companion over a clock, a log and a session id."""

PATIENCE_S: Final = 1.0
"""Seconds that what still runs may take to end when the program is left; then it is broken off."""


class Watcher(Protocol):
    """Who is told what happens."""

    def opened(self, companion: Companion) -> None:
        """Memory is there."""
        ...

    def opening_failed(self, error: MemtuiError) -> None:
        """Memory can't be opened; turns wait."""
        ...

    def waits(self, text: str, in_front: int) -> None:
        """A turn was written down and waits behind `in_front` others (or for the store)."""
        ...

    def begins(self, text: str, again: bool) -> None:
        """A turn is being asked."""
        ...

    def stepped(self, step: Step) -> None:
        """A step of the running turn."""
        ...

    def ended(self, broken_off: bool) -> None:
        """The running turn is over; `broken_off` when it had to be cancelled."""
        ...

    def broke(self, error: BaseException) -> None:
        """The running turn ended by what is no error of ours: a bug."""
        ...

    def not_saved(self, error: MemtuiError) -> None:
        """A turn that waits could not be written to disk."""
        ...


@dataclass
class _Asked:
    """A turn to ask."""

    text: str
    turn_id: str | None = None
    again: bool = False


class Conversation:
    """A chat that goes on whatever the store, the mind or the disk does.

    Attributes:
        companion: None until the store is open.
        last: the last turn that was asked, for a retry.
    """

    def __init__(self, opener: Opener, sessions: Path, clock: SimClock, watcher: Watcher, *, mind_label: str | None) -> None:
        self.companion: Companion | None = None
        self.last: _Asked | None = None
        self._opener = opener
        self._sessions = sessions
        self._clock = clock
        self._watcher = watcher
        self._mind_label = mind_label
        self._log: SessionLog | None = None
        self._waiting: deque[_Asked] = deque()
        self._running: asyncio.Task[None] | None = None
        self._said: list[str] = []
        self._opening = False
        self._count = 0

    @property
    def log(self) -> SessionLog:
        """Where the chat is recorded; made at first use, so that a first paint does not wait for it."""
        if self._log is None:
            from memtui.ui.session_log import SessionLog

            self._log = SessionLog(self._new_recorder())
        return self._log

    # -- opening ---------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the companion; then ask what was said meanwhile. A failure is told to the watcher, not raised."""
        if self._opening or self.companion is not None:
            return
        self._opening = True
        try:
            companion = await self._opener(self._clock, self.log, self._session_id())
        except MemtuiError as error:
            self._watcher.opening_failed(error)
            return
        finally:
            self._opening = False
        self.companion = companion
        self._clock = companion.clock
        self._watcher.opened(companion)
        self._go_on()

    @property
    def opening(self) -> bool:
        """Whether the store is being opened now."""
        return self._opening

    # -- talking ---------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a turn is being asked."""
        return self._running is not None

    @property
    def waiting(self) -> int:
        """Turns that wait."""
        return len(self._waiting)

    async def submit(self, text: str) -> None:
        """Ask a turn, or let it wait behind others; one that waits is on disk when this returns."""
        asked = _Asked(text)
        if self.companion is not None and not self.busy and not self._waiting:
            self._waiting.append(asked)
            self._go_on()
            return
        self._count += 1
        asked.turn_id = make_id(self._clock.now(), "turn", self._session_id(), text, self._count)
        in_front = len(self._waiting) + (1 if self.busy else 0)
        self._waiting.append(asked)
        self._watcher.waits(text, in_front)
        if not clean(text).strip():
            return
        try:
            await asyncio.to_thread(self.log.user, asked.turn_id, self._clock.now(), text)
        except MemtuiError as error:
            self._watcher.not_saved(error)

    def retry(self) -> None:
        """Ask again for the last turn's reply.

        Raises:
            InputError: there is none, or one is being written.
        """
        if self.busy:
            raise InputError("A reply is being written.", todo="Press escape to stop it, then ask again.")
        if self.last is None or self.companion is None:
            raise InputError("There is no turn to ask again.", todo="Say something first.")
        self._waiting.appendleft(_Asked(self.last.text, self.last.turn_id, again=True))
        self._go_on()

    def stop(self) -> bool:
        """End the running reply early; asked a second time, break the turn off wherever it is. True if one ran.

        A reply that is stopped is followed by taking in what the turn told, as always; a turn that is broken off is not
        taken in before it is asked again.
        """
        if self._running is None or self.companion is None:
            return False
        if self.companion.stopping:
            self._running.cancel()
        self.companion.stop()
        return True

    def _go_on(self) -> None:
        if self._running is None and self._waiting and self.companion is not None:
            self._running = asyncio.create_task(self._ask(self.companion, self._waiting.popleft()), name="turn")
            self._running.add_done_callback(self._done)

    async def _ask(self, companion: Companion, asked: _Asked) -> None:
        from memtui.chat.steps import Heard, Replied, Said

        self.last = asked
        self._said.clear()
        self._watcher.begins(asked.text, asked.again)
        async with contextlib.aclosing(companion.turn(asked.text, turn_id=asked.turn_id, again=asked.again)) as steps:
            async for step in steps:
                if isinstance(step, Heard):
                    asked.turn_id = step.turn_id
                    self._name_session(companion)
                elif isinstance(step, Said) and not step.delta.thinking:
                    self._said.append(step.delta.text)
                elif isinstance(step, Replied):
                    self._said.clear()
                self._watcher.stepped(step)

    def _done(self, task: asyncio.Task[None]) -> None:
        from memtui.chat.steps import Failed

        self._running = None
        error = None if task.cancelled() else task.exception()
        if task.cancelled():
            self._keep_partial()
        elif isinstance(error, MemtuiError):
            self._watcher.stepped(Failed(error, "turn"))
        self._watcher.ended(task.cancelled())
        if error is not None and not isinstance(error, MemtuiError):
            self._watcher.broke(error)
            return
        self._go_on()

    def _keep_partial(self) -> None:
        """What a broken-off reply had said so far goes to the session and the history, marked as interrupted."""
        text = clean("".join(self._said)).strip()
        if not text or self.companion is None or self.last is None or self.last.turn_id is None:
            return
        from memtui.minds.base import Message

        self.companion.history.append(Message("assistant", text))
        with contextlib.suppress(MemtuiError):  # it stays in the log's unsaved lines and is tried again
            self.log.assistant(self._clock.now(), text, self.last.turn_id, interrupted=True)
        self._said.clear()

    # -- other chats -----------------------------------------------------------------------------------------------

    async def resume(self, path: Path) -> Session:
        """Go on with an earlier chat; returns what stands in it.

        Raises:
            InputError: a reply is being written, or the file breaks its format.
            StoreError: it is open elsewhere, or can't be written.
        """
        from memtui.sessions.format import read_session
        from memtui.sessions.record import Recorder
        from memtui.ui.history import history_of

        self._must_be_free()
        recorder = await asyncio.to_thread(Recorder.resume, path)
        session = await asyncio.to_thread(read_session, path)
        await asyncio.to_thread(self.log.exchange, recorder)
        self._begin(path.stem, history_of(session))
        if session.user_turns:
            turn = session.user_turns[-1]
            self.last = _Asked(turn.text, turn.id)
        return session

    async def new(self) -> None:
        """Begin a new chat; memory stays.

        Raises:
            InputError: a reply is being written.
        """
        self._must_be_free()
        await asyncio.to_thread(self.log.exchange, self._new_recorder())
        self._begin(self._session_id(), [])

    def _begin(self, session_id: str, history: list[Message]) -> None:
        self.last = None
        if self.companion is not None:
            self.companion.session_id = session_id
            self.companion.history[:] = history

    def _must_be_free(self) -> None:
        if self.busy or self._waiting:
            raise InputError("A reply is being written.", safe="Nothing was changed.", todo="Press escape first, or wait.")
        if self.companion is None:
            raise InputError("Memory is still being opened.", safe="Nothing was changed.", todo="Try again in a moment.")

    # -- ending ----------------------------------------------------------------------------------------------------

    async def close(self, patience_s: float = PATIENCE_S) -> None:
        """End the running turn, close store and session. Turns that wait are on disk. Takes about `patience_s` seconds."""
        self._waiting.clear()
        running = self._running
        if running is not None:
            if self.companion is not None:
                self.companion.stop()
            await asyncio.wait({running}, timeout=patience_s / 2)
            running.cancel()
            await asyncio.wait({running}, timeout=patience_s / 2)
        companion, self.companion = self.companion, None
        if companion is not None:
            with contextlib.suppress(TimeoutError, MemtuiError):
                await asyncio.wait_for(companion.close(), patience_s)
        await asyncio.to_thread(self.log.close)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _new_recorder(self) -> Recorder:
        from memtui.sessions.record import Recorder

        return Recorder(self._sessions, mind=self._mind_label)

    def _session_id(self) -> str:
        path = self.log.recorder.path
        return path.stem if path is not None else ""

    def _name_session(self, companion: Companion) -> None:
        companion.session_id = self._session_id() or companion.session_id
