"""The slider, the rates, the nights and the sleep pass through the whole app."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta

from memtui.clock import SimClock
from memtui.locations import Home
from memtui.memory.model import Candidate, Kind, Label, Summary, Verdict
from memtui.minds.base import Delta, Message, Prompt
from tests.doubles import ScriptedMind, candidate
from tests.ui.app.conftest import NOW, Bench, Open


class Episodic(ScriptedMind):
    """Keeps every turn as something that fades in days."""

    async def extract(self, text: str, now: datetime, recent: object = ()) -> list[Candidate]:
        return [candidate(text, now, Kind.EPISODIC, 0.3)]


async def test_looking_ahead_changes_nothing_and_escape_is_back(bench: Open) -> None:
    async with bench(Episodic()) as b:
        await b.say("ramen for lunch")
        events = len(b.companion.store.events())
        await b.press("ctrl+t", "end")
        assert "preview +40d" in b.text()
        assert "1 fade" in b.text()
        assert "✝" in b.text()
        assert "→ Thu 4 Jun 2026 21:14" in b.text()
        await b.press("escape")
        assert "preview" not in b.text()
        assert b.companion.clock.now() == NOW
        assert len(b.companion.store.events()) == events


async def test_enter_goes_there_and_tells_what_the_nights_did(bench: Open) -> None:
    async with bench(Episodic()) as b:
        await b.say("ramen for lunch")
        await b.press("ctrl+t", "1", "2", "enter")
        await b.idle()
        assert b.companion.clock.now() == NOW + timedelta(days=12)
        assert "notice: +12d: memory slept 12 nights: 1 faded." in b.messages()
        assert "Active 0   Retired 1" in b.text()
        assert "day 13" in b.text()
        assert b.focus == "prompt"


async def test_a_warp_can_be_stopped_on_the_way(bench: Open) -> None:
    async with bench(Episodic()) as b:
        await b.say("ramen for lunch")
        show = b.chat.timeline.show_warp

        def showing(fraction: float, text: str) -> None:
            show(fraction, text)
            if fraction > 0.3:
                b.chat.action_stop()

        b.chat.timeline.show_warp = showing  # type: ignore[method-assign]
        await b.say("/warp 5w")
        assert b.companion.clock.now() < NOW + timedelta(weeks=5)
        assert "stopped on the way" in b.messages()[-1]
        assert not b.chat.timeline.previewing


async def test_time_goes_on_where_it_was_left(bench: Open, own_home: Home) -> None:
    clock = SimClock(wall=lambda: NOW)
    async with bench(clock=clock) as b:
        await b.say("hello", "/warp 3d")
        assert "3d ahead" in b.text()
    async with bench(clock=SimClock(wall=lambda: NOW), wait=False) as b:
        assert "Tue 28 Apr 2026" in b.text()  # before the store is open
        await b.open()
        assert b.companion.clock.now() == NOW + timedelta(days=3)


class Wall:
    """Real time as a test wants it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


async def test_rates_by_key_and_ticks_only_while_time_runs(bench: Open) -> None:
    wall = Wall()
    async with bench(clock=SimClock(wall=wall)) as b:
        await b.say("hello")
        time = b.chat.time
        assert time.tick_every == 1.0
        await b.press("f6")
        await b.idle()
        assert b.companion.clock.rate == 60
        assert time.tick_every is not None
        assert time.tick_every < 1 / 30
        await b.press("f6")
        await b.idle()
        assert "▶ 3600x" in b.text()
        wall.now += timedelta(seconds=2)
        await b.until(lambda: "23:14" in b.text(), "two hours later")
        await b.press("f5")
        await b.idle()
        assert time.tick_every is None
        assert "paused" in b.text()
        assert "f5 run time" in b.text()
        await b.press("f5")
        await b.idle()
        assert b.companion.clock.rate == 1


async def test_nights_that_go_by_are_slept(bench: Open) -> None:
    wall = Wall()
    async with bench(Episodic(), clock=SimClock(wall=wall)) as b:
        await b.say("ramen for lunch")
        wall.now += timedelta(days=20)
        await b.until(lambda: any("memory slept" in m.lower() for m in b.messages()), "the night")
        await b.idle()
        assert b.companion.store.frame.active.sum() == 0


