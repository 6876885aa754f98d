"""What a sleep pass would do, before it does it: a story in four columns, each line of which can be unticked.

The screen makes no plan and applies none. Whoever opens it tells it how planning goes (`set_progress`), gives it the plan
(`show_plan`), applies what the person agreed to (`Apply`) and says how that went (`show_report`). Messages go to the
`owner` given at the start, because a screen's own messages would go past the screen below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ClassVar, Final, Literal, TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Horizontal, Middle, Vertical
from textual.content import Content
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.chat.steps import SleepReport
from memtui.memory.frame import Frame
from memtui.memory.sleep.plan import Plan, PlanItem
from memtui.ui.time_words import date_words
from memtui.ui.widgets.key_line import KeyHint, KeyLine
from memtui.ui.widgets.row_text import card_text, plain_line
from memtui.ui.widgets.sleep_lines import COLUMNS, Column, Entry, Teller, costs, counted, items_of, summary
from memtui.ui.widgets.sleep_list import SleepList

Phase: TypeAlias = Literal["planning", "review", "applying", "done"]
_BAR_CELLS: Final = 48
_EMPTY: Final = {
    Column.MERGED: "nothing said twice",
    Column.RETIRED: "nothing out of date",
    Column.FADED: "nothing below the floor",
    Column.UNTOUCHED: "",
}


class _Tab(Static):
    """A column's name where only one column has room; a click shows that column."""

    ALLOW_SELECT = False

    def __init__(self, column: Column) -> None:
        super().__init__(column.value, markup=False, id=f"sleep-tab-{column.value}", classes="sleep-tab")
        self.column = column


