"""What if: the same events under another law.

A branch is a second fold of a ledger, in memory alone. Turns, recalls and what the person did are taken as recorded, to the
same moment; every sleep pass is slept again, and every night, with the verdicts the ledger holds, so no mind is asked.
Where nothing speaks against it the branch does what the trunk did, so a branch under the trunk's own law is the trunk,
whatever the trunk's life was. Only where the two laws disagree about a memory, or where memory differs already, does the
branch go its own way:

- a recall of what the branch has lost is *missed*; of what it has merged into another, that one is recalled;
- what is told again and is gone in the branch is told anew;
- what lives on in the branch alone is weighed by its law, by the words it shares with others and by verdicts already made.

What only the branch kept would have been recalled too, but no such recall was recorded: the branch's law judges it unused.
Pure: nothing of the trunk is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TypeAlias

from memtui.memory.branch_side import Side
from memtui.memory.branch_sleep import Pass
from memtui.memory.events import (
    Absorbed,
    Body,
    Created,
    Edited,
    Event,
    Pinned,
    Recalled,
    Reinforced,
    Restored,
    Retired,
    Slept,
)
from memtui.memory.ids import make_id
from memtui.memory.laws import Law
from memtui.memory.model import Memory, RetireReason
from memtui.memory.sleep.candidates import SleepPolicy, newness
from memtui.memory.state import State

Nights: TypeAlias = Callable[[datetime, datetime], Sequence[datetime]]
"""The moments memory sleeps at in (since, until], in order."""
KeepGoing: TypeAlias = Callable[[float], bool]
"""Told the share (0..1) that is done; False ends the work."""
_TOLD_EVERY = 256
_STILL_THERE = (RetireReason.MERGED, RetireReason.DUPLICATE)


@dataclass(frozen=True, slots=True)
class Missed:
    """A recall of the trunk that finds nothing in the branch."""

    at: datetime
    memory: str
    turn: str


@dataclass(frozen=True, slots=True)
class Counted:
    """How many memories were active behind one operation, in the trunk and in the branch."""

    at: datetime
    trunk: int
    branch: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A second life of a memory.

    Attributes:
        side: its state, frame and events.
        trunk: the trunk's own state and frame at the same moment, folded anew.
        until: the moment both stand at.
        missed: recalls that found nothing, in order.
        told_anew: memories that had to be told again, and were: id in the trunk, id in the branch.
        counts: active memories over time.
        passes: sleep passes that did something in the branch.
    """

    side: Side
    trunk: Side
    until: datetime
    missed: tuple[Missed, ...]
    told_anew: tuple[tuple[str, str], ...]
    counts: tuple[Counted, ...]
    passes: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Which memories are active on one side alone, by id, oldest first; and how many on both."""

    only_trunk: tuple[str, ...]
    only_branch: tuple[str, ...]
    both: int


def difference(trunk: State, branch: State) -> Difference:
    """What two states have active and the other has not."""
    here = {memory.id: memory for memory in trunk.active()}
    there = {memory.id: memory for memory in branch.active()}

    def alone(mine: dict[str, Memory], other: dict[str, Memory]) -> tuple[str, ...]:
        return tuple(m.id for m in sorted((m for i, m in mine.items() if i not in other), key=newness))

    return Difference(alone(here, there), alone(there, here), len(here.keys() & there.keys()))


def grow_branch(
    events: Sequence[Event],
    text_of: Callable[[str], str],
    *,
    trunk_law: Law,
    law: Law,
    policy: SleepPolicy,
    until: datetime,
    nights: Nights | None = None,
    keep_going: KeepGoing | None = None,
) -> Branch | None:
    """The branch of a ledger under `law`, as it stands at `until`; None when `keep_going` said stop.

    Args:
        text_of: a content hash's text, "" when it is erased.
        trunk_law: the law the trunk lives by now.
        policy: the sleep pass's numbers.
        until: aware UTC; later events do not count.
        nights: when memory sleeps besides the recorded passes; None where it does not sleep by night.
    """
    growing = _Growing(text_of, trunk_law, law, policy, nights)
    since = events[0].at if events else until
    done = 0
    for block, group in groupby((event for event in events if event.at <= until), key=lambda event: event.block):
        its = list(group)
        slept = any(isinstance(event.body, Slept) for event in its)
        growing.sleep_between(since, its[0].at, but=its[0].at if slept else None)
        since = its[0].at
        growing.take(block, its, slept=slept)
        done += len(its)
        if keep_going is not None and done % _TOLD_EVERY < len(its) and not keep_going(done / len(events)):
            return None
    growing.sleep_between(since, until)
    return growing.finished(until)


class _Growing:
    """A branch on its way, beside the trunk it follows."""

    def __init__(
        self, text_of: Callable[[str], str], trunk_law: Law, law: Law, policy: SleepPolicy, nights: Nights | None
    ) -> None:
        self.trunk = Side(trunk_law, text_of)
        self.branch = Side(law, text_of)
        self.policy = policy
        self.nights = nights
        self.missed: list[Missed] = []
        self.alias: dict[str, str] = {}
        self.counts: list[Counted] = []
        self.passes = 0
        self.differing: dict[str, None] = {}

    def take(self, block: str, events: Sequence[Event], *, slept: bool) -> None:
        """One operation of the trunk, in both."""
        at = events[0].at
        if slept:
            done = self._sleep(at, [event.body for event in events])
        else:
            done = [made for event in events for made in self._adapted(event.body, at)]
        touched = self.branch.append(done, at=at, block=block)
        touched += self.trunk.fold(events)
        self._compare(touched)
        self.counts.append(Counted(at, self.trunk.active, self.branch.active))

    def sleep_between(self, since: datetime, until: datetime, but: datetime | None = None) -> None:
        """The nights in (since, until] that the trunk slept without a trace; `but` is one it has a trace of."""
        if self.nights is None or not self.branch.active:
            return
        for night in self.nights(since, until):
            if night == but:
                continue
            bodies = self._sleep(night, [])
            if bodies:
                self._compare(self.branch.append(bodies, at=night, block=make_id(night, "branch")))
                self.counts.append(Counted(night, self.trunk.active, self.branch.active))

    def finished(self, until: datetime) -> Branch:
        """The branch as it is."""
        told = tuple(self.alias.items())
        return Branch(self.branch, self.trunk, until, tuple(self.missed), told, tuple(self.counts), self.passes)

    def _sleep(self, at: datetime, recorded: Sequence[Body]) -> list[Body]:
        alone = [m for m in self.differing if self.branch.is_active(m) and not self.trunk.is_active(m)]
        bodies = Pass(self.trunk, self.branch, self.policy, at, self.stand_in, self._adapted).bodies(recorded, alone)
        self.passes += any(isinstance(body, Retired) for body in bodies)
        return bodies

    def _compare(self, touched: Iterable[str]) -> None:
        for memory in touched:
            if self._same(memory):
                self.differing.pop(memory, None)
                self.branch.share(memory, self.trunk)
            else:
                self.differing[memory] = None

    def _same(self, memory: str) -> bool:
        return self.trunk.state.memories.get(memory) == self.branch.state.memories.get(memory)

    def stand_in(self, memory: str, seen: frozenset[str] = frozenset()) -> str | None:
        """Who has the place of a memory of the trunk in the branch: itself, what it became there, or nobody."""
        if memory in seen:  # a forged ledger may go in circles
            return None
        seen |= {memory}
        here = self.branch.state.memories.get(self.alias.get(memory, memory))
        if here is None:
            known = self.trunk.state.memories.get(memory)
            parts = [self.stand_in(part, seen) for part in known.merged_from] if known is not None else []
            there = [self.branch.state.memories[part] for part in parts if part is not None]
            return max(there, key=newness).id if there else None
        if here.active:
            return here.id
        if here.retired_reason in _STILL_THERE and here.retired_by is not None:
            return self.stand_in(here.retired_by, seen)
        return None

    def _adapted(self, body: Body, at: datetime) -> list[Body]:
        """What a recorded event is in the branch: mostly itself."""
        match body:
            case Recalled():
                return self._recalled(body, at)
            case Reinforced(memory=memory):
                return [body] if self._same(memory) else [self._told_again(body, at)]
            case Retired(memory=memory) | Restored(memory=memory) | Pinned(memory=memory) | Edited(memory=memory):
                return self._done_by_hand(body, memory)
            case Absorbed(memory=memory) if not self._same(memory):
                there = self.stand_in(memory)
                return [replace(body, memory=there)] if there is not None else []
            case _:
                return [body]

    def _recalled(self, body: Recalled, at: datetime) -> list[Body]:
        if all(map(self._same, body.memories)):
            return [body]
        out: dict[str, None] = {}
        for memory in body.memories:
            there = memory if self._same(memory) else self.stand_in(memory)
            if there is None:
                self.missed.append(Missed(at, memory, body.turn))
            else:
                out[there] = None
        return [replace(body, memories=tuple(out))] if out else []

    def _told_again(self, body: Reinforced, at: datetime) -> Body:
        there = self.stand_in(body.memory)
        known = self.trunk.state.memories.get(body.memory)
        if there is not None or known is None:
            return replace(body, memory=there or body.memory)
        anew = make_id(at, "branch", body.memory, body.turn)
        self.alias[body.memory] = anew
        return Created(
            memory=anew,
            kind=known.kind,
            content=known.content,
            note=known.note,
            importance=known.importance,
            created_at=at,
            valid_from=at,
            last_recall=at,
            pinned=known.pinned,
            sources=(body.turn,),
            subject=known.subject,
            slot=known.slot,
        )

    def _done_by_hand(self, body: Retired | Restored | Pinned | Edited, memory: str) -> list[Body]:
        if self._same(memory):
            return [body]
        if isinstance(body, Restored):  # what was never lost here need not come back
            known = self.branch.state.memories.get(memory)
            gone = self.stand_in(memory) is None
            return [body] if known is not None and gone else []
        there = self.stand_in(memory)
        if there is None:
            return []
        if isinstance(body, Retired) and body.by is not None:
            body = replace(body, by=self.stand_in(body.by) or body.by)
        return [replace(body, memory=there)]
