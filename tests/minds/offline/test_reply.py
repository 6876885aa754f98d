from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.minds.base import Message, Prompt, Remembered
from memtui.minds.offline.mind import OfflineMind
from memtui.minds.offline.phrases import ago, quoted, said
from memtui.minds.offline.reply import words_of
from tests.minds.offline.conftest import NOW


def remembered(text: str, days: float = 6, name: str = "m01") -> Remembered:
    at = NOW - timedelta(days=days)
    return Remembered(name, text, at, at)


async def reply(mind: OfflineMind, text: str, *memories: Remembered, language: str = "en") -> str:
    prompt = Prompt((Message("user", text),), memories, NOW, language)
    return "".join([delta.text async for delta in mind.reply(prompt)])


async def test_a_question_is_answered_with_what_was_said_and_when(mind: OfflineMind) -> None:
    found = await reply(mind, "Where do I live?", remembered("I just moved to Lisbon"))
    assert "“I just moved to Lisbon”" in found
    assert "19 Apr (6 days ago)" in found


async def test_the_same_in_russian(mind: OfflineMind) -> None:
    found = await reply(mind, "Где я живу?", remembered("живу в Казани"), language="ru")
    assert "«живу в Казани»" in found and "19 апреля (6 дней назад)" in found


async def test_when_asks_for_a_date(mind: OfflineMind) -> None:
    found = await reply(
        mind, "When is the demo?", remembered("the demo uses Rust"), remembered("the demo is on 30 April", 2, "m02")
    )
    assert found.index("30 April") < found.index("uses Rust")


async def test_of_two_that_compete_the_newer_is_the_answer(mind: OfflineMind) -> None:
    found = await reply(
        mind,
        "Which city do I live in now?",
        remembered("I live in Berlin", 20),
        remembered("we moved to Lisbon last week, third floor, no lift", 1, "m02"),
    )
    assert found.index("Lisbon") < found.index("Berlin")
    assert "Before that" in found


async def test_what_did_not_pass_the_gate_is_shown_as_no_more_than_near(mind: OfflineMind) -> None:
    near = replace(remembered("my cat is called Olive"), passed=False)
    found = await reply(mind, "Where is my passport?", near)
    assert "for sure" in found and "Olive" in found


@pytest.mark.parametrize(
    "text", ["на что у меня аллергия", "remind me what I am allergic to", "do you know what I'm allergic to"]
)
async def test_a_question_needs_no_question_mark(mind: OfflineMind, text: str) -> None:
    language = "ru" if text.startswith("на") else "en"
    assert "penicillin" in await reply(mind, text, remembered("I'm allergic to penicillin"), language=language)


async def test_a_request_for_work_is_no_question_of_memory(mind: OfflineMind) -> None:
    found = await reply(mind, "can you write a cover letter for me?")
    assert "offline mind" in found or "language model" in found


async def test_nothing_remembered_is_said_plainly(mind: OfflineMind) -> None:
    found = await reply(mind, "What is my cat called?")
    assert "remember" in found or "memory" in found
    assert "“" not in found


async def test_a_statement_is_acknowledged_with_what_was_noted(mind: OfflineMind) -> None:
    found = await reply(mind, "I'm allergic to shellfish, it nearly killed me")
    assert "shellfish" in found


async def test_a_change_names_what_it_changes(mind: OfflineMind) -> None:
    found = await reply(mind, "The door code is 9902 now", remembered("the door code is 4471"))
    assert "4471" in found


async def test_it_never_pretends_to_be_a_language_model(mind: OfflineMind) -> None:
    assert "offline mind" in await reply(mind, "who are you?")
    can_not = await reply(mind, "write me a poem about rain")
    assert "offline mind" in can_not or "language model" in can_not


async def test_the_same_prompt_gives_the_same_reply(mind: OfflineMind) -> None:
    assert await reply(mind, "hello") == await reply(mind, "hello")


@pytest.mark.parametrize("text", ["", "   ", "\x00", "hm", "привет", "спасибо", "пока", "если бы я жил в Риме", "haha"])
async def test_it_always_says_something(mind: OfflineMind, text: str) -> None:
    assert (await reply(mind, text, language="ru" if any("а" <= c <= "я" for c in text) else "en")).strip()


async def test_hostile_memories_can_not_break_the_markdown(mind: OfflineMind) -> None:
    found = await reply(
        mind, "Where do I live?", remembered("# x\n```\n[link](http://a.b) **bold** <b> | `code` \u202e flip")
    )
    assert "\n```" not in found and "**" not in found.replace("\\*\\*", "") and "\u202e" not in found
    assert found.count("\n") == 0


@settings(max_examples=60)
@given(st.text(max_size=400))
def test_a_quote_stays_on_one_line_and_between_its_marks(text: str) -> None:
    found = quoted(text, "en")
    assert found.startswith("“") and found.endswith("”")
    assert "\n" not in found and found.count("“") == 1 and found.count("”") == 1


@given(st.text(max_size=300))
def test_words_joined_are_the_text(text: str) -> None:
    assert "".join(words_of(text.strip())) == text.strip()


@pytest.mark.parametrize(
    ("delta", "english", "russian"),
    [
        (timedelta(seconds=20), "just now", "только что"),
        (timedelta(minutes=5), "5 minutes ago", "5 минут назад"),
        (timedelta(hours=1), "1 hour ago", "1 час назад"),
        (timedelta(days=1), "yesterday", "вчера"),
        (timedelta(days=2), "2 days ago", "2 дня назад"),
        (timedelta(days=21), "3 weeks ago", "3 недели назад"),
        (timedelta(days=90), "3 months ago", "3 месяца назад"),
        (timedelta(days=800), "2 years ago", "2 года назад"),
        (timedelta(days=-3), "just now", "только что"),
    ],
)
def test_ages_in_words(delta: timedelta, english: str, russian: str) -> None:
    assert (ago(NOW - delta, NOW, "en"), ago(NOW - delta, NOW, "ru")) == (english, russian)


def test_a_year_is_named_when_it_is_another() -> None:
    assert said(datetime(2025, 4, 19, tzinfo=NOW.tzinfo), NOW, "en").startswith("on 19 Apr 2025")
