"""Themes from TOML files: those that ship and the user's own.

A theme file names its colours; everything it does not name is derived. A broken file never stops the program: it is
skipped, and what is wrong with it is returned as a sentence for the person.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.design import ColorSystem
from textual.theme import Theme

MEMORY_VARIABLES: Final[tuple[str, ...]] = (
    "kind-episodic",
    "kind-semantic",
    "kind-consolidated",
    "kind-procedural",
    "bar",
    "bar-ghost",
    "floor",
    "glow",
)
"""Names of the colours that are memtui's own; every shipped theme gives them all. `glow` lies under text, see-through."""

_MAX_BYTES: Final = 64 * 1024
_MAY_BE_AUTO: Final = frozenset({"text", "text-muted", "text-disabled", "link-color", "link-color-hover"})
_PERCENT: Final = re.compile(r"(?P<colour>.*?)\s+(?:100|\d{1,2})(?:\.\d+)?%", re.ASCII)
_NAME: Final = re.compile(r"[\w][\w .-]{0,39}")


def _is_colour(value: str) -> str:
    try:
        Color.parse(value)
    except ColorParseError:
        raise ValueError(f"'{_short(value)}' is no colour (write #1a2b3c, or a colour's name)") from None
    return value


def _is_name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError(f"'{_short(value)}' is no name (letters, digits, spaces, - _ . and at most 40 of them)")
    return value


_Colour = Annotated[str, AfterValidator(_is_colour)]
_Name = Annotated[str, AfterValidator(_is_name)]


class ThemeFile(BaseModel):
    """What a theme file may hold; the same keys as Textual's `Theme`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name | None = None
    """Defaults to the file's own name."""
    primary: _Colour
    secondary: _Colour | None = None
    warning: _Colour | None = None
    error: _Colour | None = None
    success: _Colour | None = None
    accent: _Colour | None = None
    foreground: _Colour | None = None
    background: _Colour | None = None
    surface: _Colour | None = None
    panel: _Colour | None = None
    boost: _Colour | None = None
    dark: bool = True
    luminosity_spread: float = Field(0.15, ge=0, le=1)
    text_alpha: float = Field(0.95, ge=0, le=1)
    ansi: bool = False
    variables: dict[str, str] = Field(default_factory=dict)
    """Textual's design variables and `MEMORY_VARIABLES`, by name."""


def load_themes(folders: Iterable[Path]) -> tuple[list[Theme], list[str]]:
    """All themes of these folders, and a sentence for each file that had to be skipped.

    Args:
        folders: searched in order; a theme of a later folder takes the place of one with the same name. A folder that
            does not exist is no problem.

    Returns:
        Themes in order of their names, and the problems, each naming file, key and what is wrong.
    """
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for folder in folders:
        try:
            files = sorted(folder.glob("*.toml")) if folder.is_dir() else []
        except OSError as error:
            problems.append(f"{_shown(folder)}: {error.strerror or error}.")
            continue
        for file in files:
            try:
                theme = _load(file)
            except _ThemeProblem as problem:
                problems.append(str(problem))
            else:
                themes[theme.name] = theme
    return [themes[name] for name in sorted(themes)], problems


class _ThemeProblem(Exception):
    """Why a theme file is skipped; never leaves this module."""

    def __init__(self, file: Path, problem: str, key: str = "") -> None:
        super().__init__(f"Theme {_shown(file)}{f', key {key!r}' if key else ''}: {problem}.")


def _load(file: Path) -> Theme:
    try:
        if not file.is_file():
            raise _ThemeProblem(file, "it is no file")
        if file.stat().st_size > _MAX_BYTES:
            raise _ThemeProblem(file, f"it is larger than {_MAX_BYTES // 1024} KB")
        data = tomllib.loads(file.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise _ThemeProblem(file, "it is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _ThemeProblem(file, f"it is no TOML: {_short(str(error), 120)}") from None
    except OSError as error:
        raise _ThemeProblem(file, error.strerror or str(error)) from None
    try:
        parsed = ThemeFile.model_validate(data)
        name = parsed.name or _is_name(file.stem)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise _ThemeProblem(file, _in_words(first["type"], first["msg"]), _short(key, 80)) from None
    except ValueError as error:
        raise _ThemeProblem(file, str(error), "name") from None
    for variable, value in parsed.variables.items():
        problem = _variable_problem(variable, value)
        if problem:
            raise _ThemeProblem(file, problem, f"variables.{_short(variable)}")
    return Theme(**{**parsed.model_dump(), "name": name, "variables": {**_missing_in_ansi(parsed), **parsed.variables}})


def _missing_in_ansi(parsed: ThemeFile) -> dict[str, str]:
    """Variables that Textual's style sheets need and its ANSI colour system does not make."""
    if not parsed.ansi:
        return {}
    whole = ColorSystem(primary="#000000").generate()
    made = ColorSystem(primary="#000000", ansi=True).generate()
    return {name: value for name, value in whole.items() if name not in made}


def _in_words(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "there is no such key"
    if kind == "missing":
        return "it is missing"
    return message.removeprefix("Value error, ").rstrip(".")


def _variable_problem(name: str, value: str) -> str:
    """What is wrong with a design variable, or nothing; a wrong one would stop the whole style sheet from parsing."""
    if name not in _known_variables():
        return "there is no such variable"
    if name.endswith("-style") or "-style-" in name:
        return "" if _is_style(value) else f"'{_short(value)}' is no text style (write bold, italic, reverse, none)"
    if value == "initial":
        return ""
    match = _PERCENT.fullmatch(value)
    colour = match["colour"] if match else value
    if colour == "auto" and name in _MAY_BE_AUTO:
        return ""
    try:
        Color.parse(colour)
    except ColorParseError:
        return f"'{_short(value)}' is no colour"
    return ""


def _is_style(value: str) -> bool:
    words = value.split()
    if not words or any(word not in VALID_STYLE_FLAGS for word in words):
        return False
    try:
        Style.parse(value)
    except StyleSyntaxError:
        return False
    return True


@cache
def _known_variables() -> frozenset[str]:
    names = set(ColorSystem(primary="#000000").generate()) | set(ColorSystem(primary="#000000", ansi=True).generate())
    return frozenset(names) | frozenset(MEMORY_VARIABLES)


def _shown(file: Path) -> str:
    """The file's path for a message, whatever bytes its name holds."""
    return str(file).encode("utf-8", "replace").decode("utf-8")


def _short(text: str, most: int = 40) -> str:
    flat = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
