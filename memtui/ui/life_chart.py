"""The curve of one memory's retention from its birth over its recalls to its end."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final

import numpy as np
from textual.content import Content

from memtui.memory.laws import Law
from memtui.memory.life import Life
from memtui.memory.moments import HOUR_US, NEVER_US, from_us, to_us
from memtui.ui.curve_chart import MARK, curve_chart, ends_line, marks_line, plot_cells, samples
from memtui.ui.time_words import span_words, weekday_words

_STAYS_DAYS: Final = 40
"""Days ahead that are drawn of what does not fade."""
_BEFORE_US: Final = 1
"""A recall is looked at from both sides, so that the step stands where it happened."""


def life_chart(life: Life, law: Law, dies_us: int, now_us: int, *, width: int, rows: int, zone: tzinfo) -> Content:
    """The curve, what happened under it (`▴` a recall, `●` now), and birth and end in words: `rows` + 2 lines.

    Args:
        dies_us: when the law lets go of it (microseconds UTC); `NEVER_US` for what stays.
    """
    known = life.versions[-1]
    start = min(life.birth_us, now_us)
    end = _end(known.retired_at is not None and to_us(known.retired_at), dies_us, now_us)
    end = max(end, start + HOUR_US)
    labels_of = ("0.00", "0")
    cells = plot_cells(width, labels_of)
    moments = np.linspace(start, end, samples(cells)).round().astype(np.int64)
    if known.retired_at is not None:
        moments[-1] = end - _BEFORE_US
    curve = life.curve(law, moments)
    top = max(float(curve.max()), law.floor, 1e-6)
    chart = curve_chart(curve, top, (f"{min(top, 99):.2f}", "0"), width, rows, floor=law.floor)
    span = end - start
    shares = [(at - start) / span for at in life.recalled if start <= at <= end]
    active = known.retired_at is None
    marks = marks_line(shares, cells, (now_us - start) / span if active else None)
    past = chart.axis + (round((now_us - start) / span * cells) if active else cells)
    pieces: list[str | tuple[str, str]] = []
    for line in chart.lines:
        pieces += [line[: chart.axis], (line[chart.axis : past], "$bar-ghost"), (line[past:], "$bar"), "\n"]
    pieces += [" " * chart.axis, (marks, "$accent"), "\n", " " * chart.axis]
    pieces.append(_ends(life, dies_us, now_us, start, end, len(shares), cells, zone))
    return Content.assemble(*pieces)


def _end(retired_us: int | bool, dies_us: int, now_us: int) -> int:
    if retired_us is not False:
        return int(retired_us)
    return max(dies_us, now_us) if dies_us < NEVER_US else now_us + _STAYS_DAYS * 24 * HOUR_US


def _ends(life: Life, dies_us: int, now_us: int, start: int, end: int, recalls: int, cells: int, zone: tzinfo) -> str:
    now, known = from_us(now_us), life.versions[-1]
    born = weekday_words(from_us(start), zone, now=now)
    day = weekday_words(from_us(end), zone, now=now)
    if known.retired_at is not None:
        right = f"retired {day}"
    elif known.pinned or dies_us >= NEVER_US:
        right = f"stays ({day})"
    elif dies_us <= now_us:
        right = "due now"
    else:
        right = f"fades {day} ({span_words((dies_us - now_us) / HOUR_US)})"
    middle = f"{MARK} recalled {recalls:,} {'time' if recalls == 1 else 'times'}" if recalls else ""
    return ends_line(born, middle, right, cells)
