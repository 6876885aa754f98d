"""The card of a retired memory: how it ended, what took its place, the recall that was missing, and the way back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.memory.forgotten import Chance, Ending, Shortfall
from memtui.memory.model import Kind, Label, Verdict
from memtui.memory.moments import NEVER_US, to_us
from memtui.ui.screens.card_screen import CardScreen
from memtui.ui.why_gone import ending_words
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NOW, Bench, Open
from tests.ui.app.test_snapshots import Compare, Pictured, settled
from tests.ui.app.test_what_if import SIZES, quiet_app


async def card_of(b: Bench, words: str) -> CardScreen:
    """The card of a memory, opened, with all it finds out."""
    b.chat.open_card(b.companion.resolve(words))
    await b.pilot.pause()
    screen = b.app.screen
    assert isinstance(screen, CardScreen)
    await b.until(lambda: all(worker.is_finished for worker in screen.workers), "the card")
    await b.idle()
    return screen


def why(screen: CardScreen) -> str:
    return str(screen.query_one("#card-why", Static).render())


async def asked(b: Bench) -> None:
    """A question that recalls the film and leaves no memory."""
    mind = b.companion.mind
    assert isinstance(mind, ScriptedMind)
    mind.extracted = []
    await b.say("was the film forgettable?")
    mind.extracted = None


async def pruned(b: Bench) -> None:
    """A film, recalled once after two days, pruned by the pass of the thirtieth."""
    await b.say("the film was forgettable")
    memory = b.companion.resolve("film")
    await b.companion.edit(memory, kind=Kind.EPISODIC, importance=0.3)
    b.companion.clock.advance(timedelta(days=2))
    await asked(b)
    b.companion.clock.advance(timedelta(days=28))
    await b.companion.sleep("key")
    b.chat.time.take_in(b.companion)
    await b.idle()


@SIZES
async def test_a_pruned_one_says_which_recall_would_have_saved_it(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await pruned(b)
        text = why(await card_of(b, "film"))
        assert "Importance 0.30" in text
        assert "Pruned by the law of forgetting: faded below 0.05." in text
        assert "It left on Mon 25 May 2026 21:14. At that moment:" in text
        assert "Salience 0.001 = importance 0.30 × 1.69 for 1 recall × 0.00 left after 28d (E72h)." in text
        assert "A recall by Mon 25 May 2026 21:14, when the pass let go of it, would have saved it until" in text
        assert "The earliest that would still have done: Thu 14 May 2026 22:07." in text
        assert text.endswith("It can be restored; that counts as a recall.")


async def test_it_is_restored_from_there(bench: Open) -> None:
    async with bench() as b:
        await pruned(b)
        await card_of(b, "film")
        await b.press("r")
        await b.until(lambda: b.companion.store.frame.active.all(), "the restored one")
        assert b.app.screen is b.chat
        text = why(await card_of(b, "film"))
        assert "Salience" in text and "It left" not in text


async def test_what_replaced_it_stands_there_with_its_date(bench: Open) -> None:
    mind = ScriptedMind()
    mind.verdict = lambda pair: Verdict("one lives in one place", Label.SUPERSEDES, 0.97)
    async with bench(mind) as b:
        await b.say("My home is in Berlin")
        b.companion.clock.advance(timedelta(days=2))
        await b.say("My home is in Lisbon")
        await b.companion.sleep("key")
        text = why(await card_of(b, "Berlin"))
        assert "Retired, superseded: one lives in one place." in text
        assert "m02 “My home is in Lisbon”, told on Mon 27 Apr 2026 21:14, stands in its place." in text
        assert "No recall would have saved it: it had not faded" in text and "something newer replaced it" in text


async def test_what_you_asked_to_forget_no_recall_would_have_kept(bench: Open) -> None:
    async with bench() as b:
        await b.say("My home is in Berlin")
        await b.companion.forget("m01")
        text = why(await card_of(b, "Berlin"))
        assert "Forgotten on request." in text and "You asked for it: no recall would have kept it." in text


async def test_under_another_law_it_says_so(bench: Open) -> None:
    async with bench() as b:
        await pruned(b)
        await b.say("/law naive")
        assert "By the law naive as it is set now it would not have gone then" in why(await card_of(b, "film"))


async def test_as_of_the_past_it_is_read_only_and_ends_as_it_ended_then(bench: Open) -> None:
    async with bench() as b:
        await pruned(b)
        await b.companion.restore("m01")
        b.companion.clock.advance(timedelta(days=1))
        b.chat.time.take_in(b.companion)
        b.chat.timeline.look_at(to_us(NOW + timedelta(days=30)))  # its pass and its restoring stand at one moment
        await b.until(lambda: b.chat.past.then is not None, "the past")
        assert "Salience" in why(await card_of(b, "film"))
        await b.press("escape")
        b.chat.timeline.look_at(to_us(NOW + timedelta(days=2)))
        await b.until(lambda: b.chat.past.moment == NOW + timedelta(days=2), "two days in")
        card = await card_of(b, "film")
        assert "It falls below the floor" in why(card) and "▴ recalled 1 time" in str(
            card.query_one("#card-curve", Static).render()
        )
        await b.press("r")
        assert b.app.screen is card


async def test_the_curve_goes_from_birth_over_the_recalls_to_the_end(bench: Open) -> None:
    async with bench() as b:
        await b.say("the film was forgettable")
        b.companion.clock.advance(timedelta(days=2))
        await asked(b)
        card = await card_of(b, "film")
        lines = str(card.query_one("#card-curve", Static).render()).splitlines()
        assert len(lines) == 8 and lines[0].lstrip().startswith("1.0") and lines[5].lstrip().startswith("0┤")
        assert "▴" in lines[6] or "●" in lines[6]
        assert "Sat 25 Apr" in lines[7] and "fades" in lines[7] and "▴ recalled 1 time" in lines[7]
        await b.press("p")
        await b.idle()
        assert "stays" in str((await card_of(b, "film")).query_one("#card-curve", Static).render())


def date(moment: object) -> str:
    return f"<{moment:%d %b}>"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Ending(), "No single recall would have saved it: none would have given it a place among 9."),
        (Ending(Chance(to_us(NOW), 0, NEVER_US)), "saved it for as long as there is room for it. Any before that"),
        (
            Ending(shortfall=Shortfall(0.2, 0.4, 0.35)),
            "been 0.20, and the least that stayed had 0.40. It would",
        ),
        (Ending(shortfall=Shortfall(0.2, 0.4, None)), "importance was too low"),
        (Ending(other_law=True), "under other settings"),
    ],
)
def test_every_ending_has_its_words(found: Ending, words: str) -> None:
    assert words in ending_words(found, "stability", 9, to_us(NOW), date)


# -- pictures ----------------------------------------------------------------------------------------------------------


@SIZES
def test_picture_of_a_retired_card(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)

    async def before(pilot: Pilot[int]) -> None:
        await pictured.then("ctrl+t", "9", "enter", "ctrl+e", "tab", "home", "enter", say=False)(pilot)
        await quiet_app(pilot)
        await settled(pilot)

    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)
