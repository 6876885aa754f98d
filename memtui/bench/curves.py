"""What a chart shows, whoever draws it: panels over turns, steps or days, one curve an agent, kind or law."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

SMOOTHED: Final = 10
"""Turns over which the tokens of a prompt are averaged: single turns jump too much to be read."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One agent's line.

    Attributes:
        agent: its name.
        points: (turn, value), turns not decreasing; never empty. Two at one turn are a step.
        ends: whether nothing is known behind the last point; else its value holds on.
    """

    agent: str
    points: tuple[tuple[float, float], ...]
    ends: bool = False

    @property
    def last(self) -> float:
        """The value it ends with."""
        return self.points[-1][1]

    def at(self, turn: float) -> float | None:
        """The value at `turn`, on the straight line between two points; None before the first and behind an end."""
        before: tuple[float, float] | None = None
        for x, y in self.points:
            if x >= turn:
                if before is None:
                    return y if x == turn else None
                if x == turn:
                    before = (x, y)
                    continue
                share = (turn - before[0]) / (x - before[0]) if before[0] < turn else 0.0
                return before[1] + share * (y - before[1])
            before = (x, y)
        known = before is not None and (not self.ends or self.points[-1][0] >= turn)
        return self.last if known else None


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot.

    Attributes:
        title: what is drawn.
        curves: one an agent that has any value.
        turns: right end of the x axis.
        top: upper end of the y axis (its lower end is 0).
        shares: whether the values are shares of 1.
        axis: what a step of the x axis is.
        first: left end of the x axis.
    """

    title: str
    curves: tuple[Curve, ...]
    turns: int
    top: float
    shares: bool = False
    axis: str = "user turn"
    first: int = 1

    @property
    def ticks(self) -> tuple[int, int, int]:
        """Where the x axis is labelled: its left end, middle and right end."""
        return self.first, (self.first + self.turns) // 2, self.turns

    def said(self, value: float) -> str:
        """A value as labels show it."""
        return f"{value:.0%}" if self.shares else f"{value:,.0f}"


def panels_of(record: Mapping[str, Any]) -> tuple[Panel, Panel, Panel]:
    """The panels of one scenario's record (FORMATS): memories, tokens and accuracy over turns."""
    turns = max(1, int(record["turns"]))
    agents: Mapping[str, Any] = record["agents"]
    active = [_curve(name, _counted(one["per_turn"]["active"])) for name, one in agents.items()]
    tokens = [_curve(name, _counted(_running(one["per_turn"]["tokens"]))) for name, one in agents.items()]
    clean = [_curve(name, _accuracy(one["per_probe"], turns)) for name, one in agents.items()]
    return (
        _panel("active memories", active, turns),
        _panel(f"memory tokens in a prompt (mean of {SMOOTHED} turns)", tokens, turns),
        _panel("clean answers so far", clean, turns, shares=True),
    )


def _panel(title: str, curves: Sequence[Curve | None], turns: int, *, shares: bool = False) -> Panel:
    there = tuple(curve for curve in curves if curve is not None)
    most = max((y for curve in there for _, y in curve.points), default=1.0)
    return Panel(title, there, turns, 1.0 if shares else round_top(most), shares)


def _curve(agent: str, points: Sequence[tuple[float, float]]) -> Curve | None:
    return Curve(agent, tuple(points)) if points else None


def _counted(values: Sequence[float]) -> list[tuple[float, float]]:
    return [(float(turn), float(value)) for turn, value in enumerate(values, 1)]


def _running(values: Sequence[float]) -> list[float]:
    means = []
    for end in range(1, len(values) + 1):
        window = values[max(0, end - SMOOTHED) : end]
        means.append(sum(window) / len(window))
    return means


def _accuracy(per_probe: Mapping[str, Any], turns: int) -> list[tuple[float, float]]:
    """The share of clean probes up to each turn that was probed, held until the end."""
    by_turn: dict[float, float] = {}
    right = 0
    for asked, (turn, clean) in enumerate(zip(per_probe["turn"], per_probe["clean"], strict=True), 1):
        right += bool(clean)
        by_turn[float(turn)] = right / asked
    points = list(by_turn.items())
    return [*points, (float(turns), points[-1][1])] if points and points[-1][0] < turns else points


def round_top(value: float) -> float:
    """The next round number from `value` up (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten); 1 for nothing."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return next(step * power for step in steps if step * power >= value * (1 - 1e-9))


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places nearest to the wanted ones (least squares) that are `gap` apart, in the same order, within [low, high].

    Where there is no room for all, the gap shrinks.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    if len(order) > 1:
        gap = min(gap, (high - low) / (len(order) - 1))
    blocks: list[tuple[float, int]] = []  # (sum, count) of neighbours that stand shoulder to shoulder
    for rank, i in enumerate(order):
        total, count = wanted[i] - rank * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            total, count = total + blocks[-1][0], count + blocks[-1][1]
            blocks.pop()
        blocks.append((total, count))
    means = [total / count for total, count in blocks for _ in range(count)]
    out = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        out[i] = min(max(means[rank], low), high - gap * (len(order) - 1)) + rank * gap
    return out
