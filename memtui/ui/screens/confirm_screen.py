"""A question with two answers, before something that is not easily taken back."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from memtui.ui.widgets.row_text import card_text, plain_line


class ConfirmScreen(ModalScreen[bool]):
    """Yes or no; Escape is no. Where the answer would lose something the focus begins on no."""

    DEFAULT_CSS = """
    ConfirmScreen {
        align: center middle;
        background: $background 70%;
        & > #confirm-box {
            width: 90%;
            max-width: 72;
            height: auto;
            max-height: 100%;
            padding: 1 2 0 2;
            border: round $accent;
            background: $surface;
        }
        &.-danger > #confirm-box { border: round $error; }
        #confirm-page { height: auto; scrollbar-size-vertical: 1; }
        #confirm-question { color: $text; text-style: bold; }
        #confirm-detail { color: $text-muted; margin-top: 1; }
        #confirm-answers { height: 1; margin: 1 0; align-horizontal: right; }
        #confirm-answers Button {
            min-width: 8;
            height: 1;
            border: none;
            margin-left: 2;
            padding: 0 1;
            background: $panel;
            color: $text;
            text-style: none;
        }
        #confirm-answers Button:focus { background: $accent; color: $background; text-style: bold; }
        &.-danger #confirm-yes:focus { background: $error; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", tooltip="Yes.", show=False),
        Binding("n,escape", "answer(False)", "no", tooltip="No.", show=False),
        Binding("left,right", "other", "the other answer", tooltip="To the other answer.", show=False),
    ]

    def __init__(self, question: str, detail: str = "", *, yes: str = "Yes", no: str = "No", danger: bool = False) -> None:
        """Args:
        question: one sentence.
        detail: what would happen.
        yes, no: the answers' words.
        danger: whether yes loses something.
        """
        super().__init__(classes="-danger" if danger else None)
        self._question = question
        self._detail = detail
        self._yes = yes
        self._no = no
        self._danger = danger

    def compose(self) -> ComposeResult:
        """The question over its two answers."""
        with Vertical(id="confirm-box"):
            with VerticalScroll(id="confirm-page", can_focus=False):
                yield Static(Content(card_text(self._question, 2_000)), id="confirm-question")
                if self._detail:
                    yield Static(Content(card_text(self._detail, 10_000)), id="confirm-detail")
            with Horizontal(id="confirm-answers"):
                yield Button(Content(f"y {plain_line(self._yes)}"), id="confirm-yes")
                yield Button(Content(f"n {plain_line(self._no)}"), id="confirm-no")

    def on_mount(self) -> None:
        """The focus begins where nothing is lost."""
        self.query_one("#confirm-no" if self._danger else "#confirm-yes").focus()

    def on_resize(self, event: events.Resize) -> None:
        """The question takes what the border and the answers leave."""
        self.query_one("#confirm-page").styles.max_height = max(event.size.height - 6, 1)

    def action_answer(self, answer: bool) -> None:
        """Close with an answer."""
        self.dismiss(answer)

    def action_other(self) -> None:
        """To the other answer."""
        self.focus_next()

    @on(Button.Pressed)
    def _pressed(self, message: Button.Pressed) -> None:
        message.stop()
        self.dismiss(message.button.id == "confirm-yes")
