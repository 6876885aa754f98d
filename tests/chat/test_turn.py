"""One turn: heard first, recalled, replied, learned; whatever fails, the turn is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from memtui.chat.companion import Companion
from memtui.chat.steps import Failed, Heard, Learned, RecalledFor, Replied, Said, Step
from memtui.errors import MindMalformedError, MindUnreachableError, StoreFullError
from memtui.memory.model import Status
from memtui.memory.texts import MASK
from tests.doubles import ScriptedMind, candidate


class ListLog:
    """A log that can be read, and can be told to fail."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.full = False

    def user(self, turn_id: str, at: datetime, text: str) -> None:
        self.lines.append(("user", text))
        if self.full:
            raise StoreFullError("No space left.")

    def assistant(self, at: datetime, text: str, reply_to: str, *, interrupted: bool = False) -> None:
        self.lines.append(("interrupted" if interrupted else "assistant", text))

    def mind(self, at: datetime, call: str, for_: str | Sequence[str], response: Mapping[str, Any], model: str) -> None:
        self.lines.append(("mind", call))

    def command(self, at: datetime, text: str) -> None:
        self.lines.append(("command", text))


async def steps_of(companion: Companion, text: str) -> list[Step]:
    return [step async for step in companion.turn(text)]


async def test_a_turn_goes_heard_recalled_said_replied_learned(companion: Companion) -> None:
    kinds = [type(step) for step in await steps_of(companion, "I live in Lisbon")]
    assert kinds == [Heard, RecalledFor, Said, Said, Replied, Learned]
    (memory,) = companion.store.state.active()
    assert companion.store.text(memory.content) == "I live in Lisbon"
    assert memory.created_at == companion.clock.now()


async def test_what_was_told_is_in_the_next_prompt_as_data_and_counts_as_recalled(
    companion: Companion, mind: ScriptedMind
) -> None:
    await steps_of(companion, "My home is in Lisbon")
    companion.clock.advance(timedelta(hours=5))
    mind.extracted = []
    await steps_of(companion, "Where is my home?")
    assert [memory.text for memory in mind.prompts[-1].memories] == ["My home is in Lisbon"]
    (memory,) = companion.store.state.active()
    assert memory.recalls == 1
    assert memory.last_recall == companion.clock.now()


async def test_the_user_turn_is_logged_before_anything_can_fail(companion: Companion, mind: ScriptedMind) -> None:
    log = companion.log = ListLog()
    mind.replies = [[MindUnreachableError("no connection")]]
    mind.extracted = MindUnreachableError("no connection")
    steps = await steps_of(companion, "keep me")
    assert log.lines[0] == ("user", "keep me")
    assert [step.stage for step in steps if isinstance(step, Failed)] == ["reply", "extract"]


async def test_a_reply_that_breaks_off_is_kept_as_far_as_it_got(companion: Companion, mind: ScriptedMind) -> None:
    log = companion.log = ListLog()
    mind.replies = [["Half an ", MindUnreachableError("hung up")]]
    await steps_of(companion, "hello there")
    assert ("interrupted", "Half an") in log.lines


async def test_a_failed_reply_does_not_stop_learning(companion: Companion, mind: ScriptedMind) -> None:
    mind.replies = [[MindMalformedError("nonsense")]]
    steps = await steps_of(companion, "I am vegetarian")
    assert any(isinstance(step, Learned) and step.created for step in steps)


async def test_a_full_disk_is_told_and_the_conversation_goes_on(companion: Companion) -> None:
    log = companion.log = ListLog()
    log.full = True
    steps = await steps_of(companion, "I am vegetarian")
    assert isinstance(steps[0], Failed)
    assert any(isinstance(step, Replied) for step in steps)


@pytest.mark.parametrize("text", ["", "   \n\t ", "\x00\x00"])
async def test_an_empty_turn_changes_nothing(companion: Companion, text: str) -> None:
    log = companion.log = ListLog()
    (step,) = await steps_of(companion, text)
    assert isinstance(step, Failed)
    assert not log.lines
    assert companion.store.head.length == 0


@pytest.mark.parametrize(
    "text", ["[red]x[/]", "\ud800 lone", "nul\x00nul", "אבג", "日本語のテキスト", "🦀👩‍👩‍👧", "x" * 1_000_000]
)
async def test_hostile_text_is_harmless(companion: Companion, text: str) -> None:
    steps = await steps_of(companion, text)
    assert any(isinstance(step, Learned) for step in steps)
    assert not companion.store.verify()


async def test_a_secret_never_reaches_log_or_memory(companion: Companion) -> None:
    log = companion.log = ListLog()
    secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
    steps = await steps_of(companion, f"my key is {secret}")
    assert isinstance(steps[0], Heard)
    assert steps[0].masked == 1
    kept = [text for _, text in log.lines] + [companion.store.text(m.content) for m in companion.store.state.active()]
    assert not any(secret in text for text in kept)
    assert any(MASK in text for text in kept)


async def test_the_same_telling_reinforces_instead_of_adding(companion: Companion) -> None:
    await steps_of(companion, "I'm allergic to shellfish.")
    companion.clock.advance(timedelta(days=1))
    await steps_of(companion, "i'm ALLERGIC to shellfish")
    (memory,) = companion.store.state.active()
    assert memory.recalls == 1
    assert len(memory.sources) == 2


async def test_a_candidate_without_support_in_the_turn_is_dropped(companion: Companion, mind: ScriptedMind) -> None:
    now = companion.clock.now()
    mind.extracted = [candidate("The user likes pandas", now)]
    await steps_of(companion, "What is the weather like?")
    assert not companion.store.state.memories


async def test_recalled_text_never_becomes_a_new_memory(companion: Companion, mind: ScriptedMind) -> None:
    await steps_of(companion, "My home is in Lisbon")
    mind.extracted = [candidate("My home is in Lisbon", companion.clock.now())]
    await steps_of(companion, "Where is home?")
    assert len(companion.store.state.memories) == 1


async def test_the_threshold_is_crossed_not_met(companion: Companion) -> None:
    companion.settings.sleep.after_memories = 3
    now = companion.clock.now()
    for word in ("alpha", "beta"):
        await steps_of(companion, word)
    companion.mind.extracted = [candidate(word, now) for word in ("gamma", "delta")]  # type: ignore[attr-defined]
    steps = await steps_of(companion, "gamma and delta")
    assert type(steps[-1]).__name__ == "Slumbered"
    assert companion.store.state.written_since_sleep() == 0


async def test_a_reading_probe_changes_nothing(companion: Companion) -> None:
    await steps_of(companion, "My home is in Lisbon")
    before = companion.store.head
    found = await companion.recall_for("Where is my home?")
    assert found.recalled
    assert companion.store.head == before


async def test_forgotten_memories_leave_recall_at_once_and_come_back(companion: Companion) -> None:
    await steps_of(companion, "My home is in Lisbon")
    (memory,) = companion.store.state.active()
    await companion.forget("m01")
    assert not (await companion.recall_for("Where is my home?")).items
    assert companion.store.state.memories[memory.id].status is Status.RETIRED
    await companion.restore("m01")
    assert (await companion.recall_for("Where is my home?")).items


async def test_undo_gives_back_the_state_before_exactly(companion: Companion) -> None:
    await steps_of(companion, "My home is in Lisbon")
    before = dict(companion.store.state.memories)
    await companion.forget("m01")
    await companion.undo()
    assert companion.store.state.memories == before
