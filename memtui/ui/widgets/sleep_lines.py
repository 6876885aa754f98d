"""What a sleep plan says, as text: entries with a before, an after and a reason, wrapped into runs. No widget here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from typing import Final, TypeAlias

from rich.cells import cell_len, chop_cells

from memtui.memory.frame import Frame
from memtui.memory.model import Memory
from memtui.memory.moments import hours_between
from memtui.memory.sleep.plan import Action, Plan, PlanItem
from memtui.ui.time_words import age_words, day_words
from memtui.ui.widgets.row_text import plain_line, row_text

Run: TypeAlias = tuple[str, str]
"""A text and the name of its style (`sleep-list--` and this name is the component class)."""

_BEFORE_MOST: Final = 4
_AFTER_LINES: Final = 5
_NOTE_LINES: Final = 3
_TICK: Final = 4


class Column(StrEnum):
    """The four chapters of the story."""

    MERGED = "merged"
    RETIRED = "retired"
    FADED = "faded"
    UNTOUCHED = "untouched"


COLUMNS: Final = tuple(Column)
_ACTIONS: Final = {
    Column.MERGED: (Action.MERGE, Action.DUPLICATE),
    Column.RETIRED: (Action.SUPERSEDE,),
    Column.FADED: (Action.PRUNE,),
    Column.UNTOUCHED: (),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of a column.

    Attributes:
        key: the plan item's, by which it can be unticked; None for what is only told.
        head: what happens, in a few words.
        before: the texts that leave, oldest first.
        after: the text that stays in their place, or "".
        notes: why, and what is worth knowing.
    """

    key: str | None
    head: str
    before: tuple[str, ...] = ()
    after: str = ""
    notes: tuple[str, ...] = ()


def items_of(plan: Plan, column: Column) -> list[PlanItem]:
    """The plan's items that belong to a column, in the plan's order."""
    return [item for item in plan.items if item.action in _ACTIONS[column]]


class Teller:
    """Makes entries of a plan's items, from the frame it was made on."""

    def __init__(self, plan: Plan, frame: Frame, tz: tzinfo) -> None:
        self._plan = plan
        self._frame = frame
        self._tz = tz
        self._tell: dict[Action, Callable[[PlanItem], Entry]] = {
            Action.MERGE: self._merge,
            Action.DUPLICATE: self._duplicate,
            Action.SUPERSEDE: self._supersede,
            Action.PRUNE: self._prune,
        }

    def entry(self, item: PlanItem) -> Entry:
        """What an item does, before and after."""
        return self._tell[item.action](item)

    def untouched(self, waiting: int = 0) -> list[Entry]:
        """What stays, what the pass was not sure of, and how many conflicts wait from before."""
        entries = [Entry(None, "All else stays as it is")]
        if waiting:
            entries.append(Entry(None, f"To settle from before: {waiting}", notes=("both stay until you say which holds",)))
        known = [
            (pair, verdict) for pair, verdict in self._plan.unsure if pair.older in self._frame and pair.newer in self._frame
        ]
        if known:
            entries.append(Entry(None, f"Not sure: {len(known)}", notes=("both stay, for you to judge",)))
        for pair, verdict in known:
            entries.append(
                Entry(
                    None,
                    f"{self._handle(pair.older)} or {self._handle(pair.newer)}?",
                    before=(self._told(pair.older),),
                    after=self._told(pair.newer),
                    notes=(_quoted(verdict.reason), f"sure {_share(verdict.confidence)}"),
                )
            )
        if self._plan.unasked:
            pairs = counted(len(self._plan.unasked), "pair waits", "pairs wait")
            entries.append(Entry(None, f"{pairs} for the next pass", notes=("no calls left in this one",)))
        return entries

    def _merge(self, item: PlanItem) -> Entry:
        return Entry(
            item.key,
            f"{len(item.retires)} become 1",
            before=tuple(self._told(memory_id) for memory_id in item.retires),
            after=item.text or "",
            notes=(item.reason,),
        )

    def _duplicate(self, item: PlanItem) -> Entry:
        return Entry(
            item.key,
            f"{len(item.retires) + 1} are the same",
            before=tuple(self._told(memory_id) for memory_id in item.retires),
            after=self._told(item.by) if item.by else "",
            notes=(item.reason,),
        )

    def _supersede(self, item: PlanItem) -> Entry:
        by = item.by or ""
        return Entry(
            item.key,
            f"{self._handle(item.retires[0])} gives way to {self._handle(by)}" if by else self._handle(item.retires[0]),
            before=tuple(self._told(memory_id) for memory_id in item.retires),
            after=self._told(by) if by else "",
            notes=(_quoted(item.reason), f"sure {_share(item.confidence)}"),
        )

    def _prune(self, item: PlanItem) -> Entry:
        memory = self._memory(item.retires[0])
        age = age_words(hours_between(memory.last_recall, self._plan.at))
        used = f"last used {age} ago" if memory.recalls else f"unused {age}"
        return Entry(
            item.key, f"{self._handle(memory.id)} {self._text(memory.id)}", notes=(f"{_share(item.salience)} left · {used}",)
        )

    def _memory(self, memory_id: str) -> Memory:
        return self._frame.memories[self._frame.row(memory_id)]

    def _text(self, memory_id: str) -> str:
        return self._frame.texts[self._frame.row(memory_id)]

    def _handle(self, memory_id: str) -> str:
        return f"m{self._frame.row(memory_id) + 1:02d}" if memory_id in self._frame else "?"

    def _told(self, memory_id: str) -> str:
        if memory_id not in self._frame:
            return "?"
        return f"{day_words(self._memory(memory_id).created_at, self._tz)}: {self._text(memory_id)}"


