"""Giving all memories vectors by another embedder. The old vectors stay, so switching back costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from memtui.errors import StoreError
from memtui.memory.events import Created, Edited
from memtui.memory.frame import Vectors
from memtui.memory.skill import text_to_embed
from memtui.store.journal import Journal
from memtui.store.uris import Place

Embed = Callable[[list[str]], Vectors]
Progress = Callable[[float, str], None]
_BATCH: Final = 256
"""Texts embedded and written at a time; the write lock is held only while they are written."""


def reembed(place: Place, embedder: str, dims: int, embed: Embed, progress: Progress | None = None) -> int:
    """Append a vector by `embedder` for every memory text that has none by it; returns how many there were.

    It can be stopped at any time and started again: what is embedded stays so.

    Raises:
        StoreError: the store can't be read or written, or `embed` gave vectors of a wrong shape.
    """
    journal = Journal(place, embedder=embedder, dims=dims)
    journal.open()
    try:
        total = done = 0
        while todo := _without_vector(journal):
            total = done + len(todo)
            for start in range(0, len(todo), _BATCH):
                part = todo[start : start + _BATCH]
                vectors = _embedded([text_to_embed(journal.contents.texts[digest]) for digest in part], embed, dims)
                journal.add_vectors(dict(zip(part, vectors, strict=True)))
                done += len(part)
                if progress is not None:
                    progress(done / total, f"{done} of {total} memories embedded by {embedder}")
            journal.take_foreign()  # what others kept meanwhile has no such vector yet
        return done
    finally:
        journal.close()


def _without_vector(journal: Journal) -> list[str]:
    """Hashes of the texts of all memories there ever were that lack a vector."""
    contents = journal.contents
    named: Iterable[str | None] = (e.body.content for e in journal.events if isinstance(e.body, Created | Edited))
    with_text = [digest for digest in dict.fromkeys(named) if digest and contents.texts.get(digest)]
    return [digest for digest in with_text if not contents.has_vector(digest)]


def _embedded(texts: list[str], embed: Embed, dims: int) -> Vectors:
    vectors = np.asarray(embed(texts), np.float32)
    if vectors.shape != (len(texts), dims) or not np.isfinite(vectors).all():
        raise StoreError(
            f"The embedder gave an array of shape {vectors.shape}, not ({len(texts)}, {dims}), or no numbers.",
            safe="What was embedded before stays; the old vectors are untouched.",
            todo="See what the embedder answers with memtui doctor.",
        )
    return vectors
