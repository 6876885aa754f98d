"""Time on the screen: the ticking, the slider's previews and warps, the rate, the nights that go by.

One timer runs, as fast as what it shows moves: thirty times a second while simulated time runs fast, once a second at
real time, not at all while it stands still.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from memtui.chat.nights import nights_between
from memtui.clock import RATES
from memtui.errors import InputError
from memtui.memory.forecast import leaves_at
from memtui.memory.moments import to_us
from memtui.ui.marks import EventMarks
from memtui.ui.time_words import span_words
from memtui.ui.widgets.clock_line import ClockState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from memtui.chat.companion import Companion
    from memtui.chat.steps import SleepReport, WarpReport
    from memtui.memory.laws import Law
    from memtui.ui.screens.stage import Stage

FAST_TICK_S: Final = 1 / 31
"""Seconds between two ticks while time runs fast; the panel wants thirty a second."""
REAL_TICK_S: Final = 1.0
_SLOW_EVERY_S: Final = 1.0


class StageTime:
    """Keeps panel, time line and clock line at the companion's now.

    Attributes:
        preview: the moment that is looked at instead of now, or None.
        warping: whether a warp runs.
        tick_every: seconds between two ticks; None while nothing ticks.
    """

    def __init__(self, screen: Stage) -> None:
        self.preview: datetime | None = None
        self.warping = False
        self.tick_every: float | None = None
        self._screen = screen
        self._marks = EventMarks()
        self._ticks: Timer | None = None
        self._slow: Timer | None = None
        self._first: datetime | None = None
        self._tokens: int | None = None
        self._version = -1
        self._law: Law | None = None

    # -- beginning -------------------------------------------------------------------------------------------------

    def begin(self, companion: Companion) -> None:
        """Another companion is shown from here on."""
        self._marks = EventMarks()
        self._first = None
        self._version = -1
        self.preview = None
        self._screen.past.forget()
        self._screen.timeline.set_hours(0.0)
        self.take_in(companion)
        self.set_pace()
        if self._slow is None and self._screen.watches:
            self._slow = self._screen.set_interval(_SLOW_EVERY_S, self._screen.look_around, name="look around")

    def stop(self) -> None:
        """No more ticks."""
        for timer in (self._ticks, self._slow):
            if timer is not None:
                timer.stop()
        self._ticks = self._slow = None

    # -- showing ---------------------------------------------------------------------------------------------------

    def take_in(self, companion: Companion) -> None:
        """Memory changed: show rows, marks and forecast as they are now."""
        screen, now = self._screen, companion.clock.now()
        if not screen.past.again():
            screen.panel.show(companion.store.frame, companion.law, to_us(now))
            screen.strip.show(companion.store.frame, companion.law, to_us(now))
        events = companion.store.events()
        if self._first is None and events:
            self._first = events[0].at
        if self._marks.take(events):
            screen.timeline.set_past(now, self._marks.moments, self._marks.happened)
        else:
            screen.timeline.set_now(now)
        frame = companion.store.frame
        if (frame.version, companion.law) != (self._version, self._law):
            self._version, self._law = frame.version, companion.law
            grace = companion.sleep_policy.grace_hours
            screen.timeline.set_forecast(leaves_at(frame, companion.law, to_us(now), grace_hours=grace)[frame.active])
            screen.forecast.again()
        self.show_clock()
        screen.regret.show()
        screen.show_keys()

    def show_clock(self) -> None:
        """The top line as it is now."""
        screen = self._screen
        companion = screen.companion
        clock = companion.clock if companion is not None else screen.clock
        now = clock.now() if companion is not None else clock.now() + timedelta(seconds=screen.expected_offset_s)
        seen = screen.past.moment or self.preview
        ahead = 0.0 if clock.is_real() and companion is not None else max((now - clock.wall()) / timedelta(hours=1), 0.0)
        screen.clock_line.show(
            ClockState(
                title=screen.title_words,
                now=now.replace(second=0, microsecond=0),
                tz=screen.memtui.tz,
                day=(now - self._first).days + 1 if self._first is not None else 1,
                rate=screen.shown_rate,
                real=clock.is_real() if companion is not None else screen.expected_offset_s < 1,
                ahead_hours=round(ahead * 60) / 60,
                mind=screen.mind_label,
                law="" if companion is None else _law_words(companion),
                tokens=self._tokens,
                seen=None if seen is None else seen.replace(second=0, microsecond=0),
                past=screen.past.then is not None,
                seen_day=(seen - self._first).days + 1 if seen is not None and self._first is not None else None,
            )
        )

    def show_tokens(self, tokens: int | None) -> None:
        """What the last prompt's memories cost."""
        self._tokens = tokens
        self.show_clock()

    def set_pace(self) -> None:
        """Tick as fast as time moves."""
        if self._ticks is not None:
            self._ticks.stop()
            self._ticks = None
        self.tick_every = None
        companion = self._screen.companion
        if companion is None or companion.clock.rate == 0 or not self._screen.watches:
            return
        every = REAL_TICK_S if companion.clock.rate <= 1 else FAST_TICK_S
        self._ticks = self._screen.set_interval(every, self._tick, name="tick")
        self.tick_every = every

    def _tick(self) -> None:
        companion = self._screen.companion
        if companion is None or self.warping:
            return
        now_us = to_us(companion.clock.now())
        if self._screen.past.then is None:  # else they show a moment that stands
            self._screen.panel.tick(now_us)
            self._screen.strip.tick(now_us)
        self.show_clock()

    def look(self, companion: Companion) -> None:
        """Once a second: what moves too slowly for the ticks."""
        if companion.clock.rate and not self.warping and self.preview is None:
            self._screen.timeline.set_now(companion.clock.now())

    # -- looking ahead and going there -----------------------------------------------------------------------------

    def look_ahead(self, hours: float) -> None:
        """Show what would be lost in so many hours; 0 ends it."""
        companion = self._screen.companion
        if companion is None:
            return
        if hours <= 0:
            self.end_preview()
            return
        self._screen.past.end()
        self.preview = companion.clock.now() + timedelta(hours=hours)
        then_us = to_us(self.preview)
        self._screen.panel.preview(then_us)
        self._screen.strip.preview(then_us)
        self._screen.timeline.set_outcome(*companion.fading(self.preview))
        self.show_clock()

    def end_preview(self) -> None:
        """Back to now, from either side; nothing happened."""
        self._screen.past.end()
        self.drop_preview()

    def drop_preview(self) -> None:
        """Look ahead no more."""
        self.preview = None
        self._screen.panel.preview(None)
        self._screen.strip.preview(None)
        self._screen.timeline.set_outcome(None)
        self.show_clock()

    async def warp(self, hours: float) -> WarpReport:
        """Go so many hours ahead, sleeping the nights between; the time line shows the progress.

        Raises:
            MemtuiError: it could not be done; time stands where it got to.
        """
        companion, timeline = self._screen.companion, self._screen.timeline
        if companion is None:
            raise InputError("Memory is still being opened.", todo="Try again in a moment.")
        self.warping = True
        timeline.set_hours(hours)
        timeline.show_warp(0.0, "after this reply" if self._screen.busy else "going there")
        try:
            return await companion.warp_to(companion.clock.now() + timedelta(hours=hours), timeline.show_warp)
        finally:
            self.warping = False
            timeline.end_warp()
            self.end_preview()
            self.take_in(companion)
            self._screen.panel.resort()

    async def set_rate(self, rate: float) -> None:
        """Run time at another rate, at once; it is noted in the ledger when the turn is over."""
        companion = self._screen.companion
        if companion is None:
            raise InputError("Memory is still being opened.", todo="Try again in a moment.")
        companion.clock.set_rate(rate)
        self.set_pace()
        self._tick()
        self.show_clock()
        self._screen.show_keys()
        await companion.set_rate(rate)

    def next_rate(self) -> float:
        """The rate after the present one: 1x, 60x, 3600x, 1x."""
        running = [rate for rate in RATES if rate > 0]
        companion = self._screen.companion
        rate = companion.clock.rate if companion is not None else 1.0
        return next((faster for faster in running if faster > rate), running[0])


