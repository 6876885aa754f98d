"""All there is about one memory: its text, why it stands where it stands, what happened to it, the words it rests on."""

from __future__ import annotations

import asyncio
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker

from memtui.memory.life import life_of
from memtui.memory.moments import to_us
from memtui.memory.texts import one_line
from memtui.sessions.turn_texts import turns_of
from memtui.ui.life_chart import life_chart
from memtui.ui.memory_story import card_texts, history, why
from memtui.ui.time_words import date_words
from memtui.ui.why_gone import saving_words
from memtui.ui.widgets.card_content import card_content
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.memory_card import READING, card_body, key_word, keys_of
from memtui.ui.widgets.memory_lines import dies_of
from memtui.ui.widgets.row_text import card_text

if TYPE_CHECKING:
    from memtui.chat.looking_back import Sight
    from memtui.ui.app import MemtuiApp

_SOURCES_SHOWN = 5
_SOURCE_CHARS = 600
_TALL = 30
"""Lines of terminal from which the curve gets more rows."""
_CURVE_ROWS = (4, 6)
_BOX_CELLS = 7
"""Cells the box's borders and paddings and the scrollbar take from its width (92 %, at most 100: see app.tcss)."""


class CardScreen(ModalScreen[str | None]):
    """One memory in full; dismissed with the action that is asked for (`pin`, `edit`, …), or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "close", "close", tooltip="Back to the chat.", id="card.close", show=False),
        Binding("p", "ask('pin')", "pin", show=False),
        Binding("e", "ask('edit')", "edit", show=False),
        Binding("f", "ask('forget')", "forget", show=False),
        Binding("r", "ask('restore')", "restore", show=False),
        Binding("plus,equals_sign", "ask('worked')", "worked", show=False),
        Binding("minus", "ask('failed')", "failed", show=False),
        Binding("a", "ask('approve')", "approve", show=False),
        Binding("h", "section('history')", "history", tooltip="To what happened to it.", show=False),
        Binding("w", "section('why')", "why", tooltip="To why it stands where it stands.", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, sight: Sight, memory: str, tz: tzinfo, sessions: Path, section: str = "", past: str = "") -> None:
        """Args:
        sessions: where the turns it rests on are looked for.
        section: where to begin: `why`, `history`, or the top.
        past: which moment of the past this is, in words; then it can only be read.
        """
        super().__init__()
        self._sight = sight
        self._past = past
        self._frame = sight.frame
        self._memory = self._frame.memories[self._frame.row(memory)]
        self._tz = tz
        self._sessions = sessions
        self._section = section
        self._life = life_of(self._memory, sight.events_of(memory), sight.undone())

    def compose(self) -> ComposeResult:
        """A box: sections from top to bottom, then the keys."""
        with Vertical(id="card-box") as box:
            box.border_title = self._sight.handle(self._memory.id) + (" ◆" if self._memory.pinned else "")
            box.border_subtitle = self._past or None
            with VerticalScroll(id="card-page"):
                yield Static(markup=False, id="card-text")
                yield Static(markup=False, id="card-curve")
                yield Static("Why", classes="card-heading", markup=False, id="card-why-heading")
                yield Static(Content("\n".join(self._why())), markup=False, id="card-why")
                yield Static("What happened", classes="card-heading", markup=False, id="card-history-heading")
                yield Static(Content(self._history()), markup=False, id="card-history")
                yield Static("Said", classes="card-heading", markup=False)
                yield Static("looking for the turn …", markup=False, id="card-sources")
            yield KeyLine(self._hints())

    def on_mount(self) -> None:
        """Begin where it was asked for; the turns come from files."""
        self._fill()
        self.query_one("#card-page").focus()
        if self._section:
            self.call_after_refresh(self.action_section, self._section)
        self.run_worker(self._find_sources(), exit_on_error=False)
        if not self._memory.active:
            self.run_worker(self._find_saving(), exit_on_error=False)

    def on_resize(self, event: events.Resize) -> None:
        """The curve follows the width."""
        self._fill()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told."""
        cast("MemtuiApp", self.app).worker_changed(event)

    def _fill(self) -> None:
        if not self.size.width:
            return
        texts = card_texts(self._sight, self._memory, events=0)
        now_us = to_us(self._sight.moment)
        content = card_content(self._memory, self._frame, self._sight.law, now_us, texts, zone=self._tz)
        width = min(self.size.width * 92 // 100, 100) - _BOX_CELLS
        self.query_one("#card-text", Static).update(card_body(content, max(width, 10), curve_line=False))
        self.query_one("#card-curve", Static).update(
            life_chart(
                self._life,
                self._sight.law,
                dies_of(self._sight.law, self._frame, self._memory),
                now_us,
                width=max(width, 10),
                rows=_CURVE_ROWS[self.size.height >= _TALL],
                zone=self._tz,
            )
        )

    def _why(self, saving: str = "…") -> list[str]:
        lines = why(self._sight, self._memory, self._date)
        if not self._memory.active:
            lines.insert(-1, saving)
        return [card_text(line, 2_000) for line in lines]

    def _date(self, moment: datetime) -> str:
        return date_words(moment, self._tz)

    async def _find_saving(self) -> None:
        saving = await asyncio.to_thread(saving_words, self._sight, self._memory, self._date)
        if self.is_attached:
            self.query_one("#card-why", Static).update(Content("\n".join(self._why(saving))))

    def _history(self) -> str:
        told = history(self._sight, self._memory.id)
        return "\n".join(f"{date_words(at, self._tz)}  {card_text(what, 400)}" for at, what in told) or "Nothing yet."

    def _hints(self) -> list[KeyHint]:
        skill = self._memory.skill is not None
        hints = [
            KeyHint(key, key_word(name, pinned=self._memory.pinned, skill=skill), _action(name), 1)
            for key, name in keys_of(self._memory)
            if not self._past or name in READING
        ]
        return [*hints, KeyHint("esc", "close", "close", 2)]

    async def _find_sources(self) -> None:
        found = await asyncio.to_thread(turns_of, self._memory.sources[-_SOURCES_SHOWN:], self._sessions)
        lines = [f"“{card_text(one_line(text, _SOURCE_CHARS), _SOURCE_CHARS)}”" for text in found]
        lacking = len(self._memory.sources) - len(found)
        if not lines:
            lines = ["The turn is in no chat kept here (a chat that was deleted, or one of another machine)."]
        elif lacking:
            lines.append(f"and in {lacking} other turn{'' if lacking == 1 else 's'}")
        if self.is_attached:
            self.query_one("#card-sources", Static).update(Content("\n".join(lines)))

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_ask(self, action: str) -> None:
        """Close and do it."""
        if action in {name for _, name in keys_of(self._memory)}:
            self.dismiss(action)

    def action_section(self, name: str) -> None:
        """Go to a section."""
        heading = self.query_one(f"#card-{name}-heading")
        self.query_one("#card-page", VerticalScroll).scroll_to_widget(heading, top=True, animate=False)

    def action_scroll(self, by: int) -> None:
        """A line down or up."""
        self.query_one("#card-page", VerticalScroll).scroll_relative(y=by, animate=False)

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)


def _action(name: str) -> str:
    return f"section('{name}')" if name in ("history", "why") else f"ask('{name}')"
