"""Regret on the screen: the foot of the panel, the list, restoring and forgetting from it, the past, a replay."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from memtui.chat.commands import run_command
from memtui.memory.state import state_hash
from memtui.ui.screens.card_screen import CardScreen
from memtui.ui.screens.chat_screen import ChatScreen
from memtui.ui.screens.regret_screen import RegretScreen
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NARROW, TINY, WIDE, Bench, Open
from tests.ui.app.test_snapshots import Compare, Pictured, quiet, settled

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])
TROMBONE, BREAD = "The trombone man plays on the U8", "Grandmother bakes walnut bread"


async def regretful(b: Bench, mind: ScriptedMind) -> None:
    """Something that faded and is asked for; something that is kept and never used."""
    await b.say(TROMBONE)
    b.companion.clock.advance(timedelta(days=200))
    await b.chat._night(b.companion)  # what a second of looking around would do
    await b.say(BREAD)
    b.companion.clock.advance(timedelta(days=20))
    mind.extracted = []
    await b.say("Who plays the trombone?")
    assert b.companion.store.frame.active.tolist() == [False, True]


async def listed(b: Bench) -> RegretScreen:
    await b.say("/regret")
    screen = b.app.screen
    assert isinstance(screen, RegretScreen)
    return screen


def rows(screen: RegretScreen) -> str:
    options = screen.query_one(OptionList)
    return "\n".join(str(options.get_option_at_index(i).prompt) for i in range(options.option_count))


def about(screen: RegretScreen) -> str:
    return str(screen.query_one("#regret-about", Static).render())


@SIZES
async def test_the_foot_says_it_and_the_list_shows_it(bench: Open, size: tuple[int, int]) -> None:
    mind = ScriptedMind()
    async with bench(mind, size=size) as b:
        assert not b.chat.panel.foot.display
        await regretful(b, mind)
        assert b.chat.panel.foot.words == "regret 1 · never used 1" and b.chat.panel.foot.has_class("-shown")
        assert ("regret 1 · never used 1" in b.text()) == (size == WIDE)
        before = b.companion.store.head, state_hash(b.companion.store.state)
        screen = await listed(b)
        text = b.text()
        for words in ("later question would have needed it (1)", "14 days or more without a recall (1)", "pruned · 1 time"):
            assert words in text
        assert TROMBONE[:24] in text and BREAD[:24] in text and "“Who plays the trombone?”" in about(screen)
        await b.press("down")
        assert "no reply ever needed it" in about(screen)
        await b.press("escape")
        assert b.app.screen is b.chat
        assert (b.companion.store.head, state_hash(b.companion.store.state)) == before


async def test_restore_and_forget_each_where_it_makes_sense(bench: Open) -> None:
    mind = ScriptedMind()
    async with bench(mind) as b:
        await regretful(b, mind)
        screen = await listed(b)
        await b.press("f")  # the trombone is forgotten already
        await b.idle()
        assert b.companion.store.frame.active.tolist() == [False, True]
        await b.press("r")
        await b.idle()
        assert b.companion.store.frame.active.tolist() == [True, True] and "needed it: none" in rows(screen)
        assert b.chat.panel.foot.words == "never used 1"
        await b.press("r")
        await b.idle()
        await b.press("f")
        await b.idle()
        assert b.companion.store.frame.active.tolist() == [True, False]
        assert "without a recall: none" in rows(screen) and "Nothing to regret" in about(screen)
        assert not b.chat.panel.foot.has_class("-shown")
        await b.press("escape", "f9")
        await b.idle()
        assert b.chat.panel.foot.words == "never used 1"


async def test_enter_opens_the_card_and_its_keys_work_from_there(bench: Open) -> None:
    mind = ScriptedMind()
    async with bench(mind) as b:
        await regretful(b, mind)
        screen = await listed(b)
        await b.press("enter")
        assert isinstance(b.app.screen, CardScreen) and TROMBONE in b.text()
        await b.press("r")
        await b.idle()
        assert len(b.app.screen_stack) == 2 and "needed it: none" in rows(screen)
        assert BREAD[:20] in rows(screen)


async def test_tab_goes_from_one_list_to_the_other_and_the_foot_can_be_clicked(bench: Open) -> None:
    mind = ScriptedMind()
    async with bench(mind) as b:
        await regretful(b, mind)
        await b.pilot.click("#memory-foot")
        await b.idle()
        screen = b.app.screen
        assert isinstance(screen, RegretScreen)
        options = screen.query_one(OptionList)
        places = []
        for _ in range(3):
            places.append(options.highlighted)
            await b.press("tab")
        assert places == [1, 3, 1]


async def test_the_past_has_its_own_and_can_only_be_read(bench: Open) -> None:
    mind = ScriptedMind()
    async with bench(mind) as b:
        await regretful(b, mind)
        b.chat.past._show(b.companion, b.companion.clock.now() - timedelta(days=1))
        assert b.chat.panel.foot.words == "never used 1", "it had not been asked for yet"
        screen = await listed(b)
        assert "read-only" in b.text() and "f forget" not in b.text()
        await b.press("f", "r")
        await b.idle()
        assert b.companion.store.frame.active.tolist() == [False, True] and screen.is_attached
        await b.press("escape")
        b.chat.past.end()
        assert b.chat.panel.foot.words == "regret 1 · never used 1"


async def test_after_the_next_start_it_is_the_same(bench: Open) -> None:
    from memtui.clock import SimClock

    mind = ScriptedMind()
    async with bench(mind) as b:
        await regretful(b, mind)
        now = b.companion.clock.now()
    async with bench(mind, clock=SimClock.frozen(now)) as b:
        await b.until(lambda: b.chat.panel.foot.words == "regret 1 · never used 1", "the foot")


async def test_with_an_endpoints_embeddings_it_is_looked_at_when_asked_for(
    bench: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.chat.regret import RegretMeter

    monkeypatch.setattr(RegretMeter, "is_cheap", property(lambda _: False))
    mind = ScriptedMind()
    async with bench(mind) as b:
        await regretful(b, mind)
        assert b.chat.panel.foot.words in ("", "never used 1")
        await listed(b)
        assert b.chat.panel.foot.words == "regret 1 · never used 1"


async def test_an_empty_memory_and_one_that_is_not_open(bench: Open) -> None:
    async with bench() as b:
        screen = await listed(b)
        assert "none" in rows(screen) and "Nothing to regret" in about(screen)
        await b.press("enter", "r", "f", "tab", "j", "k", "escape")
        assert b.app.screen is b.chat


@pytest.mark.parametrize("size", [WIDE, NARROW, TINY], ids=["120x36", "80x24", "40x12"])
async def test_hostile_words_move_nothing(bench: Open, size: tuple[int, int]) -> None:
    mind = ScriptedMind()
    async with bench(mind, size=size) as b:
        for text in ("[bold]\x1b[31mred[/bold] \u202eabc", "👩‍👩‍👧 family 我住在里斯本", "x" * 3000):
            await b.say(text)
        b.companion.clock.advance(timedelta(days=20))
        for _ in range(12):
            await b.say(f"Grandmother number {_} bakes")
        await listed(b)
        await b.press("down", "down", "end")
        assert "\x1b" not in b.text() and "\u202e" not in b.text()


async def test_the_palette_has_it(bench: Open) -> None:
    async with bench() as b:
        await b.press("ctrl+p", *"/regret")
        await b.until(lambda: "What was let go of and then missed" in b.text(), "the command")
        await b.press("enter", "enter")
        await b.until(lambda: isinstance(b.app.screen, RegretScreen), "the list")


# -- pictures ----------------------------------------------------------------------------------------------------------


async def _regretful(pictured: Pictured, pilot: Pilot[int]) -> None:
    """The story; the flat white is forgotten, then asked for."""
    await pictured.then(say=False)(pilot)
    chat = pilot.app.screen
    assert isinstance(chat, ChatScreen) and chat.companion is not None
    await run_command(chat.companion, "/forget m04")
    pictured.mind.replies = [["I do not know."]]
    chat.prompt.draft = "How do I take my flat white, with oat milk?"
    await pilot.press("enter")
    await quiet(chat)
    await settled(pilot)


@SIZES
def test_picture_of_the_list(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)

    async def before(pilot: Pilot[int]) -> None:
        await _regretful(pictured, pilot)
        chat = pilot.app.screen
        assert isinstance(chat, ChatScreen)
        chat.take_command("/regret")
        await settled(pilot)
        await quiet(chat)
        await settled(pilot)

    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)


def test_picture_of_the_foot(snap_compare: Compare, tmp_path: Path) -> None:
    pictured = Pictured(tmp_path)

    async def before(pilot: Pilot[int]) -> None:
        await _regretful(pictured, pilot)

    assert snap_compare(pictured.app(), terminal_size=WIDE, run_before=before)
