"""The skills of a memory as rows to look at and to search: words, vectors and strengths, kept up with the ledger."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from memtui.errors import InputError
from memtui.memory.frame import Floats, Vectors
from memtui.memory.laws.strength import Stage
from memtui.memory.model import Memory
from memtui.memory.moments import NEVER_US, from_us, to_us
from memtui.memory.skill import Draft, body_text, parse_body, searched_text
from memtui.memory.skill_search import Ranking, WordIndex, is_near, near_pairs, overlap, rank, words_share
from memtui.memory.texts import content_hash, one_line, same_key
from memtui.memory.words import stems
from memtui.minds.offline.embedder import DIMS, NAME, LocalEmbedder
from memtui.skills.keeper import Keeper
from memtui.skills.view import Found, Near, Skill

_QUERY: int = 2_000
"""Characters of a query that are searched for."""


class Shelf:
    """Reads the skills of a keeper; writes nothing. Searching may be done in a thread."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self._stems: dict[str, tuple[str, ...]] = {}  # by content hash
        self._stem_sets: dict[str, frozenset[str]] = {}
        self._titles: dict[str, str] = {}
        self._vectors: dict[str, Vectors] = {}  # by content hash, the local embedder's
        self._embedder: LocalEmbedder | None = None
        self._lock = threading.Lock()
        self._indexes: dict[tuple[str, ...], WordIndex] = {}

    # -- looking

    def memories(self) -> list[Memory]:
        """The memories that are skills, in the order they were learned."""
        frame = self.keeper.store.frame
        rows = (frame.memories[row] for row in np.flatnonzero(frame.skill).tolist())
        return [memory for memory in rows if memory.id in frame]

    def in_recall(self) -> list[Memory]:
        """The skills that are not archived now."""
        frame = self.keeper.store.frame
        archived = self.keeper.law.out_of_recall(frame, to_us(self.keeper.clock.now()))
        return [frame.memories[row] for row in np.flatnonzero(frame.skill & frame.active & ~archived).tolist()]

    def draft(self, memory: Memory) -> Draft:
        """A skill's words, with its slug and outcome."""
        words = parse_body(self.keeper.store.text(memory.content))
        assert memory.skill is not None
        return Draft(words.title, words.trigger, words.steps, words.lessons, memory.skill.outcome, memory.skill.slug)

    def strengths(self, memories: Sequence[Memory]) -> Floats:
        """What the law leaves of each now: float64 (n,)."""
        frame = self.keeper.store.frame
        left = self.keeper.law.strength.retention(frame, to_us(self.keeper.clock.now()))
        return left[np.array([frame.row(memory.id) for memory in memories], np.int64)]

    def stage(self, memory: Memory) -> Stage:
        """Active, stale or archived now. What is pinned is never archived; what was retired is."""
        if not memory.active:
            return Stage.ARCHIVED
        stage = self.keeper.law.strength.stage(memory, to_us(self.keeper.clock.now()))
        return Stage.STALE if memory.pinned and stage is Stage.ARCHIVED else stage

    def skills(self, memories: Sequence[Memory]) -> list[Skill]:
        """These memories as they stand now."""
        if not memories:
            return []
        frame = self.keeper.store.frame
        ends = self.keeper.law.strength.dies_at(frame)
        left: list[float] = self.strengths(memories).tolist()
        return [self._skill(memory, s, int(ends[frame.row(memory.id)])) for memory, s in zip(memories, left, strict=True)]

    def _skill(self, memory: Memory, strength: float, ends_us: int) -> Skill:
        draft, mark, stage = self.draft(memory), memory.skill, self.stage(memory)
        assert mark is not None
        return Skill(
            id=memory.id,
            slug=mark.slug,
            title=draft.title,
            trigger=draft.trigger,
            steps=draft.steps,
            lessons=draft.lessons,
            outcome=mark.outcome,
            trust=mark.trust,
            origin=mark.origin,
            strength=strength,
            stage=stage,
            uses=memory.recalls,
            worked=mark.worked,
            failed=mark.failed,
            pinned=memory.pinned,
            created_at=memory.created_at,
            last_used=memory.last_recall,
            archive_at=None if stage is Stage.ARCHIVED or ends_us >= NEVER_US else from_us(ends_us),
        )

    def resolve(self, reference: str) -> Memory:
        """The skill a slug, an id, a handle such as `m31`, or words of exactly one title name.

        Raises:
            InputError: none or several match.
        """
        wanted, memories = reference.strip(), self.memories()
        frame = self.keeper.store.frame
        for memory in memories:
            handle = f"m{frame.row(memory.id) + 1:02d}"
            if memory.skill is not None and wanted in (memory.skill.slug, memory.id, handle):
                return memory
        key = same_key(wanted)
        hits = [memory for memory in memories if key and key in self._title_of(memory)]
        best = [memory for memory in hits if memory.active] or hits
        if len(best) == 1:
            return best[0]
        problem = "No skill matches" if not best else f"{len(best)} skills match"
        raise InputError(f"{problem} '{one_line(wanted, 40)}'.", todo="Name it by its slug; `memtui skill list` shows them.")

    # -- searching

    def search(self, query: str, limit: int, *, meaning: bool = True) -> list[Found]:
        """The best `limit` skills that are not archived for a query, relevant or not, best first."""
        memories = self.in_recall()
        if not memories:
            return []
        found = self._ranked(memories, query[:_QUERY], limit, meaning)
        shown = self.skills([memories[row] for row in found.rows.tolist()])
        parts = zip(shown, found.score, found.words, found.meaning, found.passed, strict=True)
        return [Found(skill, float(s), float(w), float(m), bool(p)) for skill, s, w, m, p in parts]

    def _ranked(self, memories: list[Memory], query: str, limit: int, meaning: bool) -> Ranking:
        with self._lock:
            words = words_share(self._word_index(memories), stems(query))
            cosine = self._matrix(memories) @ self._embed([query])[0] if meaning else None
        return rank(words, cosine, self.strengths(memories), limit)

    def similar(self, draft: Draft, *, but: str = "") -> list[Memory]:
        """Skills that say nearly the same as a draft, the nearest first; `but` is the id of one that is passed over."""
        memories = [memory for memory in self.memories() if memory.id != but]
        if not memories:
            return []
        own, key = frozenset(stems(body_text(draft))), same_key(draft.title)
        with self._lock:
            cosines = self._matrix(memories) @ self._embed([searched_text(draft)])[0]
            shared = [overlap(own, self._stem_set(memory)) for memory in memories]
        titles = [self._title_of(memory) for memory in memories]
        near = [
            (float(cosine) + words, memory)
            for memory, cosine, words, title in zip(memories, cosines, shared, titles, strict=True)
            if title == key or is_near(float(cosine), words)
        ]
        return [memory for _, memory in sorted(near, key=lambda pair: -pair[0])]

    def duplicates(self) -> list[Near]:
        """Pairs of skills that say nearly the same, archived ones left out, the nearest first."""
        memories = [memory for memory in self.memories() if self.stage(memory) is not Stage.ARCHIVED]
        if len(memories) < 2:
            return []
        with self._lock:
            pairs = near_pairs(self._matrix(memories), [self._stem_set(memory) for memory in memories])
        named = dict.fromkeys(row for one, other, _, _ in pairs for row in (one, other))
        shown = dict(zip(named, self.skills([memories[row] for row in named]), strict=True))
        return [Near(shown[one], shown[other], cosine, words) for one, other, cosine, words in pairs]

    # -- words and vectors

    def index_and_vectors(self, memories: Sequence[Memory]) -> tuple[WordIndex, Vectors]:
        """The index of their words (the very object as long as they say the same), and their vectors: float32 (n, dims)."""
        with self._lock:
            return self._word_index(memories), self._matrix(memories)

    def vector_of(self, draft: Draft) -> tuple[str, Vectors]:
        """The content hash of a draft and its vector by the local embedder: float32 (dims,)."""
        digest = content_hash(body_text(draft))
        with self._lock:
            self._vectors[digest] = vector = self._embed([searched_text(draft)])[0]
        return digest, vector

    def _word_index(self, memories: Sequence[Memory]) -> WordIndex:
        key = tuple(memory.content for memory in memories)
        found = self._indexes.get(key)
        if found is None:
            while len(self._indexes) > 1:  # one with those whose time is up, one without
                del self._indexes[next(iter(self._indexes))]
            found = self._indexes[key] = WordIndex([self._stems_of(memory) for memory in memories])
        return found

    def _stems_of(self, memory: Memory) -> tuple[str, ...]:
        found = self._stems.get(memory.content)
        if found is None:
            found = self._stems[memory.content] = tuple(stems(self.keeper.store.text(memory.content)))
        return found

    def _stem_set(self, memory: Memory) -> frozenset[str]:
        found = self._stem_sets.get(memory.content)
        if found is None:
            found = self._stem_sets[memory.content] = frozenset(self._stems_of(memory))
        return found

    def _title_of(self, memory: Memory) -> str:
        """What two titles must share to be the same."""
        found = self._titles.get(memory.content)
        if found is None:
            found = self._titles[memory.content] = same_key(self.draft(memory).title)
        return found

    def _matrix(self, memories: Sequence[Memory]) -> Vectors:
        frame = self.keeper.store.frame
        if self.keeper.mind.embedder.name == NAME:
            rows = np.array([frame.row(memory.id) for memory in memories], np.int64)
            out: Vectors = frame.vectors[rows]
            lacking = np.flatnonzero(~out.any(axis=1)).tolist()
        else:
            out, lacking = np.zeros((len(memories), DIMS), np.float32), list(range(len(memories)))
        todo = [row for row in lacking if memories[row].content not in self._vectors]
        if todo:
            made = self._embed([searched_text(self.draft(memories[row])) for row in todo])
            self._vectors.update((memories[row].content, vector) for row, vector in zip(todo, made, strict=True))
        for row in lacking:
            out[row] = self._vectors[memories[row].content]
        return out

    def _embed(self, texts: list[str]) -> Vectors:
        """By the local embedder, whoever embeds the rest: a skill never asks a model."""
        own = self.keeper.mind.embedder
        if self._embedder is None:
            self._embedder = own if isinstance(own, LocalEmbedder) else LocalEmbedder()
        return self._embedder.embed_now(texts)
