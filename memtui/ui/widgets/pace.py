"""At most one call in a while: for parts of the screen that need not follow every tick of a fast clock."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget


class Pace:
    """Calls `callback` at once when asked, then not again for `interval` seconds; the last asking is never lost.

    The timer belongs to `widget` and exists only for `interval` seconds after a call.
    """

    def __init__(self, widget: Widget, interval: float, callback: Callable[[], None]) -> None:
        self._widget = widget
        self._interval = interval
        self._callback = callback
        self._timer: Timer | None = None
        self._pending = False

    def ask(self) -> None:
        """Call now, or when the interval since the last call is over."""
        if self._timer is not None:
            self._pending = True
            return
        self._callback()
        self._timer = self._widget.set_timer(self._interval, self._lapse)

    def at_once(self) -> None:
        """Call now whatever the interval says; what was pending is thereby done."""
        self._pending = False
        self._callback()

    def _lapse(self) -> None:
        self._timer = None
        if self._pending:
            self._pending = False
            self.ask()
