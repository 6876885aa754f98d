"""The time-warp slider: one line that is the clock.

Left of now lies the past with its turns and sleeps, right of it the next forty days on a logarithmic scale. Moving it ahead
only previews; letting go (or Enter) commits. Moving it back looks at memory as it was; it stays there until it is moved
back to now. Escape goes back to now from either side. The widget knows no store and no clock: it is told what to show and
posts messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.message import Message
from textual.timer import Timer

from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.timeline_face import TimelineFace
from memtui.ui.widgets.timeline_keys import TIMELINE_CSS, TIMELINE_KEYS
from memtui.ui.widgets.timeline_scale import FUTURE_H, leaped, moved_days, stepped, typed_hours
from memtui.ui.widgets.timeline_view import mark_moment

PREVIEW_EVERY_S: Final = 1 / 50
"""Seconds between two previews at most: a mouse reports faster than any panel should recompute."""


class Timeline(TimelineFace, can_focus=True):
    """The slider; 1 line high on a low terminal, 2 on a higher one, 3 when it was also given a forecast.

    Keys: left/right a round step, with shift or ctrl to the next landmark, page up/down a day, up/down to what happened in
    the past, home/end, digits for days (`12`, or `90m`, `3h`, `2w`, `-3d`), Enter commits, Escape returns to now. Wheel,
    click and drag do the same.
    """

    ALLOW_SELECT = False
    help_name: ClassVar[str] = "time line"
    DEFAULT_CSS = TIMELINE_CSS
    BINDINGS: ClassVar[list[BindingType]] = TIMELINE_KEYS

    @dataclass
    class Previewed(Message):
        """The slider moved; nothing is done yet. `hours` ahead of now, 0..`FUTURE_H`."""

        hours: float

    @dataclass
    class Committed(Message):
        """The person let go: go `hours` ahead (above 0). The slider stays there until `end_warp` or `set_hours`."""

        hours: float

    @dataclass
    class LookedBack(Message):
        """The slider stands in the past, at `at_us` (microseconds UTC); `held` while it is dragged on."""

        at_us: int
        held: bool

    class GoBackRefused(Message):
        """Enter in the past: time does not run backwards."""

    class Cancelled(Message):
        """A preview ended and nothing is to be done; the slider is back at now."""

    class CancelRequested(Message):
        """Escape while a warp runs."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._dragging = False
        self._typed = ""
        self._unsent = False
        self._pace: Timer | None = None

    # What it shows; none of these posts a message.

    def set_hours(self, hours: float) -> None:
        """Stand `hours` ahead (kept within 0..`FUTURE_H`) without a message."""
        self._typed = ""
        self._stand_at(None)
        self._show(hours=min(max(hours, 0.0), FUTURE_H), outcome=self._view.outcome if hours > 0 else None)

    def show_warp(self, fraction: float, text: str) -> None:
        """A warp to where the slider stands is running: the share done (0..1) and what is being done."""
        self._stop_dragging()
        self._show(warp=(fraction, text))

    def end_warp(self) -> None:
        """The warp is over (done or cancelled): back to now, which may be a new now."""
        self._typed = ""
        self._stand_at(None)
        self._show(hours=0.0, outcome=None, warp=None)

    # What the person does.

    def action_step(self, direction: int) -> None:
        """A round step ahead or back."""
        self._move_by(lambda hours: stepped(hours, direction, self._reach))

    def action_leap(self, direction: int) -> None:
        """To the next landmark ahead or back."""
        self._move_by(lambda hours: leaped(hours, direction, self._reach))

    def action_days(self, days: int) -> None:
        """So many days ahead or back."""
        self._move_by(lambda hours: moved_days(hours, days, self._reach))

    def action_jump(self, where: str) -> None:
        """To `now` or the far `end`."""
        self._move_by(lambda _: FUTURE_H if where == "end" else 0.0)

    def action_happening(self, direction: int) -> None:
        """To the last thing that happened before where the slider stands, or to the next one; behind the last is now."""
        import numpy as np

        if self._happened is None or self._view.warp is not None or self._view.hours > 0:
            return
        at = self._now_us if self._then_us is None else self._then_us
        place = int(np.searchsorted(self._happened, at, "left" if direction < 0 else "right")) - (direction < 0)
        if place >= len(self._happened) or int(self._happened[max(place, 0)]) >= self._now_us:
            self._move_by(lambda _: 0.0)
        elif place >= 0:
            self._typed = ""
            self.look_at(int(self._happened[place]))

    def look_at(self, then_us: int) -> None:
        """Stand at a moment of the past and say so."""
        if self._view.warp is None and then_us != self._then_us:
            self._stand_at(then_us)
            self._show(hours=self._hours_of(then_us))
            self._say()

    def action_commit(self) -> None:
        """Go where the slider stands."""
        if self._then_us is not None:
            self.post_message(self.GoBackRefused())
            return
        if not self.previewing:
            raise SkipAction
        self._stop_dragging()
        self._stop_pace()
        self._typed = ""
        self.post_message(self.Committed(self._view.hours))

    def action_cancel(self) -> None:
        """Back to now; while a warp runs, ask for its end. At now the key goes on to whoever else wants it."""
        if self._view.warp is not None:
            self.post_message(self.CancelRequested())
            return
        if not self._view.hours and not self._dragging:
            raise SkipAction
        self._stop_dragging()
        self._back_to_now()

    def on_key(self, event: events.Key) -> None:
        """Digits and their unit set the time outright; any other key ends the typing."""
        key = event.character if event.is_printable else event.key
        typed = self._typed[:-1] if key == "backspace" else "-" if key == "-" else self._typed + (key or "")
        hours = typed_hours(typed, self._reach) if typed else 0.0
        if hours is None or self._view.warp is not None or not (self._typed or typed):
            self._typed = ""
            return
        event.stop()
        event.prevent_default()
        # A unit ends what is typed: the next digit begins anew.
        self._move_to(hours)
        self._typed = typed if typed[-1:].isdigit() or typed == "-" else ""

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A press on the track takes the handle there; a press on what the field says does what it says."""
        if event.button != 1 or self._layout is None or self._view.warp is not None:
            return
        event.stop()
        if event.x >= self._layout.field_start and self._layout.field:
            if self._then_us is not None:
                self._back_to_now()
            elif self.previewing:
                self.action_commit()
            return
        if event.x >= self._layout.track_start - 1:
            self.capture_mouse()
            self._dragging = True
            self._drag_to(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A drag previews."""
        if self._dragging:
            event.stop()
            self._drag_to(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Letting go commits, at now it cancels; in the past it stays there."""
        if not self._dragging:
            return
        event.stop()
        self._drag_to(event.x)
        self._stop_dragging()
        if self._then_us is not None:
            self._stop_pace()
            self.post_message(self.LookedBack(self._then_us, False))
        elif self._view.hours > 0:
            self.action_commit()
        else:
            self._back_to_now()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel steps ahead; it previews only."""
        self._wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel steps back."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        event.stop()
        if event.shift or event.ctrl:
            self.action_leap(direction)
        else:
            self.action_step(direction)

    def _drag_to(self, x: int) -> None:
        if self._layout is None:
            return
        cell = x - self._layout.track_start
        marked = mark_moment(self._layout.scale, self._now_us, self._moments, self._view.marks, cell)
        if marked is not None:
            self.look_at(marked)
        else:
            self._move_to(self._layout.scale.round_hours_at(cell))

    def _move_by(self, move: Callable[[float], float]) -> None:
        self._typed = ""
        self._move_to(move(self._view.hours))

    def _move_to(self, hours: float) -> None:
        """Stand there and say so; the past reaches as far back as anything happened."""
        hours = max(hours, -self._reach) + 0.0
        if self._view.warp is not None or abs(hours - self._view.hours) < 1e-9:
            return
        if hours < 0:
            self.look_at(self._now_us + round(hours * HOUR_US))
            return
        self._stand_at(None)
        self._show(hours=hours, outcome=self._view.outcome if hours > 0 else None)
        self._say()

    def _stand_at(self, then_us: int | None) -> None:
        if (then_us is None) != (self._then_us is None):
            self._show(outcome=None)  # that of the other side
            self.set_class(then_us is not None, "-past")
        self._then_us = then_us

    def _say(self) -> None:
        """Post where it stands, at most `1 / PREVIEW_EVERY_S` times a second; the last place is always said."""
        if self._pace is None:
            self._send_preview()
        else:
            self._unsent = True

    def _send_preview(self) -> None:
        self._unsent = False
        self._pace = self.set_timer(PREVIEW_EVERY_S, self._paced)
        if self._then_us is not None:
            self.post_message(self.LookedBack(self._then_us, self._dragging))
        else:
            self.post_message(self.Previewed(self._view.hours))

    def _paced(self) -> None:
        self._pace = None
        if self._unsent:
            self._send_preview()

    def _stop_pace(self) -> None:
        if self._pace is not None:
            self._pace.stop()
            self._pace = None
        self._unsent = False

    def _back_to_now(self) -> None:
        self._stop_pace()
        self.set_hours(0.0)
        self.post_message(self.Cancelled())

    def _stop_dragging(self) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def on_focus(self) -> None:
        """Say which keys work."""
        self._show(focused=True)

    def on_blur(self) -> None:
        """Typing ends; a preview stays, so that the panel can be looked through."""
        self._typed = ""
        self._show(focused=False)
