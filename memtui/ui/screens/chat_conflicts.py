"""What the person has to settle, on the chat screen: how much it is, the screen that asks, the answers and their undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.errors import InputError, MemtuiError
from memtui.ui.actions import by_id, key_words
from memtui.ui.widgets.conflict_lines import Question, questions_of
from memtui.ui.widgets.key_line import KeyHint

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.memory.model import Answer
    from memtui.ui.screens.chat_screen import ChatScreen
    from memtui.ui.screens.conflicts_screen import ConflictsScreen

ACTION: Final = "memory.settle"


class ChatConflicts:
    """Drives one `ConflictsScreen` at a time."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._open: ConflictsScreen | None = None
        self._done: list[tuple[str, frozenset[str]]] = []  # what was answered on the open screen: block and pair

    @property
    def count(self) -> int:
        """How many wait."""
        companion = self._screen.companion
        return len(companion.conflicts()) if companion is not None else 0

    @property
    def key(self) -> str:
        """The key that opens them, as people write it."""
        action = by_id(ACTION)
        return key_words(self._screen.memtui.keymap_keys(ACTION, action.key if action is not None else ""))

    def hints(self) -> list[KeyHint]:
        """One quiet word in the key line while something waits."""
        count = self.count if self._screen.past.then is None else 0
        return [KeyHint(self.key, f"{count} to settle", "conflicts", 4)] if count else []

    def begin(self) -> None:
        """Open the screen."""
        companion = self._screen.companion
        if companion is None:
            self._screen.alert(InputError("Memory is still being opened.", todo="Try again in a moment."))
            return
        if self._open is not None or self._screen.past.refused("nothing can be settled in it"):
            return
        from memtui.ui.screens.conflicts_screen import ConflictsScreen

        self._done = []
        self._open = ConflictsScreen(
            self._questions(companion),
            answered=lambda question, answer: self._screen.work(self.answer(question, answer), "settle"),
            undo=lambda: self._screen.work(self.undo(), "settle"),
        )
        self._screen.app.push_screen(self._open, self._closed)

    async def answer(self, question: Question, answer: Answer) -> None:
        """Do what was answered, and ask what is left."""
        from memtui.chat.settling import settled_words

        companion, screen = self._screen.companion, self._open
        if companion is None or screen is None:
            return
        self._wait_for_reply()
        try:
            done = await companion.settle(question.older.id, question.newer.id, answer)
        except MemtuiError as error:
            screen.show_problem(str(error))
            return
        self._done.append((done.block, question.pair))
        self._show(companion, screen, settled_words(companion, done))

    async def undo(self) -> None:
        """Take the last answer of this screen back."""
        companion, screen = self._screen.companion, self._open
        if companion is None or screen is None or not self._done:
            return
        self._wait_for_reply()
        block, pair = self._done[-1]
        try:
            sentence = await companion.undo(block)
        except MemtuiError as error:
            screen.show_problem(str(error))
            return
        self._done.pop()
        self._show(companion, screen, sentence, at=pair)

    def _show(self, companion: Companion, screen: ConflictsScreen, done: str, at: frozenset[str] | None = None) -> None:
        self._screen.memories.changed(companion)
        if screen.is_attached:
            screen.show(self._questions(companion), done=done, answers=len(self._done), at=at)

    def _questions(self, companion: Companion) -> list[Question]:
        return questions_of(companion, self._screen.memtui.tz)

    def _wait_for_reply(self) -> None:
        if self._screen.busy:
            self._screen.memtui.say("This waits for the reply to end.", timeout=3)

    def _closed(self, _: None) -> None:
        if self._done:
            many = len(self._done)
            self._screen.transcript.notice(f"Settled {many} question{'' if many == 1 else 's'}. /undo takes the last back.")
        self._open = None
