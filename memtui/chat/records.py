"""Memories and plans as the JSON records other programs rely on (FORMATS: stable once shipped)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from memtui.memory.frame import Frame
from memtui.memory.laws import Law
from memtui.memory.moments import NEVER_US, from_us, to_iso, to_us
from memtui.memory.sleep.plan import Action, Plan, describe

if TYPE_CHECKING:
    from memtui.chat.companion import Companion


def memory_records(companion: Companion, *, at: datetime | None = None, everything: bool = False) -> list[dict[str, Any]]:
    """One record a memory, active ones only unless `everything`; as memory was at `at` (now by default)."""
    store, law = companion.store, companion.law
    frame = store.frame if at is None else store.as_of(at).frame
    records = frame_records(frame, law, companion.clock.now() if at is None else at)
    active: list[bool] = frame.active.tolist()
    rows = (row for row in range(len(frame)) if frame.ids[row] in frame and (everything or active[row]))
    return [records[row] for row in rows]


def frame_records(frame: Frame, law: Law, now: datetime) -> list[dict[str, Any]]:
    """One record a row of `frame`, by the law at `now`."""
    salience = law.retention(frame, to_us(now))
    dies_at = law.dies_at(frame)
    records = []
    for row, memory in enumerate(frame.memories):
        dies = int(dies_at[row])
        records.append(
            {
                "id": memory.id,
                "kind": memory.kind.value,
                "status": memory.status.value,
                "content": frame.texts[row],
                "importance": memory.importance,
                "salience": round(float(salience[row]), 6),
                "recalls": memory.recalls,
                "created_at": to_iso(memory.created_at),
                "valid_from": to_iso(memory.valid_from),
                "last_recalled_at": to_iso(memory.last_recall),
                "pinned": memory.pinned,
                "sources": list(memory.sources),
                "dies_at": None if dies >= NEVER_US else to_iso(from_us(dies)),
                "retired_at": None if memory.retired_at is None else to_iso(memory.retired_at),
                "retired_reason": None if memory.retired_reason is None else memory.retired_reason.value,
                "retired_by": memory.retired_by,
            }
        )
    return records


def plan_record(plan: Plan, frame: Frame) -> dict[str, Any]:
    """A sleep plan: its counts and one entry an item."""
    touched = sum(len(item.retires) for item in plan.items)
    return {
        "at": to_iso(plan.at),
        "merged": plan.count(Action.MERGE, Action.DUPLICATE),
        "retired": plan.count(Action.SUPERSEDE),
        "pruned": plan.count(Action.PRUNE),
        "untouched": plan.active_before - touched,
        "calls": plan.calls,
        "unasked": len(plan.unasked),
        "unsure": len(plan.unsure),
        "problem": plan.problem,
        "items": [
            {
                "action": item.action.value,
                "retires": list(item.retires),
                "by": item.by,
                "text": item.text,
                "reason": item.reason,
                "confidence": item.confidence,
                "line": describe(item, frame),
            }
            for item in plan.items
        ],
    }
