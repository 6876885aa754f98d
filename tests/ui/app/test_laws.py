"""The law of forgetting in the app: by command and palette, and where the screen says which one it is."""

from __future__ import annotations

import pytest

from memtui.chat.law_choice import LAWS
from memtui.ui.law_words import end_words, left_words
from tests.ui.app.conftest import NARROW, Bench, Open


async def told(b: Bench) -> None:
    await b.say("vegetarian since last spring", "allergic to shellfish", "ramen for lunch")


async def test_the_law_is_changed_by_command_and_panel_and_clock_say_so(bench: Open) -> None:
    async with bench() as b:
        await told(b)
        assert "by salience" in b.text()
        await b.say("/law stability")
        assert b.companion.law.name == "stability"
        assert "Active 3 of 500" in b.text() and "by stability" in b.text() and "S69h" in b.text()
        assert b.chat.clock_line.state is not None and b.chat.clock_line.state.law == "stability"
        await b.say("/law newton")
        assert "There is no law 'newton'." in b.text() and b.companion.law.name == "stability"


async def test_the_palette_offers_each_law(bench: Open) -> None:
    async with bench() as b:
        await told(b)
        for name in LAWS:
            await b.press("ctrl+p", *f"law {name}")
            await b.pilot.pause(0.3)
            await b.press("enter")
            await b.until(lambda name=name: b.companion.law.name == name, f"the law {name}")  # type: ignore[misc]


async def test_a_small_screen_says_which_law_it_is(bench: Open) -> None:
    async with bench(size=NARROW) as b:
        await told(b)
        await b.say("/law fsrs")
        assert "fsrs" in b.text()


@pytest.mark.parametrize("name", LAWS)
async def test_why_has_a_sentence_for_every_law(bench: Open, name: str) -> None:
    async with bench() as b:
        await told(b)
        await b.say(f"/law {name}")
        companion = b.companion
        frame, now = companion.store.frame, companion.clock.now()
        for memory in frame.memories:
            left = left_words(companion.law, frame, memory, now)
            end = end_words(companion.law, frame, memory, now, lambda moment: moment.date().isoformat())
            assert left.endswith((".", ").")) and end.endswith(".")
            assert ("floor" in end) == (companion.law.floor > 0)
            assert (f"of {companion.law.capacity} are taken" in end) == (companion.law.capacity is not None)
