"""Pieces drawn as rows: nothing vanishes, nothing is too wide, markup is text, and rows know how they are copied."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.style import Style

from memtui.ui.widgets.message_blocks import Piece, split_blocks
from memtui.ui.widgets.message_lines import LEAST_WIDTH, Line, draw, verbatim_lines
from memtui.ui.widgets.message_styles import STYLE_NAMES, Palette

PLAIN = Palette.plain()
NAMED = Palette(Style(), {name: Style(color=f"#0000{number:02x}") for number, name in enumerate(STYLE_NAMES, 1)})


def lines_of(text: str, width: int = 40, palette: Palette = PLAIN) -> list[Line]:
    return [line for piece in split_blocks(text) for line in draw(piece, width, palette)]


def rows(text: str, width: int = 40) -> list[str]:
    return [line.text.rstrip() for line in lines_of(text, width)]


def copied(text: str, width: int) -> str:
    out = ""
    for line in lines_of(text, width):
        out += line.copied(0, None).rstrip() + "\n" if line.soft is None else line.copied(0, None) + line.soft
    return out.rstrip("\n")


def styles_of(text: str, word: str) -> set[str]:
    names = {style: name for name, style in NAMED.styles.items()}
    return {
        names.get(Style(color=segment.style.color) if segment.style and segment.style.color else Style(), "")
        for line in lines_of(text, 60, NAMED)
        for segment in line.segments
        if word in segment.text
    }


def test_markup_and_html_are_text() -> None:
    assert rows("[red]x[/] [/] [link=a]b <b>bold</b> List<int>") == ["[red]x[/] [/] [link=a]b <b>bold</b>", "List<int>"]
    assert rows("<div>\nhello\n</div>") == ["<div>", "hello", "</div>"]


def test_line_breaks_are_kept_and_addresses_stand_behind_links() -> None:
    assert rows("a\nb\\\nc") == ["a", "b", "c"]
    assert rows("[site](https://x.org) <https://y.org> [https://z.org](https://z.org)", 60) == [
        "site (https://x.org) https://y.org https://z.org"
    ]
    assert rows("![a cat](cat.png) and\n\n[ref]: http://x.org") == ["image: a cat (cat.png) and", "[ref]: http://x.org"]


def test_headings_are_at_the_left() -> None:
    assert rows("# One\n\ntext\n\nTwo\n===") == ["One", "text", "Two"]


def test_lists_nest_and_wrap_under_their_text() -> None:
    text = "- one two three four five six\n  - seven\n    - eight\n\n3. nine"
    assert rows(text, 24) == ["• one two three four", "  five six", "  ◦ seven", "    ▪ eight", "", "3. nine"]
    assert rows("- one two three\n  - four", 16) == ["• one two three", "◦ four"]  # too narrow to indent


def test_numbers_of_a_list_go_on_from_its_first() -> None:
    assert rows("9. nine\n10. ten\n\n    more") == [" 9. nine", "10. ten", "    more"]


def test_quotes_have_a_bar() -> None:
    assert rows("> one two three four five\n> > six", 20) == ["▌ one two three four", "▌ five", "▌ ▌ six"]


def test_tables() -> None:
    assert rows("| dish | price |\n|---|--:|\n| caldo | 4.50 |\n| [red] | 1 |") == [
        "dish    price",
        "─────────────",
        "caldo    4.50",
        "[red]       1",
    ]


def test_a_table_too_wide_is_shown_as_written() -> None:
    table = "| a " * 40 + "|\n" + "|---" * 40 + "|\n" + "| b " * 40 + "|"
    shown = "".join(rows(table, 30))
    assert shown.count("a") == shown.count("b") == 40


def test_code_has_a_head_and_a_pad() -> None:
    assert rows("```python\nx = 'a'\n\n  y\n```", 30) == [" python                  copy", " x = 'a'", "", "   y"]
    assert rows("```\nplain\n```", 30)[0].startswith(" text")
    assert rows("```no-such-language [red]\nx\n```", 40)[0].startswith(" no-such-language")


def test_code_is_highlighted_in_the_palettes_colours() -> None:
    code = '```python\ndef f():\n    return "word" + 7  # note\n```'
    assert styles_of(code, "return") == {"code-keyword"}
    assert styles_of(code, "word") == {"code-string"}
    assert styles_of(code, "7") == {"code-number"}
    assert styles_of(code, "note") == {"code-comment"}
    assert styles_of("```nothing\nreturn\n```", "return") == {"code"}


def test_unclosed_code_is_code() -> None:
    assert rows("```python\nreturn 1", 30)[1] == " return 1"


def test_soft_wraps_are_joined_when_copied() -> None:
    paragraph = "one two three four five six seven eight nine ten eleven twelve"
    assert copied(paragraph, 12) == paragraph
    assert copied(f"- {paragraph}", 30) == f"• {paragraph}"
    assert copied(f"> {paragraph}", 20) == paragraph
    assert copied("# " + paragraph, 20) == paragraph
    assert copied("```\n" + "x" * 100 + "\n  y\n```", 20).split("\n", 1)[1] == "x" * 100 + "\n  y"
    assert copied("漢字" * 40, 20) == "漢字" * 40


def test_what_a_person_typed_keeps_its_spaces() -> None:
    piece = Piece("verbatim", "# a\n\n   b   c\n__d__")
    assert [line.text for line in draw(piece, 40, PLAIN)] == ["# a", "", "   b   c", "__d__"]
    assert [line.text for line in verbatim_lines("\tx", 40, PLAIN, Style())] == ["    x"]


@pytest.mark.parametrize("depth", [5, 30, 60, 300])
def test_deep_lists_lose_nothing(depth: int) -> None:
    text = "\n".join("  " * level + f"- level{level}." for level in range(depth))
    shown = "".join(line.text for line in lines_of(text, 40))
    assert all(f"level{level}." in re.sub(r"\s+|[•◦▪]", "", shown) for level in range(depth))


HOSTILE = [
    *(
        "[red]",
        "[/]",
        "[[[[" * 200,
        "*_" * 200,
        "`" * 300,
        "> " * 200 + "x",
        "- " * 200,
        "1. " * 100,
        "((((" * 200,
        "![" * 100,
    ),
    *("\x00\x1b[31m", "a\ud83d b", "\ud83d\ude00", "שלום עולם " * 20, "مرحبا", "漢字かな" * 30, "👨‍👩‍👧‍👦" * 40, "❤️" * 40),
    *(
        "e\u0301" * 300,
        "\u202eabc",
        "```\n" * 50,
        "|\n" * 50,
        "***\n" * 30,
        "~~" * 300,
        "&amp;" * 100,
        "\\" * 300,
        "<" * 300,
    ),
    *(
        "\t" * 40 + "x",
        " " * 400 + "x",
        "x" * 3_000,
        "# " * 200,
        "---\n" * 50,
        "a\n" * 400,
        "\n" * 100 + "a",
        "|a|\n|-|\n" * 60,
    ),
]


@pytest.mark.parametrize("width", [1, 8, 38, 120])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_drawn_and_fit(text: str, width: int) -> None:
    for line in lines_of(text, width):
        assert sum(segment.cell_length for segment in line.segments) <= max(width, LEAST_WIDTH) + 1
        line.text.encode("utf-8")
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line.text)


WORDS = st.sampled_from(
    ["word", "**bold**", "`code`", "[a](b)", "<i>", "[red]", "漢字", "🦀", "- ", "> ", "# ", "1. ", "\n", "\n\n"]
)


@settings(max_examples=60)
@given(st.lists(WORDS | st.text(max_size=6), max_size=40).map(" ".join), st.integers(8, 60))
def test_any_text_is_drawn(text: str, width: int) -> None:
    for line in lines_of(text, width):
        assert sum(segment.cell_length for segment in line.segments) <= width + 1


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["alpha", "beta.", "- gamma", "  delta", "> epsilon", "# zeta", "| eta |", "1. theta", ""])))
def test_no_word_vanishes(written: list[str]) -> None:
    shown = " ".join(rows("\n".join(written), 60))
    for line in written:
        for word in re.findall(r"[a-z]+", line):
            assert word in shown
