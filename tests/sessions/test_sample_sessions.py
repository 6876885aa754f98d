"""The sample sessions: each is played from end to end and must tell the story it was written for."""

from __future__ import annotations

import shutil
import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from memtui.chat.companion import Companion
from memtui.chat.opening import open_companion
from memtui.chat.steps import RecalledFor
from memtui.clock import SimClock
from memtui.config import Settings, SleepSettings
from memtui.errors import InputError
from memtui.locations import home, sample_sessions
from memtui.memory.model import Kind, Memory, RetireReason
from memtui.memory.recall import Recollection
from memtui.memory.state import state_hash
from memtui.sessions.beats import beats_of, seconds_between
from memtui.sessions.format import read_session
from memtui.sessions.headless import play_all, replay_headless, result_of
from memtui.sessions.library import Library
from memtui.sessions.lines import CommandLine, Probe, Session, UserTurn
from memtui.sessions.replay import LinePlayed
from memtui.sessions.stage import replay_companion, start_of

NAMES = ("berlin-to-lisbon", "allergy-once", "ru-pereezd", "tour")
SCENARIOS = {"forty-days-en": "en", "forty-days-ru": "ru"}
"""Evaluation scenarios: user turns and probes only, so that the mind under test thinks and replies."""


def sample(name: str) -> Session:
    return read_session(sample_sessions() / f"{name}.jsonl")


class Story:
    """A sample that was played."""

    def __init__(self, session: Session, companion: Companion, played: Sequence[LinePlayed]) -> None:
        self.session, self.companion, self.played = session, companion, played

    def one(self, words: str) -> Memory:
        """The only memory that says `words`."""
        memories = self.companion.store.state.memories.values()
        found = [memory for memory in memories if words in self.companion.store.text(memory.content)]
        assert len(found) == 1, (words, len(found))
        return found[0]

    def given_to(self, words: str) -> list[str]:
        """What was recalled for the turn that says `words`."""
        (line,) = [line for line in self.played if isinstance(line.line, UserTurn) and words in line.line.text]
        (step,) = [step for step in line.steps if isinstance(step, RecalledFor)]
        return [self.companion.store.text(m.content) for m in self._memories(step.recollection)]

    def check_probes(self) -> None:
        """Every probe is clean, as FORMATS judges them."""
        for line in self.played:
            if not isinstance(line.line, Probe):
                continue
            assert line.recollection is not None
            probe = line.line
            if probe.category == "nothing":
                assert line.recollection.recalled == (), probe.id
                continue
            recalled = [self.companion.store.state.memories[item.memory] for item in line.recollection.items]
            answers = [folded(answer) for answer in probe.answers]
            hit = [
                memory
                for memory in recalled
                if set(memory.sources) & set(probe.evidence)
                and any(answer in folded(self.companion.store.text(memory.content)) for answer in answers)
            ]
            stale = [memory for memory in recalled if set(memory.sources) <= set(probe.stale)]
            assert hit, probe.id
            assert not stale, probe.id

    def _memories(self, recollection: Recollection) -> list[Memory]:
        state = self.companion.store.state
        return [state.memories[item.memory] for item in recollection.items if item.passed]


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")


async def told(name: str) -> Story:
    session = sample(name)
    companion = await replay_companion(session, SimClock.frozen(start_of(session)))
    return Story(session, companion, await play_all(companion, beats_of(session)))


@pytest.mark.parametrize("name", NAMES)
def test_it_says_where_it_comes_from_and_needs_no_model(name: str) -> None:
    session = sample(name)
    assert session.header.note
    assert "memtui" in session.header.note
    extracted = {call.for_ for call in session.mind_calls if call.call == "extract"}
    for beat in beats_of(session):
        if isinstance(beat.line, UserTurn):
            assert beat.reply is not None, beat.line.id
            assert beat.line.id in extracted


@pytest.mark.parametrize(
    ("name", "turns", "days"),
    [("berlin-to-lisbon", 110, 40), ("allergy-once", 40, 30), ("ru-pereezd", 50, 30), ("tour", 8, 12)]
    + [(name, 110, 40) for name in SCENARIOS],
)
def test_it_is_as_long_as_it_promises(name: str, turns: int, days: int) -> None:
    session = sample(name)
    assert len(session.user_turns) >= turns
    first, last = session.lines[0].at, session.lines[-1].at
    assert (last.date() - first.date()) + timedelta(days=1) >= timedelta(days=days)


