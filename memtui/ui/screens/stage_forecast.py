"""Opening a forecast from a stage: of memory now, or of the past that is shown; and keeping it true while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.errors import InputError

if TYPE_CHECKING:
    from memtui.chat.forecasting import Asked
    from memtui.ui.screens.forecast_screen import ForecastScreen
    from memtui.ui.screens.stage import Stage


class StageForecast:
    """The forecast that lies over a stage, if any."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._open: ForecastScreen | None = None

    def begin(self, argument: str = "") -> None:
        """Show what will be, over the horizon that is named (30 days by default).

        Raises:
            InputError: there is no memory yet, or it is no horizon.
        """
        from memtui.chat.forecasting import USUAL_DAYS, read_days
        from memtui.ui.screens.forecast_screen import ForecastScreen

        stage = self._stage
        days = read_days(argument) if argument else float(USUAL_DAYS)
        if stage.companion is None:
            raise InputError("Memory is still being opened.", todo="Try again in a moment.")
        title = f"as of {stage.past.date()}" if stage.past.then is not None else ""
        self._open = ForecastScreen(self._ask, stage.open_card, days=days, title=title)
        stage.app.push_screen(self._open, lambda _: self._closed())

    def again(self) -> None:
        """Memory changed."""
        if self._open is not None and self._open.is_attached:
            self._open.again()

    def _ask(self) -> Asked:
        from memtui.chat.forecasting import asked_of

        companion = self._stage.companion
        assert companion is not None
        return asked_of(self._stage.past.sight(companion), companion.sleep_policy.grace_hours)

    def _closed(self) -> None:
        self._open = None
