"""The log a companion writes to, with the recorder behind it exchangeable: another chat, the same companion."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memtui.sessions.record import Recorder


class SessionLog:
    """A `TurnLog` over the recorder of the chat that is open.

    One writer at a time: a turn that waits is written down from another thread than the one that runs. A chat begins with
    what the user says: commands before that are written behind it, and what the mind thought before (of a night's memories)
    belongs to no chat; so an empty chat leaves no file.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._lock = threading.Lock()
        self._held: list[tuple[datetime, str]] = []

    def exchange(self, recorder: Recorder) -> None:
        """Go on writing to `recorder`; the one before is closed."""
        with self._lock:
            before, self.recorder = self.recorder, recorder
            self._held.clear()
            before.close()

    def user(self, turn_id: str, at: datetime, text: str) -> None:
        """A user turn, before anything can fail."""
        with self._lock:
            self.recorder.user(turn_id, at, text)
            held, self._held = self._held, []
            for earlier, command in held:
                self.recorder.command(earlier, command)

    def assistant(self, at: datetime, text: str, reply_to: str, *, interrupted: bool = False) -> None:
        """The reply that was given, as far as it got."""
        with self._lock:
            self.recorder.assistant(at, text, reply_to, interrupted=interrupted)

    def mind(self, at: datetime, call: str, for_: str | Sequence[str], response: Mapping[str, Any], model: str) -> None:
        """A typed result of a mind's call."""
        with self._lock:
            if self.recorder.header is not None:
                self.recorder.mind(at, call, for_, response, model)

    def command(self, at: datetime, text: str) -> None:
        """What the user did besides talking."""
        with self._lock:
            if self.recorder.header is None:
                self._held.append((at, text))
            else:
                self.recorder.command(at, text)

    def rename(self, title: str) -> None:
        """Give the open chat another title."""
        with self._lock:
            self.recorder.rename(title)

    def close(self) -> None:
        """Write what could not be written before, if that works now, and let others write the file."""
        with self._lock:
            self.recorder.close()
