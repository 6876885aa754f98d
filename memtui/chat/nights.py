"""Which nights lie between two moments."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

NIGHT_HOUR = 3
"""Memory sleeps at 03:00 simulated UTC."""


def nights_between(since: datetime, until: datetime, most: int = 400) -> list[datetime]:
    """The 03:00 moments in (since, until], in order; only the last `most` of them."""
    since, until = since.astimezone(UTC), until.astimezone(UTC)
    first = datetime.combine(since.date(), time(NIGHT_HOUR), UTC)
    if first <= since:
        first += timedelta(days=1)
    count = max(0, (until - first) // timedelta(days=1) + 1)
    skipped = max(0, count - most)
    return [first + timedelta(days=day) for day in range(skipped, count)]
