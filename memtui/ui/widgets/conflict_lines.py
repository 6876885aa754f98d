"""What a question about two memories says, as text: both sides with their dates, the judge's reason, the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Final

from textual.content import Content

from memtui.memory.model import Answer, Memory
from memtui.ui.time_words import moment_words, weekday_words
from memtui.ui.widgets.memory_lines import NO_TEXT
from memtui.ui.widgets.row_text import card_text, plain_line

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

_TEXT_CHARS: Final = 2_000
_REASON_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two memories.

    Attributes:
        handle: what people call it, such as `m31`.
        when: when it was told, and since when it is true where that is another day.
    """

    id: str
    handle: str
    text: str
    when: str


@dataclass(frozen=True, slots=True)
class Question:
    """An open conflict in words.

    Attributes:
        reason: the judge's, "" where it gave none.
        judge: who is unsure, and how sure it is.
    """

    newer: Side
    older: Side
    reason: str
    judge: str

    @property
    def pair(self) -> frozenset[str]:
        """The ids of both."""
        return frozenset((self.newer.id, self.older.id))


def questions_of(companion: Companion, zone: tzinfo) -> list[Question]:
    """The companion's open conflicts in words, the one with the newest memory first."""
    from memtui.chat.settling import reason_of

    frame, now = companion.store.frame, companion.clock.now()

    def side(memory_id: str) -> Side:
        row = frame.row(memory_id)
        text = card_text(frame.texts[row], _TEXT_CHARS).strip() or NO_TEXT
        return Side(memory_id, companion.handle(memory_id), text, _when(frame.memories[row], zone, now))

    return [
        Question(
            newer=side(conflict.newer),
            older=side(conflict.older),
            reason=plain_line(card_text(reason_of(companion, conflict), _REASON_CHARS)),
            judge=f"{plain_line(conflict.judge)}, sure {conflict.confidence:.2f}",
        )
        for conflict in companion.conflicts()
    ]


def _when(memory: Memory, zone: tzinfo, now: datetime) -> str:
    said, true = (weekday_words(moment, zone, now=now) for moment in (memory.created_at, memory.valid_from))
    told = f"said {moment_words(memory.created_at, zone, now)}"
    return told if said == true else f"{told}, true since {true}"


def question_body(question: Question) -> Content:
    """The question, without its answers."""
    pieces: list[str | tuple[str, str]] = []
    for name, side, colour in (("newer", question.newer, "$text"), ("older", question.older, "$text-muted")):
        pieces += [(f"{name} ", "$accent bold"), (f"{side.handle}   {side.when}\n", "$text-muted"), (side.text, colour)]
        pieces.append("\n\n")
    if question.reason:
        pieces += [(f"“{question.reason}”\n", "$text-muted italic")]
    pieces.append((question.judge, "$text-muted"))
    return Content.assemble(*pieces)


def answer_lines(question: Question, keys: Mapping[Answer, str]) -> Content:
    """The three answers, each with its key and what it does."""
    newer, older = question.newer.handle, question.older.handle
    told = {
        Answer.REPLACED: f"{newer} replaced {older}: {older} is retired, and can be restored",
        Answer.BOTH: "both are true: both stay, and this is not asked again",
        Answer.UNSURE: "not sure: both stay, asked again when either is told again",
    }
    lines = [Content.assemble((keys[answer], "$accent bold"), (f"  {words}", "$text")) for answer, words in told.items()]
    return Content("\n").join(lines)