def summary(plan: Plan) -> str:
    """The plan in one sentence: how many memories there are, and what becomes of them."""
    gone = sum(len(item.retires) for item in plan.items)
    stay = max(plan.active_before - gone, 0)
    merges = [item for item in plan.items if item.action is Action.MERGE]
    same, retired, faded = (plan.count(action) for action in (Action.DUPLICATE, Action.SUPERSEDE, Action.PRUNE))
    parts: list[str] = []
    if merges:
        parts.append(f"{sum(len(item.retires) for item in merges):,} become {len(merges):,}")
    if same:
        parts.append(f"{same:,} {'was' if same == 1 else 'were'} said again")
    if retired:
        parts.append(f"{retired:,} {'gives' if retired == 1 else 'give'} way to newer facts")
    if faded:
        parts.append(f"{faded:,} {'fades' if faded == 1 else 'fade'}")
    total = counted(plan.active_before, "memory", "memories")
    if not parts:
        return f"{total}: nothing changes."
    return f"{total}: {', '.join(parts)}; {stay:,} {'stays' if stay == 1 else 'stay'} untouched."


def costs(calls: int, tokens: int | None, seconds: float | None) -> str:
    """What the pass cost: `12 calls · 3,410 tokens · 4.2 s`; what is not known is left out."""
    parts = [counted(calls, "call", "calls") if calls else "no calls to the mind"]
    if tokens is not None:
        parts.append(counted(tokens, "token", "tokens"))
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    return " · ".join(parts)


def counted(count: int, one: str, many: str) -> str:
    """`1 memory`, `1,200 memories`."""
    return f"{count:,} {one if count == 1 else many}"


def compact_lines(entry: Entry, width: int, tick: str) -> list[list[Run]]:
    """An entry as exactly two lines: the head, and its first note."""
    room = max(width - _TICK, 0)
    note = entry.notes[0] if entry.notes else ""
    return [
        [(tick.ljust(_TICK)[:width], "tick"), (row_text(entry.head, room), "before")],
        [(" " * min(_TICK, width), "note"), (row_text(note, room), "note")],
    ]


def entry_lines(entry: Entry, width: int, tick: str) -> list[list[Run]]:
    """An entry wrapped to `width` cells, with a blank line after it.

    Args:
        tick: `[x]`, `[ ]`, or what stands in its place; "" for an entry that is only told.
    """
    indent = _TICK if tick else 0
    room = max(width - indent, 1)
    lines = [[(text, "head")] for text in wrap_cells(entry.head, room, 2)]
    shown = entry.before if len(entry.before) <= _BEFORE_MOST else entry.before[: _BEFORE_MOST - 1]
    for text in shown:
        lines += _signed("−", wrap_cells(text, room - 2, 2 if len(entry.before) > 1 else _AFTER_LINES), "before")
    if len(shown) < len(entry.before):
        lines += _signed("−", wrap_cells(f"and {len(entry.before) - len(shown):,} more", room - 2, 1), "before")
    if entry.after:
        lines += _signed("→", wrap_cells(entry.after, room - 2, _AFTER_LINES), "after")
    for note in entry.notes:
        lines += [[(text, "note")] for text in wrap_cells(note, room, _NOTE_LINES)]
    out: list[list[Run]] = []
    for place, line in enumerate(lines):
        lead = (tick if place == 0 else "").ljust(indent)
        out.append([(lead, "tick"), *line] if indent else line)
    return [*out, []]


def _signed(sign: str, texts: Sequence[str], style: str) -> list[list[Run]]:
    return [[(f"{sign if place == 0 else ' '} ", "sign"), (text, style)] for place, text in enumerate(texts)]


def wrap_cells(text: str, cells: int, most: int) -> list[str]:
    """`text` on at most `most` lines of at most `cells` terminal cells, the last one cut with `…` if there is more."""
    if cells <= 0:
        return []
    lines: list[str] = []
    line = ""
    for word in plain_line(text).split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= cells:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = chop_cells(word, cells) if cell_len(word) > cells else [word]
        lines += full
        if len(lines) > most:
            break
    if line:
        lines.append(line)
    if len(lines) > most:
        return [*lines[: most - 1], row_text(" ".join(lines[most - 1 :]), cells).rstrip()]
    return lines


def _quoted(reason: str) -> str:
    flat = plain_line(reason)
    return f"“{flat}”" if flat else ""


def _share(value: float) -> str:
    if 0 < value < 0.005:
        return "<.01"
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"
