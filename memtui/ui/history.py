"""The conversation of a session file, as a mind gets it and as the transcript shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from memtui.minds.base import Message
    from memtui.sessions.lines import AssistantTurn, Session, UserTurn
    from memtui.ui.widgets.message_model import FinishedMessage


def exchanges(session: Session) -> list[tuple[UserTurn | None, AssistantTurn | None]]:
    """User turns with their replies, in the order they were said; a turn that waited stands behind the reply before it.

    A reply to no turn in the file stands alone; of several replies to one turn (a retry) the last counts.
    """
    from memtui.sessions.lines import AssistantTurn, UserTurn

    pairs: list[tuple[UserTurn | None, AssistantTurn | None]] = []
    place: dict[str, int] = {}
    newest = -1
    for line in session.lines:
        if isinstance(line, UserTurn):
            newest = place[line.id] = len(pairs)
            pairs.append((line, None))
        elif isinstance(line, AssistantTurn):
            at = place.get(line.reply_to, -1) if line.reply_to is not None else newest
            if at < 0 or pairs[at][0] is None:
                pairs.append((None, line))
            else:
                pairs[at] = (pairs[at][0], line)
    return pairs


def history_of(session: Session) -> list[Message]:
    """The messages of a session, oldest first; turns that got no reply are left out, so that roles alternate."""
    from memtui.minds.base import Message

    history: list[Message] = []
    for user, assistant in exchanges(session):
        if user is not None and assistant is not None and assistant.text.strip():
            history += [Message("user", user.text), Message("assistant", assistant.text)]
    return history


def messages_of(session: Session) -> list[FinishedMessage]:
    """A session as the transcript shows it: turns with their replies, and the commands in between."""
    from memtui.sessions.lines import CommandLine
    from memtui.ui.widgets.message_model import FinishedMessage

    replies = {id(user): assistant for user, assistant in exchanges(session) if user is not None}
    alone = {id(assistant) for user, assistant in exchanges(session) if user is None}
    last = session.user_turns[-1] if session.user_turns else None
    messages: list[FinishedMessage] = []
    for line in session.lines:
        if isinstance(line, CommandLine):
            messages.append(FinishedMessage("notice", line.text.removeprefix("/"), at=line.at, kind="command"))
        elif id(line) in replies:
            user, reply = cast("UserTurn", line), replies[id(line)]
            messages.append(FinishedMessage("user", user.text, id=user.id, at=user.at))
            messages.append(_reply(reply, user.id) if reply is not None else _no_reply(user, user is last))
        elif id(line) in alone:
            messages.append(_reply(cast("AssistantTurn", line), ""))
    return messages


def _no_reply(turn: UserTurn, last: bool) -> FinishedMessage:
    from memtui.ui.widgets.message_model import FinishedMessage

    error = "No reply came." + (" /retry asks this again." if last else "")
    return FinishedMessage("reply", "", id=turn.id, at=turn.at, error=error)


def _reply(reply: AssistantTurn, turn_id: str) -> FinishedMessage:
    from memtui.ui.widgets.message_model import FinishedMessage

    return FinishedMessage("reply", reply.text, id=turn_id, at=reply.at, interrupted=reply.interrupted)
