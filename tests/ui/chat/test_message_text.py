"""Text made safe to draw, to measure and to copy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.ui.widgets.message_text import aligned, clip, copyable, counted, cropped, displayable, estimate_rows

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=200)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("nul \x00 del \x7f csi \x9b", "nul ␀ del ␡ csi �"),
        ("one\u2028two", "one\ntwo"),
        ("abc\u202edcba\u2066x\u2069", "abcdcbax"),
        ("\ud83d\ude00", "😀"),
        ("half \ud83d here", "half � here"),
        ("tab\tstays", "tab\tstays"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    ],
)
def test_what_is_drawn(raw: str, shown: str) -> None:
    assert displayable(raw) == shown


@given(ANY_TEXT)
def test_nothing_that_a_terminal_obeys_is_drawn(text: str) -> None:
    shown = displayable(text)
    shown.encode("utf-8")
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert displayable(shown) == shown


@given(ANY_TEXT)
def test_what_is_copied_can_be_encoded(text: str) -> None:
    copyable(text).encode("utf-8")


def test_copying_leaves_all_but_half_characters_alone() -> None:
    assert copyable("\x00\x1b[31m\u202e ok") == "\x00\x1b[31m\u202e ok"
    assert copyable("a\ud800b") == "a�b"


@given(ANY_TEXT, st.integers(0, 40))
def test_cropped_fits(text: str, cells: int) -> None:
    assert cell_len(cropped(aligned(text), cells)) <= cells


def test_a_row_in_columns_has_one_line_and_known_widths() -> None:
    assert aligned("a\n b\t c ❤\ufe0f") == "a b c ❤"


def test_short_texts_are_shown_whole() -> None:
    for text in ("", "x", "a\nb\n" * 100):
        assert clip(text).end == len(text)
        assert clip(text).hidden == 0


def test_many_lines_are_clipped_by_lines() -> None:
    text = "".join(f"line {i}\n" for i in range(10_000))
    clipped = clip(text)
    assert text[: clipped.end].count("\n") == 2_000
    assert (clipped.hidden, clipped.unit) == (8_000, "lines")
    assert clip(text.rstrip("\n")).hidden == 8_000


def test_one_long_line_is_clipped_by_characters() -> None:
    text = "word " * 200_000
    clipped = clip(text)
    assert 119_000 < clipped.end <= 120_000
    assert (clipped.hidden, clipped.unit) == (len(text) - clipped.end, "characters")
    assert clip("x" * 1_000_000).end == 120_000


@given(st.text(alphabet="ab \n", max_size=400), st.integers(1, 30), st.integers(1, 60))
def test_a_clip_hides_something_or_ends_at_the_end(text: str, lines: int, chars: int) -> None:
    clipped = clip(text, lines, chars)
    assert (clipped.hidden == 0) == (clipped.end == len(text))
    assert clipped.end <= len(text)


def test_estimates_are_at_least_a_row() -> None:
    assert [estimate_rows(text, 10) for text in ("", "short", "a\nb", "x" * 25)] == [1, 1, 2, 3]


def test_counted() -> None:
    assert [counted(1, "memory"), counted(3, "memory"), counted(12_000, "line")] == [
        "1 memory",
        "3 memories",
        "12,000 lines",
    ]
