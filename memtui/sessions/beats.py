"""A session as the beats a replay plays: a user turn with its reply, a command, a probe, a line said to the watcher.

Recorded mind calls and replies are no beats of their own; they belong to the turn they were made for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

from memtui.sessions.lines import AssistantTurn, CommandLine, MindCall, Probe, Session, UserTurn

SHORTEST: Final = 0.15
"""Seconds between two beats at the highest speed: enough to see that something happened."""
LONGEST: Final = 8.0
"""Seconds between two beats, however long the text."""
_READING: Final = 28.0  # characters a second, the brisk side of people's reading speed
_BREATH: Final = 0.7  # seconds before the next beat whatever its length

Playable: TypeAlias = UserTurn | AssistantTurn | CommandLine | Probe


@dataclass(frozen=True, slots=True)
class Beat:
    """One thing that happens in a replay.

    Attributes:
        index: position, from 0.
        line: what happens; an `AssistantTurn` here answers no turn: it is said to the watcher.
        reply: the recorded reply to a user turn; None lets the mind reply.
    """

    index: int
    line: Playable
    reply: AssistantTurn | None = None


def beats_of(session: Session) -> tuple[Beat, ...]:
    """The beats of a session, in order."""
    replies = _replies(session)
    taken = {id(reply) for reply in replies.values()}
    beats: list[Beat] = []
    for line in session.lines:
        if isinstance(line, MindCall) or id(line) in taken:
            continue
        if isinstance(line, AssistantTurn) and line.reply_to is not None and line.reply_to in replies:
            continue  # an earlier attempt at the same reply
        reply = replies.get(line.id) if isinstance(line, UserTurn) else None
        beats.append(Beat(len(beats), line, reply))
    return tuple(beats)


def _replies(session: Session) -> dict[str, AssistantTurn]:
    """The last reply to each turn: by `reply_to`, else the first assistant line right behind the turn."""
    turns = {turn.id for turn in session.user_turns}
    replies: dict[str, AssistantTurn] = {}
    before: UserTurn | None = None
    for line in session.lines:
        if isinstance(line, AssistantTurn):
            if line.reply_to is not None and line.reply_to in turns:
                replies[line.reply_to] = line
            elif line.reply_to is None and before is not None:
                replies[before.id] = line
            before = None
        elif not isinstance(line, MindCall):
            before = line if isinstance(line, UserTurn) else None
    return replies


def seconds_between(beat: Beat, following: Beat, speed: float) -> float:
    """How long to rest on `beat` before `following`, in real seconds.

    Reading time of what was just said, and a little more where a day or a month went by, divided by `speed` (1 is a
    comfortable reading pace) and kept within `SHORTEST` and `LONGEST`.
    """
    said = len(_words(beat)) / _READING
    gap = following.line.at - (beat.reply or beat.line).at
    leap = 0.6 if gap >= timedelta(days=1) else 0.3 if gap >= timedelta(hours=6) else 0.0
    return min(LONGEST, max(SHORTEST, (_BREATH + said + leap) / speed))


def _words(beat: Beat) -> str:
    match beat.line:
        case UserTurn(text=text):
            return text + (beat.reply.text if beat.reply is not None else "")
        case Probe(question=text) | CommandLine(text=text) | AssistantTurn(text=text):
            return text
