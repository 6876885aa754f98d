"""A chat goes on whatever the store, the mind or the disk does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui.chat.steps import Heard, Learned, Replied, Said, Step
from memtui.clock import SimClock
from memtui.errors import InputError, MemtuiError, StoreError
from memtui.memory.texts import clean
from memtui.minds.base import Delta, Message
from memtui.sessions.format import read_session
from memtui.sessions.lines import AssistantTurn, Session, SessionHeader, UserTurn
from memtui.ui.conversation import Conversation
from memtui.ui.history import exchanges, history_of
from memtui.ui.session_log import SessionLog

NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)


class FakeCompanion:
    """Turns that say what they are told to; `hang` never says more."""

    def __init__(self, log: SessionLog, session_id: str) -> None:
        self.log, self.session_id = log, session_id
        self.clock = SimClock.frozen(NOW)
        self.history: list[Message] = []
        self.asked: list[tuple[str, str | None, bool]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.stopping = False
        self.closed = False

    def stop(self) -> None:
        self.stopping = True

    async def turn(self, text: str, *, turn_id: str | None = None, again: bool = False) -> AsyncIterator[Step]:
        self.asked.append((text, turn_id, again))
        self.stopping = False
        turn_id = turn_id or f"t{len(self.asked)}"
        self.log.user(turn_id, NOW, text)
        yield Heard(turn_id, NOW, clean(text), 0)
        yield Said(Delta("half of "))
        await self.gate.wait()
        self.log.assistant(NOW, f"reply to {text}", turn_id)
        yield Replied(f"reply to {text}", NOW, False)
        yield Learned((), (), "block")

    async def close(self) -> None:
        self.closed = True


class Notes:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def opened(self, companion: Any) -> None:
        self.said.append("opened")

    def opening_failed(self, error: MemtuiError) -> None:
        self.said.append(error)

    def waits(self, text: str, in_front: int) -> None:
        self.said.append(("waits", text, in_front))

    def begins(self, text: str, again: bool) -> None:
        self.said.append(("begins", text))

    def stepped(self, step: Step) -> None:
        self.said.append(step)

    def ended(self, broken_off: bool) -> None:
        self.said.append(("ended", broken_off))

    def broke(self, error: BaseException) -> None:
        self.said.append(error)

    def not_saved(self, error: MemtuiError) -> None:
        self.said.append(error)


class Opening:
    """An opener that can fail."""

    def __init__(self) -> None:
        self.made: FakeCompanion | None = None
        self.problem: MemtuiError | None = None

    async def __call__(self, clock: SimClock, log: SessionLog, session_id: str) -> Any:
        if self.problem is not None:
            raise self.problem
        self.made = FakeCompanion(log, session_id)
        return self.made


@pytest.fixture
def opening() -> Opening:
    return Opening()


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def conversation(tmp_path: Path, opening: Opening, notes: Notes) -> Conversation:
    return Conversation(opening, tmp_path / "sessions", SimClock.frozen(NOW), notes, mind_label="fake mind")


def on_disk(conversation: Conversation) -> Session:
    path = conversation.log.recorder.path
    assert path is not None
    return read_session(path)


async def settle(conversation: Conversation) -> None:
    for _ in range(1000):
        if not (conversation.busy or conversation.waiting):
            return
        await asyncio.sleep(0.002)
    raise AssertionError("the conversation does not settle")


async def test_what_is_said_before_the_store_is_open_is_on_disk_at_once_and_asked_in_order(
    conversation: Conversation, opening: Opening, notes: Notes
) -> None:
    await conversation.submit("first")
    await conversation.submit("second")
    assert [turn.text for turn in on_disk(conversation).user_turns] == ["first", "second"]
    assert notes.said == [("waits", "first", 0), ("waits", "second", 1)]
    await conversation.open()
    await settle(conversation)
    assert opening.made is not None
    assert [text for text, _, _ in opening.made.asked] == ["first", "second"]
    session = on_disk(conversation)
    assert len(session.user_turns) == 2  # not written twice
    assert [message.text for message in history_of(session)] == ["first", "reply to first", "second", "reply to second"]


async def test_a_turn_waits_for_the_one_before(conversation: Conversation, opening: Opening, notes: Notes) -> None:
    await conversation.open()
    assert opening.made is not None
    opening.made.gate.clear()
    await conversation.submit("first")
    await asyncio.sleep(0)
    await conversation.submit("second")
    assert ("waits", "second", 1) in notes.said
    assert len(opening.made.asked) == 1
    opening.made.gate.set()
    await settle(conversation)
    assert [text for text, _, _ in opening.made.asked] == ["first", "second"]


async def test_an_opening_that_fails_keeps_the_turns_and_can_be_tried_again(
    conversation: Conversation, opening: Opening, notes: Notes
) -> None:
    opening.problem = StoreError("no store")
    await conversation.submit("first")
    await conversation.open()
    assert opening.problem in notes.said
    assert conversation.waiting == 1
    opening.problem = None
    await conversation.open()
    await settle(conversation)
    assert ("ended", False) in notes.said


async def test_breaking_a_turn_off_keeps_what_was_said(conversation: Conversation, opening: Opening, notes: Notes) -> None:
    await conversation.open()
    assert opening.made is not None
    opening.made.gate.clear()
    await conversation.submit("first")
    for _ in range(5):
        await asyncio.sleep(0)
    assert conversation.stop()
    assert conversation.busy  # asked politely
    assert conversation.stop()
    await settle(conversation)
    assert ("ended", True) in notes.said
    reply = on_disk(conversation).lines[-1]
    assert isinstance(reply, AssistantTurn)
    assert (reply.text, reply.interrupted) == ("half of", True)
    assert not conversation.stop()


async def test_a_retry_asks_the_same_turn_again(conversation: Conversation, opening: Opening) -> None:
    with pytest.raises(InputError):
        conversation.retry()
    await conversation.open()
    await conversation.submit("first")
    await settle(conversation)
    conversation.retry()
    await settle(conversation)
    assert opening.made is not None
    assert opening.made.asked == [("first", None, False), ("first", "t1", True)]
    assert len(on_disk(conversation).user_turns) == 1


async def test_other_chats(conversation: Conversation, opening: Opening) -> None:
    await conversation.open()
    await conversation.submit("first")
    await settle(conversation)
    first = conversation.log.recorder.path
    assert first is not None
    await conversation.new()
    assert conversation.log.recorder.path is None  # an empty chat leaves no file
    assert opening.made is not None
    assert opening.made.history == []
    await conversation.submit("other")
    await settle(conversation)
    session = await conversation.resume(first)
    assert [turn.text for turn in session.user_turns] == ["first"]
    assert [message.text for message in opening.made.history] == ["first", "reply to first"]
    assert opening.made.session_id == first.stem
    await conversation.submit("again")
    await settle(conversation)
    assert [turn.text for turn in read_session(first).user_turns] == ["first", "again"]


async def test_no_other_chat_while_a_reply_is_written(conversation: Conversation, opening: Opening) -> None:
    await conversation.open()
    assert opening.made is not None
    opening.made.gate.clear()
    await conversation.submit("first")
    await asyncio.sleep(0)
    with pytest.raises(InputError):
        await conversation.new()
    opening.made.gate.set()
    await settle(conversation)


async def test_a_bug_in_a_turn_is_handed_on(conversation: Conversation, opening: Opening, notes: Notes) -> None:
    await conversation.open()
    assert opening.made is not None
    opening.made.gate = None  # type: ignore[assignment]
    await conversation.submit("first")
    await settle(conversation)
    assert isinstance(notes.said[-1], AttributeError)


async def test_closing_mid_turn_keeps_the_turn_and_what_was_said(conversation: Conversation, opening: Opening) -> None:
    await conversation.open()
    assert opening.made is not None
    opening.made.gate.clear()
    await conversation.submit("first")
    for _ in range(5):
        await asyncio.sleep(0)
    path = conversation.log.recorder.path
    await conversation.close(patience_s=0.05)
    assert opening.made.closed
    assert path is not None
    lines = read_session(path).lines
    assert isinstance(lines[0], UserTurn)
    assert isinstance(lines[-1], AssistantTurn)
    assert lines[-1].interrupted


async def test_a_disk_that_is_full_is_said_and_the_turn_goes_on(
    conversation: Conversation, opening: Opening, notes: Notes, tmp_path: Path
) -> None:
    (tmp_path / "sessions").write_text("a file where the folder belongs")
    await conversation.submit("first")
    assert isinstance(notes.said[-1], MemtuiError)
    assert conversation.waiting == 1


def test_turns_without_a_reply_are_left_out_of_the_prompt() -> None:
    lines = (
        UserTurn("a", NOW, "one"),
        UserTurn("b", NOW, "two"),
        AssistantTurn(NOW, "to one", "a"),
        AssistantTurn(NOW, "to two, cut", "b", True),
        AssistantTurn(NOW, "to two", "b"),
        UserTurn("c", NOW, "three"),
        AssistantTurn(NOW, "hello", None),
        UserTurn("d", NOW, "never answered"),
        AssistantTurn(NOW, "to nobody", "zz"),
    )
    session = Session(Path("x"), SessionHeader("x"), lines)
    assert [m.text for m in history_of(session)] == ["one", "to one", "two", "to two", "three", "hello"]
    assert [(u.id if u else None, a.text if a else None) for u, a in exchanges(session)] == [
        ("a", "to one"),
        ("b", "to two"),
        ("c", "hello"),
        ("d", None),
        (None, "to nobody"),
    ]
