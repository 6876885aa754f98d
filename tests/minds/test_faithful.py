"""What a model may not add."""

from __future__ import annotations

import pytest

from memtui.minds.faithful import added_numbers, additions, rests_on, supported

_TURN = "Ugh. Three weeks ago I moved to Lisbon, finally! Ещё у меня аллергия на арахис."


@pytest.mark.parametrize(
    ("support", "found"),
    [
        ("Three weeks ago I moved to Lisbon", "Three weeks ago I moved to Lisbon"),
        ("three WEEKS ago, I moved to lisbon!", "three WEEKS ago, I moved to lisbon!"),
        ("еще у меня аллергия", "еще у меня аллергия"),
        ("Three weeks ... moved to Lisbon", "moved to Lisbon"),
        ("moved … three weeks", None),
        ("moved to Lis", None),
        ("I live in Lisbon", None),
        ("I", None),
        ("", None),
        ("…", None),
        ("I work the night shift at Kestrel", None),
    ],
)
def test_support_must_stand_in_the_turn(support: str, found: str | None) -> None:
    assert supported(support, _TURN) == found


def test_scripts_without_spaces_have_no_word_borders() -> None:
    assert supported("東京に引っ越した", "昨日、東京に引っ越した。") == "東京に引っ越した"


def test_a_turn_of_stop_words_supports_itself() -> None:
    assert supported("I do", "I do") == "I do"


def test_a_fact_shares_a_word_with_its_turn() -> None:
    assert rests_on("I live in Lisbon.", _TURN)
    assert not rests_on("I work the night shift at Kestrel.", _TURN)


_SOURCES = (
    "I moved to Lisbon 3 weeks ago, rent 1,200.",
    "Мой брат Антон живёт в Лиссабоне с 4 мая",
    "Rust 1.80 since 2025-06-01",
)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lisbon since three weeks.",
        "Брат Антон живёт в Лиссабоне с 4 мая.",
        "Currently using Rust 1.80 (since 2025-06-01).",
        "Работаю с Антоном, аренда 1200.",
        "I moved, and I'm OK.",
    ],
)
def test_a_faithful_summary_adds_nothing(text: str) -> None:
    assert additions(text, _SOURCES) == []


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("I live in Porto.", ["Porto"]),
        ("I moved 5 weeks ago.", ["5"]),
        ("I moved five times in June.", ["five", "June"]),
        ("Брат переехал в январе.", ["январе"]),
        ("Брат переехал 7 января.", ["7", "января"]),
        ("Maria lives in Lisbon.", ["Maria"]),
        ("Since 2024-06-01 I write Rust.", ["2024-06-01"]),
    ],
)
def test_additions_are_named(text: str, added: list[str]) -> None:
    assert additions(text, _SOURCES) == added


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("I am 25.", "I turned twenty-five"),
        ("Мне 25.", "Мне двадцать пять лет"),
        ("3 weeks", "three weeks ago"),
        ("It costs 1200", "1,200 euros"),
        ("on 2026-04-04", "2026-4-4"),
        ("1 cat", "one cat"),
    ],
)
def test_numbers_in_words_are_known(text: str, source: str) -> None:
    assert added_numbers(text, [source]) == []
    assert added_numbers(text, ["nothing"]) != []
