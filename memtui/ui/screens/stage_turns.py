"""A turn on the screen: its steps become messages of the transcript, a glow in the panel, figures in the top line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.errors import InputError, MemtuiError
from memtui.ui.screens.stage_time import sleep_words
from memtui.ui.widgets.recall_lines import RecallLine, recall_lines

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Heard, Replied, Step
    from memtui.memory.recall import Recollection
    from memtui.ui.screens.stage import Stage


class StageTurns:
    """Shows the steps of one turn after another.

    Attributes:
        running: id of the turn whose reply is being written, or "".
        streamed: whether the reply came in pieces.
    """

    def __init__(self, stage: Stage) -> None:
        self.running = ""
        self.streamed = False
        self._stage = stage
        self._again = False
        self._recollection: Recollection | None = None
        self._memories: tuple[RecallLine, ...] = ()
        self._unfinished: Replied | None = None
        self._news: tuple[str, ...] = ()

    def begins(self, again: bool) -> None:
        """A turn is being asked; `again` when its text stands in the transcript already."""
        self._again = again
        self.running = ""
        self.streamed = False
        self._recollection, self._memories, self._unfinished, self._news = None, (), None, ()
        self._stage.alert_box.dismiss()

    def stepped(self, step: Step, companion: Companion) -> None:
        """Show one step."""
        from memtui.chat.steps import Failed, Heard, Learned, RecalledFor, Replied, Said, Slumbered

        match step:
            case Heard():
                self._heard(step)
            case RecalledFor(recollection=recollection):
                self._recalled(recollection, companion)
            case Said(delta=delta):
                self.streamed = True
                self._stage.transcript.append(self.running, delta.text, delta.thinking)
            case Replied():
                self._replied(step, companion)
            case Learned(created=created, reinforced=reinforced):
                self._finish()
                self._stage.time.take_in(companion)
                self._news = (*created, *reinforced)
            case Slumbered(report=report):
                self._stage.time.take_in(companion)
                self._stage.transcript.notice(sleep_words(report), "sleep")
            case Failed(error=error, stage=stage):
                self._failed(error, stage)

    def ended(self, companion: Companion | None, broken_off: bool) -> None:
        """The turn is over, whatever became of it."""
        stage = self._stage
        self._finish()
        if self.running and broken_off:
            stage.transcript.fail_reply(self.running, "Broken off; nothing was taken in. /retry asks it again.")
        self.running = ""
        if companion is not None:
            stage.time.take_in(companion)
            stage.panel.resort()
            recalled = self._recollection.recalled if self._recollection is not None else ()
            stage.follow((*self._news, *recalled))
            if not stage.seeking:
                stage.regret.look()

    def _heard(self, step: Heard) -> None:
        transcript = self._stage.transcript
        self.running = step.turn_id
        if not self._again:
            transcript.add_user(step.turn_id, step.text, step.at, step.masked)
        transcript.begin_reply(step.turn_id, step.at)

    def _recalled(self, recollection: Recollection, companion: Companion) -> None:
        self._recollection = recollection
        self._memories = recall_lines(recollection, companion.store.frame)
        given = [item.memory for item in recollection.items]
        if not self._stage.past.keep_given(given):
            self._stage.panel.glow(given)
            self._stage.strip.glow(given)
        self._stage.time.show_tokens(recollection.tokens)

    def _replied(self, step: Replied, companion: Companion) -> None:
        self._unfinished = step
        if not step.interrupted or companion.stopping:
            self._finish()

    def _finish(self) -> None:
        """The reply stands as it is; one that broke off waits for the error that says why."""
        step, self._unfinished = self._unfinished, None
        if step is None:
            return
        recollection = self._recollection
        tokens = f"{recollection.tokens} of {recollection.budget} tok" if recollection is not None else ""
        self._stage.transcript.finish_reply(self.running, step.text, tokens, self._memories, step.interrupted)
        self.running = ""

    def _failed(self, error: MemtuiError, stage: str) -> None:
        if stage == "hear" and isinstance(error, InputError):
            return  # nothing but blanks was sent
        if stage in ("recall", "reply", "turn") and self.running:
            self._unfinished = None
            self._stage.transcript.fail_reply(self.running, error.what)
            self.running = ""
        self._stage.alert(error)
