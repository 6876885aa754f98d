"""Errors in full, questions, and the form that edits a memory."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static, TextArea

from memtui.errors import MindRefusedError
from memtui.memory.model import Kind
from memtui.ui.screens.confirm_screen import ConfirmScreen
from memtui.ui.screens.edit_memory_screen import EditMemoryScreen, MemoryChanges, importance_of
from memtui.ui.screens.error_screen import ErrorScreen
from memtui.ui.widgets.choice_line import KindChoice
from tests.ui.time.timeline_app import Themed

HOSTILE = "[red]x[/] \x1b[31m\x00\ud800 \u202eabc 日本語 👩‍👩‍👧‍👦"
SIZES = [(120, 36), (80, 24), (40, 12)]


class ScreenApp(Themed):
    def __init__(self, shown: ModalScreen[Any]) -> None:
        super().__init__()
        self.shown = shown
        self.results: list[Any] = []

    def on_mount(self) -> None:
        super().on_mount()
        self.push_screen(self.shown, self.results.append)

    def words(self, of: str) -> str:
        return str(self.shown.query_one(of, Static).render())


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


@pytest.fixture(autouse=True)
def no_clipboard_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.ui.screens.error_screen.copy_locally", lambda text: None)


@pytest.mark.parametrize("size", SIZES)
async def test_an_error_says_all_and_scrolls(size: tuple[int, int]) -> None:
    error = MindRefusedError("The endpoint refused the key.", safe="Your turn is kept.", todo="Set the key.")
    screen = ErrorScreen.of(error, HOSTILE + "\n" + "\n".join(f"line {number}" for number in range(100)))
    app = ScreenApp(screen)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = app.words("#error-text")
        for part in ("The endpoint refused the key.", "Your turn is kept.", "Set the key.", "[red]x[/]", "line 99"):
            assert part in shown
        assert not set("\x1b\x00\ud800\u202e") & set(shown)
        page = screen.query_one("#error-page")
        await press(pilot, "down", "j", "pagedown")
        assert page.scroll_offset.y > 1
        await press(pilot, "end")
        assert page.scroll_offset.y == page.max_scroll_y
        assert screen.query_one("#error-box").region.bottom <= size[1]
        await press(pilot, "escape")
        assert app.results == [None]


async def test_an_error_can_be_copied_whole() -> None:
    screen = ErrorScreen("Title", "what", safe="safe", todo="todo", detail="detail \ud800")
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "c")
        await pilot.pause()
        assert app.clipboard == "Title\nWhat happened: what\nWhat is safe: safe\nWhat to do: todo\n\ndetail ?"
        assert "to the terminal's clipboard" in app.words("#error-copied")


async def test_what_is_too_long_for_the_terminal_is_not_claimed_to_be_copied() -> None:
    app = ScreenApp(ErrorScreen("Title", "what", detail="x" * 1_000_000))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "c")
        await pilot.pause()
        assert app.clipboard == ""
        assert "too many" in app.words("#error-copied")


def test_an_errors_cause_is_its_detail() -> None:
    error = MindRefusedError("what")
    error.__cause__ = ValueError("the endpoint's words")
    assert ErrorScreen.of(error).text.endswith("ValueError: the endpoint's words")
    assert ErrorScreen.of(error, "mine").text.endswith("mine")


@pytest.mark.parametrize(
    ("keys", "danger", "answer"),
    [
        (("y",), True, True),
        (("n",), False, False),
        (("escape",), False, False),
        (("enter",), False, True),
        (("enter",), True, False),
        (("left", "enter"), True, True),
        (("tab", "enter"), False, False),
    ],
)
async def test_answers(keys: tuple[str, ...], danger: bool, answer: bool) -> None:
    app = ScreenApp(ConfirmScreen("Forget m31?", HOSTILE, yes="[b]forget", no="keep", danger=danger))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert str(app.shown.query_one("#confirm-yes", Button).label) == "y [b]forget"
        await press(pilot, *keys)
        assert app.results == [answer]


async def test_an_answer_can_be_clicked_even_below_a_long_question() -> None:
    app = ScreenApp(ConfirmScreen("Sure?", "long " * 5_000))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        await pilot.click("#confirm-yes")
        await pilot.pause()
        assert app.results == [True]


def edit(importance: float = 0.9) -> EditMemoryScreen:
    return EditMemoryScreen("I moved to Lisbon.", Kind.SEMANTIC, importance, handle="m31")


async def test_a_memory_is_edited() -> None:
    app = ScreenApp(edit())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.shown.query_one(TextArea).text = f"  I moved to Porto. {HOSTILE}\r\n"
        await press(pilot, "tab", "e", "right", "right", "tab")
        number = app.shown.query_one(Input)
        number.value = ",75"
        await press(pilot, "enter")
        changes = app.results[0]
        assert changes.text.startswith("I moved to Porto. [red]x[/]")
        assert not set("\x00\ud800\r") & set(changes.text)
        assert changes == MemoryChanges(changes.text, Kind.CONSOLIDATED, 0.75)


async def test_nothing_changed_is_no_change() -> None:
    for keys in (("ctrl+s",), ("escape",), ("tab", "right", "left", "ctrl+s")):
        app = ScreenApp(edit(importance=0.8987))
        async with app.run_test(size=(80, 24)) as pilot:
            await press(pilot, *keys)
            assert app.results == [None]


async def test_what_can_not_be_is_said_and_nothing_is_lost() -> None:
    app = ScreenApp(edit())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.shown.query_one(TextArea).text = " \n "
        await press(pilot, "ctrl+s")
        assert "can't be empty" in app.words("#edit-problem")
        app.shown.query_one(TextArea).text = "here again"
        app.shown.query_one(Input).value = "7"
        await press(pilot, "ctrl+s")
        assert "from 0 to 1" in app.words("#edit-problem")
        assert app.focused is app.shown.query_one(Input)
        app.shown.query_one(Input).value = "1"
        await press(pilot, "ctrl+s")
        assert app.results == [MemoryChanges("here again", None, 1.0)]


async def test_the_form_fits_a_small_terminal() -> None:
    app = ScreenApp(edit())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        kinds = app.shown.query_one(KindChoice)
        assert kinds.content_size.height == 4
        assert "(●) semantic" in kinds.render_line(1).text
        await press(pilot, "tab")
        await pilot.click(kinds, offset=(4, 4))
        assert kinds.kind is Kind.PROCEDURAL
        assert app.shown.query_one("#edit-box").region.bottom <= 12


async def test_a_kind_by_mouse_and_letter() -> None:
    app = ScreenApp(edit())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        kinds = app.shown.query_one(KindChoice)
        line = kinds.render_line(0).text
        await pilot.click(kinds, offset=(line.index("consolidated") + 3, 1))
        await pilot.pause()
        chosen = [kinds.kind]
        for key in ("p", "right", "left", "s"):
            await press(pilot, key)
            chosen.append(kinds.kind)
        assert chosen == [Kind.CONSOLIDATED, Kind.PROCEDURAL, Kind.EPISODIC, Kind.PROCEDURAL, Kind.SEMANTIC]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        (" 1 ", 1.0),
        ("0", 0.0),
        (",5", 0.5),
        ("", None),
        (".", None),
        ("1.01", None),
        ("-1", None),
        ("nan", None),
    ],
)
def test_importance(text: str, value: float | None) -> None:
    assert importance_of(text) == value
