"""The rows around a message's text: who said it and when, how the reply is going, what is folded away."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from memtui.ui.time_words import date_words
from memtui.ui.widgets.message_lines import ALL, Line, hit
from memtui.ui.widgets.message_model import MessageData, NoticeKind
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.message_text import Clip, aligned, counted, cropped
from memtui.ui.widgets.recall_lines import drawn_fold, drawn_rows

NAMES: Final = {"user": "You", "reply": "memtui", "notice": "memtui"}
NOTICE_MARKS: Final[dict[NoticeKind, str]] = {
    "info": "·",
    "sleep": "z",
    "warp": "»",
    "import": "+",
    "error": "!",
    "command": "/",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """What rows need to know beside their message.

    Attributes:
        zone: the time zone dates are shown in.
        year: of the newest message; dates of other years say theirs.
        now_s: the transcript's clock, seconds.
    """

    zone: tzinfo = UTC
    year: int = 0
    now_s: float = 0.0


def when(data: MessageData, scene: Scene) -> str:
    """The message's date, with its year if that is not the newest message's."""
    if data.at is None:
        return ""
    return date_words(data.at, scene.zone, year=data.at.astimezone(scene.zone).year != scene.year)


def header(data: MessageData, width: int, palette: Palette, scene: Scene) -> Line:
    """The name at the left; at the right when it was said, or how the reply is going and what it used."""
    name = NAMES[data.role]
    parts, style = _note(data, palette, scene)
    room = width - len(name) - 2
    while len(parts) > 1 and cell_len(" · ".join(parts)) > room:
        parts.pop(1 if data.role == "reply" else 0)
    note = cropped(" · ".join(parts), room)
    segments = [Segment(name, palette["you"] if data.role == "user" else palette["memtui"])]
    gap = width - len(name) - cell_len(note)
    if note and gap > 0:
        target = hit(style, "memories") if data.memories and data.state != "writing" else style
        segments += [Segment(" " * gap, palette.base), Segment(note, target)]
    return Line(segments)


def _note(data: MessageData, palette: Palette, scene: Scene) -> tuple[list[str], Style]:
    """What stands at the right: parts of which the least important goes first where there is no room."""
    if data.role == "user":
        masked = [f"{counted(data.masked, 'secret')} removed"] if data.masked else []
        return [*masked, when(data, scene)], palette["meta"]
    if data.state == "writing":
        doing = "writing" if data.first_s else "thinking" if data.thinking else "waiting"
        return [f"● {doing}  {max(0.0, scene.now_s - data.started_s):.1f} s"], palette["writing"]
    parts: list[str] = []
    if data.state == "interrupted":
        parts.append("interrupted")
    elif data.state == "failed":
        parts.append("no answer" if not data.text else "broken off")
    if data.memories or (data.recalled and data.tokens):
        parts.append(counted(len(data.memories), "memory") if data.memories else "no memories")
    if data.tokens:
        parts.append(aligned(data.tokens))
    return parts, palette["interrupted" if data.state in ("interrupted", "failed") else "meta"]


def thought(data: MessageData, width: int, palette: Palette, scene: Scene) -> Line:
    """The folded thinking: how long, and which way it folds."""
    seconds = data.thinking_s
    if data.state == "writing" and not data.first_s:
        text = f"thinking {max(0.0, scene.now_s - data.started_s):.0f} s"
    elif seconds > 0:
        text = f"thought for {max(1, round(seconds))} s"
    else:
        text = "thought"
    style = hit(palette["fold"], "thinking")
    return Line([Segment(cropped(text, width - 2), style), Segment(" ▾" if data.thinking_open else " ▸", style)])


def more(clipped: Clip, width: int, palette: Palette) -> Line:
    """What of a huge text is not shown, and how to see it."""
    noun = clipped.unit.removesuffix("s")
    text = f"… {clipped.hidden:,} more {noun}{'' if clipped.hidden == 1 else 's'}, o opens them all"
    if cell_len(text) > width:
        text = f"… {clipped.hidden:,} more, o opens"
    return Line([Segment(cropped(text, width), hit(palette["more"], "open"))], skip=ALL)


def memories(data: MessageData, width: int, palette: Palette) -> list[Line]:
    """The memories behind the reply, in rows or folded."""
    if data.shows_memories:
        return drawn_rows(data.memories, width, palette)
    return [drawn_fold(data.memories, width, palette, lambda style: hit(style, "memories"))]


def memory_rows(data: MessageData) -> int:
    """How many rows `memories` draws."""
    if not data.memories:
        return 0
    return len(data.memories) if data.shows_memories else 1
