"""How the time line looks: what it is told to show, and its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from memtui.memory.moments import HOUR_US, to_us
from memtui.ui.widgets.timeline_keys import PARTS
from memtui.ui.widgets.timeline_scale import SHORTEST_PAST_H
from memtui.ui.widgets.timeline_view import Layout, Mark, Run, View, curve_runs, label_runs, layout, mark_cells, track_runs

if TYPE_CHECKING:
    from memtui.memory.frame import Ints

_TWO_LINES_FROM: Final = 30
_THREE_LINES_FROM: Final = 34


class TimelineFace(Widget):
    """Shows past, now and future on one scale, and where the slider stands; moves nothing and posts nothing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"timeline--{name}" for name in PARTS}

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._view = View()
        self._now_us = 0
        self._moments: dict[Mark, Ints] = {}
        self._happened: Ints | None = None
        self._past_hours = 0.0
        self._then_us: int | None = None
        self._dies_us: Ints | None = None
        self._layout: Layout | None = None

    @property
    def hours(self) -> float:
        """Where the slider stands: hours ahead of now, 0 at now, below 0 in the past."""
        return self._view.hours

    @property
    def then_us(self) -> int | None:
        """The moment of the past (microseconds UTC) the slider stands at, or None."""
        return self._then_us

    @property
    def previewing(self) -> bool:
        """Whether it stands ahead of now with nothing running."""
        return self._view.hours > 0 and self._view.warp is None

    def set_past(self, now: datetime, moments: Mapping[Mark, Sequence[int]], happened: Sequence[int] | None = None) -> None:
        """Show the past up to `now`.

        Args:
            moments: microseconds UTC of turns, sleeps and what else is marked, in any order.
            happened: the moments at which anything happened, marked or not; those of the marks by default.
        """
        import numpy as np

        every = [us for marked in moments.values() for us in marked] if happened is None else happened
        self._happened = np.unique(np.asarray(every, np.int64)) if len(every) else None
        self._moments = {mark: np.sort(np.asarray(us, np.int64)) for mark, us in moments.items() if len(us)}
        self.set_now(now)

    def set_now(self, now: datetime) -> None:
        """Time went on: the past grows. Cheap enough for each tick of the clock."""
        self._now_us = to_us(now)
        first = self._now_us if self._happened is None else int(self._happened[0])
        self._past_hours = max((self._now_us - first) / HOUR_US, 0.0)
        if self._then_us is not None:
            self._show(hours=self._hours_of(self._then_us))
        self._lay_out()

    def set_outcome(self, fade: int | None, stay: int = 0) -> None:
        """Say how many memories would fade and stay at the previewed moment (were active and retired at that of the past);
        None says nothing.
        """
        self._show(outcome=None if fade is None else (fade, stay))

    def set_forecast(self, dies_us: Sequence[int] | Ints | None) -> None:
        """Draw how many are left as time goes by: the moments (microseconds UTC) at which each active memory fades."""
        import numpy as np

        self._dies_us = None if dies_us is None or not len(dies_us) else np.sort(np.asarray(dies_us, np.int64))
        self._lay_out()
        self.refresh(layout=True)

    def on_resize(self) -> None:
        """Share out the new width."""
        self._lay_out()

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

    def _hours_of(self, then_us: int) -> float:
        return min((then_us - self._now_us) / HOUR_US, -1e-9)

    @property
    def _reach(self) -> float:
        """How many hours back the slider goes."""
        return 0.0 if self._happened is None else max(self._past_hours, SHORTEST_PAST_H)
