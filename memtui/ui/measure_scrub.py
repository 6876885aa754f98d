"""How fast the past can be scrubbed through: looks back a second, each with its repaint, over a ledger of so many events."""

from __future__ import annotations

import asyncio
import statistics
from datetime import timedelta
from typing import Final

from textual.app import App, ComposeResult

from memtui.clock import monotonic
from memtui.memory.events import Body, Created, Edited, Event, Recalled, Retired
from memtui.memory.frame import Frame
from memtui.memory.history import History
from memtui.memory.ids import make_id
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import KINDS, RetireReason
from memtui.memory.moments import from_us, to_us
from memtui.memory.past import PastFrame
from memtui.memory.state import State
from memtui.memory.texts import content_hash
from memtui.ui.measure_panel import SIZE, START, Sink
from memtui.ui.widgets.memory_bars import THEME_DEFAULTS
from memtui.ui.widgets.memory_panel import MemoryPanel

_STEP: Final = timedelta(minutes=5)
_LAP: Final = 97
_START_WITHIN_S: Final = 60.0


class Lived:
    """A made-up life of `count` events: six in ten are births, the others recalls, edits and retirements."""

    def __init__(self, count: int) -> None:
        self.history, self.state = History(), State()
        self.texts: dict[str, str] = {}
        self.end = START + _STEP * count
        born: list[str] = []
        for seq in range(count):
            at = START + _STEP * seq
            event = Event(seq, at, f"b{seq}", self._body(seq, born), "", "")
            self.history.take(event, self.state.apply(event), self.state)
        self.frame = Frame(0)
        self.frame.extend(list(self.state.memories.values()), [self.texts[m.content] for m in self.state.memories.values()])

    def _body(self, seq: int, born: list[str]) -> Body:
        kind = seq % 10
        if kind < 6 or not born:
            at, memory = START + _STEP * seq, make_id(START, "scrub", seq)
            born.append(memory)
            return Created(
                memory, KINDS[seq % len(KINDS)], self._said(f"memory {seq} of a life that goes on"), None,
                0.2 + seq * 37 % 80 / 100, at, at, at,
            )  # fmt: skip
        one = born[seq * 7919 % len(born)]
        if kind == 6:
            return Retired(one, RetireReason.PRUNED)
        if kind == 7:
            return Edited(one, content=self._said(f"memory {seq}, as it was put later"))
        return Recalled(tuple(born[(seq * 31 + n * 101) % len(born)] for n in range(3)), f"t{seq}")

    def _said(self, text: str) -> str:
        digest = content_hash(text)
        self.texts[digest] = text
        return digest

    def at(self, us: int) -> PastFrame:
        """The frame as of a moment (microseconds UTC), as a store makes it."""
        cut = self.history.cut(self.history.events_at(from_us(us)))
        worded = {cut.memories[row].content for row in cut.reworded.tolist()}
        texts = {content: self.texts[content] for content in worded}
        return PastFrame(cut, self.frame, self.history.row, texts=texts, vectors={}, readings={})


class _Bench(App[None]):
    """A panel that looks at another moment of the past as soon as the last one is painted."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, lived: Lived) -> None:
        super().__init__(driver_class=Sink)
        self._lived = lived
        self._panel = MemoryPanel()
        self._law = SalienceLaw()
        self.looks = 0
        self.ended = False
        self.painted = asyncio.Event()
        self.took_ms: list[float] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(THEME_DEFAULTS)

    def compose(self) -> ComposeResult:
        yield self._panel

    def on_mount(self) -> None:
        self._panel.show(self._lived.frame, self._law, to_us(self._lived.end))
        self._panel.rows.focus()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.painted.set()
        self.look()

    def look(self) -> None:
        """The next moment: back and forth through the whole past, by uneven steps."""
        if self.ended:
            return
        self.looks += 1
        span = to_us(self._lived.end) - to_us(START)
        us = to_us(START) + span * (self.looks * 41 % _LAP) // _LAP
        began = monotonic()
        past = self._lived.at(us)
        self.took_ms.append((monotonic() - began) * 1000)
        self._panel.show_past(past, self._law, us, "so long ago")
        self.call_after_refresh(self.look)


def measure_scrub(events: int, seconds: float = 3.0) -> dict[str, float]:
    """Scrub through the past of `events` events, to another moment as soon as the last one is painted.

    Args:
        seconds: how long to count.

    Returns:
        `scrub_fps` looks a second that reached the (pretended) terminal, `scrub_look_ms` the median time of a look alone.

    Raises:
        TimeoutError: nothing was painted within a minute.
    """
    lived = Lived(events)
    lived.at(to_us(START))  # the columns are made once
    return asyncio.run(_run(lived, seconds))


async def _run(lived: Lived, seconds: float) -> dict[str, float]:
    app = _Bench(lived)
    running = asyncio.create_task(app.run_async(headless=False, size=SIZE, mouse=False))
    await asyncio.wait_for(app.painted.wait(), _START_WITHIN_S)
    await asyncio.sleep(0.3)
    looks, frames, began = app.looks, Sink.frames, monotonic()
    await asyncio.sleep(seconds)
    took = monotonic() - began
    shown = min(app.looks - looks, Sink.frames - frames)
    app.ended = True
    app.exit()
    await running
    return {"scrub_fps": round(shown / took, 1), "scrub_look_ms": round(statistics.median(app.took_ms), 1)}
