from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.model import Kind
from memtui.memory.texts import same_key
from memtui.minds.offline.extract import extract
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.mind import OfflineMind
from memtui.minds.offline.slots import SLOTS
from tests.minds.offline.conftest import NOW


def found(mind: OfflineMind, text: str) -> list[str]:
    return [candidate.text for candidate in extract(text, NOW, mind._embedder, Heads.load())]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Berlin",
        "I'm allergic to shellfish, it's serious",
        "у меня аллергия на арахис",
        "my sister works as a nurse in Oslo",
        "PIN от домофона 4471",
        "меня зовут Аня",
        "I switched from Python to Rust three weeks ago",
    ],
)
def test_plain_facts_are_kept(mind: OfflineMind, text: str) -> None:
    assert len(found(mind, text)) == 1


@pytest.mark.parametrize(
    "text",
    ["hello", "thanks a lot!", "what's my dog's name?", "спасибо", "Как меня зовут?", "ok", "", "   ", "?!", "lol",
     "translate this into French", "напиши мне стихотворение"],
)  # fmt: skip
def test_what_is_no_fact_is_not_kept(mind: OfflineMind, text: str) -> None:
    assert found(mind, text) == []


def test_a_fact_before_a_question_is_kept_alone(mind: OfflineMind) -> None:
    texts = found(mind, "I moved to Lisbon three weeks ago, where should I eat tonight?")
    assert texts == ["I moved to Lisbon three weeks ago"]


def test_two_facts_in_one_breath_are_two(mind: OfflineMind) -> None:
    assert len(found(mind, "I work at a bank in Porto, and my sister is a nurse in Oslo")) == 2


def test_russian_verbs_after_a_comma_are_facts_of_their_own(mind: OfflineMind) -> None:
    texts = found(mind, "Меня зовут Олег, живу в Казани, работаю сварщиком")
    assert texts == ["Меня зовут Олег", "живу в Казани", "работаю сварщиком"]


def test_a_scrap_stays_with_what_it_tells_about(mind: OfflineMind) -> None:
    assert found(mind, "We moved to Lisbon last week! Third floor, no lift.") == [
        "We moved to Lisbon last week! Third floor, no lift."
    ]


def test_a_sentence_that_leans_on_the_one_before_stays_with_it(mind: OfflineMind) -> None:
    texts = found(mind, "My sister is a nurse in Oslo. She works nights at the hospital.")
    assert texts == ["My sister is a nurse in Oslo. She works nights at the hospital."]


def test_code_and_quoted_lines_are_no_facts(mind: OfflineMind) -> None:
    assert found(mind, "```\nI live in Berlin\n```") == []
    assert found(mind, "> I live in Berlin") == []


def test_valid_time_subject_slot_and_value(mind: OfflineMind) -> None:
    (candidate,) = extract("I have lived in Lisbon since March", NOW, mind._embedder, Heads.load())
    assert candidate.valid_from == datetime(2026, 3, 1, tzinfo=UTC)
    assert (candidate.subject, candidate.slot, candidate.value) == ("user", "residence", "Lisbon")
    (other,) = extract("my sister lives in Oslo", NOW, mind._embedder, Heads.load())
    assert other.subject == "sister"


def test_a_critical_fact_outlives_an_episodic_half_life(mind: OfflineMind) -> None:
    (candidate,) = extract("I'm allergic to penicillin, it nearly killed me", NOW, mind._embedder, Heads.load())
    assert candidate.kind is Kind.SEMANTIC
    assert candidate.importance > 0.7
    (lunch,) = extract("had ramen for lunch today", NOW, mind._embedder, Heads.load())
    assert lunch.kind is Kind.EPISODIC
    assert lunch.importance < candidate.importance - 0.2


def test_the_reason_is_in_the_language_of_the_turn(mind: OfflineMind) -> None:
    (candidate,) = extract("у меня аллергия на арахис", NOW, mind._embedder, Heads.load())
    assert any("а" <= c <= "я" for c in candidate.why)


@settings(max_examples=40)
@given(st.text(max_size=400))
def test_every_candidate_rests_on_its_turn(mind: OfflineMind, turn: str) -> None:
    for candidate in extract(turn, NOW, mind._embedder, Heads.load()):
        assert 0 < candidate.importance <= 1
        assert candidate.slot is None or candidate.slot in SLOTS
        assert len(candidate.text) <= 300
        assert candidate.valid_from <= NOW
        assert set(same_key(candidate.support).split()) <= set(same_key(turn).split())


@pytest.mark.parametrize(
    "turn", ["[red]I live in Porto[/]", "I live in \u202ePorto", "\x00I live in Porto", "\ud800 I live in Porto"]
)
def test_hostile_text_does_no_harm(mind: OfflineMind, turn: str) -> None:
    assert isinstance(found(mind, turn), list)


def test_a_pasted_megabyte_gives_few_pieces(mind: OfflineMind) -> None:
    assert len(found(mind, "I live in Paris. " * 60_000)) <= 40
