"""The record of a long run: each typed result a model gave, on disk before it is used.

A checkpoint is a session file of `mind` lines (FORMATS) and, for the replies to probes, `assistant` lines. A run that was
killed plays it from the start and asks only for what is missing. Failed calls leave no line: the next run asks again.
Vectors of an endpoint's embedder lie beside it, in a file of their own.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from memtui.config import Settings
from memtui.errors import InputError, MemtuiError
from memtui.memory.frame import Vectors
from memtui.memory.texts import content_hash
from memtui.minds.base import Message, PairText, Prompt, Remembered
from memtui.sessions.appendfile import AppendFile
from memtui.sessions.format import read_bytes, read_session, split_torn
from memtui.sessions.lines import AssistantTurn, Line, MindCall, Session, SessionHeader, to_json_line

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_VECTORS: Final = ".vectors.jsonl"


class Checkpoint:
    """Results by what they were about; `Checkpoint()` keeps them in memory alone.

    Attributes:
        path: the file; None in memory.
        found: how many results an earlier run left.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self.found = 0
        self._file: AppendFile | None = None
        self._fresh = False
        self._vector_file: AppendFile | None = None
        self._last = _START
        self._calls: dict[tuple[str, ...], Mapping[str, Any]] = {}
        self._replies: dict[str, str] = {}
        self._vectors: dict[str, Vectors] = {}

    @classmethod
    def open(cls, path: Path, *, title: str, mind: str, run: str) -> Checkpoint:
        """The checkpoint at `path`, made if it is not there.

        Args:
            title: what is measured, for people.
            mind: label of the mind.
            run: `run_name` of the run; a checkpoint of another run is refused.

        Raises:
            InputError: `path` holds something else, or another run's results.
            SessionFormatError: it is broken before its end (a torn end is moved aside).
            StoreBusyError: another process writes it.
            StoreFullError: it can't be written.
        """
        made = cls()
        made.path = path
        header = SessionHeader(title, None, mind, f"bench {run}")
        if path.exists() and read_bytes(path):
            _same_run(read_session(path, tolerate_torn_end=True), run)
            made._file, _ = AppendFile.reopen(path, fsync=True)
            made._take(read_session(path).lines)
        else:
            made._file = _appending(path)
            made._file.append(_bytes(header))
            made._fresh = True
        made._open_vectors(path.with_name(path.name + _VECTORS))
        return made

    def result(self, call: str, names: Sequence[str]) -> Mapping[str, Any] | None:
        """The recorded result of a call about `names` (a turn's id, or content hashes)."""
        return self._calls.get((call, *names))

    def keep(
        self, call: str, names: Sequence[str], response: Mapping[str, Any], model: str, at: datetime | None = None
    ) -> None:
        """Record a call's result, durably, before it is used."""
        self._calls[(call, *names)] = response
        for_ = names[0] if len(names) == 1 else tuple(names)
        self._write(MindCall(self._moment(at), call, for_, response, model or None))

    def reply(self, name: str) -> str | None:
        """The recorded reply to the prompt `name` (a content hash)."""
        return self._replies.get(name)

    def keep_reply(self, name: str, text: str, at: datetime | None = None) -> None:
        """Record a reply, durably."""
        self._replies[name] = text
        self._write(AssistantTurn(self._moment(at), text, name))

    def vector(self, text: str) -> Vectors | None:
        """The recorded vector of a text."""
        return self._vectors.get(content_hash(text))

    def keep_vector(self, text: str, vector: Vectors) -> None:
        """Record a vector (float32)."""
        name = content_hash(text)
        self._vectors[name] = vector
        if self.path is None:
            return
        if self._vector_file is None:
            self._vector_file = _appending(self.path.with_name(self.path.name + _VECTORS))
        coded = base64.b64encode(vector.astype("<f4").tobytes()).decode()
        self._vector_file.append(json.dumps({"text": name, "vector": coded}).encode() + b"\n")

    def close(self) -> None:
        """Let others write the file; closing twice is harmless. A file without any result is taken away again."""
        for file in (self._file, self._vector_file):
            if file is not None:
                file.close()
        if self.path is not None and self._fresh and not (self._calls or self._replies):
            self.path.unlink(missing_ok=True)

    def _take(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self._last = line.at
            if isinstance(line, MindCall):
                names = (line.for_,) if isinstance(line.for_, str) else line.for_
                self._calls[(line.call, *names)] = line.response
            elif isinstance(line, AssistantTurn) and line.reply_to is not None:
                self._replies[line.reply_to] = line.text
        self.found = len(self._calls) + len(self._replies)

    def _open_vectors(self, path: Path) -> None:
        if not path.exists():
            return
        for row in split_torn(read_bytes(path))[0].split(b"\n"):
            try:
                record = json.loads(row) if row.strip() else None
                if record is not None:
                    raw = base64.b64decode(record["vector"], validate=True)
                    self._vectors[str(record["text"])] = np.frombuffer(raw, "<f4").astype(np.float32)
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(f"{path} holds a line that is no vector.", todo="Delete that file.") from error

    def _moment(self, at: datetime | None) -> datetime:
        """`at`, or the last line's moment if that is later: times in a session file never decrease."""
        self._last = self._last if at is None or at < self._last else at
        return self._last

    def _write(self, line: Line) -> None:
        if self._file is not None:
            self._file.append(_bytes(line))


def run_name(file: Path, mind: str, settings: Settings) -> str:
    """What makes two runs the same: the measured file's content, the mind, the settings and the prompts; 16 hex digits.

    Raises:
        InputError: `file` can't be read.
    """
    chosen = settings.model_dump(mode="json", include={"memory", "recall", "sleep", "mind"}, warnings=False)
    for name in ("timeout_s", "max_retries", "api_key_env"):
        chosen["mind"].pop(name, None)  # they change when an answer comes, not what it is
    parts = [hashlib.sha256(read_bytes(file)).hexdigest(), mind, chosen, _prompts()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def _prompts() -> list[str]:
    """Every prompt, filled with the least there is: another wording makes another run."""
    from memtui.minds import prompts

    memory = Remembered("m01", "a", _START, _START, against=("m02",))
    asked = [
        prompts.reply_messages(Prompt((Message("user", "q"),), (memory,), _START, "en")),
        prompts.extract_messages("t", _START, ()),
        prompts.judge_messages([PairText("a", "b", _START, _START)]),
        prompts.summarize_messages(["a"], "en"),
        prompts.grade_messages("q", ["a"], "r"),
    ]
    return [message.text for messages in asked for message in messages]


def _same_run(session: Session, run: str) -> None:
    if session.header.note != f"bench {run}":
        raise InputError(
            f"{session.path} is no checkpoint of this run: it was made of another file, mind, prompt or setting.",
            safe="Nothing was changed.",
            todo="Name another --checkpoint, or none.",
        )


def _appending(path: Path) -> AppendFile:
    if path.exists():
        return AppendFile.reopen(path, fsync=True)[0]
    file = AppendFile.create(path.parent, path.name.removesuffix(path.suffix), path.suffix, fsync=True)
    if file.path != path:
        file.close()
        raise MemtuiError(f"{path} is being made by another memtui.", todo="Wait for it, or name another --checkpoint.")
    return file


def _bytes(line: SessionHeader | Line) -> bytes:
    return to_json_line(line).encode("utf-8", "replace") + b"\n"
