"""Settings with some numbers changed, as `--set half_life.episodic=24h` and a what-if write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from memtui.chat.commands import parse_duration
from memtui.config import Settings
from memtui.errors import InputError
from memtui.memory.texts import clean, one_line

SECTIONS: Final = ("memory", "recall", "sleep")
"""Tables of the settings that can be changed; `memory` may be left out of a key."""
_HOURS: Final = "half_life."


def parse_changes(words: Iterable[str]) -> dict[str, str]:
    """`key=value` words as keys and values; the last of a key wins.

    Raises:
        InputError: a word is no `key=value`.
    """
    changes: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise InputError(f"'{one_line(clean(word), 40)}' is no key=value.", todo="Write half_life.episodic=24h.")
        changes[key.strip()] = value.strip()
    return changes


def changed_settings(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """A copy of the settings with these changes.

    Args:
        changes: by key: `law`, `floor`, `capacity`, `half_life.episodic` (hours, or `24h`, `3d`), `stability.rate` and all
            others of the table `memory`; and `recall.…`, `sleep.…`.

    Raises:
        InputError: an unknown key or a wrong value, by name.
    """
    tables: dict[str, dict[str, Any]] = {name: getattr(settings, name).model_dump() for name in SECTIONS}
    for key, value in changes.items():
        section, _, rest = key.partition(".")
        path = rest.split(".") if section in SECTIONS and rest else key.split(".")
        table = section if section in SECTIONS and rest else "memory"
        _put(tables[table], path, _read(".".join(path), value), key)
    update: dict[str, BaseModel] = {}
    for name, table_now in tables.items():
        section_now: BaseModel = getattr(settings, name)
        try:
            update[name] = type(section_now).model_validate(table_now)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in (name, *first["loc"]))
            raise InputError(f"'{where}': {first['msg']}.", safe="Nothing was changed.") from error
    return settings.model_copy(update=update)


def known_keys(settings: Settings) -> list[str]:
    """Keys that can be changed; those of `memory` without their table's name."""
    out: list[str] = []
    for name in SECTIONS:
        prefix = "" if name == "memory" else f"{name}."
        for key, value in getattr(settings, name).model_dump().items():
            out += [f"{prefix}{key}.{inner}" for inner in value] if isinstance(value, dict) else [f"{prefix}{key}"]
    return out


def _put(table: dict[str, Any], path: list[str], value: object, key: str) -> None:
    for part in path[:-1]:
        inner = table.get(part)
        if not isinstance(inner, dict):
            raise _unknown(key)
        table = inner
    if path[-1] not in table or isinstance(table[path[-1]], dict):
        raise _unknown(key)
    table[path[-1]] = value


def _unknown(key: str) -> InputError:
    return InputError(
        f"There is no setting '{one_line(clean(key), 40)}' to change.",
        safe="Nothing was changed.",
        todo="Such as law, floor, capacity, half_life.episodic, stability.rate, sleep.repeats, recall.budget_tokens.",
    )


def _read(key: str, value: object) -> object:
    """Half-lives may be written as spans."""
    if not key.startswith(_HOURS) or not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return parse_duration(value).total_seconds() / 3600
