"""The past on the screen: panel, counts and recall as they were, nothing written, and the way back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from memtui.clock import SimClock
from memtui.locations import Home
from memtui.memory.model import Kind
from memtui.memory.moments import to_us
from memtui.ui.screens.card_screen import CardScreen
from memtui.ui.widgets.memory_bars import number_words
from memtui.ui.widgets.timeline_view import layout
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NARROW, NOW, WIDE, Bench, Open, settings
from tests.ui.app.test_time_and_sleep import Slow, Wall

DAY = timedelta(days=1)


async def lived(b: Bench) -> None:
    """Berlin, four days later a cat, two days later an edit, a day later Berlin is forgotten; and a day of nothing."""
    await b.say("My home is in Berlin")
    b.companion.clock.advance(4 * DAY)
    await b.say("The cat is called Mia")
    b.companion.clock.advance(2 * DAY)
    await b.companion.edit("m02", text="The cat is called Tom")
    b.companion.clock.advance(DAY)
    await b.companion.forget("m01")
    b.companion.clock.advance(DAY)
    b.chat.time.take_in(b.companion)
    b.chat.panel.resort()
    await b.press()


def shown(b: Bench) -> list[str]:
    """The texts of the active memories the panel has."""
    frame = b.chat.panel.rows.listing.frame
    assert frame is not None
    return [frame.texts[row] for row in frame.active_rows().tolist()]


async def back_to(b: Bench, days: float) -> None:
    """Look at so many days after the beginning."""
    b.chat.timeline.look_at(to_us(NOW + days * DAY))
    await b.until(lambda: b.chat.past.moment == NOW + days * DAY, "the past")
    await b.idle()


async def test_panel_and_counts_are_as_they_were(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        assert "Active 1   Retired 1" in b.text()
        await back_to(b, 5)
        text = b.text()
        assert "Active 2   Retired 0" in text
        assert shown(b) == ["My home is in Berlin", "The cat is called Mia"]
        assert "2 active, 0 retired" in text
        await back_to(b, 1)
        assert "Active 1   Retired 0" in b.text()
        await back_to(b, 7.5)
        assert "Active 1   Retired 1" in b.text()
        assert shown(b) == ["The cat is called Tom"]


async def test_it_is_said_in_words_that_this_is_the_past(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await back_to(b, 5)
        text = b.text()
        assert "◀ 3d ago, read-only" in text  # the panel
        assert "as of Thu 30 Apr 2026 21:14" in text  # the top line
        assert "3d ago  esc now" in text  # the time line
        assert "read-only · esc: now" in text  # the prompt
        await b.press("escape")
        await b.idle()
        text = b.text()
        assert "read-only" not in text and "as of" not in text
        assert "Active 1   Retired 1" in text


async def test_what_is_left_is_what_was_left_then(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await back_to(b, 4)
        row = b.companion.store.frame.row(b.companion.resolve("m01"))
        assert b.chat.panel.rows.now_us == to_us(NOW + 4 * DAY)
        frame = b.chat.panel.rows.listing.frame
        assert frame is not None
        salience = b.companion.law.retention(frame, to_us(NOW + 4 * DAY))[row]
        assert number_words(salience) in b.text()


async def test_keys_and_drags_look_back(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await b.press("ctrl+t", "minus", "3", "d")
        await b.until(lambda: b.chat.past.moment == NOW + 5 * DAY)
        await b.press("down")
        await b.until(lambda: b.chat.past.moment == NOW + 4 * DAY, "the turn before")
        await b.press("home")
        await b.until(lambda: b.chat.past.then is None, "now")
        place = layout(120, 8 * 24.0)
        await b.pilot.mouse_down(b.chat.timeline, offset=(place.track_start + place.scale.past_cells, 1))
        for hours in (-1, -30, -100):
            await b.pilot.hover(b.chat.timeline, offset=(place.track_start + place.scale.cell_of(hours), 1))
        await b.until(lambda: b.chat.past.then is not None, "the past")
        await b.pilot.mouse_up(b.chat.timeline, offset=(place.track_start + place.scale.cell_of(-100), 1))
        await b.pilot.pause()
        assert b.chat.past.moment is not None and b.chat.past.moment < NOW + 5 * DAY
        await b.press("enter")
        assert "time does not run" in b.text()
        assert b.companion.clock.now() == NOW + 8 * DAY


REFUSED: list[tuple[str, Callable[[Bench], object]]] = [
    ("a turn", lambda b: b.say("My home is in Porto")),
    ("remember", lambda b: b.say("/remember my home is in Porto")),
    ("pin", lambda b: b.say("/pin m02")),
    ("edit", lambda b: b.say("/edit m02 The cat is Leo")),
    ("undo", lambda b: b.say("/undo")),
    ("settle", lambda b: b.say("/settle m01 m02 both")),
    ("warp", lambda b: b.say("/warp 3d")),
    ("rate", lambda b: b.say("/rate 60")),
    ("undo key", lambda b: b.press("f9")),
    ("retry key", lambda b: b.press("f8")),
    ("sleep key", lambda b: b.press("ctrl+l")),
    ("settle key", lambda b: b.press("f7")),
    ("pause key", lambda b: b.press("f5")),
    ("speed key", lambda b: b.press("f6")),
    ("pin in the panel", lambda b: b.press("ctrl+e", "p")),
    ("edit in the panel", lambda b: b.press("ctrl+e", "e")),
    ("forget in the panel", lambda b: b.press("ctrl+e", "f")),
]


async def test_nothing_can_be_written_and_it_is_said_how_to_come_back(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await back_to(b, 5)
        head, rate, said = b.companion.store.head, b.companion.clock.rate, len(b.messages())
        for name, attempt in REFUSED:
            await attempt(b)  # type: ignore[misc]
            await b.idle()
            assert "comes back to now" in b.text(), name
            assert b.companion.store.head == head, name
            assert b.app.screen is b.chat, name
            assert b.chat.past.moment == NOW + 5 * DAY, name
            b.chat.alert_box.dismiss()
            await b.press("f3")
            b.chat.prompt.draft = ""
        assert (b.companion.clock.rate, len(b.messages())) == (rate, said)


async def test_what_was_typed_is_not_lost(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await back_to(b, 5)
        await b.say("My home is in Porto")
        assert b.chat.prompt.draft == "My home is in Porto"
        await b.press("escape")
        assert b.chat.past.then is None
        assert b.chat.prompt.draft == "My home is in Porto"
        await b.press("enter")
        await b.idle()
        assert "user: My home is in Porto" in b.messages()


async def test_a_draft_marks_what_it_would_have_recalled_then(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        given_before = b.chat.panel.given
        cat, home = b.companion.resolve("m02"), b.companion.resolve("m01")
        await back_to(b, 5)
        assert b.chat.panel.given == ()
        b.chat.prompt.draft = "What is the cat Mia called?"
        await b.until(lambda: b.chat.panel.given[:1] == (cat,), "the mark")
        await back_to(b, 1)  # no cat yet
        await b.until(lambda: cat not in b.chat.panel.given)
        b.chat.prompt.draft = "Where is my home?"
        await b.until(lambda: b.chat.panel.given[:1] == (home,), "the mark")
        await b.press("escape")
        assert b.chat.panel.given == given_before


async def test_recall_of_then(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await back_to(b, 5)
        await b.say("/recall Where is my home?")
        assert "As of Thu 30 Apr 2026 21:14:\nm01 My home is in Berlin" in b.messages()[-1]
        await b.press("escape")
        await b.say("/recall Where is my home?")
        assert "Berlin" not in b.messages()[-1]


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_card_tells_what_was_known_then(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        await back_to(b, 5)
        b.chat.open_card(b.companion.resolve("m02"))
        await b.press()
        assert isinstance(b.app.screen, CardScreen)
        text = b.text()
        assert "The cat is called Mia" in text and "Tom" not in text
        assert "edited" not in text and "read-only" in text
        await b.press("p")  # no key it offers, but one it has
        assert "comes back to now" in b.text()
        b.chat.alert_box.dismiss()
        b.chat.open_card(b.companion.resolve("m02"), "history")
        await b.press()
        assert "told: The cat is called Mia" in b.text() and "edited" not in b.text()


async def test_what_is_said_of_retired_ones_is_of_then(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await back_to(b, 5)
        assert b.chat.panel.select(b.companion.resolve("m01"))
        await b.until(lambda: "p pin" not in b.text() and "h history" in b.text())
        assert "forgotten" not in b.text()
        await b.press("escape")
        await b.press("escape")
        assert b.chat.past.then is None


async def test_a_reply_that_ends_meanwhile_is_kept_and_seen_on_the_way_back(bench: Open) -> None:
    mind = Slow()
    async with bench(mind) as b:
        await b.companion.remember("My home is in Berlin")
        b.companion.clock.advance(DAY)
        b.chat.prompt.draft = "Where is my home?"
        await b.press("enter")
        await b.until(lambda: "reply: Hm. " in b.messages())
        b.chat.timeline.look_at(to_us(NOW))
        await b.until(lambda: b.chat.past.then is not None)
        mind.gate.set()
        await b.idle()
        assert b.messages()[-1] == "reply: Hm. Yes."
        assert b.chat.past.moment == NOW
        assert "read-only" in b.text()
        await b.press("escape")
        assert b.chat.panel.given == (b.companion.resolve("m01"),)


async def test_time_goes_on_and_the_moment_stands(bench: Open) -> None:
    wall = Wall()
    async with bench(clock=SimClock(wall=wall)) as b:
        await b.say("My home is in Berlin")
        wall.now += DAY
        await b.until(lambda: b.chat.timeline._now_us == to_us(NOW + DAY), "a look at the clock")
        b.chat.timeline.look_at(to_us(NOW))
        await b.until(lambda: b.chat.past.moment == NOW)
        wall.now += timedelta(hours=5)
        await b.until(lambda: b.chat.timeline.hours == pytest.approx(-29.0), "the clock")
        assert b.chat.past.moment == NOW
        assert b.chat.panel.rows.now_us == to_us(NOW)


async def test_what_another_process_writes_is_taken_in_and_the_past_stays(bench: Open, own_home: Home) -> None:
    from memtui.chat.opening import open_companion

    async with bench() as b:
        await b.say("mine")
        b.companion.clock.advance(2 * DAY)
        b.chat.time.take_in(b.companion)
        await back_to(b, 0.5)
        other = await open_companion(settings(), own_home, clock=SimClock.frozen(NOW + DAY), mind=ScriptedMind())
        await other.remember("theirs")
        await other.close()
        await b.until(lambda: b.companion.store.frame.active.sum() == 2, "the other's memory")
        await b.pilot.pause()
        assert "Active 1   Retired 0" in b.text()
        await back_to(b, 1.5)
        assert "Active 2   Retired 0" in b.text()


async def test_looking_ahead_and_back_end_each_other(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await b.press("ctrl+t", "3")
        await b.until(lambda: b.chat.time.preview is not None)
        await b.press("minus", "3")
        await b.until(lambda: b.chat.past.then is not None)
        assert b.chat.time.preview is None
        assert b.chat.panel.rows.preview_us is None
        await b.press("3")
        await b.press("home", "5")
        await b.until(lambda: b.chat.time.preview is not None)
        assert b.chat.past.then is None
        assert "read-only" not in b.text()


async def test_a_running_warp_cant_be_looked_behind(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        b.chat.timeline.set_hours(24.0)
        b.chat.timeline.show_warp(0.1, "going")
        b.chat.timeline.look_at(to_us(NOW))
        await b.press("ctrl+t", "left", "minus", "3")
        assert b.chat.past.then is None and b.chat.timeline.then_us is None
        b.chat.timeline.end_warp()


async def test_a_nightly_pass_meanwhile_leaves_the_past_alone(bench: Open) -> None:
    mind = ScriptedMind()
    wall = Wall()
    async with bench(mind, clock=SimClock(wall=wall)) as b:
        await b.say("My home is in Berlin")
        wall.now += DAY
        await b.until(lambda: b.chat.timeline._now_us == to_us(wall.now))
        b.chat.timeline.look_at(to_us(NOW))
        await b.until(lambda: b.chat.past.then is not None)
        await b.companion.edit("m01", kind=Kind.EPISODIC, importance=0.06)
        wall.now += 30 * DAY
        await b.until(lambda: not b.companion.store.frame.active.any(), "the night")
        await b.idle()
        assert "Active 1   Retired 0" in b.text()
        await b.press("escape")
        await asyncio.sleep(0)
        assert "Active 0   Retired 1" in b.text()


async def test_on_a_narrow_screen_the_strip_says_it(bench: Open) -> None:
    async with bench(size=NARROW) as b:
        await lived(b)
        await back_to(b, 5)
        await b.until(lambda: "◀ as it was, read-only: 2 active" in b.text(), "the strip")
        assert "3d ago  esc now" in b.text()
        await b.press("escape")
        await b.until(lambda: "as it was" not in b.text())
