"""Sleep passes and warps through a companion."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.chat.commands import parse_duration, run_command
from memtui.chat.companion import Companion
from memtui.chat.nights import nights_between
from memtui.chat.opening import scratch_companion
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.errors import InputError, MindMalformedError, MindUnreachableError
from memtui.memory.model import Kind, Label, RetireReason, Summary, Verdict
from memtui.memory.sleep.plan import Action
from memtui.memory.state import state_hash
from memtui.minds.base import Judging, PairText
from tests.chat.conftest import START
from tests.doubles import ScriptedMind, candidate


async def say(companion: Companion, text: str) -> None:
    async for _ in companion.turn(text):
        pass


def newer_home_wins(pair: PairText) -> Verdict:
    if "Berlin" in pair.older and "Lisbon" in pair.newer:
        return Verdict("a newer home", Label.SUPERSEDES, 0.9)
    return Verdict("nothing", Label.UNRELATED)


async def test_a_newer_fact_retires_what_it_contradicts(companion: Companion, mind: ScriptedMind) -> None:
    mind.verdict = newer_home_wins
    await say(companion, "My home is in Berlin")
    companion.clock.advance(timedelta(days=2))
    await say(companion, "My home is in Lisbon")
    report = await companion.sleep("key")
    (item,) = report.plan.items
    assert item.action is Action.SUPERSEDE
    old = companion.store.state.memories[item.retires[0]]
    assert old.retired_reason is RetireReason.SUPERSEDED
    assert companion.store.text(old.retire_note or "") == "a newer home"


async def test_stale_fact_loses_even_when_inserted_after_correct_one(companion: Companion, mind: ScriptedMind) -> None:
    mind.verdict = newer_home_wins
    now = companion.clock.now()
    mind.extracted = [candidate("My home is in Lisbon", now)]
    await say(companion, "My home is in Lisbon")
    past = candidate("My home was in Berlin", now)
    mind.extracted = [
        type(past)(**{**{s: getattr(past, s) for s in past.__slots__}, "valid_from": now - timedelta(days=90)})
    ]
    await say(companion, "My home was in Berlin")
    await companion.sleep("key")
    (left,) = companion.store.state.active()
    assert "Lisbon" in companion.store.text(left.content)


async def test_a_second_pass_asks_the_judge_nothing(companion: Companion, mind: ScriptedMind) -> None:
    await say(companion, "My home is in Berlin")
    await say(companion, "My home has a garden")
    await companion.sleep("key")
    asked = len(mind.judged)
    assert asked
    await companion.sleep("key")
    assert len(mind.judged) == asked


async def test_the_call_budget_leaves_the_rest_for_the_next_pass(companion: Companion, mind: ScriptedMind) -> None:
    mind.local = False
    companion.sleep_policy = type(companion.sleep_policy)(max_judge_calls=1)
    for word in ("red", "green", "blue"):
        await say(companion, f"my {word} boat")
    first = await companion.sleep("key")
    assert (first.plan.calls, len(first.plan.unasked)) == (1, 2)
    second = await companion.sleep("key")
    assert second.plan.calls == 1


async def test_repeats_become_one_memory_that_inherits_from_its_newest_source(
    companion: Companion, mind: ScriptedMind
) -> None:
    mind.summary = lambda texts: Summary("building Synapse for the hackathon", "told three times")
    for day in range(3):
        companion.clock.jump_to(START + timedelta(days=day))
        await say(companion, f"Synapse hackathon project build update {day}")
    newest = companion.clock.now()
    companion.clock.advance(timedelta(days=5))
    await companion.sleep("key")
    (merged,) = companion.store.state.active()
    assert merged.kind is Kind.CONSOLIDATED
    assert merged.valid_from == newest
    assert merged.last_recall <= newest
    assert len(merged.sources) == 3
    await companion.sleep("key")
    assert len(companion.store.state.active()) == 1


async def test_undo_of_a_sleep_pass_is_exact(companion: Companion, mind: ScriptedMind) -> None:
    mind.verdict = newer_home_wins
    await say(companion, "My home is in Berlin")
    companion.clock.advance(timedelta(minutes=1))
    await say(companion, "My home is in Lisbon")
    before = state_hash(companion.store.state)
    report = await companion.sleep("key")
    after = state_hash(companion.store.state)
    assert after != before
    await companion.undo(report.block)
    assert state_hash(companion.store.state) == before
    await companion.undo()  # nothing but the undone pass and turns are left: takes back the last turn
    assert state_hash(companion.store.state) != after


async def test_a_restored_memory_is_not_retired_again_by_the_same_pair(companion: Companion, mind: ScriptedMind) -> None:
    mind.verdict = newer_home_wins
    await say(companion, "My home is in Berlin")
    companion.clock.advance(timedelta(minutes=1))
    await say(companion, "My home is in Lisbon")
    await companion.sleep("key")
    await companion.restore("m01")
    await companion.sleep("key")
    assert len(companion.store.state.active()) == 2


async def test_a_mind_that_fails_leaves_the_rest_of_the_pass(companion: Companion, mind: ScriptedMind) -> None:
    mind.extracted = [candidate("a walk in the rain", START, Kind.EPISODIC, 0.2)]
    await say(companion, "a walk in the rain")
    mind.extracted = [candidate("a walk in the park", START, Kind.SEMANTIC, 0.9)]
    await say(companion, "a walk in the park")

    def fail(pair: PairText) -> Verdict:
        raise MindUnreachableError("down")

    mind.verdict = fail
    companion.clock.advance(timedelta(days=30))
    report = await companion.sleep("key")
    assert report.plan.problem
    assert report.plan.count(Action.PRUNE) == 1
    assert report.plan.unasked


async def test_a_warp_sleeps_the_nights_between_and_stands_at_its_end(companion: Companion, mind: ScriptedMind) -> None:
    mind.extracted = [candidate("a walk in the rain", START, Kind.EPISODIC, 0.2)]
    await say(companion, "a walk in the rain")
    report = await companion.warp_to(START + timedelta(days=40))
    assert companion.clock.now() == START + timedelta(days=40)
    assert len(report.nights) == 1  # a night with nothing to do leaves no mark
    (memory,) = companion.store.state.retired()
    crossed = START + timedelta(hours=72 * 2)  # .2 is four floors: two half-lives
    assert memory.retired_at is not None
    assert crossed <= memory.retired_at < crossed + timedelta(days=1)
    assert memory.retired_at.hour == 3


async def test_a_stopped_warp_stands_at_the_night_it_reached(companion: Companion) -> None:
    def stop_at_half(share: float, _: str) -> None:
        if share >= 0.5:
            companion.stop()

    report = await companion.warp_to(START + timedelta(days=10), stop_at_half)
    assert report.cancelled
    assert START < companion.clock.now() < START + timedelta(days=10)


async def test_time_does_not_run_backwards(companion: Companion) -> None:
    with pytest.raises(InputError):
        await companion.warp_to(START - timedelta(days=1))


async def test_reading_the_future_changes_nothing(companion: Companion) -> None:
    await say(companion, "My home is in Berlin")
    head = companion.store.head
    assert companion.fading(START + timedelta(days=365)) == (1, 0)
    assert companion.fading(START) == (0, 1)
    assert companion.store.head == head


def test_nights_are_three_in_the_morning_and_none_twice() -> None:
    evening = datetime(2026, 3, 1, 23, tzinfo=UTC)
    nights = nights_between(evening, evening + timedelta(days=3))
    assert [night.day for night in nights] == [2, 3, 4]
    assert not nights_between(nights[0], nights[0])
    assert nights_between(nights[0], nights[1]) == [nights[1]]


@pytest.mark.parametrize(("text", "hours"), [("3d", 72), ("12h", 12), ("1d6h", 30), ("90m", 1.5), ("2w", 336), ("+3d", 72)])
def test_durations(text: str, hours: float) -> None:
    assert parse_duration(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "soon", "-3d", "0h", "99999w", "3 fortnights", "[red]"])
def test_no_durations(text: str) -> None:
    with pytest.raises(InputError):
        parse_duration(text)


@pytest.mark.parametrize(
    "line", ["/nothing", "/pin", "/pin m99", "/pin no such words", "/warp soon", "/rate x", "/edit m01", "/"]
)
async def test_bad_commands_change_nothing(companion: Companion, line: str) -> None:
    await say(companion, "My home is in Berlin")
    head = companion.store.head
    with pytest.raises(InputError):
        await run_command(companion, line)
    assert companion.store.head == head


async def test_commands_do_what_they_say(companion: Companion) -> None:
    assert "m01" in (await run_command(companion, "/remember the code is 4711")).text
    await run_command(companion, "/pin m01")
    await run_command(companion, "/warp 40d")
    (memory,) = companion.store.state.active()
    assert memory.pinned
    await run_command(companion, "/unpin the code")
    await run_command(companion, "/edit m01 the code is 4712")
    assert "4712" in companion.store.text(companion.store.state.active()[0].content)
    await run_command(companion, "/forget m01")
    await run_command(companion, "/restore m01")
    await run_command(companion, "/undo")
    assert not companion.store.state.active()


async def test_a_budget_counts_calls_of_many_pairs_and_reports_what_is_left(
    companion: Companion, mind: ScriptedMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mind, "local", False)
    monkeypatch.setattr(mind, "judging", Judging(pairs_a_call=4))
    companion.sleep_policy = type(companion.sleep_policy)(max_judge_calls=2)
    for word in ("red", "green", "blue", "white", "black"):
        await say(companion, f"my {word} boat")
    first = await companion.sleep("key")
    assert (first.plan.calls, len(mind.judged), len(first.plan.unasked)) == (2, 8, 2)
    second = await companion.sleep("key")
    assert (second.plan.calls, len(mind.judged), second.plan.unasked) == (1, 10, ())


async def test_one_unusable_answer_costs_only_its_own_pairs(
    companion: Companion, mind: ScriptedMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mind, "local", False)
    monkeypatch.setattr(mind, "judging", Judging(pairs_a_call=2))
    for word in ("red", "green", "blue", "white"):
        await say(companion, f"my {word} boat")

    def once(pair: PairText) -> Verdict:
        if len(mind.judged) == 2:
            raise MindMalformedError("no JSON")
        return Verdict("both", Label.ADDITIVE)

    mind.verdict = once
    report = await companion.sleep("key")
    assert (report.plan.calls, len(report.plan.unasked)) == (3, 2)
    assert "no JSON" in report.plan.problem


async def test_each_mind_says_how_sure_its_judge_must_be(mind: ScriptedMind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mind, "judging", Judging(retire_confidence=0.7, duplicate_confidence=0.6))
    made = scratch_companion(Settings(timezone="UTC"), SimClock.frozen(START), mind)
    assert (made.sleep_policy.retire_confidence, made.sleep_policy.duplicate_confidence) == (0.7, 0.6)
    await made.close()


async def test_what_no_disk_can_hold_in_a_mind_s_words_breaks_no_pass(companion: Companion, mind: ScriptedMind) -> None:
    mind.verdict = lambda pair: Verdict("lone \ud800 and \x00", Label.SUPERSEDES, 0.9)
    await say(companion, "My home is in Berlin")
    await say(companion, "My home is in Lisbon")
    await companion.sleep("key")
    (gone,) = companion.store.state.retired()
    assert companion.store.text(gone.retire_note or "") == "lone ? and "
    mind.verdict = lambda pair: Verdict("", Label.UNRELATED)
    mind.summary = lambda texts: Summary("Synapse \udfff\x00 goes on", "told \ud800 often")
    for word in ("bars", "floors", "ghosts"):
        await say(companion, f"Synapse hackathon project build update {word}")
    await companion.sleep("key")
    assert "Synapse ? goes on" in [companion.store.text(memory.content) for memory in companion.store.state.active()]
