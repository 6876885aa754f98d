"""No text may change the width of a row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.ui.widgets.row_text import HEAD, card_text, plain_line, row_text
from tests.ui.panel.panel_app import HOSTILE

ANY_TEXT = st.text(alphabet=st.characters(), max_size=60)  # all planes, surrogates too


@given(ANY_TEXT, st.integers(0, 60))
def test_a_row_text_is_exactly_as_wide_as_asked(text: str, cells: int) -> None:
    line = row_text(text, cells)
    assert cell_len(line) == cells
    line.encode("utf-8")
    assert "\n" not in line and "\t" not in line


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("cells", [1, 2, 7, 14, 57])
def test_hostile_texts(text: str, cells: int) -> None:
    line = row_text(text, cells)
    assert cell_len(line) == cells
    assert not set(line) & set("\x00\x07\x1b\r\n\t\u200b\u200d\u202e\ufe0f\u20e3\U0001f3fd")


def test_what_is_cut_ends_in_an_ellipsis() -> None:
    assert row_text("moved to Lisbon", 8) == "moved t…"
    assert row_text("moved to Lisbon", 15) == "moved to Lisbon"
    assert row_text("日本語", 5) == "日本…"
    assert row_text("日本語", 6) == "日本語"
    assert row_text("x", 3) == "x  "


def test_a_flag_becomes_its_letters_and_a_family_its_members() -> None:
    assert plain_line("🇵🇹 👨‍👩‍👧 ❤️ 👍🏽 1️⃣") == "PT 👨👩👧 ❤ 👍 1"


def test_marks_are_kept_but_not_heaped() -> None:
    assert plain_line("e\u0301 हिन्दी") == "é हिन्दी"
    assert plain_line("a" + "\u0336" * 40) == "a\u0336\u0336"
    assert plain_line("\u0301a") == "a"


def test_only_the_head_of_a_long_text_is_looked_at() -> None:
    assert len(plain_line("a" * 1_000_000)) == HEAD
    assert plain_line(" " * 10_000 + "late") == "late"


@given(ANY_TEXT)
def test_card_text_can_be_written_and_keeps_lines(text: str) -> None:
    shown = card_text(text)
    shown.encode("utf-8")
    assert not set(shown) & set("\x00\x1b\r\t\u202e\u2066")


def test_card_text_counts_what_it_does_not_show() -> None:
    assert card_text("one\r\ntwo\tthree") == "one\ntwo three"
    assert card_text("a" * 1_000_000).endswith("\n… and 980,000 characters more")
    assert card_text("👨‍👩‍👧 ❤️ \u202ex") == "👨\u200d👩\u200d👧 ❤\ufe0f x"
