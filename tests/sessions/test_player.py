"""Playing a session again."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.chat.steps import Learned, Replied
from memtui.clock import SimClock
from memtui.errors import InputError, MindUnreachableError
from memtui.memory.model import Kind, RetireReason
from memtui.memory.state import state_hash
from memtui.minds.recorded import RecordedMind
from memtui.sessions.beats import LONGEST, SHORTEST, beats_of, seconds_between
from memtui.sessions.headless import play_all
from memtui.sessions.lines import (
    AssistantTurn,
    CommandLine,
    Line,
    MindCall,
    Probe,
    Session,
    SessionHeader,
    UserTurn,
)
from memtui.sessions.replay import Finished, LinePlayed, NightsSlept, Player, PlayerEvent, Restarted
from memtui.sessions.stage import QuietNights, default_settings
from tests.doubles import ScriptedMind

T0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def fact(text: str, **keys: Any) -> dict[str, Any]:
    base = {"kind": "semantic", "importance": 0.8, "why": "x", "support": text, "valid_from": "2026-03-01T12:00:00Z"}
    return {"text": text, **base, **keys}


def a_session(*lines: Line) -> Session:
    return Session(Path("a.jsonl"), SessionHeader("A"), lines)


def move() -> Session:
    """Two homes and noise, over ten days; commands and a probe among them."""
    return a_session(
        UserTurn("t1", T0, "I live in Berlin"),
        AssistantTurn(T0, "Berlin, noted.", "t1"),
        MindCall(T0, "extract", "t1", {"facts": [fact("I live in Berlin")]}),
        UserTurn("t2", T0 + HOUR, "Ramen for lunch"),
        MindCall(T0 + HOUR, "extract", "t2", {"facts": [fact("Ramen for lunch", kind="episodic", importance=0.1)]}),
        AssistantTurn(T0 + HOUR, "Good choice.", "t2"),
        CommandLine(T0 + 2 * HOUR, "/remember the code is 4471"),
        Probe("p1", T0 + 3 * HOUR, "Where do I live?", ("Berlin",), ("t1",), "fact"),
        UserTurn("t3", T0 + 9 * DAY, "What is new?"),
        AssistantTurn(T0 + 9 * DAY, "You tell me.", "t3"),
        MindCall(T0 + 9 * DAY, "extract", "t3", {"facts": []}),
        CommandLine(T0 + 9 * DAY + HOUR, "/pin m01"),
        CommandLine(T0 + 9 * DAY + HOUR, "/forget 01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        AssistantTurn(T0 + 10 * DAY, "That was it."),
    )


async def make(session: Session, clock: SimClock) -> Companion:
    return scratch_companion(
        default_settings(), clock, RecordedMind(session.mind_calls, ScriptedMind()), session_id="replay"
    )


class Pace:
    """A delay that takes no time and notes what was asked for."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await asyncio.sleep(0)


async def until_finished(player: Player) -> list[PlayerEvent]:
    events: list[PlayerEvent] = []
    async for event in player:
        events.append(event)
        if isinstance(event, Finished):
            player.stop()
    return events


def played(events: list[PlayerEvent]) -> list[LinePlayed]:
    return [event for event in events if isinstance(event, LinePlayed)]


async def test_a_whole_replay() -> None:
    pace = Pace()
    player = Player(move(), make, delay=pace)
    events = await until_finished(player)
    assert isinstance(events[0], Restarted)
    lines = played(events)
    assert [line.index for line in lines] == list(range(8))
    assert [type(line.line).__name__ for line in lines] == [
        "UserTurn", "UserTurn", "CommandLine", "Probe", "UserTurn", "CommandLine", "CommandLine", "AssistantTurn",
    ]  # fmt: skip
    replies = [step.text for line in lines for step in line.steps if isinstance(step, Replied)]
    assert replies == ["Berlin, noted.", "Good choice.", "You tell me."]
    assert len([step for line in lines for step in line.steps if isinstance(step, Learned)]) == 3
    assert lines[3].recollection is not None
    assert len(lines[3].recollection.recalled) == 1
    assert lines[5].result is not None
    assert isinstance(lines[6].problem, InputError)
    companion = player.companion
    assert companion is not None
    state = companion.store.state
    ramen = next(memory for memory in state.memories.values() if memory.kind is Kind.EPISODIC)
    assert ramen.retired_reason is RetireReason.PRUNED
    assert ramen.retired_at is not None
    assert ramen.retired_at.hour == 3
    assert companion.clock.now() == T0 + 10 * DAY
    assert all(event.at <= T0 + 10 * DAY for event in companion.store.events())
    (slept,) = [event for event in events if isinstance(event, NightsSlept) and event.index == 4]
    assert slept.report.end == T0 + 9 * DAY
    assert len(pace.asked) == 7
    assert all(SHORTEST <= seconds <= LONGEST for seconds in pace.asked)
    await player.close()


async def test_probes_change_nothing() -> None:
    session = move()
    quiet = a_session(*(line for line in session.lines if not isinstance(line, Probe)))
    hashes = []
    for each in (session, quiet):
        player = Player(each, make, delay=Pace())
        await until_finished(player)
        assert player.companion is not None
        hashes.append((state_hash(player.companion.store.state), player.companion.store.head.length))
        await player.close()
    assert hashes[0] == hashes[1]


