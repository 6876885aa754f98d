"""What the time line shows of the past: moments of turns, recalls, retirements and sleep passes, read off the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.memory.moments import to_us
from memtui.ui.widgets.timeline_view import Mark

if TYPE_CHECKING:
    from memtui.memory.events import Event

_MARKS = {"turned": Mark.TURN, "recalled": Mark.RECALL, "retired": Mark.RETIREMENT, "slept": Mark.SLEEP}
"""By the type of the event."""
_UNSEEN = frozenset({"judged", "warped"})
"""What changes nothing that the past shows."""


class EventMarks:
    """Moments by mark (microseconds UTC), kept up with a ledger that only grows; each event is looked at once.

    Attributes:
        happened: the moments at which anything happened to memory, marked or not.
    """

    def __init__(self) -> None:
        self.moments: dict[Mark, list[int]] = {mark: [] for mark in Mark}
        self.happened: list[int] = []
        self._seen = 0

    def take(self, events: Sequence[Event]) -> bool:
        """Take in the events that came since the last time; whether there were marks among them."""
        new = False
        for position in range(self._seen, len(events)):
            event = events[position]
            if event.body.type in _UNSEEN:
                continue
            at = to_us(event.at)
            if not self.happened or self.happened[-1] != at:
                self.happened.append(at)
                new = True
            mark = _MARKS.get(event.body.type)
            if mark is None:
                continue
            moments = self.moments[mark]
            if not moments or moments[-1] != at:  # a sleep pass retires many at one moment
                moments.append(at)
                new = True
        self._seen = len(events)
        return new
