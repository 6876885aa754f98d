"""The time-warp slider: one line that is the clock.

Left of the handle lies the past with its turns and sleeps, right of it the next forty days on a logarithmic scale. Moving
it only previews; letting go (or Enter) commits; Escape goes back to now. The widget knows no store and no clock: it is
told what to show and posts messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from memtui.memory.moments import HOUR_US, to_us
from memtui.ui.widgets.timeline_scale import FUTURE_H, leaped, moved_days, stepped, typed_hours
from memtui.ui.widgets.timeline_view import Layout, Mark, Run, View, curve_runs, label_runs, layout, mark_cells, track_runs

if TYPE_CHECKING:
    from memtui.memory.frame import Ints

PREVIEW_EVERY_S: Final = 1 / 50
"""Seconds between two previews at most: a mouse reports faster than any panel should recompute."""
_TWO_LINES_FROM: Final = 30
_THREE_LINES_FROM: Final = 34


class Timeline(Widget, can_focus=True):
    """The slider; 1 line high on a low terminal, 2 on a higher one, 3 when it was also given a forecast.

    Keys: left/right a round step, with shift or ctrl to the next landmark, page up/down a day, home/end, digits for days
    (`12`, or `90m`, `3h`, `2w`), Enter commits, Escape returns to now. Wheel, click and drag do the same.
    """

    ALLOW_SELECT = False
    help_name: ClassVar[str] = "time line"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"timeline--{name}"
        for name in (
            *("label", "past", "turn", "recall", "retirement", "sleep", "now", "rail", "fill", "handle"),
            *("value", "outcome", "hint", "warp", "curve", "curve-passed"),
        )
    }
    DEFAULT_CSS = """
    Timeline {
        height: auto;
        width: 1fr;
        color: $text-muted;
        background: $background;
        & > .timeline--label { color: $text-muted; }
        & > .timeline--past { color: $text-disabled; }
        & > .timeline--turn { color: $text; text-style: bold; }
        & > .timeline--recall { color: $text; }
        & > .timeline--retirement { color: $text-error; }
        & > .timeline--sleep { color: $text-primary; }
        & > .timeline--now { color: $text; }
        & > .timeline--rail { color: $text-muted; }
        & > .timeline--fill { color: $accent; }
        & > .timeline--handle { color: $accent; text-style: bold; }
        & > .timeline--value { color: $accent; text-style: bold; }
        & > .timeline--outcome { color: $text-warning; text-style: bold; }
        & > .timeline--hint { color: $text-muted; text-style: italic; }
        & > .timeline--warp { color: $text-warning; text-style: bold; }
        & > .timeline--curve { color: $primary; }
        & > .timeline--curve-passed { color: $primary-muted; }
        &:focus { background: $surface; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "step(1)", "later", tooltip="A round step ahead, or back.", show=False),
        Binding("left", "step(-1)", "sooner", tooltip="A round step ahead, or back.", show=False),
        Binding(
            "shift+right,ctrl+right", "leap(1)", "far later", tooltip="To the next landmark, or the one before.", show=False
        ),
        Binding(
            "shift+left,ctrl+left", "leap(-1)", "far sooner", tooltip="To the next landmark, or the one before.", show=False
        ),
        Binding("pageup", "days(1)", "a day later", tooltip="A day ahead, or back.", show=False),
        Binding("pagedown", "days(-1)", "a day sooner", tooltip="A day ahead, or back.", show=False),
        Binding("home", "jump('now')", "now", tooltip="To now, or to the far end.", show=False),
        Binding("end", "jump('end')", "the far end", tooltip="To now, or to the far end.", show=False),
        Binding(
            "enter", "commit", "go there", tooltip="Go there. Digits set the time outright: 12, 90m, 3h, 2w.", show=False
        ),
        Binding("escape", "cancel", "back to now", tooltip="Back to now; stops a move under way.", show=False),
    ]

    @dataclass
    class Previewed(Message):
        """The slider moved; nothing is done yet. `hours` ahead of now, 0..`FUTURE_H`."""

        hours: float

    @dataclass
    class Committed(Message):
        """The person let go: go `hours` ahead (above 0). The slider stays there until `end_warp` or `set_hours`."""

        hours: float

    class Cancelled(Message):
        """A preview ended and nothing is to be done; the slider is back at now."""

    class CancelRequested(Message):
        """Escape while a warp runs."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._view = View()
        self._now_us = 0
        self._moments: dict[Mark, Ints] = {}
        self._past_hours = 0.0
        self._dies_us: Ints | None = None
        self._dragging = False
        self._typed = ""
        self._unsent = False
        self._pace: Timer | None = None
        self._layout: Layout | None = None

    # What it shows; none of these posts a message.

    @property
    def hours(self) -> float:
        """Where the slider stands: hours ahead of now, 0 at now."""
        return self._view.hours

    @property
    def previewing(self) -> bool:
        """Whether it stands ahead of now with nothing running."""
        return self._view.hours > 0 and self._view.warp is None

    def set_hours(self, hours: float) -> None:
        """Stand `hours` ahead (kept within 0..`FUTURE_H`) without a message."""
        self._typed = ""
        self._show(hours=min(max(hours, 0.0), FUTURE_H), outcome=self._view.outcome if hours > 0 else None)

    def set_past(self, now: datetime, moments: Mapping[Mark, Sequence[int]]) -> None:
        """Show the past up to `now`: microseconds UTC of turns, sleeps and what else is marked, in any order."""
        import numpy as np

        self._moments = {mark: np.sort(np.asarray(us, np.int64)) for mark, us in moments.items() if len(us)}
        self.set_now(now)

    def set_now(self, now: datetime) -> None:
        """Time went on: the past grows. Cheap enough for each tick of the clock."""
        self._now_us = to_us(now)
        first = min((int(us[0]) for us in self._moments.values()), default=self._now_us)
        self._past_hours = max((self._now_us - first) / HOUR_US, 0.0)
        self._lay_out()

    def set_outcome(self, fade: int | None, stay: int = 0) -> None:
        """Say how many memories would fade and stay at the previewed moment; None says nothing."""
        self._show(outcome=None if fade is None else (fade, stay))

    def set_forecast(self, dies_us: Sequence[int] | Ints | None) -> None:
        """Draw how many are left as time goes by: the moments (microseconds UTC) at which each active memory fades."""
        import numpy as np

        self._dies_us = None if dies_us is None or not len(dies_us) else np.sort(np.asarray(dies_us, np.int64))
        self._lay_out()
        self.refresh(layout=True)

    def show_warp(self, fraction: float, text: str) -> None:
        """A warp to where the slider stands is running: the share done (0..1) and what is being done."""
        self._stop_dragging()
        self._show(warp=(fraction, text))

    def end_warp(self) -> None:
        """The warp is over (done or cancelled): back to now, which may be a new now."""
        self._typed = ""
        self._show(hours=0.0, outcome=None, warp=None)

    # What the person does.

    def action_step(self, direction: int) -> None:
        """A round step ahead or back."""
        self._move_by(lambda hours: stepped(hours, direction))

    def action_leap(self, direction: int) -> None:
        """To the next landmark ahead or back."""
        self._move_by(lambda hours: leaped(hours, direction))

    def action_days(self, days: int) -> None:
        """So many days ahead or back."""
        self._move_by(lambda hours: moved_days(hours, days))

    def action_jump(self, where: str) -> None:
        """To `now` or the far `end`."""
        self._move_by(lambda _: FUTURE_H if where == "end" else 0.0)

    def action_commit(self) -> None:
        """Go where the slider stands."""
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
        typed = self._typed[:-1] if key == "backspace" else self._typed + (key or "")
        hours = typed_hours(typed) if typed else 0.0
        if hours is None or self._view.warp is not None or not (self._typed or typed):
            self._typed = ""
            return
        event.stop()
        event.prevent_default()
        # A unit ends what is typed: the next digit begins anew.
        self._move_to(hours)
        self._typed = typed if typed[-1:].isdigit() else ""

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A press on the track takes the handle there; a press on what the field says does what it says."""
        if event.button != 1 or self._layout is None or self._view.warp is not None:
            return
        event.stop()
        if event.x >= self._layout.field_start and self._layout.field:
            if self.previewing:
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
        """Letting go commits, at now it cancels."""
        if not self._dragging:
            return
        event.stop()
        self._drag_to(event.x)
        self._stop_dragging()
        if self._view.hours > 0:
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
        if self._layout is not None:
            self._move_to(self._layout.scale.round_hours_at(x - self._layout.track_start))

    def _move_by(self, move: Callable[[float], float]) -> None:
        self._typed = ""
        self._move_to(move(self._view.hours))

    def _move_to(self, hours: float) -> None:
        """Stand there and say so, at most `1 / PREVIEW_EVERY_S` times a second; the last place is always said."""
        if self._view.warp is not None or abs(hours - self._view.hours) < 1e-9:
            return
        self._show(hours=hours, outcome=self._view.outcome if hours > 0 else None)
        if self._pace is None:
            self._send_preview()
        else:
            self._unsent = True

    def _send_preview(self) -> None:
        self._unsent = False
        self._pace = self.set_timer(PREVIEW_EVERY_S, self._paced)
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

    # How it is drawn.

    def on_resize(self) -> None:
        """Share out the new width."""
        self._lay_out()

    def on_focus(self) -> None:
        """Say which keys work."""
        self._show(focused=True)

    def on_blur(self) -> None:
        """Typing ends; a preview stays, so that the panel can be looked through."""
        self._typed = ""
        self._show(focused=False)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """1 line on a low terminal, else 2, and 3 with a forecast on a high one."""
        if viewport.height < _TWO_LINES_FROM:
            return 1
        return 3 if self._dies_us is not None and viewport.height >= _THREE_LINES_FROM else 2

    def render_line(self, y: int) -> Strip:
        """One of the (up to three) lines."""
        width = self.size.width
        if self._layout is None or width <= 0:
            return Strip.blank(width, self.rich_style)
        lines = self.size.height
        if lines >= 3 and y == 0:
            return self._strip(curve_runs(self._layout, self._view, width), width)
        if y == (1 if lines >= 3 else 0):
            return self._strip(track_runs(self._layout, self._view, alone=lines == 1), width)
        return self._strip(label_runs(self._layout, self._view, width), width)

    def _strip(self, runs: Sequence[Run], width: int) -> Strip:
        base = self.rich_style
        segments = [Segment(text, self.get_component_rich_style(f"timeline--{style}")) for text, style in runs]
        return Strip(segments).adjust_cell_length(width, base)

    def _show(self, **changes: object) -> None:
        self._view = replace(self._view, **changes)  # type: ignore[arg-type]
        self.refresh()

    def _lay_out(self) -> None:
        if self.size.width <= 0:
            return
        self._layout = layout(self.size.width, self._past_hours)
        scale = self._layout.scale
        marks = mark_cells(scale, self._now_us, self._moments) if self._moments else []
        self._show(marks=tuple(marks), curve=self._curve())

    def _curve(self) -> tuple[float, ...]:
        if self._dies_us is None or self._layout is None:
            return ()
        import numpy as np

        scale = self._layout.scale
        ahead = [scale.hours_at(cell) for cell in range(scale.past_cells + 1, scale.cells)]
        moments = self._now_us + (np.array(ahead) * HOUR_US).astype(np.int64)
        alive = 1.0 - np.searchsorted(self._dies_us, moments, side="right") / len(self._dies_us)
        return tuple(alive.tolist())
