"""A small memory and the plan of a night over it, for the tests of the sleep screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memtui.memory.frame import Frame
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import Kind, Label, Memory, Summary, Verdict
from memtui.memory.sleep.candidates import Cluster, Pair, SleepPolicy
from memtui.memory.sleep.plan import Plan, make_plan
from memtui.memory.texts import clean, content_hash

NIGHT = datetime(2026, 4, 26, 3, 0, tzinfo=UTC)

STORY: Sequence[tuple[str, Kind, float, float, int]] = (
    ("I live in Berlin, in a flat near the canal.", Kind.SEMANTIC, 0.8, 44, 2),
    ("I am vegetarian.", Kind.SEMANTIC, 0.9, 40, 5),
    ("I am allergic to shellfish, seriously.", Kind.SEMANTIC, 1.0, 40, 7),
    ("I write Python for work.", Kind.SEMANTIC, 0.7, 38, 1),
    ("Ramen for lunch again.", Kind.EPISODIC, 0.3, 12, 0),
    ("It rained all week.", Kind.EPISODIC, 0.2, 11, 0),
    ("Synapse is our hackathon project.", Kind.SEMANTIC, 0.6, 10, 0),
    ("Working on Synapse for the hackathon tonight.", Kind.SEMANTIC, 0.6, 9, 1),
    ("Synapse, the hackathon thing, has a memory panel now.", Kind.SEMANTIC, 0.6, 7, 0),
    ("The hackathon project Synapse shows live salience.", Kind.SEMANTIC, 0.6, 5, 0),
    ("Demo of Synapse went fine at the hackathon.", Kind.SEMANTIC, 0.6, 4, 0),
    ("I just moved to Lisbon. Berlin didn't work out.", Kind.SEMANTIC, 0.9, 6, 2),
    ("I switched from Python to Rust at work.", Kind.SEMANTIC, 0.8, 5, 1),
    ("I am a vegetarian", Kind.SEMANTIC, 0.7, 3, 0),
    ("Flat white, no sugar.", Kind.SEMANTIC, 0.5, 3, 0),
    ("The bakery down the street closes at six.", Kind.EPISODIC, 0.4, 2, 0),
    ("The build server is called Otto.", Kind.SEMANTIC, 0.5, 9, 0),
    ("The build server was renamed, it may be Olga.", Kind.SEMANTIC, 0.4, 2, 0),
    ("Saw a pigeon steal a croissant.", Kind.EPISODIC, 0.25, 10, 0),
    ("Take the lock before a deploy.", Kind.PROCEDURAL, 0.8, 20, 3),
)


def memory(number: int, text: str, kind: Kind, importance: float, days_ago: float, recalls: int) -> Memory:
    """One memory of the sample."""
    told = NIGHT - timedelta(days=days_ago)
    used = min(told + timedelta(days=recalls * 3), NIGHT - timedelta(hours=9)) if recalls else told
    return Memory(
        id=f"mem{number:05d}",
        kind=kind,
        content=content_hash(clean(text)),
        note=None,
        importance=importance,
        created_at=told,
        valid_from=told,
        last_recall=used,
        recalls=recalls,
        sources=(f"t{number:03d}",),
    )


def frame_of(story: Sequence[tuple[str, Kind, float, float, int]] = STORY) -> Frame:
    """The sample as a frame."""
    frame = Frame(dims=2)
    for number, (text, kind, importance, days, recalls) in enumerate(story):
        frame.upsert(memory(number, text, kind, importance, days, recalls), text)
    return frame


def plan_of(frame: Frame) -> Plan:
    """A night over the sample: 5 become 1, 1 said again, 2 give way, 3 fade, 1 not sure."""
    ids = frame.ids
    return make_plan(
        frame,
        NIGHT,
        SalienceLaw(),
        SleepPolicy(retire_confidence=0.5),
        trigger="night",
        duplicates=[Cluster((ids[1], ids[13]))],
        verdicts=[
            (Pair(ids[0], ids[11], 0.61), Verdict("A move to Lisbon ends living in Berlin.", Label.SUPERSEDES, 0.94)),
            (Pair(ids[3], ids[12], 0.72), Verdict("Rust took the place of Python at work.", Label.SUPERSEDES, 0.81)),
            (Pair(ids[16], ids[17], 0.66), Verdict("The second is not sure of the new name.", Label.SUPERSEDES, 0.41)),
        ],
        clusters=[
            (
                Cluster(tuple(ids[6:11])),
                Summary(
                    "Synapse is the hackathon project: a memory panel with live salience; the demo went fine.",
                    "told 5 times",
                ),
            )
        ],
        calls=12,
        unasked=[Pair(ids[14], ids[15], 0.4)],
    )


def faded_night(count: int) -> tuple[Frame, Plan]:
    """A night on which `count` memories fade at once."""
    story = [(f"Something small, number {number}.", Kind.EPISODIC, 0.2, 40.0, 0) for number in range(count)]
    frame = frame_of(story)
    return frame, make_plan(frame, NIGHT, SalienceLaw(), SleepPolicy(retire_confidence=0.5), trigger="night")


def quiet_night() -> tuple[Frame, Plan]:
    """A night with nothing to do."""
    frame = frame_of(STORY[1:3])
    return frame, replace(plan_of(frame_of()), items=(), unsure=(), unasked=(), active_before=2, calls=0)
