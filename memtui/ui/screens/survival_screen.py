"""How long memories live: the share alive by age, a curve a kind or a law. It only reads; a key saves the chart."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Span, Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker

from memtui.errors import StoreFullError
from memtui.ui.widgets.key_line import KeyHint, KeyLine

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.survival import By, Survivals
    from memtui.ui.app import MemtuiApp

_PADDING = 4
"""Cells left and right of the chart, its scroll bar among them."""
_COLOURS = {
    "green": "#6fae6a",
    "red": "#e06c5f",
    "cyan": "#4fb3bf",
    "magenta": "#b07fd8",
    "yellow": "#c9a13b",
    "blue": "#6c95e8",
}
"""The chart's colours: a terminal's own names are not told apart in every theme. The dashes differ as well."""


class SurvivalScreen(ModalScreen[None]):
    """A chart, a table under it, and keys."""

    AUTO_FOCUS = "#survival-page"
    DEFAULT_CSS = """
    SurvivalScreen {
        background: $background;
        #survival-title { height: 1; padding: 0 1; background: $surface; color: $accent; text-style: bold; }
        #survival-page { height: 1fr; padding: 1 1 0 2; scrollbar-size-vertical: 1; }
        #survival-chart { width: 1fr; height: auto; }
        #survival-note { height: 2; padding: 0 2; color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "leave", tooltip="Back to the chat.", show=False),
        Binding("k", "by('kind')", "by kind", tooltip="A curve a kind of memory.", show=False),
        Binding("l", "by('law')", "by law", tooltip="The same events under each law of forgetting.", show=False),
        Binding("tab", "other", "the other", tooltip="From kinds to laws, and back.", show=False),
        Binding("s", "save", "save", tooltip="Save the chart as SVG and PNG.", show=False),
    ]

    def __init__(
        self, companion: Companion, exports: Path, by: By = "kind", *, until: datetime | None = None, title: str = ""
    ) -> None:
        """Args:
        exports: the folder charts are saved to.
        until: the moment memories are seen at; now by default.
        title: what is said of that moment.
        """
        super().__init__()
        self._companion = companion
        self._exports = exports
        self._by: By = by
        self._until, self._title = until, title
        self._moment = until if until is not None else companion.clock.now()
        self._found: dict[By, Survivals] = {}
        self._counting = 0

    def compose(self) -> ComposeResult:
        """Title; chart and table; what is said of it; keys."""
        yield Static(markup=False, id="survival-title")
        with VerticalScroll(id="survival-page"):
            yield Static(markup=False, id="survival-chart")
        yield Static(markup=False, id="survival-note")
        yield KeyLine()

    def on_mount(self) -> None:
        """Count."""
        self._show()

    def on_resize(self) -> None:
        """The chart follows the size, once the page has its own."""
        self.call_after_refresh(self._draw)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told."""
        cast("MemtuiApp", self.app).worker_changed(event)

    # -- showing -----------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        moment = f" · {self._title}" if self._title else ""
        self.query_one("#survival-title", Static).update(Content(f"How long memories live, by {self._by}{moment}"))
        self._show_keys()
        if self._by in self._found:
            self._draw()
            return
        self.query_one("#survival-chart", Static).update(Content(""))
        self._say("living it again under each law …" if self._by == "law" else "counting …")
        self._counting += 1
        self.run_worker(self._count(self._by, self._counting), group="survival", exclusive=True, exit_on_error=False)

    async def _count(self, by: By, counting: int) -> None:
        from memtui.chat.survival import survival_by_law, survival_now

        loop = asyncio.get_running_loop()

        def keep_going(share: float) -> bool:
            loop.call_soon_threadsafe(self._told, counting, share)
            return counting == self._counting

        if by == "kind":
            found: Survivals | None = await asyncio.to_thread(survival_now, self._companion, self._until)
        else:
            found = await asyncio.to_thread(survival_by_law, self._companion, self._until, keep_going)
        if found is not None and counting == self._counting and self.is_attached:
            self._found[by] = found
            self._draw()

    def _told(self, counting: int, share: float) -> None:
        if counting == self._counting and self.is_attached and self._by not in self._found:
            self._say(f"living it again under each law … {share:.0%}")

    def _draw(self) -> None:
        found = self._found.get(self._by)
        if found is None or not self.size.width:
            return
        from memtui.bench.survival_report import explained, survival_lines

        page = self.query_one("#survival-page")
        lines = survival_lines(found, max(20, self.size.width - _PADDING), page.size.height - 1)
        self.query_one("#survival-chart", Static).update(Text("\n", no_wrap=True).join(map(_coloured, lines)))
        self._say(explained(found))

    def _say(self, words: str) -> None:
        self.query_one("#survival-note", Static).update(Content(words))

    def _show_keys(self) -> None:
        other = KeyHint("l", "by law", "by('law')", 2) if self._by == "kind" else KeyHint("k", "by kind", "by('kind')", 2)
        self.query_one(KeyLine).show(
            [other, KeyHint("s", "save SVG and PNG", "save", 2), KeyHint("esc", "leave", "close", 3)]
        )

    # -- what the person does ----------------------------------------------------------------------------------------

    def action_by(self, by: By) -> None:
        """Tell apart by something else."""
        if by != self._by:
            self._by = by
            self._show()

    def action_other(self) -> None:
        """From kinds to laws, and back."""
        self.action_by("law" if self._by == "kind" else "kind")

    def action_save(self) -> None:
        """Save the chart that is shown."""
        found = self._found.get(self._by)
        if found is not None:
            self.run_worker(self._save(found), group="save", exit_on_error=False)

    async def _save(self, found: Survivals) -> None:
        saved = await asyncio.to_thread(_save_chart, found, self._exports)
        if self.is_attached:
            ends = " and ".join(path.suffix.removeprefix(".").upper() for path in saved)
            lacking = "" if len(saved) > 1 else " The PNG needs: pip install 'memtui[chart]'."
            cast("MemtuiApp", self.app).say(f"Saved {saved[0].with_suffix('')} as {ends}.{lacking}", timeout=6)

    def action_close(self) -> None:
        """Leave."""
        self._counting += 1  # what is still being lived again is given up
        self.dismiss(None)

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)


def _coloured(line: Text) -> Text:
    """The line in colours of its own."""
    out = line.copy()
    out.spans = [Span(span.start, span.end, _colour(str(span.style))) for span in line.spans]
    out.style = _colour(str(line.style))
    return out


def _colour(style: str) -> str:
    return " ".join(_COLOURS.get(word, word) for word in style.split())


def _save_chart(found: Survivals, folder: Path) -> list[Path]:
    """Write the chart under a name that is free.

    Raises:
        StoreFullError: the folder can't be written.
    """
    from memtui.bench.survival_report import survival_stem, survival_svg
    from memtui.bench.svgchart import save_drawing

    stem = first = survival_stem(found)
    number = 1
    while (folder / f"{stem}.svg").exists():
        number += 1
        stem = f"{first}-{number}"
    try:
        return save_drawing(survival_svg(found), folder, stem)
    except OSError as error:
        raise StoreFullError(
            f"{folder} can't be written: {error.strerror or error}.", safe="Nothing was changed.", todo="Make room there."
        ) from error
