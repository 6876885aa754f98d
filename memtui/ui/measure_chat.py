"""How a chat feels, measured in this process as a terminal would see it: typing while a reply streams, switching chats."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import statistics
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.drivers.headless_driver import HeadlessDriver
from textual.widget import Widget

from memtui.clock import monotonic
from memtui.ui.widgets.memory_bars import THEME_DEFAULTS
from memtui.ui.widgets.message_model import FinishedMessage
from memtui.ui.widgets.prompt import Prompt
from memtui.ui.widgets.recall_lines import RecallLine
from memtui.ui.widgets.transcript import Transcript

SIZE: Final = (120, 36)
TOKENS_PER_S: Final = 60
KEYS_PER_S: Final = 12
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_PANEL_PER_S: Final = 30
_ROW: Final = 40
"""Letters after which the prompt is emptied: one row, so that what is measured is an echo, not a new layout."""
_BREATH_S: Final = 0.05
_WITHIN_S: Final = 10.0
_START: Final = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;:?<>=$]*[ -/]*[@-~]")
_PROSE: Final = (
    "You live in **Lisbon** now and you are vegetarian, so anywhere without *shellfish*; you said that one is serious. "
    "The sixth update on Synapse was about the timeline, which shows live salience now.\n\n"
)
_BLOCKS: Final = (
    "## What is known\n\n- moved to Lisbon, from Berlin\n- allergic to shellfish\n  - told once, pinned\n\n",
    "```python\ndef kept(age_h: float, half_h: float) -> float:\n    return 0.5 ** (age_h / half_h)\n```\n\n",
    "| kind | half-life |\n|---|--:|\n| episodic | 72 h |\n| semantic | 30 d |\n\n",
)


_Result: TypeAlias = dict[str, float]


class _Sink(HeadlessDriver):
    """Takes in all that would go to the terminal; unlike a headless driver it gets everything."""

    def __init__(self, *how: object, **more: object) -> None:
        super().__init__(*how, **more)  # type: ignore[arg-type]
        self.waiting_for: str | None = None
        self.seen_at = 0.0
        self.seen = asyncio.Event()

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        if self.waiting_for is not None and self.waiting_for in _ESCAPES.sub("", data):
            self.seen_at, self.waiting_for = monotonic(), None
            self.seen.set()


class _Chat(App[_Result]):
    """A transcript over a prompt, with something beside them, and what is done with them."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Vertical { width: 1fr; } #beside { width: 57; }"

    def __init__(self, script: Callable[[_Chat], Awaitable[_Result]], beside: Widget | None = None) -> None:
        super().__init__(driver_class=_Sink)
        self.transcript = Transcript()
        self.prompt = Prompt(blink=False)
        self.failure: Exception | None = None
        self._script = script
        self._beside = beside

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(THEME_DEFAULTS)

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical():
                yield self.transcript
                yield self.prompt
            if self._beside is not None:
                with Vertical(id="beside"):
                    yield self._beside

    def on_mount(self) -> None:
        self.prompt.focus()
        self.call_after_refresh(lambda: self.run_worker(self._play(), exit_on_error=False))

    async def _play(self) -> None:
        try:
            self.exit(await self._script(self))
        except Exception as error:  # handed to who asked for the figures
            self.failure = error
            self.exit()

    @property
    def sink(self) -> _Sink:
        """The pretended terminal."""
        assert isinstance(self._driver, _Sink)
        return self._driver


def _run(script: Callable[[_Chat], Awaitable[_Result]], beside: Widget | None = None) -> _Result:
    app = _Chat(script, beside)
    result = asyncio.run(app.run_async(headless=False, size=SIZE, mouse=False))
    if app.failure is not None:
        raise app.failure
    assert result is not None
    return result


def finished_messages(count: int) -> list[FinishedMessage]:
    """`count` messages of a chat, by turns a person's and memtui's, with all that Markdown has; always the same."""
    messages = []
    for number in range(count):
        at = _START + timedelta(minutes=3 * number)
        turn = f"t{number // 2:04d}"
        if number % 2 == 0:
            messages.append(FinishedMessage("user", f"Question {number}: what do you know of me? " * 3, id=turn, at=at))
            continue
        text = f"Answer {number}. {_PROSE}{_BLOCKS[number // 2 % len(_BLOCKS)]}{_PROSE}"
        memories = tuple(
            RecallLine(f"{turn}-{each}", f"m{each:02d}", "moved to Lisbon, after Berlin", 0.12, 0.71, 1.2)
            for each in range(1, 4)
        )
        messages.append(FinishedMessage("reply", text, id=turn, at=at, tokens="44 of 170 tok", memories=memories))
    return messages


