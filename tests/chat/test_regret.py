"""The regret meter over memories that were really lived: pruned, asked for, restored, reopened."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from memtui.chat.companion import Companion
from memtui.chat.law_choice import use_law
from memtui.chat.opening import open_companion
from memtui.chat.regret import Regret, RegretMeter, regret_record
from memtui.clock import SimClock
from memtui.config import Settings
from memtui.locations import home
from memtui.memory.model import Label, RetireReason, Verdict
from memtui.memory.state import state_hash
from memtui.minds.base import PairText
from tests.chat.conftest import START
from tests.doubles import ScriptedMind, candidate


@dataclass
class Log:
    """The words of turns, as a session file keeps them."""

    said: dict[str, str] = field(default_factory=dict)

    def texts(self, turns: Collection[str]) -> dict[str, str]:
        return {turn: self.said[turn] for turn in turns if turn in self.said}


async def say(companion: Companion, log: Log, text: str, *, keeps: bool = True, number: int = 0) -> None:
    mind = companion.mind
    assert isinstance(mind, ScriptedMind)
    mind.extracted = [candidate(text, companion.clock.now())] if keeps else []
    turn = f"t{len(log.said) + number}"
    log.said[turn] = text
    async for _ in companion.turn(text, turn_id=turn):
        pass
    companion.clock.advance(timedelta(hours=1))


async def days(companion: Companion, count: int) -> None:
    await companion.warp_to(companion.clock.now() + timedelta(days=count))


async def measured(companion: Companion, log: Log) -> RegretMeter:
    meter = RegretMeter(companion, log.texts)
    await meter.measure()
    return meter


def told(regret: Regret, companion: Companion) -> dict[str, list[str]]:
    frame = companion.store.frame
    return {frame.texts[frame.row(one.memory)]: [asked.text for asked in one.asked] for one in regret.missed}


async def life(companion: Companion, log: Log) -> None:
    """Something fades and is asked for twice; something is kept and never used."""
    await say(companion, log, "The trombone man plays on the U8")
    await days(companion, 200)
    await say(companion, log, "Grandmother bakes walnut bread")
    await days(companion, 20)
    await say(companion, log, "Who plays the trombone?", keeps=False)
    await say(companion, log, "I like tea", keeps=False)
    await say(companion, log, "Do you remember the trombone man?", keeps=False)


async def test_what_faded_and_was_asked_for_and_what_nobody_used(companion: Companion) -> None:
    log = Log()
    await life(companion, log)
    head, digest = companion.store.head, state_hash(companion.store.state)
    regret = (await measured(companion, log)).report()
    trombone = "The trombone man plays on the U8"
    assert told(regret, companion) == {trombone: ["Who plays the trombone?", "Do you remember the trombone man?"]}
    frame = companion.store.frame
    assert [frame.texts[frame.row(memory)] for memory in regret.unused] == ["Grandmother bakes walnut bread"]
    assert (regret.questions, regret.wordless, regret.words) == (2, 0, "regret 1 · never used 1")
    assert (companion.store.head, state_hash(companion.store.state)) == (head, digest), "it only reads"


async def test_measured_turn_by_turn_or_at_once_it_is_the_same(companion: Companion) -> None:
    log, record = Log(), {}
    meter = RegretMeter(companion, log.texts)
    await life(companion, log)
    await meter.measure()
    await say(companion, log, "What about the trombone now?", keeps=False)
    await meter.measure()
    record = regret_record(companion, meter.report())
    assert record == regret_record(companion, (await measured(companion, log)).report())
    assert record["questions"] == 3 and len(record["missed"][0]["questions"]) == 3


async def test_after_the_next_opening_it_is_the_same(tmp_path: Path) -> None:
    where, settings, log = home(tmp_path / "home"), Settings(timezone="UTC"), Log()
    first = await open_companion(settings, where, clock=SimClock.frozen(START), mind=ScriptedMind())
    await life(first, log)
    meter = await measured(first, log)
    now, record = first.clock.now(), regret_record(first, meter.report())
    await first.close()
    again = await open_companion(settings, where, clock=SimClock.frozen(now), mind=ScriptedMind())
    try:
        assert regret_record(again, (await measured(again, log)).report()) == record
    finally:
        await again.close()


async def test_what_is_restored_is_regretted_no_more_and_undoing_that_brings_it_back(companion: Companion) -> None:
    log = Log()
    await life(companion, log)
    meter = await measured(companion, log)
    (one,) = meter.report().missed
    await companion.restore(one.memory)
    assert meter.report().missed == () and meter.report().words == "never used 1"
    await companion.undo()
    assert [missed.memory for missed in meter.report().missed] == [one.memory]


async def test_as_of_the_past(companion: Companion) -> None:
    log = Log()
    await life(companion, log)
    meter = await measured(companion, log)
    second = companion.clock.now() - timedelta(hours=1)
    for ago, asked in ((0, 2), (1, 1), (4, 0)):
        moment = second - timedelta(hours=ago)
        frame = companion.store.as_of(moment).frame
        regret = meter.report(frame, moment)
        assert [len(one.asked) for one in regret.missed] == ([asked] if asked else []) and regret.questions == asked
    early = START + timedelta(days=1)
    assert meter.report(companion.store.as_of(early).frame, early).words == ""


def moved(pair: PairText) -> Verdict:
    if "Berlin" in pair.older and "Lisbon" in pair.newer:
        return Verdict("one home", Label.SUPERSEDES, 0.97)
    return Verdict("nothing", Label.UNRELATED)


async def test_what_a_newer_one_replaced_is_missed_only_where_that_was_not_recalled(companion: Companion) -> None:
    mind, log = companion.mind, Log()
    assert isinstance(mind, ScriptedMind)
    mind.verdict = moved
    await say(companion, log, "My home is in Berlin, Hermannstrasse")
    await say(companion, log, "My home is in Lisbon")
    await companion.sleep("key")
    old = companion.store.state.memories[companion.resolve("m01")]
    assert old.retired_reason is RetireReason.SUPERSEDED
    await say(companion, log, "Where is my home?", keeps=False)
    assert (await measured(companion, log)).report().missed == ()
    await say(companion, log, "Hermannstrasse Berlin?", keeps=False)
    found = (await measured(companion, log)).report()
    assert told(found, companion) == {"My home is in Berlin, Hermannstrasse": ["Hermannstrasse Berlin?"]}


async def test_turns_whose_words_are_gone_are_counted_and_asked_again_is_one_question(companion: Companion) -> None:
    log = Log()
    await life(companion, log)
    async for _ in companion.turn("Who plays the trombone?", turn_id="t2", again=True):
        pass
    regret = (await measured(companion, log)).report()
    assert regret.questions == 2 and len(regret.missed[0].asked) == 2
    log.said = {"t2": log.said["t2"]}
    regret = (await measured(companion, log)).report()
    assert (regret.questions, regret.wordless, len(regret.missed[0].asked)) == (1, 4, 1)


async def test_by_another_law_all_is_looked_at_anew(companion: Companion) -> None:
    log = Log()
    await life(companion, log)
    meter = await measured(companion, log)
    before = regret_record(companion, meter.report())
    use_law(companion, "naive")
    await meter.measure()
    assert regret_record(companion, meter.report()) == before  # none of these is a tie that the law would break


async def test_an_empty_memory_regrets_nothing(companion: Companion) -> None:
    regret = (await measured(companion, Log())).report()
    assert (regret.missed, regret.unused, regret.questions, regret.words) == ((), (), 0, "")


async def test_with_an_endpoints_embeddings_a_look_is_not_cheap(companion: Companion, mind: ScriptedMind) -> None:
    meter = RegretMeter(companion, Log().texts)
    assert meter.is_cheap
    mind.local = False
    assert meter.is_cheap, "its vectors are made here"
    far = companion.settings.mind.model_copy(update={"embedding_model": "far-away"})
    companion.settings = companion.settings.model_copy(update={"mind": far})
    assert not meter.is_cheap
