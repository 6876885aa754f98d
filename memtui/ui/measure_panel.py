"""How fast the memory panel repaints, measured in this process as a terminal would see it."""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver

from memtui.clock import monotonic
from memtui.memory.frame import Frame
from memtui.memory.ids import make_id
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import KINDS, Memory
from memtui.memory.moments import HOUR_US, to_us
from memtui.memory.texts import content_hash
from memtui.ui.widgets.memory_bars import THEME_DEFAULTS
from memtui.ui.widgets.memory_panel import MemoryPanel

SIZE: Final = (57, 36)
"""Columns and lines of the panel measured, as on a screen of 120x36."""
TICKS_PER_S: Final = 60
_STEP_US: Final = 2 * HOUR_US
_LAP: Final = 96
_WARM_UP_S: Final = 0.3
_START_WITHIN_S: Final = 60.0
START: Final = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
"""A moment of no meaning."""


class Sink(HeadlessDriver):
    """Takes in all that would go to the terminal and counts the writes; unlike a headless driver it gets everything."""

    frames = 0

    @property
    def is_headless(self) -> bool:
        """A headless driver is given less to write."""
        return False

    def write(self, data: str) -> None:
        """Count it."""
        Sink.frames += 1


class _Bench(App[None]):
    """A panel with a running clock."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, frame: Frame) -> None:
        super().__init__(driver_class=Sink)
        self._memories = frame
        self._panel = MemoryPanel()
        self._ticks = 0
        self.painted = asyncio.Event()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(THEME_DEFAULTS)

    def compose(self) -> ComposeResult:
        yield self._panel

    def on_mount(self) -> None:
        self._panel.show(self._memories, SalienceLaw(), to_us(START))
        self._panel.rows.focus()
        self.call_after_refresh(self.painted.set)
        self._panel.set_interval(1 / TICKS_PER_S, self._tick)

    def _tick(self) -> None:
        self._ticks += 1
        self._panel.tick(to_us(START) + self._ticks % _LAP * _STEP_US)


def synthetic_frame(rows: int) -> Frame:
    """`rows` active memories of all kinds, importances, ages and recall counts; always the same."""
    frame = Frame(0)
    for number in range(rows):
        text = f"memory {number} of a life that goes on and on"
        at = START - timedelta(minutes=number * 97 % 20_000)
        frame.upsert(
            Memory(
                id=make_id(at, number),
                kind=KINDS[number % len(KINDS)],
                content=content_hash(text),
                note=None,
                importance=0.2 + number * 37 % 80 / 100,
                created_at=at,
                valid_from=at,
                last_recall=at,
                recalls=number % 5,
            ),
            text,
        )
    return frame


def measure_panel(rows: int, seconds: float = 2.0) -> dict[str, float]:
    """Run the panel over `rows` synthetic memories, its clock ticking 60 times a second by two hours each.

    Every repaint that reached the (pretended) terminal counts. A tick changes most of the visible lines, so this is the
    dear case, like a drag of the slider; a clock at 60x changes a line now and then.

    Args:
        seconds: how long to count.

    Returns:
        `panel_fps` repaints a second, `cpu_percent` of one core, `salience_ms` the median of one law over all rows.

    Raises:
        TimeoutError: nothing was painted within a minute.
    """
    frame = synthetic_frame(rows)
    fps, cpu = asyncio.run(_run(frame, seconds))
    law, times = SalienceLaw(), []
    for turn in range(9):
        began = monotonic()
        law.retention(frame, to_us(START) + turn * HOUR_US)
        times.append((monotonic() - began) * 1000)
    return {"panel_fps": fps, "cpu_percent": cpu, "salience_ms": statistics.median(times)}


async def _run(frame: Frame, seconds: float) -> tuple[float, float]:
    app = _Bench(frame)
    running = asyncio.create_task(app.run_async(headless=False, size=SIZE, mouse=False))
    await asyncio.wait_for(app.painted.wait(), _START_WITHIN_S)
    await asyncio.sleep(_WARM_UP_S)
    frames, cpu, began = Sink.frames, _cpu_seconds(), monotonic()
    await asyncio.sleep(seconds)
    took = monotonic() - began
    result = (Sink.frames - frames) / took, (_cpu_seconds() - cpu) / took * 100
    app.exit()
    await running
    return result


def _cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system


def panel_words(measured: Mapping[str, float]) -> str:
    """The figures in one line."""
    return (
        f"{measured['panel_fps']:.0f} repaints a second, {measured['cpu_percent']:.0f} % of one core,"
        f" salience of all rows {measured['salience_ms']:.2f} ms"
    )
