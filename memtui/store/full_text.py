"""Words to contents: LanceDB's full-text index proposes, BM25 over the whole table decides.

The index scores rows it has not taken in yet with the statistics of those it has, so its own scores change when the
table is compacted. Candidates therefore get their score anew here, from document frequencies counted over all rows: the
same data gives the same scores, whatever the index has seen.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memtui.memory.words import stems
from memtui.store.tables import CONTENTS, Tables

if TYPE_CHECKING:
    import pyarrow as pa

_K1: Final = 1.2
_B: Final = 0.75
_FEW_ROWS: Final = 32
_SHARE: Final = 8
"""A search looks at rows the index has not seen one by one (1 ms for a thousand), so they stay an eighth at most."""
_MAX_TERMS: Final = 48
"""Of a longer text (a pasted page) only the rarest words are searched for."""
_LEAST_FETCH: Final = 128
_FETCH_EACH: Final = 8
"""How many candidates are fetched for one result: the index's own order is off by little, and a common word's crowd of
equal candidates is wide."""


class Statistics:
    """How many contents there are, how long they are, and how many hold each word."""

    def __init__(self) -> None:
        self.documents = 0
        self.words = 0
        self.holding: dict[str, int] = {}

    def add(self, words: Sequence[str]) -> None:
        """Count one more content."""
        if words:
            self.documents += 1
            self.words += len(words)
            for word in set(words):
                self.holding[word] = self.holding.get(word, 0) + 1

    def grown(self, contents: Iterable[Sequence[str]]) -> Statistics:
        """These statistics and some more contents; this one stays as it is."""
        other = Statistics()
        other.documents, other.words, other.holding = self.documents, self.words, dict(self.holding)
        for words in contents:
            other.add(words)
        return other

    def score(self, terms: Sequence[str], words: Sequence[str]) -> float:
        """BM25 of a content (its words) for the terms."""
        length = _K1 * (1 - _B + _B * len(words) * self.documents / max(1, self.words))
        total = 0.0
        for term in terms:
            count = words.count(term)
            if count:
                total += self.weight(term) * count * (_K1 + 1) / (count + length)
        return total

    def weight(self, term: str) -> float:
        """Inverse document frequency; the rarer the heavier, 0 for a word nobody used."""
        holding = self.holding.get(term, 0)
        return math.log1p((self.documents - holding + 0.5) / (holding + 0.5)) if holding else 0.0


class FullText:
    """The words of a store's contents."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._statistics = Statistics()
        self._indexed: int | None = None
        self._rows = 0
        self._guard = threading.Lock()

    def is_behind(self, written: int) -> bool:
        """Whether the index is missing, or too many rows lie beside it now that `written` more are there."""
        if self._indexed is None:
            table = self._tables.open(CONTENTS)
            self._rows, self._indexed = int(table.count_rows()), _indexed_rows(table)
        else:
            self._rows += written
        return self._rows > 0 and (
            self._indexed == 0 or self._rows - self._indexed > max(_FEW_ROWS, self._indexed // _SHARE)
        )

    def rebuild(self) -> None:
        """Make the index anew over all rows. The write lock must be held."""
        from lancedb.index import FTS

        config = FTS(
            base_tokenizer="whitespace", stem=False, remove_stop_words=False, max_token_length=None, ascii_folding=False
        )
        table = self._tables.open(CONTENTS)
        table.create_index("words", config=config, replace=True)
        self._rows = self._indexed = int(table.count_rows())

    def compacted(self) -> None:
        """The index has taken in all rows: count again before the next write."""
        self._indexed = None

    def count(self, rows: pa.Table) -> None:
        """Count all contents (hash, words) anew."""
        self._statistics = _count(rows)

    def learn(self, contents: Iterable[str]) -> None:
        """Count contents that were written meanwhile, each by its words; "" is none."""
        with self._guard:
            for words in contents:
                if words:
                    self._statistics.add(words.split(" "))

    def statistics_of(self, digests: Collection[str]) -> Statistics:
        """The statistics of some contents alone: those that were known at a moment of the past."""
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = self._tables.read_contents(("hash", "words"))
        return _count(rows.filter(pc.is_in(rows.column("hash"), value_set=pa.array(list(digests), pa.string()))))

    def search(
        self, text: str, limit: int, owners: Callable[[str], Sequence[str]], statistics: Statistics | None = None
    ) -> dict[str, float]:
        """BM25 by memory id, best first, at most `limit`.

        Args:
            owners: the ids a content (hash) stands for; none of them when it must not be found.
            statistics: what to weigh words by; that of all contents by default.
        """
        statistics = self._statistics if statistics is None else statistics
        terms = [term for term in dict.fromkeys(stems(text)) if statistics.holding.get(term)]
        if not terms or limit <= 0:
            return {}
        if len(terms) > _MAX_TERMS:
            terms = sorted(terms, key=lambda term: (-statistics.weight(term), term))[:_MAX_TERMS]
        fetch = max(_LEAST_FETCH, _FETCH_EACH * limit)
        while True:
            rows = self._candidates(terms, fetch)
            found: dict[str, float] = {}
            for digest, words in zip(rows.column("hash").to_pylist(), rows.column("words").to_pylist(), strict=True):
                ids = owners(digest)
                if ids and (score := statistics.score(terms, words.split(" "))) > 0:
                    found.update(dict.fromkeys(ids, score))
            if len(found) >= limit or len(rows) < fetch:
                newest_first = sorted(found, reverse=True)  # ids begin with their moment
                best = sorted(newest_first, key=lambda memory: -found[memory])[:limit]
                return {memory: found[memory] for memory in best}
            fetch *= 4  # most of them were retired

    def _candidates(self, terms: Sequence[str], count: int) -> pa.Table:
        from lancedb.query import MatchQuery

        match: Any = MatchQuery
        query = match(" ".join(terms), "words")  # no query language: a stem can't be an operator
        table = self._tables.open(CONTENTS)
        return table.search(query, query_type="fts").select(["hash", "words", "_score"]).limit(count).to_arrow()


def _indexed_rows(table: Any) -> int:
    """How many rows the index of the words has taken in; 0 without an index."""
    for index in table.list_indices():
        if list(index.columns) == ["words"]:
            statistics = table.index_stats(index.name)
            return 0 if statistics is None else int(statistics.num_indexed_rows)
    return 0


def _count(rows: pa.Table) -> Statistics:
    """The statistics of all contents (hash, words), by columns; a content written twice counts once."""
    import pyarrow.compute as pc

    rows = rows.filter(pc.not_equal(rows.column("words"), "")).combine_chunks()
    out = Statistics()
    if len(rows) == 0:
        return out
    digests = rows.column("hash").combine_chunks().dictionary_encode()
    if len(digests.dictionary) < len(rows):
        rows = rows.take(np.unique(digests.indices.to_numpy(), return_index=True)[1])
    lists = pc.split_pattern(rows.column("words").combine_chunks(), " ")
    words = lists.flatten().dictionary_encode()
    names = words.dictionary.to_pylist()
    owner = lists.value_parent_indices().to_numpy().astype(np.int64)
    pairs = np.sort(owner * len(names) + words.indices.to_numpy())  # sorted by hand: `unique` takes ten times as long
    once = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]  # a word counts once a content
    holding = np.bincount(once % len(names), minlength=len(names))
    out.documents, out.words = len(rows), len(owner)
    out.holding = dict(zip(names, holding.tolist(), strict=True))
    return out
