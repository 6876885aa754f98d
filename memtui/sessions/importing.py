"""Taking conversations from elsewhere into a home: a session with its turns, and memories with their own dates.

What can be imported: a LoCoMo file (one of its conversations by number), a memtui session, an export of memories. The
session file being written is the journal of the import: what the mind found in a turn stands there before the turn's
events are appended, so an import that was killed goes on where it stopped, asks nothing twice and adds nothing twice.
"""

from __future__ import annotations

import asyncio
import glob
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeGuard

from memtui.chat.turning import place
from memtui.errors import InputError
from memtui.memory.events import Body, Turned
from memtui.memory.ids import ID_PATTERN, make_id
from memtui.memory.model import Candidate, Kind
from memtui.memory.moments import to_us
from memtui.memory.texts import clean, content_hash, mask_secrets, same_key
from memtui.minds.recorded import candidates_from_response, to_response
from memtui.sessions.export import MEMORIES_FORMAT
from memtui.sessions.format import parse_session, read_bytes, read_session
from memtui.sessions.lines import AssistantTurn, CommandLine, Json, Line, MindCall, Probe, Session, UserTurn
from memtui.sessions.locomo import Conversation, locomo_conversation, looks_like_locomo
from memtui.sessions.record import SUFFIX, Recorder, file_stem
from memtui.sessions.restoring import distrust_new, import_memories, read_memories

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress

_AFTER: Final = timedelta(minutes=1)
"""How long after its last turn an imported conversation is taken up."""
_ASKED_IMPORTANCE: Final = 0.7
"""Of what a session's `/remember` kept, as in a chat."""
_AT_ONCE: Final = 8
"""Turns an endpoint is asked about at the same time."""
_WHAT: Final = "memtui imports LoCoMo JSON, its own sessions (JSONL) and its own exports of memories (JSONL)."


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do.

    Attributes:
        turns: user turns of the conversation.
        added: turns taken in now (the others were there already).
        created, reinforced: memories made, and told again.
        skipped: commands of the session that were not run.
        clock: simulated moment the home stands at now; None for a dry run.
        faded: memories of this conversation that are below the floor at the home's present moment.
        slept: what the sleep pass at the end did, in a sentence; empty without one.
        session: the session file in the home; None for an export of memories, or a dry run.
        untrusted: skills that came in and wait for approval.
    """

    title: str
    turns: int
    added: int
    created: int
    reinforced: int
    skipped: int = 0
    faded: int = 0
    clock: datetime | None = None
    slept: str = ""
    session: Path | None = None
    dry_run: bool = False
    untrusted: int = 0

    @property
    def sentence(self) -> str:
        """The summary line."""
        if self.dry_run:
            return f"{self.title}: {self.added} of {self.turns} turns would be imported; nothing was changed."
        there = self.turns - self.added
        parts = [f"{self.title}: {self.added} turns imported", f"{self.created} memories made, {self.reinforced} told again"]
        parts += [f"{there} turns were there already"] if there else []
        parts += [f"{self.skipped} commands were not run"] if self.skipped else []
        parts += [f"{self.faded} have faded since; the next sleep prunes them"] if self.faded else []
        parts += [f"{self.untrusted} skills wait for approval (`memtui skill list`)"] if self.untrusted else []
        parts += [f"the clock stands at {self.clock:%d %b %Y, %H:%M} UTC"] if self.clock is not None else []
        return f"{'; '.join(parts)}. {self.slept}".rstrip()


async def import_file(
    path: Path,
    companion: Companion,
    sessions: Path,
    *,
    conversation: int = 0,
    dry_run: bool = False,
    sleep: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import a file into a companion's memory, and its conversation into the folder `sessions`.

    In a home without memories the clock is set to the conversation's end, so that it can be talked about as on the day
    after; in any other home the clock stays and the memories have their own dates. Importing again adds nothing. Cancelling
    the task between two turns leaves what was imported; importing again finishes it.

    Args:
        conversation: number (from 0) of the conversation in a LoCoMo file.
        sleep: end with a sleep pass.
        trust: leave the skills of an export as trusted as it says; else they wait for approval.

    Raises:
        InputError: the file can't be read or is none of the known formats; a key is missing; no such conversation.
        MindError: the mind did not answer; what was imported before stays.
        StoreError: memory or session can't be written.
    """
    found = await asyncio.to_thread(read_importable, path, conversation)
    if found is None:
        report = await _import_export(path, companion, dry_run=dry_run, trust=trust, progress=progress)
    else:
        report = await _Import(companion, sessions, found).run(dry_run=dry_run, progress=progress)
    if sleep and not dry_run:
        return replace(report, slept=(await companion.sleep("import", progress)).sentence)
    return report


