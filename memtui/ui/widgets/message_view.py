"""One message as the transcript lays it out: parts from top to bottom, drawn only where they are looked at.

A part is a header, a fold, a piece of text … Its height is estimated until it has been drawn once at the present width. The
text is raw and whole; parts show it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from rich.segment import Segment

from memtui.ui.widgets import message_rows as rows
from memtui.ui.widgets.message_blocks import BlockSplitter, Piece, split_blocks
from memtui.ui.widgets.message_lines import LEAST_WIDTH, Line, draw, verbatim_lines
from memtui.ui.widgets.message_model import MessageData
from memtui.ui.widgets.message_rows import Scene
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.message_text import CLIP_CHARS, CLIP_LINES, Clip, clip, displayable, estimate_rows

_NOTICE_LINES: Final = 60
_NOTICE_CHARS: Final = 4_000
PartName = Literal["header", "thought", "thinking", "text", "more", "error", "notice", "memories", "end"]


@dataclass(slots=True, eq=False)
class Part:
    """Some rows of a message.

    Attributes:
        piece: the text, for parts that have one.
        gap: blank rows before it.
        rows: height without the gap, an estimate unless `exact`.
        lines: what was drawn, while it is kept.
    """

    name: PartName
    piece: Piece | None = None
    gap: int = 0
    rows: int = 1
    exact: bool = True
    lines: list[Line] | None = None

    @property
    def height(self) -> int:
        """Rows with the gap."""
        return self.gap + self.rows


class MessageView:
    """A message and its parts.

    Attributes:
        serial: number of the message, growing from the top of the transcript; never reused.
        height: rows of all parts, exact where they have been drawn.
        clipped: what of a huge text is shown.

    Args:
        keep: told of each part whose drawn rows were used.
    """

    def __init__(self, serial: int, data: MessageData, width: int, keep: Callable[[Part], None] = lambda _: None) -> None:
        self.serial = serial
        self.data = data
        self._keep = keep
        self.width = max(width, LEAST_WIDTH)
        self.clipped = Clip(0)
        self._parts: list[Part] = []
        self._tops: list[int] = []
        self._body: list[Part] = []
        self._asides: dict[PartName, list[Part]] = {}
        self._splitter: BlockSplitter | None = None
        self._fed = 0
        self._fed_lines = 0
        self.height = self._estimate()

    # -- laying out --------------------------------------------------------------------------------------------------

    @property
    def built(self) -> bool:
        """Whether the parts are known; before, `height` is a guess of the whole."""
        return bool(self._parts)

    def parts(self) -> list[Part]:
        """All parts from top to bottom."""
        if not self._parts:
            self.build()
        return self._parts

    def build(self) -> None:
        """Cut the text into parts; nothing is drawn yet."""
        data = self.data
        if data.state == "writing":
            self._restart()
        elif self._splitter is None:
            self.clipped = self._clip()
            text = _newlines(data.text[: self.clipped.end])
            if data.role == "notice":
                self._body = self._as_parts([Piece("verbatim", text)], None, "notice")
            else:
                self._body = self._as_parts(split_blocks(text, verbatim=data.role == "user"))
        self._assemble()

    def _assemble(self) -> None:
        data = self.data
        parts: list[Part] = []
        if data.role != "notice":
            parts.append(Part("header"))
        if data.thinking:
            parts.append(Part("thought"))
            if data.thinking_open:
                parts += self._aside("thinking", data.thinking)
        if self._body:
            self._body[0].gap = int(bool(data.thinking))
        parts += self._body
        if self.clipped.hidden:
            parts.append(Part("more", gap=0))
        if data.error:
            errors = self._aside("error", data.error)
            if errors:
                errors[0].gap = int(bool(self._body))
            parts += errors
        if data.memories and data.state != "writing":
            after_code = bool(self._body) and self._body[-1].piece is not None and self._body[-1].piece.kind == "code"
            parts.append(Part("memories", gap=int(after_code), rows=rows.memory_rows(data)))
        parts.append(Part("end"))
        self._parts = parts
        self._sum()

    def _aside(self, name: PartName, text: str) -> list[Part]:
        """The parts of a text beside the message's own: its thinking, its error."""
        pieces = split_blocks(_newlines(text[: clip(text).end]), verbatim=True)
        self._asides[name] = self._as_parts(pieces, self._asides.get(name, []), name)
        return self._asides[name]

    def _as_parts(self, pieces: list[Piece], before: list[Part] | None = None, name: PartName = "text") -> list[Part]:
        """A part for each piece; those of `before` whose pieces are as they were stay, with what was drawn."""
        kept = 0
        old = before or []
        while kept < min(len(old), len(pieces)) and old[kept].piece == pieces[kept]:
            kept += 1
        fresh = [
            Part(name, piece, int(not piece.joined and number > 0), self._guess(piece), exact=False)
            for number, piece in enumerate(pieces[kept:], kept)
        ]
        return old[:kept] + fresh

    def _guess(self, piece: Piece) -> int:
        return estimate_rows(piece.source, self.width) + (piece.kind == "code" and not piece.joined)

    def _estimate(self) -> int:
        data = self.data
        shown = data.text[: self._clip().end]
        return estimate_rows(shown, self.width) + rows.memory_rows(data) + (1 if data.role == "notice" else 2)

    def _clip(self) -> Clip:
        """What of the text is to be shown; notices are to stay quiet, however long an error is."""
        data = self.data
        if data.opened:
            return Clip(len(data.text))
        return clip(data.text, _NOTICE_LINES, _NOTICE_CHARS) if data.role == "notice" else clip(data.text)

    def _sum(self) -> None:
        self._tops = list(accumulate((part.height for part in self._parts), initial=0))
        self.height = self._tops[-1]

    def refold(self) -> None:
        """What is folded has changed, or the message's state: lay the parts out anew and keep what was drawn."""
        if self.built:
            self._assemble()
        else:
            self.height = self._estimate()

    def rewidth(self, width: int) -> None:
        """Lay out at another width; all heights are estimates again."""
        self.width = max(width, LEAST_WIDTH)
        if not self.built:
            self.height = self._estimate()
            return
        for part in self._parts:
            if part.piece is not None:
                part.rows, part.exact, part.lines = self._guess(part.piece), False, None
        self._sum()

    def restyle(self) -> None:
        """Forget what was drawn; heights stay."""
        for part in self._parts:
            part.lines = None

    def open_all(self) -> None:
        """Show the whole text."""
        self.data.opened = True
        self._splitter = None
        self.build()

    # -- the stream --------------------------------------------------------------------------------------------------

    def _restart(self) -> None:
        self._splitter = BlockSplitter()
        self._fed = self._fed_lines = 0
        self._body = []
        self._feed()

    def _feed(self) -> None:
        assert self._splitter is not None
        data = self.data
        new = data.text[self._fed :]
        if not data.opened and (self._fed + len(new) > CLIP_CHARS or self._fed_lines + new.count("\n") > CLIP_LINES):
            self.clipped = self._clip()
            new = data.text[self._fed : max(self._fed, self.clipped.end)]
        self._fed += len(new)
        self._fed_lines += new.count("\n")
        self._splitter.feed(_newlines(new))
        done, growing = self._splitter.done, self._splitter.open
        self._body = self._as_parts([*done, growing] if growing is not None else done, self._body)

    def flush(self) -> int:
        """Show what the stream has brought since the last time; the row of the message from which rows are new."""
        before = self._parts
        if self._splitter is None:
            self.build()
            return 0
        if self._fed < len(self.data.text):
            self._feed()
        self._assemble()
        same = 0
        while same < min(len(before), len(self._parts)) and (
            before[same] is self._parts[same] or (before[same].piece is None and before[same].name == self._parts[same].name)
        ):
            same += 1
        return self._tops[same]

    def finish(self) -> None:
        """The text is final."""
        splitter, self._splitter = self._splitter, None
        if splitter is not None and self._fed == len(self.data.text) and not self.clipped.hidden:
            splitter.finish()
            self._body = self._as_parts(splitter.done, self._body)
            self.clipped = Clip(self._fed)
            self._assemble()
        else:
            self.build()

    def rewrite(self) -> None:
        """The text is final and is not what was streamed."""
        self._splitter = None
        self.build()

    # -- drawing -----------------------------------------------------------------------------------------------------

    def measure(self, start: int, stop: int, palette: Palette, scene: Scene) -> int:
        """Draw the parts that rows `start` to `stop` touch, so that their heights are exact.

        Returns:
            By how many rows the parts that begin above `start` grew (or shrank, below 0).
        """
        parts = self.parts()
        grown = 0
        number = self._number_at(start)
        y = self._tops[number]
        while number < len(parts) and y < stop:
            part = parts[number]
            if not part.exact:
                before = part.rows
                self.draw(part, palette, scene)
                change = part.rows - before
                if y < start:
                    start, stop, grown = start + change, stop + change, grown + change
            y += part.height
            number += 1
        return grown

    def draw(self, part: Part, palette: Palette, scene: Scene) -> list[Line]:
        """The part's rows, without its gap; kept for parts with a text."""
        if part.piece is None:
            return self._draw_rows(part, palette, scene)
        if part.lines is None:
            part.lines = self._draw_piece(part, part.piece, palette)
            part.exact = True
            if part.rows != len(part.lines):
                part.rows = len(part.lines)
                self._sum()
        self._keep(part)
        return part.lines

    def _draw_piece(self, part: Part, piece: Piece, palette: Palette) -> list[Line]:
        if part.name == "text":
            return draw(piece, self.width, palette)
        lead = f"{rows.NOTICE_MARKS[self.data.kind]} " if part.name == "notice" else "│ " if part.name == "thinking" else ""
        tone = "error" if part.name == "error" or self.data.kind == "error" else part.name
        style = palette[tone]
        lines = verbatim_lines(displayable(piece.source), self.width - len(lead), palette, style)
        for number, line in enumerate(lines):
            if lead:
                mark = lead if number == 0 or part.name == "thinking" else " " * len(lead)
                line.segments.insert(0, Segment(mark, style))
                line.skip = len(lead)
        return lines or [Line([])]

    def _draw_rows(self, part: Part, palette: Palette, scene: Scene) -> list[Line]:
        data, width = self.data, self.width
        if part.name == "header":
            return [rows.header(data, width, palette, scene)]
        if part.name == "thought":
            return [rows.thought(data, width, palette, scene)]
        if part.name == "more":
            return [rows.more(self.clipped, width, palette)]
        if part.name == "memories":
            return rows.memories(data, width, palette)
        return [Line([])]

    def row(self, y: int) -> tuple[int, Part, int]:
        """Which part row `y` of the message is in, by number, and which row of it (the gap's rows are below 0)."""
        parts = self.parts()
        number = self._number_at(y)
        part = parts[number]
        return number, part, min(y - self._tops[number], part.height - 1) - part.gap

    def _number_at(self, y: int) -> int:
        return max(0, min(bisect_right(self._tops, y) - 1, len(self._parts) - 1))

    def top_of(self, number: int) -> int:
        """The row at which part `number` begins, its gap included."""
        self.parts()
        return self._tops[number]

    def text_parts(self) -> Iterator[tuple[int, Part]]:
        """The parts with the message's own text, by number."""
        return ((number, part) for number, part in enumerate(self.parts()) if part.name in ("text", "notice"))


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
