"""Turns through the whole app: transcript, panel, session file, waiting, retrying, stopping."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from memtui.chat.opening import open_companion
from memtui.clock import SimClock
from memtui.errors import MindUnreachableError, StoreError
from memtui.locations import Home
from memtui.minds.base import Delta, Mind, Prompt
from memtui.sessions.format import read_session
from memtui.ui.session_log import SessionLog
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NARROW, Open, settings


class Hanging(ScriptedMind):
    """Says one word, then nothing until it is cancelled."""

    async def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        yield Delta("Well ")
        await asyncio.sleep(3600)


async def test_a_turn_shows_its_reply_its_memories_and_what_was_learned(bench: Open, offline: Mind) -> None:
    async with bench(offline) as b:
        await b.say("I just moved to Lisbon. Berlin didn't work out.", "Where do I live now?")
        assert [m.split(":")[0] for m in b.messages()] == ["user", "reply", "user", "reply"]
        assert "Lisbon" in b.messages()[-1]
        screen = b.text()
        assert "Active 1" in screen
        assert "1 memory" in screen
        assert "of 145 tok" in screen
        assert "offline mind" in screen
        assert b.chat.panel.selected is not None  # the card follows what the talk is about


async def test_the_chat_is_on_disk_and_the_memory_too(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await b.say("The door code is 4711")
    (file,) = own_home.sessions.glob("*.jsonl")
    assert [turn.text for turn in read_session(file).user_turns] == ["The door code is 4711"]
    async with bench() as b:
        assert "A new chat. 1 memory from before is there." in b.text()
        assert "Active 1" in b.text()


async def test_an_empty_chat_leaves_no_file(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await b.press("enter")
        await b.say("   ")
    assert not own_home.sessions.exists()


async def test_typing_works_before_memory_is_open(bench: Open, own_home: Home) -> None:
    gate, mind = asyncio.Event(), ScriptedMind()

    async def later(clock: SimClock, log: SessionLog, session_id: str) -> Any:
        await gate.wait()
        return await open_companion(settings(), own_home, clock=clock, log=log, session_id=session_id, mind=mind)

    async with bench(opener=later, wait=False) as b:
        await b.pilot.press(*"hello", "enter")
        await b.until(lambda: list(own_home.sessions.glob("*.jsonl")), "the session file")
        assert "waits: hello" in b.text()
        assert "opening memory" in b.text()
        gate.set()
        await b.open()
        assert b.messages() == ["user: hello", "reply: All right."]
    (file,) = own_home.sessions.glob("*.jsonl")
    assert len(read_session(file).user_turns) == 1


async def test_memory_that_cannot_be_opened_is_told_and_tried_again(bench: Open, own_home: Home) -> None:
    problem: list[StoreError] = [StoreError("The store is locked.", todo="Close the other memtui.")]

    async def opening(clock: SimClock, log: SessionLog, session_id: str) -> Any:
        if problem:
            raise problem.pop()
        return await open_companion(settings(), own_home, clock=clock, log=log, session_id=session_id, mind=ScriptedMind())

    async with bench(opener=opening, wait=False) as b:
        await b.until(lambda: b.chat.alert_box.error, "the alert")
        await b.pilot.pause()
        assert "The store is locked." in b.text()
        await b.say("kept")
        assert b.chat.companion is None
        b.chat.prompt.draft = "/retry"
        await b.pilot.press("enter")
        await b.open()
        assert "user: kept" in b.messages()


async def test_a_turn_typed_while_a_reply_is_written_waits_and_escape_stops_the_reply(bench: Open) -> None:
    mind = Hanging()
    async with bench(mind) as b:
        b.chat.prompt.draft = "first"
        await b.press("enter")
        await b.until(lambda: "reply: Well " in b.messages(), "the first word")
        b.chat.prompt.draft = "second"
        await b.press("enter")
        await b.until(lambda: b.chat.conversation.waiting == 1)
        assert "waits: second" in b.text()
        await b.press("escape")
        await b.until(lambda: "user: second" in b.messages(), "the second turn")
        assert "reply: Well" in b.messages()[1]
        await b.until(lambda: b.messages()[-1] == "reply: Well ")
        await b.press("escape")
        await b.idle()
        assert "interrupted" in b.text()
        assert len(b.companion.store.frame) == 2  # both turns were taken in


async def test_a_failing_mind_keeps_the_turn_and_retry_asks_again(bench: Open, own_home: Home) -> None:
    mind = ScriptedMind()
    mind.replies = [["Half a ", MindUnreachableError("The line is dead.", todo="Check the cable.")], ["Here I am."]]
    async with bench(mind) as b:
        await b.say("hello")
        assert "The line is dead." in b.text()
        assert b.chat.alert_box.error is not None
        await b.say("/retry")
        assert b.messages()[-1] == "reply: Here I am."
        assert b.chat.alert_box.error is None
        assert b.companion.store.frame.recalls[0] == 0  # telling it once is telling it once
    (file,) = own_home.sessions.glob("*.jsonl")
    assert len(read_session(file).user_turns) == 1


async def test_an_alert_opens_in_full_on_an_empty_prompt_and_goes_on_escape(bench: Open) -> None:
    mind = ScriptedMind()
    mind.replies = [[MindUnreachableError("The line is dead.", todo="Check the cable.")]]
    async with bench(mind) as b:
        await b.say("hello")
        await b.press("enter")
        assert type(b.app.screen).__name__ == "ErrorScreen"
        assert "Check the cable." in b.text()
        await b.press("escape")
        assert b.app.screen is b.chat
        assert b.chat.alert_box.error is None


async def test_earlier_chats_are_continued_renamed_deleted_and_brought_back(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await b.say("the first chat", "/new")
        await b.say("the second chat")
        await b.press("ctrl+r")
        await b.idle()
        assert "the first chat" in b.text()
        await b.press("down", "ctrl+d")
        await b.idle()
        assert len(list(own_home.sessions.glob("*.jsonl"))) == 1
        await b.press("ctrl+z")
        await b.idle()
        assert len(list(own_home.sessions.glob("*.jsonl"))) == 2
        await b.press(*"first")
        await b.press("ctrl+o", "end", *" of all", "enter")
        await b.idle()
        assert "the first chat of all" in b.text()
        await b.press(*"first")
        await b.press("enter")
        await b.idle()
        assert b.messages() == ["user: the first chat", "reply: All right."]
        assert "the first chat of all" in b.text()
        await b.say("and on")
        assert len(b.companion.history) == 4


async def test_a_chat_that_ended_mid_turn_can_be_taken_up(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await b.say("answered")
        b.chat.conversation.log.user("lonely", b.companion.clock.now(), "never answered")
    (file,) = own_home.sessions.glob("*.jsonl")
    async with bench() as b:
        b.chat.work(b.chat.chats.resume(file), "chats")
        await b.idle()
        assert "No reply came. /retry asks this again." in b.text()
        await b.say("/retry")
        assert b.messages()[-1] == "reply: All right."
        assert len(b.companion.store.frame) == 2


async def test_a_chat_is_written_out(bench: Open, tmp_path: Path) -> None:
    async with bench() as b:
        await b.say(f"/export {tmp_path / 'none.md'}")
        assert b.chat.alert_box.error is not None
        b.chat.prompt.draft = ""
        await b.say("hello", f"/export {tmp_path / 'chat.md'}", f"/export {tmp_path / 'chat.jsonl'}")
        assert "hello" in (tmp_path / "chat.md").read_text()
        assert read_session(tmp_path / "chat.jsonl").user_turns[0].text == "hello"
        await b.say(f"/export {tmp_path / 'chat.md'}")
        assert "is there already" in b.text()


async def test_up_brings_back_what_was_said_in_the_last_chat(bench: Open) -> None:
    async with bench() as b:
        await b.say("remember the milk")
    async with bench(size=NARROW) as b:
        await b.press("up")
        assert b.chat.prompt.draft == "remember the milk"