async def _import_export(
    path: Path, companion: Companion, *, dry_run: bool, trust: bool, progress: Progress | None
) -> ImportReport:
    store = companion.store
    title = f"Memories of {path.name}"
    if dry_run:
        exported = await asyncio.to_thread(read_memories, path)
        return ImportReport(title, exported.turns, exported.turns, 0, 0, dry_run=True)
    before, known = (len(store.state.turns), len(store.state.memories)), set(store.state.memories)
    await import_memories(path, store, companion.mind.embedder, progress)
    if store.state.offset_s and not before[1]:  # the home that was exported had its own time
        companion.clock.jump_to(companion.clock.wall() + timedelta(seconds=store.state.offset_s))
    if store.state.last_at is not None:
        companion.clock.never_before(store.state.last_at)
    untrusted = 0 if trust else await distrust_new(companion, known, "export")
    turns, memories, now = len(store.state.turns), len(store.state.memories), companion.clock.now()
    return ImportReport(title, turns, turns - before[0], memories - before[1], 0, clock=now, untrusted=untrusted)


def read_importable(path: Path, conversation: int = 0) -> Conversation | None:
    """The conversation a file holds; None for an export of memories.

    Raises:
        InputError: the file can't be read or is none of the known formats, or a key is missing, or no such conversation.
    """
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start + 1}).", todo=_WHAT) from error
    kind = _first_line_format(text)
    if kind == MEMORIES_FORMAT:
        return None
    if kind is not None:
        if conversation:
            raise InputError(f"{path} holds one conversation, number 0.", todo="Leave --conversation out.")
        return Conversation(_with_own_ids(parse_session(text.split("\n"), path)), {})
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{path} is no JSON: {problem}.", todo=_WHAT) from error
    if not looks_like_locomo(whole):
        raise InputError(f"{path} is JSON of a kind memtui does not know.", todo=_WHAT)
    return locomo_conversation(whole, conversation, path)


