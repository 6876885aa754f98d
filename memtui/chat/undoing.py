"""What an undo takes back, and how that is said."""

from __future__ import annotations

from typing import Final

from memtui.memory.events import Body, Judged, SetAside
from memtui.memory.model import YOU
from memtui.memory.state import State

_NO_CHANGE: Final = frozenset({"warped", "undone", "recalled", "turned", "judged"})
"""Events that leave nothing a person would want to undo."""
_WHAT: Final = {
    "slept": "the sleep pass",
    "turned": "the turn",
    "learned": "the skill",
    "practised": "the report on a skill",
}


def last_undoable(state: State) -> str | None:
    """The last block that changed something by the person's hand or a pass, and was not undone."""
    undone = state.undone()
    for block in reversed(state.blocks):
        if block not in undone and any(_matters(event.body) for event in state.blocks[block]):
            return block
    return None


def undone_words(state: State, block: str) -> str:
    """What taking back a block does, in one sentence."""
    bodies = [event.body for event in state.blocks[block]]
    touched = len(state.touched_by(block))
    counted = f"{touched} memor{'y' if touched == 1 else 'ies'} as before"
    if any(_is_answer(body) for body in bodies):
        return f"Undone: your answer ({counted})." if touched else "Undone: your answer."
    last = bodies[-1].type
    return f"Undone: {_WHAT.get(last, repr(last))} ({counted})."


def _matters(body: Body) -> bool:
    return _is_answer(body) or body.type not in _NO_CHANGE


def _is_answer(body: Body) -> bool:
    return isinstance(body, SetAside) or (isinstance(body, Judged) and body.judge == YOU)