class Repeating(ScriptedMind):
    """Merges what is told three times; newer homes supersede older ones."""

    def __init__(self) -> None:
        super().__init__()
        self.summary = lambda texts: Summary("Synapse has a timeline", "told three times")
        self.verdict = lambda pair: (
            Verdict("moved", Label.SUPERSEDES)
            if "Berlin" in pair.older and "Lisbon" in pair.newer
            else Verdict("no", Label.UNRELATED)
        )


async def story(b: Bench) -> None:
    await b.say("I live in Berlin now")
    b.companion.clock.advance(timedelta(minutes=1))
    await b.say(
        "I live in Lisbon now", *(f"Synapse update: the timeline shows salience {word}" for word in ("live", "now", "well"))
    )


async def test_the_sleep_pass_is_planned_edited_applied_and_undone(bench: Open) -> None:
    async with bench(Repeating()) as b:
        await story(b)
        await b.press("ctrl+l")
        await b.idle()
        assert b.companion.store.frame.active.sum() == 5  # nothing yet
        assert "Synapse has a" in b.text()
        assert "moved" in b.text()
        await b.press("enter")
        await b.idle()
        assert b.companion.store.frame.active.sum() == 2
        await b.press("u")
        await b.idle()
        assert b.companion.store.frame.active.sum() == 5
        await b.press("enter")
        assert b.app.screen is b.chat
        assert any("Slept: 3 merged, 1 retired" in message for message in b.messages())


async def test_what_is_unticked_stays(bench: Open) -> None:
    async with bench(Repeating()) as b:
        await story(b)
        await b.press("ctrl+l")
        await b.idle()
        await b.press("2", "space", "enter")
        await b.idle()
        await b.press("enter")
        assert b.companion.store.frame.active.sum() == 3
        assert b.companion.resolve("Berlin")


async def test_a_pass_that_a_threshold_began_is_a_quiet_notice(bench: Open) -> None:
    async with bench(Repeating(), sleep={"after_memories": 5}) as b:
        await story(b)
        assert b.messages()[-1] == "notice: Slept: 3 merged, 1 retired by newer facts, 0 faded. /undo takes it back."
        assert b.app.screen is b.chat
        assert b.companion.store.frame.active.sum() == 2
        await b.say("/undo")
        assert b.companion.store.frame.active.sum() == 5


class Pondering(ScriptedMind):
    """Judges for ever."""

    async def judge(self, pairs: object) -> list[Verdict | None]:
        await asyncio.sleep(3600)
        return []


async def test_closing_the_sleep_screen_stops_the_planning(bench: Open) -> None:
    async with bench(Pondering()) as b:
        await story(b)
        await b.press("ctrl+l")
        await b.until(lambda: "judging" in b.text(), "the progress")
        await b.press("escape")
        await b.idle()
        assert b.app.screen is b.chat
        await b.say("and on we talk")  # the lock is free
        assert b.messages()[-1] == "reply: All right."


class Slow(ScriptedMind):
    """A reply that waits for a word of the test."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def reply(self, prompt: Prompt) -> AsyncIterator[Delta]:
        yield Delta("Hm. ")
        await self.gate.wait()
        yield Delta("Yes.")

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        return []


async def test_time_can_be_paused_while_a_reply_is_written(bench: Open) -> None:
    mind = Slow()
    async with bench(mind, clock=SimClock(wall=lambda: NOW)) as b:
        b.chat.prompt.draft = "hello"
        await b.press("enter")
        await b.until(lambda: "reply: Hm. " in b.messages())
        await b.press("f5")
        assert b.companion.clock.rate == 0  # at once
        mind.gate.set()
        await b.idle()
        assert b.companion.store.state.offset_s == 0


async def test_what_another_process_wrote_is_taken_in(bench: Open, own_home: Home) -> None:
    from memtui.chat.opening import open_companion
    from tests.ui.app.conftest import settings

    async with bench() as b:
        await b.say("mine")
        other = await open_companion(settings(), own_home, clock=SimClock.frozen(NOW), mind=ScriptedMind())
        await other.remember("theirs")
        await other.close()
        await b.until(lambda: b.companion.store.frame.active.sum() == 2, "the other's memory")
        await b.until(lambda: "Active 2" in b.text())
