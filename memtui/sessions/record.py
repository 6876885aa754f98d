"""Writing a conversation down as it happens.

`Recorder` is the `TurnLog` on disk: each call is one line, flushed and fsynced before the call returns, with secrets masked
and the text cleaned, so that a raw key never reaches a disk. The file comes to be with the first thing said and is named
after its date and its first words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memtui.errors import StoreFullError
from memtui.memory.texts import clean, content_hash, mask_secrets, one_line
from memtui.sessions.appendfile import AppendFile
from memtui.sessions.format import read_session
from memtui.sessions.lines import (
    AssistantTurn,
    CommandLine,
    Json,
    Line,
    MindCall,
    Probe,
    Session,
    SessionHeader,
    UserTurn,
    to_json_line,
)

SUFFIX: Final = ".jsonl"
_TITLE_WIDTH: Final = 60
_SLUG_WIDTH: Final = 40


class Recorder:
    """The `TurnLog` of one session file.

    When a line can't be written (no space, a read-only home) the call raises `StoreFullError`, the line stays in
    `unsaved`, and the next call writes it first: a conversation goes on in memory and nothing of it is lost while the
    program runs.

    Attributes:
        header: the first line; None until something was said.
        notices: what was repaired on resuming, for people.
    """

    def __init__(self, folder: Path, *, mind: str | None = None, note: str | None = None, fsync: bool = True) -> None:
        """A new conversation in `folder`; nothing is written before something is said.

        Args:
            mind: label of the mind that replies.
            note: where the session comes from.
            fsync: False for scratch homes, where a power cut may lose the end.
        """
        self.folder = folder
        self.header: SessionHeader | None = None
        self.notices: tuple[str, ...] = ()
        self._mind, self._note, self._fsync = mind, note, fsync
        self._file: AppendFile | None = None
        self._unsaved: list[SessionHeader | Line] = []
        self._last: datetime | None = None
        self._said: dict[str, str] = {}  # turn id -> hash of its text

    @classmethod
    def resume(cls, path: Path, *, fsync: bool = True) -> Recorder:
        """Go on with a session file; `session` says what stands in it.

        A last line that broke off (the program was killed) is moved to a `.torn` file first.

        Raises:
            SessionFormatError: the file breaks the format somewhere else.
            StoreBusyError: another process is writing it.
            StoreFullError: it can't be written.
        """
        read_session(path, tolerate_torn_end=True)  # what is broken elsewhere is left as it is
        file, torn = AppendFile.reopen(path, fsync=fsync)
        session = read_session(path)  # again, now that nobody else can write it
        recorder = cls(path.parent, mind=session.header.mind, note=session.header.note, fsync=fsync)
        recorder._file = file
        if torn:
            recorder.notices = (f"The end of {path.name} had broken off; it was moved to {path.name}.torn.",)
        recorder.header = session.header
        recorder._last = session.lines[-1].at if session.lines else None
        recorder._said = {turn.id: content_hash(turn.text) for turn in session.user_turns}
        return recorder

    @classmethod
    def titled(cls, folder: Path, header: SessionHeader, *, fsync: bool = True) -> Recorder:
        """A new session in `folder` whose header is known; nothing is written before the first line."""
        recorder = cls(folder, mind=header.mind, note=header.note, fsync=fsync)
        recorder.header = replace(header, title=_title(header.title))
        return recorder

    @property
    def path(self) -> Path | None:
        """The file; None until it could be made."""
        return self._file.path if self._file is not None else None

    @property
    def unsaved(self) -> tuple[SessionHeader | Line, ...]:
        """Lines that could not be written yet, oldest first."""
        return tuple(self._unsaved)

    def session(self) -> Session:
        """Everything recorded so far, unsaved lines included."""
        path = self.path
        saved = read_session(path) if path is not None and not self._header_unsaved() else None
        lines = (saved.lines if saved else ()) + tuple(x for x in self._unsaved if not isinstance(x, SessionHeader))
        return Session(path or self.folder / f"unsaved{SUFFIX}", self.header or SessionHeader(""), lines)

    def user(self, turn_id: str, at: datetime, text: str) -> None:
        """A user turn, before anything can fail. The same turn again (a retry) is not written twice."""
        text = _safe(text)
        digest = content_hash(text)
        if self._said.get(turn_id) == digest:
            self._flush()
            return
        while turn_id in self._said:  # ids are unique in a file, whatever the caller does
            turn_id += "+"
        self._said[turn_id] = digest
        self._write(UserTurn(turn_id, self._moment(at), text), text)

    def assistant(self, at: datetime, text: str, reply_to: str, *, interrupted: bool = False) -> None:
        """The reply that was given, as far as it got."""
        self._write(AssistantTurn(self._moment(at), _safe(text), reply_to, interrupted))

    def mind(self, at: datetime, call: str, for_: str | Sequence[str], response: Mapping[str, Any], model: str) -> None:
        """A typed result of a mind's call; `for_` is the turn's id or the content hashes concerned."""
        names = for_ if isinstance(for_, str) else tuple(for_)
        self._write(MindCall(self._moment(at), call, names, _safe_json(response), model or None))

    def command(self, at: datetime, text: str) -> None:
        """What the user did besides talking, as a slash command."""
        text = _safe(text)
        self._write(CommandLine(self._moment(at), text), text)

    def add(self, line: Line) -> None:
        """A line of another session, masked and cleaned like any other; probes too."""
        match line:
            case UserTurn():
                self.user(line.id, line.at, line.text)
            case AssistantTurn():
                self._write(replace(line, at=self._moment(line.at), text=_safe(line.text)))
            case MindCall():
                self._write(replace(line, at=self._moment(line.at), response=_safe_json(line.response)))
            case CommandLine():
                self.command(line.at, line.text)
            case Probe():
                self._write(replace(line, at=self._moment(line.at), question=_safe(line.question)))

    def rename(self, title: str) -> None:
        """Give the conversation another title.

        Raises:
            StoreFullError: it can't be written; the old title stays.
        """
        if self.header is None:
            self.header = SessionHeader(_title(title), mind=self._mind, note=self._note)
            return
        header = replace(self.header, title=_title(title))
        if self._file is not None and not self._header_unsaved():
            self._file.replace_first_line(_bytes(header))
        self._unsaved = [header if isinstance(line, SessionHeader) else line for line in self._unsaved]
        self.header = header

    def retry(self) -> bool:
        """Try to write what is unsaved; True when nothing is left."""
        try:
            self._flush()
        except StoreFullError:
            return False
        return True

    def close(self) -> None:
        """Let others write the file; what is unsaved is tried once more."""
        self.retry()
        if self._file is not None:
            self._file.close()

    def _header_unsaved(self) -> bool:
        return any(isinstance(line, SessionHeader) for line in self._unsaved)

    def _moment(self, at: datetime) -> datetime:
        """`at`, or the last line's moment if that is later: times in a file never decrease."""
        self._last = at if self._last is None or at > self._last else self._last
        return self._last

    def _write(self, line: Line, words: str = "") -> None:
        if self._file is None and not self._unsaved:
            from memtui.minds.base import language_of

            header = self.header or SessionHeader(_title(words), None, self._mind, self._note)
            self.header = replace(header, language=header.language or language_of(words))
            self._unsaved.append(self.header)
        self._unsaved.append(line)
        self._flush()

    def _flush(self) -> None:
        if self._unsaved and self._file is None:
            title = self.header.title if self.header is not None else ""
            self._file = AppendFile.create(self.folder, file_stem(title, self._last), SUFFIX, fsync=self._fsync)
        while self._unsaved and self._file is not None:
            self._file.append(_bytes(self._unsaved[0]))
            del self._unsaved[0]


