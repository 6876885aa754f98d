"""The memory panel: tabs, rows and the card of the selected memory, behind one interface.

It knows no store and no mind: it is given a frame, a law and moments, and posts what the person asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ClassVar, Final

import numpy as np
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive

from memtui.memory.forecast import WEEK_US, leaves_at
from memtui.memory.frame import Frame, Ints
from memtui.memory.laws import Law
from memtui.memory.model import Memory
from memtui.ui.widgets.card_content import CardTexts, card_content
from memtui.ui.widgets.memory_card import ACTIVE_KEYS, RETIRED_KEYS, MemoryCard, keys_of
from memtui.ui.widgets.memory_foot import MemoryFoot
from memtui.ui.widgets.memory_header import SCROLLBAR_CELLS, HeaderView, MemoryHeader
from memtui.ui.widgets.memory_lines import active_columns, handle_cells, skill_columns
from memtui.ui.widgets.memory_listing import TABS, Tab
from memtui.ui.widgets.memory_order import SORTS
from memtui.ui.widgets.memory_rows import MemoryRows
from memtui.ui.widgets.pace import Pace

CARD_FROM_HEIGHT: Final = 20
"""Lines a panel must have to show the card under its rows; below that Enter opens it elsewhere."""
_HINT: Final = "Select a memory with ↑ ↓ to see its text, why it is kept and when it fades."
_CARD_LINES: Final = (9, 14)
_CARD_EVERY_S: Final = 0.25


class MemoryPanel(Vertical):
    """Active and retired memories with their salience, live.

    Attributes:
        describe: gives the texts of a memory that only the store knows (reason, history); set by the screen.
        zone: the time zone of dates on the card.
        reduced_motion: no glow and no fading.
        foot: a line under it all, which whoever owns the panel fills; a click on it is `MemoryFoot.Opened`.
    """

    @dataclass
    class Asked(Message):
        """The person asks for something about a memory.

        Attributes:
            action: `pin` (or unpin), `edit`, `forget`, `restore`, `history` or `why`; of a skill also `worked`, `failed`,
                `approve`.
            id: the memory.
        """

        action: str
        id: str

    @dataclass
    class Sorted(Message):
        """Another sort was chosen."""

        name: str

    DEFAULT_CSS = """
    MemoryPanel { width: 1fr; height: 1fr; &.-past { background: $secondary 14%; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "ask('pin')", "Pin", id="memory.pin", tooltip="Pin the memory, so that it never fades; again to unpin"),
        Binding("e", "ask('edit')", "Edit", id="memory.edit", tooltip="Edit text, kind or importance"),
        Binding("f", "ask('forget')", "Forget", id="memory.forget", tooltip="Retire the memory now; it can be restored"),
        Binding("r", "ask('restore')", "Restore", id="memory.restore", tooltip="Make the retired memory active again"),
        Binding("h", "ask('history')", "History", id="memory.history", tooltip="Everything that happened to the memory"),
        Binding("w", "ask('why')", "Why", id="memory.why", tooltip="Why it is kept, fading or retired"),
        Binding("plus,equals_sign", "ask('worked')", "Worked", id="skill.worked", tooltip="The skill worked: stronger"),
        Binding("minus", "ask('failed')", "Failed", id="skill.failed", tooltip="The skill did not work: weaker"),
        Binding("a", "ask('approve')", "Approve", id="skill.approve", tooltip="Stand behind a skill that is unverified"),
        Binding("s", "cycle_sort", "Sort", id="memory.sort", tooltip="Sort by salience, age, recalls, kind, time left"),
        Binding("tab", "next_tab", "Tab", show=False, id="memory.tab", tooltip="From tab to tab, then on"),
        Binding("left_square_bracket", "tab('active')", "Active", show=False, id="memory.active", tooltip="Active memories"),
        Binding(
            "right_square_bracket", "tab('retired')", "Retired", show=False, id="memory.retired", tooltip="Retired memories"
        ),
    ]
    reduced_motion: reactive[bool] = reactive(False)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.describe: Callable[[Memory], CardTexts] = lambda memory: CardTexts()
        self.zone: tzinfo = UTC
        self.header = MemoryHeader(id="memory-header")
        self.rows = MemoryRows(id="memory-rows")
        self.card = MemoryCard(id="memory-card")
        self.foot = MemoryFoot(id="memory-foot")
        self._texts: tuple[tuple[str, int, int], CardTexts] | None = None
        self._leaves: tuple[tuple[Frame, int, Law], Ints] | None = None
        self._past = ""
        self._given: tuple[str, ...] = ()
        self._card_pace = Pace(self, _CARD_EVERY_S, self._show_card)

    def compose(self) -> ComposeResult:
        """Header, rows, card, foot."""
        yield self.header
        yield self.rows
        yield self.card
        yield self.foot

    def on_mount(self) -> None:
        """Follow the app's wish for no animations."""
        if self.app.animation_level == "none":
            self.reduced_motion = True

    def watch_reduced_motion(self, reduced: bool) -> None:
        """Hand it on to the rows."""
        self.rows.reduced_motion = reduced

    # What is shown

    def show(self, frame: Frame, law: Law, now_us: int) -> None:
        """Show a frame as `law` sees it at `now_us` (microseconds UTC).

        The same frame object, changed, keeps its order: new memories stand at the end, retired ones fade for a second and
        leave. Call `resort` when the turn is over.
        """
        self._past = ""
        self.set_class(False, "-past")
        self._texts = None  # what is said about a memory may change without the memory: a conflict, an answer
        self.rows.show(frame, law, now_us)
        self._refresh_around()

    def show_past(self, frame: Frame, law: Law, then_us: int, words: str) -> None:
        """Show memory as it was at `then_us` (microseconds UTC), which is `words` ago; cheap enough for a drag.

        `show` ends it. Everything can be looked at; what is asked for is posted as ever, and up to the screen to refuse.
        """
        self._past = words
        self._texts = None
        self.set_class(True, "-past")
        self.rows.show(frame, law, then_us)
        self._show_header()
        self._card_pace.ask()

    def tick(self, now_us: int) -> None:
        """The clock moved on; cheap, nothing is sorted."""
        self.rows.tick(now_us)
        if self.card.content_shown is not None:
            self._card_pace.ask()

    def preview(self, then_us: int | None) -> None:
        """Show what would be lost by `then_us` as ghosts; None ends the preview."""
        self.rows.preview(then_us)
        self._show_header()

    def resort(self) -> None:
        """Sort anew: a turn ended or time was let go."""
        self.rows.resort()

    def glow(self, ids: Iterable[str]) -> None:
        """Mark these memories as given to the last reply; they glow for a second, then the mark stays."""
        self._given = tuple(ids)
        self.rows.glow(self._given)

    def retire_fade(self, ids: Iterable[str]) -> None:
        """Let the rows of these memories fade for a second before they leave the active tab."""
        self.rows.retire_fade(ids)
        self._show_header()

    def set_tab(self, tab: Tab) -> None:
        """Bring a tab to the front.

        Raises:
            ValueError: no such tab.
        """
        if tab not in TABS:
            raise ValueError(f"no tab named '{tab}'")
        self.rows.set_tab(tab)
        self._refresh_around()

    def sort_by(self, name: str) -> None:
        """Sort the active memories by one of `SORTS`.

        Raises:
            ValueError: no such sort.
        """
        self.rows.sort_by(name)
        self._show_header()

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.rows.listing.tab

    @property
    def sort(self) -> str:
        """How the active memories are sorted."""
        return self.rows.listing.sort

    @property
    def given(self) -> tuple[str, ...]:
        """Ids of the memories marked as given."""
        return self._given

    @property
    def selected(self) -> str | None:
        """Id of the selected memory, or None."""
        return self.rows.selected

    def select(self, memory: str) -> bool:
        """Select a memory on whichever tab it is; False when it is on neither."""
        found = self.rows.select(memory)
        self._refresh_around()
        return found

    # What the person does

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense on this tab; greyed out while nothing is selected."""
        if action == "cycle_sort":
            return self.tab == "active"
        if action != "ask":
            return True
        if parameters[0] not in self._offered():
            return False
        return True if self.selected is not None else None

    def _offered(self) -> set[str]:
        """What can be asked of the selected memory, or of any on this tab while none is."""
        frame, memory = self.rows.listing.frame, self.selected
        if frame is None or memory is None or memory not in frame:
            return {name for _, name in (RETIRED_KEYS if self.tab == "retired" else ACTIVE_KEYS)}
        return {name for _, name in keys_of(frame.memories[frame.row(memory)])}

    def action_ask(self, action: str) -> None:
        """Post what is asked about the selected memory."""
        if (memory := self.selected) is not None:
            self.post_message(self.Asked(action, memory))

    def action_cycle_sort(self) -> None:
        """The next sort."""
        name = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)]
        self.sort_by(name)
        self.post_message(self.Sorted(name))

    def action_tab(self, tab: Tab) -> None:
        """Bring a tab to the front."""
        self.set_tab(tab)

    def action_next_tab(self) -> None:
        """From active to retired to the skills, if any; from there the focus moves on, so that the panel is no trap."""
        tabs = [tab for tab in TABS if tab != "skills" or self.rows.listing.count(tab)]
        at = tabs.index(self.tab) if self.tab in tabs else len(tabs)
        if at + 1 < len(tabs):
            self.set_tab(tabs[at + 1])
        else:
            self.screen.focus_next()

    @on(MemoryHeader.TabClicked)
    def _tab_clicked(self, message: MemoryHeader.TabClicked) -> None:
        message.stop()
        self.set_tab(message.tab)

    @on(MemoryHeader.SortClicked)
    def _sort_clicked(self, message: MemoryHeader.SortClicked) -> None:
        message.stop()
        self.action_cycle_sort()

    @on(MemoryCard.Asked)
    def _card_asked(self, message: MemoryCard.Asked) -> None:
        message.stop()
        self.action_ask(message.action)

    @on(MemoryRows.Selected)
    def _row_selected(self) -> None:
        self._refresh_around()

    def on_resize(self, event: events.Resize) -> None:
        """The card has a fixed share of the height, so that it does not push the rows about."""
        height = event.size.height
        self.card.display = height >= CARD_FROM_HEIGHT
        self.card.styles.height = min(max(round(height * 0.36), _CARD_LINES[0]), _CARD_LINES[1])
        self._show_header()

    # Parts

    def _refresh_around(self) -> None:
        self._show_header()
        self._card_pace.at_once()
        self.refresh_bindings()

    def _show_header(self) -> None:
        rows = self.rows
        listing = rows.listing
        law, frame, width = listing.law, listing.frame, self.size.width - SCROLLBAR_CELLS
        self.header.show(
            HeaderView(
                active=listing.count("active") - len(rows.motion.leaving),
                retired=listing.count("retired"),
                skills=listing.count("skills"),
                tab=listing.tab,
                sort=listing.sort,
                columns=skill_columns(frame, width) if listing.tab == "skills" else active_columns(frame, law, width),
                floor=0.0 if law is None else law.floor,
                handle=3 if frame is None else handle_cells(frame),
                previewing=rows.preview_us is not None,
                past=self._past,
                law="" if law is None else law.name,
                capacity=None if law is None else law.capacity,
                fading=self._fading(),
            )
        )

    def _fading(self) -> int | None:
        """How many fade within a week, said where the memories stand in the order of their time left."""
        listing = self.rows.listing
        frame, law = listing.frame, listing.law
        if frame is None or law is None or listing.sort != "left" or listing.tab != "active":
            return None
        now_us, key = self.rows.now_us, (frame, frame.version, law)
        if self._leaves is None or self._leaves[0] != key:
            self._leaves = (key, np.sort(leaves_at(frame, law, now_us)[frame.active]))
        return int(np.searchsorted(self._leaves[1], now_us + WEEK_US, side="right"))

    def _show_card(self) -> None:
        listing, memory = self.rows.listing, self.selected
        if listing.frame is None or listing.law is None or memory is None or memory not in listing.frame:
            self.card.show(None, hint=_HINT if len(listing) else "")
            return
        self.card.read_only = bool(self._past)
        found = listing.frame.memories[listing.frame.row(memory)]
        key = (memory, listing.frame.version, id(listing.frame))
        if self._texts is None or self._texts[0] != key:
            self._texts = (key, self.describe(found))
        texts = self._texts[1]
        self.card.show(card_content(found, listing.frame, listing.law, self.rows.now_us, texts, zone=self.zone))
