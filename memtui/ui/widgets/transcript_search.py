"""Finding text in the transcript: which parts match, and where their drawn rows do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from memtui.ui.widgets.message_lines import Line
from memtui.ui.widgets.message_view import MessageView, Part

_MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class Match:
    """An occurrence: the message, its part by number, and which occurrence in that part, from 0."""

    serial: int
    number: int
    nth: int


@dataclass(frozen=True, slots=True)
class RowSpan:
    """Characters of a drawn row (of a part, from its first row) that belong to an occurrence."""

    row: int
    start: int
    end: int
    nth: int


@dataclass(slots=True)
class Search:
    """An incremental search.

    Attributes:
        query: what is looked for, in any case of letters.
        matches: from the top of the transcript to its end.
        current: position in `matches`.
        origin: serial of the message the search began at.
    """

    query: str = ""
    matches: list[Match] = field(default_factory=list)
    current: int = 0
    origin: int = 0
    _spans: dict[Part, tuple[list[Line], list[RowSpan]]] = field(default_factory=dict)

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """What matches, None while there is nothing to look for."""
        return re.compile(re.escape(self.query), re.IGNORECASE) if self.query else None

    @property
    def match(self) -> Match | None:
        """The occurrence that is shown."""
        return self.matches[self.current] if self.matches else None

    def run(self, views: Sequence[MessageView]) -> None:
        """Look through the messages; the last occurrence at or above the origin becomes the current one."""
        self._spans.clear()
        self.matches = find(views, self.pattern)
        before = [i for i, match in enumerate(self.matches) if match.serial <= self.origin]
        self.current = before[-1] if before else 0

    def step(self, by: int) -> None:
        """Go on to the next occurrence, or (-1) the one before, round the ends."""
        if self.matches:
            self.current = (self.current + by) % len(self.matches)

    def spans(self, part: Part, lines: list[Line]) -> list[RowSpan]:
        """Where a drawn part's rows match."""
        pattern = self.pattern
        if pattern is None or part.piece is None:
            return []
        known = self._spans.get(part)
        if known is None or known[0] is not lines:
            known = self._spans[part] = (lines, row_spans(lines, pattern))
        return known[1]


def find(views: Sequence[MessageView], pattern: re.Pattern[str] | None) -> list[Match]:
    """All occurrences in what is shown; one more for what a clipped text hides, at the row that says so."""
    matches: list[Match] = []
    if pattern is None:
        return matches
    for view in views:
        if not pattern.search(view.data.text):
            continue
        for number, part in view.text_parts():
            assert part.piece is not None
            matches += (Match(view.serial, number, nth) for nth, _ in enumerate(pattern.finditer(part.piece.source)))
        if view.clipped.hidden and pattern.search(view.data.text, view.clipped.end):
            more = next(number for number, part in enumerate(view.parts()) if part.name == "more")
            matches.append(Match(view.serial, more, 0))
        if len(matches) > _MOST:
            break
    return matches


def row_spans(lines: Sequence[Line], pattern: re.Pattern[str]) -> list[RowSpan]:
    """The spans of each occurrence in drawn rows, those that go on over the end of a row too."""
    text: list[str] = []
    starts: list[tuple[int, int, int]] = []
    at = 0
    for line in lines:
        copied = line.copied(0, None)
        skipped = len(line.text) - len(copied)
        starts.append((at, at + len(copied), skipped))
        joined = copied + ("\n" if line.soft is None else line.soft)
        text.append(joined)
        at += len(joined)
    spans: list[RowSpan] = []
    row = 0
    for nth, match in enumerate(pattern.finditer("".join(text))):
        while row < len(starts) and starts[row][1] <= match.start():
            row += 1
        at_row = row
        while at_row < len(starts) and starts[at_row][0] < match.end():
            begin, end, skipped = starts[at_row]
            first, last = max(begin, match.start()), min(end, match.end())
            if first < last:
                spans.append(RowSpan(at_row, first - begin + skipped, last - begin + skipped, nth))
            at_row += 1
    return spans
