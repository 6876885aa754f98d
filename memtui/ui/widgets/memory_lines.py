"""What each visible line of the panel says at a moment: plain tuples, computed from numpy columns, compared to repaint.

A `Window` holds the few memories that are on screen as a small frame of their own, so a tick of the clock asks the law
about those rows alone and costs the same at a hundred memories and at a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.laws import Law
from memtui.memory.laws.apart import SkillsApart
from memtui.memory.laws.strength import Stage, StrengthLaw
from memtui.memory.life import single
from memtui.memory.model import KINDS, Memory, Outcome, Trust
from memtui.memory.moments import HOUR_US, NEVER_US, to_us
from memtui.ui.time_words import age_words
from memtui.ui.widgets.memory_bars import (
    Columns,
    bar_eighths,
    columns_for,
    marks_words,
    number_words,
    over_mark,
    recalls_words,
)
from memtui.ui.widgets.row_text import head_of, row_text

VIVID: Final = (0.15, 0.5)
"""Saliences from which the words of a row are drawn brighter, then full."""
REASON_CELLS: Final = 10
_AGE_FROM: Final = 70
"""Cells from which a skill's row has room for when it was used."""
NO_TEXT: Final = "(its text is gone)"
"""Stands for a text that was erased, or never had a visible character."""


class Line(NamedTuple):
    """An active memory's line. Texts are as wide as their column."""

    now8: int
    then8: int
    over: tuple[str, str]
    number: str
    kind: int
    half: str
    recalls: str
    age: str
    left: str
    marks: str
    handle: str
    words: str
    vivid: int
    previewing: bool


class RetiredLine(NamedTuple):
    """A retired memory's line: why, when, by which memory, the salience it had, first words."""

    reason: str
    when: str
    by: str
    last: str
    kind: int
    words: str


class RetiredColumns(NamedTuple):
    """Widths of a retired row's parts (0: no room); with selection mark and blanks they add up to the row's width."""

    width: int
    reason: int
    when: int
    by: int
    last: int
    words: int


def retired_columns(width: int, handle: int = 3) -> RetiredColumns:
    """How a retired row of `width` cells is divided."""
    reason = REASON_CELLS if width >= 22 else 0
    when = 4 if width >= 30 else 0
    by = handle + 1 if width >= 40 else 0
    last = 4 if width >= 46 else 0
    used = 1 + sum(cells + 1 for cells in (reason, when, by, last) if cells)
    return RetiredColumns(width, reason, when, by, last, max(0, width - used))


def handle_of(row: int) -> str:
    """The display handle of the memory in a frame's `row`: `m01` is the first."""
    return f"m{row + 1:02d}"


def handle_cells(frame: Frame) -> int:
    """Cells of the widest handle of a frame."""
    return max(3, len(handle_of(max(0, len(frame) - 1))))


def active_columns(frame: Frame | None, law: Law | None, width: int) -> Columns:
    """The columns of an active row of `width` cells for the handles and half-life labels there are."""
    half = 4 if law is None else min(6, max(len(law.half_life_label(code)) for code in range(len(KINDS))))
    return columns_for(max(1, width), half, 3 if frame is None else handle_cells(frame))


def dies_of(law: Law, frame: Frame, memory: Memory) -> int:
    """When a memory of `frame` goes (microseconds UTC); the whole frame is asked only where the others have a say in it."""
    if law.capacity is None:
        return int(law.dies_at(single(memory))[0])
    return int(law.dies_at(frame)[frame.row(memory.id)])


def last_salience(law: Law, memory: Memory) -> float:
    """The salience a retired memory had when it was retired (an active one: 0)."""
    if memory.retired_at is None:
        return 0.0
    return float(law.retention(single(memory), to_us(memory.retired_at))[0])


