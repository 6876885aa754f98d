"""The transcript's rows as strips: margin and marker, selection, matches, and what lies over the last row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from memtui.ui.widgets.message_lines import Line, hit
from memtui.ui.widgets.message_rows import Scene
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.message_text import cropped, displayable
from memtui.ui.widgets.transcript_copy import BELOW_ALL, MARGIN, row_number
from memtui.ui.widgets.transcript_layout import Spot
from memtui.ui.widgets.transcript_search import Search

MARKER: Final = "▎"
Span = tuple[int, int, Style]


def content_width(width: int) -> int:
    """Cells a message's rows have in a transcript of `width` cells."""
    return max(1, width - 2 * MARGIN)


def empty_row(width: int, palette: Palette) -> Strip:
    """A row below the last message."""
    return Strip([Segment(" " * width, palette.base)], width).apply_offsets(0, BELOW_ALL)


def painted_row(
    spot: Spot,
    width: int,
    palette: Palette,
    scene: Scene,
    *,
    marked: bool = False,
    selection: Selection | None = None,
    selection_style: Style | None = None,
    search: Search | None = None,
) -> Strip:
    """One row of a message, `width` cells wide."""
    y = row_number(spot.view.serial, spot.number, spot.row + spot.part.gap)
    if spot.row < 0:
        return _finished(Line([]), y, width, palette, marked)
    lines = spot.view.draw(spot.part, palette, scene)
    row = min(spot.row, len(lines) - 1)
    line = lines[row]
    span = selection.get_span(y) if selection is not None else None
    spans: list[Span] = []
    if search is not None:
        spans += _matches(search, spot, lines, row, palette)
    if span is not None and selection_style is not None:
        spans.append((span[0] - MARGIN, len(line.text) if span[1] < 0 else span[1] - MARGIN, selection_style))
    if not spans and not marked:
        if line.strip is None or line.strip.cell_length != width:
            line.strip = _finished(line, y, width, palette, marked)
        return line.strip
    return _finished(line, y, width, palette, marked, spans)


def _matches(search: Search, spot: Spot, lines: list[Line], row: int, palette: Palette) -> list[Span]:
    current = search.match
    here = current is not None and current.serial == spot.view.serial and current.number == spot.number
    found = search.spans(spot.part, lines)
    last = max((span.nth for span in found), default=0)
    return [
        (
            span.start,
            span.end,
            palette["match-current" if here and current is not None and span.nth == min(current.nth, last) else "match"],
        )
        for span in found
        if span.row == row
    ]


def _finished(line: Line, y: int, width: int, palette: Palette, marked: bool, spans: Sequence[Span] = ()) -> Strip:
    margin = Segment(MARKER if marked else " ", palette["marker"] if marked else palette.base)
    segments = line.segments
    for span in spans:
        segments = _restyled(segments, *span)
    inner = Strip(segments).adjust_cell_length(content_width(width), line.fill or palette.base)
    strip = Strip([margin, *inner, Segment(" " * MARGIN, palette.base)]).apply_style(palette.base)
    return strip.adjust_cell_length(width, palette.base).apply_offsets(0, y)


def _restyled(segments: Sequence[Segment], start: int, end: int, style: Style) -> list[Segment]:
    """The segments with `style` over the characters from `start` to `end`."""
    out: list[Segment] = []
    at = 0
    for segment in segments:
        text = segment.text
        first, last = max(0, start - at), min(len(text), end - at)
        at += len(text)
        if first >= last:
            out.append(segment)
            continue
        over = segment.style + style if segment.style is not None else style
        parts = ((text[:first], segment.style), (text[first:last], over), (text[last:], segment.style))
        out += [Segment(part, part_style) for part, part_style in parts if part]
    return out


def with_hint(strip: Strip, width: int, palette: Palette) -> Strip:
    """The row with `↓ new` over its right end: there is more below."""
    text = " ↓ new "
    if width < len(text) + 2:
        return strip
    at = width - len(text) - MARGIN
    label = Strip([Segment(text, hit(palette["hint"], "end"))], len(text))
    return Strip.join([strip.crop(0, at), label, strip.crop(at + len(text), width)])


def search_bar(search: Search, width: int, palette: Palette) -> Strip:
    """The row in which the search is typed."""
    style = palette["search"]
    if not search.query:
        state = ""
    elif search.matches:
        state = f"{search.current + 1:,} of {len(search.matches):,}"
    else:
        state = "not found"
    keys = "enter older  esc close"
    right = f"{state}  {keys}" if width > len(state) + len(keys) + 24 else state
    room = width - cell_len(right) - 10
    query = displayable(search.query).replace("\n", " ")
    while cell_len(query) > max(4, room):
        query = query[1:]
    left = [Segment(" find ", style + Style(bold=True)), Segment(query, style), Segment(" ", style + Style(reverse=True))]
    used = sum(segment.cell_length for segment in left)
    gap = max(0, width - used - cell_len(right) - 1)
    segments = [*left, Segment(" " * gap, style), Segment(cropped(right, max(0, width - used - 1)), style)]
    return Strip(segments).adjust_cell_length(width, style).apply_offsets(0, BELOW_ALL)
