"""Reading session files (FORMATS, "Session").

Strict about what the format says and blind to what it does not: unknown keys are ignored, everything else that is wrong is
a `SessionFormatError` naming file, line and key. `to_json_line` is the way back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NoReturn

from memtui.errors import InputError, SessionFormatError
from memtui.memory.moments import from_iso, to_iso
from memtui.sessions.lines import (
    CALLS,
    FORMAT,
    VERSION,
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

__all__ = [
    "CALLS",
    "FORMAT",
    "VERSION",
    "AssistantTurn",
    "CommandLine",
    "Json",
    "Line",
    "MindCall",
    "Probe",
    "Session",
    "SessionHeader",
    "UserTurn",
    "parse_session",
    "read_bytes",
    "read_session",
    "split_torn",
    "to_json_line",
]


class _Fields:
    """One JSON object of a file, read key by key with errors that name file, line and key."""

    def __init__(self, path: Path, number: int, data: Mapping[str, Json]) -> None:
        self.path, self.number, self.data = path, number, data

    def fail(self, key: str, problem: str) -> NoReturn:
        raise SessionFormatError(self.path, self.number, problem, key=key)

    def value(self, key: str) -> Json:
        if key not in self.data:
            self.fail(key, "is missing")
        return self.data[key]

    def text(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            self.fail(key, f"is {_name(value)}, not a text")
        return value

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if self.data.get(key) is not None else None

    def name(self, key: str) -> str:
        value = self.text(key)
        if not value.strip():
            self.fail(key, "is empty")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.value(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(key, "is not a list of texts")
        return tuple(value)

    def flag(self, key: str) -> bool:
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            self.fail(key, f"is {_name(value)}, not true or false")
        return value

    def moment(self, key: str) -> datetime:
        try:
            return from_iso(self.text(key))
        except (ValueError, OverflowError) as error:
            self.fail(key, f"is no time: {error}")


def _name(value: Json) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", type(None): "null", str: "a text"}
    return names.get(type(value), "a number")


def _header(fields: _Fields) -> SessionHeader:
    if fields.data.get("type") != "session":
        fields.fail("type", f'the first line must be the header, {{"type":"session","format":"{FORMAT}",…}}')
    if fields.value("format") != FORMAT:
        fields.fail("format", f"is not '{FORMAT}'")
    version = fields.value("version")
    if type(version) is not int or version != VERSION:
        fields.fail("version", f"this memtui reads version {VERSION}")
    return SessionHeader(
        title=fields.text("title"),
        language=fields.text_or_none("language"),
        mind=fields.text_or_none("mind"),
        note=fields.text_or_none("note"),
    )


def _user(f: _Fields) -> UserTurn:
    return UserTurn(f.name("id"), f.moment("at"), f.text("text"))


def _assistant(f: _Fields) -> AssistantTurn:
    return AssistantTurn(f.moment("at"), f.text("text"), f.text_or_none("reply_to"), f.flag("interrupted"))


def _mind(f: _Fields) -> MindCall:
    call = f.text("call")
    if call not in CALLS:
        f.fail("call", f"'{call}' is none of {', '.join(CALLS)}")
    for_: str | tuple[str, ...] = f.name("for") if isinstance(f.value("for"), str) else f.texts("for")
    response = f.value("response")
    _check_response(f, call, response)
    return MindCall(f.moment("at"), call, for_, response, f.text_or_none("model"))


def _check_response(f: _Fields, call: str, response: Json) -> None:
    from memtui.minds.recorded import check_response  # brings numpy, which listing sessions does without

    if not isinstance(response, dict):
        f.fail("response", f"is {_name(response)}, not an object")
    try:
        check_response(call, response)
    except ValueError as error:
        f.fail("response", str(error))


def _command(f: _Fields) -> CommandLine:
    text = f.text("text")
    if not text.startswith("/"):
        f.fail("text", "a command starts with '/'")
    return CommandLine(f.moment("at"), text)


def _probe(f: _Fields) -> Probe:
    return Probe(
        id=f.name("id"),
        at=f.moment("at"),
        question=f.text("question"),
        answers=f.texts("answers"),
        evidence=f.texts("evidence"),
        category=f.name("category"),
        stale=f.texts("stale") if f.data.get("stale") is not None else (),
    )


_READERS: Final[Mapping[str, Callable[[_Fields], Line]]] = {
    "user": _user,
    "assistant": _assistant,
    "mind": _mind,
    "command": _command,
    "probe": _probe,
}


def parse_session(lines: Iterable[str], path: str | Path = "session") -> Session:
    """The session of text lines (with or without their newlines; blank lines are skipped).

    Raises:
        SessionFormatError: anything the format does not allow, naming `path`, line (from 1) and key.
    """
    path = Path(path)
    header: SessionHeader | None = None
    out: list[Line] = []
    ids: set[str] = set()
    number = 0
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        fields = _Fields(path, number, _object(raw, path, number))
        if header is None:
            header = _header(fields)
            continue
        line = _line(fields)
        if out and line.at < out[-1].at:
            fields.fail("at", f"{to_iso(line.at)} is before the line in front of it ({to_iso(out[-1].at)})")
        if isinstance(line, UserTurn | Probe):
            if line.id in ids:
                fields.fail("id", f"'{line.id}' stands twice in this file")
            ids.add(line.id)
        out.append(line)
    if header is None:
        raise SessionFormatError(path, max(1, number), "the file is empty; a session starts with its header")
    return Session(path, header, tuple(out))


def _line(fields: _Fields) -> Line:
    kind = fields.text("type")
    if kind == "session":
        fields.fail("type", "a second header")
    reader = _READERS.get(kind)
    if reader is None:
        fields.fail("type", f"'{kind[:40]}' is none of {', '.join(_READERS)}")
    return reader(fields)


def _object(raw: str, path: Path, number: int) -> Mapping[str, Json]:
    if raw.startswith("\ufeff"):
        raise SessionFormatError(path, number, "starts with a byte order mark; save the file as plain UTF-8")
    try:
        data = json.loads(raw, parse_constant=_no_constant)
    except RecursionError:
        raise SessionFormatError(path, number, "nested too deeply") from None
    except ValueError as error:
        raise SessionFormatError(path, number, f"is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise SessionFormatError(path, number, f"is {_name(data)}, not an object")
    for key, value in data.items():
        if not _encodable(key) or not _encodable(value):
            raise SessionFormatError(
                path, number, "holds half of a surrogate pair", key=key.encode("utf-8", "replace").decode()
            )
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _encodable(value: Json) -> bool:
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
    if isinstance(value, list):
        return all(map(_encodable, value))
    if isinstance(value, dict):
        return all(_encodable(key) and _encodable(item) for key, item in value.items())
    return True


def read_session(path: str | Path, *, tolerate_torn_end: bool = False) -> Session:
    """The session of a file.

    Args:
        tolerate_torn_end: a last line that broke off in the middle of writing (the program was killed) is dropped and
            said in `notices`; everything before it is kept.

    Raises:
        SessionFormatError: anything the format does not allow.
        InputError: there is no such file, or it can't be read.
    """
    path = Path(path)
    whole, torn = split_torn(read_bytes(path))
    notices: tuple[str, ...] = ()
    rows = whole.split(b"\n")
    if torn:
        if tolerate_torn_end and whole:
            notices = (f"{path.name}: the last line broke off while it was written ({len(torn)} bytes); it was dropped.",)
        else:
            rows[-1] = torn
    session = parse_session(_decoded(rows, path), path)
    return Session(session.path, session.header, session.lines, notices)


def read_bytes(path: Path) -> bytes:
    """All bytes of a file.

    Raises:
        InputError: there is no such file, or it can't be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} can't be read: {reason}.", todo="Check the path.") from error


def split_torn(data: bytes) -> tuple[bytes, bytes]:
    """Whole lines, and what is left of a last line that broke off (empty when the last line is whole)."""
    cut = data.rfind(b"\n") + 1
    last = data[cut:]
    if not last.strip():
        return data, b""
    try:
        json.loads(last.decode("utf-8"))
    except (ValueError, RecursionError):
        return data[:cut], last
    return data, b""


def _decoded(rows: Sequence[bytes], path: Path) -> Iterable[str]:
    for number, row in enumerate(rows, start=1):
        try:
            yield row.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SessionFormatError(path, number, f"is not UTF-8 (byte {error.start + 1} of the line)") from error
