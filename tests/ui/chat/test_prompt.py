"""Typing: sending, new lines, history, pastes, what a terminal would obey; nothing typed is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from memtui.ui.widgets.prompt import PLACEHOLDER, Prompt
from memtui.ui.widgets.prompt_history import MOST, PromptHistory
from memtui.ui.widgets.prompt_text import LONG_PASTE, PasteShelf, drawn, places
from tests.ui.chat.chat_app import ChatApp, chat

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=60)


def shown(app: ChatApp) -> str:
    return "\n".join(app.prompt.render_line(y).text.rstrip() for y in range(app.prompt.size.height))


async def test_enter_sends_and_newline_keys_do_not() -> None:
    async with chat() as (app, pilot):
        assert PLACEHOLDER in shown(app)
        assert app.prompt.border_subtitle == "ctrl+j newline"
        await pilot.press(*"hi", "ctrl+j", *"[/]", "shift+enter", "u")
        assert app.sent == []
        assert app.prompt.draft == "hi\n[/]\nu"
        await pilot.press("enter")
        assert app.sent == ["hi\n[/]\nu"]
        assert app.prompt.draft == ""
        await pilot.press("enter", "space", "enter")
        assert len(app.sent) == 1  # nothing but blanks is no turn


async def test_it_grows_to_eight_rows_and_then_scrolls() -> None:
    async with chat(size=(40, 30)) as (app, pilot):
        heights = [app.prompt.size.height]
        for count in (2, 8, 20):
            app.prompt.draft = "\n".join(str(n) for n in range(count))
            await pilot.pause()
            heights.append(app.prompt.size.height)
        assert heights == [1, 2, 8, 8]
        assert "19" in shown(app)
        app.prompt.draft = "word " * 20  # wrapped rows count
        await pilot.pause()
        assert app.prompt.size.height == 3
        assert app.transcript.size.height >= 10


async def test_up_and_down_walk_what_was_sent() -> None:
    async with chat() as (app, pilot):
        for text in ("one", "two\nrows"):
            app.prompt.insert_text(text)
            await pilot.press("enter")
        app.prompt.insert_text("half")
        await pilot.press("up")
        assert app.prompt.draft == "two\nrows"
        await pilot.press("up")
        assert app.prompt.draft == "one"
        await pilot.press("up")
        assert app.prompt.draft == "one"  # there is nothing before
        await pilot.press("x", "down")
        assert app.prompt.draft == "two\nrows"
        await pilot.press("down")
        assert app.prompt.draft == "half"  # what was begun
        await pilot.press("down")
        assert app.prompt.draft == "half"
        await pilot.press("up", "up")
        assert app.prompt.draft == "onex"  # a change stays until something is sent
        await pilot.press("enter", "up", "up", "up")
        assert app.prompt.draft == "one"


async def test_arrows_move_within_a_text_before_they_walk() -> None:
    async with chat() as (app, pilot):
        await pilot.press(*"sent", "enter", "a", "ctrl+j", "b", "up")
        assert app.prompt.draft == "a\nb"
        assert app.prompt.cursor_location == (0, 1)
        await pilot.press("up")
        assert app.prompt.draft == "sent"


async def test_escape_clears_and_keeps() -> None:
    async with chat() as (app, pilot):
        app.prompt.insert_text("a long thought")
        await pilot.press("escape")
        assert app.prompt.draft == ""
        assert app.sent == []
        await pilot.press("up")
        assert app.prompt.draft == "a long thought"


async def test_a_megabyte_is_pasted_as_its_size() -> None:
    text = "x" * 1_048_576
    async with chat() as (app, pilot):
        await pilot.press(*"see ")
        app.prompt.post_message(events.Paste(text))
        await pilot.pause()
        assert "see [pasted 1,048,576 characters]" in shown(app)
        assert len(app.prompt.text) < 100
        await pilot.press("!", "enter")
        assert app.sent == [f"see {text}!"]
        await pilot.press("up")
        assert "[pasted 1,048,581 characters]" in shown(app)
        assert app.prompt.draft == f"see {text}!"


async def test_a_pastes_place_is_one_thing() -> None:
    text = "line\n" * 100
    async with chat() as (app, pilot):
        app.prompt.insert_text(text)
        app.prompt.insert_text("-")
        app.prompt.insert_text(text + "2")
        assert app.prompt.draft == f"{text}-{text}2"
        await pilot.press("backspace")
        assert app.prompt.draft == f"{text}-"
        await pilot.press("left", "left", "left", "z")  # inside of the first place: goes behind it
        assert app.prompt.draft == f"{text}z-"
        await pilot.press("home", "delete")
        assert app.prompt.draft == "z-"
        await pilot.press("ctrl+z")
        assert app.prompt.draft == f"{text}z-"
        await pilot.press("f7")
        assert app.prompt.selected_text == f"{text}z-"
        await pilot.press("q")
        assert app.prompt.draft == "q"


async def test_hostile_characters_go_out_as_they_came_and_are_drawn_as_pictures() -> None:
    raw = "a\x00b\x1b[31mc\ud83d d\u202ee\u2028f\x85g [red]x[/] שלום 漢字 👨‍👩‍👧 \U000f0001"
    async with chat(size=(80, 20)) as (app, pilot):
        app.prompt.insert_text(raw)
        await pilot.pause()
        text = shown(app)
        text.encode("utf-8")
        assert "a␀b␛[31mc� d�e�f�g [red]x[/]" in text
        assert app.prompt.size.height == 1
        assert app.prompt.draft == raw
        await pilot.press("enter")
        assert app.sent == [raw]
        await pilot.press("up", "f7")
        app.prompt.selected_text.encode("utf-8")


async def test_line_ends_of_other_systems() -> None:
    async with chat() as (app, _):
        app.prompt.insert_text("a\r\nb\rc")
        assert app.prompt.draft == "a\nb\nc"


async def test_typing_goes_on_while_a_reply_is_written() -> None:
    async with chat() as (app, pilot):
        app.prompt.busy = True
        await pilot.press(*"next")
        assert app.prompt.border_subtitle == "enter queues   ctrl+j newline"
        assert app.prompt.has_class("-busy")
        await pilot.press("enter")
        assert app.sent == ["next"]
        app.prompt.busy = False
        await pilot.pause()
        assert app.prompt.border_subtitle == "ctrl+j newline"


async def test_a_draft_set_from_outside() -> None:
    app = ChatApp()
    app.prompt.draft = "from the last time"
    async with app.run_test() as pilot:
        await pilot.press("!")
        assert app.prompt.draft == "from the last time!"
        app.prompt.draft = "y" * (LONG_PASTE + 1)
        assert app.prompt.draft == "y" * (LONG_PASTE + 1)
        assert len(app.prompt.text) < 60


def test_the_cursor_can_be_still() -> None:
    assert Prompt(blink=False).cursor_blink is False
    assert Prompt().cursor_blink is True


@given(ANY_TEXT)
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    shelf = PasteShelf()
    document = shelf.encoded(text)
    is_whole = any(c >= "\U00100000" for c in text)  # put away as it is
    assert shelf.decoded(document) == (text if is_whole else text.replace("\r\n", "\n").replace("\r", "\n"))
    assert len(document.splitlines()) <= document.count("\n") + 1
    for line in document.split("\n"):
        picture = drawn(line)
        assert len(picture) == len(line)
        picture.encode("utf-8")


def test_pastes_of_private_characters_are_put_away_whole() -> None:
    shelf = PasteShelf()
    text = "a\U00100041b\U0010e000"
    document = shelf.encoded(text)
    assert list(places(document)) == [(0, len(document))]
    assert shelf.decoded(f"<{document}>") == f"<{text}>"
    assert shelf.decoded("\U0010e123pasted 5 characters]") == "[pasted 5 characters]"
    shelf.clear()
    assert shelf.decoded(document) == "[pasted 4 characters]"


def test_history_is_bounded_and_keeps_no_repeats() -> None:
    history = PromptHistory(str(n) for n in range(MOST + 50))
    history.sent("same")
    history.sent("same")
    assert len(history.texts) == MOST
    assert history.texts[-2:] == [str(MOST + 49), "same"]
    assert history.newer("draft") is None
    assert history.older("draft") == "same"
    assert history.newer("same") == "draft"
    assert PromptHistory().older("x") is None


@pytest.mark.parametrize("size", [(10, 5), (3, 3), (1, 1)])
async def test_the_smallest_terminals(size: tuple[int, int]) -> None:
    async with chat(size=size) as (app, pilot):
        await pilot.press(*"/s", "escape", *"漢字", "enter")
        assert app.sent == ["/s漢字"]
