"""Train the heads: `python -m memtui.minds.offline.training.train` (needs the extra `train`; some minutes on two cores).

Prints grouped cross-validation and writes `heads.npz`. Seeded: the same data give the same weights,
up to how the threads of the linear algebra round (set `OPENBLAS_NUM_THREADS=1` for the last digit).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import WEIGHTS, versions
from memtui.minds.offline.training.pair_head import train_pair_head
from memtui.minds.offline.training.rows import data_hash, read
from memtui.minds.offline.training.statement_heads import (
    Arrays,
    Figures,
    train_brief_heads,
    train_slot_head,
    train_statement_heads,
)
from memtui.minds.offline.training.stories import questions_of, statements_of

OUT: Final = Path(__file__).parents[1] / WEIGHTS


def main() -> None:
    """Train everything and write the weights."""
    embedder = LocalEmbedder(cached=200_000)
    pairs, stories = read("pairs_*.jsonl"), read("stories_*.jsonl")
    written, asked = read("statements_*.jsonl"), read("questions_*.jsonl")
    statements, questions = written + statements_of(stories), asked + questions_of(stories)
    arrays: Arrays = {}
    figures: Figures = {}
    thresholds = train_statement_heads(statements, embedder, arrays, figures)
    train_slot_head(statements + questions, embedder, arrays, figures)
    train_brief_heads(statements, embedder, arrays)
    print(json.dumps(figures), flush=True)
    readers: Arrays = {}
    train_slot_head(written + asked, embedder, readers)
    train_brief_heads(written, embedder, readers)
    judge, cuts = train_pair_head(pairs, stories, written, embedder, readers, figures)
    arrays |= judge
    thresholds |= cuts
    meta = {"data": data_hash(), "versions": versions(), "thresholds": thresholds, "scales": {}, "figures": figures}
    stored: dict[str, Any] = {
        name: array if name.startswith(("tree", "pair_mean", "pair_scale")) else array.astype(np.float16)
        for name, array in arrays.items()
    }
    np.savez_compressed(OUT, meta=json.dumps(meta, sort_keys=True), **stored)
    print(json.dumps({"figures": figures, "thresholds": thresholds}, indent=1))


if __name__ == "__main__":
    main()
