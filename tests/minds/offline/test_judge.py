from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.model import Label, Verdict
from memtui.minds.base import PairText
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import LABELS, Heads
from memtui.minds.offline.judge import judge, label_probabilities, told_again
from tests.minds.offline.conftest import NOW


def pair(older: str, newer: str) -> PairText:
    return PairText(older, newer, NOW - timedelta(days=7), NOW)


@pytest.fixture
def verdict(embedder: LocalEmbedder, heads: Heads):  # type: ignore[no-untyped-def]
    def of(older: str, newer: str) -> Verdict:
        return judge([pair(older, newer)], embedder, heads)[0]

    return of


def test_the_same_words_are_a_duplicate(verdict) -> None:  # type: ignore[no-untyped-def]
    found = verdict("I live in Berlin.", "i live in berlin")
    assert (found.label, found.confidence) == (Label.DUPLICATE, 1.0)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I'm allergic to penicillin", "I'm not allergic to penicillin"),
        ("the door code is 4471", "the door code is 9902"),
        ("у меня аллергия на орехи", "у меня нет аллергии на орехи"),
    ],
)
def test_a_one_word_edit_is_no_duplicate(verdict, older: str, newer: str) -> None:  # type: ignore[no-untyped-def]
    assert verdict(older, newer).label is not Label.DUPLICATE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Berlin", "I moved to Lisbon, Berlin is over"),
        ("the door code is 4471", "the door code is 9902 now"),
        ("я живу в Москве", "переехал из Москвы в Питер насовсем"),
    ],
)
def test_a_change_supersedes(verdict, older: str, newer: str) -> None:  # type: ignore[no-untyped-def]
    found = verdict(older, newer)
    assert found.label is Label.SUPERSEDES
    assert found.reason


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Berlin", "my sister lives in Lisbon"),
        ("I have a dog called Rex", "had ramen for lunch"),
        ("I work at a bank", "if I worked at Google I would be rich"),
        ("I'm allergic to nuts", "I love hiking in the hills"),
    ],
)
def test_what_stays_true_is_not_retired(verdict, older: str, newer: str) -> None:  # type: ignore[no-untyped-def]
    found = verdict(older, newer)
    assert found.label not in (Label.SUPERSEDES, Label.DUPLICATE) or found.confidence < 0.5


def test_the_reason_names_what_differs(verdict) -> None:  # type: ignore[no-untyped-def]
    assert "4471 → 9902" in verdict("the door code is 4471", "the door code is 9902 now").reason
    assert "→" in verdict("живу на 3 этаже", "теперь живу на 5 этаже").reason


def test_a_batch_judges_as_single_pairs_do(embedder: LocalEmbedder, heads: Heads) -> None:
    pairs = [
        pair("I live in Berlin", "I live in Lisbon now"),
        pair("I have a dog", "my dog died"),
        pair("", "x"),
        pair("a", ""),
    ]
    together = judge(pairs, embedder, heads)
    assert [v.label for v in together] == [judge([p], embedder, heads)[0].label for p in pairs]
    assert judge([], embedder, heads) == []


@settings(max_examples=25)
@given(st.text(max_size=80), st.text(max_size=80))
def test_probabilities_are_finite_and_sum_to_one(embedder: LocalEmbedder, heads: Heads, older: str, newer: str) -> None:
    found = label_probabilities([older], [newer], embedder, heads)
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("older", "newer", "again"),
    [
        ("я живу в Казани", "Живу в Казани!", True),
        ("I live in Porto", "I live in Porto, as I said", False),
        ("I live in Porto", "i live in porto!!", True),
        ("I lived in Porto", "I live in Porto", False),
        ("I live in Porto", "I don't live in Porto", False),
        ("the code is 4471", "the code is 4472", False),
        ("I live in Porto", "I no longer live in Porto", False),
        ("", "", False),
    ],
)
def test_the_same_words_again_replace_nothing(
    older: str, newer: str, again: bool, embedder: LocalEmbedder, heads: Heads
) -> None:
    assert told_again(older, newer) is again
    if again:
        (row,) = label_probabilities([older], [newer], embedder, heads)
        assert row[LABELS.index(Label.SUPERSEDES)] == 0 and row.sum() == pytest.approx(1, abs=1e-4)
