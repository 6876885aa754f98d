"""The law of forgetting: from the settings, by /law while memory is open, and what /task tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.chat.commands import run_command
from memtui.chat.companion import Companion
from memtui.chat.law_choice import LAWS, law_words
from memtui.chat.opening import scratch_companion
from memtui.chat.policy import law_of
from memtui.clock import SimClock
from memtui.config import Settings, load_settings
from memtui.errors import ConfigError, InputError
from memtui.memory.laws import LAW_NAMES
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.fsrs import FsrsLaw
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.model import RetireReason
from memtui.memory.state import state_hash
from tests.doubles import ScriptedMind

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def asked(memory: dict[str, object]) -> Settings:
    return Settings.model_validate({"memory": memory})


@pytest.mark.parametrize("name", LAW_NAMES)
def test_each_law_is_there_by_its_name(name: str) -> None:
    law = law_of(asked({"law": name}))
    assert law.name == name and name in LAWS
    assert law.capacity == {"stability": 500, "window": 200}.get(name)
    assert law_of(asked({"law": name, "capacity": 7})).capacity == 7


def test_a_laws_numbers_come_from_its_table() -> None:
    stability = law_of(asked({"law": "stability", "stability": {"rate": 0.5, "importance": 0.0}}))
    assert isinstance(stability, StabilityLaw) and (stability.rate, stability.importance, stability.delta) == (0.5, 0, 0.15)
    strength = law_of(asked({"law": "strength", "strength": {"archive_days": 10}}))
    assert isinstance(strength, StrengthLaw) and strength.archive_days == 10
    fsrs = law_of(asked({"law": "fsrs", "capacity": 9, "fsrs": {"floor": 0.5}}))
    assert isinstance(fsrs, Capped) and isinstance(fsrs.law, FsrsLaw) and fsrs.floor == 0.5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('law = "ebbinghaus"', "memory.law.*'salience', 'stability', 'strength', 'fsrs', 'naive' or 'window'"),
        ("capacity = -1", "memory.capacity.*greater than or equal to 0"),
        ("stability = { rate = 0 }", "memory.stability.rate.*greater than 0"),
        ("stability = { speed = 1 }", "memory.stability.speed.*unknown key"),
        ("strength = { idle = 1.0 }", "memory.strength.idle.*less than 1"),
        ("fsrs = { floor = 1.5 }", "memory.fsrs.floor.*less than 1"),
        ("fsrs = { parameters = [1.0] }", r"memory.fsrs.parameters': Expected 21 parameters, got 1\."),
    ],
)
def test_what_is_wrong_is_one_clear_error(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f"[memory]\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        load_settings(file)


async def test_the_law_changes_while_memory_is_open_and_memory_does_not(companion: Companion) -> None:
    await companion.remember("My sister lives in Porto")
    before = state_hash(companion.store.state)
    told = (await run_command(companion, "/law stability")).text
    assert "The law is now stability" in told and "room for 500" in told and 'law = "stability"' in told
    assert companion.law.name == companion.settings.memory.law == "stability"
    assert state_hash(companion.store.state) == before
    listed = (await run_command(companion, "/law")).text
    assert "▸ stability" in listed and all(name in listed for name in LAW_NAMES)
    for name in LAW_NAMES:
        await run_command(companion, f"/law {name.upper()}")
        assert companion.law.name == name
    with pytest.raises(InputError, match="no law 'newton'"):
        await run_command(companion, "/law newton")
    assert companion.law.name == LAW_NAMES[-1]


async def test_a_task_is_stabilitys_alone_and_ends(companion: Companion) -> None:
    with pytest.raises(InputError, match="knows no running task"):
        await run_command(companion, "/task the deployment")
    await companion.remember("The deployment runs on Fridays")
    await run_command(companion, "/law stability")
    assert (await run_command(companion, "/task")).text == "No task is running."
    assert "1 memory is near it" in (await run_command(companion, "/task the deployment")).text
    assert law_words(companion.law) == "stability*" and "the deployment" in (await run_command(companion, "/task")).text
    await run_command(companion, "/law stability")
    assert law_words(companion.law) == "stability*"
    await run_command(companion, "/task done")
    assert law_words(companion.law) == "stability"


async def test_the_pass_lets_go_of_what_is_too_much_and_undo_brings_it_back(mind: ScriptedMind) -> None:
    settings = Settings.model_validate({"timezone": "UTC", "memory": {"law": "stability", "capacity": 3}})
    companion = scratch_companion(settings, SimClock.frozen(START), mind)
    words = ("apples", "boats", "cellos", "dunes", "elks")
    try:
        for word in words:
            await companion.remember(f"I like {word}")
            companion.clock.jump_to(companion.clock.now() + timedelta(hours=2))
        assert "2 more than that are there" in (await run_command(companion, "/law stability")).text
        before = state_hash(companion.store.state)
        report = await companion.sleep("key")
        frame = companion.store.frame
        assert frame.active.tolist() == [False, False, True, True, True] and report.beyond == ""
        gone = frame.memories[0]
        assert gone.retired_reason is RetireReason.PRUNED
        assert companion.store.text(gone.retire_note or "") == "the least of more than 3"
        await companion.undo()
        assert state_hash(companion.store.state) == before
        for row in range(5):
            await companion.pin(frame.ids[row])
        report = await companion.sleep("key")
        assert "5 memories are 2 more than there is room for" in report.sentence
    finally:
        await companion.close()
