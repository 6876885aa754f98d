"""Plain changes are acted on by a sleep pass; what only looks like one is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.memory.model import Label
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.minds.base import PairText
from memtui.minds.offline.mind import OfflineMind

THEN = datetime(2026, 3, 1, tzinfo=UTC)
NOW = THEN + timedelta(days=20)


async def retires(older: str, newer: str) -> bool:
    (verdict,) = await OfflineMind().judge([PairText(older, newer, THEN, NOW)])
    assert verdict is not None
    policy = SleepPolicy()
    sure = {Label.SUPERSEDES: policy.retire_confidence, Label.DUPLICATE: policy.duplicate_confidence}
    return verdict.label in sure and verdict.confidence >= sure[verdict.label]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Berlin", "I moved to Lisbon"),
        ("I live in Berlin", "I live in Lisbon now"),
        ("I write Python for work", "I switched from Python to Rust"),
        ("The door code is 4417", "The door code changed to 9021"),
        ("My deadline is 12 May", "The deadline moved to 20 May"),
        ("I work at Siemens", "I left Siemens, started at a startup"),
        ("Я живу в Берлине", "Я переехал в Лиссабон"),
        ("Работаю в Яндексе", "Уволился из Яндекса, теперь в Сбере"),
        ("I love running", "I stopped running, the knee is done"),
        ("My girlfriend is Ana", "Ana and I broke up"),
    ],
)
async def test_a_plain_change_retires_the_older(older: str, newer: str) -> None:
    assert await retires(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a cat", "I adopted a dog"),
        ("I live in Berlin", "My sister moved to Lisbon"),
        ("I went to a support group yesterday and it was powerful", "I'm putting together an art show next month"),
        ("Expression of myself and a way to relax", "Nature and quality time, can't beat it!"),
        ("I'm allergic to nuts", "The wedding is on 5 June"),
        ("Caroline: I paint", "Melanie: I stopped painting"),
    ],
)
async def test_what_only_looks_like_a_change_retires_nothing(older: str, newer: str) -> None:
    assert not await retires(older, newer)
