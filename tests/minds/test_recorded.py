"""Typed results to JSON and back, and a mind that plays them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import MindMalformedError
from memtui.memory.model import Candidate, Kind, Label, Summary, Verdict
from memtui.memory.texts import content_hash
from memtui.minds.base import OFFLINE_JUDGING, Delta, Grade, Message, PairText, PartStatus, Prompt
from memtui.minds.recorded import (
    RecordedCall,
    RecordedMind,
    candidates_from_response,
    check_response,
    grade_from_response,
    summary_from_response,
    to_response,
    verdict_from_response,
)
from tests.minds.helpers import NOW, TinyEmbedder, prompt

CANDIDATE = Candidate("I live in Lisbon.", Kind.SEMANTIC, 0.7, "home", "moved to Lisbon", NOW - timedelta(days=3))
FULL = Candidate("Анна — моя сестра", Kind.EPISODIC, 1.0, "семья", "Анна", NOW, "Анна", "family", "сестра")
VERDICT = Verdict("moved", Label.SUPERSEDES, 0.9)
SUMMARY = Summary("I like tea.", "all about tea")


class Fallback:
    """Answers plainly and counts."""

    label = "fallback"
    local = True
    judging = OFFLINE_JUDGING
    slot_reader = None

    def __init__(self) -> None:
        self.embedder = TinyEmbedder()
        self.asked: list[Any] = []

    async def reply(self, asked: Prompt) -> AsyncIterator[Delta]:
        yield Delta("from the fallback")

    async def extract(self, text: str, now: datetime, recent: Sequence[Message] = ()) -> list[Candidate]:
        self.asked.append(text)
        return []

    async def judge(self, pairs: Sequence[PairText]) -> list[Verdict | None]:
        self.asked.append(list(pairs))
        return [Verdict("fallback", Label.UNRELATED)] * len(pairs)

    async def summarize(self, texts: Sequence[str], language: str) -> Summary | None:
        self.asked.append(list(texts))
        return None

    async def check(self) -> list[PartStatus]:
        return [PartStatus("fallback", "", True, "well")]

    async def aclose(self) -> None:
        self.asked.append("closed")


def call(name: str, for_: str | tuple[str, ...], result: Any, model: str | None = "qwen3 · ollama") -> RecordedCall:
    return RecordedCall(name, for_, json.loads(json.dumps(to_response(result))), model, NOW)


def test_results_survive_json() -> None:
    assert candidates_from_response(json.loads(json.dumps(to_response([CANDIDATE, FULL])))) == [CANDIDATE, FULL]
    assert candidates_from_response(to_response([])) == []
    assert verdict_from_response(to_response(VERDICT)) == VERDICT
    assert summary_from_response(to_response(SUMMARY)) == SUMMARY
    assert grade_from_response(to_response(Grade("right", True))) == Grade("right", True)
    assert verdict_from_response(to_response(None)) is None
    assert summary_from_response(to_response(None)) is None


@given(
    st.text(min_size=1).filter(str.isprintable),
    st.sampled_from(list(Kind)),
    st.floats(0, 1),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
)
def test_any_candidate_survives(text: str, kind: Kind, importance: float, since: datetime) -> None:
    candidate = Candidate(text, kind, importance, "", text, since.replace(tzinfo=NOW.tzinfo))
    assert candidates_from_response(json.loads(json.dumps(to_response([candidate])))) == [candidate]


_FACT = to_response([CANDIDATE])["facts"][0]


@pytest.mark.parametrize(
    ("name", "response", "key"),
    [
        ("extract", {}, "'facts'"),
        ("extract", {"facts": {}}, "'facts'"),
        ("extract", {"facts": [1]}, "'facts[0]'"),
        ("extract", {"facts": [_FACT, {**_FACT, "kind": "odd"}]}, "'facts[1].kind'"),
        ("extract", {"facts": [{**_FACT, "text": ""}]}, "'facts[0].text'"),
        ("extract", {"facts": [{**_FACT, "importance": 2}]}, "'facts[0].importance'"),
        ("extract", {"facts": [{**_FACT, "importance": True}]}, "'facts[0].importance'"),
        ("extract", {"facts": [{**_FACT, "valid_from": "2026-04-25"}]}, "'facts[0].valid_from'"),
        ("extract", {"facts": [{**_FACT, "valid_from": None}]}, "'facts[0].valid_from'"),
        ("extract", {"facts": [{k: v for k, v in _FACT.items() if k != "support"}]}, "'facts[0].support'"),
        ("judge", {"label": "maybe", "reason": "r"}, "'label'"),
        ("judge", {"reason": "r"}, "'label'"),
        ("judge", {"label": "additive", "reason": "r", "confidence": "high"}, "'confidence'"),
        ("summarize", {"reason": "r"}, "'text'"),
        ("grade", {"reason": "r", "correct": "yes"}, "'correct'"),
    ],
)
def test_wrong_responses_name_the_key(name: str, response: dict[str, Any], key: str) -> None:
    with pytest.raises(ValueError, match="key '") as caught:
        check_response(name, response)
    assert key in str(caught.value)


def test_unknown_keys_are_ignored_and_unknown_calls_pass() -> None:
    assert candidates_from_response({"facts": [{**_FACT, "odd": 1}], "more": 2}) == [CANDIDATE]
    check_response("score", {"anything": 1})


async def test_extract_is_played_by_the_turns_id_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fallback = Fallback()
    mind = RecordedMind([call("extract", "t1", [CANDIDATE]), call("extract", "t2", [])], fallback)
    mind.for_turn("t1")
    assert await mind.extract("whatever the text", NOW) == [CANDIDATE]
    mind.for_turn("t2")
    assert await mind.extract("x", NOW) == []
    assert await mind.extract("/remember something", NOW) == []  # no turn was named: not t2's
    mind.for_turn("t3")
    await mind.extract("new", NOW)
    assert (mind.hits, mind.misses) == (2, 2)
    assert fallback.asked == ["/remember something", "new"]


async def test_extract_is_played_by_the_texts_hash_too() -> None:
    mind = RecordedMind([call("extract", content_hash("I live in Lisbon."), [CANDIDATE])], Fallback())
    assert await mind.extract("I live in Lisbon.", NOW) == [CANDIDATE]


async def test_judge_is_played_pair_by_pair_in_whatever_batch() -> None:
    fallback = Fallback()
    named = (content_hash("old"), content_hash("new"))
    mind = RecordedMind([call("judge", named, VERDICT), call("judge", (named[0], content_hash("none")), None)], fallback)
    pairs = [PairText("x", "y", NOW, NOW), PairText("old", "new", NOW, NOW), PairText("new", "old", NOW, NOW)]
    found = await mind.judge([*pairs, PairText("old", "none", NOW, NOW)])
    assert found[1] == VERDICT
    assert found[3] is None
    assert [v.reason for v in found if v] == ["fallback", "moved", "fallback"]
    assert fallback.asked == [[pairs[0], pairs[2]]]
    assert (mind.hits, mind.misses) == (2, 2)


async def test_summaries_are_of_a_set_of_texts() -> None:
    mind = RecordedMind([call("summarize", (content_hash("a"), content_hash("b")), SUMMARY)], Fallback())
    assert await mind.summarize(["b", "a"], "en") == SUMMARY
    assert await mind.summarize(["a"], "en") is None
    assert mind.misses == 1


async def test_several_recordings_play_in_order_and_the_last_again() -> None:
    other = Verdict("other", Label.ADDITIVE, 0.5)
    named = (content_hash("a"), content_hash("b"))
    mind = RecordedMind([call("judge", named, VERDICT), call("judge", named, other)], Fallback())
    pair = PairText("a", "b", NOW, NOW)
    assert [(await mind.judge([pair]))[0] for _ in range(3)] == [VERDICT, other, other]


async def test_a_broken_recording_is_an_error_that_names_the_key() -> None:
    mind = RecordedMind([RecordedCall("extract", "t1", {"facts": [{"text": 1}]}, None, NOW)], Fallback())
    mind.for_turn("t1")
    with pytest.raises(MindMalformedError, match=r"facts\[0\]"):
        await mind.extract("x", NOW)


async def test_the_rest_is_the_fallbacks() -> None:
    fallback = Fallback()
    mind = RecordedMind([call("judge", ("a", "b"), VERDICT)], fallback)
    assert mind.label == "recorded: qwen3 · ollama"
    assert mind.embedder is fallback.embedder
    assert mind.slot_reader is None
    assert mind.local
    assert [d.text async for d in mind.reply(prompt())] == ["from the fallback"]
    assert [s.part for s in await mind.check()] == ["recording", "fallback"]
    await mind.aclose()
    assert fallback.asked == ["closed"]
    assert RecordedMind([], fallback).label == "recorded"
