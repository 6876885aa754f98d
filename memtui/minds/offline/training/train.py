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
from memtui.minds.offline.training.answer_heads import train_answer_heads
from memtui.minds.offline.training.pair_head import gather, train_judges
from memtui.minds.offline.training.readers import Data, cross_fitted, folds_of, train_readers
from memtui.minds.offline.training.rows import data_hash, read
from memtui.minds.offline.training.statement_heads import Arrays, Figures, train_statement_heads
from memtui.minds.offline.training.stories import group_of, statements_of

OUT: Final = Path(__file__).parents[1] / WEIGHTS


def main() -> None:
    """Train everything and write the weights."""
    embedder = LocalEmbedder(cached=200_000)
    stories, statements = read("stories_*.jsonl"), read("statements_*.jsonl")
    data = Data.of(stories, statements, read("questions_*.jsonl"), read("asked_*.jsonl"), read("pairs_*.jsonl"))
    arrays: Arrays = {}
    figures: Figures = {}
    thresholds = train_statement_heads([*statements, *statements_of(stories)], embedder, arrays, figures)
    train_readers(data, embedder, arrays, figures)
    print(json.dumps(figures), flush=True)
    fold_of = folds_of([*data.pair_groups, *map(group_of, stories), *(str(row["group"]) for row in statements)])
    readers = cross_fitted(data, fold_of, embedder)
    judge, judges, cuts = train_judges(gather(data, fold_of, readers, embedder), readers, figures)
    answers, gates = train_answer_heads(stories, fold_of, judges, embedder, figures)
    arrays |= judge | answers
    thresholds |= cuts | gates
    meta = {"data": data_hash(), "versions": versions(), "thresholds": thresholds, "scales": {}, "figures": figures}
    stored: dict[str, Any] = {
        name: array.astype(np.float16) if name.endswith(("_W", "_b")) else array for name, array in arrays.items()
    }
    np.savez_compressed(OUT, meta=json.dumps(meta, sort_keys=True), **stored)
    print(json.dumps({"figures": figures, "thresholds": thresholds}, indent=1))


if __name__ == "__main__":
    main()
