"""Sessions played in the app: on a memory of their own, stepped, sought, and left again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.locations import Home, sample_sessions
from memtui.memory.moments import to_us
from memtui.minds.recorded import RecordedMind, to_response
from memtui.sessions.lines import (
    AssistantTurn,
    CommandLine,
    Line,
    MindCall,
    Probe,
    Session,
    SessionHeader,
    UserTurn,
    to_json_line,
)
from memtui.ui.mode import Mode
from memtui.ui.screens.replay_screen import ReplayScreen
from memtui.ui.widgets.replay_bar import ReplayBar, ReplayState, bar_parts
from tests.doubles import ScriptedMind, candidate
from tests.ui.app.conftest import NARROW, Bench, Open, settings


def at(day: int) -> datetime:
    return datetime(2026, 4, day, 12, tzinfo=UTC)


def told(text: str, day: int) -> MindCall:
    turn = {1: "t1", 3: "t2"}[day]
    return MindCall(at(day), "extract", turn, to_response([candidate(text, at(day))]))


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two turns with recorded calls, a line to the watcher, a warp, a pin, a probe; the scripted mind thinks the rest."""

    async def scripted(session: Session, clock: SimClock) -> Companion:
        return scratch_companion(settings(), clock, RecordedMind(session.mind_calls, ScriptedMind()))

    monkeypatch.setattr("memtui.sessions.replay.replay_companion", scripted)
    lines: list[SessionHeader | Line] = [
        SessionHeader("A short story"),
        AssistantTurn(at(1), "Watch the right side."),
        UserTurn("t1", at(1), "I live in Berlin"),
        told("I live in Berlin", 1),
        AssistantTurn(at(1), "Berlin it is, and this is a reply of some length.", "t1"),
        CommandLine(at(1), "/warp 2d"),
        CommandLine(at(3), "/pin Berlin"),
        UserTurn("t2", at(3), "I play the oboe"),
        told("I play the oboe", 3),
        AssistantTurn(at(3), "Lovely.", "t2"),
        Probe("p1", at(3), "Where do I live?", ("Berlin",), ("t1",), "fact"),
    ]
    file = tmp_path / "story.jsonl"
    file.write_text("".join(to_json_line(line) + "\n" for line in lines))
    return file


def replay_of(b: Bench) -> ReplayScreen:
    assert isinstance(b.app.screen, ReplayScreen)
    return b.app.screen


async def finished(b: Bench) -> None:
    await b.until(lambda: any("The end." in message for message in b.messages()), "the end")
    await b.pilot.pause()


async def test_a_replay_plays_to_its_end_and_touches_no_home(bench: Open, own_home: Home, story: Path) -> None:
    async with bench(mode=Mode(replay=story, speed=1000)) as b:
        await finished(b)
        said = b.messages()
        assert said[0] == "notice: Watch the right side."
        assert "reply: Berlin it is, and this is a reply of some length." in said
        assert "notice: Asked of the memory: Where do I live? (told once)" in said
        assert any(message.startswith("notice: ") and message.endswith("\n✓ Berlin") for message in said)
        screen = b.text()
        assert "replay" in screen
        assert "A short story" in screen
        assert "6/6" in screen
        assert not own_home.data.exists()
        await b.press("q")
        assert b.app._exit


async def test_step_back_seek_and_speed(bench: Open, story: Path) -> None:
    async with bench(mode=Mode(replay=story, speed=0.01), size=NARROW) as b:
        replay = replay_of(b)
        await b.until(lambda: replay.player is not None and replay.player.position >= 1, "the first beat")
        await b.press("space")
        assert replay.player is not None
        assert not replay.player.playing
        await b.press("up", "up")
        await b.press("right")
        await b.until(lambda: replay.player and replay.player.position == 2, "one more")
        await b.press("end")
        await finished(b)
        active = [memory.pinned for memory in replay.companion.store.state.active()] if replay.companion else []
        assert True in active
        await b.press("left")
        await b.until(lambda: replay.player and replay.player.position == 5, "one back")
        assert not any("The end." in message for message in b.messages())
        await b.press("home")
        await b.until(lambda: replay.player and replay.player.position == 0, "the beginning")
        assert b.messages() == []
        replay.post_message(ReplayBar.Sought(3))
        await b.until(lambda: replay.player and replay.player.position == 3, "the place that was clicked")


async def test_a_replay_can_be_looked_at_but_not_changed(bench: Open, story: Path) -> None:
    async with bench(mode=Mode(replay=story, speed=1000)) as b:
        await finished(b)
        replay = replay_of(b)
        assert replay.companion is not None
        events = len(replay.companion.store.events())
        await b.press("ctrl+e", "down", "f")
        assert len(replay.companion.store.events()) == events
        await b.press("h")
        assert "What happened" in b.text()
        await b.press("escape", "ctrl+t", "end", "enter")
        assert len(replay.companion.store.events()) == events
        assert not replay.timeline.previewing
        await b.press("f1")
        assert "Play or pause." in str(b.app.screen.query_one("#help-text").render())


