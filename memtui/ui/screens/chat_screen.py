"""The own chat: typing, turns, memory, time, other chats. Each is done in a part of its own; here they meet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from memtui.chat.commands import COMMANDS
from memtui.chat.nights import nights_between
from memtui.errors import InputError, MemtuiError, StoreError
from memtui.ui.actions import Where, bindings_for
from memtui.ui.conversation import Conversation
from memtui.ui.screens.chat_commands import ChatCommands
from memtui.ui.screens.chat_conflicts import ChatConflicts
from memtui.ui.screens.chat_memory import ChatMemory
from memtui.ui.screens.chat_past import ChatPast
from memtui.ui.screens.chat_sessions import ChatSessions
from memtui.ui.screens.chat_skills import ChatSkills
from memtui.ui.screens.chat_sleep import ChatSleep
from memtui.ui.screens.stage import THEMES_AFTER_S, Stage, short_title
from memtui.ui.screens.stage_time import nights_words, warp_words
from memtui.ui.screens.warming import warm_up
from memtui.ui.widgets.clock_line import PART_ACTIONS, ClockLine
from memtui.ui.widgets.memory_panel import MemoryPanel
from memtui.ui.widgets.prompt import Prompt
from memtui.ui.widgets.slash_menu import SlashEntry, SlashMenu
from memtui.ui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memtui.chat.companion import Companion
    from memtui.chat.steps import Step
    from memtui.clock import SimClock
    from memtui.ui.actions import Action
    from memtui.ui.screens.sleep_screen import SleepScreen
    from memtui.ui.widgets.key_line import KeyHint

REFRESH_EVERY = 3
"""Seconds between two looks at what other processes wrote."""
COMPACT_AFTER = 60
"""Seconds without a turn after which the store may tidy its files."""


class ChatScreen(Stage):
    """The screen one lives in. It implements `conversation.Watcher`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("chat", "live")]
    places: ClassVar[tuple[Where, ...]] = ("app", "chat", "live")

    def __init__(self) -> None:
        super().__init__()
        self.menu = SlashMenu([SlashEntry(c.name, c.arguments, c.help) for c in COMMANDS], id="slash-menu")
        self.prompt = Prompt(menu=self.menu, id="prompt")
        self.memories = ChatMemory(self)
        self.skills = ChatSkills(self)
        self.sleeping = ChatSleep(self)
        self.conflicts = ChatConflicts(self)
        self.chats = ChatSessions(self)
        self.commands = ChatCommands(self)
        self.back = ChatPast(self)
        self._conversation: Conversation | None = None
        self._nights_checked: datetime | None = None
        self._quiet_s = 0
        self._not_open = False

    def compose(self) -> ComposeResult:
        """As a stage, with what the last run remembered."""
        app = self.memtui
        self.expected_offset_s = app.state.offset_s
        self.prompt.cursor_blink = app.animation_level != "none"
        self.panel.rows.listing.sort = app.state.sort or app.start.sort
        yield from super().compose()

    def foot(self) -> ComposeResult:
        """Strip, completions, prompt."""
        yield self.strip
        yield self.menu
        yield self.prompt

    def on_mount(self) -> None:
        """Paint first; open memory after that."""
        super().on_mount()
        self.chats.welcome(0)
        self.call_after_refresh(self.after_first_paint)

    def after_first_paint(self) -> None:
        """What a first paint need not wait for: memory and the other themes."""
        self.begin()
        self.set_timer(THEMES_AFTER_S, self.memtui.load_all_themes)

    def begin(self) -> None:
        """Open memory, off this thread."""
        self._not_open = False
        self.time.show_clock()
        self.work(self.conversation.open(), "open")

    def work(self, what: Awaitable[object], group: str) -> None:
        """Do something beside the screen; what goes wrong with it is told."""
        self.run_worker(what, group=group, exit_on_error=False)

    async def end(self) -> None:
        """Close chat and store."""
        self.time.stop()
        companion = self.companion
        if companion is not None:
            self.memtui.remember(offset_s=round(companion.clock.offset().total_seconds(), 3))
        await self.conversation.close()

    @property
    def conversation(self) -> Conversation:
        """The chat itself."""
        if self._conversation is None:
            app = self.memtui
            self._conversation = Conversation(
                app.opener, app.home.sessions, app.clock, self, mind_label=app.start.mind_label
            )
        return self._conversation

    # -- what a stage asks -----------------------------------------------------------------------------------------

    @property
    def companion(self) -> Companion | None:
        """The memory that is shown."""
        return self.conversation.companion

    @property
    def clock(self) -> SimClock:
        """The clock before there is a companion."""
        return self.memtui.clock

    @property
    def title_words(self) -> str:
        """The chat's title."""
        if self.companion is None:
            return "memory is not open" if self._not_open else "opening memory …"
        header = self.conversation.log.recorder.header
        return short_title(header.title) if header is not None else "New chat"

    @property
    def mind_label(self) -> str:
        """Who thinks."""
        companion = self.companion
        return companion.mind.label if companion is not None else self.memtui.start.mind_label

    @property
    def busy(self) -> bool:
        """Whether a turn is running."""
        return self.conversation.busy

    @property
    def resting_focus(self) -> Widget:
        """The prompt."""
        return self.prompt

    def turn_texts(self, turns: Collection[str]) -> Mapping[str, str]:
        """From the chats that are kept here."""
        return self.chats.turn_texts(turns)

    def label_of(self, action: Action) -> str:
        """Pause is play while time stands still."""
        companion = self.companion
        if action.id == "time.pause" and companion is not None and companion.clock.rate == 0:
            return "run time"
        return action.label

    def passing_hints(self) -> list[KeyHint]:
        """What waits to be settled."""
        return self.conflicts.hints()

    def looked_back(self) -> None:
        """The prompt says so, and marks what it would have recalled."""
        self.back.shown()

    def keyed_widgets(self) -> list[Widget]:
        """The prompt too."""
        return [*super().keyed_widgets(), self.prompt]

    # -- what the conversation tells -------------------------------------------------------------------------------

    def opened(self, companion: Companion) -> None:
        """Memory is there."""
        self.time.begin(companion)
        self.panel.resort()
        self.show_keys()
        self.chats.welcome(int(companion.store.frame.active.sum()))
        for notice in (*companion.notices, *companion.store.notices):
            self.transcript.notice(notice)
        self.work(self._night(companion), "nights")
        self.work(self.chats.fill_prompt_history(), "history")
        self.work(warm_up(companion, self.regret.look), "warm up")

    def opening_failed(self, error: MemtuiError) -> None:
        """Memory can't be opened: what is typed is kept, and it can be tried again."""
        self._not_open = True
        self.time.show_clock()
        waiting = self.conversation.waiting
        safe = error.safe or "Your memories are untouched."
        if waiting:
            safe += f" What you said ({waiting} turn{'' if waiting == 1 else 's'}) is kept."
        todo = f"{error.todo} Then /retry opens it again.".strip()
        told = StoreError(error.what, safe=safe, todo=todo)
        told.title = f"{error.title}: not open"
        told.__cause__ = error.__cause__
        self.transcript.notice(str(told), "error")
        self.alert(told)

    def waits(self, text: str, in_front: int) -> None:
        """A turn waits: say so over the prompt."""
        self.back.show_title(text)

    def begins(self, text: str, again: bool) -> None:
        """A turn is being asked."""
        self.chats.leave_welcome()
        self.prompt.busy = True
        self.back.show_title("")
        self.turns.begins(again)
        self._quiet_s = 0

    def stepped(self, step: Step) -> None:
        """A step of the running turn."""
        if self.companion is not None:
            self.turns.stepped(step, self.companion)

    def ended(self, broken_off: bool) -> None:
        """The running turn is over."""
        if not self.is_attached:
            return
        self.turns.ended(self.companion, broken_off)
        self.prompt.busy = bool(self.conversation.waiting)

    def broke(self, error: BaseException) -> None:
        """A bug ends the program loudly; what was said is on disk."""
        self.memtui.crash(error)

    def not_saved(self, error: MemtuiError) -> None:
        """A turn that waits is in memory only."""
        self.alert(error)

    # -- once a second ---------------------------------------------------------------------------------------------

    def look_around(self) -> None:
        """What moves slowly: the past of the time line, nights that went by, other processes, the store's files."""
        companion = self.companion
        if companion is None or self.time.warping:
            return
        self.time.look(companion)
        self._quiet_s += 1
        now = companion.clock.now()
        since = self._nights_checked or now
        self._nights_checked = now
        if companion.settings.sleep.nightly and nights_between(since, now, 1):
            self.work(self._night(companion), "nights")
        elif self._quiet_s % REFRESH_EVERY == 0 and not self.busy:
            self.work(self._refresh(companion), "refresh")
        if self._quiet_s % COMPACT_AFTER == 0 and not self.busy:
            self.work(asyncio.to_thread(companion.store.compact_if_due), "compact")

    async def _night(self, companion: Companion) -> None:
        self._nights_checked = companion.clock.now()
        reports = await companion.catch_up()
        if reports:
            self.time.take_in(companion)
            if not self.busy and self.time.preview is None:
                self.panel.resort()
            self.transcript.notice(f"{nights_words(reports, len(reports)).capitalize()} /undo takes the last back.", "sleep")

    async def _refresh(self, companion: Companion) -> None:
        if await companion.store.refresh_async():
            self.time.take_in(companion)
            self.panel.resort()

    # -- what the widgets ask --------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    async def _submitted(self, message: Prompt.Submitted) -> None:
        text = message.text
        if text.startswith("/"):
            await self.commands.run(text)
        elif not self.back.refuses_turn(text):
            await self.conversation.submit(text)

    @on(Prompt.Changed)
    def _draft_changed(self) -> None:
        self.back.draft_changed()

    @on(Prompt.EmptySubmitted)
    def _empty_submitted(self) -> None:
        self.alert_box.open()

    @on(SlashMenu.Picked)
    def _picked(self, message: SlashMenu.Picked) -> None:
        self.prompt.picked(message.entry)

    @on(MemoryPanel.Asked)
    def _asked(self, message: MemoryPanel.Asked) -> None:
        self.memories.asked(message.action, message.id)

    @on(MemoryPanel.Sorted)
    def _sorted(self, message: MemoryPanel.Sorted) -> None:
        self.memtui.remember(sort=message.name)

    @on(Timeline.Committed)
    def _committed(self, message: Timeline.Committed) -> None:
        self.work(self.warp(message.hours), "warp")

    @on(Timeline.CancelRequested)
    def _warp_cancelled(self) -> None:
        if self.companion is not None and not self.busy:
            self.companion.stop()

    @on(ClockLine.Pressed)
    async def _clock_pressed(self, message: ClockLine.Pressed) -> None:
        await self.run_action(PART_ACTIONS.get(message.part, "app.help"))

    def on_sleep_screen_apply(self, message: SleepScreen.Apply) -> None:
        """The person agreed to a plan."""
        self.work(self.sleeping.apply(message.plan), "sleep")

    def on_sleep_screen_undo(self) -> None:
        """The applied pass is to be taken back."""
        self.work(self.sleeping.undo(), "sleep")

    def on_sleep_screen_settle(self) -> None:
        """From the sleep report to what it was not sure of."""
        self.conflicts.begin()

    async def warp(self, hours: float) -> None:
        """Go ahead in time and tell what the nights did."""
        try:
            report = await self.time.warp(hours)
        except MemtuiError:
            self.timeline.end_warp()
            raise
        self._nights_checked = report.end
        self.transcript.notice(warp_words(report, self.memtui.start.nightly), "warp")
        if self.focused is self.timeline:
            self.resting_focus.focus()

    # -- what the keys do --------------------------------------------------------------------------------------------

    def action_stop(self) -> None:
        """Step back; or stop the reply that is being written."""
        if self.step_back():
            return
        if self.conversation.stop():
            return
        if self.time.warping and self.companion is not None:
            self.companion.stop()

    def action_retry(self) -> None:
        """Ask again for the last reply."""
        self.take_command("/retry")

    def action_sleep(self) -> None:
        """The sleep pass."""
        self.sleeping.begin()

    def action_conflicts(self) -> None:
        """What waits to be settled."""
        self.conflicts.begin()

    def action_remember(self) -> None:
        """Begin a /remember in the prompt."""
        self.prompt.draft = "/remember "
        self.action_focus_prompt()

    def action_undo(self) -> None:
        """Take back the last change to memory."""
        self.take_command("/undo")

    def action_pause(self) -> None:
        """Stop time, or let it run."""
        companion = self.companion
        self.set_rate(1.0 if companion is not None and companion.clock.rate == 0 else 0.0)

    def action_speed(self) -> None:
        """The next rate."""
        self.set_rate(self.time.next_rate())

    def set_rate(self, rate: float) -> None:
        """Run time at another rate."""
        if self.companion is None:
            self.alert(InputError("Memory is still being opened.", todo="Try again in a moment."))
        elif not self.past.refused("time can't be set in it"):
            self.work(self.time.set_rate(rate), "rate")

    def action_sessions(self) -> None:
        """Earlier chats."""
        self.chats.choose()

    def action_new_chat(self) -> None:
        """A new chat."""
        self.work(self.chats.new(), "chats")

    def take_command(self, line: str) -> None:
        """Run a command from the palette, or put it into the prompt where it needs an argument."""
        self.commands.take(line)
