"""Ages, spans and dates in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.ui.time_words import age_words, date_words, day_words, moment_words, span_words, weekday_words

NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
EAST = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        *((-5.0, "now"), (0.0, "now"), (0.016, "now"), (1 / 60, "1m"), (0.99, "59m"), (1.0, "1h"), (23.9, "23h")),
        *(
            (24.0, "1d"),
            (9 * 24.0, "9d"),
            (999 * 24.0, "999d"),
            (1000 * 24.0, "2.7y"),
            (1e9, "999y"),
            (float("inf"), "ever"),
        ),
    ],
)
def test_age(hours: float, words: str) -> None:
    assert age_words(hours) == words


@given(st.floats(allow_nan=True))
def test_an_age_fits_four_cells(hours: float) -> None:
    assert cell_len(age_words(hours)) <= 4


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        *((0.0, "0m"), (0.5, "30m"), (4 + 1 / 6, "4h 10m"), (99.0, "4d 3h"), (24.0, "1d"), (132 * 24.0, "132d")),
        *((770 * 24.0, "2y 40d"), (-2.0, "2h"), (float("nan"), "for ever")),
    ],
)
def test_span(hours: float, words: str) -> None:
    assert span_words(hours) == words


def test_dates_follow_the_zone() -> None:
    assert date_words(NOW, UTC) == "Sat 25 Apr 2026 21:14"
    assert date_words(NOW, EAST, year=False) == "Sun 26 Apr 06:14"
    assert day_words(NOW, EAST) == "26 Apr"
    assert weekday_words(NOW, EAST) == "Sun 26 Apr"


def test_the_year_is_said_only_when_it_is_another() -> None:
    later = NOW + timedelta(days=300)
    assert weekday_words(NOW, UTC, now=NOW) == "Sat 25 Apr"
    assert weekday_words(later, UTC, now=NOW) == "Fri 19 Feb 2027"
    assert moment_words(NOW, UTC, NOW) == "Sat 25 Apr 21:14"
    assert moment_words(later, UTC, NOW) == "Fri 19 Feb 2027 21:14"


def test_the_ends_of_the_calendar_have_words_too() -> None:
    last = datetime.max.replace(tzinfo=UTC)
    assert date_words(last, EAST) == "Fri 31 Dec 9999 23:59"
