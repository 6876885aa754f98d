"""The sleep pass on the chat screen: plan, untick, apply, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.clock import monotonic
from memtui.errors import InputError, MemtuiError
from memtui.ui.screens.stage_time import sleep_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.worker import Worker

    from memtui.chat.companion import Companion
    from memtui.chat.steps import SleepReport
    from memtui.memory.sleep.plan import Plan
    from memtui.ui.screens.chat_screen import ChatScreen
    from memtui.ui.screens.sleep_screen import SleepScreen


class ChatSleep:
    """Drives one `SleepScreen` at a time.

    Attributes:
        seconds: where the duration of planning comes from (a test puts its own here).
    """

    def __init__(self, screen: ChatScreen) -> None:
        self.seconds: Callable[[], float] = monotonic
        self._screen = screen
        self._open: SleepScreen | None = None
        self._planning: Worker[None] | None = None
        self._report: SleepReport | None = None

    def begin(self) -> None:
        """Open the screen and make the plan; closing it stops the planning."""
        companion = self._screen.companion
        if companion is None:
            self._screen.alert(InputError("Memory is still being opened.", todo="Try again in a moment."))
            return
        if self._open is not None or self._screen.past.refused("sleep has to wait"):
            return
        from memtui.ui.screens.sleep_screen import SleepScreen

        key = self._screen.conflicts.key
        self._open = SleepScreen(owner=self._screen, tz=self._screen.memtui.tz, settle_key=key)
        self._screen.app.push_screen(self._open, self._closed)
        self._planning = self._screen.run_worker(self._plan(companion, self._open), group="plan", exit_on_error=False)

    async def _plan(self, companion: Companion, screen: SleepScreen) -> None:
        def progress(share: float, what: str) -> None:
            if screen.is_mounted:
                screen.set_progress(share, what)

        if self._screen.busy:
            progress(0.0, "waiting for the reply to end")
        began = self.seconds()
        try:
            plan = await companion.plan_sleep("key", progress)
        except MemtuiError as error:
            screen.show_problem(str(error))
            return
        if screen.is_attached:
            unsure = {(pair.older, pair.newer) for pair, _ in plan.unsure}
            before = sum((conflict.older, conflict.newer) not in unsure for conflict in companion.conflicts())
            screen.show_plan(plan, companion.store.frame, seconds=self.seconds() - began, waiting=before)

    async def apply(self, plan: Plan) -> None:
        """Do what was agreed to."""
        companion, screen = self._screen.companion, self._open
        if companion is None or screen is None:
            return
        try:
            self._report = await companion.apply_sleep(plan)
        except MemtuiError as error:
            screen.show_problem(str(error))
            return
        self._screen.memories.changed(companion)
        screen.show_report(self._report, self._screen.conflicts.count)
        self._screen.transcript.notice(sleep_words(self._report), "sleep")

    async def undo(self) -> None:
        """Take the applied pass back."""
        companion, screen, report = self._screen.companion, self._open, self._report
        if companion is None or screen is None or report is None:
            return
        try:
            sentence = await companion.undo(report.block)
        except MemtuiError as error:
            screen.show_problem(str(error))
            return
        self._screen.memories.changed(companion)
        screen.show_undone(sentence, self._screen.conflicts.count)
        self._screen.transcript.notice(sentence, "sleep")

    def _closed(self, applied: Plan | None) -> None:
        if self._planning is not None and not self._planning.is_finished:
            self._planning.cancel()
        self._open = self._planning = self._report = None
