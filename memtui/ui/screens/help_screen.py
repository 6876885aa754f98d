"""Keys and commands, from the same tables the screen works by; the keys of what has the focus come first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.chat.commands import COMMANDS
from memtui.ui.actions import GROUPS, Action, Where, actions_for, key_words

if TYPE_CHECKING:
    from textual.widget import Widget

_KEY_WIDTH = 18
_COMMAND_WIDTH = 32
_NAMES = {
    "MemoryPanel": "memory panel",
    "MemoryRows": "list of memories",
    "Timeline": "time line",
    "Transcript": "conversation",
    "Prompt": "prompt",
}
_ABOUT = (
    "The bar is the memory: full at salience 1, gone below the floor ┆. A recall makes it slower to fade.\n"
    "Left of ● on the time line is what was, right of it the next 40 days: move, see what would fade, press enter.\n"
    "The sleep pass merges what was told often, retires what is no longer true and lets go of what faded.\n"
    "Nothing is deleted: the Retired tab says why something left, and brings it back."
)


class HelpScreen(ModalScreen[None]):
    """All keys, all commands, and how memory works in four lines."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--heading", "help--key", "help--text", "help--argument"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q", "dismiss", "close", tooltip="Back to the chat.", id="help.close", show=False),
        Binding("j", "down", "down", show=False),
        Binding("k", "up", "up", show=False),
    ]

    def __init__(self, places: Sequence[Where], widgets: Sequence[Widget] = ()) -> None:
        """Args:
        places: whose keys are shown.
        widgets: those whose own keys are shown, the focused one first.
        """
        super().__init__()
        self._places = tuple(places)
        self._widgets = tuple(widgets)

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        page = VerticalScroll(Static(markup=False, id="help-text"), id="help-page")
        page.border_title = "Help"
        page.border_subtitle = "escape closes"
        yield page

    def on_mount(self) -> None:
        """Write it once the colours are known."""
        self.query_one("#help-text", Static).update(self._content())
        self.query_one("#help-page").focus()

    def action_down(self) -> None:
        """A line down."""
        self.query_one("#help-page").scroll_down(animate=False)

    def action_up(self) -> None:
        """A line up."""
        self.query_one("#help-page").scroll_up(animate=False)

    def _content(self) -> Content:
        heading, key = (self.get_visual_style(f"help--{name}", partial=True) for name in ("heading", "key"))
        lines: list[Content] = []

        def section(title: str, rows: Iterable[tuple[str, str]], width: int) -> None:
            rows = list(rows)
            if rows:
                lines.extend((Content(""), Content.styled(title, heading)) if lines else (Content.styled(title, heading),))
                lines.extend(_row(left, right, width, key) for left, right in rows)

        known = actions_for(*self._places)
        for group, title in GROUPS.items():
            section(title, ((self._keys(action), action.tooltip) for action in known if action.group == group), _KEY_WIDTH)
        for widget in self._widgets:
            section(f"In the {_name(widget)}", _own_keys(widget), _KEY_WIDTH)
        section("Commands", ((f"/{c.name} {c.arguments}".rstrip(), c.help) for c in COMMANDS), _COMMAND_WIDTH)
        lines += [Content(""), Content.styled("How memory works", heading), *map(Content, _ABOUT.split("\n"))]
        return Content("\n").join(lines)

    def _keys(self, action: Action) -> str:
        return key_words(self.app.keymap_keys(action.id, action.key))  # type: ignore[attr-defined]


def _row(left: str, right: str, width: int, style: object) -> Content:
    gap = " " * max(1, width - len(left))
    return Content.assemble("  ", (left, style), gap, right)  # type: ignore[arg-type]


def _name(widget: Widget) -> str:
    return _NAMES.get(type(widget).__name__, type(widget).__name__)


def _own_keys(widget: Widget) -> list[tuple[str, str]]:
    """Key and meaning of a widget's own bindings that say what they do; several keys of one action share a row."""
    rows: dict[str, list[str]] = {}
    for binding in Binding.make_bindings(type(widget).BINDINGS):
        meaning = binding.tooltip or binding.description
        if meaning:
            rows.setdefault(meaning, []).append(key_words(binding.key))
    return [(", ".join(keys), meaning) for meaning, keys in rows.items()]
