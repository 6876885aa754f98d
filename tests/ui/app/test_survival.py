"""The survival chart on the screen: by kind, by law, of the past, saved, and in a replay."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.locations import Home, sample_sessions
from memtui.memory.state import state_hash
from memtui.ui.mode import Mode
from memtui.ui.screens.chat_screen import ChatScreen
from memtui.ui.screens.replay_screen import ReplayScreen
from memtui.ui.screens.survival_screen import SurvivalScreen
from tests.ui.app.conftest import NARROW, TINY, WIDE, Bench, Open
from tests.ui.app.test_snapshots import Compare, Pictured, settled

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])


async def lived(b: Bench) -> None:
    for text in ("I'm allergic to shellfish", "my lunch was ramen", "the film was forgettable"):
        await b.say(text)
        b.companion.clock.advance(timedelta(days=30))
    await b.companion.forget("m02")
    await b.chat._night(b.companion)  # what a second of looking around would do
    b.chat.memories.changed(b.companion)


async def opened(b: Bench, line: str = "/survival kind") -> SurvivalScreen:
    await b.say(line)
    screen = b.app.screen
    assert isinstance(screen, SurvivalScreen)
    return screen


def note(screen: SurvivalScreen) -> str:
    return str(screen.query_one("#survival-note", Static).render())


@SIZES
async def test_by_kind_then_by_law_and_nothing_is_changed(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        before = b.companion.store.head, state_hash(b.companion.store.state), b.companion.law
        screen = await opened(b)
        for words in ("memories alive by age, by kind", "median life", "semantic", "Kaplan-Meier", "days 0"):
            assert words in b.text()
        await b.press("l")
        await b.idle()
        assert "by law" in b.text() and "salience*" in b.text() and "in force" in note(screen)
        for law in ("stability", "strength", "fsrs", "naive", "window"):
            assert law in b.text()
        await b.press("tab")
        assert "by kind" in b.text()
        await b.press("escape")
        assert b.app.screen is b.chat
        assert (b.companion.store.head, state_hash(b.companion.store.state), b.companion.law) == before


async def test_s_saves_both_files_and_never_over_others(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await lived(b)
        await opened(b)
        await b.press("s")
        await b.idle()
        await b.press("s")
        await b.idle()
        files = sorted(file.name for file in own_home.exports.iterdir())
        stem = f"survival-kind-{b.companion.clock.now():%Y-%m-%d}"
        assert files == [f"{stem}-2.png", f"{stem}-2.svg", f"{stem}.png", f"{stem}.svg"]
        assert "Saved" in b.text()
        svg = (own_home.exports / f"{stem}.svg").read_text(encoding="utf-8")
        ElementTree.fromstring(svg)
        assert "How long memories live, by kind" in svg and "3 memories, 1 retired" in svg


async def test_a_folder_that_cannot_be_written_is_told(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await lived(b)
        own_home.exports.write_text("a file", encoding="utf-8")
        screen = await opened(b)
        await b.press("s")
        await b.idle()
        assert b.app.screen is screen and "can't be written" in str(b.chat.alert_box.error)


async def test_of_the_past_that_is_shown(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        b.chat.past._show(b.companion, b.companion.clock.now() - timedelta(days=70))
        await opened(b, "/survival law")
        assert "by law · as of" in b.text() and "salience*" in b.text()


async def test_what_cannot_be_told_apart_is_said(bench: Open) -> None:
    async with bench() as b:
        await b.say("/survival colour")
        assert b.app.screen is b.chat and "no survival by 'colour'" in str(b.chat.alert_box.error)
        b.chat.prompt.draft = ""
        await opened(b)
        assert "no memories yet" in b.text()
        await b.press("s", "l", "q")


async def test_leaving_gives_up_what_is_being_lived_again(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await opened(b)
        await b.press("l", "escape")
        await b.idle()
        assert b.app.screen is b.chat


@pytest.mark.parametrize("size", [WIDE, NARROW, TINY], ids=["120x36", "80x24", "40x12"])
async def test_it_follows_the_size(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        await opened(b)
        for other in (TINY, NARROW, WIDE, size):
            await b.pilot.resize_terminal(*other)
            await b.until(lambda: "alive at" in b.text(), "the table")


async def test_in_a_replay_too(bench: Open) -> None:
    async with bench(mode=Mode(replay=sample_sessions() / "tour.jsonl", speed=16.0)) as b:
        screen = b.app.screen
        assert isinstance(screen, ReplayScreen)
        await b.until(lambda: screen.companion is not None, "the replay")
        screen.take_command("/survival law")
        await b.until(lambda: isinstance(b.app.screen, SurvivalScreen), "the chart")
        await b.press("escape")
        screen.take_command("/regret")
        await b.until(lambda: "Regret" in b.text(), "the list")
        await b.press("escape")
        screen.take_command("/sleep")
        await b.until(lambda: "work in your own chat" in b.text(), "the refusal")


# -- pictures ----------------------------------------------------------------------------------------------------------


@SIZES
@pytest.mark.parametrize("by", ["kind", "law"])
def test_picture(snap_compare: Compare, tmp_path: Path, by: str, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)

    async def before(pilot: Pilot[int]) -> None:
        await pictured.then(say=False)(pilot)
        chat = pilot.app.screen
        assert isinstance(chat, ChatScreen) and chat.companion is not None
        await chat.companion.sleep("key")  # what is due is gone: there is something to draw
        chat.take_command(f"/survival {by}")
        await quiet_app(pilot)
        await settled(pilot)

    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)


async def quiet_app(pilot: Pilot[int]) -> None:
    for _ in range(2000):
        if all(worker.is_finished for worker in pilot.app.workers):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it is never quiet")
