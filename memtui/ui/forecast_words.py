"""A forecast in words and curves: the same on the screen and in a pipe."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import Final, TypeAlias

import numpy as np

from memtui.bench.curves import round_top
from memtui.chat.forecasting import Ahead, week_words
from memtui.memory.frame import Ints
from memtui.memory.moments import HOUR_US, from_us
from memtui.ui.curve_chart import curve_chart, ends_line, plot_cells, samples
from memtui.ui.time_words import date_words, day_words, span_words, weekday_words

DATE_CELLS: Final = 17
LEFT_CELLS: Final = 8
Curved: TypeAlias = Callable[[Ints], Ints]
"""Gives what is drawn at moments (microseconds UTC)."""


def horizon_words(days: float) -> str:
    """A horizon as its key says it: `1 d`, `90 d`, `a year`."""
    return "a year" if days == 365 else f"{days:g} d"


def summary_words(ahead: Ahead, days: float, tz: tzinfo) -> str:
    """Such as `12 memories fade this week. By Mon 25 May: 18 of 42 fade, 24 stay.`, and how many are due already."""
    found, until = ahead.outlook, ahead.until_us(days)
    gone = found.gone_by(until)
    day = weekday_words(from_us(until), tz, now=from_us(found.now_us))
    said = f"{week_words(found)}. By {day}: {gone:,} of {found.active:,} fade, {found.active - gone:,} stay."
    if found.due:
        many = found.due > 1
        said += (
            f" {found.due:,} {'are' if many else 'is'} due already: the next sleep lets go of {'them' if many else 'it'}."
        )
    return said


def charts(ahead: Ahead, days: float, width: int, rows: int, tz: tzinfo) -> tuple[list[str], list[str]]:
    """Active memories and tokens over the horizon, each `rows` + 2 lines of `width` cells: title, curve, dates."""
    until = ahead.until_us(days)
    active, tokens = ahead.outlook.active, int(ahead.costs.sum())
    return (
        _chart("active memories", ahead, active, ahead.outlook.active_at, until, width, rows, tz),
        _chart("tokens of all of them", ahead, tokens, ahead.tokens_at, until, width, rows, tz),
    )


def _chart(title: str, ahead: Ahead, first: int, values: Curved, until: int, width: int, rows: int, tz: tzinfo) -> list[str]:
    found = ahead.outlook
    last = int(values(np.array([until], np.int64))[0])
    top = round_top(max(first, 1))
    labels = (f"{top:,.0f}", "0")
    cells = plot_cells(width, labels)
    moments = found.moments(until, samples(cells) - 1)
    curve = values(moments).astype(np.float64)
    curve[0] = first  # what is due already is still there; the next pass is the first step down
    chart = curve_chart(curve, top, labels, width, rows)
    now = from_us(found.now_us)
    middle = weekday_words(from_us((found.now_us + until) // 2), tz, now=now)
    ends = ends_line("now", middle, weekday_words(from_us(until), tz, now=now), cells)
    counts = f"{first:,} now, {last:,} then"
    heading = next((w for w in (f"{title}: {counts}", f"{title.split()[0]}: {counts}") if len(w) <= width), counts)
    return [heading[:width].ljust(width), *chart.lines, " " * chart.axis + ends]


def fade_words(at_us: int, now_us: int, tz: tzinfo) -> tuple[str, str]:
    """When a memory goes and how long that is, each as wide as its column: date, time left."""
    now, at = from_us(now_us), from_us(at_us)
    if at_us <= now_us:
        return "the next sleep".ljust(DATE_CELLS), "due".rjust(LEFT_CELLS)
    date = weekday_words(at, tz, now=now)
    if date.endswith(day_words(at, tz)):  # of the same year: there is room for the time of day
        date = date_words(at, tz, year=False)
    return date.ljust(DATE_CELLS), span_words((at_us - now_us) / HOUR_US).rjust(LEFT_CELLS)
