"""Moments and durations: aware UTC datetimes outside, int64 microseconds inside the frame, hours in the laws."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

HOUR_US: Final = 3_600_000_000
"""Microseconds in an hour."""
NEVER_US: Final = 2**62
"""A moment that never comes (the `dies_at` of what is pinned)."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_US: Final = timedelta(microseconds=1)
_LAST_US: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _ONE_US


def to_us(moment: datetime) -> int:
    """Microseconds since 1970 (UTC) of an aware datetime.

    Raises:
        ValueError: `moment` is naive.
    """
    if moment.tzinfo is None:
        raise ValueError(f"a naive time: {moment.isoformat()}")
    return (moment - _EPOCH) // _ONE_US


def from_us(us: int) -> datetime:
    """The aware UTC datetime of microseconds since 1970; beyond year 9999 it stands at the end of that year."""
    return _EPOCH + timedelta(microseconds=min(int(us), _LAST_US))


def to_iso(moment: datetime) -> str:
    """Canonical text of a moment: `2026-04-25T21:14:00.123456Z`, always UTC, always six decimals."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def from_iso(text: str) -> datetime:
    """Parse ISO-8601 with an offset.

    Raises:
        ValueError: unparsable, or without an offset.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"'{text}' has no offset (write 2026-04-25T21:14:00Z)")
    return moment.astimezone(UTC)


def hours_between(earlier: datetime, later: datetime) -> float:
    """Hours from `earlier` to `later`; never below 0 (a moment from the future has age 0)."""
    return max(0.0, (later - earlier) / timedelta(hours=1))
