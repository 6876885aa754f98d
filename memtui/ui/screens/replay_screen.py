"""A session played on a memory of its own: the same stage, a bar instead of a prompt. The user's home is not touched."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from memtui.chat.commands import parse_command, parse_duration
from memtui.chat.steps import Replied, SleepReport, WarpReport
from memtui.clock import SimClock
from memtui.errors import InputError, MemtuiError
from memtui.sessions.format import read_session
from memtui.sessions.lines import AssistantTurn, CommandLine, Probe, UserTurn
from memtui.ui.actions import Where, bindings_for
from memtui.ui.screens.probe_words import asked_words, found_words
from memtui.ui.screens.stage import THEMES_AFTER_S, Stage, short_title
from memtui.ui.screens.stage_survival import open_survival
from memtui.ui.screens.stage_time import warp_words
from memtui.ui.widgets.memory_panel import MemoryPanel
from memtui.ui.widgets.replay_bar import ReplayBar, ReplayState
from memtui.ui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memtui.chat.companion import Companion
    from memtui.sessions.replay import LinePlayed, LineStarted, Player, PlayerEvent
    from memtui.ui.actions import Action
    from memtui.ui.widgets.message_model import NoticeKind

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""What the speed keys step through."""
_CHARS_A_SECOND: Final = 110.0
_PIECE_S: Final = 1 / 30
_LONGEST_REVEAL_S: Final = 3.0
_SLIDE_S: Final = 1.6
"""Seconds the slider takes, at speed 1, to move where a `/warp` of the session goes."""