def save_session(session: Session, folder: Path) -> Path:
    """Write a whole session as a new file in `folder`, named as a recorded one; returns where it is.

    Raises:
        StoreFullError: it can't be written.
    """
    rows = b"".join(_bytes(line) for line in (session.header, *session.lines))
    stem = file_stem(session.header.title, session.lines[0].at if session.lines else None)
    file = AppendFile.create(folder, stem, SUFFIX, fsync=True)
    try:
        file.append(rows)
    finally:
        file.close()
    return file.path


def file_stem(title: str, at: datetime | None) -> str:
    """The name of a session's file without its suffix: its date and its title's first words."""
    return f"{at:%Y-%m-%d}-{slug(title)}" if at is not None else slug(title)


def slug(text: str) -> str:
    """A name for a file from the words of `text`: lower case, letters and digits of any script, dashes; never empty."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).lower())
    out = ""
    for word in words:
        if len(out) + len(word) > _SLUG_WIDTH:
            break
        out += f"-{word}" if out else word
    return out or (words[0][:_SLUG_WIDTH] if words else "chat")


def _title(text: str) -> str:
    return one_line(_safe(text), _TITLE_WIDTH) or "Conversation"


def _safe(text: str) -> str:
    return mask_secrets(clean(text))[0]


def _safe_json(value: Json) -> Json:
    if isinstance(value, str):
        return _safe(value)
    if isinstance(value, Mapping):
        return {_safe(str(key)): _safe_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_safe_json(item) for item in value]
    return value


def _bytes(line: SessionHeader | Line) -> bytes:
    return to_json_line(line).encode() + b"\n"