def _first_line_format(text: str) -> str | None:
    """The `format` of a JSONL header, if the text begins with one."""
    try:
        first: Json = json.loads(text.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return None
    if not isinstance(first, dict):
        return None
    known = first.get("format")
    return str(known) if known is not None else ("memtui-session" if first.get("type") == "session" else None)


def _with_own_ids(session: Session) -> Session:
    """The session with turn ids that are unique beyond its file: short ids get a prefix made from its first line."""
    turns = session.user_turns
    if not turns or all(ID_PATTERN.fullmatch(turn.id) for turn in turns):
        return session
    first = turns[0]
    prefix = content_hash(f"{first.at.isoformat()} {first.id} {first.text}")[:8]
    names = {turn.id: f"{prefix}:{turn.id}" for turn in turns if not ID_PATTERN.fullmatch(turn.id)}
    return replace(session, lines=tuple(_renamed(line, names) for line in session.lines))


def _renamed(line: Line, names: Mapping[str, str]) -> Line:
    match line:
        case UserTurn(id=turn):
            return replace(line, id=names.get(turn, turn))
        case AssistantTurn(reply_to=str() as turn):
            return replace(line, reply_to=names.get(turn, turn))
        case MindCall(for_=str() as turn):
            return replace(line, for_=names.get(turn, turn))
        case Probe():
            evidence = tuple(names.get(turn, turn) for turn in line.evidence)
            return replace(line, evidence=evidence, stale=tuple(names.get(turn, turn) for turn in line.stale))
        case _:
            return line


class _Import:
    """One conversation on its way into a home."""

    def __init__(self, companion: Companion, sessions: Path, conversation: Conversation) -> None:
        self.companion = companion
        self.sessions = sessions
        self.session = conversation.session
        self.speakers = conversation.speakers
        self.created = self.reinforced = self.remembered = 0

    async def run(self, *, dry_run: bool, progress: Progress | None) -> ImportReport:
        """Import what is missing."""
        turns = self.session.user_turns
        state = self.companion.store.state
        missing = frozenset(turn.id for turn in turns if turn.id not in state.turns)
        title = self.session.header.title
        if dry_run:
            return ImportReport(title, len(turns), len(missing), 0, 0, dry_run=True)
        alone = self._is_alone()
        recorder, there = await asyncio.to_thread(self._journal)
        try:
            await self._take_in(recorder, there, missing, progress)
            if missing:
                await self._stand_behind(alone)
        finally:
            await asyncio.to_thread(recorder.close)
        commands = sum(isinstance(line, CommandLine) for line in self.session.lines)
        return ImportReport(
            title=title,
            turns=len(turns),
            added=len(missing),
            created=self.created,
            reinforced=self.reinforced,
            skipped=commands - self.remembered,
            faded=self._faded(),
            clock=self.companion.clock.now(),
            session=recorder.path,
        )

    def _is_alone(self) -> bool:
        """Whether the home holds nothing but this conversation."""
        own = {turn.id for turn in self.session.user_turns}
        own |= {_remember_id(line) for line in self.session.lines if isinstance(line, CommandLine)}
        state = self.companion.store.state
        return set(state.turns) <= own and all(own.issuperset(memory.sources) for memory in state.memories.values())

    def _journal(self) -> tuple[Recorder, Sequence[Line]]:
        """The session file to go on with and what stands in it; a new file if there is none of this conversation."""
        header, lines = self.session.header, self.session.lines
        first = next((line.id for line in lines if isinstance(line, UserTurn)), None)
        stem = file_stem(header.title, lines[0].at if lines else None)
        for path in sorted(self.sessions.glob(f"{glob.escape(stem)}*{SUFFIX}")):
            with suppress(InputError):  # a file that is no session is not ours
                there = read_session(path, tolerate_torn_end=True)
                if first is not None and first in {turn.id for turn in there.user_turns}:
                    return Recorder.resume(path), there.lines
        return Recorder.titled(self.sessions, header, fsync=False), ()

    async def _take_in(
        self, recorder: Recorder, there: Sequence[Line], missing: frozenset[str], progress: Progress | None
    ) -> None:
        """Write down and append, in order, what is not there yet."""
        written = {_identity(line) for line in there}
        known: dict[object, MindCall] = {line.for_: line for line in (*there, *self.session.lines) if _is_extraction(line)}
        lines = self.session.lines
        window = 1 if self.companion.mind.local else _AT_ONCE
        for start in range(0, len(lines), window):
            batch = lines[start : start + window]
            if progress is not None:
                progress(start / len(lines), f"{batch[0].at:%d %b %Y}")
            asked = [line for line in batch if isinstance(line, UserTurn) and line.id in missing and line.id not in known]
            found = await asyncio.gather(*(self._extract(turn) for turn in asked), return_exceptions=True)
            answers = dict(zip((turn.id for turn in asked), found, strict=True))
            for line in batch:
                await self._one(recorder, line, written, known, missing, answers)
        if progress is not None:
            progress(1.0, "imported")

    async def _one(
        self,
        recorder: Recorder,
        line: Line,
        written: set[object],
        known: Mapping[object, MindCall],
        missing: frozenset[str],
        answers: Mapping[str, list[Candidate] | BaseException],
    ) -> None:
        new = [line] if _identity(line) not in written else []
        candidates: list[Candidate] = []
        if isinstance(line, UserTurn):
            call = known.get(line.id)
            answer = answers.get(line.id)
            if isinstance(answer, BaseException):
                raise answer
            candidates = answer if answer is not None else _recorded(call, self.session.path)
            if answer is not None:
                new.append(MindCall(line.at, "extract", line.id, to_response(answer), self.companion.mind.label))
        for each in new:
            await asyncio.to_thread(recorder.add, each)
            written.add(_identity(each))
        if isinstance(line, UserTurn) and line.id in missing:
            await self._append(line.id, line.at, candidates, [Turned(line.id, recorder.path.stem if recorder.path else "")])
        elif isinstance(line, CommandLine) and line.text.startswith("/remember "):
            self.remembered += 1
            await self._remember(line)

    async def _append(self, turn_id: str, at: datetime, candidates: Sequence[Candidate], bodies: Sequence[Body]) -> None:
        store = self.companion.store
        block = make_id(at, "import", turn_id)
        if block in store.state.blocks:
            return
        placed = await place(self.companion, candidates, turn_id, at)
        await store.append_async([*bodies, *placed.bodies], at=at, block=block, texts=placed.texts, vectors=placed.vectors)
        self.created += len(placed.created)
        self.reinforced += len(placed.reinforced)

    async def _remember(self, line: CommandLine) -> None:
        text = mask_secrets(clean(line.text.removeprefix("/remember ")).strip())[0]
        why = "you asked to remember it"
        if text:
            candidate = Candidate(text, Kind.SEMANTIC, _ASKED_IMPORTANCE, why, support=text, valid_from=line.at)
            await self._append(_remember_id(line), line.at, [candidate], [])

    async def _extract(self, turn: UserTurn) -> list[Candidate]:
        """What the mind finds in a turn; of a turn that someone else spoke, facts about that speaker, by name."""
        mind = self.companion.mind
        text = mask_secrets(clean(turn.text))[0]
        speaker = self.speakers.get(turn.id)
        asked = text.removeprefix(f"{speaker}: ") if speaker is not None and mind.local else text
        found = await mind.extract(asked, turn.at, ())
        said = same_key(text)
        kept = [c for c in found if c.text.strip() and same_key(c.support) and same_key(c.support) in said]
        return kept if speaker is None else [_of_speaker(candidate, speaker) for candidate in kept]

    async def _stand_behind(self, alone: bool) -> None:
        """In a home that holds nothing else, put the clock to the conversation's end; never let it be before."""
        clock = self.companion.clock
        end = self.session.lines[-1].at + _AFTER
        if alone or clock.now() < end:
            clock.jump_to(end)
            await self.companion.set_rate(clock.rate)

    def _faded(self) -> int:
        store, law = self.companion.store, self.companion.law
        turns = {turn.id for turn in self.session.user_turns}
        faded = law.faded(store.frame, to_us(self.companion.clock.now())).nonzero()[0].tolist()
        return sum(not turns.isdisjoint(store.frame.memories[row].sources) for row in faded)


def _remember_id(line: CommandLine) -> str:
    """What stands for the turn where a `/remember` of a session made a memory."""
    return make_id(line.at, "remember", line.text)


def _of_speaker(candidate: Candidate, speaker: str) -> Candidate:
    """A fact in the words of `speaker`, with the name in front unless the text says it."""
    subject = speaker if candidate.subject == "user" else candidate.subject
    named = same_key(speaker) in same_key(candidate.text)
    return replace(candidate, subject=subject, text=candidate.text if named else f"{speaker}: {candidate.text}")


def _is_extraction(line: Line) -> TypeGuard[MindCall]:
    return isinstance(line, MindCall) and line.call == "extract" and isinstance(line.for_, str)


def _recorded(call: MindCall | None, path: Path) -> list[Candidate]:
    return candidates_from_response(call.response) if call is not None else []


def _identity(line: Line) -> object:
    """What tells whether a line stands in a file already; what the mind said of a turn stands there once."""
    match line:
        case UserTurn() | Probe():
            return (line.type, line.id)
        case MindCall():
            return (line.type, line.call, line.for_)
        case AssistantTurn() | CommandLine():
            return (line.type, line.at, line.text)
