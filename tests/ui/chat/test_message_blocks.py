"""Markdown cut into pieces: streamed like stored, nothing lost, nothing split that belongs together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.ui.widgets.message_blocks import (
    HARD_LINES,
    MOST_CHARS,
    BlockSplitter,
    Piece,
    code_blocks,
    fenced_block,
    split_blocks,
)

MARKDOWN_LINES = (
    *("text", "# head", "- item", "  - nested", "1. one", "> quote", "", "", "    code", "```python", "```", "~~~", "x = 1"),
    *("| a | b |", "|---|---|", "| 1 | 2 |", "  ```", "---", "long " * 30),
)
MARKDOWN = st.lists(st.sampled_from(MARKDOWN_LINES), max_size=40).map("\n".join)


def sources(text: str) -> list[str]:
    return [piece.source for piece in split_blocks(text)]


@given(MARKDOWN, st.lists(st.integers(1, 17), min_size=1, max_size=20))
def test_a_stream_is_cut_like_the_whole(text: str, sizes: list[int]) -> None:
    splitter = BlockSplitter()
    at = turn = 0
    seen: list[Piece] = []
    while at < len(text):
        size = sizes[turn % len(sizes)]
        splitter.feed(text[at : at + size])
        assert splitter.done[: len(seen)] == seen  # what is final stays
        seen = list(splitter.done)
        at, turn = at + size, turn + 1
    splitter.finish()
    assert splitter.done == split_blocks(text)


@given(MARKDOWN)
def test_no_line_is_lost(text: str) -> None:
    kept = "\n".join(sources(text))
    for line in text.split("\n"):
        if not line.strip(" `~").startswith("python") and line.strip(" `~"):
            assert line.strip() in kept


def test_paragraphs_lists_and_code_are_pieces() -> None:
    text = "Hello\nyou\n\n- a\n\n- b\n  more\n\nend\n```py\nx = 1\n\ny = 2\n```\nafter"
    pieces = split_blocks(text)
    assert [(p.kind, p.source) for p in pieces] == [
        ("markdown", "Hello\nyou"),
        ("markdown", "- a\n\n- b\n  more"),
        ("markdown", "end"),
        ("code", "x = 1\n\ny = 2"),
        ("markdown", "after"),
    ]
    assert pieces[3].language == "py"
    assert pieces[3].block == 0


def test_an_unclosed_fence_is_code_to_the_end() -> None:
    assert [(p.kind, p.source) for p in split_blocks("see\n```js\nlet a\n\n# not a head")] == [
        ("markdown", "see"),
        ("code", "let a\n\n# not a head"),
    ]


def test_a_fence_shows_while_it_is_written() -> None:
    splitter = BlockSplitter()
    shown = []
    for part in ("Code:\n", "``", "`py", "\n", "x = 1\n", "``", "`", "\nend"):
        splitter.feed(part)
        shown.append((len(splitter.done), splitter.open))
    kinds = [(done, piece.kind if piece else None, piece.source if piece else "") for done, piece in shown]
    assert kinds[0] == (0, "markdown", "Code:")
    assert kinds[2] == (0, "markdown", "Code:")  # a fence being written is no text
    assert kinds[3] == (1, "code", "")
    assert kinds[4] == (1, "code", "x = 1")
    assert kinds[6] == (1, "code", "x = 1")  # nor is the one that closes it
    assert kinds[7] == (2, "markdown", "end")


def test_fences_in_lists_and_quotes_stay_with_them() -> None:
    text = "- do this:\n  ```sh\n  ls\n\n  pwd\n  ```\n- then that"
    assert sources(text) == [text]
    quote = "> said\n> ```\n> x\n> ```\n\nend"
    assert sources(quote) == ["> said\n> ```\n> x\n> ```", "end"]


def test_indented_code_keeps_its_blank_lines() -> None:
    assert sources("    a = 1\n\n    b = 2\n\nend") == ["    a = 1\n\n    b = 2", "end"]


def test_long_runs_are_bounded_and_joined() -> None:
    for line in ("plain line", "- item", "> quote"):
        pieces = split_blocks("\n".join(f"{line} {i}" for i in range(1_000)))
        assert len(pieces) >= 5
        assert all(len(p.source.split("\n")) <= HARD_LINES for p in pieces)
        assert [p.joined for p in pieces] == [False] + [True] * (len(pieces) - 1)


def test_a_long_table_repeats_its_head() -> None:
    pieces = split_blocks("| a | b |\n|---|---|\n" + "\n".join(f"| {i} | x |" for i in range(300)))
    assert len(pieces) > 1
    assert all(p.source.startswith("| a | b |\n|---|---|\n") for p in pieces)


def test_long_code_is_one_block_in_several_pieces() -> None:
    code = "\n".join(f"line {i}" for i in range(1_000))
    pieces = split_blocks(f"```py\n{code}\n```\n\n```\nnext\n```")
    assert "\n".join(p.source for p in pieces if p.block == 0) == code
    assert {p.block for p in pieces} == {0, 1}
    assert [p.joined for p in pieces if p.block == 0][:2] == [False, True]


def test_a_line_of_a_megabyte_is_cut_at_words() -> None:
    text = "word " * 200_000
    pieces = split_blocks(text)
    assert all(len(p.source) <= MOST_CHARS for p in pieces)
    assert "".join(p.source for p in pieces) == text
    splitter = BlockSplitter()
    for at in range(0, len(text), 50_000):
        splitter.feed(text[at : at + 50_000])
    splitter.finish()
    assert "".join(p.source for p in splitter.done) == text


def test_what_a_person_typed_is_kept_letter_by_letter() -> None:
    text = "# no head\n\n\n  two spaces\n__init__"
    assert split_blocks(text, verbatim=True) == [Piece("verbatim", text)]
    mixed = split_blocks("look:\n```\ncode\n```\n- item", verbatim=True)
    assert [p.kind for p in mixed] == ["verbatim", "code", "verbatim"]
    many = "\n".join("line" if i % 3 else "" for i in range(1, 500))
    assert "\n".join(p.source for p in split_blocks(many, verbatim=True)) == many


def test_code_to_copy() -> None:
    text = "a\n```py\nx = 1\n```\n- item\n  ```\n  y\n    z\n  ```\n> ```\n> q\n> ```\n```\nopen"
    assert code_blocks(text) == ["x = 1", "y\n  z", "q", "open"]
    assert code_blocks("no code, `inline` and ```three``` in a row") == []
    assert fenced_block(text, 0) == "x = 1"
    assert fenced_block(text, 7) == ""
