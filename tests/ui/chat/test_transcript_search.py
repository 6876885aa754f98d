"""Finding text in the chat."""

from __future__ import annotations

import re

from textual import events

from memtui.ui.measure_chat import finished_messages
from memtui.ui.widgets.message_blocks import Piece
from memtui.ui.widgets.message_lines import draw
from memtui.ui.widgets.message_model import FinishedMessage
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.transcript_search import row_spans
from tests.ui.chat.chat_app import chat, say


async def test_finding_goes_to_the_match_and_back() -> None:
    async with chat(size=(60, 20)) as (app, pilot):
        app.transcript.load(finished_messages(300))
        await pilot.pause()
        app.transcript.action_search()
        await pilot.pause()
        assert app.transcript.has_focus
        app.transcript.post_message(events.Paste("ANSWER 4"))
        await pilot.press("1")
        assert "Answer 41." in app.screen_text()
        assert "find ANSWER 41" in app.rows()[-1]
        assert "1 of 1" in app.rows()[-1]
        await pilot.press("backspace")
        assert "5 of 5" in app.rows()[-1]  # 41, 43, 45, 47, 49
        await pilot.press("escape")
        await pilot.pause()
        assert app.prompt.has_focus
        assert "find" not in app.rows()[-1]


async def test_enter_goes_to_older_ones_and_down_to_newer() -> None:
    async with chat(size=(60, 16)) as (app, pilot):
        for number in range(12):
            say(app, f"t{number}", f"number {number}", "the needle is here" if number % 4 == 0 else "nothing")
        app.transcript.action_search()
        await pilot.press(*"needle")
        assert "3 of 3" in app.rows()[-1]
        await pilot.press("enter")
        assert "2 of 3" in app.rows()[-1]
        assert "number 4" in app.screen_text() or "needle" in app.screen_text()
        await pilot.press("up", "up")
        assert "3 of 3" in app.rows()[-1]
        await pilot.press("down")
        assert "1 of 3" in app.rows()[-1]
        await pilot.press("ctrl+u")
        assert "of" not in app.rows()[-1].replace("older", "")
        await pilot.press(*"zzz")
        assert "not found" in app.rows()[-1]


async def test_letters_are_letters_while_searching() -> None:
    async with chat() as (app, pilot):
        say(app, "t1", "copy my toy", "a")
        app.transcript.action_search()
        await pilot.press(*"ycmto[/]")
        assert app.copied == []
        assert "find ycmto[/]" in app.rows()[-1]
        app.transcript.post_message(events.Paste("[red]\x00\ud83d\nsecond line"))
        await pilot.pause()
        assert "find ycmto[/][red]␀�" in app.rows()[-1]


async def test_matches_are_marked_across_wraps() -> None:
    async with chat(size=(30, 20)) as (app, pilot):
        say(app, "t1", "q", "some words before the golden apple of discord")
        app.transcript.action_search()
        app.transcript.post_message(events.Paste("the golden apple"))
        await pilot.pause()
        current = app.transcript.palette["match-current"].bgcolor
        marked = "".join(
            segment.text
            for y in range(18)
            for segment in app.transcript.render_line(y)
            if segment.style is not None and segment.style.bgcolor == current
        )
        assert marked.split() == ["the", "golden", "apple"]


async def test_what_a_clip_hides_is_found_at_the_row_that_says_so() -> None:
    async with chat(size=(60, 20)) as (app, pilot):
        text = "\n".join(f"row {i}" for i in range(5_000)) + "\nhidden treasure"
        app.transcript.load([FinishedMessage("reply", text, id="t1")])
        app.transcript.scroll_home(animate=False)
        app.transcript.action_search()
        app.transcript.post_message(events.Paste("hidden treasure"))
        await pilot.pause()
        assert "1 of 1" in app.rows()[-1]
        assert "more lines, o opens them all" in app.screen_text()


async def test_searching_an_empty_chat_and_switching_while_searching() -> None:
    async with chat() as (app, pilot):
        app.transcript.action_search()
        await pilot.press("a", "enter", "down")
        assert "not found" in app.rows()[-1]
        app.transcript.load(finished_messages(4))
        await pilot.pause()
        assert app.transcript.search is None
        assert app.prompt.has_focus


def test_spans_follow_soft_wraps_and_skip_decoration() -> None:
    lines = draw(Piece("markdown", "> one two three four five"), 14, Palette.plain())
    spans = row_spans(lines, re.compile("two three", re.IGNORECASE))
    texts = [lines[span.row].text[span.start : span.end] for span in spans]
    assert " ".join(text.strip() for text in texts) == "two three"
    assert {span.nth for span in spans} == {0}
