"""Changing a memory: its text, its kind and its importance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from memtui.memory.model import Kind
from memtui.memory.texts import clean
from memtui.ui.widgets.choice_line import KindChoice
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.row_text import plain_line

_BAR: Final = 20
_HINTS: Final = (
    KeyHint("ctrl+s", "save", "save", 2),
    KeyHint("tab", "next field", "next_field"),
    KeyHint("esc", "cancel", "cancel", 2),
)


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """What was changed; None where nothing was. `importance` is 0..1."""

    text: str | None = None
    kind: Kind | None = None
    importance: float | None = None


class EditMemoryScreen(ModalScreen[MemoryChanges | None]):
    """A form; dismissed with the changes, or None when there are none."""

    DEFAULT_CSS = """
    EditMemoryScreen {
        align: center middle;
        background: $background 70%;
        & > #edit-box {
            width: 90%;
            max-width: 84;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            border: round $accent;
            border-title-color: $accent;
            border-title-style: bold;
            background: $surface;
        }
        .edit-label { color: $text-muted; height: 1; margin-top: 1; padding: 0 1; }
        #edit-text { height: 7; border: round $border-blurred; background: $background; padding: 0; }
        #edit-text:focus { border: round $accent; }
        #edit-kind { border: round $border-blurred; padding: 0 1; }
        #edit-kind:focus { border: round $accent; }
        #edit-importance-row { height: 3; }
        #edit-importance { width: 12; border: round $border-blurred; background: $background; padding: 0 1; }
        #edit-importance:focus { border: round $accent; }
        #edit-bar { width: 1fr; padding: 1 2; color: $primary; }
        #edit-problem { height: auto; padding: 0 1; color: $text-error; }
        &.-low .edit-label { margin-top: 0; }
        &.-low #edit-text { height: 5; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "save", tooltip="Save the changes.", show=False, priority=True),
        Binding("escape", "cancel", "cancel", tooltip="Change nothing.", show=False),
    ]

    def __init__(self, text: str, kind: Kind, importance: float, *, handle: str = "") -> None:
        """Args:
        text, kind, importance: as they are now.
        handle: the memory's name on the screen, such as `m31`.
        """
        super().__init__()
        self._text = clean(text)
        self._kind = kind
        self._importance = importance
        self._handle = handle

    def compose(self) -> ComposeResult:
        """Three fields and the keys."""
        with VerticalScroll(id="edit-box", can_focus=False):
            yield Static("Text", classes="edit-label", markup=False)
            text = TextArea(self._text, id="edit-text", soft_wrap=True, tab_behavior="focus")
            text.cursor_blink = False
            yield text
            yield Static("Kind: how fast it fades", classes="edit-label", markup=False)
            yield KindChoice(self._kind, id="edit-kind")
            yield Static("Importance, 0 to 1: how strong it starts", classes="edit-label", markup=False)
            with Horizontal(id="edit-importance-row"):
                number = Input(f"{self._importance:.2f}", id="edit-importance", restrict=r"[0-9.,]{0,6}")
                number.cursor_blink = False
                yield number
                yield Static(markup=False, id="edit-bar")
            yield Static(markup=False, id="edit-problem")
            yield KeyLine(_HINTS)

    def on_mount(self) -> None:
        """Begin in the text."""
        self.query_one("#edit-box").border_title = f"Edit {plain_line(self._handle)}".strip()
        self.query_one("#edit-text").focus()
        self._draw_bar()

    def on_resize(self) -> None:
        """Closer together where there is little room."""
        self.set_class(self.size.height < 26, "-low")

    def action_save(self) -> None:
        """Close with what was changed, if all of it can be."""
        text = clean(self.query_one("#edit-text", TextArea).text).strip()
        importance = importance_of(self.query_one("#edit-importance", Input).value)
        if not text:
            self._complain("A memory can't be empty. To let go of it, use forget.", "#edit-text")
            return
        if importance is None:
            self._complain("Importance is a number from 0 to 1, such as 0.8.", "#edit-importance")
            return
        kind = self.query_one(KindChoice).kind
        changes = MemoryChanges(
            text if text != self._text.strip() else None,
            kind if kind is not self._kind else None,
            importance if abs(importance - self._importance) >= 0.005 else None,
        )
        self.dismiss(changes if changes != MemoryChanges() else None)

    def action_cancel(self) -> None:
        """Close, changing nothing."""
        self.dismiss(None)

    def action_next_field(self) -> None:
        """To the next field."""
        self.focus_next()

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_save()

    @on(Input.Changed)
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        self._draw_bar()

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    def _complain(self, problem: str, field: str) -> None:
        self.query_one("#edit-problem", Static).update(problem)
        self.query_one(field).focus()

    def _draw_bar(self) -> None:
        importance = importance_of(self.query_one("#edit-importance", Input).value)
        full = 0 if importance is None else round(_BAR * importance)
        bar = Content.assemble("█" * full, ("░" * (_BAR - full), "$text-disabled"))
        self.query_one("#edit-bar", Static).update(bar)


def importance_of(text: str) -> float | None:
    """The importance that was typed, or None when it is no number from 0 to 1."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None