def test_the_tour_takes_less_than_two_minutes() -> None:
    beats = beats_of(sample("tour"))
    assert sum(seconds_between(before, after, 1.0) for before, after in pairwise(beats)) < 120


async def test_from_berlin_to_lisbon() -> None:
    story = await told("berlin-to-lisbon")
    for gone, come in (
        ("I live in Berlin", "I moved to Lisbon"),
        ("I work as a backend developer at Frachtwerk", "I work as a developer at Farol"),
        ("I write Python all day", "I write Rust all day"),
        ("The Harbour Hack hackathon in Lisbon is on 18 April", "The Harbour Hack hackathon in Lisbon is on 25 April"),
        ("The door code of my building is 4471", "The door code of my building in Lisbon is 2038"),
        ("My coffee order is a flat white", "My coffee order is a bica"),
        ("I commute on the U8", "I commute by ferry"),
    ):
        older, newer = story.one(gone), story.one(come)
        assert newer.active, come
        assert older.retired_reason is RetireReason.SUPERSEDED, gone
        assert older.retired_by == newer.id
    assert story.one("a pigeon sheltered").retired_reason is RetireReason.PRUNED
    for stays in ("I'm vegetarian", "My sister Lena is pregnant", "I teach a beginners' Rust evening"):
        assert story.one(stays).active
    consolidated = [memory for memory in story.companion.store.state.active() if memory.kind is Kind.CONSOLIDATED]
    assert max(len(memory.sources) for memory in consolidated) >= 9
    assert any("2038" in text for text in story.given_to("Locked myself out"))
    assert any("I moved to Lisbon" in text for text in story.given_to("Which city do I put?"))
    assert any("25 April" in text for text in story.given_to("which day is the Harbour Hack"))
    dinner = " ".join(story.given_to("Where do I have dinner tonight?"))
    assert "I'm vegetarian" in dinner
    assert "I moved to Lisbon" in dinner
    story.check_probes()
    await story.companion.close()


async def test_an_allergy_told_once() -> None:
    story = await told("allergy-once")
    allergy = story.one("allergic to shellfish")
    assert allergy.active
    assert allergy.sources == ("t008",)
    assert any("allergic to shellfish" in text for text in story.given_to("seafood chowder"))
    pruned = [m for m in story.companion.store.state.retired() if m.retired_reason is RetireReason.PRUNED]
    assert len(pruned) >= 15
    story.check_probes()
    await story.companion.close()


async def test_a_move_in_russian() -> None:
    story = await told("ru-pereezd")
    assert story.one("Живу в Казани").retired_by == story.one("живу теперь в Петербурге").id
    assert story.one("Рисую только акварелью").retired_by == story.one("Рисую теперь на планшете").id
    assert story.one("аллергия на грецкие орехи").active
    assert any("грецкие орехи" in text for text in story.given_to("торт «Полёт»"))
    assert any("Петербурге" in text for text in story.given_to("в каком городе я теперь живу"))
    assert any("планшете" in text for text in story.given_to("А рисую теперь чем"))
    assert any(m.kind is Kind.CONSOLIDATED and m.active for m in story.companion.store.state.memories.values())
    story.check_probes()
    await story.companion.close()


