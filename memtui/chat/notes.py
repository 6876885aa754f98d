"""The note beside a memory's text: why it matters, the words that support it, the slot's value. Kept apart from the
events, so that erasing a text erases what its note quotes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memtui.memory.ledger import canonical
from memtui.memory.model import Candidate


@dataclass(frozen=True, slots=True)
class Note:
    """What a note says; empty strings where nothing is known."""

    why: str = ""
    support: str = ""
    value: str = ""


def note_of(candidate: Candidate) -> str:
    """The note's stored text (canonical JSON)."""
    return canonical({"support": candidate.support, "value": candidate.value or "", "why": candidate.why})


def read_note(text: str) -> Note:
    """The note of a stored text; an erased or unreadable one is empty."""
    try:
        data = json.loads(text) if text else {}
    except ValueError:
        return Note()
    if not isinstance(data, dict):
        return Note()
    return Note(*(str(data.get(key, "")) for key in ("why", "support", "value")))
