"""The memory as a library: what an agent can do with it, and what it can't do wrong."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from memtui import AgentMemory, Embedding, open_memory
from memtui.errors import EmbedderMismatchError, InputError, MindMalformedError, StoreError
from memtui.memory.laws import LAW_NAMES
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import Kind, RetireReason
from memtui.store.memory_store import MemoryStore
from tests.doubles import ScriptedMind, WordEmbedder

NOW = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
Opener = Callable[..., AgentMemory]


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens memories over a quick mind; they are closed behind the test."""
    there: list[AgentMemory] = []

    def make(path: Path | None = None, **more: object) -> AgentMemory:
        memory = open_memory(path, **{"mind": ScriptedMind(), **more})  # type: ignore[arg-type]
        there.append(memory)
        return memory

    yield make
    for memory in there:
        memory.close()


def test_what_is_added_is_found_and_reading_it_changes_nothing(opened: Opener) -> None:
    memory = opened()
    shellfish = memory.add("allergic to shellfish", now=NOW, kind="semantic", importance=0.9)
    memory.add("Ana plays chess", now=NOW, importance=0.2)
    before = memory.memories(now=NOW)
    for _ in range(3):
        (found,) = memory.recall("shellfish allergic?", now=NOW + DAY)
        memory.forecast(now=NOW)
        memory.get(shellfish, now=NOW)
    assert (found.id, found.text, found.passed) == (shellfish, "allergic to shellfish", True)
    assert found.tokens > 0 and 0 < found.retention < 0.9
    assert memory.memories(now=NOW) == before and before[0].recalls == 0
    assert memory.recall("nothing like it", now=NOW) == []
    assert memory.verify() == []


def test_access_counts_and_makes_it_live_longer(opened: Opener) -> None:
    memory = opened()
    told = memory.add("the deadline is friday", now=NOW, kind=Kind.EPISODIC, importance=0.5)
    before = memory.get(told, now=NOW)
    memory.access(told, told, now=NOW + DAY)
    after = memory.get(told, now=NOW + DAY)
    assert (after.recalls, after.last_recalled_at) == (1, NOW + DAY)
    assert before.fades_at is not None and after.fades_at is not None and after.fades_at > before.fades_at + DAY
    memory.access(now=NOW)


def test_the_same_words_again_are_a_recall_of_what_is_there(opened: Opener) -> None:
    memory = opened()
    first = memory.add("I live in Lisbon", now=NOW, source="msg-1")
    assert memory.add("i live in lisbon!", now=NOW + DAY, source="msg-2", pinned=True) == first
    kept = memory.get(first, now=NOW + DAY)
    assert (kept.recalls, kept.sources, kept.pinned, kept.fades_at) == (1, ("msg-1", "msg-2"), True, None)


def test_a_forecast_is_what_happens_when_nothing_is_recalled(opened: Opener) -> None:
    memory = opened()
    texts = ("a film", "a ramen", "an allergy", "a home")
    for at, (text, importance) in enumerate(zip(texts, (0.3, 0.2, 0.95, 0.8), strict=True)):
        memory.add(text, now=NOW + at * DAY, kind="episodic", importance=importance)
    pinned = memory.add("a pinned one", now=NOW + 3 * DAY, importance=0.1, pinned=True)
    now = NOW + 4 * DAY
    forecast = memory.forecast(now=now, horizon=60 * DAY)
    assert [fade.text for fade in forecast.fades] == ["a ramen", "a film", "an allergy", "a home"]
    assert forecast.active == 5 and forecast.active_at(now + 60 * DAY) == 1
    assert pinned not in {fade.id for fade in forecast.fades}
    curve = forecast.curve(6)
    assert [moment for moment, _ in curve] == [now + 10 * DAY * step for step in range(7)]
    assert [count for _, count in curve] == sorted((count for _, count in curve), reverse=True)
    for fade in forecast.fades:
        assert memory.get(fade.id, now=fade.at - timedelta(seconds=1)).retention >= 0.05
        assert memory.get(fade.id, now=fade.at + timedelta(seconds=1)).retention < 0.05
    second = forecast.fades[1]
    outcome = memory.sleep(now=second.at + timedelta(seconds=1))
    assert outcome.pruned == 2 and outcome.active == 3 == forecast.active_at(second.at)
    gone = memory.get(second.id, now=second.at)
    assert (gone.active, gone.retired_reason, gone.fades_at) == (False, RetireReason.PRUNED, None)
    assert memory.recall("film", now=second.at) == []
    assert len(memory.memories(now=now)) == 3 and len(memory.memories(now=now, retired=True)) == 5


