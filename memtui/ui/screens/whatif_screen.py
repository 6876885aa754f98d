"""What if: memory as it is beside memory as it would be under another law, and the difference.

Read-only: the branch lives on this screen and is gone with it. Side by side where there is room; on narrow terminals one
side at a time, the one that has the focus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.worker import Worker

from memtui.chat.changes import changed_settings
from memtui.errors import InputError
from memtui.memory.branch import Branch, Difference, difference
from memtui.memory.branch_side import Side
from memtui.memory.frame import Frame
from memtui.memory.moments import to_us
from memtui.ui.whatif_words import AS_IT_IS, WHAT_IF, curves, difference_words, fate_words, side_words
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.memory_rows import MemoryRows
from memtui.ui.widgets.row_text import plain_line
from memtui.ui.widgets.whatif_form import WhatIfForm

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.ui.app import MemtuiApp

_TRUNK, _BRANCH = "whatif-trunk", "whatif-branch"
_BOTH_FROM = 100
"""Columns from which both sides have room."""


class WhatIfScreen(ModalScreen[None]):
    """Two lives of one memory."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_BOTH_FROM, "-wide")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-tall")]  # noqa: RUF012
    AUTO_FOCUS = "#whatif-form"
    DEFAULT_CSS = """
    WhatIfScreen {
        background: $background;
        #whatif-title { height: 1; padding: 0 1; background: $surface; color: $accent; text-style: bold; }
        #whatif-form { margin: 1 0; }
        #whatif-sides { height: 1fr; }
        .whatif-side { width: 1fr; height: 1fr; }
        #whatif-right { border-left: tall $foreground 14%; }
        .whatif-heading { height: 1; padding: 0 1; text-style: bold; }
        .whatif-side:focus-within > .whatif-heading { color: $accent; }
        #whatif-curves { height: 2; padding: 0 1; color: $text-muted; margin: 1 0; }
        #whatif-apart, #whatif-fate { height: auto; max-height: 3; padding: 0 1; }
        #whatif-fate { color: $text-muted; min-height: 1; }
        #whatif-apart.-problem { color: $text-warning; }
        #whatif-value { display: none; height: 1; border: none; padding: 0 1; background: $surface; }
        #whatif-value.-shown { display: block; }
    }
    WhatIfScreen.-narrow #whatif-right { border-left: none; }
    WhatIfScreen.-narrow #whatif-form, WhatIfScreen.-narrow #whatif-curves { margin: 0; }
    WhatIfScreen.-low #whatif-curves { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "leave", tooltip="Leave; nothing was changed.", show=False),
        Binding("ctrl+o", "close", "leave", tooltip="Leave; nothing was changed.", id="memory.whatif", show=False),
        Binding("d", "only_differing", "only differing", tooltip="List only what differs, or all.", show=False),
        Binding("r", "reset", "as it is", tooltip="All numbers as they are.", show=False),
        Binding("tab", "cycle(1)", "sides", tooltip="To the one side, the other, and back to the numbers.", show=False),
        Binding("shift+tab", "cycle(-1)", "back", tooltip="The same, the other way.", show=False),
    ]

    def __init__(
        self,
        companion: Companion,
        changes: Mapping[str, str] | None = None,
        *,
        until: datetime | None = None,
        title: str = "",
    ) -> None:
        """Args:
        changes: what to begin with, as `chat.changes` takes it.
        until: the moment both sides stand at; now by default.
        title: what is said of that moment.

        Raises:
            InputError: an unknown setting or a wrong value, by name.
        """
        super().__init__()
        self._companion = companion
        self._changes: dict[str, str] = dict(changes or {})
        self._tried = changed_settings(companion.settings, self._changes)
        self._until = until if until is not None else companion.clock.now()
        self._title = title
        self._branch: Branch | None = None
        self._apart = Difference((), (), 0)
        self._only_differing = False
        self._growth = 0
        self._typing: str | None = None
        self._front = _BRANCH

    def compose(self) -> ComposeResult:
        """Title; form; two sides; curves; difference; keys."""
        yield Static(markup=False, id="whatif-title")
        yield WhatIfForm(id="whatif-form")
        yield Input(id="whatif-value", compact=True, select_on_focus=True)
        with Horizontal(id="whatif-sides"):
            for side, rows in (("whatif-left", _TRUNK), ("whatif-right", _BRANCH)):
                with Vertical(id=side, classes="whatif-side"):
                    yield Static(markup=False, classes="whatif-heading")
                    yield MemoryRows(id=rows)
        yield Static(markup=False, id="whatif-curves")
        yield Static(markup=False, id="whatif-apart")
        yield Static(markup=False, id="whatif-fate")
        yield KeyLine()

    def on_mount(self) -> None:
        """Grow the first branch."""
        moment = f" · {self._title}" if self._title else ""
        self.query_one("#whatif-title", Static).update(Content(f"What if: the same events under another law{moment}"))
        self.query_one("#whatif-value", Input).cursor_blink = False
        for rows in self.query(MemoryRows):
            rows.reduced_motion = True
        self._grow()

    # -- growing -----------------------------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Live it again with the numbers as they are on the form; what was being grown is given up."""
        self._growth += 1
        self.query_one(WhatIfForm).show(self._companion.settings, self._tried)
        self._say("living it again …")
        self._show_keys()
        self.run_worker(self._growing(self._growth), group="branch", exclusive=True, exit_on_error=False)

    async def _growing(self, growth: int) -> None:
        from memtui.chat.what_if import what_if

        loop = asyncio.get_running_loop()

        def keep_going(share: float) -> bool:
            loop.call_soon_threadsafe(self._told, growth, share)
            return growth == self._growth

        branch = await asyncio.to_thread(what_if, self._companion, self._tried, until=self._until, keep_going=keep_going)
        if branch is not None and growth == self._growth and self.is_attached:
            self._branch, self._apart = branch, difference(branch.trunk.state, branch.side.state)
            self._show()

    def _told(self, growth: int, share: float) -> None:
        if growth == self._growth and self.is_attached:
            self._say(f"living it again … {share:.0%}")

    # -- showing -----------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        branch = self._branch
        if branch is None:
            return
        sides = (
            (_TRUNK, AS_IT_IS, branch.trunk, self._apart.only_trunk),
            (_BRANCH, WHAT_IF, branch.side, self._apart.only_branch),
        )
        for rows_id, name, side, only in sides:
            rows = self.query_one(f"#{rows_id}", MemoryRows)
            rows.show(self._listed(side, only), side.law, to_us(branch.until))
            rows.resort()
            rows.glow(only)
            heading = cast("Static", cast("Vertical", rows.parent).children[0])
            heading.update(Content(side_words(name, side)))
        self._show_curves()
        self._say(difference_words(branch, self._apart))
        self._show_fate()

    def _listed(self, side: Side, only: tuple[str, ...]) -> Frame:
        if not self._only_differing:
            return side.frame
        frame = Frame(0)
        for memory in only:
            known = side.state.memories[memory]
            frame.upsert(known, side.text(known.content))
        return frame

    def _show_curves(self) -> None:
        if self._branch is None:
            return
        cells = max(8, self.size.width - 22)
        trunk, other = curves(self._branch, cells)
        lines = f"{AS_IT_IS:<9}{trunk} {self._branch.trunk.active:,}\n{WHAT_IF:<9}{other} {self._branch.side.active:,}"
        self.query_one("#whatif-curves", Static).update(Content(lines))

    def _show_fate(self) -> None:
        """What is of the selected memory on both sides."""
        branch, rows = self._branch, self._rows_in_front()
        memory = rows.selected if rows is not None else None
        line = "» only on this side · tab to a side, ↑↓ a memory: what became of it on both"
        if branch is not None and memory is not None:
            side = branch.trunk if rows is not None and rows.id == _TRUNK else branch.side
            known = side.state.memories.get(memory)
            words = plain_line(side.text(known.content))[:48] if known is not None else ""
            here, there = (fate_words(one, memory, branch.until, self._app.tz) for one in (branch.trunk, branch.side))
            line = f"{words}: as it is {here}; what if {there}"
        self.query_one("#whatif-fate", Static).update(Content(plain_line(line)))

    def _rows_in_front(self) -> MemoryRows | None:
        return self.focused if isinstance(self.focused, MemoryRows) else None

    def _say(self, words: str, *, problem: bool = False) -> None:
        apart = self.query_one("#whatif-apart", Static)
        apart.set_class(problem, "-problem")
        apart.update(Content(words))

    def _show_keys(self) -> None:
        if self._typing is not None:
            hints = [KeyHint("enter", "take it", "take", 2), KeyHint("esc", "as before", "close", 2)]
        else:
            hints = [
                KeyHint("←→", "number", "form('go', 1)", 3),
                KeyHint("↑↓", "change", "form('step', 1)", 3),
                KeyHint("enter", "type", "form('type')", 1),
                KeyHint("tab", "sides", "cycle(1)", 2),
                KeyHint("d", "all" if self._only_differing else "only differing", "only_differing", 2),
                KeyHint("r", "as it is", "reset", 1),
                KeyHint("esc", "leave", "close", 3),
            ]
        self.query_one(KeyLine).show(hints)

    @property
    def _app(self) -> MemtuiApp:
        return cast("MemtuiApp", self.app)

    # -- what the person does ------------------------------------------------------------------------------------------

    @on(WhatIfForm.Changed)
    def _changed(self, message: WhatIfForm.Changed) -> None:
        message.stop()
        self._try({key: value for key, value in self._changes.items() if key != message.key}, message.key, message.value)

    def _try(self, changes: dict[str, str], key: str, value: str | None) -> bool:
        if value is not None:
            changes[key] = value
        try:
            self._tried = changed_settings(self._companion.settings, changes)
        except InputError as error:
            self._say(str(error), problem=True)
            return False
        self._changes = changes
        self._grow()
        return True

    @on(WhatIfForm.Typing)
    def _type(self, message: WhatIfForm.Typing) -> None:
        message.stop()
        box = self.query_one("#whatif-value", Input)
        self._typing = message.field.key
        box.placeholder = message.field.label
        box.value = message.value
        box.add_class("-shown")
        box.focus()
        self._show_keys()

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_take()

    def action_take(self) -> None:
        """Take the value that is typed; one that can't be taken is said, and can be mended."""
        key, value = self._typing, self.query_one("#whatif-value", Input).value.strip()
        if key is not None and (not value or self._try({**self._changes}, key, value)):
            self._end_typing()

    def _end_typing(self) -> None:
        self._typing = None
        self.query_one("#whatif-value", Input).remove_class("-shown")
        self.query_one(WhatIfForm).focus()
        self._show_keys()

    def action_form(self, action: str, by: int = 0) -> None:
        """A key of the form, clicked."""
        form = self.query_one(WhatIfForm)
        form.focus()
        {"go": lambda: form.action_go(by), "step": lambda: form.action_step(by), "type": form.action_type}[action]()

    def action_only_differing(self) -> None:
        """List only what differs, or all."""
        self._only_differing = not self._only_differing
        self._show_keys()
        self._show()

    def action_reset(self) -> None:
        """All numbers as they are."""
        if self._changes:
            self._changes = {}
            self._tried = self._companion.settings
            self._grow()

    def action_cycle(self, by: int) -> None:
        """The numbers, the one side, the other."""
        if self._typing is not None:
            return
        places = [self.query_one(WhatIfForm), *(self.query_one(f"#{rows}", MemoryRows) for rows in (_TRUNK, _BRANCH))]
        at = next((place for place, widget in enumerate(places) if widget.has_focus), 0)
        wanted = places[(at + by) % len(places)]
        if isinstance(wanted, MemoryRows):  # what is hidden can't take the focus
            self._front = wanted.id or _BRANCH
            self._show_sides()
        wanted.focus()

    def action_close(self) -> None:
        """Leave the value that is typed as it was; or leave."""
        if self._typing is not None:
            self._end_typing()
            return
        self._growth += 1  # what is still being grown is given up
        self.dismiss(None)

    @on(MemoryRows.Selected)
    def _selected(self) -> None:
        self._show_fate()

    def on_descendant_focus(self) -> None:
        """Another side has the focus."""
        self._show_fate()

    def _show_sides(self) -> None:
        """Both, or the one in front where there is no room for both."""
        for rows in self.query(MemoryRows):
            if rows.parent is not None:
                cast("Vertical", rows.parent).display = self.size.width >= _BOTH_FROM or rows.id == self._front

    def on_resize(self) -> None:
        """Another width: other curves, and room for both sides or not."""
        self._show_sides()
        self._show_curves()

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told."""
        self._app.worker_changed(event)
