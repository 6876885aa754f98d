"""What the person settled travels: recorded, played again, exported and imported."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memtui.chat.commands import run_command
from memtui.chat.companion import Companion
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.memory.model import Label, Verdict
from memtui.memory.state import state_hash
from memtui.minds.base import PairText
from memtui.minds.recorded import RecordedMind
from memtui.sessions.beats import beats_of
from memtui.sessions.export import chat_markdown, export_memories
from memtui.sessions.format import read_session
from memtui.sessions.headless import play_all
from memtui.sessions.record import Recorder
from memtui.sessions.restoring import import_memories
from tests.doubles import ScriptedMind
from tests.sessions.homes import NOW

TOLD = ("I live in Berlin", "I live in Lisbon", "my lunch is ramen", "my lunch is soup", "my boat is red", "my boat is blue")


class Doubting(ScriptedMind):
    """Not sure of anything that begins alike."""

    def __init__(self) -> None:
        super().__init__()
        self.verdict = self._judged

    @staticmethod
    def _judged(pair: PairText) -> Verdict:
        alike = pair.older.rsplit(" ", 1)[0] == pair.newer.rsplit(" ", 1)[0]
        return Verdict("alike", Label.SUPERSEDES, 0.3) if alike else Verdict("", Label.UNRELATED)


async def lived(log: Recorder | None = None) -> Companion:
    """Three pairs in question, one answered each way, one of them taken back."""
    companion = scratch_companion(Settings(timezone="UTC", sleep={"nightly": False}), SimClock.frozen(NOW), Doubting())
    if log is not None:
        companion.log = log
    for text in TOLD:
        async for _ in companion.turn(text):
            pass
        companion.clock.advance(timedelta(minutes=5))
    await companion.sleep("key")
    assert len(companion.conflicts()) == 3
    for line in ("/settle m01 m02 replaced", "/settle m03 m04 both", "/settle m05 m06 unsure", "/undo"):
        companion.clock.advance(timedelta(minutes=1))
        await run_command(companion, line)
    await run_command(companion, "/settle m05 m06 unsure")
    assert companion.conflicts() == []
    return companion


async def test_a_recording_plays_to_the_same_memory(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, mind="scripted")
    companion = await lived(recorder)
    recorder.close()
    assert recorder.path is not None
    session = read_session(recorder.path)
    again = scratch_companion(
        Settings(timezone="UTC", sleep={"nightly": False}),
        SimClock.frozen(NOW),
        RecordedMind(session.mind_calls, Doubting()),
    )
    played = await play_all(again, beats_of(session))
    assert not [line.problem for line in played if line.problem is not None]
    assert state_hash(again.store.state) == state_hash(companion.store.state)
    assert again.conflicts() == [] and len(again.store.state.judgements.answers) == 3
    await again.undo()
    assert [again.handle(conflict.older) for conflict in again.conflicts()] == ["m05"]
    assert "/settle" in chat_markdown(session)
    await again.close()
    await companion.close()


async def test_an_export_holds_the_answers(tmp_path: Path) -> None:
    companion = await lived()
    file = tmp_path / "all.jsonl"
    export_memories(companion.store, file)
    other = scratch_companion(Settings(timezone="UTC"), SimClock.frozen(NOW), Doubting())
    await import_memories(file, other.store, other.mind.embedder)
    assert other.store.state == companion.store.state and other.conflicts() == []
    await other.undo()
    assert len(other.conflicts()) == 1 and other.store.verify() == []
    await other.close()
    await companion.close()
