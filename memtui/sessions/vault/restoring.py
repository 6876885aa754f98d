"""Taking a vault in: the same ledger into an empty home, missing records into any other; edits and notes on top.

What comes from a file is nobody's word yet: skills taken in are untrusted until somebody approves them, unless the caller
says that they are to be trusted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.chat.turning import place
from memtui.errors import InputError
from memtui.memory.events import Body, Created, Event, Learned, Retired, Turned
from memtui.memory.ids import make_id
from memtui.memory.ledger import GENESIS, event_hash
from memtui.memory.model import Candidate, Kind, Memory, RetireReason, Trust
from memtui.memory.skill import parse_body, slug_of, text_to_embed
from memtui.memory.state import fold
from memtui.memory.texts import clean, content_hash, mask_secrets
from memtui.sessions.restoring import Exported, append_exported, distrust_new, goes_on
from memtui.sessions.vault.obsidian import told_by
from memtui.sessions.vault.reading import Vault, read_vault
from memtui.sessions.vault.records import Record

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress

ORIGIN: Final = "vault"
"""Who wrote a skill that came from a note."""
_NOTE_IMPORTANCE: Final = 0.5
_AT_ONCE: Final = 200
"""Records that are added as one block."""


@dataclass
class VaultReport:
    """What taking a vault in did, or with `dry_run` would do.

    Attributes:
        records: records of ours in the vault.
        restored: events of the same ledger that were appended.
        added: records that were made anew, for the home has memories of its own.
        edited: records whose body somebody had changed.
        notes: other notes; `made` memories and `skills` came of them.
        similar: notes that say nearly what a skill says already, by name: they were not taken.
        untrusted: skills that wait for approval now.
        problems: files that were not used, and why.
    """

    folder: Path
    records: int = 0
    restored: int = 0
    added: int = 0
    edited: int = 0
    notes: int = 0
    made: int = 0
    skills: int = 0
    untrusted: int = 0
    similar: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    dry_run: bool = False

    @property
    def sentence(self) -> str:
        """The summary line."""
        if self.dry_run:
            return f"{self.folder}: {self.records} records and {self.notes} notes would be looked at; nothing was changed."
        parts = [f"{self.folder}: {self.records} records, {self.notes} notes"]
        parts += [f"{self.restored} events restored"] if self.restored else []
        parts += [f"{self.added} records added"] if self.added else []
        parts += [f"{self.edited} edits taken in"] if self.edited else []
        parts += [f"{self.made} memories and {self.skills} skills made of notes"] if self.made or self.skills else []
        parts += [f"{len(self.similar)} notes are much like skills that are there"] if self.similar else []
        parts += [f"{self.untrusted} skills wait for approval (`memtui skill list`)"] if self.untrusted else []
        parts += [f"{len(self.problems)} files were not used"] if self.problems else []
        return "; ".join(parts) + "."


async def import_vault(
    folder: Path, companion: Companion, *, trust: bool = False, dry_run: bool = False, progress: Progress | None = None
) -> VaultReport:
    """Take in a vault that memtui wrote, or any folder of Markdown notes. Doing it again adds nothing.

    Args:
        trust: leave skills as trusted as the vault says; otherwise those taken in are untrusted.

    Raises:
        InputError: there is no Markdown file in it.
        StoreError: memory can't be written; what was taken in before stays.
    """
    vault = await asyncio.to_thread(read_vault, folder)
    report = VaultReport(folder, len(vault.records), notes=len(vault.notes), problems=vault.problems, dry_run=dry_run)
    if not dry_run:
        await companion.store.refresh_async()
        await _Taking(vault, companion, report, trust).run(progress)
    return report


class _Taking:
    """One vault on its way into a memory."""

    def __init__(self, vault: Vault, companion: Companion, report: VaultReport, trust: bool) -> None:
        self.vault, self.companion, self.report, self.trust = vault, companion, report, trust
        self.skills = companion.skills
        self.as_exported: Mapping[str, Memory] = {}
        self.slugs: set[str] = set()

    async def run(self, progress: Progress | None) -> None:
        before = set(self.companion.store.state.memories)
        exported = _whole(self.vault)
        if exported is not None and goes_on(exported, self.companion.store):
            companion = self.companion
            self.report.restored = await append_exported(exported, companion.store, companion.mind.embedder, progress)
            self._catch_up_clock()
        else:
            self.as_exported = _folded(self.vault)
            known = self.companion.store.state.memories.values()
            self.slugs = {memory.skill.slug for memory in known if memory.skill is not None}
            new = [record for record in self.vault.records.values() if record.id not in before]
            for start in range(0, len(new), _AT_ONCE):
                await self._add(new[start : start + _AT_ONCE])
        if not self.trust:
            await distrust_new(self.companion, before, ORIGIN)
        for record in self.vault.records.values():
            if record.edited and record.text is not None:
                await self._edit(record)
        for number, name in enumerate(self.vault.notes):
            if progress is not None:
                progress(number / len(self.vault.notes), name)
            await self._note(name)
        self.skills.snapshot.keep()
        self.report.untrusted = sum(
            memory.skill is not None and memory.skill.trust is Trust.UNTRUSTED and memory.id not in before
            for memory in self.companion.store.state.memories.values()
        )

    def _catch_up_clock(self) -> None:
        last = self.companion.store.state.last_at
        if last is not None:
            self.companion.clock.never_before(last)

    # -- records of ours

    async def _add(self, records: Sequence[Record]) -> None:
        """Make records anew in a home that has others, as one block: their text, dates and counts; single uses summed up."""
        store, now = self.companion.store, self.companion.clock.now()
        bodies: list[Body] = []
        texts: dict[str, str] = {}
        contents: dict[str, str] = {}
        for record in records:
            memory, text = self.as_exported.get(record.id), record.text
            if memory is None or text is None:
                self.report.problems.append(f"{self.vault.paths[record.id]}: its text or its history is missing")
                continue
            text = mask_secrets(clean(text))[0] if record.edited else text
            digest = content_hash(text)
            contents[digest] = text
            texts |= {h: t for h, t in record.texts.items() if h in (memory.note, memory.retire_note)}
            bodies += _bodies_of(self._here(replace(memory, content=digest)), texts)
            self.report.added += 1
        rows = await self.companion.mind.embedder.embed([text_to_embed(text) for text in contents.values()])
        vectors = dict(zip(contents, rows, strict=True))
        block = make_id(now, "vault", *(record.id for record in records))
        await store.append_async(bodies, at=now, block=block, texts=texts | contents, vectors=vectors)

    def _here(self, memory: Memory) -> Memory:
        """The memory as it may be in this home: under a slug no skill has, and trusted only if the caller says so."""
        mark = memory.skill
        if mark is None:
            return memory
        slug = slug_of(mark.slug, self.slugs) if mark.slug in self.slugs else mark.slug
        self.slugs.add(slug)
        return replace(memory, skill=replace(mark, slug=slug, trust=mark.trust if self.trust else Trust.UNTRUSTED))

    async def _edit(self, record: Record) -> None:
        """Take in what somebody wrote into the body of a record; an old vault's text is not the newer one."""
        store = self.companion.store
        memory, text = store.state.memories.get(record.id), record.text
        if memory is None or text is None:
            return
        text = mask_secrets(clean(text))[0]
        if content_hash(text) == memory.content or memory.content != record.content:
            return
        if memory.skill is not None:
            draft = parse_body(text)
            try:
                await self.skills.update(
                    memory.id,
                    title=draft.title,
                    trigger=draft.trigger,
                    steps=draft.steps,
                    lessons=draft.lessons,
                    origin=ORIGIN,
                )
            except InputError as error:
                self.report.problems.append(f"{self.vault.paths[record.id]}: {error.what}")
                return
        else:
            await self.companion.edit(memory.id, text=text)
        self.report.edited += 1

    # -- notes of people

    async def _note(self, name: str) -> None:
        note, changed = self.vault.notes[name]
        companion, store = self.companion, self.companion.store
        now = companion.clock.now()
        told = told_by(name, note, changed, now)
        if told.cut:
            self.report.problems.append(f"{name}: only its first pieces were taken")
        turn = make_id(told.at, "note", name, content_hash(note.body))
        if turn in store.state.turns or not (told.pieces or told.skill):
            return
        if told.skill is not None:
            try:
                learnt = await self.skills.learn(told.skill, origin=ORIGIN)
            except InputError as error:
                self.report.problems.append(f"{name}: {error.what}")
                return
            self.report.skills += learnt.skill is not None
            self.report.similar += [name] if learnt.skill is None else []
            if learnt.skill is not None:
                await store.append_async([Turned(turn, ORIGIN)], at=now, block=make_id(now, "vault", turn))
            return
        why = f"from the note {name}"
        candidates = [Candidate(text, Kind.SEMANTIC, _NOTE_IMPORTANCE, why, text, told.at) for text in told.pieces]
        placed = await place(companion, candidates, turn, told.at)
        block = make_id(now, "vault", turn)
        new = (replace(body, last_recall=now) if isinstance(body, Created) else body for body in placed.bodies)
        bodies: Sequence[Body] = [Turned(turn, ORIGIN), *new]  # read now: an old note must not fade before it was seen
        await store.append_async(bodies, at=now, block=block, texts=placed.texts, vectors=placed.vectors)
        self.report.made += len(placed.created)


