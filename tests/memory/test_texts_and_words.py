"""Texts are cleaned, compared, masked; words are stemmed in both languages."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.texts import MASK, clean, content_hash, mask_secrets, one_line, same_key
from memtui.memory.words import STOP_WORDS, coverage, stems

any_text = st.text(st.characters())  # lone surrogates too
storable = st.text(st.characters(codec="utf-8"))


@given(any_text)
def test_a_clean_text_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    assert (cleaned.encode() and clean(cleaned) == cleaned) or cleaned == ""
    assert unicodedata.is_normalized("NFC", cleaned) and "\0" not in cleaned and "\r" not in cleaned
    content_hash(cleaned)


def test_cleaning_keeps_what_people_write() -> None:
    for text in ["tab\tand\nline", "[red]not markup[/]", "👩‍👩‍👧", "日本語", "‏עברית", "naïve café", "ёж"]:
        assert clean(text) == text
    assert clean("a\x00b\x07c\x9bd\ud800e\r\nf\rg") == "abcd?e\nf\ng"
    assert clean("e\u0301") == "é"


@given(storable)
def test_composed_and_decomposed_texts_have_one_hash(text: str) -> None:
    assert content_hash(unicodedata.normalize("NFD", text)) == content_hash(unicodedata.normalize("NFC", text))


def test_different_texts_have_different_hashes() -> None:
    assert content_hash("tea") != content_hash("Tea") and len(content_hash("")) == 64


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea.", "i  LIKE tea!"),
        ("Ещё чай", "еще, чай"),
        ("ﬁne", "fine"),
        ("snake_case", "snake case"),
        ("Straße", "STRASSE"),
    ],
)
def test_the_same_telling(one: str, other: str) -> None:
    assert same_key(one) == same_key(other)


def test_not_the_same_telling() -> None:
    assert same_key("allergic to nuts") != same_key("not allergic to nuts")
    assert same_key("?!") == ""


KEY = "abcdefghij0123456789ABCDEFGHIJ"


@pytest.mark.parametrize(
    "secret",
    [
        f"sk-{KEY}",
        f"sk-proj-{KEY}",
        f"pk_live_{KEY}",
        f"ghp_{KEY}",
        f"github_pat_{KEY}",
        f"glpat-{KEY}",
        f"xoxb-{KEY}",
        f"hf_{KEY}",
        "AKIAABCDEFGHIJKLMNOP",
        f"AIza{KEY}xyz12",
        f"eyJ{KEY}.eyJ{KEY}.{KEY}",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\ncut off",
    ],
)
def test_keys_are_masked(secret: str) -> None:
    assert mask_secrets(f"use {secret}") == (f"use {MASK}", 1)
    twice, count = mask_secrets(f"a {secret} b\nand my password is hunter2")
    assert secret not in twice and "hunter2" not in twice and (count == 2 or "PRIVATE" in secret)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("my password is hunter2", f"my password is {MASK}"),
        ("My Password: hunter2, ok?", f"My Password: {MASK}, ok?"),
        ("password is: hunter2", f"password is: {MASK}"),
        ("the password for my router is hunter2", f"the password for my router is {MASK}"),
        ("api_key=abc123", f"api_key={MASK}"),
        ('passphrase: "correct horse battery"', f"passphrase: {MASK}"),
        ("Пароль от вайфая: qwerty123", f"Пароль от вайфая: {MASK}"),
        ("пароль — это йцукен1", f"пароль — это {MASK}"),
    ],
)
def test_spoken_passwords_are_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == (masked, 1)
    assert mask_secrets(masked) == (masked, 0)


@pytest.mark.parametrize(
    "text",
    [
        "The door code is 4711.",
        "My PIN pad is broken.",
        "password issues were fixed",
        "passwords are stored hashed",
        "I forgot my password again",
        "Ask a risk-taker about the task-force",
        "sk-8 skates",
        "забыл пароль",
        "",
    ],
)
def test_what_people_want_remembered_is_not_masked(text: str) -> None:
    assert mask_secrets(text) == (text, 0)


@given(any_text)
def test_masking_any_text_ends(text: str) -> None:
    once, _ = mask_secrets(text)
    assert mask_secrets(once)[1] == 0 or MASK in once


def test_masking_a_megabyte_ends_soon() -> None:
    for text in (
        "password " * 120_000,
        "password for " + "a." * 500_000,
        "password is" + " " * 500_000,
        "password:" * 110_000,
    ):
        mask_secrets(text)


@given(st.text(), st.integers(1, 40))
def test_one_line_is_one_line_of_that_width(text: str, width: int) -> None:
    line = one_line(text, width)
    assert len(line) <= width and len(line.splitlines()) <= 1


def test_stems_of_both_languages() -> None:
    assert stems("I was moving to Lisbon") == stems("moved: Lisbon!")
    assert stems("Переехала в Лиссабоне") == stems("переехал из Лиссабона")
    assert stems("Ещё") == [] and stems("ЁЛКА") == stems("елка")
    assert stems("the and is что это как") == [] and {"the", "что"} <= STOP_WORDS
    assert stems("Ada's dog’s bone") == ["ada", "dog", "bone"]
    assert stems("C++ 2024 snake_case") == ["c", "2024", "snake", "case"]


def test_scripts_without_spaces_become_pairs() -> None:
    assert stems("東京都") == ["東京", "京都"] and stems("東") == ["東"]
    assert set(stems("京都")) <= set(stems("東京都"))


@given(any_text)
def test_stems_of_any_text_can_be_joined_and_split(text: str) -> None:
    found = stems(text)
    assert " ".join(found).split(" ") == (found or [""])
    assert all(stem and not any(c.isspace() for c in stem) for stem in found)


def test_only_the_beginning_of_a_megabyte_is_stemmed() -> None:
    assert len(stems("word " * 200_000)) == 4000


def test_coverage_is_the_share_of_the_question() -> None:
    asked = frozenset(stems("green tea kettle"))
    assert coverage(asked, "Tea, and more tea") == pytest.approx(1 / 3)
    assert coverage(asked, "a GREEN kettle for teas") == 1.0
    assert coverage(frozenset(), "anything") == 0.0
