"""The transcript as a widget that draws lines: where the viewport is, what its rows look like, what a selection says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, tzinfo
from typing import Any, ClassVar

from rich.style import Style
from textual.geometry import Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from memtui.clock import monotonic
from memtui.ui.widgets import transcript_paint as paint
from memtui.ui.widgets.message_rows import Scene
from memtui.ui.widgets.message_styles import CLASS_PREFIX, STYLE_NAMES, Palette
from memtui.ui.widgets.message_view import MessageView
from memtui.ui.widgets.transcript_copy import MARGIN, selected_text
from memtui.ui.widgets.transcript_layout import TranscriptLayout
from memtui.ui.widgets.transcript_search import Search


class TranscriptView(ScrollView, can_focus=True):
    """Draws the messages of a layout and keeps the reader's place in them.

    Args:
        zone: the time zone dates are shown in.
        clock: seconds of a clock that never goes back, for "writing 0.4 s".
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {CLASS_PREFIX + name for name in STYLE_NAMES}
    FOCUS_ON_CLICK: ClassVar[bool] = False
    ALLOW_SELECT: ClassVar[bool] = True

    focused_message: var[int | None] = var[int | None](None)
    """Serial of the message the keys work on."""

    def __init__(
        self,
        *,
        zone: tzinfo = UTC,
        clock: Callable[[], float] = monotonic,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.zone = zone
        self.messages = TranscriptLayout()
        self.search: Search | None = None
        self._clock = clock
        self._palette: Palette | None = None
        self._styles_changed = True
        self._year = 0
        self._stick = True
        self._unseen = False
        self._placing = False

    # -- what rows are drawn with ------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """What rows need to know beside their message."""
        return Scene(self.zone, self._year, self._clock())

    @property
    def palette(self) -> Palette:
        """The theme's styles."""
        if self._palette is None or self._styles_changed:
            self._styles_changed = False
            palette = Palette.read(self.get_component_rich_style, self.rich_style)
            if palette != self._palette:
                self._palette = palette
                self.messages.restyle()
        return self._palette

    def notify_style_update(self) -> None:
        """Colours may have changed, or the pointer has only come over the transcript: `palette` will tell."""
        super().notify_style_update()
        self._styles_changed = True

    # -- the reader's place ------------------------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """Whether the end is shown, and will be when more is said."""
        return self._stick

    @property
    def has_unseen(self) -> bool:
        """Whether something was said below the viewport since the reader scrolled up."""
        return self._unseen

    @contextmanager
    def changing(self, *, hold: bool = False, repaint: bool = True) -> Iterator[None]:
        """Heights change inside; the reader's place is kept, or the end if that is where the reader is.

        Args:
            hold: keep what is shown now even at the end.
            repaint: draw the viewport anew even if nothing has moved.
        """
        if hold:
            self._stick = False
        place = None if self._stick else self.messages.place(round(self.scroll_y))
        yield
        self.messages.moved()
        if self.size.width:
            self._settle(0 if self._stick else self.messages.find(place))
            if repaint:
                self.refresh()

    def show_row(self, row: int, rows: int = 1) -> None:
        """Scroll as little as needed to see `rows` rows from `row`; the first of them if they are too many."""
        viewport = self.size.height
        top = round(self.scroll_y)
        if rows >= viewport or row < top:
            top = row
        elif row + rows > top + viewport:
            top = row + rows - viewport
        self._stick = False
        self._settle(top)
        self._stick = round(self.scroll_y) >= self.max_scroll_y
        self._seen()

    def show_view(self, view: MessageView) -> None:
        """Go to a message and mark it."""
        self.focused_message = view.serial
        self.show_row(self.messages.top_of(view), view.height)

    def to_end(self) -> None:
        """Go to the end and stay there."""
        self._stick = True
        self._settle(0)

    def _settle(self, top: int) -> None:
        """Show the rows from `top`, or the end if that is where the reader is."""
        height = self.size.height
        if self._stick:
            top = self.messages.settle_end(height, self.palette, self.scene)
        else:
            top = self.messages.settle(top, height, self.palette, self.scene)
        self._place(top)

    def _place(self, top: int) -> None:
        if top != round(self.scroll_y) or self.messages.rows != self.virtual_size.height:
            self.refresh()
        self._placing = True
        try:
            self._resize_content(Size(self.size.width, self.messages.rows))
            self.scroll_target_y = self.scroll_y = top
        finally:
            self._placing = False
        self._seen()

    def _resize_content(self, size: Size) -> None:
        """Tell the scrollbar how long the content is.

        Setting `virtual_size` lays out the whole screen, which is too much for each row a stream adds; only where the
        scrollbar comes or goes something moves.
        """
        if self.show_vertical_scrollbar == (size.height > self.container_size.height):
            if size != self.virtual_size:
                self.set_reactive(TranscriptView.virtual_size, size)
                self._scroll_update(size)
        else:
            self.virtual_size = size
            self.refresh(layout=True)

    def _seen(self) -> None:
        if self._stick:
            self._unseen = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """A person scrolled: what comes into view gets its exact height."""
        super().watch_scroll_y(old_value, new_value)
        if self._placing or round(old_value) == round(new_value) or not self.size.width:
            return
        self._stick = round(new_value) >= self.max_scroll_y
        self._settle(round(new_value))

    def _scroll_to(self, x: float | None = None, y: float | None = None, **how: Any) -> bool:
        """No gliding: while heights are being found out a glide would aim at rows that move."""
        how["animate"] = False
        return super()._scroll_to(x, y, **how)

    def on_resize(self) -> None:
        """Lay out at the new width; the reader's place stays."""
        width = paint.content_width(self.scrollable_content_region.width)
        if width != self.messages.width and self.text_selection is not None:
            self.screen.clear_selection()  # its columns belong to the old width
        with self.changing():
            if width != self.messages.width:
                self.messages.rewidth(width)

    # -- painting ----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """The strip of row `y` of the viewport."""
        width = self.messages.width + 2 * MARGIN
        palette = self.palette
        is_last_row = y == self.size.height - 1
        if is_last_row and self.search is not None:
            return paint.search_bar(self.search, width, palette)
        spot = self.messages.spot(round(self.scroll_y) + y)
        if spot is None:
            strip = paint.empty_row(width, palette)
        else:
            selection = self.text_selection
            strip = paint.painted_row(
                spot,
                width,
                palette,
                self.scene,
                marked=spot.view.serial == self.focused_message and spot.part.name != "end",
                selection=selection,
                selection_style=self._selection_style() if selection else None,
                search=self.search,
            )
        return paint.with_hint(strip, width, palette) if is_last_row and self._unseen else strip

    def _selection_style(self) -> Style:
        """The screen's selection over whatever colour the text has."""
        style = self.screen.get_component_rich_style("screen--selection")
        return Style(bgcolor=style.bgcolor, reverse=style.reverse)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What the mouse has selected, as it was written."""
        with self.changing(repaint=False):  # what is out of sight may get its exact height
            text = selected_text(self.messages, selection, self.palette, self.scene)
        return text, "\n"