def skill_columns(frame: Frame | None, width: int) -> Columns:
    """The columns of a skill's row: the stage stands where others have their half-life, and the title needs room."""
    columns = columns_for(max(1, width), len(Stage.ARCHIVED.value), 3 if frame is None else handle_cells(frame))
    if columns.age and width < _AGE_FROM:
        columns = replace(columns, age=0, words=columns.words + columns.age + 1)
    return columns


class Window:
    """The active memories on screen, prepared so that a line per tick is cheap."""

    def __init__(self, frame: Frame, law: Law, rows: Ints, columns: Columns, *, left_for_age: bool = False) -> None:
        """Copy what `rows` of `frame` hold; `left_for_age` shows the time until fading in the age column."""
        self.rows: list[int] = rows.tolist()
        self._law = law
        self._full = 1.0  # the retention at which a bar is full
        self._columns = columns
        self._left_for_age = left_for_age
        self._small = frame.select(rows)
        self._dies: Ints = law.dies_at(self._small) if law.capacity is None else law.dies_at(frame)[rows]
        self._fixed = [self._fixed_part(frame, row) for row in self.rows]

    def lines(self, now_us: int, then_us: int | None, given: Container[int]) -> list[Line]:
        """Every line at `now_us`, with the ghost of what is lost by `then_us` (None: no preview).

        Args:
            given: rows that were given to the last reply.
        """
        if not self.rows:
            return []
        now = self._law.retention(self._small, now_us)
        then = now if then_us is None else self._law.retention(self._small, then_us)
        dying = self._dying(now_us if then_us is None else then_us)
        floor, cells = self._law.floor, self._columns.bar
        now8 = bar_eighths(now / self._full, floor, cells).tolist()
        then8 = bar_eighths(then / self._full, floor, cells).tolist()
        ages = self._times(self._columns.age, now_us, left=self._left_for_age)
        lefts = self._times(self._columns.left, now_us, left=True)
        dead: list[bool] = dying.tolist()
        now_values: list[float] = now.tolist()
        then_values: list[float] = then.tolist()
        lines = []
        for at, (row, part) in enumerate(zip(self.rows, self._fixed, strict=True)):
            value = then_values[at]
            lines.append(
                Line(
                    now8=now8[at],
                    then8=then8[at],
                    over=over_mark(now_values[at], value),
                    number=number_words(value).rjust(self._columns.number)[: self._columns.number],
                    age=ages[at],
                    left=lefts[at],
                    marks=marks_words(self._columns.marks, dying=dead[at], pinned=part.pinned, given=row in given),
                    vivid=0 if dead[at] else sum(value >= level for level in VIVID),
                    previewing=then_us is not None,
                    kind=part.kind,
                    half=part.half,
                    recalls=part.recalls,
                    handle=part.handle,
                    words=part.words,
                )
            )
        return lines

    def _dying(self, moment_us: int) -> Bools:
        """Which of them the law lets go of: bool (rows,); where only so many are kept, all others have a say in it."""
        if self._law.capacity is None:
            return self._law.faded(self._small, moment_us)
        return np.asarray(self._small.active & (self._dies <= moment_us), np.bool_)

    def _times(self, cells: int, now_us: int, *, left: bool) -> list[str]:
        if not cells:
            return [""] * len(self.rows)
        if not left:
            hours: Floats = (now_us - self._small.last_recall) / HOUR_US
            return [age_words(hour).rjust(cells) for hour in hours.tolist()]
        return [_left_words(moment, now_us).rjust(cells) for moment in self._dies.tolist()]

    def _fixed_part(self, frame: Frame, row: int) -> _Fixed:
        columns, memory = self._columns, frame.memories[row]
        kind = int(frame.kind[row])
        return _Fixed(
            kind=kind,
            half=row_text(self._law.half_life_label(kind), columns.half),
            recalls=recalls_words(int(frame.recalls[row])).rjust(columns.recalls) if columns.recalls else "",
            handle=handle_of(row).ljust(columns.handle)[: columns.handle],
            words=row_text(self._words_of(frame, row), columns.words),
            pinned=memory.pinned,
        )

    def _words_of(self, frame: Frame, row: int) -> str:
        reason = frame.memories[row].retired_reason
        return (f"{reason}: " if reason is not None else "") + _words(frame, row)