async def test_the_tour_opens_over_the_chat_and_leads_back(bench: Open) -> None:
    async with bench() as b:
        await b.say("mine")
        b.chat.prompt.draft = "/tour"
        await b.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ReplayScreen), "the tour")
        replay = replay_of(b)
        await b.until(lambda: replay.player is not None, "the player")
        await b.press("end")
        await finished(b)
        await b.press("escape")
        await b.until(lambda: b.app.screen is b.chat, "the chat")
        assert b.messages()[:2] == ["user: mine", "reply: All right."]
        assert len(b.companion.store.frame) == 1
        await b.say("still here")
        assert b.messages()[-1] == "reply: All right."


async def test_a_file_that_cannot_be_played_is_told(bench: Open, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("nothing of the sort\n")
    async with bench(mode=Mode(replay=tmp_path / "bad.jsonl")) as b:
        await b.until(lambda: b.stage.alert_box.error, "the alert")
        assert "bad.jsonl:1" in str(b.stage.alert_box.error)


@pytest.mark.parametrize("name", ["allergy-once", "ru-pereezd"])
async def test_samples_play_at_full_speed(bench: Open, name: str) -> None:
    async with bench(mode=Mode(replay=sample_sessions() / f"{name}.jsonl", speed=1000)) as b:
        replay = replay_of(b)
        await b.until(lambda: replay.player is not None, "the player")
        await b.press("end")
        await finished(b)
        assert replay.companion is not None
        assert len(replay.companion.store.frame) > 5


async def test_a_scenario_without_replies_is_thought_by_the_offline_mind(bench: Open, tmp_path: Path) -> None:
    lines: list[SessionHeader | Line] = [
        SessionHeader("A scenario", note="What this file is."),
        UserTurn("t1", at(1), "I live in Berlin."),
        Probe("p1", at(1), "Where do I live?", ("Berlin",), ("t1",), "fact"),
        UserTurn("t2", at(1), "My cat is called Miso."),
        Probe("p2", at(1), "Where do I live?", ("Lisbon",), ("t1",), "update"),
        Probe("p3", at(1), "Where do I live?", ("Lisbon",), ("t9",), "update", ("t1",)),
        Probe("p4", at(1), "What is my cat called, and where do I live?", ("Berlin",), ("t1",), "update", ("t2",)),
        Probe("p5", at(1), "Where do I live?", (), (), "nothing"),
    ]
    file = tmp_path / "scenario.jsonl"
    file.write_text("".join(to_json_line(line) + "\n" for line in lines))
    async with bench(mode=Mode(replay=file, speed=1000)) as b:
        await finished(b)
        said = b.messages()
        assert said[0] == "notice: What this file is."
        assert said[1] == "user: I live in Berlin."
        assert said[2].startswith("reply: ")
        assert "notice: Asked of the memory: Where do I live? (changed since)" in said
        verdicts = [message.split("\n")[-1] for message in said if message.startswith(("notice: m", "notice: ·"))]
        assert verdicts == [
            "✓ Berlin",
            "✗ The answer is not among them: Lisbon",
            "✗ Something no longer true is recalled and not the answer: Lisbon",
            "✗ Something no longer true is recalled beside the answer: Berlin",
            "✗ Nothing was told about this, yet something passed as relevant.",
        ]
        assert replay_of(b).mind_label == "replay · offline mind"


@pytest.mark.parametrize("width", [120, 60, 40, 20, 5, 1])
def test_the_bar_fits(width: int) -> None:
    state = ReplayState("A title of some length, 很长的标题", 7, 21, 2.0, True)
    text = "".join(text for _, text in bar_parts(state, width))
    if width >= 40:
        from rich.cells import cell_len

        assert cell_len(text) == width
    assert "replay" in text


async def test_in_a_replay_one_can_look_back_too(bench: Open, story: Path) -> None:
    async with bench(mode=Mode(replay=story, speed=1000)) as b:
        await finished(b)
        replay = replay_of(b)
        await b.until(lambda: "Active 2" in b.text())
        replay.timeline.look_at(to_us(at(2)))
        await b.until(lambda: replay.past.then is not None, "the past")
        await b.until(lambda: "Active 1   Retired 0" in b.text() and "read-only" in b.text())
        assert replay.panel.rows.listing.frame is not None and not replay.panel.rows.listing.frame.pinned.any()
        await b.press("left")  # back one turn: from now, not from then
        await b.until(lambda: replay.past.then is None and replay.timeline.then_us is None, "now")
        assert "read-only" not in b.text()


async def test_who_looks_back_stops_the_replay(bench: Open, story: Path) -> None:
    async with bench(mode=Mode(replay=story, speed=0.01)) as b:
        replay = replay_of(b)
        await b.until(lambda: replay.player is not None and replay.player.position >= 1, "the first beat")
        assert replay.player is not None and replay.player.playing
        replay.past.look(to_us(at(1)))
        assert not replay.player.playing
        await b.press("space")
        assert replay.player.playing and replay.past.then is None
