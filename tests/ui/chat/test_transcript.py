"""The transcript as a person sees it: streaming, folding, sticking to the end, keys, clicks, other chats."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memtui.errors import MindUnreachableError
from memtui.ui.measure_chat import finished_messages
from memtui.ui.widgets.message_model import FinishedMessage
from memtui.ui.widgets.message_rows import NOTICE_MARKS
from memtui.ui.widgets.recall_lines import RecallLine
from tests.ui.chat.chat_app import AT, MEMORIES, ChatApp, chat, say

LONG = "\n\n".join(f"paragraph {i}" for i in range(60))


async def test_an_exchange() -> None:
    async with chat() as (app, _):
        say(app, "t1", "Where should I eat? [red]x[/]", "Anywhere **without** shellfish.")
        rows = [row.strip() for row in app.rows()]
        assert rows[0].startswith("You")
        assert rows[0].endswith("Sat 25 Apr 21:10")
        assert rows[1] == "Where should I eat? [red]x[/]"
        assert rows[3].startswith("memtui")
        assert rows[3].endswith("3 memories · 44 of 170 tok")
        assert rows[4] == "Anywhere without shellfish."
        assert rows[5].startswith("m31 moved to Lisbon")
        assert rows[5].endswith("words .12  meaning .71  kept 1.2")
        assert rows[7].startswith("m03 allergic to shellfish")


async def test_writing_says_how_long_and_shows_the_tail() -> None:
    async with chat() as (app, _):
        app.transcript.begin_reply("t1", AT)
        app.now_s += 0.4
        app.transcript.flush()
        assert app.rows()[0].endswith("● waiting  0.4 s")
        app.transcript.append("t1", "Good. That is")
        app.now_s += 1
        app.transcript.flush()
        assert app.rows()[0].endswith("● writing  1.4 s")
        assert app.rows()[1].strip() == "Good. That is"
        app.transcript.append("t1", " **the** sixth")
        app.transcript.flush()
        assert app.rows()[1].strip() == "Good. That is the sixth"


async def test_a_tick_draws_what_was_appended() -> None:
    async with chat() as (app, pilot):
        app.transcript.begin_reply("t1", AT)
        app.transcript.append("t1", "by the clock")
        for _ in range(50):
            await pilot.pause(0.02)
            if "by the clock" in app.screen_text():
                break
        assert "by the clock" in app.screen_text()


async def test_a_stream_in_small_pieces_ends_as_the_whole_would() -> None:
    text = (
        "# Head\n\nSome `code`\n\n```python\ndef f():\n\n    return 1\n```\n- a\n  - b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"
    )
    async with chat(size=(64, 40)) as (app, _):
        app.transcript.begin_reply("t1", AT)
        for at in range(0, len(text), 3):
            app.transcript.append("t1", text[at : at + 3])
            app.transcript.flush()
        before = app.rows()
        app.transcript.finish_reply("t1", text)
        assert app.rows()[1:] == before[1:]  # nothing moves when it is complete
        streamed = app.rows()
        app.transcript.load([FinishedMessage("reply", text)])
        assert app.rows()[1:] == streamed[1:]
        assert any("def f():" in row for row in streamed)


async def test_the_stored_text_wins_over_the_streamed_one() -> None:
    async with chat() as (app, _):
        app.transcript.begin_reply("t1", AT)
        app.transcript.append("t1", "  streamed <tag>")
        app.transcript.flush()
        app.transcript.finish_reply("t1", "stored")
        assert app.rows()[1].strip() == "stored"
        app.transcript.append("t1", "late")  # after the end: dropped
        app.transcript.finish_reply("t1", "late")
        app.transcript.append("never", "late")
        assert "late" not in app.screen_text()


async def test_memories_fold_when_the_next_reply_is_complete() -> None:
    async with chat() as (app, _):
        say(app, "t1", "one", "first")
        app.transcript.begin_reply("t2", AT)
        assert "words .12" in app.screen_text()
        app.transcript.finish_reply("t2", "second", "12 of 170 tok", MEMORIES[:1])
        text = app.screen_text()
        assert "▸ 3 memories  m31 moved to Lisbon, m02 vegetarian" in text
        assert text.count("words .12") == 1
        assert "1 memory · 12 of 170 tok" in text


async def test_a_reply_without_memories_says_so() -> None:
    async with chat() as (app, _):
        app.transcript.begin_reply("t1", AT)
        app.transcript.finish_reply("t1", "x", "0 of 170 tok")
        assert app.rows()[0].endswith("no memories · 0 of 170 tok")


async def test_thinking_is_folded() -> None:
    async with chat() as (app, pilot):
        app.transcript.begin_reply("t1", AT)
        app.transcript.append("t1", "let me [red] see", thinking=True)
        app.now_s += 2
        app.transcript.flush()
        assert app.rows()[1].strip() == "thinking 2 s ▸"
        assert app.rows()[0].endswith("● thinking  2.0 s")
        app.now_s += 1
        app.transcript.append("t1", "Here.")
        app.transcript.finish_reply("t1", "Here.")
        assert [row.strip() for row in app.rows()[1:4]] == ["thought for 3 s ▸", "", "Here."]
        app.transcript.focus()
        await pilot.press("t")
        assert [row.strip(" ▎") for row in app.rows()[1:5]] == ["thought for 3 s ▾", "│ let me [red] see", "", "Here."]


async def test_failures_keep_what_was_said() -> None:
    error = MindUnreachableError("No answer from [x].", safe="Your turn is kept.", todo="Try again.")
    async with chat() as (app, _):
        app.transcript.begin_reply("t1", AT)
        app.transcript.append("t1", "Half of")
        app.transcript.fail_reply("t1", error)
        rows = [row.strip() for row in app.rows()]
        assert rows[0].endswith("broken off")
        assert rows[1:6] == ["Half of", "", "No answer from [x].", "Your turn is kept.", "Try again."]
        app.transcript.begin_reply("t2", AT)
        app.transcript.fail_reply("t2", "gone")
        assert "no answer" in app.screen_text()
        app.transcript.begin_reply("t3", AT)
        app.transcript.append("t3", "Cut")
        app.transcript.finish_reply("t3", "Cut", "3 of 170 tok", interrupted=True)
        assert "interrupted · no memories · 3 of 170 tok" in app.screen_text()


async def test_notices_are_quiet_lines() -> None:
    async with chat() as (app, _):
        for kind in NOTICE_MARKS:
            app.transcript.notice(f"{kind} [b]text[/b]", kind)
        shown = [row.strip() for row in app.rows() if row.strip()]
        assert shown == [f"{mark} {kind} [b]text[/b]" for kind, mark in NOTICE_MARKS.items()]


async def test_secrets_and_years_in_the_header() -> None:
    async with chat() as (app, _):
        app.transcript.add_user("t1", "old", AT - timedelta(days=700))
        app.transcript.add_user("t2", "new", AT, masked=2)
        assert app.rows()[0].endswith("Sat 25 May 2024 21:10")
        assert app.rows()[3].endswith("2 secrets removed · Sat 25 Apr 21:10")


async def test_it_stays_at_the_end_unless_the_person_scrolled_up() -> None:
    async with chat(size=(50, 20)) as (app, pilot):
        say(app, "t1", "go", LONG)
        await pilot.pause()
        assert app.transcript.at_end
        assert "m03" in app.screen_text()
        app.transcript.scroll_to(y=10)
        await pilot.pause()
        before = app.rows()
        assert not app.transcript.at_end
        app.transcript.begin_reply("t2", AT)
        app.transcript.append("t2", LONG)
        app.transcript.flush()
        await pilot.pause()
        assert app.rows()[:-1] == before[:-1]
        assert app.rows()[-1].endswith("↓ new")
        assert app.transcript.has_unseen
        await pilot.click(app.transcript, offset=(44, app.transcript.size.height - 1))
        await pilot.pause()
        assert app.transcript.at_end
        assert "↓ new" not in app.screen_text()
        assert "paragraph 59" in app.screen_text()


async def test_ones_own_turn_goes_to_the_end() -> None:
    async with chat(size=(50, 20)) as (app, pilot):
        say(app, "t1", "go", LONG)
        app.transcript.scroll_home(animate=False)
        await pilot.pause()
        app.transcript.add_user("t2", "my words", AT)
        assert "my words" in app.screen_text()


async def test_the_wheel_scrolls_without_taking_the_focus() -> None:
    async with chat(size=(50, 20)) as (app, pilot):
        say(app, "t1", "go", LONG)
        await pilot.pause()
        bottom = app.transcript.scroll_y
        app.transcript.scroll_up(animate=False)
        await pilot.pause()
        assert app.transcript.scroll_y < bottom
        await pilot.click(app.transcript, offset=(5, 5))
        assert app.focused is app.prompt


async def test_keys_move_between_messages_and_copy_them() -> None:
    async with chat(size=(50, 20)) as (app, pilot):
        say(app, "t1", "first", "one\n\n```py\na = 1\n```\n\n```py\nb = 2\n```")
        say(app, "t2", "second", "**two** \ud83d")
        app.transcript.focus()
        await pilot.press("y")
        assert app.copied == [("message", "**two** �")]
        await pilot.press("up", "y", "up", "y", "c", "c", "c")
        assert app.copied[1] == ("message", "second")
        assert app.copied[2][1].startswith("one\n\n```py")
        assert app.copied[3:] == [
            ("code block 1 of 2", "a = 1"),
            ("code block 2 of 2", "b = 2"),
            ("code block 1 of 2", "a = 1"),
        ]
        assert any(row.startswith("▎memtui") for row in app.rows())
        await pilot.press("up", "up", "up", "y")
        assert app.copied[-1][1] == "first"
        await pilot.press("end", "y")
        assert app.copied[-1][1] == "**two** �"
        app.prompt.focus()
        await pilot.pause()
        assert "▎" not in app.screen_text()


async def test_m_folds_and_unfolds() -> None:
    async with chat() as (app, pilot):
        say(app, "t1", "q", "a")
        app.transcript.focus()
        await pilot.press("m")
        assert "▸ 3 memories" in app.screen_text()
        await pilot.press("m")
        assert "words .12" in app.screen_text()


async def test_clicks_fold_copy_and_choose() -> None:
    async with chat(size=(64, 24)) as (app, pilot):
        say(app, "t1", "q", "a\n\n```py\nx = 1\n```")
        await pilot.pause()
        rows = app.rows()
        code = next(y for y, row in enumerate(rows) if row.endswith("copy"))
        await pilot.click(app.transcript, offset=(rows[code].index("copy") + 1, code))
        assert app.copied == [("code block", "x = 1")]
        memory = next(y for y, row in enumerate(rows) if "m02" in row)
        await pilot.click(app.transcript, offset=(8, memory))
        assert app.memories == ["id-02"]
        await pilot.click(app.transcript, offset=(rows[3].index("3 memories") + 2, 3))
        assert "▸ 3 memories" in app.screen_text()
        folded = next(y for y, row in enumerate(app.rows()) if "▸ 3 memories" in row)
        await pilot.click(app.transcript, offset=(8, folded))
        assert "words .12" in app.screen_text()


async def test_another_chat_is_loaded_lazily_and_at_its_end() -> None:
    async with chat() as (app, pilot):
        say(app, "t1", "before", "the switch")
        app.transcript.begin_reply("t2", AT)
        app.transcript.load(finished_messages(500))
        app.transcript.append("t2", "late")
        await pilot.pause()
        assert "before" not in app.screen_text()
        assert "words .12" in app.screen_text()
        assert sum(view.built for view in app.transcript.messages.views) < 10
        app.transcript.clear()
        await pilot.pause()
        assert app.transcript.is_empty
        assert app.screen_text().strip() == ""


async def test_going_to_a_turn_and_to_a_time() -> None:
    async with chat() as (app, pilot):
        messages = finished_messages(300)
        app.transcript.load(messages)
        assert app.transcript.scroll_to_turn("t0020")
        await pilot.pause()
        assert "Question 40:" in app.screen_text()
        assert any(row.startswith("▎You") for row in app.rows())
        at = messages[200].at
        assert at is not None
        assert app.transcript.scroll_to_time(at + timedelta(seconds=30))
        await pilot.pause()
        assert "Question 200:" in app.screen_text()
        assert not app.transcript.scroll_to_turn("nowhere")
        assert not app.transcript.scroll_to_time(at - timedelta(days=900))


async def test_messages_said_before_the_first_layout_are_shown() -> None:
    app = ChatApp()
    app.transcript.add_user("t1", "early", AT)
    app.transcript.begin_reply("t1", AT)
    app.transcript.append("t1", "bird")
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.pause()
        app.transcript.flush()
        assert "early" in app.screen_text()
        assert "bird" in app.screen_text()
        app.transcript.finish_reply("t1", "bird")


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "nord"])
async def test_another_theme_recolours_and_keeps_the_text(theme: str) -> None:
    async with chat() as (app, pilot):
        say(app, "t1", "q", "a **b**\n\n```py\nreturn 1\n```")
        await pilot.pause()
        before = app.rows()
        style = app.transcript.palette["you"]
        app.theme = theme
        await pilot.pause()
        assert app.rows() == before
        assert app.transcript.palette["you"] != style


async def test_a_memory_with_a_long_text_is_cropped() -> None:
    async with chat(size=(40, 20)) as (app, _):
        app.transcript.load(
            [
                FinishedMessage(
                    "reply", "x", memories=(RecallLine("i", "m01", "word " * 100, 0, 0, 0),), tokens="9 of 170 tok"
                )
            ]
        )
        assert all(len(row) <= 40 for row in app.rows())
        assert "…" in app.screen_text()