def measure_typing(keys: int = 60, *, beside: Callable[[], Widget] | None = None) -> dict[str, dict[str, float]]:
    """How long after a key its letter is on the (pretended) terminal, while a reply streams at 60 tokens a second.

    Args:
        keys: letters typed, twelve a second.
        beside: makes a widget that stands beside the chat; by default the memory panel over 1,000 memories, its clock at
            3600x, repainting 30 times a second.

    Returns:
        `echo_ms`: `p50` and `p95` over the keys.

    Raises:
        TimeoutError: a letter did not show within ten seconds.
    """
    return {"echo_ms": _run(lambda app: _type(app, keys), (beside or _panel)())}


def _panel() -> Widget:
    from memtui.memory.laws.salience import SalienceLaw
    from memtui.memory.moments import HOUR_US, to_us
    from memtui.ui.measure_panel import synthetic_frame
    from memtui.ui.widgets.memory_panel import MemoryPanel

    class _Ticking(MemoryPanel):
        def on_mount(self) -> None:
            self._ticks = 0
            self.show(synthetic_frame(1_000), SalienceLaw(), to_us(_START))
            self.set_interval(1 / _PANEL_PER_S, self._go_on)

        def _go_on(self) -> None:
            self._ticks += 1
            self.tick(to_us(_START) + self._ticks * HOUR_US // _PANEL_PER_S)

    return _Ticking()


async def _type(app: _Chat, keys: int) -> _Result:
    app.transcript.load(finished_messages(40))
    app.transcript.begin_reply("now", _START)
    app.run_worker(_stream(app.transcript))
    echoes = []
    typed = ""
    for number in range(keys):
        letter = _LETTERS[number % len(_LETTERS)]
        typed += letter
        if len(typed) > _ROW:
            app.prompt.draft, typed = "", letter
            await asyncio.sleep(_BREATH_S)
        echoes.append(await _echo(app.sink, letter, typed[-4:]))
        await asyncio.sleep(1 / KEYS_PER_S)
    cuts = statistics.quantiles(echoes, n=20, method="inclusive")
    return {"p50": round(statistics.median(echoes), 2), "p95": round(cuts[18], 2)}


async def _echo(sink: _Sink, letter: str, shown: str) -> float:
    """Milliseconds from a key until `shown` is written."""
    sink.seen.clear()
    sink.waiting_for = shown
    pressed = monotonic()
    sink.process_message(events.Key(letter, letter))
    await asyncio.wait_for(sink.seen.wait(), _WITHIN_S)
    return (sink.seen_at - pressed) * 1000


async def _stream(transcript: Transcript) -> None:
    tokens = [token for text in (_PROSE, *_BLOCKS) for token in re.findall(r"\s*\S+|\s+$", text)]
    begin = monotonic()
    sent = 0
    while True:
        await asyncio.sleep(1 / TOKENS_PER_S)
        while sent < (monotonic() - begin) * TOKENS_PER_S:
            transcript.append("now", tokens[sent % len(tokens)])
            sent += 1


def measure_switch(messages: int = 500) -> dict[str, float]:
    """How long it takes until another chat of so many messages is on the (pretended) terminal, and what it adds to memory.

    Returns:
        `switch_s` seconds and `extra_mb` megabytes of resident memory, after the whole chat was scrolled through once.
    """
    return _run(lambda app: _switch(app, finished_messages(messages)))


async def _switch(app: _Chat, messages: Sequence[FinishedMessage]) -> _Result:
    transcript = app.transcript
    transcript.load(finished_messages(2))
    await _painted(app)
    gc.collect()
    before = _resident_mb()
    begin = monotonic()
    transcript.load(messages)
    await _painted(app)
    took = monotonic() - begin
    while transcript.scroll_y > 0:
        transcript.scroll_page_up(animate=False)
        await asyncio.sleep(0)
    return {"switch_s": round(took, 4), "extra_mb": round(max(0.0, _resident_mb() - before), 1)}


async def _painted(app: _Chat) -> None:
    done = asyncio.Event()
    app.transcript.call_after_refresh(done.set)
    await asyncio.wait_for(done.wait(), _WITHIN_S)


def _resident_mb() -> float:
    """Resident memory of this process: now where the system tells it, else its peak; 0 where neither is known."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
