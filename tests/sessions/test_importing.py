"""Importing conversations and exports of memories."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.chat.companion import Companion
from memtui.errors import InputError, MindUnreachableError, SessionFormatError
from memtui.memory.state import state_hash
from memtui.sessions.export import export_chat
from memtui.sessions.format import read_session
from memtui.sessions.importing import import_file
from memtui.sessions.lines import SessionHeader, UserTurn, to_json_line
from memtui.sessions.locomo import parse_locomo_date
from tests.sessions.homes import NOW, NamingMind, a_chat, companion_with

DATED = {"session_1_date_time": "1:56 pm on 8 May, 2023"}


@pytest.fixture
def mind() -> NamingMind:
    return NamingMind()


@pytest.fixture
async def companion(mind: NamingMind) -> AsyncIterator[Companion]:
    made = companion_with(mind)
    yield made
    await made.close()


def turn(speaker: str, number: str, text: str, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": number, "text": text, **more}


def locomo() -> list[dict[str, Any]]:
    talk = {
        "speaker_a": "Caroline",
        "speaker_b": "Melanie",
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": [turn("Melanie", "D2:1", "I painted a lake", blip_caption="a lake at sunrise")],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn("Caroline", "D1:1", "I went to a support group yesterday"),
            turn("Melanie", "D1:2", "How was it, Caroline?"),
            turn("Caroline", "D1:3", "Caroline here: my key is sk-abcdefghijklmnopqrst"),
        ],
        "session_3_date_time": "9:00 am on 14 September, 2023",
    }
    return [{"sample_id": "conv-26", "conversation": talk}, {"sample_id": "conv-30", "conversation": talk}]


def written(tmp_path: Path, data: Any, name: str = "locomo.json") -> Path:
    path = tmp_path / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


async def test_a_locomo_conversation(tmp_path: Path, companion: Companion, mind: NamingMind) -> None:
    shares: list[float] = []
    report = await import_file(
        written(tmp_path, locomo()), companion, tmp_path / "sessions", progress=lambda share, _what: shares.append(share)
    )
    assert (report.turns, report.added, report.created) == (4, 4, 3)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    frame = companion.store.frame
    texts = [frame.texts[frame.row(memory.id)] for memory in companion.store.state.active()]
    assert texts == [
        "Caroline: I went to a support group yesterday",
        "Caroline here: my key is [secret removed]",
        "Melanie: I painted a lake [shares a lake at sunrise]",
    ]
    memories = companion.store.state.active()
    assert [memory.subject for memory in memories] == ["Caroline", "Caroline", "Melanie"]
    assert memories[0].created_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert memories[2].created_at == datetime(2023, 9, 13, 0, 9, tzinfo=UTC)
    assert memories[0].sources == ("locomo26:D1:1",)
    assert mind.asked[0] == "I went to a support group yesterday"  # a local mind reads the words without the name
    assert companion.clock.now() == datetime(2023, 9, 13, 0, 10, tzinfo=UTC)  # the home held nothing else
    assert report.session is not None
    session = read_session(report.session)
    assert report.session.name == "2023-05-08-caroline-and-melanie-locomo-26.jsonl"
    assert session.header.title == "Caroline and Melanie (LoCoMo 26)"
    assert [each.text for each in session.user_turns][1] == "Melanie: How was it, Caroline?"
    times = [each.at for each in session.user_turns]
    assert all(before < after for before, after in itertools.pairwise(times))
    assert "sk-abc" not in report.session.read_text()
    assert "4 turns imported; 3 memories made" in report.sentence


async def test_importing_again_adds_nothing_and_asks_nothing(tmp_path: Path, companion: Companion, mind: NamingMind) -> None:
    path, sessions = written(tmp_path, locomo()), tmp_path / "sessions"
    first = await import_file(path, companion, sessions)
    assert first.session is not None
    before = state_hash(companion.store.state), companion.store.head, first.session.read_bytes(), len(mind.asked)
    again = await import_file(path, companion, sessions)
    assert (again.added, again.created, again.reinforced) == (0, 0, 0)
    assert "4 turns were there already" in again.sentence
    assert (state_hash(companion.store.state), companion.store.head, first.session.read_bytes(), len(mind.asked)) == before
    assert [p.name for p in sessions.glob("*.jsonl")] == [first.session.name]
    other = await import_file(path, companion, sessions, conversation=1)
    assert (other.added, other.reinforced) == (4, 3)


async def test_an_import_may_end_with_a_sleep_pass(tmp_path: Path, companion: Companion) -> None:
    report = await import_file(written(tmp_path, locomo()), companion, tmp_path / "sessions", sleep=True)
    assert report.sentence.endswith("Slept: 0 merged, 0 retired by newer facts, 2 faded.")
    assert len(companion.store.state.sleeps) == 1


async def test_a_dry_run_changes_nothing(tmp_path: Path, companion: Companion) -> None:
    head = companion.store.head
    report = await import_file(written(tmp_path, locomo()), companion, tmp_path / "sessions", dry_run=True)
    assert (report.turns, report.added, report.dry_run) == (4, 4, True)
    assert "would be imported" in report.sentence
    assert companion.store.head == head
    assert companion.clock.now() == NOW
    assert not (tmp_path / "sessions").exists()


@pytest.mark.parametrize("local", [True, False])
async def test_an_import_that_breaks_off_goes_on_where_it_stopped(tmp_path: Path, local: bool) -> None:
    path = written(tmp_path, locomo())
    whole_mind, broken_mind = NamingMind(), NamingMind()
    whole_mind.local = broken_mind.local = local
    whole, broken = companion_with(whole_mind), companion_with(broken_mind)
    await import_file(path, whole, tmp_path / "whole")
    broken_mind.fails_at = "painted"
    with pytest.raises(MindUnreachableError):
        await import_file(path, broken, tmp_path / "broken")
    assert len(broken.store.state.turns) == 3
    broken_mind.fails_at = None
    report = await import_file(path, broken, tmp_path / "broken")
    assert report.added == 1
    assert state_hash(broken.store.state) == state_hash(whole.store.state)
    (one,), (two,) = (tmp_path / "whole").glob("*.jsonl"), (tmp_path / "broken").glob("*.jsonl")
    assert one.read_bytes() == two.read_bytes()
    await whole.close()
    await broken.close()


async def test_killed_between_the_session_and_the_store(
    tmp_path: Path, companion: Companion, mind: NamingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was written to the session but not to the store is appended from the session, without asking again."""
    path, sessions = written(tmp_path, locomo()), tmp_path / "sessions"
    append, calls = companion.store.append_async, 0

    async def failing(*args: Any, **keys: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise asyncio.CancelledError
        return await append(*args, **keys)

    monkeypatch.setattr(companion.store, "append_async", failing)
    with pytest.raises(asyncio.CancelledError):
        await import_file(path, companion, sessions)
    monkeypatch.undo()
    (file,) = sessions.glob("*.jsonl")
    with file.open("ab") as out:
        out.write(b'{"type":"user","id":"lo')  # and the next line broke off
    asked = len(mind.asked)
    report = await import_file(path, companion, sessions)
    assert report.added == 2
    assert len(mind.asked) == asked + 1
    assert len(companion.store.state.memories) == 3
    assert len({turn.id for turn in read_session(file).user_turns}) == 4


async def test_a_home_with_other_memories_keeps_its_clock(tmp_path: Path, companion: Companion) -> None:
    async for _ in companion.turn("I live in Lisbon"):
        pass
    report = await import_file(written(tmp_path, locomo()), companion, tmp_path / "sessions")
    assert companion.clock.now() == NOW
    assert report.faded == 3
    assert "3 have faded since" in report.sentence
    assert {memory.created_at.year for memory in companion.store.state.active()} == {2023, 2026}


async def test_a_home_with_a_remembered_fact_keeps_its_clock(tmp_path: Path, companion: Companion) -> None:
    await companion.remember("the door code is 2038")
    await import_file(written(tmp_path, locomo()), companion, tmp_path / "sessions")
    assert companion.clock.now() == NOW


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "is no JSON"),
        ("{", "is no JSON"),
        ("[" * 50_000, "nested too deeply"),
        ("\x00", "is no JSON"),
        ("[]", "a kind memtui does not know"),
        ('{"messages": []}', "a kind memtui does not know"),
        ([{"conversation": []}], "key 'conversation': is not an object"),
        ([{"conversation": {}}], "holds no turns"),
        ([{"conversation": {"session_1": [turn("A", "D1:1", "x")]}}], "'conversation.session_1_date_time': is missing"),
        ([{"conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023"}}], "holds no turns"),
        ([{"conversation": {"session_1_date_time": "yesterday", "session_1": []}}], "is no date"),
        ([{"conversation": {"session_1_date_time": "1:56 pm on 31 June, 2023", "session_1": []}}], "session_1_date_time"),
        ([{"conversation": {**DATED, "session_1": {}}}], "'conversation.session_1': is not a list"),
        ([{"conversation": {**DATED, "session_1": ["x"]}}], r"session_1\[1\].speaker'"),
        ([{"conversation": {**DATED, "session_1": [turn("A", "D1", "") | {"text": 3}]}}], r"\.text'"),
        (
            [{"conversation": {**DATED, "session_1": [turn("A", "D1", "x")] * 2}}],
            r"session_1\[2\].dia_id': stands twice",
        ),
    ],
)  # fmt: skip
async def test_what_cannot_be_imported(tmp_path: Path, companion: Companion, data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        await import_file(written(tmp_path, data), companion, tmp_path / "sessions")
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert companion.store.head.length == 0
    assert not (tmp_path / "sessions").exists()


async def test_files_and_numbers_that_are_not_there(tmp_path: Path, companion: Companion) -> None:
    path = written(tmp_path, locomo())
    for number in (2, -1):
        with pytest.raises(InputError, match=f"holds no conversation {number}.*from 0 to 1"):
            await import_file(path, companion, tmp_path / "s", conversation=number)
    with pytest.raises(InputError, match="can't be read"):
        await import_file(tmp_path / "none.json", companion, tmp_path / "s")
    binary = tmp_path / "x.png"
    binary.write_bytes(b"\x89PNG\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        await import_file(binary, companion, tmp_path / "s")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("12:30 PM on 1 january 2024", datetime(2024, 1, 1, 12, 30, tzinfo=UTC)),
    ],
)
def test_locomo_dates(text: str, moment: datetime) -> None:
    assert parse_locomo_date(text) == moment


