"""Regret on a stage: the foot of the panel, looked at anew when a turn has ended, and the list behind it.

Looking runs beside the screen and only reads. With an endpoint's embeddings every question would be a call, so there it is
looked at only when the list is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.errors import InputError, MemtuiError
from memtui.ui.widgets.memory_panel import MemoryPanel

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.regret import Regret, RegretMeter
    from memtui.memory.frame import Frame
    from memtui.ui.screens.regret_screen import RegretScreen
    from memtui.ui.screens.stage import Stage

GROUP: Final = "regret"


class StageRegret:
    """Keeps the foot, and an open list, at what there is to regret at the moment that is shown."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._meter: RegretMeter | None = None
        self._of: Companion | None = None
        self._list: RegretScreen | None = None
        self._problem = ""

    def look(self) -> None:
        """Look at what was asked since the last time, beside the screen."""
        meter = self._meter_now() if self._stage.is_attached else None
        if meter is not None and meter.is_cheap:
            self._look()

    def show(self) -> None:
        """Say what is known by now: memory changed, or another moment is shown."""
        meter = self._meter
        if meter is None or self._of is not self._stage.companion:
            self._stage.panel.foot.show("")
            return
        regret, frame = self._regret(meter)
        self._stage.panel.foot.show(regret.words)
        if self._list is not None and self._list.is_attached:
            self._list.show(regret, frame, problem=self._problem)

    def open(self) -> None:
        """The list.

        Raises:
            InputError: there is no memory yet.
        """
        meter = self._meter_now()
        if meter is None:
            raise InputError("Memory is still being opened.", todo="Try again in a moment.")
        from memtui.ui.screens.regret_screen import RegretScreen

        stage = self._stage
        regret, frame = self._regret(meter)
        past = stage.past.date() if stage.past.then is not None else ""
        self._list = RegretScreen(
            regret, frame, tz=stage.memtui.tz, past=past, open_card=stage.open_card, change=self._change
        )
        stage.app.push_screen(self._list, self._closed)
        self._look()

    def _meter_now(self) -> RegretMeter | None:
        companion = self._stage.companion
        if companion is None:
            return None
        if self._meter is None or self._of is not companion:
            from memtui.chat.regret import RegretMeter  # long after the first paint

            self._meter, self._of, self._problem = RegretMeter(companion, self._stage.turn_texts), companion, ""
        return self._meter

    def _regret(self, meter: RegretMeter) -> tuple[Regret, Frame]:
        then, companion = self._stage.past.then, self._stage.companion
        if then is not None:
            return meter.report(then.frame, then.moment), then.frame
        assert companion is not None
        return meter.report(), companion.store.frame

    def _look(self) -> None:
        meter = self._meter
        if meter is not None:
            self._stage.run_worker(self._looking(meter), group=GROUP, exclusive=True, exit_on_error=False)

    async def _looking(self, meter: RegretMeter) -> None:
        """What goes wrong is told where the list is: nobody asked for this, and nothing hangs on it."""
        try:
            await meter.measure()
            self._problem = ""
        except MemtuiError as error:
            self._problem = str(error)
        if meter is self._meter and self._stage.is_attached:
            self.show()

    def _change(self, action: str, memory: str) -> None:
        self._stage.panel.post_message(MemoryPanel.Asked(action, memory))

    def _closed(self, _: None) -> None:
        self._list = None
