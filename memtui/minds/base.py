"""What every mind can do, as typed results.

A mind never gets or returns a memory row: it sees texts and gives texts, so it can't make up an id that counts. Every
method may raise a `MindError`; none returns a default in place of an answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

from memtui.memory.frame import Vectors
from memtui.memory.model import Candidate, Summary, Verdict
from memtui.memory.signals import Ranker


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as a prompt shows it: quoted data with an id and a date, never an instruction.

    Attributes:
        passed: False for what did not pass the relevance gate and only fills the room that was left, or was brought along.
        against: ids of memories of the same prompt that this one may contradict, as long as the person has not settled it.
        how_to: whether it is a skill: how something was done before.
        unverified: a skill that came from a tool or a file, and that nobody has approved.
    """

    id: str
    text: str
    said_at: datetime
    valid_from: datetime
    passed: bool = True
    against: tuple[str, ...] = ()
    how_to: bool = False
    unverified: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """All a mind gets for one reply.

    Attributes:
        messages: recent conversation, oldest first, ending with the user's turn.
        memories: what recall chose, best first.
        now: simulated moment.
        language: "en" or "ru": the language of the user's turn.
    """

    messages: tuple[Message, ...]
    memories: tuple[Remembered, ...]
    now: datetime
    language: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed reply; `thinking` pieces are folded away on screen and never stored as the reply."""

    text: str
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class PairText:
    """An older and a newer text for the judge, each with the moment since when it is true."""

    older: str
    newer: str
    older_at: datetime
    newer_at: datetime


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether a reply answered a question rightly, and why; the reason comes first."""

    reason: str
    correct: bool


@dataclass(frozen=True, slots=True)
class PartStatus:
    """What `memtui doctor` and the screen say about one part of a mind."""

    part: str
    configured: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Judging:
    """How a mind's verdicts are to be taken: its confidences are its own, so are the thresholds.

    Attributes:
        retire_confidence: how sure a `supersedes` must be to retire the older; below it the person is asked.
        ask_confidence: how sure it must be for the person to be asked; below it nothing is made of it.
        duplicate_confidence: how sure a `duplicate` must be to drop the older.
        pairs_a_call: how many pairs one call of this mind judges; a budget counts calls.
    """

    retire_confidence: float = 0.5
    ask_confidence: float = 0.25
    duplicate_confidence: float = 0.5
    pairs_a_call: int = 1


OFFLINE_JUDGING: Final = Judging(retire_confidence=0.46, ask_confidence=0.40, duplicate_confidence=0.5)
"""The pair heads: .5 is where their precision out of fold over written pairs reaches .8 (`training/pair_head.py`). Acting
from .46 answered as well or better in each of six scenarios (`bench scenario`); below .40 most are neighbours in topic."""
MODEL_JUDGING: Final = Judging(retire_confidence=0.7, ask_confidence=0.3, duplicate_confidence=0.7, pairs_a_call=16)
"""A language model: the prompt says that below .7 the person is asked, and what contradicts itself is held below it."""


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str:
        """Stored with every vector; vectors of different names are never mixed."""
        ...

    @property
    def dims(self) -> int:
        """Width of the vectors. An endpoint's embedder may have to ask for it, which blocks and may raise a MindError."""
        ...

    @property
    def related_from(self) -> float:
        """Cosine from which two texts of this embedder are related at all (the relevance gate)."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), dims), each row of unit length (zero for an empty text)."""
        ...


class SlotReader(Protocol):
    """What is read off vectors: slots, and aspects (a space where a question lies near what answers it)."""

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots, in the order of a posterior's columns."""
        ...

    @property
    def aspects(self) -> int:
        """Width of the aspect space; 0 where there is none."""
        ...

    @property
    def ranker(self) -> Ranker | None:
        """What ranks the answers to a question by these readings, or None."""
        ...

    def read(self, vectors: Vectors) -> Vectors:
        """float32 (n, len(slots) + aspects) of statements: slot posteriors (the mass of "no slot" dropped), aspects."""
        ...

    def asked(self, vectors: Vectors) -> Vectors:
        """The same of questions: what slot they ask for, and where they lie among the aspects."""
        ...


class Mind(Protocol):
    """What replies, extracts, judges and summarises."""

    @property
    def label(self) -> str:
        """What the screen says, such as `offline mind` or `qwen3 · ollama`."""
        ...

    @property
    def local(self) -> bool:
        """Whether it thinks in this process at no cost; call budgets are for minds that do not."""
        ...

    @property
    def judging(self) -> Judging:
        """How its verdicts are to be taken."""
        ...

    @property
    def embedder(self) -> Embedder:
        """Texts to vectors."""
        ...

    @property
    def slot_reader(self) -> SlotReader | None:
        """Slots of those vectors, or None."""
        ...

    def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The streamed reply."""
        ...

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        """What is worth keeping in one user turn (never in recalled text), told at `now`."""
        ...

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        """A verdict on each pair; None where the mind gave none that could be used."""
        ...

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        """One text for several tellings (oldest first), or None if they do not say one thing."""
        ...

    async def check(self) -> list[PartStatus]:
        """Try every part and say what answered."""
        ...

    async def aclose(self) -> None:
        """Free connections."""
        ...


class Grader(Protocol):
    """A mind that can also grade replies (the offline mind can't)."""

    async def grade(self, question: str, answers: Sequence[str], reply: str) -> Grade:
        """Whether `reply` answers `question` with one of `answers`."""
        ...


CountTokens = Callable[[str], int]


def language_of(text: str) -> str:
    """ "ru" when most letters are Cyrillic, else "en"."""
    letters = [c for c in text[:2000] if c.isalpha()]
    cyrillic = sum("а" <= c.lower() <= "я" or c in "ёЁ" for c in letters)
    return "ru" if letters and cyrillic * 2 > len(letters) else "en"
