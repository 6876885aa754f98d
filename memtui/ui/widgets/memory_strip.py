"""The memory panel in one line, for a terminal too narrow for the panel itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.moments import HOUR_US
from memtui.ui.time_words import span_words
from memtui.ui.widgets.memory_bars import PreviewCounts, preview_counts
from memtui.ui.widgets.memory_lines import handle_of
from memtui.ui.widgets.pace import Pace
from memtui.ui.widgets.sparkline import silhouette

HORIZON_H: Final = 72.0
"""Hours ahead the strip looks while nothing is previewed."""
SHAPE_CELLS: Final = 9
PAST_LEAD: Final = "◀ as it was, read-only: "
_EVERY_S: Final = 0.25
_GIVEN_SHOWN: Final = 8
_Piece = tuple[str, str]


def strip_pieces(frame: Frame, law: Law, now_us: int, then_us: int | None, given: Iterable[str], width: int) -> list[_Piece]:
    """The strip as (text, role) pieces that fit into `width` cells; what does not fit is left out from the right.

    Args:
        then_us: the previewed moment, or None to look `HORIZON_H` ahead.
        given: ids of the memories given to the last reply.
    """
    ahead_us = now_us + int(HORIZON_H * HOUR_US) if then_us is None else then_us
    counts = preview_counts(frame, law, ahead_us)
    active = counts.fade + counts.stay
    if not active:
        return _fitting([("no memories yet", "muted")], width)
    retention = law.retention(frame, now_us if then_us is None else then_us)[frame.active]
    span = span_words(max(0, ahead_us - now_us) / HOUR_US)
    pieces = [
        (f"{active:,} active ", "count"),
        (silhouette(retention, SHAPE_CELLS), "shape"),
        (_fading(counts, span), "muted"),
    ]
    handles = [handle_of(frame.row(memory)) for memory in given if memory in frame][:_GIVEN_SHOWN]
    pieces += [("   » ", "given")] * bool(handles) + [(" ".join(handles), "given")] * bool(handles)
    return _fitting(pieces, width)


def _fading(counts: PreviewCounts, span: str) -> str:
    if not counts.fade:
        return f" all stay for {span}"
    return f" {counts.fade:,} {'fades' if counts.fade == 1 else 'fade'} in {span}"


def _fitting(pieces: list[_Piece], width: int) -> list[_Piece]:
    while pieces and sum(cell_len(text) for text, _ in pieces) > width:
        text, role = pieces.pop()
        if role == "given" and " " in text.strip():  # one handle less
            pieces.append((text.rsplit(" ", 1)[0], role))
    return pieces[:-1] if pieces and pieces[-1][0].strip() == "»" else pieces


class MemoryStrip(Widget):
    """One line that says how memory is; a click on it asks for the panel."""

    class Opened(Message):
        """The person wants the panel."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"memory-strip--{role}" for role in ("count", "shape", "muted", "given", "past")
    }
    DEFAULT_CSS = """
    MemoryStrip {
        height: 1; width: 1fr; padding: 0 1;
        & > .memory-strip--count { color: $foreground; }
        & > .memory-strip--shape { color: $bar; }
        & > .memory-strip--muted { color: $text-muted; }
        & > .memory-strip--given { color: $accent; }
        & > .memory-strip--past { color: $text-warning; text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._frame: Frame | None = None
        self._law: Law | None = None
        self._now_us = 0
        self._then_us: int | None = None
        self._past = False
        self._given: tuple[str, ...] = ()
        self._pieces: list[_Piece] = []
        self._pace = Pace(self, _EVERY_S, self._look)

    def show(self, frame: Frame, law: Law, now_us: int) -> None:
        """Show a frame as `law` sees it at `now_us` (microseconds UTC)."""
        self._frame, self._law, self._now_us, self._past = frame, law, now_us, False
        self._pace.at_once()

    def show_past(self, frame: Frame, law: Law, then_us: int) -> None:
        """Show memory as it was at `then_us` (microseconds UTC); `show` ends it. Looked at four times a second at most."""
        self._frame, self._law, self._now_us, self._past = frame, law, then_us, True
        self._pace.ask()

    def tick(self, now_us: int) -> None:
        """The clock moved on; looked at four times a second at most, and only while the strip is shown."""
        self._now_us = now_us
        if self.display and self.is_mounted:
            self._pace.ask()

    def preview(self, then_us: int | None) -> None:
        """Look at `then_us` instead of three days ahead; None ends that."""
        self._then_us = then_us
        self._pace.at_once()

    def glow(self, ids: Iterable[str]) -> None:
        """Name these memories as given to the last reply."""
        self._given = tuple(ids)
        self._pace.at_once()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the words anew."""
        self._pace.at_once()

    def on_show(self) -> None:
        """Catch up with what happened while it was hidden."""
        self._pace.at_once()

    def on_click(self, event: events.Click) -> None:
        """Ask for the panel."""
        event.stop()
        self.post_message(self.Opened())

    def render_line(self, y: int) -> Strip:
        """The line."""
        segments = [Segment(text, self.get_component_rich_style(f"memory-strip--{role}")) for text, role in self._pieces]
        return Strip(segments).crop_extend(0, self.content_size.width, self.rich_style)

    def _look(self) -> None:
        if self._frame is None or self._law is None or not self.display:
            return
        width = self.content_size.width
        lead = [(PAST_LEAD, "past")] if self._past and width > len(PAST_LEAD) else []
        width -= sum(len(text) for text, _ in lead)
        pieces = lead + strip_pieces(self._frame, self._law, self._now_us, self._then_us, self._given, width)
        if pieces != self._pieces:
            self._pieces = pieces
            self.refresh()
