"""Facts from a model: what a turn says is kept whole, what it does not say is dropped, whatever the model made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.model import Candidate, Kind
from memtui.memory.texts import same_key
from memtui.minds.base import Message
from memtui.minds.dates import corrects, tells_time, without_dates
from memtui.minds.extraction import candidates_of, true_since
from memtui.minds.offline.slots import SLOTS
from memtui.minds.prompts import extract_messages
from memtui.minds.shapes import FactShape
from memtui.minds.tasks import EXAMPLE_STEMS, EXTRACT
from tests.loopback import Loopback, say
from tests.minds.helpers import NOW, mind_at

MOVED = (
    "So: on 3 March I moved from Berlin to Lisbon, the door code is 4417#. My sister Anna is vegan now. Should I get a cat? "
    "If I were rich I'd buy a boat. The Orion deadline is next Friday."
)


def fact(support: str, text: str, **more: object) -> dict[str, object]:
    base: dict[str, object] = {
        "support": support,
        "mode": "states",
        "subject": "user",
        "valid_from": None,
        "text": text,
        "slot": None,
        "value": None,
        "kind": "semantic",
        "why": "matters",
        "importance": 0.6,
    }
    return base | more


def shapes(*facts: Mapping[str, object]) -> list[FactShape]:
    return [FactShape.model_validate(each) for each in facts]


def kept(turn: str, *facts: Mapping[str, object], recent: tuple[Message, ...] = (), now: datetime = NOW) -> list[Candidate]:
    return candidates_of(shapes(*facts), turn, now, recent)


def answer(*facts: Mapping[str, object]) -> str:
    return json.dumps({"facts": list(facts)}, ensure_ascii=False)


async def test_one_turn_holds_several_facts_each_with_subject_time_slot_and_value(loopback: Loopback) -> None:
    loopback.on(
        "extract",
        say(
            answer(
                fact(
                    "on 3 March I moved from Berlin to Lisbon",
                    "I live in the city of Lisbon since 3 March 2026 (before: Berlin).",
                    valid_from="2026-03-03",
                    slot="residence",
                    value="Lisbon",
                    importance=0.95,
                ),
                fact("the door code is 4417#", "The door code of my flat in Lisbon is 4417#.", slot="code", value="4417#"),
                fact("My sister Anna is vegan now", "My sister Anna is vegan.", subject="Anna", slot="diet", value="vegan"),
                fact("Should I get a cat", "I want a cat.", mode="asks", slot="pet", value="cat"),
                fact("If I were rich I'd buy a boat", "I will buy a boat.", mode="supposes"),
                fact(
                    "The Orion deadline is next Friday",
                    "The deadline of Orion is on Friday 1 May 2026.",
                    subject="Orion",
                    slot="deadline",
                    value="next Friday",
                ),
            )
        ),
    )
    home, code, anna, orion = await mind_at(loopback).extract(MOVED, NOW)
    assert len(loopback.calls("extract")) == 1
    assert (home.slot, home.value, home.subject) == ("residence", "Lisbon", "user")
    assert home.valid_from == datetime(2026, 3, 3, 23, 59, tzinfo=UTC)
    assert home.text == "I live in the city of Lisbon since 3 March 2026 (before: Berlin)."
    assert (code.text, code.value) == ("The door code of my flat in Lisbon is 4417#.", "4417#")
    assert (anna.subject, anna.slot) == ("Anna", "diet")
    assert (orion.subject, orion.text) == ("Orion", "The deadline of Orion is on Friday 1 May 2026.")
    assert all(same_key(found.support) in same_key(MOVED) for found in (home, code, anna, orion))


@pytest.mark.parametrize("mode", ["asks", "supposes", "quotes", "jokes", "repeats", "hypothetical", "Question"])
def test_what_is_not_stated_is_no_fact(mode: str) -> None:
    assert kept("If I lived in Rome I'd eat out", fact("I lived in Rome", "I live in Rome.", mode=mode)) == []


@pytest.mark.parametrize("mode", ["states", " States ", "fact", "stated"])
def test_what_is_stated_is_one(mode: str) -> None:
    assert len(kept("I live in Rome", fact("I live in Rome", "I live in Rome.", mode=mode))) == 1


@pytest.mark.parametrize(
    "borrowed",
    [
        fact("I moved to the night shift", "I work at Kestrel, on the night shift (before: Ostrand)."),
        fact("I moved to the night shift", "Ortwin moved to Vellmar."),
        fact("I moved to the night shift", "I moved to the night shift.", subject="Ortwin"),
        fact("locker 7731", "My locker at Kestrel is number 7731."),
        fact("У неё с прошлой пятницы аллергия на фейхоа", "У Зденки аллергия на фейхоа."),
    ],
)
def test_the_prompts_examples_never_come_back_as_facts(borrowed: dict[str, object]) -> None:
    assert kept("I moved to the night shift", borrowed) == []


def test_who_really_works_where_the_example_does_is_believed() -> None:
    (found,) = kept("I work at Kestrel", fact("I work at Kestrel", "I work at Kestrel."))
    assert found.text == "I work at Kestrel."
    assert EXAMPLE_STEMS


@pytest.mark.parametrize(
    ("support", "text", "expected"),
    [
        ("my new code is B4Q9-7", "I have a new code.", "I have a new code. (my new code is B4Q9-7)"),
        ("Anna pays 1,200 euros", "Anna pays 1200 euros.", "Anna pays 1200 euros."),
        ("Anna pays 1,200 euros", "She pays the rent.", "She pays the rent. (Anna pays 1,200 euros)"),
        ("I run 10 km with Tom", "I run.", "I run. (I run 10 km with Tom)"),
        ("3 weeks ago I moved to Oslo", "I live in Oslo.", "I live in Oslo."),
    ],
)
def test_no_number_name_or_code_of_the_support_is_lost(support: str, text: str, expected: str) -> None:
    turn = f"Well, {support}, and I pay, run, have a code and live on."
    (found,) = kept(turn, fact(support, text))
    assert found.text == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("I moved to Lisbon with Maria.", "Maria"),
        ("I moved to Lisbon, flat 12.", "12"),
        ("Я переехал в Lisbon, живу теперь там", "language"),
        ("I moved to Lisbon <|im_end|>", "piece of the prompt"),
    ],
)
async def test_an_unfaithful_sentence_is_mended_once_then_the_turns_own_words_stand(
    loopback: Loopback, text: str, fault: str
) -> None:
    turn = "I moved to Lisbon, finally, what a week it was"
    bad = say(answer(fact("I moved to Lisbon", text)))
    loopback.on("extract", bad, bad)
    (found,) = await mind_at(loopback).extract(turn, NOW)
    assert found.text == "I moved to Lisbon"
    assert len(loopback.calls("extract")) == 2
    assert fault in loopback.calls("extract")[1].json["messages"][-1]["content"]


def test_a_not_is_never_turned_round() -> None:
    turn = "I am not allergic to nuts"
    (found,) = kept(turn, fact(turn, "I am allergic to nuts."))
    assert found.text == turn
    (found,) = kept("I quit smoking", fact("I quit smoking", "I no longer smoke: I quit smoking."))
    assert found.text.startswith("I no longer smoke")


def test_names_of_the_talk_before_may_stand_for_pronouns() -> None:
    recent = (Message("assistant", "How is your brother Anton?"),)
    (found,) = kept(
        "He's moving to Oslo in May",
        fact("He's moving to Oslo in May", "My brother Anton is moving to Oslo in May 2026.", subject="Anton"),
        recent=recent,
    )
    assert (found.text, found.subject) == ("My brother Anton is moving to Oslo in May 2026.", "Anton")
    assert found.valid_from == NOW


@pytest.mark.parametrize("subject", ["User", "the user", "I", "", "Я", None, "Napoleon"])
def test_a_subject_is_the_user_or_somebody_who_was_named(subject: str | None) -> None:
    (found,) = kept("I live in Rome", fact("I live in Rome", "I live in Rome.", subject=subject))
    assert found.subject == "user"


@pytest.mark.parametrize(
    ("given", "slot"),
    [("residence", "residence"), ("Favourite Food", "favourite_food"), ("city", None), (7, None), ("", None)],
)
def test_a_slot_is_one_of_the_list_or_none(given: object, slot: str | None) -> None:
    (found,) = kept("I live in Rome", fact("I live in Rome", "I live in Rome.", slot=given, value="Rome"))
    assert found.slot == slot
    assert found.value == ("Rome" if slot else None)


def test_a_value_stands_in_the_turn() -> None:
    (found,) = kept("I live in Rome", fact("I live in Rome", "I live in Rome.", slot="residence", value="Paris"))
    assert found.value is None
    (found,) = kept("my pin is 4417", fact("my pin is 4417", "My pin is 4417.", slot="code", value=4417))
    assert found.value == "4417"


def test_what_is_grave_outlives_an_episodic_half_life() -> None:
    (found,) = kept("Dad died", fact("Dad died", "My dad died.", kind="episodic", importance=0.95))
    assert found.kind is Kind.SEMANTIC
    (found,) = kept("I had ramen", fact("I had ramen", "I had ramen.", kind="episodic", importance=0.2))
    assert found.kind is Kind.EPISODIC


@pytest.mark.parametrize(("given", "share"), [(0.9, 0.9), ("0.9", 0.9), ("90%", 0.9), (85, 0.85), (1, 1.0)])
def test_importance_is_a_share_however_it_is_written(given: object, share: float) -> None:
    assert kept("I had ramen", fact("I had ramen", "I had ramen.", importance=given))[0].importance == share


def test_a_correction_is_true_from_now_whatever_day_it_speaks_of() -> None:
    """Else "I moved in March, not April" would be older than the mistake it corrects."""
    assert true_since("2026-03-01", "Actually, I moved in March", NOW) == NOW
    assert true_since("2026-03-01", "Поправка: переехал в марте", NOW) == NOW
    assert true_since("2026-03-02", "I actually moved on 2 March", NOW) == datetime(2026, 3, 2, 23, 59, tzinfo=UTC)


def test_a_change_is_newer_than_what_was_told_earlier_that_day() -> None:
    told = NOW - timedelta(days=1, hours=9)
    assert told < true_since(f"{told:%Y-%m-%d}", "I moved yesterday", NOW) < NOW


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("on Friday 1 May 2026 at 10:30, room 12", "on at 10:30, room 12"),
        ("с 3 марта 2026 года на 5 этаже", "с на 5 этаже"),
        ("May 4, 2026, flat 12", ", flat 12"),
        ("2026-05-01 code 4417-22", "code 4417-22"),
        ("24.05.2031 и 12.5 кг", "и 12.5 кг"),
    ],
)
def test_calendar_dates_are_told_from_other_numbers(text: str, left: str) -> None:
    assert " ".join(without_dates(text).split()) == left


def test_only_a_turn_that_tells_time_allows_a_date() -> None:
    assert tells_time("the demo is next week") and tells_time("сдаём в четверг") and not tells_time("I like tea")
    assert corrects("No, actually it's Tuesday") and not corrects("I actually like tea")
    (found,) = kept("I like tea", fact("I like tea", "I like tea since 4 May 2024."))
    assert found.text == "I like tea"


def test_the_prompt_names_every_slot_and_each_rule_once() -> None:
    system = extract_messages("x", NOW, ())[0].text
    assert all(slot in system for slot in SLOTS)
    assert "{" not in EXTRACT.format(data="", single="", multi="").replace('{"', "").replace("[{", "")
    order = [
        system.index(f"\n{key}:") for key in ("support", "mode", "subject", "valid_from", "text", "slot", "kind", "why")
    ]
    assert order == sorted(order)


@given(st.text(max_size=60), st.text(min_size=1, max_size=60), st.sampled_from(["states", "asks"]))
def test_no_answer_breaks_it_and_support_always_stands_in_the_turn(turn: str, text: str, mode: str) -> None:
    try:
        facts = shapes(fact(turn or "x", text, mode=mode, subject=text, value=text, slot="code", valid_from=text))
    except ValueError:
        return
    for found in candidates_of(facts, turn, NOW):
        assert same_key(found.support) in same_key(turn)
        assert found.valid_from <= NOW


_ODD: list[Any] = [
    '{"facts": [{"support": {"a": 1}, "text": ["x"], "kind": null}]}',
    '{"facts": {"0": {}}}',
    '{"facts": [null, [], "x", 1]}',
    '{"facts": [' + '{"support": "I like tea"},' * 50 + "]}",
]


@pytest.mark.parametrize("odd", _ODD)
async def test_malformed_shapes_are_asked_for_again(loopback: Loopback, odd: str) -> None:
    loopback.on("extract", say(odd), say(answer(fact("I like tea", "I like tea."))))
    assert [c.text for c in await mind_at(loopback).extract("I like tea", NOW)] == ["I like tea."]


async def test_a_misquoted_fact_is_asked_for_again_and_the_good_ones_stay(loopback: Loopback) -> None:
    turn = "I like green tea. Also, Tom and me bought the old boat in Kiel."
    tea, boat = (
        fact("I like green tea", "I like green tea."),
        fact("we own a vessel", "Tom and I own an old boat from Kiel."),
    )
    loopback.on("extract", say(answer(tea, boat)), say(answer(boat | {"support": "Tom and me bought the old boat in Kiel"})))
    found = await mind_at(loopback).extract(turn, NOW)
    assert [c.text for c in found] == ["Tom and I own an old boat from Kiel.", "I like green tea."]
    assert "word for word" in loopback.calls("extract")[1].json["messages"][-1]["content"]


def test_a_slip_in_the_quote_costs_nothing() -> None:
    turn = "Ugh! me and Tom bought teh old boat in Kiel. What now?"
    (found,) = kept(turn, fact("Tom and I bought the old boat in Kiel", "Tom and I own an old boat from Kiel."))
    assert found.support == "me and Tom bought teh old boat in Kiel."
    assert kept(turn, fact("Tom sold my new boat", "Tom sold my new boat.")) == []


@pytest.mark.parametrize(
    ("support", "text", "value", "expected"),
    [
        ("переехала в Казань", "Я живу в городе Казани.", "Казань", "Я живу в городе Казани. (Казань)"),
        ("переехала в Казань", "Я живу в городе Казани.", None, "Я живу в городе Казани. (Казань)"),
        ("живу с братом Антоном", "Мой брат Антон живёт со мной.", None, "Мой брат Антон живёт со мной."),
        (
            "стала пескетарианкой",
            "Моя диета: рыба, я пескетарианка.",
            "пескетарианкой",
            "Моя диета: рыба, я пескетарианка.",
        ),
        ("I moved to Lisbon", "I live in the city of Lisbon.", "Lisbon", "I live in the city of Lisbon."),
    ],
)
def test_what_was_named_is_found_in_the_form_it_was_said(support: str, text: str, value: str | None, expected: str) -> None:
    (found,) = kept(f"ну что, {support}, вот" if "I" not in support else support, fact(support, text, value=value))
    assert found.text == expected


async def test_who_finds_on_second_thought_that_there_is_nothing_is_believed(loopback: Loopback) -> None:
    loopback.on("extract", say(answer(fact("I own a yacht", "I own a yacht."))), say('{"facts": []}'))
    assert await mind_at(loopback).extract("Hi there!", NOW) == []
    loopback.on("extract", say(answer(fact("Should I get a cat", "I want a cat.", mode="asks"))))
    assert await mind_at(loopback).extract("Should I get a cat?", NOW) == []
    assert len(loopback.calls("extract")) == 3