class SleepScreen(ModalScreen[Plan | None]):
    """Plan, untick, apply, report. Dismissed with the plan that was applied, or None when nothing was."""

    DEFAULT_CSS = """
    SleepScreen {
        align: center middle;
        background: $background 70%;
        & > #sleep-box {
            width: 100%;
            height: 100%;
            max-width: 160;
            margin: 1 2;
            padding: 0 1;
            border: round $primary-muted;
            border-title-color: $accent;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
        #sleep-summary { height: auto; max-height: 3; padding: 0 1; color: $text; text-style: bold; }
        #sleep-problem { height: auto; max-height: 3; padding: 0 1; color: $text-warning; display: none; }
        #sleep-problem.-shown { display: block; }
        #sleep-tabs { height: 1; display: none; }
        .sleep-tab { width: auto; padding: 0 1; color: $text-muted; }
        .sleep-tab.-current { background: $accent; color: $background; text-style: bold; }
        #sleep-columns { height: 1fr; }
        #sleep-columns > SleepList {
            width: 3fr;
            margin: 0;
            padding: 0 1;
            border: round $border-blurred;
            border-title-color: $text-muted;
            border-title-style: bold;
        }
        #sleep-columns > SleepList:focus { border: round $accent; border-title-color: $accent; }
        #sleep-columns > #sleep-untouched { width: 2fr; }
        #sleep-progress, #sleep-nothing { width: 100%; height: 1fr; align: center middle; }
        #sleep-progress Static, #sleep-nothing Static { width: auto; max-width: 100%; text-align: center; }
        #sleep-nothing { display: none; }
        #sleep-story { height: 1fr; display: none; }
        #sleep-foot { height: 1; }
        #sleep-costs { width: auto; max-width: 45%; padding: 0 1; color: $text-muted; }
        KeyLine { background: $surface; }
        &.-review #sleep-story, &.-applying #sleep-story, &.-done #sleep-story { display: block; }
        &.-review #sleep-progress, &.-applying #sleep-progress, &.-done #sleep-progress { display: none; }
        &.-nothing #sleep-nothing { display: block; }
        &.-nothing #sleep-columns, &.-nothing #sleep-tabs { display: none; }
        &.-one-column > #sleep-box { margin: 0; }
        &.-one-column #sleep-tabs { display: block; }
        &.-one-column.-nothing #sleep-tabs { display: none; }
        &.-one-column #sleep-columns > SleepList { display: none; width: 1fr; border: none; padding: 0 1; }
        &.-one-column #sleep-columns > SleepList.-current { display: block; }
        &.-one-column #sleep-foot { height: 2; layout: vertical; }
        &.-one-column #sleep-costs { width: 100%; max-width: 100%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "apply", "apply", tooltip="Do what is ticked; afterwards, close.", show=False),
        Binding("escape", "cancel", "cancel", tooltip="Change nothing.", show=False),
        Binding("u", "undo", "undo", tooltip="Take the whole pass back.", show=False),
        Binding("f7", "settle", "settle", tooltip="What the pass was not sure of.", id="memory.settle", show=False),
        Binding("right,l,tab", "column(1)", "next column", tooltip="The next column, or the one before.", show=False),
        Binding(
            "left,h,shift+tab", "column(-1)", "column before", tooltip="The next column, or the one before.", show=False
        ),
        *(
            Binding(str(place + 1), f"show_column({place})", column.value, tooltip="A column by number, 1 to 4.", show=False)
            for place, column in enumerate(COLUMNS)
        ),
    ]
    _ONE_COLUMN_BELOW: ClassVar[int] = 100

    @dataclass
    class Apply(Message):
        """The person agreed to `plan`, which is without what was unticked."""

        plan: Plan

    class Undo(Message):
        """Take the applied pass back."""

    class Settle(Message):
        """Close, and settle what the judge is not sure of."""

    def __init__(
        self, *, owner: MessagePump | None = None, tz: tzinfo = UTC, subtitle: str = "", settle_key: str = "f7"
    ) -> None:
        """Args:
        owner: who gets `Apply` and `Undo`; the app when None.
        tz: the zone dates are shown in.
        subtitle: what the pass is for ("nightly"), shown beside its date.
        settle_key: what to press to settle conflicts, as people write it.
        """
        super().__init__()
        self._owner = owner
        self._tz = tz
        self._subtitle = subtitle
        self._phase: Phase = "planning"
        self._plan: Plan | None = None
        self._applied: Plan | None = None
        self._current = 0
        self._undoable = False
        self._settle_key = settle_key
        self._waiting = 0
        self._costs: tuple[int | None, float | None] = (None, None)

    def compose(self) -> ComposeResult:
        """A box: summary, columns, foot."""
        with Vertical(id="sleep-box"):
            with Middle(id="sleep-progress"), Center():
                yield Static(markup=False, id="sleep-bar")
            with Vertical(id="sleep-story"):
                yield Static(markup=False, id="sleep-summary")
                yield Static(markup=False, id="sleep-problem")
                with Horizontal(id="sleep-tabs"):
                    for column in COLUMNS:
                        yield _Tab(column)
                with Horizontal(id="sleep-columns"):
                    for column in COLUMNS:
                        yield SleepList(empty=_EMPTY[column], id=f"sleep-{column.value}")
                with Middle(id="sleep-nothing"), Center():
                    yield Static(markup=False, id="sleep-nothing-text")
            with Horizontal(id="sleep-foot"):
                yield Static(markup=False, id="sleep-costs")
                yield KeyLine()

    def on_mount(self) -> None:
        """Begin with planning."""
        box = self.query_one("#sleep-box")
        box.border_title = "Sleep"
        box.border_subtitle = plain_line(self._subtitle)
        self._enter(self._phase)
        if self._plan is None:
            self.set_progress(0.0, "looking at what is remembered")

    def on_resize(self, event: events.Resize) -> None:
        """One column at a time where four have no room."""
        self.set_class(event.size.width < self._ONE_COLUMN_BELOW, "-one-column")

    # What it is told.

    def set_progress(self, fraction: float, text: str) -> None:
        """Planning goes on: the share done (0..1) and what is being done."""
        share = min(max(fraction, 0.0), 1.0)
        cells = max(min(_BAR_CELLS, self.size.width - 14), 4)
        full = round(cells * share)
        bar = Content.assemble(("━" * full, "$accent"), ("─" * (cells - full), "$text-disabled"), f" {share:4.0%}")
        what = Content(plain_line(text) or " ")
        self.query_one("#sleep-bar", Static).update(Content("\n").join([bar, Content(""), what]))

    def show_plan(
        self, plan: Plan, frame: Frame, *, tokens: int | None = None, seconds: float | None = None, waiting: int = 0
    ) -> None:
        """Planning is over: show `plan`, made on `frame`, what it cost where that is known, and how many conflicts wait."""
        self._plan = plan
        self._waiting = waiting
        self._costs = (tokens, seconds)
        teller = Teller(plan, frame, self._tz)
        for column in COLUMNS:
            items = items_of(plan, column)
            if column is Column.UNTOUCHED:
                entries = teller.untouched(waiting)
                self._list(column).set_entries([None] * len(entries), entries.__getitem__)
            else:
                self._list(column).set_entries([item.key for item in items], _builder(teller, items))
        self.query_one("#sleep-box").border_subtitle = " · ".join(
            part for part in (date_words(plan.at, self._tz), plain_line(self._subtitle)) if part
        )
        self._show_problem(plan.problem)
        self._enter("review")
        first = next((place for place, column in enumerate(COLUMNS) if self._list(column).count), 0)
        self.action_show_column(first)

    def show_report(self, report: SleepReport, waiting: int = 0) -> None:
        """The pass was applied; so many conflicts wait now."""
        self._applied, self._waiting = report.plan, waiting
        self._undoable = report.block is not None
        for column in COLUMNS:
            self._list(column).finish()
        self._enter("done")
        self._summarise(report.sentence)

    def show_problem(self, text: str) -> None:
        """Planning, applying or undoing did not work; nothing was changed, and what failed can be tried again."""
        self._show_problem(text)
        if self._phase == "planning":
            self.set_progress(0.0, text)
        elif self._phase == "applying":
            self._enter("review")
        elif self._applied is not None:
            self._undoable = True

    def show_undone(self, sentence: str, waiting: int = 0) -> None:
        """The applied pass was taken back; so many conflicts wait now."""
        self._undoable = False
        self._applied, self._waiting = None, waiting
        self._enter("done")
        self._summarise(plain_line(sentence))

    # What the person does.

    def action_apply(self) -> None:
        """Do what is ticked; once done, close."""
        if self._phase == "review" and self._plan is not None:
            plan = self._plan.without(self._unticked())
            self._enter("applying")
            self._post(self.Apply(plan))
        elif self._phase == "done":
            self.dismiss(self._applied)

    def action_cancel(self) -> None:
        """Close, changing nothing (once applied, it stays applied)."""
        if self._phase != "applying":
            self.dismiss(self._applied)

    def action_undo(self) -> None:
        """Ask for the pass to be taken back."""
        if self._phase == "done" and self._undoable:
            self._undoable = False  # until the owner says how it went
            self._post(self.Undo())

    def action_settle(self) -> None:
        """Close and go on to what is not settled; before the pass is applied its own doubts are in no ledger yet."""
        if self._waiting and self._phase in ("review", "done"):
            self.dismiss(self._applied)
            self._post(self.Settle())

    def action_column(self, by: int) -> None:
        """The next column, or the one before."""
        self.action_show_column((self._current + by) % len(COLUMNS))

    def action_show_column(self, place: int) -> None:
        """Go to a column."""
        self._current = place
        for other, column in enumerate(COLUMNS):
            self._list(column).set_class(other == place, "-current")
            self.query_one(f"#sleep-tab-{column.value}").set_class(other == place, "-current")
        if self._phase != "planning":
            self._list(COLUMNS[place]).focus()

    @on(KeyLine.Pressed)
    async def _pressed(self, message: KeyLine.Pressed) -> None:
        message.stop()
        await self.run_action(message.action)

    @on(events.Click, ".sleep-tab")
    def _tab_clicked(self, event: events.Click) -> None:
        if isinstance(event.widget, _Tab):
            self.action_show_column(COLUMNS.index(event.widget.column))

    @on(SleepList.Changed)
    def _ticks_changed(self, message: SleepList.Changed) -> None:
        message.stop()
        self._refresh_words()

    @on(events.DescendantFocus)
    def _focus_moved(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, SleepList):
            place = next(place for place, column in enumerate(COLUMNS) if self._list(column) is event.widget)
            if place != self._current:
                self.action_show_column(place)

    def _post(self, message: Message) -> None:
        (self._owner if self._owner is not None else self).post_message(message)

    def _list(self, column: Column) -> SleepList:
        return self.query_one(f"#sleep-{column.value}", SleepList)

    def _unticked(self) -> frozenset[str]:
        return frozenset().union(*(self._list(column).unticked for column in COLUMNS))

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        for name in ("planning", "review", "applying", "done"):
            self.set_class(name == phase, f"-{name}")
        self._refresh_words()

    def _refresh_words(self) -> None:
        self.query_one(KeyLine).show(self._hints())
        plan = self._plan
        if plan is None:
            return
        left = plan.without(self._unticked())
        self._summarise(summary(left))
        for column in COLUMNS:
            ticked = sum(len(item.retires) for item in items_of(left, column))
            stay = max(plan.active_before - sum(len(item.retires) for item in left.items), 0)
            title = f"{column.value} {stay if column is Column.UNTOUCHED else ticked:,}"
            self._list(column).border_title = title
            self.query_one(f"#sleep-tab-{column.value}", Static).update(title)
        self.query_one("#sleep-costs", Static).update(costs(plan.calls, *self._costs))
        self._say_nothing_to_do(plan)

    def _say_nothing_to_do(self, plan: Plan) -> None:
        nothing = not (plan.items or plan.unsure or plan.unasked or self._waiting)
        self.set_class(nothing, "-nothing")
        if nothing:
            kept = counted(plan.active_before, "memory is", "memories are")
            text = (
                f"A quiet night: {kept} current and above the floor.\n\nThere is nothing to merge, retire or prune."
                if plan.active_before
                else "Nothing is remembered yet, so there is nothing to tidy up.\n\nTalk a while, then sleep on it."
            )
            self.query_one("#sleep-nothing-text", Static).update(text)

    def _summarise(self, sentence: str) -> None:
        self.query_one("#sleep-summary", Static).update(sentence)

    def _show_problem(self, text: str) -> None:
        problem = self.query_one("#sleep-problem", Static)
        problem.update(card_text(text, 400))
        problem.set_class(bool(text), "-shown")

    def _hints(self) -> Sequence[KeyHint]:
        if self._phase == "planning":
            return (KeyHint("esc", "stop", "cancel", 2),)
        if self._phase == "applying":
            return ()
        if self._phase == "done":
            undo = (KeyHint("u", "undo", "undo", 1),) if self._undoable else ()
            return (*undo, *self._settle_hint(), KeyHint("enter", "close", "apply", 2))
        items = len(self._plan.items) - len(self._unticked()) if self._plan is not None else 0
        if self._plan is None or not self._plan.items:
            return (*self._settle_hint(), KeyHint("enter", "good", "apply", 2), KeyHint("esc", "close", "cancel", 1))
        return (
            KeyHint("space", "untick", "untick"),
            KeyHint("a", "all", "untick_all"),
            KeyHint("←→", "column", "column(1)"),
            KeyHint("enter", f"apply {counted(items, 'change', 'changes')}", "apply", 2),
            KeyHint("esc", "cancel", "cancel", 1),
        )

    def _settle_hint(self) -> tuple[KeyHint, ...]:
        words = f"settle {self._waiting}"
        return (KeyHint(self._settle_key, words, "settle", 1),) if self._waiting else ()

    def action_untick(self) -> None:
        """Untick what is under the cursor of the column that is shown."""
        self._list(COLUMNS[self._current]).action_untick()

    def action_untick_all(self) -> None:
        """Untick or tick the whole column that is shown."""
        self._list(COLUMNS[self._current]).action_untick_all()


def _builder(teller: Teller, items: Sequence[PlanItem]) -> Callable[[int], Entry]:
    return lambda index: teller.entry(items[index])
