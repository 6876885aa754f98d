"""What people paste and models answer must be harmless everywhere on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from memtui.locations import Home
from memtui.memory.model import Candidate
from memtui.minds.base import Delta, Prompt
from memtui.sessions.format import read_session
from tests.doubles import ScriptedMind, candidate
from tests.ui.app.conftest import NARROW, Open

HOSTILE = {
    "markup": "[red]not red[/red] [@click=app.quit]x[/] [/] [b",
    "surrogates": "half \ud800 of \udfff it",
    "nul": "a\x00b\x1b[31mc\x07",
    "rtl": "\u202eevil\u202c שלום مرحبا",
    "cjk": "我住在里斯本，吃素。",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇵🇹",
    "zalgo": "Z" + "\u0301\u0316\u0345" * 60,
    "escapes": "\x1b]52;c;aGFjaw==\x07\x1b[2J\x9b31m",
    "blank": "\u200b\u2060\u00ad",
    "long word": "x" * 5_000,
    "percent": "{0} %s \\n $HOME `rm -rf`",
}


FORBIDDEN = "\x00\x1b\x07\x9b\u202e\ud800"
"""What no cell of the screen may hold."""


class Echo(ScriptedMind):
    """Says and keeps what it was told, raw."""

    async def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        yield Delta(prompt.messages[-1].text)
        yield Delta(prompt.messages[-1].text)

    async def extract(self, text: str, now: datetime, recent: object = ()) -> list[Candidate]:
        return [candidate(text, now)]


async def test_hostile_text_is_shown_kept_and_read_again(bench: Open, own_home: Home) -> None:
    async with bench(Echo(), size=NARROW) as b:
        for name, text in HOSTILE.items():
            await b.say("  " + text)
            shown = b.text()
            assert not any(c in shown for c in FORBIDDEN), name
        frame = b.companion.store.frame
        assert len(frame) >= len(HOSTILE) - 2  # nothing but blanks is no memory
        await b.press("ctrl+e")
        for memory in frame.ids:
            b.chat.panel.select(memory)
            b.chat.memories.asked("why", memory)
            await b.pilot.pause()
            assert not any(c in b.text() for c in FORBIDDEN)
            await b.press("escape")
        b.chat.memories.asked("edit", frame.ids[0])
        await b.press("escape", "escape", "ctrl+r")
        await b.idle()
        await b.press("enter")
        await b.press("ctrl+l")
        await b.idle()
        assert not any(c in b.text() for c in FORBIDDEN)
        await b.press("escape")
    (file,) = own_home.sessions.glob("*.jsonl")
    assert len(read_session(file).user_turns) == len(HOSTILE)
    async with bench() as b:
        b.chat.work(b.chat.chats.resume(file), "chats")
        await b.idle()
        assert not any(c in b.text() for c in FORBIDDEN)
        await b.press("ctrl+r")
        await b.idle()
        assert b.text()


async def test_a_megabyte_pasted_is_one_turn(bench: Open, own_home: Home) -> None:
    text = ("All work and no play makes memtui a dull program. " * 21_000)[: 1 << 20]
    async with bench() as b:
        b.chat.prompt.insert_text(text)
        assert "pasted 1,048,576 characters" in b.text().replace("\n", "") or b.chat.prompt.draft == text
        await b.press("enter")
        await b.idle()
        assert b.messages()[0] == f"user: {text}".rstrip() or len(b.messages()[0]) > 1_000_000
        await b.press("ctrl+e", "down")
    (file,) = own_home.sessions.glob("*.jsonl")
    assert len(read_session(file).user_turns[0].text) > 1_000_000


async def test_a_reply_of_ten_thousand_lines(bench: Open) -> None:
    mind = ScriptedMind()
    mind.replies = [[f"line {number}\n" for number in range(10_000)]]
    async with bench(mind) as b:
        await b.say("go")
        assert "line 9999" in b.messages()[-1]
        await b.say("and on")
        assert b.messages()[-1] == "reply: All right."


async def test_a_session_file_with_a_broken_line_is_named_and_nothing_is_lost(bench: Open, own_home: Home) -> None:
    own_home.sessions.mkdir(parents=True)
    broken = own_home.sessions / "broken.jsonl"
    broken.write_text('{"type":"session","format":"memtui-session","version":1,"title":"Broken"}\n{"type":"user"}\n{}\n')
    async with bench() as b:
        await b.say("mine")
        await b.press("ctrl+r")
        await b.idle()
        await b.press(*"Broken")
        await b.press("enter")
        await b.idle()
        assert b.chat.alert_box.error is not None
        assert "broken.jsonl:2" in b.chat.alert_box.error.what
        assert b.messages() == ["user: mine", "reply: All right."]
        await b.say("/replay broken")
        assert "broken.jsonl:2" in b.chat.alert_box.error.what


async def test_a_full_disk_is_said_and_the_talk_goes_on(
    bench: Open, own_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench() as b:
        await b.say("before")

        def no_space(descriptor: int, data: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("memtui.sessions.appendfile.os.write", no_space)
        await b.say("during")
        assert "No space left on device" in str(b.chat.alert_box.error)
        assert "reply: All right." in b.messages()
        monkeypatch.undo()
        await b.say("after")
    (file,) = own_home.sessions.glob("*.jsonl")
    assert [turn.text for turn in read_session(file).user_turns] == ["before", "during", "after"]


async def test_a_home_that_cannot_be_made(bench: Open, own_home: Home, tmp_path: Path) -> None:
    own_home.data.write_text("a file where the folder belongs")
    async with bench(wait=False) as b:
        await b.until(lambda: b.chat.alert_box.error, "the alert")
        await b.pilot.pause()
        b.chat.prompt.draft = "kept in memory at least"
        await b.press("enter")
        await b.until(lambda: b.chat.conversation.waiting == 1)
        assert "memory is not open" in b.text()
