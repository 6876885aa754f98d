"""The forecast of an open memory, now or as of a moment: who fades when, and what is left to remember by.

Tokens are what the lines of all active memories would cost together in a prompt: what never forgetting would cost. Recall
gives a prompt far less than that (`recall.budget_tokens` at most).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memtui.chat.commands import parse_duration
from memtui.chat.recalling import LINE_COST
from memtui.errors import InputError
from memtui.memory.forecast import WEEK_US, Outlook, outlook
from memtui.memory.frame import Frame, Ints
from memtui.memory.moments import HOUR_US, from_us, to_iso, to_us
from memtui.memory.texts import one_line
from memtui.minds.tokens import ENCODING, count_tokens

if TYPE_CHECKING:
    from memtui.chat.looking_back import Sight
    from memtui.memory.laws import Law

HORIZONS: Final = (1, 7, 30, 90, 365)
"""Days one can look ahead by a key."""
USUAL_DAYS: Final = 30
_MOST_DAYS: Final = 366 * 5
_CURVE_STEPS: Final = 60


@dataclass(frozen=True, eq=False)
class Ahead:
    """A forecast with the memories it is about.

    Attributes:
        frame: the memories, as they stood.
        law: the law's name.
        outlook: who goes when.
        costs: int64 (n,), tokens of each row's line in a prompt; 0 for what is not active.
    """

    frame: Frame
    law: str
    outlook: Outlook
    costs: Ints

    def until_us(self, days: float) -> int:
        """The end of a horizon of so many days, microseconds UTC."""
        return self.outlook.now_us + round(days * 24 * HOUR_US)

    def tokens_at(self, moments_us: Ints) -> Ints:
        """Tokens of all that is active at each moment: int64 (n,)."""
        return self.outlook.weight_at(moments_us, self.costs)


@dataclass(frozen=True, eq=False)
class Asked:
    """What a forecast needs to know, taken from memory at once, so that the work can be done in a thread."""

    frame: Frame
    law: Law
    now_us: int
    grace_hours: float

    def answer(self) -> Ahead:
        """The forecast. Counting tokens takes a moment for texts never counted before: 10,000 of them about a third of a
        second.
        """
        ahead = outlook(self.frame, self.law, self.now_us, grace_hours=self.grace_hours)
        costs = np.zeros(len(self.frame), np.int64)
        for row in ahead.held.tolist():
            costs[row] = count_tokens(self.frame.texts[row]) + LINE_COST
        return Ahead(self.frame, self.law.name, ahead, costs)


def asked_of(sight: Sight, grace_hours: float) -> Asked:
    """The question for a forecast of memory as it is looked at. Cheap: it copies columns, no vectors."""
    return Asked(sight.frame.still(), sight.law, to_us(sight.moment), grace_hours)


def read_days(text: str) -> float:
    """A horizon as people write it, in days: `30`, `12h`, `2w`, `90d`.

    Raises:
        InputError: it is none, or longer than five years.
    """
    words = text.strip()
    if words.replace(".", "", 1).isascii() and words.replace(".", "", 1).isdigit():
        days = float(words)
        if 0 < days <= _MOST_DAYS:
            return days
        raise InputError(f"'{one_line(words, 20)}' days is no horizon.", todo="Give days above 0, at most five years.")
    return parse_duration(words) / timedelta(days=1)


def week_words(ahead: Outlook) -> str:
    """Such as `12 memories fade this week`: within seven days from now, those included that are due already."""
    count = ahead.gone_by(ahead.now_us + WEEK_US)
    if not count:
        return "No memory fades this week"
    return f"{count:,} {'memory fades' if count == 1 else 'memories fade'} this week"


def forecast_record(ahead: Ahead, days: float) -> dict[str, Any]:
    """A forecast as the JSON record other programs rely on."""
    found, until = ahead.outlook, ahead.until_us(days)
    moments = found.moments(until, _CURVE_STEPS)
    curve = zip(moments.tolist(), found.active_at(moments).tolist(), ahead.tokens_at(moments).tolist(), strict=True)
    count = found.gone_by(until)
    return {
        "now": to_iso(from_us(found.now_us)),
        "until": to_iso(from_us(until)),
        "days": days,
        "law": ahead.law,
        "active": found.active,
        "tokens": int(ahead.costs.sum()),
        "encoding": ENCODING,
        "due": found.due,
        "this_week": found.gone_by(found.now_us + WEEK_US),
        "fades": [
            {
                "id": ahead.frame.ids[row],
                "handle": f"m{row + 1:02d}",
                "at": to_iso(from_us(at_us)),
                "hours_left": round(max(at_us - found.now_us, 0) / HOUR_US, 6),
                "content": ahead.frame.texts[row],
            }
            for row, at_us in zip(found.rows[:count].tolist(), found.at_us[:count].tolist(), strict=True)
        ],
        "curve": [{"at": to_iso(from_us(at)), "active": active, "tokens": tokens} for at, active, tokens in curve],
    }
