"""The line under the memories: what was let go of and missed, what is kept and never used; gone while there is neither."""

from __future__ import annotations

from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class MemoryFoot(Static):
    """One line; a click opens the list behind it."""

    class Opened(Message):
        """The list is wanted."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    MemoryFoot {
        display: none; height: 1; width: 1fr; padding: 0 1; color: $text-muted; background: $foreground 5%;
        &.-shown { display: block; }
        &:hover { color: $foreground; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        self.words = ""

    def show(self, words: str) -> None:
        """Show these words; none hide the line."""
        if words == self.words:
            return
        self.words = words
        self.set_class(bool(words), "-shown")
        self.update(Content(words))

    def on_click(self) -> None:
        """Open the list."""
        self.post_message(self.Opened())
