"""The texts a store holds, by hash, and which of them have vectors by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memtui.errors import EmbedderMismatchError, StoreError
from memtui.memory.frame import Vectors
from memtui.memory.texts import content_hash
from memtui.memory.words import stems
from memtui.store.coding import strings
from memtui.store.tables import ContentRow

if TYPE_CHECKING:
    import pyarrow as pa


class Contents:
    """What is known of the `contents` table.

    Attributes:
        texts: text by hash; an erased one is "".
        embedders: who made vectors that are there.
    """

    def __init__(self, embedder: str, dims: int) -> None:
        self.embedder = embedder
        self.dims = dims
        self.texts: dict[str, str] = {}
        self._with_words: set[str] = set()
        self._with_vector: set[str] = set()
        self.embedders: set[str] = set()

    def take_in(self, rows: pa.Table) -> set[str]:
        """Learn of rows (hash, text, embedder) of the table; returns the hashes whose words are new to the index."""
        hashes: list[str] = rows.column("hash").to_pylist()
        texts: list[str] = rows.column("text").to_pylist()
        return self._learn(hashes, texts, strings(rows.column("embedder")))

    def wrote(self, rows: Sequence[ContentRow]) -> None:
        """Learn of rows that were written."""
        self._learn([row.hash for row in rows], [row.text for row in rows], [row.embedder for row in rows])

    def _learn(self, hashes: list[str], texts: list[str], embedders: list[str]) -> set[str]:
        self.texts.update(zip(hashes, texts, strict=True))
        self.embedders.update(name for name in embedders if name)
        rows = list(zip(hashes, texts, embedders, strict=True))
        worded = {digest for digest, _, name in rows if name and digest not in self._with_words}
        self._with_words.update(worded)
        self._with_vector.update(digest for digest, _, name in rows if name and name == self.embedder)
        return worded

    def has_vector(self, digest: str) -> bool:
        """Whether the table holds a vector by the present embedder."""
        return digest in self._with_vector

    def embedded_by_others(self, digests: Iterable[str]) -> int:
        """How many of these have a vector, but none by the present embedder."""
        return sum(digest in self._with_words and digest not in self._with_vector for digest in set(digests))

    def new_rows(self, texts: Mapping[str, str], vectors: Mapping[str, Vectors]) -> list[ContentRow]:
        """The rows an append must write: what is not there yet with the present embedder.

        The words are indexed once a text, however many embedders it meets.

        Raises:
            StoreError: a text does not match its hash, or a vector has no text.
        """
        rows: list[ContentRow] = []
        for digest in dict.fromkeys((*texts, *vectors)):
            text = texts.get(digest, self.texts.get(digest))
            if text is None or (digest in texts and content_hash(text) != digest):
                raise StoreError(f"A text does not match its hash ({digest[:12]}…).", safe="Nothing was written.")
            vector = vectors.get(digest)
            if vector is None:
                if digest not in self.texts:
                    rows.append(ContentRow(digest, text, "", None, ""))
            elif digest not in self._with_vector:
                words = "" if digest in self._with_words else " ".join(stems(text))
                rows.append(ContentRow(digest, text, words, vector, self.embedder))
        return rows

    def checked(self, vector: Vectors) -> Vectors:
        """`vector` as float32 (dims,).

        Raises:
            StoreError: another shape, or a value that is no number.
        """
        out = np.asarray(vector, np.float32)
        if out.shape != (self.dims,) or not np.isfinite(out).all():
            raise StoreError(
                f"The embedder '{self.embedder}' gave a vector of shape {out.shape}, not ({self.dims},), or no numbers.",
                safe="Nothing was written.",
                todo="See what the embedding endpoint answers with memtui doctor.",
            )
        return out

    def check_embedder(self, *, there: bool) -> None:
        """See that vectors can be used: some were made by the present embedder, or there are none at all.

        Args:
            there: whether the table has a column for vectors of this width.

        Raises:
            EmbedderMismatchError: there are vectors, and all were made by others, or by one of another width.
        """
        if not self.embedders or (there and self._with_vector):
            return
        others = " and ".join(f"'{name}'" for name in sorted(self.embedders))
        raise EmbedderMismatchError(
            f"The memories of this store were embedded by {others}, the settings say '{self.embedder}' ({self.dims} wide).",
            safe="Nothing was changed; vectors of different embedders are never mixed.",
            todo="Run `memtui reembed` to embed them anew, or set the embedder back.",
        )
