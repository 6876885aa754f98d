"""The text of a skill: canonical, the same in NFC and NFD, and the same words back whatever they are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import InputError
from memtui.memory.model import Outcome
from memtui.memory.skill import (
    SLUG_PATTERN,
    Draft,
    body_text,
    brief,
    checked,
    parse_body,
    read_outcome,
    slug_of,
    text_to_embed,
)
from memtui.memory.texts import MASK, content_hash

LOOK_ALIKES = ("When:", "Steps:", "Lessons:", "\\Steps:", "\\\\When:", "---", "# Title", "```sh", "```", "  Steps:", "шаги:")
lines = st.one_of(st.sampled_from(LOOK_ALIKES), st.text(alphabet="abcЖёй é:\\#-`\t 1.", max_size=12))
fields = st.lists(lines, max_size=6).map("\n".join)


@given(st.text(min_size=1, max_size=40), fields, fields, fields, st.sampled_from(list(Outcome)))
def test_what_was_kept_comes_back(title: str, trigger: str, steps: str, lessons: str, outcome: Outcome) -> None:
    try:
        draft = checked(Draft(title, trigger, steps, lessons, outcome))
    except InputError:
        return
    again = parse_body(body_text(draft))
    assert (again.title, again.trigger, again.steps, again.lessons) == (
        draft.title,
        draft.trigger,
        draft.steps,
        draft.lessons,
    )
    assert body_text(again) == body_text(draft)
    assert checked(draft) == draft


@pytest.mark.parametrize("title", ["Починить ёлку и йод", "Café über naïve", "деплой: ё, й"])
def test_composed_and_decomposed_letters_give_one_hash(title: str) -> None:
    one, other = (
        body_text(checked(Draft(unicodedata.normalize(form, title), unicodedata.normalize(form, "когда ёлка й"), "1. é")))
        for form in ("NFC", "NFD")
    )
    assert content_hash(one) == content_hash(other) and one == other


def test_slugs_are_latin_small_and_free() -> None:
    assert slug_of("Деплой завис: что делать?!") == "deploy-zavis-chto-delat"
    assert slug_of("Café  Über") == "cafe-uber"
    assert slug_of("Fix it", {"fix-it", "fix-it-2"}) == "fix-it-3"
    assert slug_of("…") == "skill"
    assert len(slug_of("very " * 40)) <= 64
    for title in ("日本語のタイトル", "a" * 300, "x\u0301y", "Ы Ъ Ь"):
        assert SLUG_PATTERN.fullmatch(slug_of(title)), title


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (Draft("  "), "needs a title"),
        (Draft("Title"), "trigger, steps or lessons"),
        (Draft("Title", steps="\n \n"), "trigger, steps or lessons"),
        (Draft("x" * 201, steps="1"), "longer than 200"),
        (Draft("x", steps="y" * 20_001), "'steps' is longer"),
        (Draft("x", steps="1", slug="Not A Slug"), "is no slug"),
        (Draft("x", steps="1", slug="a--b"), "is no slug"),
    ],
)
def test_what_can_not_be_kept_is_refused(draft: Draft, said: str) -> None:
    with pytest.raises(InputError, match=said):
        checked(draft)


def test_there_are_three_outcomes_and_nothing_else() -> None:
    assert [outcome.value for outcome in Outcome] == ["success", "partial", "failure"]
    assert read_outcome(" Partial ") is Outcome.PARTIAL
    for word in ("", "ok", "failed", "успех"):
        with pytest.raises(InputError, match="success, partial or failure"):
            read_outcome(word)


def test_secrets_are_masked_and_control_characters_dropped() -> None:
    draft = checked(Draft("Log\x1b[31m in", steps="1. password: hunter2hunter2\n2. sk-abcdefghijklmnopqrstuv"))
    assert "hunter2" not in draft.steps and draft.steps.count(MASK) == 2
    assert "\x1b" not in draft.title


def test_a_prompt_gets_a_brief_that_says_whether_anybody_stands_behind_it() -> None:
    body = body_text(Draft("Deploy hangs", "it stops", "1. find the lock\n2. kill it " + "x" * 900, "never on Friday"))
    trusted = brief(body, trusted=True, outcome=Outcome.SUCCESS)
    assert trusted.startswith("How-to (worked): Deploy hangs. When: it stops Steps: 1. find the lock 2. kill it")
    assert "\n" not in trusted and len(trusted) < 420
    assert brief(body, trusted=False, outcome=Outcome.SUCCESS).startswith("How-to (unverified: worked, it says)")
    assert brief(body, trusted=True, outcome=Outcome.FAILURE).startswith("How-to (did not work)")


def test_only_a_skill_is_embedded_by_its_title_and_trigger() -> None:
    assert text_to_embed("I live in Lisbon.\nWhen: soon") == "I live in Lisbon.\nWhen: soon"
    assert text_to_embed(body_text(Draft("A title", "a trigger", "1. a step"))) == "A title\na trigger"
