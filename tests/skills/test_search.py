"""A question finds its skill in the other language too: offline, by what the default install has."""

from __future__ import annotations

import numpy as np
import pytest

from memtui.bench.skills import WAYS, measure_skills, skill_pairs
from memtui.memory.skill_search import WordIndex, is_near, near_pairs, rank, words_share
from memtui.memory.words import stems
from tests.skills.conftest import EMBEDDER, Opened


def test_across_languages_and_within_them() -> None:
    drafts, pairs = skill_pairs()
    assert len(drafts) == 50 and all(sum(pair.way == way for pair in pairs) == 25 for way in WAYS)
    ways = measure_skills(EMBEDDER)["ways"]
    for one, other in (("ru>en", "en>ru"), ("en>en", "ru>ru")):
        first, third = ((ways[one][name] + ways[other][name]) / 2 for name in ("hit@1", "hit@3"))
        assert first >= 0.85 and third >= 0.95, (one, first, third)
    assert all(ways[way]["hit@1"] >= 0.80 and ways[way]["hit@3"] >= 0.95 for way in WAYS)


async def test_the_same_through_a_store(opened: Opened) -> None:
    skills = (await opened()).skills
    drafts, pairs = skill_pairs()
    ids = [(await skills.learn(draft, force=True)).skill for draft in drafts[:6]]
    for pair in pairs:
        if pair.skill < 6 and pair.way == "ru>en":
            found = await skills.recall(pair.question, 3, everything=True)
            assert ids[pair.skill] is not None
            assert ids[pair.skill].id in [item.skill.id for item in found]  # type: ignore[union-attr]


def test_words_are_a_share_of_the_question() -> None:
    index = WordIndex([stems("docker disk is full"), stems("deploy hangs on migration"), stems("деплой завис")])
    assert words_share(index, stems("docker disk")).tolist()[1:] == [0.0, 0.0]
    whole, part = (words_share(index, stems(text))[0] for text in ("docker disk", "docker quinoa lattice"))
    assert 0 < part < whole <= 1
    assert words_share(index, []).tolist() == [0.0] * 3 and words_share(WordIndex([]), ["x"]).size == 0


def test_strength_weighs_and_relevance_comes_first() -> None:
    words, cosine = np.array([0.5, 0.5, 0.1]), np.array([0.6, 0.6, 0.1])
    assert rank(words, cosine, np.array([0.3, 1.5, 2.0]), 3).rows.tolist() == [1, 0, 2]
    found = rank(words, cosine, np.ones(3), 3)
    assert found.passed.tolist() == [True, True, False]
    assert rank(np.zeros(2), None, np.ones(2), 3).rows.size == 0


@pytest.mark.parametrize(
    ("cosine", "shared", "near"), [(0.97, 0.0, True), (0.9, 0.5, True), (0.9, 0.2, False), (0.2, 0.9, True)]
)
def test_nearness_is_meaning_with_words(cosine: float, shared: float, near: bool) -> None:
    assert is_near(cosine, shared) is near


def test_no_two_of_fifty_different_skills_are_near() -> None:
    from memtui.memory.skill import body_text, searched_text

    drafts, _ = skill_pairs()
    vectors = EMBEDDER.embed_now([searched_text(draft) for draft in drafts])
    assert near_pairs(vectors, [frozenset(stems(body_text(draft))) for draft in drafts]) == []
