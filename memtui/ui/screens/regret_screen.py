"""What memory let go of and was then asked for, and what it keeps though nobody ever used it.

The screen changes nothing. Whoever opens it opens cards, restores and forgets, and then shows what is left (`show`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from memtui.memory.regret import UNUSED_AFTER_DAYS, Asked
from memtui.ui.time_words import day_words, moment_words
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.row_text import card_text, plain_line, row_text

if TYPE_CHECKING:
    from memtui.chat.regret import Regret
    from memtui.memory.frame import Frame

_WIDEST = 96
_AROUND = 8
"""Cells that border and padding take from a row."""
_QUESTIONS = 2
"""Questions of the selected memory that are shown; its card and `memtui regret --json` tell more."""
_QUESTION_CHARS = 160


@dataclass(frozen=True, slots=True)
class _Item:
    """One memory of the list; `asked` are the questions that missed it, none for what was never used."""

    memory: str
    asked: tuple[Asked, ...]

    @property
    def action(self) -> str:
        return "restore" if self.asked else "forget"


class RegretScreen(ModalScreen[None]):
    """Two lists, one below the other."""

    DEFAULT_CSS = """
    RegretScreen {
        align: center middle;
        background: $background 70%;
        & > #regret-box {
            width: 92%;
            max-width: 96;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            border: round $accent;
            border-title-color: $accent;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
        #regret-list { height: auto; border: none; background: $surface; scrollbar-size-vertical: 1; padding: 0; }
        #regret-list:focus { background-tint: $foreground 0%; }
        #regret-about { width: 1fr; height: 3; padding: 0 1; margin-top: 1; color: $text-muted; }
        #regret-note { width: 1fr; height: auto; padding: 0 1; color: $text-warning; display: none; }
        #regret-note.-shown { display: block; }
        KeyLine { background: $surface; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "close", tooltip="Back to the chat.", show=False),
        Binding("r", "change('restore')", "restore", tooltip="Bring the missed memory back.", show=False),
        Binding("f", "change('forget')", "forget", tooltip="Let go of what was never used.", show=False),
        Binding("tab", "other", "other list", tooltip="From the missed to the never used, and back.", show=False),
        Binding("j", "move(1)", "down", show=False),
        Binding("k", "move(-1)", "up", show=False),
    ]

    def __init__(
        self,
        regret: Regret,
        frame: Frame,
        *,
        tz: tzinfo,
        past: str,
        open_card: Callable[[str], None],
        change: Callable[[str, str], None],
    ) -> None:
        """Args:
        frame: the memories `regret` is about.
        past: which moment of the past this is, in words; then it can only be read.
        open_card: shows all there is about a memory.
        change: does `restore` or `forget` to a memory.
        """
        super().__init__()
        self._regret, self._frame = regret, frame
        self._tz, self._past = tz, past
        self._open_card, self._change = open_card, change
        self._items: list[_Item | None] = []  # None where a heading stands
        self._problem = ""

    def compose(self) -> ComposeResult:
        """A box: the list, what is known of the selected memory, keys."""
        with Vertical(id="regret-box") as box:
            box.border_title = "Regret" + (f" as of {self._past}, read-only" if self._past else "")
            yield OptionList(id="regret-list", markup=False, compact=True)
            yield Static(markup=False, id="regret-about")
            yield Static(markup=False, id="regret-note")
            yield KeyLine()

    def on_mount(self) -> None:
        """List."""
        self._fill()
        self.query_one(OptionList).focus()

    def on_resize(self) -> None:
        """Rows are as wide as there is room, and the list as high."""
        self._fill()

    def show(self, regret: Regret, frame: Frame, *, problem: str = "") -> None:
        """Memory changed, or more questions were looked at.

        Args:
            problem: why not all could be looked at.
        """
        self._regret, self._frame, self._problem = regret, frame, problem
        if self.is_mounted:  # else it lists this when it is
            self._fill()

    # -- showing -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        options, selected = self.query_one(OptionList), self._item
        at = options.highlighted
        self._items, rows = [], list[Option]()
        missed = [_Item(one.memory, one.asked) for one in self._regret.missed]
        unused = [_Item(memory, ()) for memory in self._regret.unused]
        for title, items in (
            ("Missed: retired, and a later question would have needed it", missed),
            (f"Never used: kept for {UNUSED_AFTER_DAYS} days or more without a recall", unused),
        ):
            heading = f"{title} ({len(items):,})" if items else f"{title}: none"
            self._items += [None, *items]
            rows.append(Option(Content.styled(heading, "$text-accent bold"), disabled=True))
            rows += [Option(self._row(item)) for item in items]
        options.clear_options()
        options.add_options(rows)
        options.styles.max_height = max(3, self.size.height - 10)
        options.highlighted = self._place_of(selected, at)
        box = self.query_one("#regret-box")
        questions = self._regret.questions
        box.border_subtitle = f"{questions:,} question{'' if questions == 1 else 's'} looked at"
        self._note()
        self._tell()

    def _place_of(self, wanted: _Item | None, at: int | None) -> int | None:
        """Where the selected memory is now; else the nearest one to where it was."""
        there = [place for place, item in enumerate(self._items) if item is not None]
        for place in there:
            item = self._items[place]
            if wanted is not None and item is not None and item.memory == wanted.memory:
                return place
        return min(there, key=lambda place: abs(place - (at or 0)), default=None)

    def _row(self, item: _Item) -> Content:
        row = self._frame.row(item.memory)
        known = self._frame.memories[row]
        room = min(round(self.size.width * 0.92), _WIDEST) - _AROUND
        pin = "◆" if known.pinned else " "
        if item.asked:
            times = f"{len(item.asked)} time{'' if len(item.asked) == 1 else 's'}"
            tail = f"{known.retired_reason} · {times}"
        else:
            tail = f"told {day_words(known.created_at, self._tz)}"
        head = f" m{row + 1:02d} {pin}{known.kind.letter} "
        words = row_text(self._frame.texts[row], max(10, room - len(head) - len(tail) - 2))
        return Content(f"{head}{words}  {tail}")

    def _tell(self) -> None:
        """What is known of the selected memory, and the keys."""
        item, about = self._item, self.query_one("#regret-about", Static)
        if item is None:
            about.update(Content("Nothing to regret, and nothing that is kept for nothing."))
        elif item.asked:
            lines = [
                f"asked {moment_words(one.at, self._tz, self._regret.moment)}: "
                f"“{plain_line(card_text(one.text, _QUESTION_CHARS))}”"
                for one in reversed(item.asked[-_QUESTIONS:])
            ]
            more = len(item.asked) - len(lines)
            about.update(Content("\n".join([*lines, *([f"and {more} earlier"] if more else [])])))
        else:
            known = self._frame.memories[self._frame.row(item.memory)]
            told = moment_words(known.created_at, self._tz, self._regret.moment)
            about.update(Content(f"told {told}, importance {known.importance:.2f}; no reply ever needed it"))
        hints = [KeyHint("↑↓", "choose", "move(1)", 1), KeyHint("enter", "card", "card", 2)] if item is not None else []
        if item is not None and not self._past:
            key = item.action[0]
            hints.append(KeyHint(key, item.action, f"change('{item.action}')", 3))
        if self._regret.missed and self._regret.unused:
            hints.append(KeyHint("tab", "other list", "other", 1))
        self.query_one(KeyLine).show([*hints, KeyHint("esc", "close", "close", 3)])

    def _note(self) -> None:
        wordless = self._regret.wordless
        words = self._problem
        if not words and wordless:
            many = "1 turn is" if wordless == 1 else f"{wordless:,} turns are"
            words = f"The words of {many} in no chat kept here, so what was asked there is not known."
        note = self.query_one("#regret-note", Static)
        note.update(card_text(words, 400))
        note.set_class(bool(words), "-shown")

    @property
    def _item(self) -> _Item | None:
        at = self.query_one(OptionList).highlighted
        return self._items[at] if at is not None and at < len(self._items) else None

    # -- what the person does ----------------------------------------------------------------------------------------

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        self._tell()

    @on(OptionList.OptionSelected)
    def _selected(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.action_card()

    def action_card(self) -> None:
        """All there is about the selected memory."""
        if (item := self._item) is not None:
            self._open_card(item.memory)

    def action_change(self, action: str) -> None:
        """Restore what was missed, forget what was never used; each key only where it makes sense."""
        item = self._item
        if item is not None and item.action == action and not self._past:
            self._change(action, item.memory)

    def action_move(self, by: int) -> None:
        """The next or the last memory."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def action_other(self) -> None:
        """From one list to the other."""
        item = self._item
        if item is None:
            return
        places = enumerate(self._items)
        other = [place for place, one in places if one is not None and one.action != item.action]
        if other:
            self.query_one(OptionList).highlighted = other[0]

    def action_close(self) -> None:
        """Back to the chat."""
        self.dismiss(None)

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)
