"""Thinking is told from speech however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.minds.thinking import StreamText, ThinkingSplitter, without_thinking


def _split(text: str, size: int, *, inside: bool = False) -> tuple[str, str, ThinkingSplitter]:
    splitter = ThinkingSplitter(starts_inside=inside)
    deltas = [delta for at in range(0, len(text), size) for delta in splitter.feed(text[at : at + size])]
    deltas += splitter.finish()
    thought = "".join(d.text for d in deltas if d.thinking)
    return thought, "".join(d.text for d in deltas if not d.thinking), splitter


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ("Hello <b>there</b>", "", "Hello <b>there</b>"),
        ("<think>a < b</think>\n\nHello", "a < b", "Hello"),
        ("\n <THINKING>x</thinking>{}", "x", "{}"),
        ("<think>one</think><think>two</think>three", "onetwo", "three"),
        ("Use <think> like </think> this", "", "Use <think> like </think> this"),
        ("<thin air>", "", "<thin air>"),
        ("a </thi", "", "a </thi"),
        ("<think></think>ok", "", "ok"),
        ("   ", "", ""),
    ],
)
def test_split(text: str, thought: str, said: str, size: int) -> None:
    assert _split(text, size)[:2] == (thought, said)


@pytest.mark.parametrize("size", [1, 4, 100])
def test_an_unclosed_block_is_all_thinking(size: int) -> None:
    thought, said, splitter = _split("<think>I wonder </thi", size)
    assert (thought, said) == ("I wonder </thi", "")
    assert splitter.unclosed


@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_closing_tag_that_was_never_opened_is_noticed(size: int) -> None:
    _, said, splitter = _split("Let me see.\n</think>\n\nHello", size)
    assert splitter.stray_close
    assert "think" not in said
    thought, said, _ = _split("Let me see.\n</think>\n\nHello", size, inside=True)
    assert (thought, said) == ("Let me see.\n", "Hello")


@given(st.text(alphabet="<>/think ab\n", max_size=60), st.integers(1, 9))
def test_cutting_never_changes_what_is_told_apart(text: str, size: int) -> None:
    assert _split(text, size)[:2] == _split(text, len(text) + 1)[:2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>{}</think>{1}", "{1}"),
        ("<think>never ends {}", ""),
        ("I think\n</think>\n{1}", "\n{1}"),
        ('{"a": "about </think> tags"}', '{"a": "about </think> tags"}'),
    ],
)
def test_whole_answers_without_thinking(text: str, said: str) -> None:
    assert without_thinking(text) == said


def test_torn_surrogates_and_line_ends_are_joined() -> None:
    cleaner = StreamText()
    parts = [cleaner.feed(text) for text in ("a\ud83d", "\ude00b\r", "\nc\r", "d\ud800", "e\x00\ud83d")]
    assert "".join(parts) + cleaner.finish() == "a😀b\nc\nd�e�"
