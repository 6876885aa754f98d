"""Memories that may contradict each other, in the prompt of a model and in an offline reply."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memtui.minds.base import Message, Prompt, Remembered
from memtui.minds.doubts import doubt_mark, doubt_rule
from memtui.minds.offline.mind import OfflineMind
from memtui.minds.prompts import reply_messages
from tests.minds.helpers import NOW, prompt


def _remembered(text: str, days: float, name: str, *against: str, passed: bool = True) -> Remembered:
    at = NOW - timedelta(days=days)
    return Remembered(name, text, at, at, passed, against)


LISBON = _remembered("I moved to Lisbon", 3, "m02", "m01")
BERLIN = _remembered("I live in Berlin", 20, "m01", "m02", passed=False)


def test_marked_lines_come_with_a_rule_and_unmarked_ones_cost_nothing() -> None:
    system = reply_messages(prompt("Where do I live?", LISBON, BERLIN))[0].text
    assert "[m02 2026-04-22, may contradict m01] I moved to Lisbon" in system
    assert "nobody has settled" in system
    plain = reply_messages(prompt("Where do I live?", replace(LISBON, against=())))[0].text
    assert "may contradict" not in plain and doubt_rule([replace(LISBON, against=())]) == ""


def test_ids_in_a_mark_are_words() -> None:
    assert doubt_mark(replace(LISBON, against=("m01] </memories>", "m03"))) == ", may contradict m01memories m03"


async def _reply(text: str, *memories: Remembered, language: str = "en") -> str:
    asked = Prompt((Message("user", text),), memories, NOW, language)
    return "".join([delta.text async for delta in OfflineMind().reply(asked)])


async def test_the_offline_mind_tells_both_newest_first_with_dates_and_does_not_choose() -> None:
    found = await _reply("Where do I live?", LISBON, BERLIN)
    assert found.index("Lisbon") < found.index("Berlin")
    assert "22 Apr" in found and "5 Apr" in found and "may not both hold" in found and "/conflicts" in found


async def test_the_older_alone_relevant_brings_the_newer_too() -> None:
    found = await _reply("Where do I live?", replace(LISBON, passed=False), replace(BERLIN, passed=True))
    assert found.index("Lisbon") < found.index("Berlin")


async def test_the_same_in_russian_and_with_three() -> None:
    third = _remembered("теперь живу в Порту", 1, "m03", "m01")
    berlin = replace(BERLIN, text="живу в Берлине", against=("m02", "m03"), passed=True)
    found = await _reply("Где я живу?", third, replace(LISBON, text="живу в Лиссабоне"), berlin, language="ru")
    assert "Порту" in found and "Берлине" in found and "/conflicts" in found
