"""A sleep pass of a branch: the trunk's pass slept again under another law, with the verdicts that are there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from memtui.memory.branch_side import Side
from memtui.memory.conflicts import settled
from memtui.memory.events import Absorbed, Body, Created, Judged, Retired, Slept
from memtui.memory.frame import Bools, Floats, Frame
from memtui.memory.laws import parting_words
from memtui.memory.model import KINDS, Kind, Memory, RetireReason
from memtui.memory.moments import HOUR_US, to_us
from memtui.memory.sleep.candidates import SleepPolicy, newness
from memtui.memory.sleep.plan import Action, Plan, PlanItem, plan_bodies

_ACTIONS = {
    RetireReason.MERGED: Action.MERGE,
    RetireReason.DUPLICATE: Action.DUPLICATE,
    RetireReason.SUPERSEDED: Action.SUPERSEDE,
}


class Pass:
    """One pass at one moment. It only reads; the events it comes to are its caller's to fold."""

    def __init__(
        self,
        trunk: Side,
        branch: Side,
        policy: SleepPolicy,
        at: datetime,
        stand_in: Callable[[str], str | None],
        adapted: Callable[[Body, datetime], list[Body]],
    ) -> None:
        self.trunk, self.branch, self.policy, self.at = trunk, branch, policy, at
        self.stand_in, self.adapted = stand_in, adapted
        self.out: list[Body] = []
        self.gone: set[str] = set()
        self.survivors: set[str] = set()
        self.changed = False
        self._weighed: tuple[Bools, Bools] | None = None
        self._recorded: Sequence[Body] = ()
        self._alone: Sequence[str] = ()
        self._retention: Floats | None = None

    def bodies(self, recorded: Sequence[Body], alone: Sequence[str]) -> list[Body]:
        """The pass as one block; [] when it has nothing to do.

        Args:
            recorded: the trunk's pass; empty where it did nothing that night.
            alone: ids that are active in the branch only: nobody has looked at them in the trunk.
        """
        self._recorded, self._alone = recorded, alone
        weighed: dict[str, None] = {}
        slept = False
        for group in _groups(recorded):
            first = group[0]
            if isinstance(first, Slept):
                slept = True
                self.out.append(first)
            elif isinstance(first, Retired) and first.reason is RetireReason.PRUNED:
                self._pruned(first)
                weighed[first.memory] = None
            elif isinstance(first, Created | Absorbed | Retired):
                self._again(group)
            else:
                self.out += self.adapted(first, self.at)
        self._prune_more(weighed)
        if self.out and not slept:
            self.out.append(Slept("nightly", 0, 0, 0, 0))
        if self.changed:
            self.out = [self._counted(body) if isinstance(body, Slept) else body for body in self.out]
        return self.out

    # -- what the trunk's pass did -----------------------------------------------------------------------------------

    def _again(self, group: Sequence[Body]) -> None:
        """A merge, a dropped duplicate or a supersession of the trunk, with who is there in the branch."""
        first = group[0]
        named = [body.memory for body in group if isinstance(body, Created | Absorbed | Retired)]
        named += [body.by for body in group if isinstance(body, Retired) and body.by is not None]
        retires = [body for body in group if isinstance(body, Retired)]
        if all(map(self._same, named)):
            self.out += group
            self.gone.update(body.memory for body in retires)
            self.survivors.update(body.by for body in retires if body.by is not None)
            return
        self.changed = True
        action = _ACTIONS.get(retires[0].reason) if retires else None
        if action is None:
            self.out += [made for body in group for made in self.adapted(body, self.at)]
            return
        alive = [body.memory for body in retires if self._may_retire(body.memory)]
        reason = self.branch.text(retires[0].note or "")
        if action is Action.MERGE:
            if len(alive) > 1 and isinstance(first, Created):
                text = self.branch.text(first.content)
                self._add(PlanItem("", action, tuple(alive), None, text, reason), new_id=first.memory)
            return
        by = self.stand_in(retires[0].by) if retires[0].by is not None else None
        alive = [memory for memory in alive if memory != by]
        if by is not None and by not in self.gone and alive:
            self._add(PlanItem("", action, tuple(alive), by, None, reason))

    def _add(self, item: PlanItem, new_id: str = "") -> None:
        plan = Plan(self.at, "", (item,))
        bodies, texts = plan_bodies(plan, self.branch.frame, lambda _: new_id)
        for text in texts.values():
            self.branch.name(text)
        self.out += bodies[:-1]
        self.gone.update(item.retires)
        self.survivors.update({item.by} if item.by is not None else ())
        self.changed = True

    # -- what only the branch has to look at -------------------------------------------------------------------------

    def _look_at(self, alone: Sequence[str]) -> None:
        """Memories of the branch alone: the same words once, and what a verdict already made retires."""
        for memory in alone:
            same = sorted((self._memory(m) for m in self.branch.same_words(memory) if m not in self.gone), key=newness)
            leaving = [m.id for m in same[:-1] if self._may_retire(m.id)]
            if leaving:
                self._add(PlanItem("", Action.DUPLICATE, tuple(leaving), same[-1].id, None, "said again in the same words"))
        if not alone:
            return
        looked_at = set(alone)
        for (older_text, newer_text), judged in list(self.branch.state.judgements.proposing.items()):
            if judged.confidence < self.policy.retire_confidence:
                continue
            older, newer = self._holder(older_text), self._holder(newer_text)
            if older is None or newer is None or not looked_at & {older.id, newer.id}:
                continue
            if newness(older) < newness(newer) and not settled(self.branch.state, older, newer):
                self._supersede(older, newer, judged)

    def _supersede(self, older: Memory, newer: Memory, judged: Judged) -> None:
        if self._may_retire(older.id) and newer.kind is not Kind.PROCEDURAL:
            reason = self.branch.text(judged.note) if judged.note is not None else ""
            self._add(PlanItem("", Action.SUPERSEDE, (older.id,), newer.id, None, reason))

    def _holder(self, content: str) -> Memory | None:
        held = [self._memory(m) for m in self.branch.state.holders.get(content, ()) if m not in self.gone]
        return max(held, key=newness, default=None)

    # -- what the law lets go ----------------------------------------------------------------------------------------

    def _pruned(self, body: Retired) -> None:
        """What the trunk let go: so does the branch, unless it knows better."""
        agree, fades = self._weigh(body.memory)
        if agree or (fades and self._may_retire(body.memory)):
            self.out.append(body)
        self.changed = self.changed or not agree

    def _prune_more(self, weighed: Collection[str]) -> None:
        """What only the branch's law lets go; where the trunk kept what both laws let go, the person wanted it so."""
        for row in self._fades()[0].nonzero()[0].tolist():
            memory = self.branch.frame.ids[row]
            if memory in weighed or memory in self.survivors or not self._may_retire(memory) or self._weigh(memory)[0]:
                continue
            self.changed = True
            self.out.append(self._faded_away(memory))

    def _weigh(self, memory: str) -> tuple[bool, bool]:
        """Whether both laws say the same of the very same memory; and whether the branch's lets it go."""
        here, there = self._fades()
        fades, faded = _marked(here, self.branch, memory), _marked(there, self.trunk, memory)
        return self._same(memory) and fades == faded, fades

    def _fades(self) -> tuple[Bools, Bools]:
        """Rows of the branch and of the trunk that their laws let go of, once everything else of the pass is settled."""
        if self._weighed is None:
            self._look_at(self._alone)
            retired = [body for body in self._recorded if isinstance(body, Retired)]
            retired = [body for body in retired if body.reason is not RetireReason.PRUNED]
            gone = {body.memory for body in retired}
            kept = {body.by for body in retired if body.by is not None}
            here = self._let_go(self.branch, self.gone, self.survivors)
            self._weighed = here, self._let_go(self.trunk, gone, kept)
        return self._weighed

    def _let_go(self, side: Side, gone: Collection[str], kept: Collection[str]) -> Bools:
        """What a pass at this moment would prune, as `make_plan` does: bool (n,)."""
        frame, now_us = side.frame, to_us(self.at)
        spared = _rows(frame, kept) | (frame.kind == KINDS.index(Kind.PROCEDURAL))
        rested: Bools = frame.last_recall <= now_us - self.policy.grace_hours * HOUR_US
        return side.law.faded(frame, now_us, leaving=_rows(frame, gone), spared=spared) & rested

    def _faded_away(self, memory: str) -> Retired:
        law, frame, now_us = self.branch.law, self.branch.frame, to_us(self.at)
        if self._retention is None:
            self._retention = law.retention(frame, now_us)
        note = self.branch.name(parting_words(law, float(self._retention[frame.row(memory)])))
        return Retired(memory, RetireReason.PRUNED, note=note)

    # -- asides ------------------------------------------------------------------------------------------------------

    def _same(self, memory: str) -> bool:
        return self.trunk.state.memories.get(memory) == self.branch.state.memories.get(memory)

    def _memory(self, memory: str) -> Memory:
        return self.branch.state.memories[memory]

    def _may_retire(self, memory: str) -> bool:
        known = self.branch.state.memories.get(memory)
        if known is None or memory in self.gone:
            return False
        return known.active and not known.pinned and known.kind is not Kind.PROCEDURAL

    def _counted(self, slept: Slept) -> Slept:
        """The pass's own counts."""
        retired = [body.reason for body in self.out if isinstance(body, Retired)]
        merged = sum(reason in (RetireReason.MERGED, RetireReason.DUPLICATE) for reason in retired)
        made = sum(isinstance(body, Created) for body in self.out)
        return replace(
            slept,
            merged=merged,
            retired=retired.count(RetireReason.SUPERSEDED),
            pruned=retired.count(RetireReason.PRUNED),
            active=self.branch.active - len(retired) + made,
        )


def _rows(frame: Frame, ids: Iterable[str]) -> Bools:
    mask = np.zeros(len(frame), np.bool_)
    mask[[frame.row(memory) for memory in ids if memory in frame]] = True
    return mask


def _marked(rows: Bools, side: Side, memory: str) -> bool:
    return memory in side.frame and bool(rows[side.frame.row(memory)])


def _groups(bodies: Iterable[Body]) -> Iterator[list[Body]]:
    """The items of a recorded pass: a merge or an absorption with those it retires, everything else alone."""
    group: list[Body] = []
    for body in bodies:
        first = group[0] if group else None
        joins = isinstance(body, Retired) and isinstance(first, Created | Absorbed) and body.by == first.memory
        if group and not joins:
            yield group
            group = []
        group.append(body)
    if group:
        yield group
