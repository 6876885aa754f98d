"""Looking back: what would have been recalled and answered then, from what was known then; and nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memtui.chat.companion import Companion
from memtui.chat.looking_back import Present, Then
from memtui.chat.records import memory_records
from memtui.chat.when import read_moment
from memtui.errors import InputError
from memtui.memory.model import Answer, Label, Verdict
from memtui.memory.recall import Recollection
from memtui.minds.base import PairText
from tests.chat.conftest import START
from tests.doubles import ScriptedMind

QUESTIONS = ("Where is my home?", "What is the cat called?", "Mia Tom", "nothing of the sort", "дом")


async def say(companion: Companion, text: str) -> None:
    async for _ in companion.turn(text):
        pass
    companion.clock.advance(timedelta(hours=7))


def maybe_moved(pair: PairText) -> Verdict:
    if "Berlin" in pair.older and "Lisbon" in pair.newer:
        return Verdict("a visit or a move?", Label.SUPERSEDES, 0.3)
    return Verdict("nothing", Label.UNRELATED)


@dataclass
class Heard:
    """What memory was at a moment, told at that moment."""

    at: datetime
    recalled: dict[str, Recollection]
    records: list[dict[str, object]]
    conflicts: list[tuple[str, str]]
    history: list[str]


async def hear(companion: Companion) -> Heard:
    at = companion.clock.now()
    recalled = {question: await companion.recall_for(question) for question in QUESTIONS}
    records = memory_records(companion, everything=True)
    conflicts = [(c.older, c.newer) for c in companion.conflicts()]
    here = Present(companion)
    history = [event.hash for memory in here.frame.ids for event in here.events_of(memory)]
    companion.clock.advance(timedelta(hours=1))
    return Heard(at, recalled, records, conflicts, history)


async def life(companion: Companion, mind: ScriptedMind) -> list[Heard]:
    """Turns, doubts, edits, a forgetting, nights, undoes; and what memory was after each."""
    mind.verdict = maybe_moved
    heard = [await hear(companion)]
    await say(companion, "My home is in Berlin")
    await say(companion, "The cat is called Mia")
    heard.append(await hear(companion))
    await say(companion, "My home is in Lisbon")
    await companion.sleep("key")
    heard.append(await hear(companion))
    await companion.edit("m02", text="The cat is called Tom")
    heard.append(await hear(companion))
    await companion.settle(companion.resolve("m01"), companion.resolve("m03"), Answer.REPLACED)
    heard.append(await hear(companion))
    await companion.undo()
    heard.append(await hear(companion))
    await companion.pin("m01")
    await companion.forget("m02")
    heard.append(await hear(companion))
    await companion.warp_to(companion.clock.now() + timedelta(days=40))
    heard.append(await hear(companion))
    await companion.restore("m02")
    await say(companion, "Where is my home, and what is the cat called?")
    heard.append(await hear(companion))
    return heard


async def test_asked_then_and_asked_of_then_are_the_same(companion: Companion, mind: ScriptedMind) -> None:
    heard = await life(companion, mind)
    head = companion.store.head
    for was in heard:
        then = Then(companion, was.at)
        for question, found in was.recalled.items():
            assert await then.recall_for(question) == found, (was.at, question)
        assert memory_records(companion, at=was.at, everything=True) == was.records
        assert [(c.older, c.newer) for c in then.conflicts()] == was.conflicts
        assert [event.hash for memory in then.frame.ids for event in then.events_of(memory)] == was.history
        assert then.counts() == (
            sum(record["status"] == "active" for record in was.records),
            sum(record["status"] == "retired" for record in was.records),
        )
    assert [len(was.conflicts) for was in heard] == [0, 0, 1, 1, 0, 1, 0, 0, 0]  # there is something to get wrong
    assert companion.store.head == head


async def test_a_later_day_changes_nothing_of_an_earlier_one(companion: Companion, mind: ScriptedMind) -> None:
    await say(companion, "My home is in Berlin")
    was = await hear(companion)
    for number in range(5):
        await say(companion, f"My home number {number} in Berlin is not the home in Berlin")
        assert await Then(companion, was.at).recall_for("Where is my home?") == was.recalled["Where is my home?"]


async def test_the_reply_of_then_knows_what_was_known(companion: Companion, mind: ScriptedMind) -> None:
    await say(companion, "My home is in Berlin")
    at = companion.clock.now() - timedelta(hours=1)
    await say(companion, "My home is in Lisbon")
    head, said = companion.store.head, len(companion.history)
    then = Then(companion, at)
    text = "Where is my home?"
    reply = [delta.text async for delta in then.reply_to(text, await then.recall_for(text))]
    prompt = mind.prompts[-1]
    assert "".join(reply) == "All right."
    assert [remembered.text for remembered in prompt.memories] == ["My home is in Berlin"]
    assert (prompt.now, [message.text for message in prompt.messages]) == (at, [text])
    assert (companion.store.head, len(companion.history)) == (head, said)


NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-20T12:00Z", datetime(2026, 3, 20, 12, tzinfo=UTC)),
        ("2026-03-20T12:00:00.5+02:00", datetime(2026, 3, 20, 10, 0, 0, 500_000, tzinfo=UTC)),
        (" 2026-03-20 ", datetime(2026, 3, 20, 23, 59, 59, 999_999, tzinfo=UTC)),
        ("3d ago", NOW - timedelta(days=3)),
        ("1d6h  AGO", NOW - timedelta(hours=30)),
        ("2w ago", NOW - timedelta(days=14)),
        ("now", NOW),
    ],
)
def test_moments_as_people_write_them(text: str, moment: datetime) -> None:
    assert read_moment(text)(NOW, UTC) == moment


def test_a_day_ends_where_the_person_is() -> None:
    read = read_moment("2026-03-29")  # the clocks go forward that night
    assert read(NOW, ZoneInfo("Europe/Berlin")) == datetime(2026, 3, 29, 21, 59, 59, 999_999, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "", "yesterday-ish", "2026-03-20T12:00", "2026-13-45", "9999-12-31", "ago", "x ago", "3d", "0h ago", "999999w ago",
        "0001-01-01T00:00+05:00", "٢٠٢٦-٠٣-٢٠", "2026-03-20T12:00Z\nx", "\ud800", "[red]x[/]",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_said_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_moment(text)(NOW, UTC)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


async def test_before_everything_there_was_nothing(companion: Companion) -> None:
    await say(companion, "My home is in Berlin")
    then = Then(companion, START - timedelta(days=1))
    assert (await then.recall_for("Where is my home?")).items == ()
    assert then.counts() == (0, 0)
    assert memory_records(companion, at=START - timedelta(days=1), everything=True) == []
