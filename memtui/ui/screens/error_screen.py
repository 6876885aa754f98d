"""One error in full: what happened, what is safe, what to do, and the detail, which can be scrolled and copied."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.errors import MemtuiError
from memtui.ui.clipboard import LONGEST_OSC, copy_locally, outcome
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.row_text import card_text, plain_line

_SHOWN: int = 20_000
_HINTS = (KeyHint("c", "copy", "copy", 1), KeyHint("↑↓", "scroll", "down"), KeyHint("esc", "close", "close", 2))


class ErrorScreen(ModalScreen[None]):
    """The three sentences of an error over its detail. `c` copies all of it."""

    DEFAULT_CSS = """
    ErrorScreen {
        align: center middle;
        background: $background 70%;
        & > #error-box {
            width: 90%;
            max-width: 100;
            height: auto;
            max-height: 100%;
            border: round $error;
            border-title-color: $text-error;
            border-title-style: bold;
            background: $surface;
        }
        #error-page { height: auto; padding: 1 2; scrollbar-size-vertical: 1; }
        #error-copied { height: auto; padding: 0 2; color: $text-success; display: none; }
        #error-copied.-shown { display: block; }
        KeyLine { padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "close", "close", tooltip="Back to where you were.", show=False),
        Binding("c,ctrl+c", "copy", "copy", tooltip="Copy the error and its detail.", show=False),
        Binding("down,j", "down", "down", show=False),
        Binding("up,k", "up", "up", show=False),
    ]

    def __init__(self, title: str, what: str, *, safe: str = "", todo: str = "", detail: str = "") -> None:
        """Args:
        title: a few words.
        what: what happened; `safe`: what is not lost; `todo`: what to do next.
        detail: anything longer, such as an endpoint's own words.
        """
        super().__init__()
        self._title = title
        self._parts = (("What happened", what), ("What is safe", safe), ("What to do", todo))
        self._detail = detail

    @classmethod
    def of(cls, error: MemtuiError, detail: str = "") -> ErrorScreen:
        """The screen of an error; without a `detail` of its own the error's cause is shown."""
        if not detail and error.__cause__ is not None:
            detail = f"{type(error.__cause__).__name__}: {error.__cause__}"
        return cls(error.title, error.what, safe=error.safe, todo=error.todo, detail=detail)

    @property
    def text(self) -> str:
        """All of it as plain text: what is copied."""
        said = [self._title, *(f"{label}: {text}" for label, text in self._parts if text)]
        return "\n".join([*said, *(["", self._detail] if self._detail else [])])

    def compose(self) -> ComposeResult:
        """A box: the page, what was copied, the keys."""
        with Vertical(id="error-box"):
            with VerticalScroll(id="error-page"):
                yield Static(markup=False, id="error-text")
            yield Static(markup=False, id="error-copied")
            yield KeyLine(_HINTS)

    def on_mount(self) -> None:
        """Write it once the colours are known."""
        self.query_one("#error-box").border_title = plain_line(self._title)
        self.query_one("#error-text", Static).update(self._content())
        self.query_one("#error-page").focus()

    def on_resize(self, event: events.Resize) -> None:
        """The page takes what the border, the keys and the word about copying leave."""
        self.query_one("#error-page").styles.max_height = max(event.size.height - 6, 3)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_down(self) -> None:
        """A line down."""
        self.query_one("#error-page").scroll_down(animate=False)

    def action_up(self) -> None:
        """A line up."""
        self.query_one("#error-page").scroll_up(animate=False)

    async def action_copy(self) -> None:
        """Copy what is selected, else all of it, and say how far that is known to have worked."""
        text = self.get_selected_text() or self.text
        text = text.encode("utf-8", "replace").decode("utf-8")
        sent = len(text) <= LONGEST_OSC
        if sent:
            self.app.copy_to_clipboard(text)
        tool = await asyncio.to_thread(copy_locally, text)
        if self.is_attached:
            copied = self.query_one("#error-copied", Static)
            copied.update(outcome(len(text), sent, tool))
            copied.add_class("-shown")

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    def _content(self) -> Content:
        parts = [(name, text, "bold $text") for name, text in self._parts] + [("Detail", self._detail, "$text")]
        lines: list[Content] = []
        for name, text, style in parts:
            if text:
                lines += [Content.styled(name, "$text-muted"), Content.styled(card_text(text, _SHOWN), style), Content("")]
        return Content("\n").join(lines[:-1])