def test_sleep_can_be_undone_and_retired_memories_restored(opened: Opener) -> None:
    memory = opened()
    told = memory.add("a film", now=NOW, kind="episodic", importance=0.2)
    outcome = memory.sleep(now=NOW + 40 * DAY)
    assert outcome.block is not None and outcome.active == 0
    assert "Undone" in memory.undo(outcome.block, now=NOW + 40 * DAY)
    assert memory.get(told, now=NOW).active
    memory.sleep(now=NOW + 41 * DAY)
    memory.restore(told, now=NOW + 42 * DAY)
    assert memory.get(told, now=NOW).recalls == 1
    memory.forget(told, now=NOW + 42 * DAY)
    assert memory.get(told, now=NOW).retired_reason is RetireReason.FORGOTTEN
    with pytest.raises(InputError, match="retired"):
        memory.access(told, now=NOW + 43 * DAY)


def test_time_is_what_the_caller_says_and_never_runs_backwards(opened: Opener) -> None:
    memory = opened()
    memory.add("told last", now=NOW, importance=0.5)
    early = memory.add("told before it", now=NOW - 30 * DAY, importance=0.5, valid_from=NOW - 60 * DAY)
    kept = memory.get(early, now=NOW)
    assert kept.created_at >= NOW and kept.valid_from == NOW - 60 * DAY and kept.last_recalled_at == NOW
    lisbon = timezone(timedelta(hours=1))
    later = memory.add("told in lisbon", now=(NOW + DAY).astimezone(lisbon), importance=0.5)
    assert memory.get(later, now=NOW).created_at == NOW + DAY


def test_a_store_on_disk_keeps_everything_and_another_process_is_seen(tmp_path: Path, opened: Opener) -> None:
    place = tmp_path / "memories"
    one = opened(place)
    told = one.add("I live in Lisbon", now=NOW, importance=0.8)
    other = opened(place)
    assert other.get(told, now=NOW).text == "I live in Lisbon"
    more = other.add("I work at a bakery", now=NOW + DAY, importance=0.8)
    assert [found.id for found in one.recall("work bakery", now=NOW + DAY)] == [more]
    one.close()
    other.close()
    assert opened(place).get(more, now=NOW).text == "I work at a bakery"


def test_closing_writes_no_clock_into_the_store(tmp_path: Path, opened: Opener) -> None:
    memory = opened(tmp_path / "memories")
    memory.add("I live in Lisbon", now=NOW, importance=0.8)
    memory.close()
    embedder = WordEmbedder()
    store = MemoryStore.open(tmp_path / "memories", embedder_name=embedder.name, dims=embedder.dims)
    assert {event.body.type for event in store.events()} == {"created"} and store.state.offset_s == 0
    store.close()


@pytest.mark.parametrize("law", LAW_NAMES)
def test_any_law(opened: Opener, law: str) -> None:
    memory = opened(law=law)
    for n in range(4):
        memory.add(f"fact number {n}", now=NOW + n * DAY, kind="episodic", importance=0.3)
    memory.access(memory.add("fact used", now=NOW + 4 * DAY, importance=0.5), now=NOW + 5 * DAY)
    forecast = memory.forecast(now=NOW + 5 * DAY, horizon=400 * DAY)
    outcome = memory.sleep(now=NOW + 400 * DAY)
    assert outcome.active == forecast.active_at(NOW + 400 * DAY)


def test_numbers_of_a_law_and_a_law_of_ones_own(opened: Opener) -> None:
    quick = opened(policy={"half_life.episodic": "12h", "floor": 0.1})
    own = opened(law=SalienceLaw(half_life=dict.fromkeys(Kind, 12.0), floor=0.1))
    for memory in (quick, own):
        told = memory.add("a film", now=NOW, kind="episodic", importance=0.4)
        assert memory.get(told, now=NOW).fades_at == NOW + DAY
    small = opened(law="window", policy={"capacity": 2})
    for n in range(4):
        small.add(f"fact number {n}", now=NOW + n * timedelta(hours=9), importance=0.5)
    assert small.sleep(now=NOW + 3 * DAY).active == 2


