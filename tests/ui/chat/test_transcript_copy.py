"""Selecting with the mouse: what is selected is what was written, wherever the rows are by then."""

from __future__ import annotations

from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import SELECT_ALL

from memtui.ui.widgets.transcript_copy import row_number, row_of, word_at
from tests.ui.chat.chat_app import AT, ChatApp, chat, say

PARAGRAPH = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


async def drag(pilot: Pilot[None], app: ChatApp, start: tuple[int, int], end: tuple[int, int]) -> str | None:
    await pilot.mouse_down(app.transcript, offset=start)
    await pilot.hover(app.transcript, offset=end)
    await pilot.mouse_up(app.transcript, offset=end)
    await pilot.pause()
    return app.screen.get_selected_text()


def row_with(app: ChatApp, text: str) -> int:
    return next(y for y, row in enumerate(app.rows()) if text in row)


async def test_a_wrapped_paragraph_is_copied_as_one_line() -> None:
    async with chat(size=(34, 30)) as (app, pilot):
        say(app, "t1", "q", PARAGRAPH)
        first, last = row_with(app, "one two"), row_with(app, "fourteen")
        assert last > first
        assert await drag(pilot, app, (1, first), (30, last)) == PARAGRAPH
        assert await drag(pilot, app, (5, first), (7, first)) == "two"
        assert await drag(pilot, app, (7, first), (5, first)) == "two"  # from right to left


async def test_the_selection_is_seen() -> None:
    async with chat(size=(34, 30)) as (app, pilot):
        say(app, "t1", "q", PARAGRAPH)
        y = row_with(app, "one two")
        plain = app.transcript.render_line(y)
        await drag(pilot, app, (5, y), (7, y))
        strip = app.transcript.render_line(y)
        assert strip.text == plain.text
        background = app.transcript.rich_style.bgcolor
        assert "two" in "".join(s.text for s in strip if s.style is not None and s.style.bgcolor != background)


async def test_code_is_copied_without_its_pad_and_head() -> None:
    code = "def f(x):\n    return x"
    async with chat(size=(60, 30)) as (app, pilot):
        say(app, "t1", "q", f"see\n\n```py\n{code}\n```\n\nend")
        assert await drag(pilot, app, (1, row_with(app, " py ")), (40, row_with(app, "return x"))) == code
        assert await drag(pilot, app, (1, row_with(app, "def f")), (40, row_with(app, "return x"))) == code


async def test_over_several_messages() -> None:
    async with chat(size=(60, 40)) as (app, pilot):
        for turn in ("one", "two", "three"):
            say(app, turn, f"question {turn}", f"**answer** {turn}")
        start, end = row_with(app, "question one"), row_with(app, "question three")
        text = await drag(pilot, app, (1, start), (14, end))
        assert text is not None
        assert text.startswith("question one\n\nmemtui")
        assert "**answer** two" in text  # a message that is selected as a whole is copied as it was written
        assert "You  Sat 25 Apr 21:10\nquestion two" in text
        assert text.endswith("question three")


async def test_a_selection_stays_on_its_words_while_a_reply_streams() -> None:
    async with chat(size=(40, 14)) as (app, pilot):
        say(app, "t1", "q", "alpha beta gamma")
        app.transcript.begin_reply("t2", AT)
        await pilot.pause()
        y = row_with(app, "alpha")
        assert await drag(pilot, app, (7, y), (10, y)) == "beta"
        for _ in range(5):
            app.transcript.append("t2", "more words\n\n" * 4)
            app.transcript.flush()
            await pilot.pause()
        assert "alpha" not in app.screen_text()
        assert app.screen.get_selected_text() == "beta"


async def test_everything() -> None:
    async with chat(size=(40, 12)) as (app, pilot):
        for number in range(30):
            say(app, f"t{number}", f"question {number}", f"answer {number}")
        app.screen.selections = {app.transcript: SELECT_ALL}
        await pilot.pause()
        text = app.screen.get_selected_text()
        assert text is not None
        assert all(f"question {n}\n" in text and f"answer {n}" in text for n in range(30))


async def test_two_clicks_select_a_word_and_three_the_message() -> None:
    async with chat(size=(60, 20)) as (app, pilot):
        say(app, "t1", "what about don't-care words", "answer")
        y = row_with(app, "about")
        await pilot.click(app.transcript, offset=(8, y), times=2)
        assert app.screen.get_selected_text() == "about"
        await pilot.click(app.transcript, offset=(14, y), times=2)
        assert app.screen.get_selected_text() == "don't-care"
        await pilot.click(app.transcript, offset=(14, y), times=3)
        assert app.screen.get_selected_text() == "You  Sat 25 Apr 21:10\nwhat about don't-care words"


async def test_a_new_width_ends_the_selection() -> None:
    async with chat(size=(60, 20)) as (app, pilot):
        say(app, "t1", "q", PARAGRAPH)
        assert await drag(pilot, app, (1, 4), (9, 4))
        await pilot.resize_terminal(40, 20)
        await pilot.pause()
        assert not app.screen.get_selected_text()


async def test_dragging_below_the_last_message() -> None:
    async with chat(size=(60, 24)) as (app, pilot):
        app.transcript.add_user("t1", "only this", AT)
        await pilot.pause()
        assert await drag(pilot, app, (1, 1), (5, 12)) == "only this"


def test_rows_have_numbers_that_grow() -> None:
    places = [(0, 0, 0), (0, 0, 5), (0, 3, 0), (1, 0, 0), (1, 0, 1), (70_000, 900, 12)]
    numbers = [row_number(*place) for place in places]
    assert numbers == sorted(numbers)
    assert [row_of(number) for number in numbers] == places


def test_words() -> None:
    text = "say it's well-known, Зелёный 漢字!"
    assert [text[slice(*word_at(text, x))] for x in (0, 5, 12, 19, 22, 29)] == [
        *("say", "it's", "well-known", ","),
        "Зелёный",
        "漢字",
    ]
    assert word_at("", 0) == (0, 1)


def test_offsets_are_what_the_screen_compares() -> None:
    assert Offset(3, row_number(1, 0, 0)).transpose > Offset(9, row_number(0, 9, 9)).transpose
