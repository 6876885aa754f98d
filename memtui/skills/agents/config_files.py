"""Changing a configuration file that belongs to somebody else.

Nothing is guessed: a file that does not parse, holds a key twice, is read-only or a link to nowhere is left exactly as it
is. What is written is read back before it counts, goes in one step into the place of the old file (a link stays a link, the
mode stays), and the old file is kept beside it.
"""

from __future__ import annotations

import json
import math
import os
import stat
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtui.errors import InputError, StoreFullError
from memtui.store.durability import sync_folder

Data = dict[str, Any]
Edit = Callable[[Data], None]
"""Changes a file's data in place."""

_BOM: Final = b"\xef\xbb\xbf"
_LEFT_ALONE: Final = "It was left as it is."
_MOST: Final = 64 << 20
"""Bytes of a configuration file; a larger one is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written.

    Attributes:
        path: the file as it is named.
        target: where it really lies, behind links.
        before: its bytes, or None when it is not there.
        after: its new bytes; None deletes it (it was ours alone and is empty now).
    """

    path: Path
    target: Path
    before: bytes | None
    after: bytes | None

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


def plan_change(path: Path, edit: Edit) -> Change:
    """What `edit` makes of a JSON or TOML file (by its ending). Writes nothing.

    Raises:
        InputError: the file can't be read, parsed or written; it was left as it is.
    """
    target, before = _read(path)
    toml = path.suffix == ".toml"
    data = _parse_toml(path, before) if toml else _parse_json(path, before)
    wanted = deepcopy(data)
    edit(wanted)
    if wanted == data:
        return Change(path, target, before, before)
    if not wanted and not _backups(target):
        return Change(path, target, before, None)
    after = _toml_bytes(path, before or b"", edit, wanted) if toml else _json_bytes(before or b"", wanted)
    return Change(path, target, before, after)


def apply_changes(changes: Sequence[Change]) -> list[Path]:
    """Write all changes or none; returns the backups that were made.

    Raises:
        StoreFullError: a file can't be written; those written before it are as they were.
    """
    backups: list[Path] = []
    done: list[Change] = []
    try:
        for change in changes:
            if change.changes:
                backups += _keep(change)
                _put(change.target, change.before, change.after)
                done.append(change)
    except OSError as error:
        for change in reversed(done):
            with suppress(OSError):
                _put(change.target, change.after, change.before)
        raise StoreFullError(
            f"{change.path} can't be written: {error.strerror or error}.",
            safe="All files are as they were.",
            todo="Check its folder's permissions and the space that is left.",
        ) from error
    return backups


# -- reading -----------------------------------------------------------------------------------------------------------


def read_json(path: Path) -> Data:
    """The data of a JSON file; {} when it is not there.

    Raises:
        InputError: it can't be used.
    """
    return _parse_json(path, _read(path, to_write=False)[1])


def _read(path: Path, *, to_write: bool = True) -> tuple[Path, bytes | None]:
    """Where the file really lies, and its bytes (None when it is not there)."""
    try:
        target = path.resolve(strict=False)
        if path.is_symlink() and not path.exists():
            raise InputError(f"{path} is a link to nowhere.", safe=_LEFT_ALONE, todo="Mend the link, or remove it.")
        if not target.exists():
            return target, None
        info = target.stat()
        if not stat.S_ISREG(info.st_mode):
            raise InputError(f"{path} is no file.", safe=_LEFT_ALONE)
        if info.st_size > _MOST:
            raise InputError(f"{path} is too large for a configuration file.", safe=_LEFT_ALONE)
        if to_write and (not info.st_mode & 0o222 or not os.access(target, os.W_OK)):
            raise InputError(f"{path} is read-only.", safe=_LEFT_ALONE, todo="Make it writable if memtui may change it.")
        return target, target.read_bytes()
    except (OSError, RuntimeError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path} can't be read: {said}.", safe=_LEFT_ALONE) from error


def _parse_json(path: Path, raw: bytes | None) -> Data:
    if raw is None or not raw.removeprefix(_BOM).strip():
        return {}
    try:
        data = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is no plain JSON ({error}).",
            safe=_LEFT_ALONE,
            todo="Mend it, or, if it holds comments, add memtui's part by hand: `memtui init --print` shows it.",
        ) from error
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no JSON object.", safe=_LEFT_ALONE)
    return data


def _once(pairs: list[tuple[str, Any]]) -> Data:
    """An object; a key that stands there twice would lose one of its values."""
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice[:40]!r} stands there twice")
    return out


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _parse_toml(path: Path, raw: bytes | None) -> Data:
    if raw is None:
        return {}
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no TOML ({error}).", safe=_LEFT_ALONE, todo="Mend it and try again.") from error


# -- writing -----------------------------------------------------------------------------------------------------------


def _json_bytes(before: bytes, data: Data) -> bytes:
    """`data` laid out like the file was: its indent, its line ends, its byte order mark."""
    text = json.dumps(data, ensure_ascii=False, indent=_indent(before), allow_nan=False) + "\n"
    try:
        raw = text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can only escape
        raw = (json.dumps(data, indent=_indent(before), allow_nan=False) + "\n").encode()
    if b"\r\n" in before:
        raw = raw.replace(b"\n", b"\r\n")
    return (_BOM if before.startswith(_BOM) else b"") + raw


def _indent(before: bytes) -> str:
    for line in before.splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip(b" \t"))]
        if blank and line.strip():
            return blank.decode()
    return "  "


def _toml_bytes(path: Path, before: bytes, edit: Edit, wanted: Data) -> bytes:
    """The file's own text with the edit in it: comments and order stay. What does not read back as wanted is refused."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(before.decode("utf-8-sig"))
        edit(document)
        text = tomlkit.dumps(document)
        if tomllib.loads(text) != wanted:
            raise ValueError("its layout is one memtui can't extend")
    except (TOMLKitError, ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path}: {error}.", safe=_LEFT_ALONE, todo="Add memtui's part by hand: `memtui init --print` shows it."
        ) from error
    return (_BOM if before.startswith(_BOM) else b"") + text.encode()


def _keep(change: Change) -> list[Path]:
    """Keep the old file beside the new one, unless the newest copy is the same or it was ours alone."""
    if change.before is None or change.after is None:
        return []
    there = _backups(change.target)
    if there and there[-1].read_bytes() == change.before:
        return []
    number = _number(there[-1]) + 1 if there else 1
    path = change.target.with_name(f"{change.target.name}.memtui-{number}.bak")
    _put(path, None, change.before, mode=stat.S_IMODE(change.target.stat().st_mode))
    return [path]


def _backups(target: Path) -> list[Path]:
    """Copies made earlier, oldest first."""
    found = [path for path in target.parent.glob(f"{_escaped(target.name)}.memtui-*.bak") if _number(path)]
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    digits = path.name.removesuffix(".bak").rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0


def _escaped(name: str) -> str:
    import glob

    return glob.escape(name)


def _put(target: Path, before: bytes | None, after: bytes | None, mode: int | None = None) -> None:
    """Put `after` in the place of `before` in one step.

    Raises:
        OSError: it can't be written, or the file is not what it was when it was read.
    """
    there = target.read_bytes() if target.exists() else None
    if there != before:
        raise OSError("it was changed by another program just now")
    if after is None:
        target.unlink(missing_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = stat.S_IMODE(target.stat().st_mode) if before is not None else 0o644
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
