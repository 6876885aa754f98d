"""The prompt of a turn: recent conversation, and memories as quoted data with ids and dates."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memtui.memory.conflicts import disputed
from memtui.memory.model import Memory, Trust
from memtui.memory.recall import Recollection
from memtui.memory.skill import brief
from memtui.minds.base import Message, Prompt, Remembered, language_of
from memtui.minds.tokens import count_tokens

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.looking_back import Then

_HISTORY_TOKENS = 1500
_HISTORY_MESSAGES = 12


def build_prompt(
    companion: Companion, recollection: Recollection, text: str, now: datetime, then: Then | None = None
) -> Prompt:
    """What the mind gets for the user's turn `text`: the last messages that fit, and the memories recall chose.

    Args:
        then: the moment of the past the memories are of; there was no conversation then.
    """
    seen = companion if then is None else then
    frame = companion.store.frame if then is None else then.frame
    rivals = disputed(seen.conflicts(), (item.memory for item in recollection.items))
    memories = []
    for item in recollection.items:
        memory = frame.memories[item.row]
        memories.append(
            Remembered(
                id=seen.handle(memory.id),
                text=_quoted(memory, frame.texts[item.row]),
                said_at=memory.created_at,
                valid_from=memory.valid_from,
                passed=item.passed,
                against=tuple(seen.handle(other) for other in rivals.get(memory.id, ())),
                how_to=memory.skill is not None,
                unverified=memory.skill is not None and memory.skill.trust is Trust.UNTRUSTED,
            )
        )
    history = _recent(companion.history[:-1]) if then is None else []
    return Prompt((*history, Message("user", text)), tuple(memories), now, language_of(text))


def _quoted(memory: Memory, text: str) -> str:
    """A memory as the prompt quotes it; of a skill its brief, for the whole may be pages long."""
    mark = memory.skill
    return text if mark is None else brief(text, trusted=mark.trust is Trust.TRUSTED, outcome=mark.outcome)


def _recent(history: list[Message]) -> list[Message]:
    kept: list[Message] = []
    spent = 0
    for message in reversed(history[-_HISTORY_MESSAGES:]):
        spent += count_tokens(message.text)
        if spent > _HISTORY_TOKENS:
            break
        kept.append(message)
    return kept[::-1]
