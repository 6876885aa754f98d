"""What a what-if comes to, in words."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, tzinfo
from typing import Final

import numpy as np

from memtui.memory.branch import Branch, Difference
from memtui.memory.branch_side import Side
from memtui.memory.laws import Law
from memtui.memory.moments import NEVER_US, from_us, to_us
from memtui.ui.time_words import date_words
from memtui.ui.widgets.sparkline import sparkline

AS_IT_IS: Final = "As it is"
WHAT_IF: Final = "What if"


def side_words(name: str, side: Side) -> str:
    """A side's heading."""
    retired = len(side.state.memories) - side.active
    return f"{name} · {side.law.name}{_room(side.law)} · {side.active:,} active · {retired:,} retired"


def _room(law: Law) -> str:
    return f", room for {law.capacity:,}" if law.capacity is not None else ""


def difference_words(branch: Branch, apart: Difference) -> str:
    """How the two sides differ, in one sentence."""
    if not apart.only_trunk and not apart.only_branch:
        same = f"The same {apart.both:,} memories on both sides."
        return same + missed_words(branch)
    gone = Counter(_reason(branch.side, memory) for memory in apart.only_trunk)
    kept = Counter(_reason(branch.trunk, memory) for memory in apart.only_branch)
    said = f"Both {apart.both:,} · only as it is {len(apart.only_trunk):,}{_counted(gone)}"
    return f"{said} · only what if {len(apart.only_branch):,}{_counted(kept)}" + missed_words(branch)


def missed_words(branch: Branch) -> str:
    """Recalls that would have found nothing, and what had to be told again."""
    out = ""
    if branch.missed:
        many = len({(missed.at, missed.turn) for missed in branch.missed})
        out += f" · {many:,} {'turn misses' if many == 1 else 'turns miss'} something"
    if branch.told_anew:
        out += f" · {len(branch.told_anew):,} told anew"
    return out


def _counted(reasons: Counter[str]) -> str:
    return f" ({', '.join(f'{count:,} {reason}' for reason, count in reasons.most_common())})" if reasons else ""


def _reason(side: Side, memory: str) -> str:
    known = side.state.memories.get(memory)
    return "never there" if known is None else str(known.retired_reason) if not known.active else "active"


def fate_words(side: Side, memory: str, now: datetime, tz: tzinfo) -> str:
    """What is of a memory on one side at `now`."""
    known = side.state.memories.get(memory)
    if known is None:
        return "never there"
    if not known.active:
        when = f" {date_words(known.retired_at, tz)}" if known.retired_at is not None else ""
        note = side.text(known.retire_note) if known.retire_note is not None else ""
        return f"{known.retired_reason}{when}" + (f" ({note})" if note else "")
    if known.pinned:
        return "active, pinned"
    dies = int(side.law.dies_at(side.frame)[side.frame.row(memory)])
    if dies >= NEVER_US:
        return "active, stays"
    if dies <= to_us(now):
        return "active, due to go in the next sleep pass"
    return f"active until {date_words(from_us(dies), tz)}"


def curves(branch: Branch, cells: int) -> tuple[str, str]:
    """How many memories were active over the whole time, in the trunk and in the branch: blocks of one scale."""
    trunk = np.array([count.trunk for count in branch.counts], np.float64)
    other = np.array([count.branch for count in branch.counts], np.float64)
    top = max(1.0, float(trunk.max(initial=0.0)), float(other.max(initial=0.0)))
    return sparkline(trunk, cells, top), sparkline(other, cells, top)
