"""Facts that say who speaks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.memory.model import Label
from memtui.minds.base import PairText
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.judge import judge
from memtui.minds.offline.speakers import spoken

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "who", "words"),
    [
        ("Caroline: I paint", "Caroline", "I paint"),
        ("Аня: я рисую", "Аня", "я рисую"),
        ("Mary Ann: two\nlines", "Mary Ann", "two\nlines"),
        ("Update: I moved", "", "Update: I moved"),
        ("I said: no", "", "I said: no"),
        ("At 10:30 the train leaves", "", "At 10:30 the train leaves"),
        ("Caroline:", "", "Caroline:"),
    ],
)
def test_who_speaks(text: str, who: str, words: str) -> None:
    assert spoken(text) == (who, words)


def test_the_judge_reads_the_words_and_keeps_people_apart() -> None:
    def pair(older: str, newer: str) -> PairText:
        return PairText(older, newer, AT, AT + timedelta(days=9))

    embedder, heads = LocalEmbedder(), Heads.load()
    bare, named, apart = judge(
        [
            pair("I live in Berlin", "I moved to Lisbon"),
            pair("Caroline: I live in Berlin", "Caroline: I moved to Lisbon"),
            pair("Caroline: I live in Berlin", "Melanie: I moved to Lisbon"),
        ],
        embedder,
        heads,
    )
    assert named == bare
    assert bare.label is Label.SUPERSEDES
    assert apart.label is Label.UNRELATED
