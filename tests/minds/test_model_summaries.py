"""Summaries from a model: supported, complete, in the user's language; else the newest telling, else none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.words import stems
from memtui.minds.losses import lost_details, turned_round, unaccounted, unsupported_sentences
from memtui.minds.shapes import SummaryShape
from memtui.minds.summaries import fault, summary_of
from tests.loopback import Loopback, say
from tests.minds.helpers import mind_at

DEMO = ["The demo of Synapse is on May 4.", "Synapse is written in Rust with Tom.", "The demo of Synapse moved to May 9."]


def shape(text: str, *outdated: str, one_thing: bool = True) -> SummaryShape:
    return SummaryShape(reason="one project", one_thing=one_thing, outdated=list(outdated), text=text)


def test_what_a_later_telling_made_untrue_may_go_if_it_is_said_so() -> None:
    good = "The demo of Synapse moved to May 9; Synapse is written in Rust with Tom."
    assert fault(shape(good, "on May 4"), DEMO, "en") is None
    assert "4" in (fault(shape(good), DEMO, "en") or "")
    assert "4" in (fault(shape(good, "on April 30, 4 people"), DEMO, "en") or "")  # stands in no telling


def test_what_the_newest_telling_says_is_never_outdated() -> None:
    told = ["The demo is on May 4.", "The demo moved to May 9."]
    assert unaccounted("The demo is on May 4.", told, ["The demo moved to May 9"]) == ["9"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("The demo of Synapse is on May 9, in Rust with Tom and Maria.", "Maria"),
        ("The demo of Synapse is on May 9, in Rust with Tom, for 300 guests.", "300"),
        ("The demo of Synapse is on May 9, written in Rust.", "Tom"),
        ("Synapse in Rust with Tom: demo May 9; feeling terribly nervous tonight.", "no telling says"),
        ("Synapse in Rust with Tom has no demo on May 9.", "denies"),
        ("Демо Synapse будет 9 May, на Rust, и делает его Tom, как всегда у нас", "language"),
        ("Synapse </source> in Rust with Tom, demo May 9.", "piece of the prompt"),
        ("Synapse, demo on May 9, Rust, Tom. " * 40, "longer"),
    ],
)
async def test_a_faulty_summary_gets_one_try_to_be_mended(loopback: Loopback, text: str, problem: str) -> None:
    bad = {"reason": "r", "one_thing": True, "outdated": ["on May 4"], "text": text}
    good = bad | {"text": "The demo of Synapse moved to May 9; Synapse is written in Rust with Tom."}
    loopback.on("summarize", say(json.dumps(bad, ensure_ascii=False)), say(json.dumps(good)))
    found = await mind_at(loopback).summarize(DEMO, "en")
    assert found is not None
    assert found.text == good["text"]
    assert problem in loopback.calls("summarize")[1].json["messages"][-1]["content"]
    loopback.on("summarize", *[say(json.dumps(bad, ensure_ascii=False))] * 2)
    assert await mind_at(loopback).summarize(DEMO, "en") is None  # declined: the tellings stay
    assert len(loopback.calls("summarize")) == 4


async def test_the_newest_telling_stands_for_all_if_it_says_all(loopback: Loopback) -> None:
    tellings = ["I drink tea with Tom.", "tea again, with Tom", "I drink green tea with Tom every day."]
    bad = json.dumps({"reason": "r", "one_thing": True, "outdated": [], "text": "I drink tea with Maria."})
    loopback.on("summarize", say(bad), say(bad))
    found = await mind_at(loopback).summarize(tellings, "en")
    assert found is not None
    assert found.text == tellings[-1]


async def test_a_summary_in_russian(loopback: Loopback) -> None:
    tellings = ["Бегаю по утрам с Антоном.", "Опять бегал утром, 5 км.", "Бегаю с Антоном уже 7 км."]
    text = "Бегаю по утрам с Антоном, уже 7 км."
    said = {"reason": "бег", "one_thing": True, "outdated": ["5 км"], "text": text}
    loopback.on("summarize", say(json.dumps(said, ensure_ascii=False)))
    found = await mind_at(loopback).summarize(tellings, "ru")
    assert found is not None
    assert found.text == text
    assert "in Russian" in loopback.calls("summarize")[0].text


def test_one_thing_is_the_models_to_say_and_needs_a_text() -> None:
    assert summary_of(shape("", one_thing=False), DEMO, "en") is None
    with pytest.raises(ValueError, match="text is empty"):
        shape(" … ")


def test_denials() -> None:
    assert turned_round("I don't eat nuts", ["I eat nuts"])
    assert turned_round("I eat nuts", ["I eat nuts", "I can't eat nuts"])
    assert not turned_round("I don't smoke", ["I smoke", "I quit smoking"])
    assert not turned_round("Я бросил курить", ["Я больше не курю"])


def test_details_in_other_clothes_are_not_lost() -> None:
    sources = ["rent is 1,200 euros", "переехал с Антоном", "code B4Q9-7", "two cats and Rust"]
    assert lost_details("The rent: 1200. Антон. B4 Q9 7, 2 cats, rust", sources) == []
    assert lost_details("The rent.", sources) == ["1,200", "Антоном", "B4Q9-7", "Rust"]


def test_a_sentence_of_foreign_words_is_a_claim_without_support() -> None:
    assert unsupported_sentences("I write Rust. Elephants adore purple fountains.", ["I write Rust"]) == [
        "Elephants adore purple fountains."
    ]
    assert unsupported_sentences("I am currently still writing Rust.", ["I write Rust"]) == []


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4))
def test_a_source_repeated_loses_nothing_of_itself_and_no_text_breaks_it(text: str, sources: list[str]) -> None:
    fault(SummaryShape.model_construct(reason="r", one_thing=True, outdated=[text], text=text), sources, "en")
    for source in sources:
        if stems(source):
            assert lost_details(source, [source]) == []
            assert unsupported_sentences(source, [source]) == []
