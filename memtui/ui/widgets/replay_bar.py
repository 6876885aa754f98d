"""The bar of a replay: that it is one, how far it is, how fast it goes. A click on the track seeks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.ui.widgets.row_text import plain_line, row_text

_TITLE_SHARE: Final = 3
"""The title gets at most this part of the line (one third)."""
_LEAST_TRACK: Final = 8


@dataclass(frozen=True, slots=True)
class ReplayState:
    """What the bar shows.

    Attributes:
        title: of the file.
        position: beats played.
        total: all beats.
        speed: 1 is a comfortable reading pace.
        playing: False while paused.
        seeking: True while beats are played without showing them.
    """

    title: str
    position: int = 0
    total: int = 0
    speed: float = 1.0
    playing: bool = True
    seeking: bool = False


class ReplayBar(Widget, can_focus=True):
    """One line: what plays, the track, where it stands, the speed."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"replay-bar--{name}" for name in ("mark", "title", "done", "rail", "handle", "count", "speed")
    }
    DEFAULT_CSS = """
    ReplayBar {
        height: 1;
        width: 1fr;
        background: $accent 16%;
        color: $text;
        & > .replay-bar--mark { color: $text-accent; text-style: bold; }
        & > .replay-bar--title { color: $text; text-style: bold; }
        & > .replay-bar--done { color: $accent; }
        & > .replay-bar--rail { color: $text-muted; }
        & > .replay-bar--handle { color: $accent; text-style: bold; }
        & > .replay-bar--count { color: $text; }
        & > .replay-bar--speed { color: $text-muted; }
        &:focus > .replay-bar--handle { text-style: bold reverse; }
    }
    """

    @dataclass
    class Sought(Message):
        """A place on the track was clicked."""

        position: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._state = ReplayState("")
        self._track = (0, 0)

    @property
    def state(self) -> ReplayState:
        """What is shown."""
        return self._state

    def show(self, state: ReplayState) -> None:
        """Show `state`."""
        if state != self._state:
            self._state = state
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        width = self.size.width
        if y > 0 or width <= 0:
            return Strip.blank(max(width, 0), self.rich_style)
        parts = bar_parts(self._state, width)
        start = 0
        for name, text in parts:
            if name in ("done", "handle"):
                break
            start += cell_len(text)
        self._track = (start, sum(len(text) for name, text in parts if name in ("done", "handle", "rail")))
        segments = [Segment(text, self.get_component_rich_style(f"replay-bar--{name}")) for name, text in parts]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Seek there."""
        start, cells = self._track
        if cells > 1 and start <= event.x < start + cells:
            event.stop()
            share = (event.x - start) / (cells - 1)
            self.post_message(self.Sought(round(share * self._state.total)))


def bar_parts(state: ReplayState, width: int) -> list[tuple[str, str]]:
    """The line as (style, text), in order; `width` cells together where there is room for a track at all."""
    mark = " » replay" if state.seeking else " ▶ replay" if state.playing else " ⏸ replay"
    count = f" {state.position}/{state.total}"
    speed = f" {state.speed:g}x "
    title = plain_line(state.title)
    title = row_text(title, min(cell_len(title), width // _TITLE_SHARE)) if width >= 60 else ""
    left = [("mark", mark), ("title", f"  {title}" if title else ""), ("count", "  ")]
    cells = width - sum(cell_len(text) for _, text in left) - len(count) - len(speed)
    parts = [part for part in left if part[1]]
    if cells >= _LEAST_TRACK:
        done = round((cells - 1) * state.position / state.total) if state.total else 0
        parts += [("done", "━" * done), ("handle", "●"), ("rail", "─" * (cells - 1 - done))]
    parts += [("count", count), ("speed", speed)]
    return [(name, text) for name, text in parts if text]
