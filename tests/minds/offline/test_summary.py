from __future__ import annotations

from memtui.memory.words import stems
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.summary import summarize

SYNAPSE = [
    "Working on Synapse, my memory demo for the hackathon",
    "Synapse, the hackathon memory demo, has a working timeline",
    "Still on Synapse, the hackathon memory demo; Marta joined",
]


def test_a_summary_is_made_of_the_words_of_its_sources(embedder: LocalEmbedder, heads: Heads) -> None:
    found = summarize(SYNAPSE, "en", embedder, heads)
    assert found is not None
    assert len(found.text) <= 300
    assert set(stems(found.text)) <= {stem for text in SYNAPSE for stem in stems(text)}
    assert "Synapse" in found.text and "Marta" in found.text
    assert "3 times" in found.reason


def test_the_same_telling_thrice_is_one(embedder: LocalEmbedder, heads: Heads) -> None:
    found = summarize(["I live in Porto", "I live in Porto.", "i live in porto"], "en", embedder, heads)
    assert found is not None and found.text == "i live in porto"


def test_texts_that_say_different_things_are_not_merged(embedder: LocalEmbedder, heads: Heads) -> None:
    assert summarize(["I live in Porto", "my dog ate a sock", "the deadline is on Friday"], "en", embedder, heads) is None
    assert summarize([], "en", embedder, heads) is None
    assert summarize(["", "  "], "en", embedder, heads) is None


def test_what_contradicts_is_not_merged(embedder: LocalEmbedder, heads: Heads) -> None:
    texts = ["the door code is 4471", "the door code is 4471, again", "the door code is 9902 now, they changed it"]
    found = summarize(texts, "en", embedder, heads)
    assert found is None or "4471" not in found.text


def test_the_reason_is_in_the_language_asked_for(embedder: LocalEmbedder, heads: Heads) -> None:
    found = summarize(["живу в Казани", "я живу в Казани", "Живу в Казани!"], "ru", embedder, heads)
    assert found is not None and "раз" in found.reason
