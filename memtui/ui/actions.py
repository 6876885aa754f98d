"""One registry of what can be done on the screen: it feeds the bindings, the key line, the help and the palette.

Keys are given by id, so that `ui.keys` in the settings can put others in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding

Group = Literal["chat", "memory", "time", "sessions", "program"]
Where = Literal["app", "chat", "live", "replay"]

GROUPS: Final[Mapping[Group, str]] = {
    "chat": "Talking",
    "memory": "Memory",
    "time": "Time",
    "sessions": "Chats",
    "program": "Program",
}
"""The groups in the order the help shows them, with their headings."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does.

    Attributes:
        id: stable name; users remap by it.
        key: the key (or keys, with commas) it has by default.
        action: what Textual runs.
        label: one or two words, for the key line and the palette.
        tooltip: one sentence, for the help and the palette.
        where: `app` works everywhere, `chat` on every chat, `live` on the own chat only, `replay` while a file plays.
        line: place in the key line, from the left; None leaves it out.
        short: kept in the key line when there is little room.
    """

    id: str
    key: str
    action: str
    label: str
    tooltip: str
    group: Group
    where: Where = "chat"
    line: int | None = None
    short: bool = False

    def binding(self) -> Binding:
        """The Textual binding; before whatever has the focus, since the prompt takes most control keys for editing."""
        return Binding(
            self.key,
            self.action,
            self.label,
            tooltip=self.tooltip,
            id=self.id,
            priority=self.id not in _YIELDING,
            show=False,
        )


ACTIONS: Final[tuple[Action, ...]] = (
    Action("chat.stop", "escape", "stop", "stop", "Stop the reply; what came so far is kept.", "chat"),
    Action("chat.prompt", "f3", "focus_prompt", "write", "Go back to the prompt.", "chat"),
    Action("chat.retry", "f8", "retry", "retry", "Ask again for the last reply.", "chat", "live"),
    Action("chat.copy", "ctrl+c", "copy", "copy", "Copy what is selected.", "chat", "app"),
    Action(
        "memory.sleep",
        "ctrl+l",
        "sleep",
        "sleep",
        "Run the sleep pass: merge, retire, prune.",
        "memory",
        "live",
        line=0,
        short=True,
    ),
    Action(
        "memory.panel",
        "ctrl+e",
        "memory",
        "memory",
        "Go to the memories, or open their drawer.",
        "memory",
        line=2,
        short=True,
    ),
    Action(
        "memory.remember", "f2", "remember", "remember", "Keep something, whatever the mind thinks of it.", "memory", "live"
    ),
    Action(
        "memory.settle", "f7", "conflicts", "settle", "Settle memories that may contradict each other.", "memory", "live"
    ),
    Action("memory.whatif", "ctrl+o", "what_if", "what if", "See memory as it would be under another law.", "memory"),
    Action("memory.undo", "f9", "undo", "undo", "Take back the last change to memory.", "memory", "live"),
    Action(
        "time.slider",
        "ctrl+t",
        "time",
        "time",
        "Go to the time line: look ahead, then go there.",
        "time",
        line=1,
        short=True,
    ),
    Action("time.forecast", "f12", "forecast", "forecast", "See who fades when, and how many are left.", "time"),
    Action("time.pause", "f5", "pause", "pause", "Stop simulated time, or let it run again.", "time", "live", line=3),
    Action("time.speed", "f6", "speed", "speed", "Run simulated time at 1x, 60x or 3600x.", "time", "live"),
    Action(
        "sessions.open",
        "ctrl+r",
        "sessions",
        "sessions",
        "Open, rename or delete earlier chats.",
        "sessions",
        "live",
        line=4,
    ),
    Action("sessions.new", "ctrl+n", "new_chat", "new chat", "Begin a new chat; memory stays.", "sessions", "live"),
    Action("program.help", "f1", "help", "help", "Keys and commands.", "program", "app", line=5, short=True),
    Action("program.palette", "ctrl+p", "command_palette", "commands", "Find anything by name.", "program", "app", line=6),
    Action("program.quit", "ctrl+q", "quit", "quit", "Leave; everything is kept.", "program", "app"),
    Action("replay.toggle", "space", "play_pause", "play", "Play or pause.", "sessions", "replay", line=0, short=True),
    Action(
        "replay.step", "right", "step", "next", "Play one more turn, then stand.", "sessions", "replay", line=1, short=True
    ),
    Action("replay.back", "left", "back", "back", "Back one turn.", "sessions", "replay", line=2, short=True),
    Action("replay.faster", "up", "faster", "faster", "Play faster.", "sessions", "replay", line=3),
    Action("replay.slower", "down", "slower", "slower", "Play slower.", "sessions", "replay"),
    Action("replay.start", "home", "seek('start')", "begin", "Back to the beginning.", "sessions", "replay"),
    Action("replay.end", "end", "seek('end')", "end", "To the end.", "sessions", "replay"),
    Action("replay.leave", "q", "leave", "leave", "Leave the replay.", "sessions", "replay", line=4, short=True),
)
"""Everything the screens do by key. What works inside one widget alone is in that widget's own bindings."""

_YIELDING: Final = frozenset({"chat.stop", "chat.copy"}) | {a.id for a in ACTIONS if a.where == "replay"}
"""Actions whose key means something else first to whoever has the focus."""


def actions_for(*where: Where) -> tuple[Action, ...]:
    """The actions of these places, in the order of the registry."""
    return tuple(action for action in ACTIONS if action.where in where)


def bindings_for(*where: Where) -> list[Binding]:
    """The bindings of these places."""
    return [action.binding() for action in actions_for(*where)]


def key_line(*where: Where) -> list[Action]:
    """What the key line shows in these places, from the left."""
    shown = [action for action in actions_for(*where) if action.line is not None]
    return sorted(shown, key=lambda action: action.line or 0)


def by_id(action_id: str) -> Action | None:
    """The action of an id, or None."""
    return next((action for action in ACTIONS if action.id == action_id), None)


def keymap_of(keys: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The user's keys that can be used, and a sentence for each that can't (no such action, or two with one key)."""
    usable: dict[str, str] = {}
    problems: list[str] = []
    for action_id, key in keys.items():
        if by_id(action_id) is None:
            problems.append(f"There is no action '{action_id}' to give the key '{key}'.")
        elif not key.strip():
            problems.append(f"The key for '{action_id}' is empty.")
        else:
            usable[action_id] = key.strip()
    return usable, problems


def key_words(keys: str) -> str:
    """Keys as people write them: `ctrl+l`, `esc`, `→`."""
    return ", ".join(_KEY_NAMES.get(key, key) for key in (part.strip() for part in keys.split(",")))


_KEY_NAMES: Final = {
    "escape": "esc",
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "slash": "/",
    "question_mark": "?",
    "shift+right": "shift+→",
    "shift+left": "shift+←",
    "ctrl+right": "ctrl+→",
    "ctrl+left": "ctrl+←",
}
