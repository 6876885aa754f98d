"""What went wrong, in three sentences, above the prompt until it is read or the next turn begins.

A toast that vanishes is of no use to somebody who looked away: this one stays. Enter on an empty prompt or a click opens
the whole of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memtui.errors import MemtuiError
from memtui.memory.texts import clean, one_line

_LONGEST = 400


class Alert(Static):
    """The last error, hidden while there is none."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"alert--title", "alert--what", "alert--more", "alert--hint"}
    DEFAULT_CSS = """
    Alert {
        display: none;
        height: auto;
        max-height: 8;
        margin: 0 1;
        padding: 0 1;
        border-left: outer $error;
        background: $error 12%;
        color: $text;
        &.-shown { display: block; }
        & > .alert--title { color: $text-error; text-style: bold; }
        & > .alert--what { color: $text; }
        & > .alert--more { color: $text-muted; }
        & > .alert--hint { color: $text-muted; text-style: italic; }
    }
    """

    @dataclass
    class Opened(Message):
        """The person wants to see all of it."""

        error: MemtuiError

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(markup=False, id=id)
        self._errors: list[MemtuiError] = []

    @property
    def error(self) -> MemtuiError | None:
        """The error that is shown."""
        return self._errors[-1] if self._errors else None

    def show(self, error: MemtuiError) -> None:
        """Show `error`; the same sentence again only counts up."""
        self._errors.append(error)
        self.add_class("-shown")
        self._draw()

    def dismiss(self) -> bool:
        """Take it away; whether there was one."""
        shown = bool(self._errors)
        self._errors.clear()
        self.remove_class("-shown")
        return shown

    def open(self) -> bool:
        """Ask for the whole error; whether there is one."""
        if self.error is None:
            return False
        self.post_message(self.Opened(self.error))
        return True

    def on_click(self, event: events.Click) -> None:
        """A click opens it."""
        event.stop()
        self.open()

    def _draw(self) -> None:
        error = self._errors[-1]
        more = len(self._errors) - 1
        title = error.title + (f" (and {more} before)" if more else "")
        rest = " ".join(part for part in (error.safe, error.todo) if part)
        lines = [(title, "alert--title"), (_short(error.what), "alert--what"), (_short(rest), "alert--more")]
        hint = ("enter: all of it · escape: gone", "alert--hint")
        parts = [(text, self.get_visual_style(name, partial=True)) for text, name in (*lines, hint) if text]
        self.update(Content("\n").join(Content.styled(text, style) for text, style in parts))


def _short(text: str) -> str:
    return one_line(clean(text), _LONGEST)
