"""What will be if nothing is told or recalled: how many are left, and who fades when.

The work is done once, in a thread; another horizon then only draws other parts of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker

from memtui.chat.forecasting import HORIZONS, Ahead, Asked
from memtui.memory.moments import from_us
from memtui.ui.forecast_words import charts, horizon_words, summary_words
from memtui.ui.time_words import date_words
from memtui.ui.widgets.fade_list import FadeList
from memtui.ui.widgets.key_line import KeyHint, KeyLine

if TYPE_CHECKING:
    from memtui.ui.app import MemtuiApp

_ROWS: Final = ((30, 7), (20, 4), (0, 2))
"""Rows of a curve from so many lines of terminal on."""
_GAP: Final = 3
_BOTH_FROM: Final = 64
"""Columns from which both curves have room."""


class ForecastScreen(ModalScreen[None]):
    """Curves over the horizon, and the list of what fades within it.

    Attributes:
        days: the horizon.
    """

    AUTO_FOCUS = "#forecast-fades"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-tall")]  # noqa: RUF012 - Textual declares it so
    DEFAULT_CSS = """
    ForecastScreen {
        background: $background;
        #forecast-title { height: 1; padding: 0 1; background: $surface; color: $accent; text-style: bold; }
        #forecast-horizons { height: 1; padding: 0 1; color: $text-muted; margin-top: 1; }
        #forecast-summary { height: auto; max-height: 3; padding: 0 1; margin-bottom: 1; }
        #forecast-curves { height: auto; padding: 0 1; }
        .forecast-curve { width: 1fr; height: auto; color: $text-muted; }
        #forecast-tokens { margin-left: 3; }
        #forecast-fades { margin-top: 1; }
    }
    ForecastScreen.-low #forecast-horizons, ForecastScreen.-low #forecast-fades { margin-top: 0; }
    ForecastScreen.-low #forecast-summary { margin-bottom: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "leave", tooltip="Leave.", show=False),
        Binding("f12", "close", "leave", tooltip="Leave.", id="time.forecast", show=False),
        Binding("right,l,plus", "step(1)", "further", tooltip="A longer horizon, or a shorter one.", show=False),
        Binding("left,h,minus", "step(-1)", "nearer", tooltip="A longer horizon, or a shorter one.", show=False),
        *(
            Binding(f"{place}", f"look({days})", horizon_words(days), tooltip="One of the horizons.", show=False)
            for place, days in enumerate(HORIZONS, 1)
        ),
    ]

    def __init__(self, ask: Callable[[], Asked], open_card: Callable[[str], None], *, days: float, title: str = "") -> None:
        """Args:
        ask: takes from memory, as it stands when it is called, what a forecast needs.
        open_card: shows one memory in full.
        days: the horizon to begin with.
        title: which moment of the past this is a forecast of, in words.
        """
        super().__init__()
        self.days = days
        self._ask = ask
        self._open_card = open_card
        self._title = title
        self._ahead: Ahead | None = None
        self._asks = 0

    def compose(self) -> ComposeResult:
        """Title; horizons; summary; two curves; the list; keys."""
        yield Static(markup=False, id="forecast-title")
        yield Static(markup=False, id="forecast-horizons")
        yield Static("looking ahead …", markup=False, id="forecast-summary")
        with Horizontal(id="forecast-curves"):
            yield Static(markup=False, id="forecast-active", classes="forecast-curve")
            yield Static(markup=False, id="forecast-tokens", classes="forecast-curve")
        yield FadeList(id="forecast-fades")
        yield KeyLine()

    def on_mount(self) -> None:
        """Look ahead."""
        self.query_one(FadeList).zone = self._app.tz
        self.query_one(KeyLine).show(
            [
                KeyHint("←→", "horizon", "step(1)", 3),
                KeyHint(f"1–{len(HORIZONS)}", f"{horizon_words(HORIZONS[0])} … a year", "step(1)", 1),
                KeyHint("↑↓", "memory", "list('move', 1)", 2),
                KeyHint("enter", "card", "list('open', 0)", 3),
                KeyHint("esc", "leave", "close", 3),
            ]
        )
        self.again()

    def again(self) -> None:
        """Memory changed: look ahead from how it stands now."""
        self._asks += 1
        self.run_worker(self._look(self._asks, self._ask()), group="forecast", exclusive=True, exit_on_error=False)

    async def _look(self, number: int, asked: Asked) -> None:
        ahead = await asyncio.to_thread(asked.answer)
        if number == self._asks and self.is_attached:
            self._ahead = ahead
            self._show()

    def _show(self) -> None:
        ahead, width = self._ahead, self.size.width
        self._show_horizons()
        if ahead is None or width <= 0:
            return
        tz, found = self._app.tz, ahead.outlook
        moment = self._title or date_words(from_us(found.now_us), tz)
        self.query_one("#forecast-title", Static).update(
            Content(f"Forecast: if nothing is told or recalled · {ahead.law} · {moment}")
        )
        self.query_one("#forecast-summary", Static).update(Content(summary_words(ahead, self.days, tz)))
        both = width >= _BOTH_FROM
        cells = (width - 2 - _GAP) // 2 if both else width - 2
        rows = next(rows for lines, rows in _ROWS if self.size.height >= lines)
        for curve, lines in zip(("active", "tokens"), charts(ahead, self.days, cells, rows, tz), strict=True):
            self.query_one(f"#forecast-{curve}", Static).update(_tinted(lines))
        self.query_one("#forecast-tokens").display = both
        empty = "Nothing fades within this horizon." if found.active else "There are no active memories."
        self.query_one(FadeList).show(ahead.frame, found, ahead.until_us(self.days), empty=empty)

    def _show_horizons(self) -> None:
        pieces: list[str | tuple[str, str]] = []
        for days in sorted({*HORIZONS, self.days}):
            chosen = days == self.days
            pieces += [(f" {horizon_words(days)} ", "bold reverse" if chosen else ""), "  "]
        self.query_one("#forecast-horizons", Static).update(Content.assemble(*pieces))

    @property
    def _app(self) -> MemtuiApp:
        return cast("MemtuiApp", self.app)

    # -- what the person does ------------------------------------------------------------------------------------------

    def action_look(self, days: float) -> None:
        """Another horizon."""
        self.days = days
        self._show()

    def action_step(self, by: int) -> None:
        """The next longer horizon, or the next shorter one."""
        beyond = [days for days in (HORIZONS if by > 0 else reversed(HORIZONS)) if (days - self.days) * by > 0]
        if beyond:
            self.action_look(beyond[0])

    def action_list(self, what: str, by: int) -> None:
        """A key of the list, clicked."""
        fades = self.query_one(FadeList)
        fades.focus()
        if what == "move":
            fades.action_move(by)
        else:
            fades.action_open()

    def action_close(self) -> None:
        """Leave."""
        self._asks += 1  # what is still being looked at is not shown any more
        self.dismiss(None)

    @on(FadeList.Opened)
    def _opened(self, message: FadeList.Opened) -> None:
        message.stop()
        self._open_card(message.memory)

    def on_resize(self) -> None:
        """The curves follow the width."""
        self._show()

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told."""
        self._app.worker_changed(event)


def _tinted(lines: list[str]) -> Content:
    """A chart in the colour of the bars, its words in that of the words around it."""
    heading, *plot, ends = lines
    pieces: list[str | tuple[str, str]] = [(heading, "$foreground"), "\n"]
    for line in plot:
        cut = max(line.find("┤"), line.find("│")) + 1
        pieces += [line[:cut], (line[cut:], "$bar"), "\n"]
    return Content.assemble(*pieces, ends)
