"""The transcript's keys and clicks: moving between messages, folding, copying, finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection
from textual.widget import Widget

from memtui.ui.widgets.message_blocks import code_blocks, fenced_block
from memtui.ui.widgets.message_text import copyable
from memtui.ui.widgets.message_view import MessageView
from memtui.ui.widgets.transcript_copy import MARGIN, row_number, row_of, word_at
from memtui.ui.widgets.transcript_search import Search
from memtui.ui.widgets.transcript_view import TranscriptView


def _key(key: str, action: str, description: str, tooltip: str, *, show: bool = False) -> Binding:
    return Binding(key, action, description, show=show, tooltip=tooltip, id=f"transcript.{action.replace('_', '-')}")


class TranscriptKeys(TranscriptView):
    """A transcript that can be read, copied and searched by keys and mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("up", "message_before", "Message before", "Go to the message before"),
        _key("down", "message_after", "Next message", "Go to the next message"),
        _key("home", "first", "Beginning", "Go to the beginning of the chat"),
        _key("end", "last", "End", "Go to the end and stay there"),
        _key("y", "copy_message", "Copy", "Copy the whole message", show=True),
        _key("c", "copy_code", "Copy code", "Copy the message's code; again: its next block", show=True),
        _key("m", "toggle_memories", "Memories", "Fold or unfold the memories behind the reply", show=True),
        _key("t", "toggle_thinking", "Thinking", "Fold or unfold the thinking"),
        _key("o", "open_all", "Open", "Show all of a very long message"),
        _key("ctrl+f", "search", "Find", "Find text in this chat"),
    ]

    @dataclass
    class CopyRequested(Message, namespace="transcript"):
        """A text is to be copied. `what` says what it is, such as `message` or `code block 2 of 3`."""

        text: str
        what: str = "message"

    @dataclass
    class MemorySelected(Message, namespace="transcript"):
        """A memory behind a reply was clicked; `memory` is its id."""

        memory: str

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._code_at = (-1, 0)
        self._before_search: Widget | None = None

    # -- the message the keys work on --------------------------------------------------------------------------------

    @property
    def _current(self) -> MessageView | None:
        views = self.messages.views
        if not views:
            return None
        if self.focused_message is None:
            return views[-1]
        return views[min(self.messages.index_of(self.focused_message), len(views) - 1)]

    def on_focus(self) -> None:
        """Mark the last message that can be seen."""
        if self.focused_message is None and self.messages.views:
            bottom = min(round(self.scroll_y) + self.size.height, self.messages.rows) - 1
            self.focused_message = self.messages.views[self.messages.index_at(bottom)].serial

    def on_blur(self) -> None:
        """No message is marked while the keys go elsewhere."""
        self.focused_message = None

    def watch_focused_message(self) -> None:
        """Draw the marker."""
        self.refresh()

    def _step(self, by: int) -> None:
        current = self._current
        if current is None:
            return
        index = self.messages.index_of(current.serial) + by
        if index >= len(self.messages.views):
            self.to_end()
        else:
            self.show_view(self.messages.views[max(0, index)])

    def action_message_before(self) -> None:
        """Go to the message before."""
        self._step(-1)

    def action_message_after(self) -> None:
        """Go to the next message."""
        self._step(1)

    def action_first(self) -> None:
        """Go to the beginning."""
        if self.messages.views:
            self.focused_message = self.messages.views[0].serial
            self.show_row(0)

    def action_last(self) -> None:
        """Go to the end and stay there."""
        if self.messages.views and self.has_focus:
            self.focused_message = self.messages.views[-1].serial
        self.to_end()

    # -- copying -----------------------------------------------------------------------------------------------------

    def action_copy_message(self) -> None:
        """Ask for a copy of the whole message, as it was written."""
        view = self._current
        if view is not None and view.data.text:
            self.post_message(self.CopyRequested(copyable(view.data.text), "message"))

    def action_copy_code(self) -> None:
        """Ask for a copy of the message's code; pressed again, of its next block."""
        view = self._current
        if view is None:
            return
        blocks = code_blocks(view.data.text)
        if not blocks:
            return
        serial, nth = self._code_at
        nth = (nth + 1) % len(blocks) if serial == view.serial else 0
        self._code_at = (view.serial, nth)
        what = "code block" if len(blocks) == 1 else f"code block {nth + 1} of {len(blocks)}"
        self.post_message(self.CopyRequested(copyable(blocks[nth]), what))

    # -- folding -----------------------------------------------------------------------------------------------------

    def _toggle(self, view: MessageView | None, what: str) -> None:
        if view is None or (what == "memories" and not view.data.memories):
            return
        if self.text_selection is not None:
            self.screen.clear_selection()
        with self.changing():
            data = view.data
            if what == "memories":
                data.memories_open = not data.shows_memories
            else:
                data.thinking_open = not data.thinking_open
            view.refold()

    def action_toggle_memories(self) -> None:
        """Fold or unfold the memories behind the reply."""
        self._toggle(self._current, "memories")

    def action_toggle_thinking(self) -> None:
        """Fold or unfold the thinking."""
        self._toggle(self._current, "thinking")

    def action_open_all(self) -> None:
        """Show all of a very long message."""
        self._open(self._current)

    def _open(self, view: MessageView | None) -> None:
        if view is not None and view.clipped.hidden:
            with self.changing(hold=True):
                view.open_all()

    # -- the mouse ---------------------------------------------------------------------------------------------------

    async def _on_click(self, event: events.Click) -> None:
        if event.chain > 1:
            if self._select_around(event):
                event.prevent_default()
            return
        target = event.style.meta.get("hit")
        offset = event.get_content_offset(self)
        if not target or offset is None or self.text_selection is not None:
            return
        event.stop()
        spot = self.messages.spot(round(self.scroll_y) + offset.y)
        self._hit(spot.view if spot is not None else None, target)

    def _hit(self, view: MessageView | None, target: list[Any]) -> None:
        match target:
            case ["end"]:
                self.to_end()
            case ["memory", str(memory)]:
                self.post_message(self.MemorySelected(memory))
            case ["memories" | "thinking" as what]:
                self._toggle(view, what)
            case ["open"]:
                self._open(view)
            case ["code", int(nth)] if view is not None:
                code = fenced_block(view.data.text, nth, verbatim=view.data.role == "user")
                self.post_message(self.CopyRequested(copyable(code), "code block"))

    def _select_around(self, event: events.Click) -> bool:
        """Select the word that was clicked twice, or the message that was clicked three times."""
        _, offset = self.screen.get_widget_and_offset_at(event.screen_x, event.screen_y)
        if offset is None:
            return False
        serial, number, row = row_of(offset.y)
        index = self.messages.index_of(serial)
        view = self.messages.views[index] if index < len(self.messages.views) else None
        if view is None or view.serial != serial:
            return True
        if event.chain > 2:
            first, last = row_number(serial, 0, 0), row_number(serial + 1, 0, 0) - 1
            self.screen.selections = {self: Selection(Offset(0, first), Offset(0, last))}
            return True
        part = view.parts()[number]
        lines = view.draw(part, self.palette, self.scene)
        if 0 <= row - part.gap < len(lines):
            start, end = word_at(lines[row - part.gap].text, max(0, offset.x - MARGIN))
            self.screen.selections = {self: Selection(Offset(start + MARGIN, offset.y), Offset(end + MARGIN, offset.y))}
        return True

    # -- finding -----------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Begin to find; pressed again, go to the occurrence before."""
        if self.search is not None:
            self._find_next(-1)
            return
        focused = self.screen.focused
        self._before_search = focused if focused is not self else None
        current = self._current
        self.focus()
        self.search = Search(origin=current.serial if current is not None else 0)
        self.refresh()

    def end_search(self) -> None:
        """Close the search; the focus goes back to where it was."""
        if self.search is None:
            return
        self.search = None
        before, self._before_search = self._before_search, None
        if before is not None and before.is_attached and self.has_focus:
            before.focus()
        self.refresh()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """While a search is typed, letters are letters."""
        return self.search is not None and character is not None and character.isprintable()

    async def on_key(self, event: events.Key) -> None:
        """The keys of a search."""
        search = self.search
        if search is None:
            return
        handled = True
        match event.key:
            case "escape":
                self.end_search()
            case "enter" | "up" | "ctrl+g":
                self._find_next(-1)
            case "down":
                self._find_next(1)
            case "backspace":
                self._find(search.query[:-1])
            case "ctrl+u":
                self._find("")
            case _ if event.is_printable and event.character:
                self._find(search.query + event.character)
            case _:
                handled = False
        if handled:
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted while a search is typed is looked for: its first line."""
        if self.search is not None:
            event.stop()
            self._find(self.search.query + event.text.strip().split("\n")[0][:200])

    def _find(self, query: str) -> None:
        assert self.search is not None
        self.search.query = query
        self.search.run(self.messages.views)
        self._show_match()

    def _find_next(self, by: int) -> None:
        assert self.search is not None
        self.search.step(by)
        self._show_match()

    def _show_match(self) -> None:
        search = self.search
        match = search.match if search is not None else None
        self.messages.moved()
        if search is None or match is None:
            self.refresh()
            return
        view = self.messages.views[self.messages.index_of(match.serial)]
        self.focused_message = view.serial
        number = min(match.number, len(view.parts()) - 1)
        part = view.parts()[number]
        spans = search.spans(part, view.draw(part, self.palette, self.scene))
        nth = min(match.nth, max((span.nth for span in spans), default=0))
        row = next((span.row for span in spans if span.nth == nth), 0)
        self.messages.moved()
        top = self.messages.top_of(view) + view.top_of(number) + part.gap + row
        self.show_row(max(0, top - 1), 4)  # some context, and the search's own row below
