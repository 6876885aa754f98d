"""Skills in the app: the tab, its keys, the form of /learn, and recall into the chat."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.chat.companion import Companion
from memtui.memory.model import Outcome, Trust
from memtui.memory.moments import to_us
from memtui.memory.skill import Draft
from memtui.ui.screens.card_screen import CardScreen
from memtui.ui.screens.chat_screen import ChatScreen
from memtui.ui.screens.learn_screen import LearnScreen
from memtui.ui.widgets.choice_line import OutcomeChoice
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NOW, Bench, Open, settings
from tests.ui.app.test_snapshots import SIZES, Compare, Pictured, quiet, settled

DEPLOY = Draft(
    "Deploy hangs on a migration", "it stops at 'running migrations'", "1. find the lock\n2. kill it", "time it out"
)
TAP = Draft("Починить капающий кран", "из крана капает вода", "1. перекрыть воду\n2. заменить картридж", "", Outcome.PARTIAL)
CJK = Draft("日本語の入力を設定する", "キーボードが英語のまま", "1. 設定を開く")


async def three_told(companion: Companion) -> None:
    """One strong, one from a tool, one nobody used for a month."""
    skills = companion.skills
    await skills.learn(CJK)
    companion.clock.jump_to(companion.clock.now() + timedelta(days=35))
    await skills.learn(DEPLOY)
    await skills.learn(TAP, origin="some-tool")
    for _ in range(4):
        await skills.reinforce("deploy-hangs-on-a-migration")


async def three_skills(b: Bench) -> None:
    await three_told(b.companion)
    b.chat.memories.changed(b.companion)
    await b.pilot.pause()


async def test_the_tab_appears_with_the_first_skill_and_shows_what_there_is(bench: Open) -> None:
    async with bench() as b:
        assert "Skills" not in b.text()
        await three_skills(b)
        b.chat.panel.rows.focus()
        await b.press("tab", "tab")
        assert b.chat.panel.tab == "skills" and b.chat.panel.rows.listing.count("active") == 0
        lines = [line.partition("│")[2] for line in b.text().split("\n")]
        assert "Skills 3" in lines[1] and "strongest first" in lines[1]
        assert "stage" in lines[2] and "uses" in lines[2]
        strong, tool, old = lines[3:6]
        assert "1.60 active" in strong and "×4" in strong and "Deploy hangs" in strong
        assert "1.00 active" in tool and "unverified:" in tool
        assert "0.72 stale" in old and "日本語" in old
        assert strong.count("█") > tool.count("█") > old.count("█")
        await b.press("tab")
        assert b.focus != "memory-rows"  # the panel is no trap


async def test_the_keys_of_a_skill(bench: Open) -> None:
    async with bench() as b:
        await three_skills(b)
        skills = b.companion.skills
        tap = skills.get("pochinit-kapayushchiy-kran")
        assert b.chat.panel.select(tap.id) and b.chat.panel.tab == "skills"
        b.chat.panel.rows.focus()
        await b.press("plus")
        await b.idle()
        assert skills.get(tap.id).strength == pytest.approx(1.15)
        await b.press("minus", "a")
        await b.idle()
        assert skills.get(tap.id).strength == pytest.approx(0.805) and skills.get(tap.id).trust is Trust.TRUSTED
        await b.press("a")
        await b.idle()  # it is offered no more
        await b.press("f")
        await b.idle()
        assert skills.get(tap.id).archived and b.chat.panel.rows.listing.count("skills") == 3
        b.chat.panel.select(tap.id)
        await b.press("plus", "r")
        await b.idle()
        assert not skills.get(tap.id).archived and skills.get(tap.id).worked == 1
        b.chat.panel.select(tap.id)
        await b.press("e")
        form = b.app.screen
        assert isinstance(form, LearnScreen) and form.query_one("#learn-steps", TextArea).text == TAP.steps
        form.query_one("#learn-lessons", TextArea).text = "старый картридж взять с собой"
        await b.press("ctrl+s")
        await b.idle()
        assert skills.get(tap.id).lessons == "старый картридж взять с собой"
        await b.press("w")
        assert isinstance(b.app.screen, CardScreen) and "Strength" in b.text()


async def test_learn_walks_through_the_fields(bench: Open) -> None:
    async with bench() as b:
        await b.say("/learn ")
        form = b.app.screen
        assert isinstance(form, LearnScreen)
        await b.press("ctrl+s")
        assert form is b.app.screen and "needs a title" in b.text()
        await b.press(*"Tap", "enter", *"drips", "tab", *"close", "tab", *"slowly", "tab", "right", "ctrl+s")
        await b.idle()
        (skill,) = b.companion.skills.listed()
        assert skill.draft == Draft("Tap", "drips", "close", "slowly", Outcome.PARTIAL, "tap")
        assert b.chat.panel.tab == "skills" and b.chat.panel.selected == skill.id
        assert "Learned 'tap'" in b.messages()[-1]
        await b.say("/learn Tap | drips | close | slowly")
        assert "says nearly the same" in b.text() and len(b.companion.skills.listed()) == 1
        await b.press("escape")
        b.chat.prompt.draft = ""
        await b.press("f9")
        await b.idle()
        assert b.companion.skills.listed() == []


async def test_learn_takes_the_last_turns(bench: Open) -> None:
    mind = ScriptedMind()
    mind.replies = [["Try this:\n\n1. find the lock\n2. terminate the session"], ["Good."]]
    async with bench(mind) as b:
        await b.say("How do I fix a deploy that hangs on a migration?", "That worked, but only partly.")
        await b.say("/learn last")
        form = b.app.screen
        assert isinstance(form, LearnScreen)
        assert form.query_one("#learn-title", Input).value == "How do I fix a deploy that hangs on a migration"
        assert form.query_one("#learn-steps", TextArea).text == "1. find the lock\n2. terminate the session"
        assert form.query_one(OutcomeChoice).chosen is Outcome.PARTIAL
        await b.press("escape")
        await b.say("/learn ")
        assert form is not b.app.screen and isinstance(b.app.screen, LearnScreen)
        assert b.app.screen.query_one("#learn-title", Input).value == ""
        await b.press("ctrl+l")
        assert b.app.screen.query_one("#learn-title", Input).value.startswith("How do I fix")
        await b.press("escape")
        assert b.companion.skills.listed() == []


async def test_a_skill_is_recalled_into_the_chat_and_the_past_refuses_to_learn(bench: Open) -> None:
    async with bench() as b:
        await three_skills(b)
        await b.say("The deploy hangs on a migration, it stops at running migrations")
        prompt = b.companion.mind.prompts[-1]  # type: ignore[attr-defined]
        assert prompt.memories[0].how_to and prompt.memories[0].text.startswith("How-to (worked): Deploy hangs")
        assert b.companion.skills.get("deploy-hangs-on-a-migration").uses == 5
        b.chat.past.look(to_us(NOW + timedelta(days=1)))
        await b.pilot.pause()
        await b.say("/learn ")
        assert not isinstance(b.app.screen, LearnScreen)


def pictured_before(pictured: Pictured, *keys: str) -> Callable[[Pilot[int]], object]:
    async def before(pilot: Pilot[int]) -> None:
        await pictured.then(say=False)(pilot)
        chat = pilot.app.screen
        assert isinstance(chat, ChatScreen) and chat.companion is not None
        await three_told(chat.companion)
        chat.memories.changed(chat.companion)
        for key in keys:
            await pilot.press(key)
            await quiet(chat)
        await settled(pilot)

    return before


@SIZES
def test_picture_of_the_tab(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)
    pictured.settings = settings(sleep={"nightly": False})  # a month goes by in one jump
    before = pictured_before(pictured, "ctrl+e", "tab", "tab", "down")
    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)


@SIZES
def test_picture_of_the_form(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)
    pictured.settings = settings(sleep={"nightly": False})  # a month goes by in one jump
    before = pictured_before(pictured, *"/learn", "space", *"last", "enter")
    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)