def test_a_contradiction_is_settled_in_sleep_and_a_doubt_comes_with_both_sides(opened: Opener) -> None:
    from memtui.memory.model import Label, Verdict
    from memtui.minds.base import PairText

    mind = ScriptedMind()

    def judged(pair: PairText) -> Verdict:
        sure = 0.9 if "Berlin" in pair.older else 0.3
        return Verdict("one home at a time", Label.SUPERSEDES, sure)

    mind.verdict = judged
    memory = opened(mind=mind)
    berlin = memory.add("I live in Berlin", now=NOW, importance=0.8)
    lisbon = memory.add("I live in Lisbon", now=NOW + DAY, importance=0.8)
    assert memory.sleep(now=NOW + 2 * DAY).superseded == 1
    assert memory.get(berlin, now=NOW).retired_by == lisbon
    porto = memory.add("I live in Porto", now=NOW + 3 * DAY, importance=0.8)
    assert memory.sleep(now=NOW + 4 * DAY).unsure == 1
    found = memory.recall("Where do I live?", now=NOW + 4 * DAY)
    assert [one.id for one in found] == [porto, lisbon]
    assert found[0].against == (lisbon,) and found[1].against == (porto,)


def test_limits_of_recall(opened: Opener) -> None:
    memory = opened()
    for n in range(5):
        memory.add(f"the plan has part {n}", now=NOW, importance=0.5)
    assert len(memory.recall("plan part", now=NOW)) == 5
    assert len(memory.recall("plan part", now=NOW, limit=2)) == 2
    assert memory.recall("plan part", now=NOW, limit=0) == memory.recall("plan part", now=NOW, budget_tokens=0) == []
    with pytest.raises(InputError, match="limit -1"):
        memory.recall("plan", now=NOW, limit=-1)


# -- embedders ---------------------------------------------------------------------------------------------------------


def lengths(texts: Sequence[str]) -> list[list[float]]:
    """Two numbers a text, not of unit length."""
    return [[len(text) * 3.0, 4.0] for text in texts]


async def lengths_later(texts: Sequence[str]) -> np.ndarray:
    return np.array(lengths(texts))


@pytest.mark.parametrize("embed", [lengths, lengths_later, lambda texts: lengths_later(texts)])
def test_an_embedder_of_ones_own_is_a_function_or_a_coroutine(opened: Opener, embed: Callable[..., object]) -> None:
    memory = opened(embedder=Embedding("lengths", 2, embed, related_from=0.9))
    told = memory.add("four", now=NOW, importance=0.5)
    (found,) = memory.recall("more", now=NOW)
    assert found.id == told and found.meaning == pytest.approx(1.0)


@pytest.mark.parametrize(
    "given",
    [[[1.0]], [[1.0, float("nan")]], [["a", "b"]], None, [], [[1.0, 2.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]]],
    ids=["narrow", "nan", "words", "none", "empty", "too many", "ragged"],
)
def test_what_is_no_vector_is_refused_and_nothing_is_stored(opened: Opener, given: object) -> None:
    memory = opened(embedder=Embedding("broken", 2, lambda texts: given))
    with pytest.raises(MindMalformedError, match="broken"):
        memory.add("a film", now=NOW, importance=0.5)
    assert memory.memories(now=NOW) == []


def test_vectors_of_two_embedders_are_never_mixed(tmp_path: Path, opened: Opener) -> None:
    opened(tmp_path / "m", embedder=Embedding("one", 2, lengths)).add("four", now=NOW, importance=0.5)
    with pytest.raises(EmbedderMismatchError):
        opened(tmp_path / "m", embedder=Embedding("two", 2, lengths))


def test_an_embedder_that_asks_the_memory_is_told_not_to(opened: Opener) -> None:
    async def asking(texts: Sequence[str]) -> list[list[float]]:
        memory.recall("itself", now=NOW)
        return lengths(texts)

    memory = opened(embedder=Embedding("asking", 2, asking))
    with pytest.raises(InputError, match="within its own embedder"):
        memory.add("four", now=NOW, importance=0.5)


# -- threads and loops -------------------------------------------------------------------------------------------------


