"""Looking back on the chat screen: what is refused meanwhile, and what a draft would have recalled then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.errors import InputError, MemtuiError
from memtui.memory.texts import one_line
from memtui.ui.widgets.pace import Pace
from memtui.ui.widgets.prompt import PLACEHOLDER

if TYPE_CHECKING:
    from memtui.ui.screens.chat_screen import ChatScreen

WRITES: Final = frozenset(
    {
        *("remember", "pin", "unpin", "forget", "restore", "edit", "undo", "learn", "skill"),
        *("conflicts", "settle", "sleep", "warp", "rate", "retry", "task"),
    }
)
"""Commands that would change memory or time."""
PLACEHOLDER_THEN: Final = "Type a question: » marks what it would have recalled"
_PREVIEW_EVERY_S: Final = 0.2
_TITLE_WORDS: Final = 40


class ChatPast:
    """What the chat does with a past that is shown."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._pace = Pace(screen, _PREVIEW_EVERY_S, self._preview)
        self._newest = ""

    def refuses_turn(self, text: str) -> bool:
        """Whether a turn is refused because the past is shown; what was typed goes back into the prompt."""
        if not self._screen.past.refused("nothing can be said to it"):
            return False
        self._screen.prompt.draft = text
        return True

    def refuse_command(self, name: str) -> None:
        """See that a command may be run.

        Raises:
            ReadOnlyError: the past is shown, and it would write.
        """
        if name in WRITES:
            self._screen.past.refuse(f"/{name} has to wait")

    async def recall(self, text: str) -> str:
        """What recall would have given for a text then, as `/recall` says it.

        Raises:
            InputError: there is no text, or now is shown.
            MindError: the embedder did not answer.
        """
        then = self._screen.past.then
        if then is None or not text:
            raise InputError("/recall needs TEXT.")
        found = await then.recall_for(text)
        if self._screen.past.then is then:
            self._screen.past.show_recalled(found)
        lines = [
            f"{then.handle(item.memory)} {one_line(then.frame.texts[item.row], 60)}"
            f"  words {item.words:.2f} meaning {item.meaning:.2f} kept {item.retention:.2f}"
            for item in found.items
        ]
        return "\n".join([f"As of {self._screen.past.date()}:", *(lines or ["Nothing would have been recalled for that."])])

    def shown(self) -> None:
        """Another moment is shown, or now again."""
        looking = self._screen.past.then is not None
        self._screen.prompt.set_class(looking, "-past")
        self._screen.prompt.keeps_draft = looking
        self._screen.prompt.placeholder = PLACEHOLDER_THEN if looking else PLACEHOLDER
        self.show_title(self._newest)
        if looking:
            self._pace.ask()

    def draft_changed(self) -> None:
        """Something else is typed: mark what it would have recalled then."""
        if self._screen.past.then is not None:
            self._pace.ask()

    def show_title(self, newest: str) -> None:
        """What stands over the prompt: that the past is shown, or which turns wait (`newest` is the last of them)."""
        self._newest = newest
        screen, count = self._screen, self._screen.conversation.waiting
        if screen.past.then is not None:
            title = f"as of {screen.past.date()} · read-only · esc: now"
        elif not count:
            title = ""
        else:
            words = one_line(newest, _TITLE_WORDS) if newest else ""
            title = f"waits: {words}" if count == 1 and words else f"{count} turns wait"
        screen.prompt.border_title = title.replace("[", "\\[")

    def _preview(self) -> None:
        screen, companion = self._screen, self._screen.companion
        text = screen.prompt.draft.strip()
        if companion is None or screen.past.then is None or text.startswith("/"):
            return
        if not companion.mind.local and companion.settings.mind.embedding_model:
            return  # each letter would be a call
        screen.run_worker(self._mark(text), group="recall then", exclusive=True, exit_on_error=False)

    async def _mark(self, text: str) -> None:
        then = self._screen.past.then
        if then is None:
            return
        if not text:
            self._screen.panel.glow(())
            self._screen.strip.glow(())
            return
        try:
            found = await then.recall_for(text)
        except MemtuiError as error:
            self._screen.alert(error)
            return
        if self._screen.past.then is then:
            self._screen.past.show_recalled(found)
