"""A Markdown file with YAML front matter, as text.

The front matter ends at the first line that is `---` and nothing else. YAML never puts such a line into a value of ours, and
what stands behind it is the body, whatever it looks like: fences, rules, another front matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_FENCE: Final = "---"


@dataclass(frozen=True, slots=True)
class Note:
    """One file.

    Attributes:
        front: the front matter; {} when there is none.
        body: what stands behind it, to the last character.
    """

    front: Mapping[str, Any]
    body: str


class BadNote(ValueError):
    """The front matter can't be read."""


def write_note(front: Mapping[str, Any], body: str) -> str:
    """The file's text. `read_note` gives the very same back."""
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    head = yaml.dump(dict(front), Dumper=dumper, allow_unicode=True, sort_keys=False, width=10_000)
    return f"{_FENCE}\n{head}{_FENCE}\n\n{body}\n"


def read_note(text: str) -> Note:
    """Front matter and body of a file's text.

    Raises:
        BadNote: there is front matter, but it is no YAML mapping.
    """
    text = text.removeprefix("\ufeff")
    first, newline, rest = text.partition("\n")
    if first.rstrip() != _FENCE or not newline:
        return Note({}, text)
    lines = rest.split("\n")
    end = next((i for i, line in enumerate(lines) if line.rstrip("\r \t") == _FENCE), None)
    if end is None:
        return Note({}, text)
    return Note(_mapping("\n".join(lines[:end])), _body("\n".join(lines[end + 1 :])))


def _mapping(head: str) -> Mapping[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(head, Loader=loader)  # a safe loader
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError, TypeError) as error:
        raise BadNote("its front matter is no YAML") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadNote("its front matter is no mapping")
    return {str(key): value for key, value in data.items()}


def _body(text: str) -> str:
    """The body without the one blank line in front of it and the one line break behind it that `write_note` puts there."""
    for newline in ("\r\n", "\n"):
        if text.startswith(newline):
            text = text.removeprefix(newline)
            break
    for newline in ("\r\n", "\n"):
        if text.endswith(newline):
            return text.removesuffix(newline)
    return text