def test_many_threads_at_once(opened: Opener) -> None:
    memory = opened()

    def work(n: int) -> str:
        told = memory.add(f"fact number {n}", now=NOW + timedelta(seconds=n), importance=0.5)
        memory.recall(f"number {n}", now=NOW + DAY)
        memory.access(told, now=NOW + DAY)
        return told

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(24)))
    kept = {one.id: one for one in memory.memories(now=NOW + DAY)}
    assert len(set(ids)) == 24 and {kept[one].recalls for one in ids} == {1}
    assert memory.verify() == []


async def test_inside_a_running_loop_it_works_and_in_a_thread_it_holds_nobody_up(opened: Opener) -> None:
    memory = await asyncio.to_thread(opened)
    told = memory.add("I live in Lisbon", now=NOW, importance=0.5)
    ticks = 0

    async def ticking() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(ticking())
    found = await asyncio.gather(*(asyncio.to_thread(memory.recall, "live Lisbon", now=NOW) for _ in range(5)))
    task.cancel()
    assert [one[0].id for one in found] == [told] * 5 and ticks > 1


def test_closed_is_closed_and_a_memory_nobody_holds_any_more_lets_go(opened: Opener) -> None:
    memory = opened()
    memory.close()
    memory.close()
    with pytest.raises(StoreError, match="closed"):
        memory.recall("anything", now=NOW)
    with pytest.raises(StoreError, match="closed"):
        memory.add("anything", now=NOW)

    def threads() -> int:
        return sum(thread.name == "memtui-memory" for thread in threading.enumerate())

    before = threads()
    with open_memory(mind=ScriptedMind()) as used:
        used.add("a film", now=NOW, importance=0.5)
        assert threads() == before + 1
    lost = open_memory(mind=ScriptedMind())
    del lost
    gc.collect()
    assert threads() == before


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_bad_input_is_named_and_changes_nothing(opened: Opener) -> None:
    memory = opened()
    naive = datetime(2026, 4, 1)
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: memory.add("a", now=naive), "now"),
        (lambda: memory.recall("a", now="2026-04-01"), "now"),  # type: ignore[arg-type]
        (lambda: memory.add("a", now=NOW, valid_from=naive), "valid_from"),
        (lambda: memory.add(" \n", now=NOW), "nothing to keep"),
        (lambda: memory.add("x" * 601, now=NOW), "601"),
        (lambda: memory.add("a", now=NOW, importance=1.2), "importance 1.2"),
        (lambda: memory.add("a", now=NOW, kind="dream"), "kind 'dream'"),
        (lambda: memory.add("a", now=NOW, kind="consolidated"), "kind"),
        (lambda: memory.access("nobody", now=NOW), "no memory 'nobody'"),
        (lambda: memory.get("nobody", now=NOW), "no memory"),
        (lambda: memory.pin("nobody", now=NOW), "no memory"),
        (lambda: memory.forget("nobody", now=NOW), "no memory"),
        (lambda: memory.restore("nobody", now=NOW), "no memory"),
        (lambda: memory.undo(now=NOW), "nothing to undo"),
        (lambda: memory.forecast(now=NOW, horizon=-DAY), "looks ahead"),
        (lambda: open_memory(law="magic"), "no law 'magic'"),
        (lambda: open_memory(policy={"half_life.dream": 3}), "half_life.dream"),
        (lambda: open_memory(policy={"floor": 7}), "memory.floor"),
        (lambda: open_memory(policy={"half_life.episodic": "soon"}), "soon"),
        (lambda: open_memory(policy={"half_life": 3}), "half_life"),
        (lambda: open_memory(""), "empty"),
    ]
    for call, named in wrong:
        with pytest.raises(InputError, match=named):
            call()
    assert memory.memories(now=NOW, retired=True) == []


@pytest.mark.parametrize(
    "text", ["\ud800 alone", "a\0b", "שלום ‮abc", "我住在里斯本", "👩‍👩‍👧 [b]x[/b]", "it's \"quoted\" \\ '; --"]
)
def test_hostile_text_is_kept_as_text(opened: Opener, text: str) -> None:
    memory = opened()
    told = memory.add(text, now=NOW, importance=0.5)
    assert memory.get(told, now=NOW).text
    memory.recall(text, now=NOW)
    memory.recall(text * 50_000, now=NOW)
    assert memory.verify() == []


def test_a_secret_is_masked(opened: Opener) -> None:
    memory = opened()
    told = memory.add("my api key is sk-abcdefghijklmnopqrstuvwxyz123456", now=NOW, importance=0.5)
    assert "abcdefghijklmnop" not in memory.get(told, now=NOW).text