async def test_every_seek_stands_where_playing_there_stands() -> None:
    session = move()
    beats = len(beats_of(session))
    at: list[str] = []
    player = Player(session, make, playing=False, delay=Pace())

    async def step_from(target: int) -> None:
        """Let the beat at `target` be played (nothing, at the end)."""
        player.step()
        async for event in events:
            if isinstance(event, Finished) or (isinstance(event, LinePlayed) and event.index == target):
                return

    async with asyncio.timeout(60), aclosing(player.__aiter__()) as events:
        await anext(events)
        for index in range(beats):
            await step_from(index)
            assert player.companion is not None
            at.append(state_hash(player.companion.store.state))
        for target in (3, 6, 0, beats, 1):
            player.seek(target)
            await step_from(target)
            assert player.companion is not None
            assert state_hash(player.companion.store.state) == at[min(target, beats - 1)]
    await player.close()


async def test_pausing_holds_and_playing_goes_on() -> None:
    player = Player(move(), make, delay=Pace())
    seen: list[int] = []

    async def watch() -> None:
        async for event in player:
            if isinstance(event, LinePlayed):
                seen.append(event.index)
                if event.index == 1:
                    player.pause()
            if isinstance(event, Finished):
                player.stop()

    task = asyncio.create_task(watch())
    for _ in range(200):
        await asyncio.sleep(0.005)
        if seen == [0, 1]:
            break
    await asyncio.sleep(0.02)
    assert seen == [0, 1]
    player.step()
    for _ in range(200):
        await asyncio.sleep(0.005)
        if len(seen) > 2:
            break
    assert seen == [0, 1, 2]
    player.play()
    await task
    assert seen == list(range(8))
    await player.close()


async def test_a_long_rest_is_broken_off_by_pause_seek_and_stop() -> None:
    async def forever(seconds: float) -> None:
        await asyncio.Event().wait()

    player = Player(move(), make, delay=forever)
    async with asyncio.timeout(20), aclosing(player.__aiter__()) as events:
        async for event in events:
            if isinstance(event, LinePlayed):
                break
        asyncio.get_running_loop().call_later(0.01, player.seek, 2)
        async for event in events:
            if isinstance(event, LinePlayed):
                assert event.index == 1
                break
        asyncio.get_running_loop().call_later(0.01, player.stop)
        assert [event async for event in events] == []
    await player.close()


async def test_an_empty_session() -> None:
    player = Player(a_session(), make, delay=Pace())
    events = await until_finished(player)
    assert [type(event) for event in events] == [Restarted, Finished]
    await player.close()


async def test_without_a_watcher_a_failing_mind_is_no_replay() -> None:
    mind = ScriptedMind()
    mind.extracted = MindUnreachableError("no connection")
    session = a_session(UserTurn("t1", T0, " "), CommandLine(T0, "/forget nothing"), UserTurn("t2", T0, "I live in Berlin"))
    companion = scratch_companion(default_settings(), SimClock.frozen(T0), mind)
    beats = beats_of(session)
    assert len(await play_all(companion, beats[:2])) == 2  # an empty turn and a command about nothing are only noted
    with pytest.raises(MindUnreachableError):
        await play_all(companion, beats)
    await companion.close()


def test_replies_find_their_turns() -> None:
    session = a_session(
        UserTurn("t1", T0, "one"),
        UserTurn("t2", T0, "two, said while one was being answered"),
        AssistantTurn(T0, "to o", "t1", interrupted=True),
        AssistantTurn(T0, "to one", "t1"),
        AssistantTurn(T0, "to two", "t2"),
        UserTurn("t3", T0, "three"),
        MindCall(T0, "extract", "t3", {"facts": []}),
        AssistantTurn(T0, "to three, unnamed"),
        AssistantTurn(T0, "said to the watcher"),
        UserTurn("t4", T0, "never answered"),
    )
    beats = beats_of(session)
    assert [
        (beat.line.text, beat.reply.text if beat.reply else None) for beat in beats if not isinstance(beat.line, Probe)
    ] == [
        ("one", "to one"),
        ("two, said while one was being answered", "to two"),
        ("three", "to three, unnamed"),
        ("said to the watcher", None),
        ("never answered", None),
    ]


def test_the_pace() -> None:
    beats = beats_of(move())
    for before, after in itertools.pairwise(beats):
        usual = seconds_between(before, after, 1.0)
        assert SHORTEST <= seconds_between(before, after, 10.0) <= usual <= seconds_between(before, after, 0.5) <= LONGEST
    assert seconds_between(beats[0], beats[1], 1e9) == SHORTEST


async def test_nights_that_were_recorded_are_not_thought_anew() -> None:
    mind = ScriptedMind()
    quiet = QuietNights(mind)
    assert await quiet.summarize(["a", "b", "c"], "en") is None
    assert quiet.embedder is mind.embedder
    assert [part async for part in quiet.reply(_prompt())]


def _prompt() -> Any:
    from memtui.minds.base import Message, Prompt

    return Prompt((Message("user", "hi"),), (), T0, "en")
