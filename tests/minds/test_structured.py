"""Finding, validating and asking again for structured answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import MindMalformedError
from memtui.minds.base import Message
from memtui.minds.structured import (
    ATTEMPTS,
    FACTS,
    GRADE,
    SUMMARY,
    TEMPERATURES,
    VERDICTS,
    Question,
    ask,
    is_complete,
    read_answer,
)

FACT = {
    "support": "I moved to Lisbon",
    "text": "I live in Lisbon.",
    "kind": "semantic",
    "why": "home",
    "importance": 0.7,
    "subject": "user",
    "valid_from": None,
}
GOOD = json.dumps({"facts": [FACT]})


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here you are:\n```\n{GOOD}\n```\nAnything else? {{}}",
        f'<think>maybe {{"facts": []}}</think>\n{GOOD}',
        f"Let me think {{x}}\n</think>\n{GOOD}",
        f"{GOOD}{GOOD}\nUser: and then",
        json.dumps([FACT]),
        json.dumps(FACT),
        json.dumps({"answer": {"facts": [FACT]}}),
        json.dumps({"facts": [{**FACT, "kind": " Semantic "}], "confidence": 3, "odd": {"a": []}}),
        json.dumps({"facts": [{**FACT, "importance": "0.7"}]}),
        GOOD.replace("I live", "I\\nlive").replace("\\n", " "),
    ],
)
def test_the_answer_is_found_wherever_it_stands(answer: str) -> None:
    reading = read_answer(answer, FACTS)
    assert reading.problems == ()
    assert [fact.text for fact in reading.items] == ["I live in Lisbon."]


@pytest.mark.parametrize("answer", ['{"facts": []}', "[]", "```json\n[]\n```", '{"facts": [ ] } trailing'])
def test_nothing_is_an_answer_too(answer: str) -> None:
    assert read_answer(answer, FACTS) == type(read_answer(answer, FACTS))((), (), True)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("{}", "none of the keys"),
        ("null", "no JSON object"),
        ("I'm sorry, I can't do that.", "no JSON object"),
        ("<think>hmm", "only thinking"),
        (GOOD[:-20], "broken or cut off"),
        ('{"facts": "none"}', "not a list"),
        ('{"facts": [1]}', "facts[1]"),
        (json.dumps({"facts": [{**FACT, "kind": "fact"}]}), "facts[1]: kind"),
        (json.dumps({"facts": [{**FACT, "importance": 7}]}), "importance"),
        (json.dumps({"facts": [{**FACT, "text": "  "}]}), "text"),
        ('{"facts": [{"support": "x", "text": "y", "kind": "semantic", "why": "z", "importance": NaN}]}', "importance"),
        ("[" * 5000, "no JSON object"),
        ('{"a":' * 5000, "broken"),
    ],
)
def test_what_is_wrong_is_named(answer: str, problem: str) -> None:
    reading = read_answer(answer, FACTS)
    assert reading.items == ()
    assert problem in reading.problems[0]


def test_lone_surrogate_escapes_become_storable() -> None:
    text = read_answer(json.dumps({"facts": [{**FACT, "text": "bad \ud800\x00 text"}]}), FACTS).items[0].text
    text.encode()
    assert "\x00" not in text


@given(st.text(max_size=300))
def test_reading_never_raises(text: str) -> None:
    read_answer(text, FACTS)
    read_answer(f'{{"reason": {text}', GRADE)
    is_complete(text, SUMMARY)


def test_an_empty_form_is_not_complete_but_three_are() -> None:
    form = json.dumps({"facts": [{**FACT, "text": "…"}]})
    assert not is_complete(form, FACTS)
    assert not is_complete(form + form, FACTS)
    assert is_complete(form + GOOD, FACTS)
    assert is_complete(form * 3, FACTS)


def test_an_answer_is_complete_only_when_its_object_is() -> None:
    cuts = [n for n in range(1, len(GOOD) + 1) if is_complete(GOOD[:n], FACTS)]
    assert cuts == [len(GOOD)]
    assert not is_complete("<think>" + GOOD, FACTS)
    assert not is_complete('{"facts": [{"tags": [{"a": 1}]}', FACTS)


@pytest.mark.parametrize("question", [FACTS, VERDICTS, SUMMARY, GRADE])
def test_schemas_are_in_the_strict_subset(question: Question[Any]) -> None:
    def walk(schema: dict[str, Any]) -> None:
        assert not {"$ref", "$defs", "title", "default", "minLength"} & schema.keys()
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            for each in schema["properties"].values():
                walk(each)
        if schema.get("type") == "array":
            walk(schema["items"])

    walk(question.schema)


def test_the_schema_asks_for_the_reason_first() -> None:
    item = list(VERDICTS.schema["properties"]["verdicts"]["items"]["properties"])
    assert item.index("reason") < item.index("label")
    fact = list(FACTS.schema["properties"]["facts"]["items"]["properties"])
    assert fact.index("why") < fact.index("importance")
    assert next(iter(SUMMARY.schema["properties"])) == "reason"


class _Model:
    """Gives scripted answers and keeps what it was asked."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[list[Message]] = []

    async def __call__(self, messages: Sequence[Message], question: Question[Any], temperature: float) -> str:
        assert temperature == TEMPERATURES[len(self.asked)]
        self.asked.append(list(messages))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


_START = [Message("system", "Task"), Message("user", "turn")]


async def test_a_wrong_answer_is_asked_for_again_with_what_was_wrong() -> None:
    model = _Model("{}", json.dumps({"facts": [{**FACT, "importance": 8}]}), GOOD)
    facts = await ask(model, FACTS, _START)
    assert len(facts) == 1
    assert [m.role for m in model.asked[2]] == ["system", "user", "assistant", "user"]
    assert "none of the keys" in model.asked[1][-1].text
    assert "importance" in model.asked[2][-1].text
    assert '"8"' not in model.asked[1][-1].text


async def test_an_empty_answer_is_asked_for_again_without_an_empty_message() -> None:
    model = _Model("", GOOD)
    await ask(model, FACTS, _START)
    assert [m.role for m in model.asked[1]] == ["system", "user", "user"]  # joined before they are sent


async def test_broken_transport_json_counts_as_an_attempt() -> None:
    model = _Model(MindMalformedError("broken"), GOOD)
    assert len(await ask(model, FACTS, _START)) == 1


async def test_after_three_attempts_it_fails_and_never_invents() -> None:
    model = _Model("no", "{}", '{"facts": 1}')
    with pytest.raises(MindMalformedError, match="3 attempts") as caught:
        await ask(model, FACTS, _START, who="gemma · llamacpp")
    assert "gemma" in caught.value.what
    assert caught.value.safe
    assert caught.value.todo
    assert len(model.asked) == ATTEMPTS


async def test_the_right_items_of_a_partly_wrong_list_count_in_the_end() -> None:
    mixed = json.dumps({"facts": [{**FACT, "kind": "odd"}, FACT]})
    facts = await ask(_Model(mixed, "sorry", mixed), FACTS, _START)
    assert [fact.text for fact in facts] == ["I live in Lisbon."]


async def test_a_check_beyond_the_shape_is_told_too() -> None:
    model = _Model('{"reason": "r", "correct": true}', '{"reason": "better", "correct": false}')
    found = await ask(model, GRADE, _START, check=lambda grade: "reason is too short" if len(grade.reason) < 3 else None)
    assert found[0].reason == "better"
    assert "too short" in model.asked[1][-1].text
