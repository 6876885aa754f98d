"""The only place that reads a clock.

Everything else takes `now` as an argument. `SimClock` is the simulated clock of a home: an anchor, a rate and an
offset. Simulated time never runs backwards for writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from memtui.errors import ConfigError

RATES: tuple[float, ...] = (0.0, 1.0, 60.0, 3600.0)
"""Simulated seconds per real second that the keys step through; 0 is paused."""


def wall_now() -> datetime:
    """The machine's time, aware UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds of a clock that never goes back; for durations only."""
    return time.perf_counter()


def zone(name: str) -> tzinfo:
    """The time zone for display: an IANA name, or "local" for the machine's own.

    Raises:
        ConfigError: the name is no IANA zone.
    """
    if name in ("", "local"):
        local = datetime.now().astimezone().tzinfo
        return local if local is not None else UTC
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ConfigError(
            f"settings key 'timezone': '{name}' is no time zone.",
            todo="Use an IANA name such as Europe/Lisbon, UTC, or local.",
        ) from error


@dataclass
class SimClock:
    """Simulated time: `anchor_sim + (wall - anchor_wall) * rate`.

    Attributes:
        rate: simulated seconds per real second, 0 when paused.
        wall: where real time comes from (tests put a frozen one here).
    """

    wall: Callable[[], datetime] = wall_now
    rate: float = 1.0
    _anchor_wall: datetime = field(init=False)
    _anchor_sim: datetime = field(init=False)

    def __post_init__(self) -> None:
        self._anchor_wall = self.wall()
        self._anchor_sim = self._anchor_wall

    @classmethod
    def frozen(cls, at: datetime) -> SimClock:
        """A paused clock standing at `at` (aware); it moves only by `advance` and `jump_to`."""
        clock = cls(wall=lambda: at, rate=0.0)
        clock.jump_to(at)
        return clock

    def now(self) -> datetime:
        """Simulated now, aware UTC."""
        if self.rate == 0.0:
            return self._anchor_sim
        return self._anchor_sim + (self.wall() - self._anchor_wall) * self.rate

    def offset(self) -> timedelta:
        """How far simulated time is ahead of real time."""
        return self.now() - self.wall()

    def is_real(self) -> bool:
        """Whether simulated time is real time (rate 1, less than a second apart)."""
        return self.rate == 1.0 and abs(self.offset()) < timedelta(seconds=1)

    def jump_to(self, moment: datetime) -> None:
        """Stand at `moment` (aware) and go on from there at the present rate."""
        self._anchor_wall = self.wall()
        self._anchor_sim = moment.astimezone(UTC)

    def advance(self, by: timedelta) -> None:
        """Jump forward by `by`."""
        self.jump_to(self.now() + by)

    def set_rate(self, rate: float) -> None:
        """Change the rate without a jump."""
        self.jump_to(self.now())
        self.rate = rate

    def never_before(self, moment: datetime) -> None:
        """Catch up to `moment` if simulated time is behind it (time never runs backwards for writes)."""
        if self.now() < moment:
            self.jump_to(moment)