class ReplayScreen(Stage):
    """Plays one file.

    Attributes:
        player: None until the file was read.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("chat", "replay")]
    places: ClassVar[tuple[Where, ...]] = ("app", "chat", "replay")
    watches: ClassVar[bool] = False

    def __init__(self, file: Path, speed: float = 1.0, *, alone: bool = False) -> None:
        """Args:
        alone: whether the program is left with the replay.
        """
        super().__init__()
        self.player: Player | None = None
        self.bar = ReplayBar(id="replay-bar")
        self._file = file
        self._speed = speed
        self._alone = alone
        self._title = file.stem
        self._companion: Companion | None = None
        self._position = 0
        self._seek_to = 0
        self._clock = SimClock()

    # -- what a stage asks -----------------------------------------------------------------------------------------

    @property
    def companion(self) -> Companion | None:
        """The memory being played on."""
        return self._companion

    @property
    def clock(self) -> SimClock:
        """The clock before there is a companion."""
        return self._clock

    @property
    def title_words(self) -> str:
        """The session's title."""
        return short_title(self._title)

    @property
    def mind_label(self) -> str:
        """Who thought when it was recorded, or thinks where nothing was recorded."""
        return "replay" if self._companion is None else f"replay · {self._companion.mind.label}"

    @property
    def shown_rate(self) -> float:
        """The replay's own speed; its clock stands between lines."""
        return self.player.speed if self.player is not None and self.player.playing else 0.0

    @property
    def resting_focus(self) -> Widget:
        """The bar."""
        return self.bar

    def turn_texts(self, turns: Collection[str]) -> Mapping[str, str]:
        """From the session that is played."""
        return {turn.id: turn.text for turn in self.player.session.user_turns} if self.player is not None else {}

    def foot(self) -> ComposeResult:
        """Strip and bar."""
        yield self.strip
        yield self.bar

    def label_of(self, action: Action) -> str:
        """Play, or pause."""
        if action.id == "replay.toggle":
            return "pause" if self.player is not None and self.player.playing else "play"
        return action.label

    async def end(self) -> None:
        """Free the memory that was played on."""
        player, self.player = self.player, None
        if player is not None:
            with contextlib.suppress(MemtuiError, TimeoutError):
                await asyncio.wait_for(player.close(), 1.0)

    # -- playing ---------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Paint first; play after that."""
        super().on_mount()
        self.bar.show(ReplayState(self._title, speed=self._speed))
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.set_timer(THEMES_AFTER_S, self.memtui.load_all_themes)
        self.run_worker(self._play(), group="replay", exclusive=True, exit_on_error=False)

    async def _play(self) -> None:
        from memtui.sessions.replay import Player

        session = await asyncio.to_thread(read_session, self._file)
        self._title = session.header.title or self._file.stem
        self.player = player = Player(session, speed=self._speed)
        async with contextlib.aclosing(aiter(player)) as events:
            async for event in events:
                await self._show(event)
                self._show_bar()

    @property
    def seeking(self) -> bool:
        """Whether beats are played only to get somewhere."""
        return self._position < self._seek_to

    async def _show(self, event: PlayerEvent) -> None:
        from memtui.sessions.replay import Finished, LinePlayed, LineStarted, NightsSlept, Restarted, StepTaken

        match event:
            case Restarted(companion=companion):
                self._restart(companion)
            case NightsSlept(report=report):
                self._tell_warp(report)
            case LineStarted():
                await self._line_starts(event)
            case StepTaken(step=step) if self._companion is not None:
                if isinstance(step, Replied) and not self.seeking:
                    await self._reveal(step)
                self.turns.stepped(step, self._companion)
            case LinePlayed():
                self._line_ends(event)
            case Finished():
                self.transcript.notice("The end. The left key goes back a turn, home to the beginning, q leaves.")
            case _:
                pass

    def _restart(self, companion: Companion) -> None:
        self._companion = companion
        self._position = 0
        self.transcript.clear()
        self.time.begin(companion)
        self.time.show_tokens(None)
        session = self.player.session if self.player is not None else None
        if session is not None and session.header.note and not session.mind_calls:
            self.transcript.notice(session.header.note)  # who thinks here is not who the session was recorded with

    async def _line_starts(self, event: LineStarted) -> None:
        match event.line:
            case UserTurn():
                self.turns.begins(again=False)
            case CommandLine(text=text):
                self.transcript.notice(text.removeprefix("/"), "command")
                if not self.seeking:
                    await self._slide(text)
            case AssistantTurn(text=text):
                self.transcript.notice(text)
            case Probe():
                self.transcript.notice(asked_words(event.line))
        self.time.show_clock()

    def _line_ends(self, event: LinePlayed) -> None:
        self._position = event.index + 1
        companion = self._companion
        if companion is None:
            return
        if event.problem is not None:
            self.transcript.notice(str(event.problem), "error")
        elif event.result is not None:
            report = event.result.report
            kind: NoticeKind = "sleep" if isinstance(report, SleepReport) else "info"
            self.transcript.notice(event.result.text, "warp" if isinstance(report, WarpReport) else kind)
        elif event.recollection is not None and isinstance(event.line, Probe):
            self.transcript.notice(found_words(event.line, event.recollection, companion.store.frame))
        if self.past.then is None:
            self.timeline.end_warp()
            self.time.end_preview()
        self.turns.ended(companion, broken_off=False)

    def _tell_warp(self, report: WarpReport) -> None:
        self.transcript.notice(warp_words(report, nightly=True), "warp")
        if self._companion is not None:
            self.time.take_in(self._companion)
            self.panel.resort()

    async def _reveal(self, step: Replied) -> None:
        """The reply as if it were being written; the pace follows the speed."""
        text, player = step.text, self.player
        if player is None or self.turns.streamed:
            return
        seconds = min(len(text) / _CHARS_A_SECOND, _LONGEST_REVEAL_S) / player.speed
        pieces = max(1, int(seconds / _PIECE_S))
        size = -(-len(text) // pieces)
        for start in range(0, len(text), size):
            if self.seeking:
                return
            self.transcript.append(self.turns.running, text[start : start + size])
            await asyncio.sleep(_PIECE_S)

    async def _slide(self, command: str) -> None:
        """Move the slider where a `/warp` goes, so that one sees what will fade."""
        try:
            name, argument = parse_command(command)
            hours = parse_duration(argument).total_seconds() / 3600 if name.name == "warp" else 0.0
        except MemtuiError:
            return
        player = self.player
        if not hours or player is None or self.app.animation_level == "none":
            return
        steps = max(1, int(_SLIDE_S / player.speed / _PIECE_S))
        for step in range(1, steps + 1):
            if self.seeking:
                return
            share = step / steps
            at = hours * share * share * (3 - 2 * share)
            self.timeline.set_hours(at)
            self.time.look_ahead(at)
            await asyncio.sleep(_PIECE_S)

    def _show_bar(self) -> None:
        player = self.player
        if player is None:
            return
        state = ReplayState(self._title, self._position, len(player.beats), player.speed, player.playing, self.seeking)
        if state != self.bar.state:
            self.bar.show(state)
            self.time.show_clock()
            self.show_keys()

    # -- what the person does --------------------------------------------------------------------------------------

    @on(ReplayBar.Sought)
    def _sought(self, message: ReplayBar.Sought) -> None:
        self.seek_to(message.position)

    @on(Timeline.Committed)
    def _committed(self) -> None:
        self.timeline.end_warp()
        self.time.end_preview()
        self.memtui.say("Time in a replay goes with its lines: here the slider only looks ahead.", timeout=4)

    @on(MemoryPanel.Asked)
    def _asked(self, message: MemoryPanel.Asked) -> None:
        if message.action in ("history", "why"):
            self.open_card(message.id, message.action)
        else:
            self.memtui.say("A replay's memory can be looked at, not changed.", timeout=4)

    def seek_to(self, position: int) -> None:
        """Go to a beat, with the memory as it was then."""
        if self.player is not None:
            self._come_back()
            self._seek_to = min(max(position, 0), len(self.player.beats))
            self.player.seek(self._seek_to)
            self._show_bar()

    def looked_back(self) -> None:
        """Who looks back does not want it to go on meanwhile."""
        if self.past.then is not None and self.player is not None and self.player.playing:
            self.player.pause()
            self._show_bar()

    def _come_back(self) -> None:
        self.timeline.set_hours(0.0)
        self.past.end()

    def action_play_pause(self) -> None:
        """Play or pause."""
        if self.player is not None:
            self._come_back()
            (self.player.pause if self.player.playing else self.player.play)()
            self._show_bar()

    def action_step(self) -> None:
        """One more beat."""
        if self.player is not None:
            self._come_back()
            self.player.pause()
            self.player.step()
            self._show_bar()

    def action_back(self) -> None:
        """One beat back."""
        if self.player is not None:
            self.player.pause()
            self.seek_to(self._position - 1)

    def action_seek(self, where: str) -> None:
        """To the `start` or the `end`."""
        if self.player is not None:
            self.seek_to(0 if where == "start" else len(self.player.beats))

    def action_faster(self) -> None:
        """The next speed."""
        self._set_speed(next((speed for speed in SPEEDS if self.player and speed > self.player.speed), SPEEDS[-1]))

    def action_slower(self) -> None:
        """The speed before."""
        self._set_speed(next((speed for speed in reversed(SPEEDS) if self.player and speed < self.player.speed), SPEEDS[0]))

    def _set_speed(self, speed: float) -> None:
        if self.player is not None:
            self.player.set_speed(speed)
            self._show_bar()

    def action_stop(self) -> None:
        """Step back, or leave."""
        if not self.step_back():
            self.action_leave()

    def action_leave(self) -> None:
        """Back to the own chat, or out of the program."""
        if self._alone:
            self.memtui.leave(0)
            return
        self.workers.cancel_group(self, "replay")
        self.app.run_worker(self.end(), group="replay end", exit_on_error=False)
        self.dismiss(None)

    def take_command(self, line: str) -> None:
        """What only looks can be had here; the other commands are for the own chat."""
        name, _, argument = line.strip().partition(" ")
        looks: dict[str, Callable[[], None]] = {
            "/regret": self.regret.open,
            "/survival": lambda: open_survival(self, argument),
        }
        run = looks.get(name)
        if run is None:
            self.memtui.say("Commands that change something work in your own chat; q leaves the replay.", timeout=4)
            return
        try:
            run()
        except InputError as error:
            self.alert(error)
