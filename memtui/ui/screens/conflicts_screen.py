"""Memories that may contradict each other, one pair after another, for the person to settle with one key each.

The screen settles nothing. Whoever opens it gives it the questions, does what is answered or taken back, and then shows what
is left (`show`) or why it could not be done (`show_problem`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.memory.model import Answer
from memtui.ui.widgets.conflict_lines import Question, answer_lines, question_body
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.row_text import card_text

KEYS: Final = {Answer.REPLACED: "r", Answer.BOTH: "b", Answer.UNSURE: "n"}
_NOTHING: Final = "Nothing to settle: no two memories seem to contradict each other."
_ALL: Final = "All settled."


class ConflictsScreen(ModalScreen[None]):
    """One question at a time, the newer memory above the older."""

    DEFAULT_CSS = """
    ConflictsScreen {
        align: center middle;
        background: $background 70%;
        & > #conflicts-box {
            width: 92%;
            max-width: 88;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            border: round $accent;
            border-title-color: $accent;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
        #conflicts-page { height: auto; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
        #conflicts-page Static, #conflicts-answers, #conflicts-note { width: 1fr; height: auto; }
        #conflicts-answers { padding: 1 1 0 1; }
        #conflicts-note { padding: 1 1 0 1; color: $text-success; display: none; }
        #conflicts-note.-shown { display: block; }
        #conflicts-note.-problem { color: $text-warning; }
        KeyLine { background: $surface; margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"answer('{answer}')", answer.value, tooltip=tooltip, show=False)
            for (answer, key), tooltip in zip(
                KEYS.items(), ("The newer replaced the older.", "Both are true.", "Not sure: keep both."), strict=True
            )
        ),
        Binding("right,l,tab,space", "go(1)", "next", tooltip="The next question, or the one before.", show=False),
        Binding("left,h,shift+tab", "go(-1)", "before", tooltip="The next question, or the one before.", show=False),
        Binding("u", "undo", "undo", tooltip="Take the last answer back.", show=False),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
        Binding("pagedown", "scroll(8)", "page down", show=False),
        Binding("pageup", "scroll(-8)", "page up", show=False),
        Binding("escape,q", "close", "later", tooltip="Leave the rest for later.", show=False),
        Binding("f7", "close", "later", tooltip="Leave the rest for later.", id="memory.settle", show=False),
        Binding("enter", "close_if_done", "close", show=False),
    ]

    def __init__(
        self,
        questions: Sequence[Question],
        *,
        answered: Callable[[Question, Answer], None],
        undo: Callable[[], None],
    ) -> None:
        """Args:
        answered: does what the person answered.
        undo: takes back the last answer given here.
        """
        super().__init__()
        self._answered = answered
        self._undo = undo
        self._questions = list(questions)
        self._at = 0
        self._answers = 0
        self._waiting = False

    def compose(self) -> ComposeResult:
        """A box: the question, its answers, what was done, keys."""
        with Vertical(id="conflicts-box") as box:
            box.border_title = "To settle"
            with VerticalScroll(id="conflicts-page", can_focus=False):
                yield Static(markup=False, id="conflicts-question")
            yield Static(markup=False, id="conflicts-answers")
            yield Static(markup=False, id="conflicts-note")
            yield KeyLine()

    def on_mount(self) -> None:
        """Ask."""
        self._fill()

    def on_resize(self, event: events.Resize) -> None:
        """The question takes what answers, note and keys leave."""
        self._fit(event.size.height)

    # What it is told.

    def show(self, questions: Sequence[Question], *, done: str, answers: int, at: frozenset[str] | None = None) -> None:
        """What is left to settle.

        Args:
            done: what was done last, in a sentence.
            answers: how many answers given here can be taken back.
            at: the pair to stand at; the same place as before by default.
        """
        self._questions = list(questions)
        self._answers = answers
        self._waiting = False
        wanted = [place for place, question in enumerate(self._questions) if question.pair == at]
        self._at = wanted[0] if wanted else min(self._at, max(len(self._questions) - 1, 0))
        self._note(done)
        self._fill()

    def show_problem(self, text: str) -> None:
        """It could not be done; nothing was changed."""
        self._waiting = False
        self._note(text, problem=True)
        self._fill()

    # What the person does.

    def action_answer(self, answer: str) -> None:
        """Answer the question that is shown."""
        if self._questions and not self._waiting:
            self._waiting = True
            self._note("")
            self._answered(self._questions[self._at], Answer(answer))

    def action_undo(self) -> None:
        """Take the last answer given here back."""
        if self._answers and not self._waiting:
            self._waiting = True
            self._undo()

    def action_go(self, by: int) -> None:
        """The next question, or the one before."""
        if len(self._questions) > 1:
            self._at = (self._at + by) % len(self._questions)
            self._note("")
            self._fill()

    def action_scroll(self, by: int) -> None:
        """Lines down or up."""
        self.query_one("#conflicts-page", VerticalScroll).scroll_relative(y=by, animate=False)

    def action_close(self) -> None:
        """Leave the rest for later."""
        self.dismiss(None)

    def action_close_if_done(self) -> None:
        """Enter closes only when there is nothing left to answer."""
        if not self._questions:
            self.dismiss(None)

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    def _note(self, text: str, *, problem: bool = False) -> None:
        note = self.query_one("#conflicts-note", Static)
        note.update(card_text(text, 400))
        note.set_class(bool(text), "-shown")
        note.set_class(problem, "-problem")

    def _fill(self) -> None:
        question = self._questions[self._at] if self._questions else None
        body, answers = self.query_one("#conflicts-question", Static), self.query_one("#conflicts-answers", Static)
        answers.display = question is not None
        if question is None:
            body.update(_ALL if self._answers else _NOTHING)
        else:
            body.update(question_body(question))
            answers.update(answer_lines(question, KEYS))
        self.query_one("#conflicts-page", VerticalScroll).scroll_home(animate=False)
        count = len(self._questions)
        self.query_one("#conflicts-box").border_subtitle = f"{self._at + 1} of {count}" if count else ""
        self.query_one(KeyLine).show(self._hints())
        self._fit(self.size.height)

    def _fit(self, height: int) -> None:
        """Border, answers, note and keys have their lines; the question scrolls in what is left."""
        taken = 2 + (4 if self._questions else 0) + 2
        taken += 3 if self.query_one("#conflicts-note").has_class("-shown") else 0
        self.query_one("#conflicts-page").styles.max_height = max(height - taken, 3)

    def _hints(self) -> list[KeyHint]:
        undo = [KeyHint("u", "undo", "undo", 1)] if self._answers else []
        if not self._questions:
            return [*undo, KeyHint("esc", "close", "close", 2)]
        words = {Answer.REPLACED: "replaced", Answer.BOTH: "both true", Answer.UNSURE: "not sure"}
        answers = [KeyHint(KEYS[answer], word, f"answer('{answer}')", 2) for answer, word in words.items()]
        more = [KeyHint("←→", "next", "go(1)", 1)] if len(self._questions) > 1 else []
        return [*answers, *more, *undo, KeyHint("esc", "later", "close", 2)]