class SkillWindow(Window):
    """The skills on screen: the bar is the strength, full at the most there can be."""

    def __init__(self, frame: Frame, law: Law, rows: Ints, columns: Columns) -> None:
        """Copy what `rows` of `frame` hold."""
        self._skills = law.strength if isinstance(law, SkillsApart) else StrengthLaw(rests=True)
        super().__init__(frame, self._skills, rows, columns)
        self._full = self._skills.most

    def lines(self, now_us: int, then_us: int | None, given: Container[int]) -> list[Line]:
        """Every line at `now_us`; what is previewed decides the stage too."""
        moment = now_us if then_us is None else then_us
        stages = [self._stage(memory, moment) for memory in self._small.memories]
        return [
            line._replace(over=(" ", "blank"), half=row_text(stage, self._columns.half), vivid=_STAGE_VIVID[stage])
            for line, stage in zip(super().lines(now_us, then_us, given), stages, strict=True)
        ]

    def _stage(self, memory: Memory, moment_us: int) -> str:
        if not memory.active:
            return Stage.ARCHIVED.value
        stage = self._skills.stage(memory, moment_us)
        return (Stage.STALE if memory.pinned and stage is Stage.ARCHIVED else stage).value

    def _words_of(self, frame: Frame, row: int) -> str:
        mark = frame.memories[row].skill
        title = head_of(frame.texts[row].partition("\n")[0]) or NO_TEXT
        if mark is None:
            return title
        unverified = "" if mark.trust is Trust.TRUSTED else "unverified: "
        went = "" if mark.outcome is Outcome.SUCCESS else f"{mark.outcome.value}: "
        return unverified + went + title


_STAGE_VIVID: Final = {Stage.ACTIVE.value: 2, Stage.STALE.value: 1, Stage.ARCHIVED.value: 0}


class _Fixed(NamedTuple):
    kind: int
    half: str
    recalls: str
    handle: str
    words: str
    pinned: bool


class RetiredWindow:
    """The retired memories on screen."""

    def __init__(self, frame: Frame, law: Law, rows: Ints, columns: RetiredColumns) -> None:
        """Copy what `rows` of `frame` hold."""
        self.rows: list[int] = rows.tolist()
        self._columns = columns
        self._at = [frame.memories[row].retired_at for row in self.rows]
        self._lines = [self._line(frame, law, row) for row in self.rows]

    def lines(self, now_us: int) -> list[RetiredLine]:
        """Every line at `now_us`."""
        cells = self._columns.when
        if not cells:
            return self._lines
        ages = ("" if at is None else age_words((now_us - to_us(at)) / HOUR_US) for at in self._at)
        return [line._replace(when=age.rjust(cells)) for line, age in zip(self._lines, ages, strict=True)]

    def _line(self, frame: Frame, law: Law, row: int) -> RetiredLine:
        columns, memory = self._columns, frame.memories[row]
        by = memory.retired_by
        by_words = handle_of(frame.row(by)) if by is not None and by in frame else "—" if by is None else "?"
        return RetiredLine(
            reason=row_text(str(memory.retired_reason or "retired"), columns.reason),
            when="",
            by=by_words.rjust(columns.by)[: columns.by],
            last=number_words(last_salience(law, memory)).rjust(columns.last) if columns.last else "",
            kind=int(frame.kind[row]),
            words=row_text(_words(frame, row), columns.words),
        )


def _words(frame: Frame, row: int) -> str:
    return head_of(frame.texts[row]) or NO_TEXT


def _left_words(dies_us: int, now_us: int) -> str:
    if dies_us >= NEVER_US:
        return "∞"
    return age_words((dies_us - now_us) / HOUR_US)