def _whole(vault: Vault) -> Exported | None:
    """The whole ledger of a vault, if every event is there and the chain holds; else None."""
    events = vault.events
    if events is None:
        return None
    exported = Exported(len(events), vault.head)
    prev = GENESIS
    for event in events:
        if event_hash(prev, event.seq, event.at, event.block, event.body) != event.hash:
            return None
        prev = event.hash
        entry = (event.at, event.block, event.body, event.hash)
        if exported.blocks and exported.blocks[-1][-1][1] == event.block:
            exported.blocks[-1].append(entry)
        else:
            exported.blocks.append([entry])
    if prev != vault.head:
        return None
    exported.texts.update(vault.texts)
    for record in vault.records.values():
        exported.texts.update(record.texts)
        if record.text is not None and not record.edited:
            exported.texts[record.content] = record.text
    return exported


def _folded(vault: Vault) -> Mapping[str, Memory]:
    """The memories as they were when the vault was written, as far as its events are there; what was undone is left out."""
    placed = {event.seq: event for record in vault.records.values() for event in record.events}
    placed |= {event.seq: event for event in vault.rest}
    events = (Event(seq, event.at, event.block, event.body, "", event.hash) for seq, event in sorted(placed.items()))
    return fold(events).memories


def _bodies_of(memory: Memory, texts: dict[str, str]) -> Iterable[Body]:
    """Events that make a memory as it is, in a ledger that does not know it."""
    yield Created(
        memory.id,
        memory.kind,
        memory.content,
        memory.note if memory.note in texts else None,
        memory.importance,
        memory.created_at,
        memory.valid_from,
        memory.last_recall,
        memory.recalls,
        memory.pinned,
        memory.sources,
        memory.merged_from,
        memory.subject,
        memory.slot,
    )
    if memory.skill is not None:
        yield Learned(memory.id, memory.skill.slug, memory.skill.outcome, memory.skill.trust, memory.skill.origin)
    if not memory.active:
        note = memory.retire_note if memory.retire_note in texts else None
        yield Retired(memory.id, memory.retired_reason or RetireReason.FORGOTTEN, memory.retired_by, note)
