from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memtui.errors import MindError
from memtui.minds.offline import heads as heads_module
from memtui.minds.offline.cues import CUES, cue_vector
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.features import BUCKETS, hashed_ngrams, statement_features
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.reader import LocalSlotReader
from memtui.minds.offline.slots import SLOTS
from memtui.minds.offline.training.rows import data_hash
from memtui.minds.offline.trees import boosted


def test_the_weights_are_from_the_data_in_the_repository(heads: Heads) -> None:
    assert heads.meta["data"] == data_hash(), "run python -m memtui.minds.offline.training.train"


def test_weights_for_other_features_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    heads_module._load.cache_clear()
    monkeypatch.setattr(heads_module, "CUES_VERSION", 999)
    with pytest.raises(MindError, match="other features"):
        Heads.load()
    monkeypatch.undo()
    heads_module._load.cache_clear()


def test_slot_posteriors_are_a_share_of_one_and_zero_for_nothing(embedder: LocalEmbedder) -> None:
    reader = LocalSlotReader(LocalEmbedder())
    vectors = embedder.embed_now(["I live in Porto", "Which city do I live in?", ""])
    found = reader.read(vectors)[:, : len(SLOTS)]
    assert found.shape == (3, len(SLOTS)) and found.dtype == np.float32
    assert (found >= 0).all() and (found.sum(axis=1) <= 1 + 1e-5).all()
    assert not found[2].any()
    assert reader.slots[int(found[0].argmax())] == reader.slots[int(found[1].argmax())] == "residence"
    assert reader.read(vectors[:0]).shape == (0, len(SLOTS) + reader.aspects)


@pytest.mark.parametrize(
    ("text", "question", "slot"),
    [
        ("I'm allergic to shellfish", "What am I allergic to?", "allergy"),
        ("у меня аллергия на орехи", "на что у меня аллергия?", "allergy"),
        ("my son is seven", "how old is my kid?", "children"),
        ("the door code is 4471", "what's the door code?", "code"),
        ("я работаю в Яндексе", "где я работаю?", "employer"),
    ],
)
def test_a_statement_and_its_question_share_their_slot(embedder: LocalEmbedder, text: str, question: str, slot: str) -> None:
    a, b = LocalSlotReader(LocalEmbedder()).read(embedder.embed_now([text, question]))
    assert float(a @ b) > 0.1
    assert SLOTS[int((a * b).argmax())] == slot


def test_features_have_their_columns(embedder: LocalEmbedder) -> None:
    texts = ["I live here", "", "🙂", "\ud800 lone"]
    found = statement_features(texts, embedder.embed_now(texts))
    assert found.shape == (4, 512 + len(CUES) + BUCKETS)
    assert np.isfinite(found).all()
    assert cue_vector("").shape == (len(CUES),)
    assert np.linalg.norm(hashed_ngrams("hello there")) == pytest.approx(1.0, abs=1e-5)


def test_trees_walk_to_their_leaves() -> None:
    arrays: dict[str, np.ndarray[Any, Any]] = {
        "tree_feature": np.array([0, -1, -1, -1], np.int16),
        "tree_split": np.array([0.5, 0, 0, 0], np.float32),
        "tree_left": np.array([1, 0, 0, 0], np.int32),
        "tree_right": np.array([2, 0, 0, 0], np.int32),
        "tree_value": np.array([0, -1, 2, 7], np.float32),
        "tree_root": np.array([0, 3], np.int32),
        "tree_class": np.array([0, 1], np.int16),
        "tree_baseline": np.array([10, 20], np.float32),
    }
    found = boosted(arrays, "tree", np.array([[0.5], [0.6]], np.float32))
    assert found.tolist() == [[9, 27], [12, 27]]
