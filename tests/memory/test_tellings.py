"""One telling in other dress, and two facts that only look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.tellings import telling_key
from memtui.memory.texts import same_key

SAME = [
    ("I'm a vegetarian", "I am vegetarian!"),
    ("I don't eat the fish.", "I do not eat fish"),
    ("I can’t swim", "i cannot swim"),
    ("I really like my flat white", "I like my flat white."),
    ("I still live in Berlin", "I live in Berlin"),
    ("Я живу в Казани", "живу в Казани"),
    ("Кстати, я всё ещё живу в Казани", "я всё живу в Казани"),
    ("Я не ем мёд", "я не ем мед!"),
]
OTHER = [
    ("I live in Berlin", "I lived in Berlin"),
    ("I am vegetarian", "I was vegetarian"),
    ("I eat fish", "I don't eat fish"),
    ("I moved from Berlin to Lisbon", "I moved from Lisbon to Berlin"),
    ("The code is 4711", "The code is 4712"),
    ("I no longer smoke", "I smoke"),
    ("My sister likes tea", "My sisters like tea"),
    ("Я ем мясо", "Я не ем мясо"),
    ("Anna's dog is ill", "Anna is ill"),
    ("I just moved to Lisbon", "I moved to Lisbon"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_telling(one: str, other: str) -> None:
    assert telling_key(one) == telling_key(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_facts(one: str, other: str) -> None:
    assert telling_key(one) != telling_key(other)


@given(st.text(max_size=60))
def test_what_is_the_same_stays_the_same_and_something_is_left_to_compare(text: str) -> None:
    assert bool(telling_key(text)) == bool(same_key(text))
    assert telling_key(f"{text}!") == telling_key(text)


def test_long_texts_are_compared_word_by_word() -> None:
    assert telling_key("the word " * 500) == same_key("the word " * 500)
