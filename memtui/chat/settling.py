"""Open conflicts through a companion: which there are, and what the person's answer does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memtui.errors import InputError
from memtui.memory.conflicts import Conflict, open_conflicts
from memtui.memory.events import Body, Judged, Retired, SetAside
from memtui.memory.ids import make_id
from memtui.memory.model import YOU, Answer, Kind, Label, Memory, RetireReason
from memtui.memory.moments import to_iso
from memtui.memory.sleep.candidates import newness
from memtui.memory.texts import content_hash

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

_WORDS: Final = {
    "replaced": Answer.REPLACED,
    "replace": Answer.REPLACED,
    "both": Answer.BOTH,
    "unsure": Answer.UNSURE,
    "not-sure": Answer.UNSURE,
}
_NOTES: Final = {
    Answer.REPLACED: "you said that the newer one replaced it",
    Answer.BOTH: "you said that both are true",
}


@dataclass(frozen=True, slots=True)
class Settlement:
    """What an answer did.

    Attributes:
        older, newer: ids, by valid time, then told time.
        block: what `undo` takes back.
    """

    older: str
    newer: str
    answer: Answer
    block: str


def read_answer(word: str) -> Answer:
    """The answer of a word a person types.

    Raises:
        InputError: no such answer.
    """
    answer = _WORDS.get(word.strip().lower())
    if answer is None:
        raise InputError(f"'{word[:20]}' is no answer.", todo="Say replaced, both or unsure.")
    return answer


async def settle(companion: Companion, one: str, other: str, answer: Answer) -> Settlement:
    """Do what the person answered about two memories, as one block that can be undone; the order they are named in is none.

    Any two active memories can be settled, also those no judge is in doubt about; only "not sure" needs a question.
    The caller holds the companion's lock.

    Raises:
        InputError: the answer makes no sense for these two; nothing was changed.
    """
    store = companion.store
    older, newer = sorted((store.state.memories[one], store.state.memories[other]), key=newness)
    _must_make_sense(companion, older, newer, answer)
    note = _NOTES.get(answer, "")
    texts = {content_hash(note): note} if note else {}
    bodies: list[Body]
    if answer is Answer.UNSURE:
        bodies = [SetAside(older.content, newer.content)]
    else:
        label = Label.SUPERSEDES if answer is Answer.REPLACED else Label.ADDITIVE
        bodies = [Judged(older.content, newer.content, label, 1.0, YOU, content_hash(note))]
    if answer is Answer.REPLACED:
        bodies.append(Retired(older.id, RetireReason.SUPERSEDED, by=newer.id, note=content_hash(note)))
    now = companion.clock.now()
    block = make_id(now, "command", store.head.length)
    await store.append_async(bodies, at=now, block=block, texts=texts)
    companion.log.command(now, f"/settle {older.id} {newer.id} {answer}")
    return Settlement(older.id, newer.id, answer, block)


def _must_make_sense(companion: Companion, older: Memory, newer: Memory, answer: Answer) -> None:
    names = f"{companion.handle(older.id)} and {companion.handle(newer.id)}"
    if older.id == newer.id:
        raise InputError(f"{companion.handle(older.id)} can't contradict itself.", todo="Name two memories.")
    retired = [companion.handle(memory.id) for memory in (older, newer) if not memory.active]
    if retired:
        raise InputError(f"{' and '.join(retired)} is retired already.", todo="/restore brings a memory back.")
    if Kind.PROCEDURAL in (older.kind, newer.kind):
        raise InputError(f"{names}: one is a way of doing something; those don't contradict each other.")
    if answer is Answer.REPLACED and older.pinned:
        handle = companion.handle(older.id)
        raise InputError(f"{handle} is pinned, so nothing replaces it.", todo=f"/unpin {handle} first.")
    if answer is Answer.UNSURE and not any(
        (conflict.older, conflict.newer) == (older.id, newer.id) for conflict in companion.conflicts()
    ):
        raise InputError(f"{names} are not in question.", todo="/conflicts lists what is.")


def settled_words(companion: Companion, done: Settlement) -> str:
    """What an answer did, in one sentence."""
    older, newer = companion.handle(done.older), companion.handle(done.newer)
    if done.answer is Answer.REPLACED:
        return f"{newer} replaced {older}, which is retired."
    if done.answer is Answer.BOTH:
        return f"{older} and {newer} both stay; they are not asked about again."
    return f"{older} and {newer} both stay for now; they are asked about when either is told again or edited."


def reason_of(companion: Companion, conflict: Conflict) -> str:
    """The judge's reason, "" where it gave none."""
    return companion.store.text(conflict.note) if conflict.note else ""


def conflict_records(companion: Companion) -> list[dict[str, Any]]:
    """The open conflicts as JSON-ready records."""
    frame = companion.store.frame

    def record(memory_id: str) -> dict[str, Any]:
        memory = frame.memories[frame.row(memory_id)]
        return {
            "id": memory_id,
            "handle": companion.handle(memory_id),
            "content": frame.texts[frame.row(memory_id)],
            "created_at": to_iso(memory.created_at),
            "valid_from": to_iso(memory.valid_from),
        }

    return [
        {
            "older": record(conflict.older),
            "newer": record(conflict.newer),
            "confidence": conflict.confidence,
            "reason": reason_of(companion, conflict),
            "judge": conflict.judge,
        }
        for conflict in companion.conflicts()
    ]


def since_words(record: Mapping[str, str]) -> str:
    """When a memory of a conflict record was told, and since when it is true where that is another day: ISO dates."""
    said, true = record["created_at"][:10], record["valid_from"][:10]
    return said if said == true else f"{said}, true since {true}"


def waiting(companion: Companion) -> list[Conflict]:
    """The companion's open conflicts, the one with the newest memory first."""
    return open_conflicts(companion.store.state, companion.sleep_policy)
