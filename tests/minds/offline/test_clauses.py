from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.minds.offline.clauses import LONGEST_PIECE, MOST_PIECES, Piece, addresses, announces, clipped, leans, pieces


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
        assert turn[piece.start : piece.end] == piece.text
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))


@given(st.text(max_size=900))
def test_clipped_is_short_and_a_beginning(text: str) -> None:
    short = clipped(text)
    assert len(short) <= LONGEST_PIECE
    assert " ".join(text.split()).startswith(short)


def test_clipping_ends_at_a_sentence() -> None:
    assert clipped("One sentence that is here. " * 20).endswith("here.")


def test_a_title_in_quotation_marks_is_no_quotation() -> None:
    assert texts("«Спуск на воду». Написал первую главу.") == ["«Спуск на воду».", "Написал первую главу."]


def test_pieces_know_their_place_behind_fenced_code() -> None:
    turn = "```\nI live in Porto\n```\nI live in Porto. My cat is Olive."
    assert [(piece.text, piece.start) for piece in pieces(turn)] == [("I live in Porto.", 24), ("My cat is Olive.", 41)]


@pytest.mark.parametrize(
    "text",
    ["She works nights.", "third floor", "I sleep in it", "Поэтому езжу поездом", "Twelve.", "Я туда только на праздники"],
)
def test_what_refers_back_or_is_no_sentence_leans(text: str) -> None:
    assert leans(Piece(text))


@pytest.mark.parametrize(
    "text", ["I live in Porto", "my sister is a nurse", "живу в Казани", "Код от домофона 4471", "Езжу на старой «Ладе»"]
)
def test_a_sentence_about_somebody_stands(text: str) -> None:
    assert not leans(Piece(text))


def test_another_matter_may_be_announced() -> None:
    assert announces("By the way, my birthday is in June") and announces("Кстати, я левша")
    assert not announces("I also swim")


@pytest.mark.parametrize(
    "text", ["write me a poem", "what is the capital of Peru", "if I had wings", "спасибо", "если бы я был царь"]
)
def test_requests_questions_and_wishes_are_addressed_to_the_assistant(text: str) -> None:
    assert addresses(text)


@pytest.mark.parametrize("text", ["I live in Porto", "always answer briefly", "если что, всегда звони брату"])
def test_what_is_told_or_asked_for_ever_is_not_only_addressed(text: str) -> None:
    assert not addresses(text)
