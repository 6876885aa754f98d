from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.minds.offline.clauses import LONGEST_PIECE, MOST_PIECES, clipped, pieces


def texts(turn: str) -> list[str]:
    return [piece.text for piece in pieces(turn)]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("I live in Porto. My cat is Olive.", ["I live in Porto.", "My cat is Olive."]),
        ("I'm vegetarian and I moved to Lisbon last year", ["I'm vegetarian", "I moved to Lisbon last year"]),
        (
            "I work at a bank in town and my sister lives in Oslo",
            ["I work at a bank in town", "my sister lives in Oslo"],
        ),
        ("у меня аллергия на арахис, а я ещё и вегетарианец", ["у меня аллергия на арахис", "я ещё и вегетарианец"]),
        ("- vegetarian\n- based in Porto\n* two cats", ["vegetarian", "based in Porto", "two cats"]),
        ("Dr. Silva is my dentist. See you.", ["Dr. Silva is my dentist.", "See you."]),
        ("I pay 3.5 euros. Fine.", ["I pay 3.5 euros.", "Fine."]),
        ("> he said so\nI disagree with him", ["I disagree with him"]),
        ("```\nx = 1\n```\nthis is my code", ["this is my code"]),
        ("if I had time I would swim and I would run", ["if I had time I would swim and I would run"]),
    ],
)
def test_a_turn_falls_into_pieces(turn: str, expected: list[str]) -> None:
    assert texts(turn) == expected


def test_a_question_at_the_end_is_told_from_the_fact_before_it() -> None:
    found = pieces("I moved to Lisbon last week, where should I eat tonight?")
    assert [(piece.text, piece.asks) for piece in found] == [
        ("I moved to Lisbon last week", False),
        ("where should I eat tonight?", True),
    ]


def test_what_is_mostly_a_quotation_is_dropped() -> None:
    assert texts('she said "I live in a castle with nine dogs and a dragon"') == []


@given(st.text(max_size=600))
def test_pieces_are_words_of_the_turn(turn: str) -> None:
    found = pieces(turn)
    assert len(found) <= MOST_PIECES
    for piece in found:
        assert piece.text in turn


@given(st.text(max_size=900))
def test_clipped_is_short_and_a_beginning(text: str) -> None:
    short = clipped(text)
    assert len(short) <= LONGEST_PIECE
    assert " ".join(text.split()).startswith(short)


def test_clipping_ends_at_a_sentence() -> None:
    assert clipped("One sentence that is here. " * 20).endswith("here.")
