"""Reading the training data: statements, questions and pairs, their groups, and the hash that names them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

DATA: Final = Path(__file__).parent / "data"
"""Where the data lie; they are in the repository and not in the wheel."""

STORY: Final = "story-"
"""How the groups of stories begin."""

Row = dict[str, Any]


def read(pattern: str, folder: Path = DATA) -> list[Row]:
    """All rows of the files that match `pattern`, in order of file name and line."""
    return [
        json.loads(line)
        for path in sorted(folder.glob(pattern))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def data_hash(folder: Path = DATA) -> str:
    """SHA-256 over names and contents of the data files: names the data that weights were trained on."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.jsonl")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def united_groups(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """One group name a row: rows that share a group or a sentence (under any of `keys`) end up together.

    Without it a sentence and its translation stand on both sides of a fold, and cross-validation lies by 15 points.
    """
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for row in rows:
        for key in keys:
            parent[root("t:" + str(row[key]).casefold())] = root("g:" + str(row["group"]))
    return [root("g:" + str(row["group"])) for row in rows]


def random_negatives(rows: Sequence[Row], groups: Sequence[str], count: int, seed: int) -> list[Row]:
    """Pairs of texts of different groups, labelled unrelated: retirements are rare, and the judge must know it."""
    rng = np.random.default_rng(seed)
    texts = [(str(row[key]), group) for row, group in zip(rows, groups, strict=True) for key in ("older", "newer")]
    out: list[Row] = []
    while len(out) < count:
        i, j = (int(n) for n in rng.integers(len(texts), size=2))
        if texts[i][1] != texts[j][1]:
            out.append({"older": texts[i][0], "newer": texts[j][0], "label": "unrelated", "group": texts[i][1]})
    return out
