"""The conversation: one widget that draws lines, whatever their number.

A finished message is drawn once and kept as strips while it is looked at; a reply being written redraws its last block only,
at most ten times a second. The widget knows no store and no mind: it is told what was said and posts what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from textual.timer import Timer

from memtui.errors import MemtuiError
from memtui.ui.widgets.message_model import FinishedMessage, MessageData, NoticeKind
from memtui.ui.widgets.message_styles import TRANSCRIPT_CSS
from memtui.ui.widgets.message_view import MessageView
from memtui.ui.widgets.recall_lines import RecallLine
from memtui.ui.widgets.transcript_keys import TranscriptKeys

TICK_S: Final = 0.1
"""Seconds between two drawings of a growing reply, at least."""
_SLOWNESS: Final = 4
"""Drawing takes at most one part in this many of the time; a text that is slow to draw is drawn less often."""


class Transcript(TranscriptKeys):
    """Messages from top to bottom.

    Posts `CopyRequested` (the screen does the copying) and `MemorySelected`.

    Args:
        zone: the time zone dates are shown in.
        clock: seconds of a clock that never goes back, for "writing 0.4 s".
    """

    DEFAULT_CSS = TRANSCRIPT_CSS

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._by_id: dict[tuple[str, str], MessageView] = {}
        self._writing: dict[str, MessageView] = {}
        self._last_reply: MessageView | None = None
        self._ticker: Timer | None = None
        self._rest_until = 0.0

    # -- what is said ------------------------------------------------------------------------------------------------

    def add_user(self, id: str, text: str, at: datetime, masked: int = 0) -> None:
        """A turn of the person. `masked`: how many secrets were taken out of it. Scrolls to the end."""
        self._stick = True
        with self.changing():
            self._add(MessageData.of(FinishedMessage("user", text, id=id, at=at, masked=masked)))

    def begin_reply(self, id: str, at: datetime) -> None:
        """A reply begins; `id` may be that of the turn it answers."""
        with self.changing():
            self._writing[id] = self._add(MessageData("reply", id, at, state="writing", started_s=self._clock()))
        self._tick_while_writing()

    def append(self, id: str, delta_text: str, thinking: bool = False) -> None:
        """A piece of a reply; kept at once, drawn at the next tick. Unknown ids (another chat is shown now) are dropped."""
        view = self._writing.get(id)
        if view is None or not delta_text:
            return
        data = view.data
        if not thinking and not data.first_s:
            data.first_s = self._clock()
            data.thinking_s = data.first_s - data.started_s if data.thinking else 0.0
        data.add(delta_text, thinking=thinking)

    def finish_reply(
        self,
        id: str,
        text: str,
        tokens: str = "",
        memories: Sequence[RecallLine] = (),
        interrupted: bool = False,
    ) -> None:
        """A reply is complete, or was cut short.

        Args:
            text: all of it, as it is stored.
            tokens: what the header says of tokens, such as `44 of 170 tok`.
            memories: what went into the prompt, best first.
        """
        view = self._end(id)
        if view is None:
            return
        data = view.data
        with self.changing():
            data.state = "interrupted" if interrupted else "done"
            data.tokens, data.memories, data.recalled = tokens, tuple(memories), True
            self._set_last(view)
            if text == data.text:
                view.finish()
            else:
                data.text = text
                view.rewrite()

    def fail_reply(self, id: str, error: MemtuiError | str) -> None:
        """There will be no (more of a) reply; what was said so far stays, and the error says what to do."""
        view = self._end(id)
        if view is None:
            return
        parts = [error] if isinstance(error, str) else [error.what, error.safe, error.todo]
        with self.changing():
            view.data.error = "\n".join(part for part in parts if part.strip()) or "No reply."
            view.data.state = "failed"
            view.finish()

    def notice(self, text: str, kind: NoticeKind = "info") -> None:
        """A quiet line of the program's own: a sleep report, a warp, an import, an error."""
        with self.changing():
            self._add(MessageData.of(FinishedMessage("notice", text, kind=kind)))

    def load(self, messages: Iterable[FinishedMessage]) -> None:
        """Show another conversation, at its end. Costs little: a message is drawn when it is looked at."""
        self._forget()
        with self.changing():
            for message in messages:
                view = self._add(MessageData.of(message))
                if message.role == "reply" and not message.error:
                    self._last_reply = view
            if self._last_reply is not None:
                self._set_last(self._last_reply)
                self._last_reply.refold()

    def clear(self) -> None:
        """Show nothing."""
        with self.changing():
            self._forget()

    @property
    def is_empty(self) -> bool:
        """Whether there is no message at all."""
        return not self.messages.views

    # -- going somewhere ---------------------------------------------------------------------------------------------

    def scroll_to_turn(self, turn_id: str) -> bool:
        """Go to a turn (its reply, if only that is here) and mark it; False if it is not here."""
        view = self._by_id.get(("user", turn_id)) or self._by_id.get(("reply", turn_id))
        if view is not None:
            self.show_view(view)
        return view is not None

    def scroll_to_time(self, moment: datetime) -> bool:
        """Go to the last message said at or before `moment` (aware) and mark it; False if there is none."""
        for view in reversed(self.messages.views):
            if view.data.at is not None and view.data.at <= moment:
                self.show_view(view)
                return True
        return False

    # -- the stream --------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Show what the streams have brought, now."""
        changed: list[tuple[MessageView, int]] = []
        with self.changing(repaint=False):
            for view in self._writing.values():
                before = view.height
                changed.append((view, view.flush()))
                if not self._stick and view.height != before:
                    self._unseen = True
        for view, row in changed:  # where nothing moved, only the header and the rows that are new are drawn
            top = self.messages.top_of(view)
            self.refresh_lines(top)
            self.refresh_lines(top + row, max(1, view.height - row))
            if view.data.thinking:
                self.refresh_lines(top + 1)
        if self._unseen:
            self.refresh_lines(round(self.scroll_y) + self.size.height - 1)

    def on_mount(self) -> None:
        """A reply may have begun before."""
        if self._writing:
            self._tick_while_writing()

    def _tick_while_writing(self) -> None:
        if self._ticker is None and self.is_mounted:
            self._ticker = self.set_interval(TICK_S, self._tick)

    def _tick(self) -> None:
        begin = self._clock()
        if begin >= self._rest_until:
            self.flush()
            self._rest_until = begin + _SLOWNESS * (self._clock() - begin) - TICK_S

    def stop_ticking(self) -> None:
        """Draw no more of what is being written but by `flush`."""
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    # -- state -------------------------------------------------------------------------------------------------------

    def _add(self, data: MessageData) -> MessageView:
        view = self.messages.add(data)
        if data.id:
            self._by_id[data.role, data.id] = view
        if data.at is not None:
            self._year = data.at.astimezone(self.zone).year
        if not self._stick:
            self._unseen = True
        return view

    def _set_last(self, view: MessageView) -> None:
        """`view` is the last reply: its memories stand in rows, those of the one before are folded."""
        before, self._last_reply = self._last_reply, view
        if before is not None and before is not view:
            before.data.is_last = False
            before.refold()
        view.data.is_last = True

    def _end(self, id: str) -> MessageView | None:
        view = self._writing.pop(id, None)
        if view is not None and not view.data.first_s and view.data.thinking:
            view.data.thinking_s = self._clock() - view.data.started_s
        if not self._writing:
            self.stop_ticking()
        return view

    def _forget(self) -> None:
        self.stop_ticking()
        self.end_search()
        self.messages.clear()
        self._by_id.clear()
        self._writing.clear()
        self._last_reply = None
        self._stick, self._unseen = True, False
        self.focused_message = None