async def test_the_tour(tmp_path: Path) -> None:
    story = await told("tour")
    assert all(line.problem is None for line in story.played)
    assert [line.line.text.split()[0] for line in story.played if isinstance(line.line, CommandLine)] == [
        "/sleep", "/pin", "/warp", "/restore",
    ]  # fmt: skip
    berlin, lisbon = story.one("I live in Berlin"), story.one("I moved to Lisbon")
    assert berlin.retired_by == lisbon.id
    assert story.one("allergic to shellfish").pinned
    ramen = story.one("ramen")
    assert ramen.active
    history = [event.body.type for event in story.companion.store.state.history[ramen.id]]
    assert history[-2:] == ["retired", "restored"]
    assert "I'm allergic to shellfish" in story.given_to("dinner tonight")
    assert story.given_to("Where do I live these days?") == ["I moved to Lisbon; Berlin is over"]
    story.check_probes()
    kept = tmp_path / "home"
    again = await replay_headless(sample_sessions() / "tour.jsonl", Settings(store=str(tmp_path / "mine")), keep=kept)
    assert again == result_of(story.session, story.companion.store.state)
    assert again.state_hash == state_hash(story.companion.store.state)
    assert list(again.to_json()) == [
        "title", "turns", "memories_active", "memories_retired", "by_kind", "sleeps", "state_hash",
    ]  # fmt: skip
    assert not (tmp_path / "mine").exists()  # a replay leaves the user's own store alone
    await check_kept_home(kept, story)
    with pytest.raises(InputError, match="not an empty folder"):
        await replay_headless(sample_sessions() / "tour.jsonl", keep=kept)
    await story.companion.close()


async def check_kept_home(kept: Path, story: Story) -> None:
    """The folder is a home that goes on from the session's end, with the session among its chats."""
    (entry,) = Library(home(kept).sessions).entries()
    assert entry.title == story.session.header.title
    assert read_session(entry.path).lines == story.session.lines
    lived_on = await open_companion(Settings(sleep=SleepSettings(nightly=False)), home(kept), mind=story.companion.mind)
    assert state_hash(lived_on.store.state) == state_hash(story.companion.store.state)
    assert lived_on.store.verify() == []
    assert timedelta(0) <= lived_on.clock.now() - story.session.lines[-1].at < timedelta(days=1)
    await lived_on.close()


def test_every_sample_is_tested() -> None:
    assert {path.stem for path in sample_sessions().iterdir()} == {*NAMES, *SCENARIOS}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_turns_and_probes_and_says_so(name: str, tmp_path: Path) -> None:
    session = sample(name)
    assert {type(line) for line in session.lines} == {UserTurn, Probe}
    assert session.header.note
    assert "memtui bench scenario" in session.header.note
    shutil.copy(sample_sessions() / f"{name}.jsonl", tmp_path)
    (entry,) = Library(tmp_path).entries()
    assert (entry.title, entry.turns, entry.language) == (session.header.title, len(session.user_turns), SCENARIOS[name])
    assert "(evaluation)" in entry.title or "(оценка)" in entry.title


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_asks_what_was_told(name: str) -> None:
    told_so_far: dict[str, str] = {}
    asked: Counter[str] = Counter()
    for line in sample(name).lines:
        if isinstance(line, UserTurn):
            told_so_far[line.id] = line.text
        elif isinstance(line, Probe):
            asked[line.category] += 1
            check_probe(line, told_so_far)
    assert asked == {"update": 9, "additive": 6, "fact": 6, "once": 3, "project": 3, "nothing": 3}


def check_probe(probe: Probe, told_so_far: dict[str, str]) -> None:
    """Evidence and stale turns were told before and differ; each evidence turn says an answer, no stale one does."""
    evidence, stale = set(probe.evidence), set(probe.stale)
    assert evidence | stale <= told_so_far.keys(), probe.id
    assert evidence.isdisjoint(stale), probe.id
    assert bool(evidence) == bool(probe.answers) == (probe.category != "nothing"), probe.id
    assert stale or probe.category != "update", probe.id
    for turn in evidence | stale:
        says = any(folded(answer) in folded(told_so_far[turn]) for answer in probe.answers)
        assert says == (turn in evidence), (probe.id, turn)
    for answer in probe.answers:
        assert any(folded(answer) in folded(told_so_far[turn]) for turn in evidence), (probe.id, answer)


@pytest.mark.parametrize("name", SCENARIOS)
async def test_a_scenario_replays_with_the_offline_mind(name: str) -> None:
    session = sample(name)
    result = await replay_headless(sample_sessions() / f"{name}.jsonl")
    assert (result.title, result.turns) == (session.header.title, len(session.user_turns))
    nights = (session.lines[-1].at.date() - session.lines[0].at.date()).days
    assert result.sleeps == nights
    assert 0 < result.memories_active < result.turns
    assert result.memories_retired > 0
