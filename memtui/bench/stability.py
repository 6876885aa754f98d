"""The 150-step experiment: what a memory with room for twenty keeps of five critical facts and one told a single time.

One step is a day. Steps 1-5 each tell a critical fact, used 25, 18, 12, 7 and 3 times, evenly over the rest; step 6 tells a
sixth that is needed once, at step 120. From step 7 on every step adds a memory that is noise. All of it is events, folded
as in the program, and after each step the law itself says who goes: nothing here knows a formula. A fact that is gone is
not found when it is needed, and so not strengthened either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np

from memtui.memory.events import Body, Created, Recalled, Retired
from memtui.memory.frame import Frame, Vectors
from memtui.memory.ids import make_id
from memtui.memory.laws import Law, parting_words
from memtui.memory.laws.baselines import WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw, Task
from memtui.memory.ledger import Head, head_of, seal
from memtui.memory.model import Kind, RetireReason
from memtui.memory.moments import to_us
from memtui.memory.state import State
from memtui.memory.texts import content_hash

STEPS: Final = 150
CAPACITY: Final = 20
USES: Final = (25, 18, 12, 7, 3)
"""How often each critical fact is used."""
ONCE: Final = "once"
NEEDED_AT: Final = 120
"""The step that needs what was told once."""
TASK_STEPS: Final = 3
"""A task that needs a fact runs for so many steps, the last of which is the use."""
_START: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
_DIMS: Final = 64
_CRITICAL, _NOISE = 0.9, (0.1, 0.4)
"""Importance of the facts, and from where to where that of the noise."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One of the six.

    Attributes:
        told: its step.
        uses: the steps that need it.
        topic: float32 (dims,), unit length.
    """

    id: str
    told: int
    uses: tuple[int, ...]
    topic: Vectors


@dataclass
class Outcome:
    """What one agent did.

    Attributes:
        survivors: how many of the five are there after each step.
        active: memories held after each step.
        found: for each use in order, its step and whether the fact was there.
        kept: facts there at the end.
    """

    survivors: list[int] = field(default_factory=list)
    active: list[int] = field(default_factory=list)
    found: list[tuple[int, bool]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    once_kept: bool = False

    def record(self) -> dict[str, Any]:
        """As FORMATS has it, and what the chart needs beside it."""
        return {
            "survivors": self.survivors,
            "kept": self.kept,
            "once_kept": self.once_kept,
            "active": self.active,
            "uses_found": sum(there for _, there in self.found),
            "uses": len(self.found),
            "per_use": {"step": [step for step, _ in self.found], "found": [there for _, there in self.found]},
        }


def facts() -> list[Fact]:
    """The five critical facts and the one told once."""
    topics = np.eye(_DIMS, dtype=np.float32)
    told = [Fact(f"fact{i}", i, _spread(i, count), topics[i]) for i, count in enumerate(USES, 1)]
    return [*told, Fact(ONCE, len(USES) + 1, (NEEDED_AT,), topics[len(USES) + 1])]


def agents() -> dict[str, Law]:
    """The laws compared, each with room for `CAPACITY` memories."""
    from memtui.memory.laws.fsrs import FsrsLaw

    return {
        f"window{CAPACITY}": WindowLaw(CAPACITY),
        "stability": StabilityLaw(capacity=CAPACITY, importance=0.0, context=0.0),
        "stability+importance": StabilityLaw(capacity=CAPACITY),
        "salience": Capped(SalienceLaw(), CAPACITY),
        "fsrs": Capped(FsrsLaw(), CAPACITY),
    }


def ablations() -> dict[str, Law]:
    """Stability with one of its two helps alone."""
    return {
        "importance alone": StabilityLaw(capacity=CAPACITY, context=0.0),
        "context alone": StabilityLaw(capacity=CAPACITY, importance=0.0),
    }


def run_experiment(seed: int = 7) -> dict[str, Any]:
    """The record of the experiment (FORMATS); `seed` draws the noise."""
    return {
        "steps": STEPS,
        "facts": [{"id": fact.id, "told": fact.told, "uses": list(fact.uses)} for fact in facts()],
        "agents": {name: play(law, seed).record() for name, law in agents().items()},
        "ablations": {name: play(law, seed).record() for name, law in ablations().items()},
        "capacity": CAPACITY,
        "step_hours": 24,
        "seed": seed,
    }


def play(law: Law, seed: int = 7) -> Outcome:
    """Live all steps under `law`."""
    told, out, life = facts(), Outcome(), _Life()
    noise = np.random.default_rng(seed)
    for step in range(1, STEPS + 1):
        fact = next((fact for fact in told if fact.told == step), None)
        if fact is not None:
            life.tell(step, fact.id, fact.topic, Kind.SEMANTIC, _CRITICAL)
        else:
            topic = noise.standard_normal(_DIMS).astype(np.float32)
            importance = round(float(noise.uniform(*_NOISE)), 3)
            life.tell(step, f"noise{step}", topic / np.linalg.norm(topic), Kind.EPISODIC, importance)
        for fact in told:
            if step in fact.uses:
                out.found.append((step, life.has(fact.id)))
                if fact.id == ONCE:
                    out.once_kept = life.has(ONCE)
                life.use(step, fact.id)
        life.let_go(step, _running(law, told, step))
        out.survivors.append(sum(life.has(fact.id) for fact in told if fact.id != ONCE))
        out.active.append(int(life.frame.active.sum()))
    out.kept = [fact.id for fact in told if life.has(fact.id)]
    return out


def _spread(told: int, count: int) -> tuple[int, ...]:
    """`count` steps, evenly between the telling and the end."""
    gap = (STEPS - told) / (count + 1)
    return tuple(told + round(gap * k) for k in range(1, count + 1))


def _running(law: Law, told: Sequence[Fact], step: int) -> Law:
    """The law with the task that runs at a step: the one whose fact is needed next, within `TASK_STEPS`."""
    if not isinstance(law, StabilityLaw):
        return law
    ahead = [(use - step, fact) for fact in told for use in fact.uses if 0 <= use - step < TASK_STEPS and fact.told <= step]
    if not ahead:
        return law
    fact = min(ahead, key=lambda entry: (entry[0], entry[1].id))[1]
    return replace(law, task=Task(fact.id, fact.topic))


class _Life:
    """Events and what is folded from them."""

    def __init__(self) -> None:
        self.state, self.frame, self._head = State(), Frame(_DIMS), Head()
        self._vectors: dict[str, Vectors] = {}
        self._last = ""

    def has(self, name: str) -> bool:
        memory = self.state.memories.get(_id(name))
        return memory is not None and memory.active

    def tell(self, step: int, name: str, topic: Vectors, kind: Kind, importance: float) -> None:
        at, memory = _at(step), _id(name)
        self._vectors[memory], self._last = topic, memory
        self._add(step, [Created(memory, kind, content_hash(name), None, importance, at, at, at, sources=(name,))])

    def use(self, step: int, name: str) -> None:
        if self.has(name):
            self._add(step, [Recalled((_id(name),), f"turn{step}")])

    def let_go(self, step: int, law: Law) -> None:
        """Who goes after a step; what this step told is spared."""
        now_us = to_us(_at(step))
        spared = np.zeros(len(self.frame), np.bool_)
        spared[self.frame.row(self._last)] = True
        retention = law.retention(self.frame, now_us)
        gone = np.flatnonzero(law.faded(self.frame, now_us, spared=spared)).tolist()
        notes = [content_hash(parting_words(law, float(retention[row]))) for row in gone]
        self._add(
            step, [Retired(self.frame.ids[row], RetireReason.PRUNED, note=n) for row, n in zip(gone, notes, strict=True)]
        )

    def _add(self, step: int, bodies: Sequence[Body]) -> None:
        events = seal(bodies, at=_at(step), block=f"step{step}", head=self._head)
        self._head = head_of(events, self._head)
        for event in events:
            for memory_id in self.state.apply(event):
                self.frame.upsert(self.state.memories[memory_id], "", self._vectors[memory_id])


def _at(step: int) -> datetime:
    return _START + timedelta(days=step)


def _id(name: str) -> str:
    return make_id(_START, name)


def score_words(record: Mapping[str, Any]) -> str:
    """What an agent kept, such as `5 of 5 and the one-off`."""
    five = sum(name != ONCE for name in record["kept"])
    return f"{five} of {len(USES)}{' and the one-off' if record['once_kept'] else ', not the one-off'}"
