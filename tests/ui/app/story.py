"""Three weeks of somebody's life, told to a scripted mind: what the pictures of the whole screen show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.memory.model import Candidate, Kind, Label, Summary, Verdict
from memtui.memory.recall import RecallPolicy
from memtui.minds.base import Message, PairText
from tests.doubles import ScriptedMind, WordEmbedder

NOW = datetime(2026, 4, 25, 21, 13, tzinfo=UTC)
E, S, P = Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL


@dataclass(frozen=True)
class Told:
    """One turn and what is kept of it."""

    at: str
    text: str
    kind: Kind = S
    importance: float = 0.5
    why: str = ""
    told: tuple[str, ...] = ()


LIFE: Sequence[Told] = (
    Told("2026-04-02T09:00", "I live in Berlin, in Neukölln", S, 0.75, "where someone lives changes most advice"),
    Told("2026-04-02T09:02", "I'm allergic to shellfish, I carry a pen", S, 0.95, "forgetting an allergy is dangerous"),
    Told("2026-04-03T12:10", "I've been a vegetarian since last spring", S, 0.85, "it rules out half of every menu"),
    Told("2026-04-05T18:30", "I take my flat white with oat milk, no sugar", S, 0.45, "a habit worth knowing"),
    Told("2026-04-08T10:00", "Synapse is my hackathon project: a memory you can watch", S, 0.7, "a project with a deadline"),
    Told("2026-04-12T10:00", "Synapse update: the panel draws bars now", E, 0.4, "a step of the project"),
    Told("2026-04-14T10:00", "Synapse update: the panel draws floors now", E, 0.4, "a step of the project"),
    Told("2026-04-16T08:00", "To deploy: lock the branch, run the checks, then tag it", P, 0.55, "how something is done"),
    Told("2026-04-16T13:00", "Had ramen for lunch", E, 0.25, "a small thing of one day"),
    Told("2026-04-17T19:00", "It rained all week", E, 0.2, "the weather of some days"),
    Told("2026-04-19T18:02", "I just moved to Lisbon. Berlin didn't work out.", S, 0.9, "a change of home alters advice"),
    Told("2026-04-21T20:00", "Saw a forgettable film with Ana", E, 0.3, "an evening"),
    Told("2026-04-23T17:40", "There is a bakery down the road, Pão da Graça", E, 0.35, "a place nearby"),
    Told("2026-04-25T11:05", "Synapse update: the panel draws ghosts now", E, 0.4, "a step of the project"),
)
QUESTIONS = (
    ("2026-04-20T12:00", "Vegetarian food after I moved to Lisbon?"),
    ("2026-04-22T12:00", "Allergic to shellfish: what does that leave?"),
    ("2026-04-24T12:00", "A vegetarian who is allergic to shellfish, since I moved to Lisbon?"),
    ("2026-04-25T12:00", "Is my hackathon project a memory you can watch?"),
)
REPLIES = {
    "Where can a vegetarian have dinner in Lisbon?": (
        "You live in **Lisbon** now and you are vegetarian, so: anywhere without shellfish. "
        "You said that one is serious.\n\n1. *Ao 26*, all of it vegan\n2. *Terra*, a garden and a long buffet"
    ),
    "Did I finish the Synapse panel?": (
        "Its bars, floors and ghosts are drawn, you said. Tonight's sleep makes one of the three."
    ),
}


class ManyWords(WordEmbedder):
    """Room for more words: two that are not the same are not near."""

    name = "test-many-words"
    dims = 4096


class Storyteller(ScriptedMind):
    """Keeps what the story says is kept, replies what it says is replied, and judges as a sensible person would."""

    label = "offline mind"

    def __init__(self) -> None:
        super().__init__()
        self.embedder = ManyWords()
        self._kept = {each.text: each for each in LIFE}
        self.verdict = lambda pair: self._judged(pair)
        self.summary = lambda texts: Summary(
            "Synapse has a panel that draws bars, floors and ghosts", "one project, told over and over"
        )

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        kept = self._kept.get(text)
        if kept is None:
            return []
        return [Candidate(text, kept.kind, kept.importance, kept.why, text, now)]

    def will_reply(self, text: str) -> None:
        """Have the reply of the story ready for `text`."""
        self.replies = [[REPLIES.get(text, "Noted.")]]

    @staticmethod
    def _judged(pair: PairText) -> Verdict:
        if "live in Berlin" in pair.older and "Lisbon" in pair.newer:
            return Verdict("one lives in one place: Lisbon is the newer one", Label.SUPERSEDES, 0.97)
        return Verdict("both can be true", Label.UNRELATED)


async def told_companion(settings: Settings, mind: Storyteller) -> Companion:
    """The memory of the whole story, on a clock that stands at `NOW`."""
    clock = SimClock(wall=lambda: NOW)
    clock.jump_to(moment(LIFE[0].at))
    clock.rate = 0.0
    companion = scratch_companion(settings, clock, mind)
    companion.recall_policy = RecallPolicy(backfill=False)
    for at, text in sorted([(each.at, each.text) for each in LIFE] + list(QUESTIONS)):
        clock.jump_to(moment(at))
        async for _ in companion.turn(text):
            pass
    await companion.pin(companion.resolve("allergic"))
    clock.jump_to(NOW)
    clock.rate = 1.0
    return companion


def moment(text: str) -> datetime:
    """A moment of the story."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
