"""What must be harmless in the transcript: markup, control characters, scripts of all kinds, huge texts, narrow screens."""

from __future__ import annotations

import pytest
from textual.selection import SELECT_ALL

from memtui.ui.widgets.message_model import FinishedMessage
from memtui.ui.widgets.recall_lines import RecallLine
from tests.ui.chat.chat_app import AT, MEMORIES, chat, say

HOSTILE = {
    "markup": "[red]x[/] [/] [@click=app.quit]y[/] $error",
    "surrogates": "a \ud83d b \udc00 c",
    "pair": "\ud83d\ude00",
    "control": "a\x00b\x1b[31mc\x07\x08\x9bd\x7f",
    "rtl": "שלום עולם مرحبا \u202eabc\u202c \u2066x",
    "cjk": "漢字かなカナ한글" * 20,
    "emoji": "🦀🎉 ❤️ 👍🏽 🇵🇹 1️⃣",
    "zwj": "👨‍👩‍👧‍👦" * 30,
    "combining": "e\u0301" * 200 + "Z" + "\u0335" * 200,
    "lines": "a\r\nb\rc\u2028d\u2029e\x85f\x0bg\x0ch",
    "fence": "```python\ndef f(",
    "fences": "```\n~~~\n```\n````\n```",
    "table": "| a | b\n|---|\n| c",
    "lists": "\n".join("  " * i + "- x" for i in range(120)),
    "quotes": ">" * 300 + " x",
    "spaces": " " * 5_000 + "\t" * 500,
    "empty": "",
    "link": "[x](javascript:alert(1)) <https://a\x1b]8;;b> [y](\x00)",
    "html": "<script>x</script><!-- y -->&#x1b;[31m&lt;",
}


async def test_hostile_texts_everywhere() -> None:
    async with chat(size=(44, 16)) as (app, pilot):
        transcript = app.transcript
        for name, text in HOSTILE.items():
            transcript.notice(text, "error")
            transcript.add_user(name, text, AT)
            transcript.begin_reply(name, AT)
            for at in range(0, min(len(text), 60), 7):
                transcript.append(name, text[at : at + 7])
                transcript.append(name, text[at : at + 7], thinking=True)
            transcript.flush()
            transcript.finish_reply(name, text, text[:30], (RecallLine("i", "m01", text, 0, 0, 0),))
            transcript.begin_reply("failing", AT)
            transcript.fail_reply("failing", text)
            assert all(is_harmless(row) for row in app.rows()), name
        transcript.focus()
        await pilot.press("up", "t", "y", "c", "m", "home", "pagedown")
        while not transcript.at_end:
            assert all(is_harmless(row) for row in app.rows())
            transcript.scroll_page_down(animate=False)
        app.screen.selections = {transcript: SELECT_ALL}
        selected = app.screen.get_selected_text()
        assert selected is not None
        assert is_harmless(selected.encode("utf-8").decode(), copied=True)
        assert all(is_harmless(text, copied=True) for _, text in app.copied)


def is_harmless(text: str, *, copied: bool = False) -> bool:
    """No lone surrogate; drawn, nothing a terminal obeys either."""
    text.encode("utf-8")
    return copied or all(ord(c) >= 32 and not 0x7F <= ord(c) < 0xA0 for c in text)


async def test_a_reply_of_ten_thousand_lines() -> None:
    text = "\n".join(f"line {i}" for i in range(10_000))
    async with chat(size=(60, 20)) as (app, pilot):
        app.transcript.begin_reply("t1", AT)
        for at in range(0, len(text), 4_000):
            app.transcript.append("t1", text[at : at + 4_000])
            app.transcript.flush()
        app.transcript.finish_reply("t1", text, "44 of 170 tok", MEMORIES)
        await pilot.pause()
        assert "line 1999" in app.screen_text()
        assert "… 8,000 more lines, o opens them all" in app.screen_text()
        app.transcript.focus()
        await pilot.press("o")
        assert "line 2003" in app.screen_text()  # the place is kept
        await pilot.press("end")
        assert "line 9999" in app.screen_text()
        await pilot.press("y")
        assert app.copied[-1][1] == text


