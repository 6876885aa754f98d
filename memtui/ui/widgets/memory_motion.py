"""Motion of the panel's rows: a glow that calms, a row that fades before it leaves. A timer runs only while one does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from textual.timer import Timer
from textual.widget import Widget

from memtui.clock import monotonic
from memtui.ui.widgets.memory_paint import STEPS

LASTS_S: Final = 1.0
"""Seconds a glow or a fade takes."""
_STEP_S: Final = LASTS_S / (STEPS * 2)


class Motion:
    """Which rows glow and which are leaving, by row number.

    Attributes:
        seconds: where durations come from (a test puts its own here).
        leaving: row -> the second it began to fade.
    """

    def __init__(self, widget: Widget, moved: Callable[[list[int]], None]) -> None:
        """`moved` is called at every step with the rows whose fading is over."""
        self.seconds: Callable[[], float] = monotonic
        self.leaving: dict[int, float] = {}
        self._glowing: dict[int, float] = {}
        self._widget = widget
        self._moved = moved
        self._timer: Timer | None = None

    @property
    def running(self) -> bool:
        """Whether a timer runs."""
        return self._timer is not None

    def glow(self, rows: Iterable[int]) -> None:
        """Let `rows`, and only they, glow from now on."""
        now = self.seconds()
        self._glowing = dict.fromkeys(rows, now)
        self._start()

    def leave(self, rows: Iterable[int]) -> None:
        """Let `rows` begin to fade; those that already do go on."""
        now = self.seconds()
        for row in rows:
            self.leaving.setdefault(row, now)
        self._start()

    def stay(self, row: int) -> None:
        """`row` does not leave after all."""
        self.leaving.pop(row, None)

    def clear(self) -> list[int]:
        """Stop everything; returns the rows that were leaving."""
        gone = list(self.leaving)
        self.leaving.clear()
        self._glowing.clear()
        self._stop()
        return gone

    def glow_of(self, row: int) -> int:
        """How bright a row glows: 0..`STEPS`."""
        since = self._glowing.get(row)
        return 0 if since is None else max(0, STEPS - int((self.seconds() - since) / LASTS_S * STEPS))

    def fade_of(self, row: int) -> int:
        """How far a leaving row has faded: 0..`STEPS`."""
        since = self.leaving.get(row)
        return 0 if since is None else min(STEPS, 1 + int((self.seconds() - since) / LASTS_S * STEPS))

    def step(self) -> None:
        """Take note of the time: ends what is over, tells the widget, and stops the timer when nothing moves."""
        now = self.seconds()
        self._glowing = {row: since for row, since in self._glowing.items() if now - since < LASTS_S}
        gone = [row for row, since in self.leaving.items() if now - since >= LASTS_S]
        for row in gone:
            del self.leaving[row]
        if not self._glowing and not self.leaving:
            self._stop()
        self._moved(gone)

    def _start(self) -> None:
        if self._timer is None and (self._glowing or self.leaving) and self._widget.is_attached:
            self._timer = self._widget.set_interval(_STEP_S, self.step)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
