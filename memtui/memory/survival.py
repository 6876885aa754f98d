"""How long memories live: the share that is still there by age.

The product-limit estimator of Kaplan and Meier, "Nonparametric Estimation from Incomplete Observations", Journal of the
American Statistical Association 53 (1958), 457-481, doi:10.2307/2281868:

    S(t) = product over the ages t_i <= t at which somebody died of (1 - d_i / n_i)

`d_i` memories died at the age t_i, and `n_i` were at risk there: they had come to that age. A memory that is alive is
censored at its present age: it is known to have lived so long, and nothing else is assumed of it. At equal ages deaths come
before censorings, as in the paper.

At the far end few are left to learn from, and the death of the oldest one of all would take any curve to nothing. So a curve
is read only up to the age that three memories (all, where there are fewer) could have come to by now; for the practice see
Pocock, Clayton and Altman, "Survival plots of time-to-event outcomes in clinical trials", Lancet 359 (2002), 1686-1689.
Pure: no clock is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from memtui.memory.events import Event
from memtui.memory.frame import Bools, Floats, Ints
from memtui.memory.model import Kind, Memory
from memtui.memory.moments import hours_between

DAY_H: Final = 24.0
TOLD_DAYS: Final = (1, 7, 30, 90)
"""Ages, in days, at which tables say what is still there."""
_LEAST: Final = 3
"""Memories that must have had the time to come to an age for the curve to be read there."""


@dataclass(frozen=True, slots=True)
class Life:
    """One memory's time in memory.

    Attributes:
        hours: from the moment it came to be until it was retired, or until now.
        died: whether it was retired; else it is censored.
        could: hours from the moment it came to be until now: how long it could have lived.
    """

    kind: Kind
    hours: float
    died: bool
    could: float


@dataclass(frozen=True, slots=True, eq=False)
class Survival:
    """A Kaplan-Meier curve.

    Attributes:
        ages: float64 (k,) hours, ascending: the ages at which memories died.
        share: float64 (k,) what is still there from each of these ages on; 1 before the first.
        at_risk: int64 (k,) how many had come to each of these ages.
        deaths: int64 (k,) how many died there.
        count, died: memories, and those of them that died.
        known: hours; the age up to which the curve is read. 0 where there is nobody.
    """

    ages: Floats
    share: Floats
    at_risk: Ints
    deaths: Ints
    count: int
    died: int
    known: float

    def at(self, hours: float) -> float | None:
        """The share still there at an age in hours; None beyond what is known."""
        if not self.count or hours > self.known:
            return None
        passed = int(np.searchsorted(self.ages, hours, side="right"))
        return float(self.share[passed - 1]) if passed else 1.0

    @property
    def median(self) -> float | None:
        """The age in hours at which at most half are still there; None while more than half are, as far as is known."""
        below = np.flatnonzero((self.share <= 0.5 + 1e-12) & (self.ages <= self.known))
        return float(self.ages[below[0]]) if below.size else None


def kaplan_meier(
    hours: Sequence[float] | Floats, died: Sequence[bool] | Bools, could: Sequence[float] | Floats | None = None
) -> Survival:
    """The curve of lives of these lengths, those that ended (`died`) and those that go on.

    Args:
        hours: (n,) how long each was seen to live, at least 0.
        died: (n,) whether it ended then.
        could: (n,) how long each could have lived by now; what was seen by default.

    Raises:
        ValueError: they have other lengths, or a length is negative or no number.
    """
    lengths, ended = np.asarray(hours, np.float64), np.asarray(died, np.bool_)
    reach = lengths if could is None else np.asarray(could, np.float64)
    if not lengths.shape == ended.shape == reach.shape or lengths.ndim != 1:
        raise ValueError(f"{lengths.shape} lengths, {ended.shape} ends and {reach.shape} possible lengths")
    if not np.all(lengths >= 0) or not np.all(np.isfinite(lengths)):
        raise ValueError("a length of life that is negative or no number")
    ages, deaths = np.unique(lengths[ended], return_counts=True)
    at_risk = lengths.size - np.searchsorted(np.sort(lengths), ages, side="left")
    share: Floats = np.asarray(np.cumprod(1.0 - deaths / np.maximum(at_risk, 1)), np.float64)
    return Survival(
        ages=ages,
        share=share,
        at_risk=at_risk.astype(np.int64),
        deaths=deaths.astype(np.int64),
        count=int(lengths.size),
        died=int(ended.sum()),
        known=float(np.sort(reach)[-min(_LEAST, reach.size)]) if reach.size else 0.0,
    )


def lives_of(memories: Iterable[Memory], history: Mapping[str, Sequence[Event]], now: datetime) -> list[Life]:
    """The lives of memories as they are at `now` (aware).

    A life begins when memory took the memory in, by its first event: what a sleep pass merges, or what is imported, has the
    date of its source and was not in memory before. A memory that was restored is alive.

    Args:
        history: the events of each memory, in order (`State.history`).
    """
    out: list[Life] = []
    for memory in memories:
        told = history.get(memory.id, ())
        born = told[0].at if told else memory.created_at
        end = now if memory.active or memory.retired_at is None else memory.retired_at
        out.append(Life(memory.kind, hours_between(born, end), not memory.active, hours_between(born, now)))
    return out


def survival_of(lives: Iterable[Life]) -> Survival:
    """The curve of these lives."""
    some = list(lives)
    return kaplan_meier([life.hours for life in some], [life.died for life in some], [life.could for life in some])


def survival_by_kind(lives: Sequence[Life]) -> dict[Kind, Survival]:
    """A curve for each kind there is, in the order of the kinds."""
    return {kind: survival_of(mine) for kind in Kind if (mine := [life for life in lives if life.kind is kind])}
