"""Looking back on a stage: panel, strip, card and top line as of a moment; nothing can be written meanwhile.

The moment stands while time goes on. What happens meanwhile (a reply that ends, a night, another process) is kept as ever
and seen on the way back; only if it lies before the moment looked at does it show at once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from memtui.errors import ReadOnlyError
from memtui.memory.moments import from_us, to_us
from memtui.ui.time_words import date_words, span_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memtui.chat.companion import Companion
    from memtui.chat.looking_back import Sight, Then
    from memtui.memory.recall import Recollection
    from memtui.ui.screens.stage import Stage

WAY_BACK: Final = "Esc (or home on the time line) comes back to now."


class StagePast:
    """The moment of the past that a stage shows, if any.

    Attributes:
        then: memory as of that moment, or None while now is shown.
    """

    def __init__(self, screen: Stage) -> None:
        self.then: Then | None = None
        self._screen = screen
        self._given: tuple[str, ...] = ()

    @property
    def moment(self) -> datetime | None:
        """The moment looked at, or None."""
        return None if self.then is None else self.then.moment

    def sight(self, companion: Companion) -> Sight:
        """Memory as it is shown."""
        from memtui.chat.looking_back import Present  # long after the first paint

        return Present(companion) if self.then is None else self.then

    def look(self, at_us: int, *, held: bool = False) -> None:
        """Show memory as it was at `at_us` (microseconds UTC); `held` while the slider is dragged on: nothing is sorted."""
        companion = self._screen.companion
        if companion is None:
            return
        begins = self.then is None
        if begins:
            self._screen.time.drop_preview()
            self._given = self._screen.panel.given
        self._show(companion, from_us(at_us))
        if begins:
            self._screen.panel.glow(())
            self._screen.strip.glow(())
            self._screen.set_class(True, "-past")
            self._screen.show_keys()
        if not held:
            self._screen.panel.resort()
        self._screen.looked_back()

    def again(self) -> bool:
        """Memory changed: see whether the moment looked at did. False when now is shown."""
        companion = self._screen.companion
        if self.then is None or companion is None:
            return False
        self._show(companion, self.then.moment)
        return True

    def end(self) -> bool:
        """Back to now; False when now was shown."""
        if self.then is None:
            return False
        self.then = None
        screen, companion = self._screen, self._screen.companion
        screen.set_class(False, "-past")
        if isinstance(screen.alert_box.error, ReadOnlyError):
            screen.alert_box.dismiss()
        screen.panel.glow(self._given)
        screen.strip.glow(self._given)
        if companion is not None:
            screen.time.take_in(companion)
            screen.panel.resort()
        screen.looked_back()
        return True

    def forget(self) -> None:
        """Another memory is shown from here on; there is nothing to go back to."""
        self.then, self._given = None, ()
        self._screen.set_class(False, "-past")

    def keep_given(self, ids: Iterable[str]) -> bool:
        """Keep for the way back what a reply was just given; False when now is shown."""
        if self.then is None:
            return False
        self._given = tuple(ids)
        return True

    def refuse(self, what: str) -> None:
        """Nothing is written to the past.

        Raises:
            ReadOnlyError: the past is shown; it says how to come back.
        """
        if self.then is not None:
            raise ReadOnlyError(f"This is memory as it was {self.ago()}: {what}.", todo=WAY_BACK)

    def refused(self, what: str) -> bool:
        """The same, told to the person; False when now is shown."""
        try:
            self.refuse(what)
        except ReadOnlyError as error:
            self._screen.alert(error)
            return True
        return False

    def ago(self) -> str:
        """How long ago the moment is: `3d 4h ago`."""
        companion = self._screen.companion
        if companion is None or self.then is None:
            return "now"
        return f"{span_words((companion.clock.now() - self.then.moment) / timedelta(hours=1))} ago"

    def date(self) -> str:
        """The moment in words."""
        return date_words(self.then.moment, self._screen.memtui.tz) if self.then is not None else "now"

    def show_recalled(self, found: Recollection) -> None:
        """Mark what would have been recalled."""
        given = [item.memory for item in found.items]
        self._screen.panel.glow(given)
        self._screen.strip.glow(given)

    def _show(self, companion: Companion, moment: datetime) -> None:
        from memtui.chat.looking_back import Then

        self.then = then = Then(companion, moment)
        screen, then_us = self._screen, to_us(moment)
        screen.panel.show_past(then.frame, companion.law, then_us, self.ago())
        screen.strip.show_past(then.frame, companion.law, then_us)
        screen.timeline.set_outcome(*then.counts())
        screen.regret.show()
        screen.time.show_clock()
