from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.minds.offline.times import valid_since
from tests.minds.offline.conftest import NOW

MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
PHRASES = st.sampled_from(
    [
        "three weeks ago I switched",
        "два месяца назад бросил",
        "since March",
        "с понедельника хожу",
        "moved on Monday",
        "yesterday",
        "на прошлой неделе",
        "born on 29 February 2000",
        "31 апреля случилось",
        "since 2015",
        "half a year ago",
        "99 years ago",
        "on Mondays I swim",
        "I live here",
    ]
)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("three weeks ago I switched to Rust", "2026-04-04"),
        ("a couple of days ago I quit", "2026-04-23"),
        ("half a year ago we met", "2025-10-25"),
        ("I've been vegan since March", "2026-03-01"),
        ("I live here since 2015", "2015-01-01"),
        ("yesterday we adopted a cat", "2026-04-24"),
        ("I moved on Monday", "2026-04-20"),
        ("moved to Oslo in February", "2026-02-01"),
        ("wedding was on 12 June 2021", "2021-06-12"),
        ("quit smoking last month", "2026-03-25"),
        ("на прошлой неделе сменил работу", "2026-04-18"),
        ("с понедельника хожу в зал", "2026-04-20"),
        ("два месяца назад бросил курить", "2026-02-25"),
        ("переехал в марте", "2026-03-01"),
        ("с 2019 года в Питере", "2019-01-01"),
        ("свадьба была 12 июня 2021", "2021-06-12"),
        ("полгода назад купил дом", "2025-10-25"),
        ("в среду был у врача", "2026-04-22"),
        ("позавчера сдал экзамен", "2026-04-23"),
        ("3.04.2026 подписал договор", "2026-04-03"),
    ],
)
def test_a_past_time_is_resolved_against_the_turn(text: str, day: str) -> None:
    assert valid_since(text, NOW).date().isoformat() == day


@pytest.mark.parametrize(
    "text",
    [
        "on Mondays I swim",
        "my dentist is on May 3",
        "с понедельника буду ходить в зал",
        "next week I start at Google",
        "Actually it's on Monday, not last week",
        "поправка: вчера я ошибся",
        "may I ask",
        "I live in Berlin",
    ],
)
def test_what_is_no_past_time_is_true_from_now(text: str) -> None:
    assert valid_since(text, NOW) == NOW


@given(PHRASES, MOMENTS)
def test_never_after_now_and_always_utc(text: str, now: datetime) -> None:
    since = valid_since(text, now)
    assert since <= now
    assert since.utcoffset() == timedelta(0)


@given(PHRASES, MOMENTS, st.integers(-12, 14))
def test_the_same_moment_in_another_zone_gives_the_same_answer(text: str, now: datetime, hours: int) -> None:
    elsewhere = now.astimezone(timezone(timedelta(hours=hours)))
    assert valid_since(text, elsewhere) == valid_since(text, now)


@given(PHRASES, MOMENTS)
def test_later_tellings_are_never_valid_earlier(text: str, now: datetime) -> None:
    assert valid_since(text, now) <= valid_since(text, now + timedelta(days=370))


@given(st.text(max_size=300), MOMENTS)
def test_no_text_breaks_it(text: str, now: datetime) -> None:
    assert valid_since(text, now) <= now


def test_the_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = valid_since("yesterday", NOW)
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    assert valid_since("yesterday", NOW) == before
