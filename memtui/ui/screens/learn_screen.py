"""Keeping a skill: its fields one after another, empty or filled from the last turns; or changing one that is there."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from memtui.errors import InputError
from memtui.memory.skill import LONGEST_TITLE, Draft, checked
from memtui.memory.texts import clean
from memtui.ui.widgets.choice_line import OutcomeChoice
from memtui.ui.widgets.key_line import KeyHint, KeyLine

_AREAS: Final = (
    ("trigger", "When it helps: the situation, the message, the command"),
    ("steps", "Steps: what to do, one a line"),
    ("lessons", "Lessons: what was learned beside (may stay empty)"),
)


class LearnScreen(ModalScreen[Draft | None]):
    """A form; dismissed with a draft that can be kept, or None."""

    DEFAULT_CSS = """
    LearnScreen {
        align: center middle;
        background: $background 70%;
        & > #learn-box {
            width: 92%;
            max-width: 92;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            border: round $accent;
            border-title-color: $accent;
            border-title-style: bold;
            background: $surface;
        }
        .learn-label { color: $text-muted; height: 1; padding: 0 1; }
        #learn-title, #learn-outcome { border: round $border-blurred; background: $background; padding: 0 1; }
        #learn-outcome { background: $surface; }
        TextArea { height: 4; border: round $border-blurred; background: $background; padding: 0; }
        #learn-steps { height: 7; }
        #learn-title:focus, #learn-outcome:focus, TextArea:focus { border: round $accent; }
        #learn-problem { height: auto; padding: 0 1; color: $text-error; display: none; }
        #learn-problem.-shown { display: block; }
        &.-low TextArea { height: 3; }
        &.-low #learn-steps { height: 3; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "save", tooltip="Keep the skill.", show=False, priority=True),
        Binding("ctrl+l", "from_talk", "last turns", tooltip="Fill it from the last turns.", show=False, priority=True),
        Binding("escape", "cancel", "cancel", tooltip="Keep nothing.", show=False),
    ]

    def __init__(self, draft: Draft | None = None, *, title: str = "Learn a skill", talk: Draft | None = None) -> None:
        """Args:
        draft: what the fields hold at first.
        title: what the form is called.
        talk: what the last turns tell, offered by a key; None offers nothing.
        """
        super().__init__()
        self._draft = draft or Draft("")
        self._name = title
        self._talk = talk

    def compose(self) -> ComposeResult:
        """Five fields and the keys."""
        with VerticalScroll(id="learn-box", can_focus=False) as box:
            box.border_title = self._name
            yield Static("Title: what it is good for, in a line", classes="learn-label", markup=False)
            title = Input(self._draft.title, id="learn-title", max_length=LONGEST_TITLE)
            title.cursor_blink = False
            yield title
            for name, label in _AREAS:
                yield Static(label, classes="learn-label", markup=False)
                area = TextArea(clean(getattr(self._draft, name)), id=f"learn-{name}", soft_wrap=True, tab_behavior="focus")
                area.cursor_blink = False
                yield area
            yield Static("How it went", classes="learn-label", markup=False)
            yield OutcomeChoice(self._draft.outcome, id="learn-outcome")
            yield Static(markup=False, id="learn-problem")
            yield KeyLine(self._hints())

    def on_mount(self) -> None:
        """Begin with the title."""
        self.query_one("#learn-title").focus()

    def on_resize(self) -> None:
        """Lower fields where there is little room."""
        self.set_class(self.size.height < 34, "-low")

    def action_save(self) -> None:
        """Close with the draft, if it can be kept."""
        fields = {name: clean(self.query_one(f"#learn-{name}", TextArea).text) for name, _ in _AREAS}
        title = clean(self.query_one("#learn-title", Input).value)
        outcome = self.query_one(OutcomeChoice).chosen
        try:
            draft = checked(Draft(title, outcome=outcome, slug=self._draft.slug, **fields))
        except InputError as error:
            self._complain(f"{error.what} {error.todo}".strip(), "#learn-title" if "title" in error.what else "#learn-steps")
            return
        self.dismiss(draft)

    def action_from_talk(self) -> None:
        """Fill the fields from the last turns."""
        if self._talk is None:
            return
        self.query_one("#learn-title", Input).value = self._talk.title
        for name, _ in _AREAS:
            self.query_one(f"#learn-{name}", TextArea).text = getattr(self._talk, name)
        self.query_one(OutcomeChoice).action_set(self._talk.outcome.value)

    def action_cancel(self) -> None:
        """Close, keeping nothing."""
        self.dismiss(None)

    def action_next_field(self) -> None:
        """To the next field."""
        self.focus_next()

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.focus_next()

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    def _complain(self, problem: str, field: str) -> None:
        told = self.query_one("#learn-problem", Static)
        told.update(problem)
        told.add_class("-shown")
        self.query_one(field).focus()

    def _hints(self) -> list[KeyHint]:
        talk = [KeyHint("ctrl+l", "from the last turns", "from_talk", 1)] if self._talk is not None else []
        return [
            KeyHint("ctrl+s", "save", "save", 2),
            *talk,
            KeyHint("tab", "next field", "next_field"),
            KeyHint("esc", "cancel", "cancel", 2),
        ]