async def test_ten_thousand_lines_that_are_stored_are_clipped_from_their_beginning() -> None:
    text = "\n".join(f"line {i}" for i in range(10_000))
    async with chat(size=(60, 20)) as (app, pilot):
        app.transcript.load([FinishedMessage("reply", text, id="t1")])
        await pilot.pause()
        row = next(y for y, row in enumerate(app.rows()) if "8,000 more lines" in row)
        await pilot.click(app.transcript, offset=(5, row))
        await pilot.pause()
        assert "more lines" not in app.screen_text()
        assert "line 2000" in app.screen_text()


@pytest.mark.parametrize("text", ["x" * 1_048_576, "word " * 209_715, "a\n\n" * 350_000], ids=["letters", "words", "lines"])
async def test_a_message_of_a_megabyte(text: str) -> None:
    async with chat(size=(60, 20)) as (app, pilot):
        app.transcript.add_user("t1", text, AT)
        await pilot.pause()
        assert "o opens them all" in app.screen_text()
        app.transcript.focus()
        await pilot.press("y", "home", "end")
        assert app.copied == [("message", text)]
        drawn = [part for part in app.transcript.messages.views[0].parts() if part.lines is not None]
        assert sum(len(part.lines or ()) for part in drawn) < 2_000


async def test_a_megabyte_streamed_as_one_line() -> None:
    async with chat(size=(60, 20)) as (app, pilot):
        app.transcript.begin_reply("t1", AT)
        for _ in range(100):
            app.transcript.append("t1", "word " * 2_000)
            app.transcript.flush()
        await pilot.pause()
        assert "more characters, o opens them all" in app.screen_text()
        app.transcript.finish_reply("t1", "word " * 200_000)


async def test_resizing_while_a_reply_streams() -> None:
    text = "Some words that wrap at any width of the screen. " * 12 + "\n\n```py\nx = 1\n```\n\n- item\n\n"
    async with chat(size=(100, 30)) as (app, pilot):
        say(app, "t0", "before", text)
        app.transcript.begin_reply("t1", AT)
        for number, (width, height) in enumerate([(100, 30), (60, 20), (40, 12), (30, 8), (120, 40), (40, 12), (90, 24)]):
            for piece in text.split(" "):
                app.transcript.append("t1", piece + " ")
            app.transcript.append("t1", f"\n\nround {number} is over")
            await pilot.resize_terminal(width, height)
            app.transcript.flush()
            await pilot.pause()
            assert app.transcript.at_end
            assert f"round {number}" in app.screen_text()
            assert all(len(row) <= width for row in app.rows())
        app.transcript.finish_reply("t1", "done")


async def test_resizing_keeps_the_readers_place() -> None:
    async with chat(size=(100, 20)) as (app, pilot):
        for number in range(30):
            say(app, f"t{number}", f"question number {number}", "answer in some words that wrap " * 6)
        app.transcript.scroll_to_turn("t12")
        await pilot.pause()
        for size in ((50, 20), (40, 12), (120, 36), (100, 20)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert "question number 12" in app.screen_text()


@pytest.mark.parametrize("size", [(40, 12), (20, 6), (8, 4), (3, 3), (200, 60)])
async def test_any_terminal(size: tuple[int, int]) -> None:
    async with chat(size=size) as (app, pilot):
        say(
            app,
            "t1",
            "Where should I eat?",
            "Anywhere.\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- a\n  - b",
        )
        app.transcript.focus()
        await pilot.press("up", "ctrl+f", "a", "enter", "escape", "m", "y")
        await pilot.pause()
        assert all(len(row) <= size[0] for row in app.rows())
