"""`memtui bench speed`: how long things take with many memories. Each size runs in a process of its own."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memtui.clock import SimClock, monotonic
from memtui.config import Settings
from memtui.errors import MemtuiError
from memtui.locations import home

if TYPE_CHECKING:
    from memtui.store.memory_store import MemoryStore

_QUERIES: Final = 30
_TURNS: Final = 15
_LOOKS_BACK: Final = (150, 299, 1, 75.5, 225, 260, 300, 30, 180)
"""Days after the first memory; the median of the looks is one that sees more than half of all."""
_ASKED: Final = (
    "Where did we put the old piano?",
    "Who repaired the boiler last week?",
    "What did my sister paint?",
    "когда мы ездили в Порту?",
    "What is the plan for the garden and the balcony?",
)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}


def measure_rows(count: int) -> dict[str, Any]:
    """The figures of FORMATS ("bench speed") for `count` memories, measured in a fresh process.

    Raises:
        MemtuiError: the measuring process failed.
    """
    with tempfile.TemporaryDirectory(prefix="memtui-bench-") as folder:
        for step in ("fill", "measure"):
            done = subprocess.run(
                [sys.executable, "-m", "memtui.bench.speed", step, str(count), folder],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise MemtuiError(f"Measuring {count} memories failed: {done.stderr.strip()[-400:]}")
        result: dict[str, Any] = json.loads(done.stdout)
        result["disk_mb"] = round(_folder_bytes(Path(folder)) / 1e6, 1)
        return result


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile."""
    ordered = sorted(milliseconds)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2),
    }


def timed(work: Callable[[], object]) -> float:
    """Milliseconds `work` takes."""
    begun = monotonic()
    work()
    return (monotonic() - begun) * 1000


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _fill(count: int, folder: str) -> None:
    from memtui.bench.synthetic import fill
    from memtui.chat.opening import open_store
    from memtui.minds.offline.mind import OfflineMind

    store = open_store(Settings(), home(folder), OfflineMind())
    fill(store, count)
    store.close()


def _as_of(store: MemoryStore, moments: Sequence[datetime]) -> dict[str, float]:
    """How long a look at the past takes: the first one (it makes the columns), and the median of those to `moments`."""
    first = timed(lambda: store.as_of(moments[0]))
    times = sorted(timed(lambda moment=moment: store.as_of(moment)) for moment in moments)  # type: ignore[misc]
    return {"as_of_first_ms": round(first, 1), "as_of_ms": round(times[len(times) // 2], 1)}


async def _measure(folder: str) -> dict[str, Any]:
    from memtui.bench.synthetic import START
    from memtui.chat.log import NoLog
    from memtui.chat.opening import open_now
    from memtui.memory.moments import to_us
    from memtui.minds.offline.mind import OfflineMind
    from memtui.minds.tokens import count_tokens

    importlib.import_module("lancedb")  # its import time is kept out of the figure

    mind = OfflineMind()
    await mind.embedder.embed(["warm"])
    count_tokens("warm")
    clock = SimClock.frozen(START + timedelta(days=300))
    settings = Settings(timezone="UTC")
    settings.sleep.after_memories = 0
    begun = monotonic()
    companion = open_now(settings, home(folder), clock, NoLog(), "bench", mind)
    figures: dict[str, Any] = {"open_s": round(monotonic() - begun, 3)}
    companion.store.compact_if_due()  # as the app does when it is idle
    frame = companion.store.frame
    now_us = to_us(clock.now())
    salience = sorted(timed(lambda: companion.law.retention(frame, now_us)) for _ in range(9))
    figures["salience_ms"] = round(salience[4], 2)
    recall: list[float] = []
    for number in range(_QUERIES):
        begun = monotonic()
        await companion.recall_for(f"{_ASKED[number % len(_ASKED)]} {number}")
        recall.append((monotonic() - begun) * 1000)
    figures["recall_ms"] = percentiles(recall)
    turns: list[float] = []
    for number in range(_TURNS):
        clock.advance(timedelta(minutes=7))
        begun = monotonic()
        async with aclosing(companion.turn(f"I moved desk no. {number} to the attic, near the piano")) as steps:
            async for _ in steps:
                pass
        turns.append((monotonic() - begun) * 1000)
    figures["turn_ms"] = percentiles(turns)
    for key in ("sleep_plan_s", "sleep_again_s"):
        begun = monotonic()
        plan = await companion.plan_sleep("bench")
        figures[key] = round(monotonic() - begun, 3)
        if key == "sleep_plan_s":
            await companion.apply_sleep(plan)
    begun = monotonic()
    await companion.warp_to(clock.now() + timedelta(days=40))
    figures["warp40_s"] = round(monotonic() - begun, 3)
    figures |= _as_of(companion.store, [START + timedelta(days=day) for day in _LOOKS_BACK])
    figures["rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    await companion.close()
    return figures


def main() -> None:
    """The measuring process: `python -m memtui.bench.speed fill|measure COUNT FOLDER`."""
    step, count, folder = sys.argv[1:4]
    if step == "fill":
        _fill(int(count), folder)
    else:
        sys.stdout.write(json.dumps(asyncio.run(_measure(folder))))


if __name__ == "__main__":
    main()
