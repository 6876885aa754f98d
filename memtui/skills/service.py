"""The skills of an open memory: everything the commands, the screen and the MCP server do with them goes through here.

Writing never asks a model: a skill is words the writer chose, and its vector is made by the local embedder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from memtui.errors import InputError
from memtui.memory.events import Body, Created, Edited, Learned, Pinned, Practised, Recalled, Restored, Retired, Trusted
from memtui.memory.frame import Vectors
from memtui.memory.ids import make_id
from memtui.memory.laws.strength import Stage
from memtui.memory.ledger import canonical
from memtui.memory.model import Kind, Memory, Outcome, RetireReason, Trust
from memtui.memory.skill import Draft, body_text, checked, searched_text, slug_of
from memtui.memory.texts import clean, content_hash, mask_secrets, one_line
from memtui.minds.offline.embedder import NAME
from memtui.skills.archive import write_archive
from memtui.skills.keeper import Keeper
from memtui.skills.keeping import SnapshotKeeper
from memtui.skills.shelf import Shelf
from memtui.skills.view import Decayed, Found, Learnt, Near, Skill

YOU = "you"
"""The origin of what the person wrote; whatever else is untrusted unless it is said otherwise."""
IMPORTANCE = 0.7
"""The importance of a skill among memories: what a person asked to keep."""


class Skills:
    """The skills of a companion's memory.

    References are slugs, ids, `m31` handles or words that match exactly one skill. What other processes wrote is taken in
    first by everything that is awaited; `listed` and `get` show what is in memory: `await refresh()` before if others write.
    """

    def __init__(self, keeper: Keeper, folder: Path | None = None) -> None:
        """Args:
        folder: where the snapshot and the archive are kept; None keeps neither (a scratch memory).
        """
        self.keeper = keeper
        self.shelf = Shelf(keeper)
        self.snapshot = SnapshotKeeper(keeper, self.shelf)
        self.folder = folder

    @property
    def folder(self) -> Path | None:
        """Where the snapshot and the archive are kept."""
        return self.snapshot.folder

    @folder.setter
    def folder(self, folder: Path | None) -> None:
        self.snapshot.folder = folder

    # -- writing

    async def learn(self, draft: Draft, *, trust: Trust | None = None, origin: str = YOU, force: bool = False) -> Learnt:
        """Keep a skill. One that says nearly the same is reported instead, unless `force`.

        Args:
            trust: None trusts what `YOU` wrote and nothing else.

        Raises:
            InputError: the draft can't be kept; its slug is taken.
        """
        draft, origin = checked(draft), _origin(origin)
        await self.refresh()
        similar = [] if force else await asyncio.to_thread(self.shelf.similar, draft)
        if similar:
            return Learnt(None, tuple(self.shelf.skills(similar)))
        draft = replace(draft, slug=self._free_slug(draft))
        trust = trust or (Trust.TRUSTED if origin == YOU else Trust.UNTRUSTED)
        now, store = self.keeper.clock.now(), self.keeper.store
        texts, vectors, digest = await self._content(draft)
        memory = make_id(now, "skill", draft.slug, digest, store.head.length)
        born = Created(
            memory=memory,
            kind=Kind.PROCEDURAL,
            content=digest,
            note=None,
            importance=IMPORTANCE,
            created_at=now,
            valid_from=now,
            last_recall=now,
        )
        mark = Learned(memory, draft.slug, draft.outcome, trust, origin)
        await self.keeper.change([born, mark], _learn_line(draft), texts=texts, vectors=vectors)
        return Learnt(self.get(memory))

    async def update(
        self,
        reference: str,
        *,
        title: str | None = None,
        trigger: str | None = None,
        steps: str | None = None,
        lessons: str | None = None,
        outcome: Outcome | None = None,
        slug: str | None = None,
        origin: str = YOU,
    ) -> Skill:
        """Change what a skill says; None leaves a field as it is, and the old words stay in its history.

        What somebody else than `YOU` changes is untrusted again.

        Raises:
            InputError: no such skill, or the result can't be kept.
        """
        memory = await self._known(reference)
        before, origin = self.shelf.draft(memory), _origin(origin)
        draft = checked(
            Draft(
                before.title if title is None else title,
                before.trigger if trigger is None else trigger,
                before.steps if steps is None else steps,
                before.lessons if lessons is None else lessons,
                before.outcome if outcome is None else outcome,
                before.slug if slug is None else slug,
            )
        )
        if draft.slug != before.slug:
            draft = replace(draft, slug=self._free_slug(draft))
        if draft == before:
            return self.get(memory.id)
        assert memory.skill is not None
        trust = memory.skill.trust if origin == YOU else Trust.UNTRUSTED
        author = memory.skill.origin if origin == YOU else origin
        texts, vectors, digest = await self._content(draft)
        bodies: list[Body] = [Edited(memory.id, digest)] if digest != memory.content else []
        bodies.append(Learned(memory.id, draft.slug, draft.outcome, trust, author))
        line = f"/skill update {before.slug} {canonical(_words(draft))}"
        await self.keeper.change(bodies, line, texts=texts, vectors=vectors)
        return self.get(memory.id)

    async def reinforce(self, reference: str, *, worked: bool = True, note: str = "") -> Skill:
        """Report that a skill was used: strength +0.15 when it worked, x0.7 when it failed; it is active again.

        Raises:
            InputError: no such skill, or it is archived.
        """
        memory = await self._known(reference)
        assert memory.skill is not None
        if self.shelf.stage(memory) is Stage.ARCHIVED:
            slug = memory.skill.slug
            raise InputError(f"The skill '{slug}' is archived.", todo=f"Bring it back with `memtui skill restore {slug}`.")
        note = mask_secrets(clean(note).strip())[0]
        digest = content_hash(note) if note else None
        line = f"/skill {'worked' if worked else 'failed'} {memory.skill.slug} {note}".rstrip()
        texts = {digest: note} if digest is not None else {}
        await self.keeper.change([Practised(memory.id, worked, digest)], line, texts=texts)
        return self.get(memory.id)

    async def used(self, references: Sequence[str], turn: str) -> None:
        """Say that skills were given to somebody: they count as used, their strength is what it was."""
        memories = [await self._known(reference) for reference in references]
        ids = tuple(dict.fromkeys(m.id for m in memories if self.shelf.stage(m) is not Stage.ARCHIVED))
        if ids:
            await self.keeper.change([Recalled(ids, turn)], f"/skill used {' '.join(ids)}")

    async def pin(self, reference: str, pinned: bool = True) -> Skill:
        """Pin or unpin: a pinned skill is never archived."""
        memory = await self._known(reference)
        if memory.pinned != pinned:
            await self.keeper.change([Pinned(memory.id, pinned)], f"/{'pin' if pinned else 'unpin'} {memory.id}")
        return self.get(memory.id)

    async def approve(self, reference: str, trust: Trust = Trust.TRUSTED, *, by: str = YOU) -> Skill:
        """Stand behind an untrusted skill, or take that back."""
        memory = await self._known(reference)
        if memory.skill is not None and memory.skill.trust is not trust:
            verb = "approve" if trust is Trust.TRUSTED else "distrust"
            await self.keeper.change([Trusted(memory.id, trust, _origin(by))], f"/skill {verb} {memory.skill.slug}")
        return self.get(memory.id)

    async def archive(self, reference: str, note: str = "") -> Skill:
        """Take a skill out of recall now; it is written in full to the archive first, and can be restored."""
        memory = await self._known(reference)
        if memory.active:
            assert memory.skill is not None
            why = mask_secrets(clean(note).strip())[0] or "you archived it"
            await asyncio.to_thread(write_archive, self.folder, self.shelf.skills([memory]), self.keeper.clock.now(), why)
            body = Retired(memory.id, RetireReason.ARCHIVED, note=content_hash(why))
            line = f"/skill archive {memory.skill.slug} {note}".rstrip()
            await self.keeper.change([body], line, texts={content_hash(why): why})
        return self.get(memory.id)

    async def restore(self, reference: str) -> Skill:
        """Bring an archived skill back: it is active, and counts as used now."""
        memory = await self._known(reference)
        assert memory.skill is not None
        if not memory.active or self.shelf.stage(memory) is Stage.ARCHIVED:
            await self.keeper.change([Restored(memory.id)], f"/skill restore {memory.skill.slug}")
        return self.get(memory.id)

    async def decay(self) -> Decayed:
        """Archive what nobody used for so long (written in full first) and bring the snapshot up to date."""
        await self.refresh()
        due = self._due()
        shown, file = self.shelf.skills(due), ""
        if due:
            bodies, texts, file = await self._archiving(due, self.keeper.clock.now())
            await self.keeper.change(bodies, "/skill decay", texts=texts)
        await self.snapshot.write()
        stages = [skill.stage for skill in self.listed()]
        return Decayed(tuple(shown), stages.count(Stage.STALE), stages.count(Stage.ACTIVE), file)

    async def tidy(self, at: datetime) -> None:
        """What a night does: archive what is due. For a keeper that holds its own lock; nothing is noted for a replay."""
        due = self._due()
        if due:
            bodies, texts, _ = await self._archiving(due, at)
            block = make_id(at, "archive", self.keeper.store.head.length)
            await self.keeper.store.append_async(bodies, at=at, block=block, texts=texts)

    async def embed_lacking(self) -> int:
        """Give skills that have none a vector by the memory's own embedder, for recall in a chat; returns how many.

        Where an endpoint embeds, writing a skill does not call it; the next turn, which does anyway, makes up for it.

        Raises:
            MindError: the embedder did not answer.
        """
        store, frame = self.keeper.store, self.keeper.store.frame
        if self.keeper.mind.embedder.name == NAME or not frame.skill.any():
            return 0
        rows = np.flatnonzero(frame.skill & frame.active & ~frame.vectors.any(axis=1)).tolist()
        texts = {frame.memories[row].content: searched_text(self.shelf.draft(frame.memories[row])) for row in rows}
        if texts:
            made = await self.keeper.mind.embedder.embed(list(texts.values()))
            await store.add_vectors_async(dict(zip(texts, made, strict=True)))
        return len(texts)

    # -- reading

    async def refresh(self) -> bool:
        """Take in what other processes wrote; True if anything came."""
        return await self.keeper.store.refresh_async()

    def listed(self, *, archived: bool = False) -> list[Skill]:
        """All skills by strength, the strongest first; archived ones too if asked."""
        skills = self.shelf.skills(self.shelf.memories())
        kept = [skill for skill in skills if archived or not skill.archived]
        return sorted(kept, key=lambda skill: (skill.archived, -skill.strength, skill.slug))

    def get(self, reference: str) -> Skill:
        """The skill a reference names, archived ones included.

        Raises:
            InputError: none or several match.
        """
        return self.shelf.skills([self.shelf.resolve(reference)])[0]

    async def recall(self, query: str, limit: int = 5, *, everything: bool = False, meaning: bool = True) -> list[Found]:
        """The skills that help with `query`, best first; only relevant ones unless `everything`. Writes nothing.

        Args:
            meaning: False searches words alone.
        """
        await self.refresh()
        found = await asyncio.to_thread(self.shelf.search, clean(query), limit, meaning=meaning)
        return [item for item in found if everything or item.passed]

    async def similar(self, draft: Draft) -> list[Skill]:
        """Skills that say nearly the same as a draft, the nearest first."""
        await self.refresh()
        return self.shelf.skills(await asyncio.to_thread(self.shelf.similar, checked(draft)))

    async def duplicates(self) -> list[Near]:
        """Pairs of skills that say nearly the same, the nearest first."""
        await self.refresh()
        return await asyncio.to_thread(self.shelf.duplicates)

    # -- inside

    async def _known(self, reference: str) -> Memory:
        await self.refresh()
        return self.shelf.resolve(reference)

    def _free_slug(self, draft: Draft) -> str:
        taken = {memory.skill.slug for memory in self.shelf.memories() if memory.skill is not None}
        if not draft.slug:
            return slug_of(draft.title, taken)
        if draft.slug in taken:
            raise InputError(
                f"There is a skill '{draft.slug}' already.",
                safe="Nothing was kept.",
                todo="Choose another slug, or update it.",
            )
        return draft.slug

    async def _content(self, draft: Draft) -> tuple[dict[str, str], dict[str, Vectors], str]:
        """The draft's text by its hash, and its vector for the store where that costs no call (see `embed_lacking`)."""
        digest, vector = await asyncio.to_thread(self.shelf.vector_of, draft)
        mind = self.keeper.mind
        vectors: dict[str, Vectors] = {}
        if mind.embedder.name == NAME:
            vectors[digest] = vector
        elif mind.local:
            vectors[digest] = (await mind.embedder.embed([searched_text(draft)]))[0]
        return {digest: body_text(draft)}, vectors, digest

    def _due(self) -> list[Memory]:
        return [memory for memory in self.shelf.memories() if memory.active and self.shelf.stage(memory) is Stage.ARCHIVED]

    async def _archiving(self, due: Sequence[Memory], at: datetime) -> tuple[list[Body], dict[str, str], str]:
        """What archives these skills; they are written in full to the archive before."""
        days = self.keeper.law.strength.archive_days
        why = f"unused for {days:g} days"
        file = await asyncio.to_thread(write_archive, self.folder, self.shelf.skills(due), at, why)
        digest = content_hash(why)
        bodies: list[Body] = [Retired(memory.id, RetireReason.ARCHIVED, note=digest) for memory in due]
        return bodies, {digest: why}, file


def _origin(origin: str) -> str:
    return one_line(clean(origin), 60) or "unknown"


def _words(draft: Draft) -> dict[str, str]:
    fields = ("title", "trigger", "steps", "lessons", "slug")
    words = {name: getattr(draft, name) for name in fields if getattr(draft, name)}
    return words | {"outcome": draft.outcome.value}


def _learn_line(draft: Draft) -> str:
    """The command that learns the same again, on one line, for a replay."""
    return f"/learn {canonical(_words(draft))}"
