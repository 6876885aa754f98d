"""Every size a terminal may have, and changing it while something happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from memtui.minds.base import Delta, Prompt
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NARROW, TINY, WIDE, Open


async def test_wide_shows_everything(bench: Open) -> None:
    async with bench(size=WIDE) as b:
        await b.say("vegetarian")
        screen = b.text()
        for part in ("memtui", "Active 1", "Say something", "+40d", "ctrl+l sleep", "importance"):
            assert part in screen
        assert "» " not in screen.splitlines()[-6]
        assert not b.chat.strip.display


async def test_narrow_has_a_strip_and_a_drawer(bench: Open) -> None:
    async with bench(size=NARROW) as b:
        await b.say("vegetarian")
        assert "1 active" in b.text()
        assert "Active 1" not in b.text()
        await b.press("ctrl+e")
        assert "Active 1" in b.text()
        assert b.focus == "memory-rows"
        assert b.chat.side.size.width <= 60
        await b.press("escape")
        assert "Active 1" not in b.text()
        assert b.focus == "prompt"
        await b.press("ctrl+e", "ctrl+e")
        assert not b.chat.drawer_open


async def test_tiny_keeps_transcript_prompt_and_the_minds_name(bench: Open) -> None:
    async with bench(size=TINY) as b:
        await b.say("vegetarian")
        screen = b.text()
        assert "All right." in screen
        assert "Say something" in screen
        assert "scripted mind" in screen
        assert "ctrl+l" not in screen
        await b.press("ctrl+t", "end")
        assert "+40d" in b.text()  # shown while it is wanted
        await b.press("escape", "ctrl+t")
        assert "+40d" not in b.text()
        await b.press("ctrl+e")
        assert "Active 1" in b.text()


class Chatty(ScriptedMind):
    """Streams until told to stop."""

    async def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        for number in range(100_000):
            yield Delta(f"word{number} ")
            await asyncio.sleep(0.005)


async def test_resizing_while_a_reply_streams_breaks_nothing(bench: Open) -> None:
    async with bench(Chatty()) as b:
        b.chat.prompt.draft = "go on"
        await b.press("enter")
        for size in (NARROW, TINY, (20, 5), (200, 60), (1, 1), WIDE, NARROW):
            await b.pilot.resize_terminal(*size)
            await b.pilot.pause(0.02)
        await b.press("ctrl+e")
        await b.until(lambda: b.focus == "memory-rows", "the drawer")
        await b.pilot.resize_terminal(*WIDE)
        await b.until(lambda: b.chat.is_wide and not b.chat.side.has_class("-open"), "the panel")
        assert b.focus == "memory-rows"  # the drawer became the panel, the focus stayed
        await b.pilot.resize_terminal(*NARROW)
        await b.until(lambda: b.chat.drawer_open, "the drawer again")
        await b.press("escape", "escape")
        await b.idle()
        assert "word1 " in b.messages()[-1]


async def test_every_screen_fits_every_size(bench: Open) -> None:
    async with bench() as b:
        await b.say("vegetarian")
        memory = b.companion.store.frame.ids[0]
        for open_it in ("f1", "ctrl+r", "ctrl+l", "ctrl+p", "why", "edit"):
            if open_it in ("why", "edit"):
                b.chat.memories.asked(open_it, memory)
            else:
                await b.press(open_it)
            await b.pilot.pause(0.05)
            assert b.app.screen is not b.chat, open_it
            for size in (NARROW, TINY, (20, 6), WIDE):
                await b.pilot.resize_terminal(*size)
                await b.pilot.pause()
                assert b.text().strip(), (open_it, size)
            await b.press("escape")
            await b.until(lambda: b.app.screen is b.chat, f"back from {open_it}")


async def test_without_colour_the_bars_still_read(bench: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench() as b:
        await b.say("vegetarian")
        assert "█" in b.text()
        assert "┆" in b.text()
