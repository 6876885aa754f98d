"""The memories behind a reply, one row each with the parts of their rank, or all in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from memtui.ui.widgets.message_lines import Line, hit
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.message_text import aligned, counted, cropped

if TYPE_CHECKING:
    from memtui.memory.frame import Frame
    from memtui.memory.recall import Recollection

INDENT: Final = 2
_NAMED_FROM: Final = 56
"""Cells from which the three numbers carry their names."""
_LONGEST_TEXT: Final = 60


@dataclass(frozen=True, slots=True)
class RecallLine:
    """One memory that went into a prompt.

    Attributes:
        memory: its id.
        handle: what people call it, such as `m31`.
        text: what it says.
        words: BM25 relative to the best candidate, 0..1.
        meaning: cosine, -1..1.
        kept: what the law says is left of it.
        passed: whether it is relevant; False for what only filled the room that was left.
    """

    memory: str
    handle: str
    text: str
    words: float
    meaning: float
    kept: float
    passed: bool = True


def recall_lines(recollection: Recollection, frame: Frame) -> tuple[RecallLine, ...]:
    """The rows of a recollection, best first, with texts and handles from the frame."""
    return tuple(
        RecallLine(
            memory=item.memory,
            handle=f"m{item.row + 1:02d}",
            text=frame.texts[item.row],
            words=item.words,
            meaning=item.meaning,
            kept=item.retention,
            passed=item.passed,
        )
        for item in recollection.items
    )


def short_number(value: float) -> str:
    """A share in three characters: `.12`, `1.0`, `-.1`."""
    if abs(value) >= 0.995:
        return f"{value:.1f}"
    text = f"{value:.2f}" if value >= 0 else f"{value:.1f}"
    return text.replace("0.", ".", 1)


def drawn_rows(memories: Sequence[RecallLine], width: int, palette: Palette) -> list[Line]:
    """One row a memory, in columns: handle, text, then the numbers at the right edge of the longest text."""
    named = width >= _NAMED_FROM
    labels = ("words ", "meaning ", "kept ") if named else ("", "", "")
    space = "  " if named else " "
    handles = max((cell_len(m.handle) for m in memories), default=0)
    numbers = sum(len(label) + 3 for label in labels) + 2 * len(space)
    room = width - INDENT - handles - 1 - 2 - numbers
    texts = [cropped(aligned(m.text), min(room, _LONGEST_TEXT)) for m in memories]
    longest = max(map(cell_len, texts), default=0)
    return [_row(m, text, longest, handles, labels, space, palette) for m, text in zip(memories, texts, strict=True)]


def _row(
    memory: RecallLine, text: str, longest: int, handles: int, labels: tuple[str, str, str], space: str, palette: Palette
) -> Line:
    def target(style: Style) -> Style:
        return hit(style, "memory", memory.memory)

    name = "recall" if memory.passed else "recall-extra"
    number = palette["recall-number"] if memory.passed else palette["recall-extra"]
    parts = (memory.words, memory.meaning, memory.kept)
    figures = space.join(f"{label}{short_number(value):>3}" for label, value in zip(labels, parts, strict=True))
    handle = palette["recall-handle"] if memory.passed else palette["recall-extra"]
    segments = [Segment(" " * INDENT, palette.base), Segment(f"{memory.handle:<{handles}} ", target(handle))]
    if longest > 0:
        segments.append(Segment(text + " " * (longest - cell_len(text) + 2), target(palette[name])))
    segments.append(Segment(figures, target(number)))
    return Line(segments, skip=INDENT)


def drawn_fold(memories: Sequence[RecallLine], width: int, palette: Palette, style: Callable[[Style], Style]) -> Line:
    """All memories in one line: how many, then their handles and first words."""
    head = f"{counted(len(memories), 'memory')}  "
    rest = ", ".join(f"{m.handle} {aligned(m.text)}" for m in memories[:12])
    mark, fold = " " * INDENT + "▸ ", style(palette["fold"])
    return Line([Segment(mark, fold), Segment(cropped(head + rest, width - len(mark)), fold)], skip=len(mark))
