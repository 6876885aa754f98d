"""What the own chat and a replay share: a transcript beside a living memory, over a time line.

Wide terminals show the panel at the side; below 100 columns it is a drawer over the chat and a strip of one line stands in
for it; on very small ones only transcript and foot are left. `Stage` lays out and shows; what happens is up to its heirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from memtui.errors import InputError, MemtuiError
from memtui.memory.texts import one_line
from memtui.ui.actions import Where, actions_for, key_line, key_words
from memtui.ui.screens.stage_forecast import StageForecast
from memtui.ui.screens.stage_past import StagePast
from memtui.ui.screens.stage_regret import StageRegret
from memtui.ui.screens.stage_time import StageTime
from memtui.ui.screens.stage_turns import StageTurns
from memtui.ui.screens.stage_whatif import open_what_if
from memtui.ui.widgets.alert import Alert
from memtui.ui.widgets.card_content import CardTexts
from memtui.ui.widgets.clock_line import ClockLine
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.memory_foot import MemoryFoot
from memtui.ui.widgets.memory_panel import MemoryPanel
from memtui.ui.widgets.memory_rows import MemoryRows
from memtui.ui.widgets.memory_strip import MemoryStrip
from memtui.ui.widgets.timeline import Timeline
from memtui.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memtui.chat.companion import Companion
    from memtui.clock import SimClock
    from memtui.memory.model import Memory
    from memtui.ui.actions import Action
    from memtui.ui.app import MemtuiApp

_BY_KEY_ALONE = frozenset({"chat.stop", "chat.prompt", "chat.copy", "program.palette"})
"""Actions that make no sense from a palette that has taken the focus."""
THEMES_AFTER_S = 0.2
"""Seconds after the first paint at which the other themes are read."""
CARD_EVENTS = 6
"""The last events of a memory that its small card tells."""


class Stage(Screen[None]):
    """Transcript, memory and time.

    Attributes:
        places: where its actions and keys come from.
        watches: whether its clock runs and others may write to its store.
        time: keeps panel, time line and clock line at now.
        past: shows them as of a moment of the past.
        turns: shows what a turn does.
        regret: what was let go of and missed, under the panel.
        forecast: shows what will be.
        expected_offset_s: how far ahead time is believed to be before the store is open.
    """

    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-tiny"),
        (60, "-narrow"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-short"),
        (16, "-low"),
        (30, "-tall"),
    ]
    AUTO_FOCUS = ""
    places: ClassVar[tuple[Where, ...]] = ("app", "chat")
    watches: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.clock_line = ClockLine(id="clock-line")
        self.transcript = Transcript(id="transcript")
        self.panel = MemoryPanel(id="memory-panel")
        self.side = Vertical(self.panel, id="side")
        self.strip = MemoryStrip(id="memory-strip")
        self.timeline = Timeline(id="timeline")
        self.key_line = KeyLine(id="key-line")
        self.alert_box = Alert(id="alert")
        self.time = StageTime(self)
        self.past = StagePast(self)
        self.turns = StageTurns(self)
        self.regret = StageRegret(self)
        self.forecast = StageForecast(self)
        self.expected_offset_s = 0.0

    # -- what its heirs say ----------------------------------------------------------------------------------------

    @property
    def companion(self) -> Companion | None:
        """The memory that is shown; None while there is none."""
        raise NotImplementedError

    @property
    def clock(self) -> SimClock:
        """The clock before there is a companion."""
        raise NotImplementedError

    @property
    def title_words(self) -> str:
        """The conversation's title."""
        raise NotImplementedError

    @property
    def mind_label(self) -> str:
        """Who thinks; on the screen at all times."""
        raise NotImplementedError

    @property
    def shown_rate(self) -> float:
        """How fast time runs, for the top line."""
        return self.companion.clock.rate if self.companion is not None else self.clock.rate

    @property
    def busy(self) -> bool:
        """Whether a turn is running."""
        return False

    @property
    def seeking(self) -> bool:
        """Whether turns are played only to get somewhere."""
        return False

    def turn_texts(self, turns: Collection[str]) -> Mapping[str, str]:
        """The words of user turns by id, as far as they are known; may read files."""
        raise NotImplementedError

    @property
    def resting_focus(self) -> Widget:
        """Where the focus goes back to."""
        raise NotImplementedError

    def foot(self) -> ComposeResult:
        """What stands under the transcript."""
        raise NotImplementedError

    def looked_back(self) -> None:
        """Called when another moment of the past is shown, or now again."""

    def look_around(self) -> None:
        """Called once a second while time is watched."""

    async def end(self) -> None:
        """The program is left: close what is open, in about a second."""

    # -- the frame -------------------------------------------------------------------------------------------------

    @property
    def memtui(self) -> MemtuiApp:
        """The app, by its own type."""
        return cast("MemtuiApp", self.app)

    def compose(self) -> ComposeResult:
        """Top line; chat and memory side by side; time line; keys."""
        self.transcript.zone = self.panel.zone = self.memtui.tz
        self.panel.describe = self.describe
        yield self.clock_line
        with Horizontal(id="body"):
            with Vertical(id="chat"):
                yield self.transcript
                yield self.alert_box
                yield from self.foot()
            yield self.side
        yield self.timeline
        yield self.key_line

    def on_mount(self) -> None:
        """Say which keys there are."""
        self.show_keys()
        self.time.show_clock()
        self.resting_focus.focus()

    def show_keys(self) -> None:
        """The key line with the keys as the user has them."""
        hints = [
            KeyHint(
                key_words(self.memtui.keymap_keys(action.id, action.key)),
                self.label_of(action),
                action.action,
                3 if action.short else 1,
            )
            for action in key_line(*self.places)
        ]
        self.key_line.show([*hints, *self.passing_hints()])

    def passing_hints(self) -> list[KeyHint]:
        """Keys that are worth a word only as things stand."""
        return []

    def label_of(self, action: Action) -> str:
        """The word for an action as things stand."""
        return action.label

    @property
    def is_wide(self) -> bool:
        """Whether the panel stands at the side."""
        return self.size.width >= 100

    @property
    def drawer_open(self) -> bool:
        """Whether the panel lies over a narrow chat."""
        return not self.is_wide and self.side.has_class("-open")

    def open_drawer(self, wanted: bool = True) -> None:
        """Lay the panel over the chat, or take it away."""
        self.side.set_class(wanted, "-open")
        if wanted:
            self.call_after_refresh(self.panel.rows.focus)
        else:
            self.resting_focus.focus()

    def on_resize(self, event: events.Resize) -> None:
        """A terminal that grew wide has no drawer; one that shrank must not hide what has the focus."""
        if self.is_wide:  # once it is shown as the panel: what is hidden in between loses the focus
            self.call_after_refresh(self.side.remove_class, "-open")
        elif self.side in (self.focused.ancestors if self.focused is not None else ()):
            self.side.add_class("-open")

    def keyed_widgets(self) -> list[Widget]:
        """Widgets with keys of their own, for the help; the focused one first."""
        widgets: list[Widget] = [self.panel, self.panel.rows, self.timeline, self.transcript]
        around = set(self.focused.ancestors_with_self) if self.focused is not None else set()
        return sorted(widgets, key=lambda widget: widget not in around)

    def palette_actions(self) -> tuple[Action, ...]:
        """What the palette offers by name."""
        return tuple(action for action in actions_for(*self.places) if action.id not in _BY_KEY_ALONE)

    # -- errors ----------------------------------------------------------------------------------------------------

    def alert(self, error: MemtuiError) -> None:
        """Show an error until it is read."""
        self.alert_box.show(error)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What a worker could not do is told."""
        self.memtui.worker_changed(event)

    @on(Alert.Opened)
    def _alert_opened(self, message: Alert.Opened) -> None:
        from memtui.ui.screens.error_screen import ErrorScreen

        self.app.push_screen(ErrorScreen.of(message.error), lambda _: self._dismiss_alert())

    def _dismiss_alert(self) -> None:
        self.alert_box.dismiss()

    # -- memory ----------------------------------------------------------------------------------------------------

    def describe(self, memory: Memory) -> CardTexts:
        """What only the store knows of a memory, for the small card."""
        from memtui.ui.memory_story import card_texts

        companion = self.companion
        return card_texts(self.past.sight(companion), memory, events=CARD_EVENTS) if companion is not None else CardTexts()

    def show_memory(self, memory: str) -> None:
        """Select a memory; on a narrow terminal open its card."""
        if not self.panel.select(memory):
            return
        if not self.is_wide:
            self.open_card(memory)

    def follow(self, memories: Iterable[str]) -> None:
        """Let the card show the first of these, unless the person is among the memories."""
        memory = next(iter(memories), None)
        if self.past.then is None and memory is not None and self.panel.tab == "active" and not self.panel.rows.has_focus:
            self.panel.select(memory)

    def open_card(self, memory: str, section: str = "") -> None:
        """All there is about a memory, over the chat."""
        from memtui.ui.screens.card_screen import CardScreen

        companion = self.companion
        sight = self.past.sight(companion) if companion is not None else None
        if sight is None or memory not in sight.frame:
            return
        past = f"as of {self.past.date()}, read-only" if self.past.then is not None else ""

        def closed(action: str | None) -> None:
            if action is not None:
                self.panel.post_message(MemoryPanel.Asked(action, memory))

        self.app.push_screen(CardScreen(sight, memory, self.memtui.tz, self.memtui.home.sessions, section, past), closed)

    @on(Transcript.MemorySelected)
    def _memory_of_reply(self, message: Transcript.MemorySelected) -> None:
        self.show_memory(message.memory)

    @on(MemoryRows.Opened)
    def _row_opened(self, message: MemoryRows.Opened) -> None:
        self.open_card(message.id)

    @on(MemoryFoot.Opened)
    def _foot_opened(self) -> None:
        self.regret.open()

    @on(MemoryStrip.Opened)
    def _strip_opened(self) -> None:
        self.open_drawer()

    # -- lines that can be clicked -----------------------------------------------------------------------------------

    @on(KeyLine.Pressed)
    async def _key_pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    @on(Transcript.CopyRequested)
    def _copy(self, message: Transcript.CopyRequested) -> None:
        self.app.copy_to_clipboard(message.text)

    # -- what the keys do --------------------------------------------------------------------------------------------

    def action_memory(self) -> None:
        """To the memories, or back."""
        if self.is_wide:
            inside = self.focused is not None and self.side in self.focused.ancestors
            (self.resting_focus if inside else self.panel.rows).focus()
        else:
            self.open_drawer(not self.drawer_open)

    def action_what_if(self) -> None:
        """Memory as it would be under another law."""
        try:
            open_what_if(self)
        except InputError as error:
            self.alert(error)

    def action_forecast(self) -> None:
        """Who fades when."""
        try:
            self.forecast.begin()
        except InputError as error:
            self.alert(error)

    def action_time(self) -> None:
        """To the time line, or back; a small terminal shows it while it is wanted."""
        if self.timeline.has_focus:
            self.resting_focus.focus()
            return
        self.add_class("-time")
        self.call_after_refresh(self.timeline.focus)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """A small terminal has no room for a time line nobody uses."""
        if event.widget is self.timeline and not self.timeline.hours:
            self.remove_class("-time")

    def action_focus_prompt(self) -> None:
        """Back to where one was."""
        if self.drawer_open:
            self.open_drawer(False)
        self.resting_focus.focus()

    def step_back(self) -> bool:
        """What escape does before anything else: close what lies over the chat, end a preview, forget an alert."""
        if self.drawer_open:
            self.open_drawer(False)
        elif self.timeline.previewing or self.timeline.then_us is not None:
            self.timeline.action_cancel()
        elif self.alert_box.dismiss():
            pass
        elif self.focused is not self.resting_focus:
            self.resting_focus.focus()
        else:
            return False
        return True

    # -- time --------------------------------------------------------------------------------------------------------

    @on(Timeline.Previewed)
    def _previewed(self, message: Timeline.Previewed) -> None:
        self.time.look_ahead(message.hours)

    @on(Timeline.LookedBack)
    def _looked_back(self, message: Timeline.LookedBack) -> None:
        if self.timeline.then_us is not None:  # else it came back to now meanwhile
            self.past.look(message.at_us, held=message.held)

    @on(Timeline.GoBackRefused)
    def _go_back_refused(self) -> None:
        self.past.refused("time does not run backwards, so one can look but not go there")

    @on(Timeline.Cancelled)
    def _cancelled(self) -> None:
        self.time.end_preview()


def short_title(text: str) -> str:
    """A title that fits a line."""
    return one_line(text, 60)