@pytest.mark.parametrize(
    "text", ["", "13:00 pm on 8 May, 2023", "0:10 am on 8 May, 2023", "1:00 pm on 8 Smarch, 2023", "8 May 2023"]
)
def test_what_is_no_locomo_date(text: str) -> None:
    with pytest.raises(ValueError, match="no date"):
        parse_locomo_date(text)


async def test_a_memtui_session(tmp_path: Path, companion: Companion) -> None:
    source = tmp_path / "chat.jsonl"
    export_chat(a_chat(), source, "jsonl")
    report = await import_file(source, companion, tmp_path / "sessions")
    assert (report.turns, report.added, report.created, report.skipped) == (2, 2, 2, 1)
    assert report.session is not None
    session = read_session(report.session)
    assert session.header.title == a_chat().header.title
    assert [line.type for line in session.lines] == ["user", "mind", "assistant", "command", "command", "user", "mind"]
    assert session.user_turns[0].id.endswith(":t1")
    again = await import_file(source, companion, tmp_path / "sessions")
    assert (again.added, again.created) == (0, 0)
    with pytest.raises(InputError, match="one conversation"):
        await import_file(source, companion, tmp_path / "sessions", conversation=1)


async def test_two_sessions_with_the_same_short_ids_do_not_shadow_each_other(tmp_path: Path, companion: Companion) -> None:
    header = SessionHeader("A")
    for name, text in (("a", "I live in Lisbon"), ("b", "I drink coffee")):
        rows = [to_json_line(header), to_json_line(UserTurn("t1", NOW - timedelta(days=1), text))]
        report = await import_file(written(tmp_path, "\n".join(rows), f"{name}.jsonl"), companion, tmp_path / "sessions")
        assert report.created == 1
    assert len(list((tmp_path / "sessions").glob("*.jsonl"))) == 2


async def test_a_broken_session_is_named(tmp_path: Path, companion: Companion) -> None:
    path = written(tmp_path, to_json_line(SessionHeader("A")) + '\n{"type":"user"}\n', "a.jsonl")
    with pytest.raises(SessionFormatError, match=r"a\.jsonl:2, key 'id'"):
        await import_file(path, companion, tmp_path / "sessions")