def _law_words(companion: Companion) -> str:
    from memtui.chat.law_choice import law_words  # its settings are read long after the first paint

    return law_words(companion.law)


def warp_words(report: WarpReport, nightly: bool) -> str:
    """A warp in one line: `+3d: memory slept 3 nights: 4 merged, 1 retired, 6 faded`.

    Args:
        nightly: whether memory sleeps each night.
    """
    hours = (report.end - report.start) / timedelta(hours=1)
    cut = " (stopped on the way)" if report.cancelled else ""
    nights = len(nights_between(report.start, report.end)) if nightly else 0
    told = f": {nights_words(report.nights, nights)}" if nights else "."
    return f"+{span_words(hours)}{cut}{told}"


def nights_words(nights: Sequence[SleepReport], count: int) -> str:
    """What `count` nights did, together; `nights` are those that found something to do."""
    from memtui.memory.sleep.plan import Action

    merged = sum(night.plan.count(Action.MERGE, Action.DUPLICATE) for night in nights)
    retired = sum(night.plan.count(Action.SUPERSEDE) for night in nights)
    faded = sum(night.plan.count(Action.PRUNE) for night in nights)
    parts = [f"{count} {what}" for count, what in ((merged, "merged"), (retired, "retired"), (faded, "faded")) if count]
    many = f"memory slept {count} night{'' if count == 1 else 's'}"
    return f"{many}: {', '.join(parts)}." if parts else f"{many}; nothing had to go."


def sleep_words(report: SleepReport) -> str:
    """A sleep pass in one line, and how to take it back where it did anything."""
    return f"{report.sentence} /undo takes it back." if report.plan.items else report.sentence
