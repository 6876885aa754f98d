"""From the screen's selection to text: positions that survive scrolling, and what a selection says.

The screen knows a selection by (column, line). Lines move while a reply streams and while heights are still being found
out, so the transcript gives each row a number made of its message, part and row instead: it grows from top to bottom, and
it stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textual.geometry import Offset
from textual.selection import Selection

from memtui.ui.widgets.message_lines import ALL, Line
from memtui.ui.widgets.message_rows import NAMES, Scene, when
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.message_text import copyable
from memtui.ui.widgets.message_view import MessageView, Part
from memtui.ui.widgets.transcript_layout import TranscriptLayout

_BITS: Final = 20
_MASK: Final = (1 << _BITS) - 1
MARGIN: Final = 1
"""Columns left of a message's rows."""
BELOW_ALL: Final = 1 << (3 * _BITS)
"""The number of what is below the last message."""
_WIDE_GAP: Final = re.compile(r" {2,}")
_WORD: Final = re.compile(r"[\w'’-]+")


def row_number(serial: int, part: int, row: int) -> int:
    """A row's number; `row` counts the gap's rows."""
    return (serial << _BITS | min(part, _MASK)) << _BITS | min(row, _MASK)


def row_of(number: int) -> tuple[int, int, int]:
    """Message serial, part and row of a row's number."""
    return number >> 2 * _BITS, number >> _BITS & _MASK, number & _MASK


def selected_text(layout: TranscriptLayout, selection: Selection, palette: Palette, scene: Scene) -> str:
    """What the selection says: rows as they were written where a message is selected in part, else its whole text."""
    if not layout.views:
        return ""
    start = selection.start or Offset(0, 0)
    end = selection.end or Offset(0, BELOW_ALL)
    first = layout.index_of(row_of(start.y)[0])
    last = min(layout.index_of(row_of(end.y)[0]), len(layout.views) - 1)
    pieces: list[str] = []
    for index in range(first, last + 1):
        view = layout.views[index]
        number = row_number(view.serial, 0, 0)
        after = row_number(view.serial + 1, 0, 0)
        if start.y < number and end.y >= after:
            pieces.append(whole_message(view, scene))
        else:
            pieces.append(_part_of(view, start, end, palette, scene))
    return copyable("\n".join(pieces)).rstrip("\n")


def whole_message(view: MessageView, scene: Scene) -> str:
    """A message as text: who and when, then all that was said, as it was written."""
    data = view.data
    if data.role == "notice":
        return data.text + "\n"
    date = when(data, scene)
    return f"{NAMES[data.role]}{'  ' if date else ''}{date}\n{data.text}\n"


def _part_of(view: MessageView, start: Offset, end: Offset, palette: Palette, scene: Scene) -> str:
    text: list[str] = []
    for number, part, row, line in _rows(view, palette, scene):
        y = row_number(view.serial, number, row)
        if y < start.y or y > end.y:
            continue
        from_x = max(0, start.x - MARGIN) if y == start.y else 0
        to_x = max(0, end.x - MARGIN) if y == end.y else None
        if line is None:
            text.append("\n")
            continue
        if line.skip >= ALL:
            continue
        copied = line.copied(from_x, to_x)
        if part.name == "header":
            copied = _WIDE_GAP.sub("  ", copied)
        if line.soft is None:
            text.append(copied.rstrip() + ("\n" if y < end.y else ""))
        else:
            text.append(copied + (line.soft if y < end.y else ""))
    return "".join(text).removesuffix("\n")


def _rows(view: MessageView, palette: Palette, scene: Scene) -> Iterator[tuple[int, Part, int, Line | None]]:
    """Each row of a message: part number, part, row with the gap counted, line (None for a gap row)."""
    for number, part in enumerate(view.parts()):
        for row in range(part.gap):
            yield number, part, row, None
        for row, line in enumerate(view.draw(part, palette, scene), part.gap):
            yield number, part, row, line


def word_at(text: str, x: int) -> tuple[int, int]:
    """Where the word around character `x` of a row begins and ends; one character if there is no word."""
    for match in _WORD.finditer(text):
        if match.start() <= x < match.end():
            return match.start(), match.end()
    return x, x + 1
