"""What a hook is given on its standard input: JSON from another program, believed in nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from memtui.locations import Home
from memtui.memory.texts import clean

MOST_BYTES: Final = 4 << 20
"""A larger input is no hook's."""
_PROMPT: Final = 4_000
"""Characters of a prompt or a command that recall looks at."""
_PATH: Final = 1_000


class BadInput(ValueError):
    """The input can't be used; the message is a word for the count."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a hook; what is missing is empty.

    Attributes:
        session: the agent's session id.
        folder: where the agent works.
        transcript: path of the session's transcript (JSON lines).
        prompt: what the person typed.
        tool: name of the tool that is about to run.
        words: the tool's command and path: what skills are looked for by.
    """

    session: str = ""
    folder: str = ""
    transcript: str = ""
    prompt: str = ""
    tool: str = ""
    words: str = ""


class Broken(RuntimeError):
    """Memory can't be read; the message is a word for the count."""


@dataclass(frozen=True, slots=True)
class At:
    """One call of a hook: whose memory, what was given, and the environment."""

    home: Home
    asked: Asked
    environ: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """Where hooks keep what they keep."""
        return self.home.hooks


def read_asked(stream: IO[bytes]) -> Asked:
    """Read and check the input.

    Raises:
        BadInput: too large, no JSON, or no object.
    """
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise BadInput("too large")
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise BadInput("no JSON") from None
    if not isinstance(data, dict):
        raise BadInput("no object")
    tool_input = data.get("tool_input")
    return Asked(
        session=_text(data, "session_id", 200),
        folder=_text(data, "cwd", _PATH),
        transcript=_text(data, "transcript_path", _PATH),
        prompt=_text(data, "prompt", _PROMPT),
        tool=_text(data, "tool_name", 100),
        words=_tool_words(tool_input if isinstance(tool_input, dict) else {}),
    )


def _text(data: Mapping[str, Any], key: str, most: int) -> str:
    value = data.get(key)
    return clean(value[:most]) if isinstance(value, str) else ""


def _tool_words(tool_input: Mapping[str, Any]) -> str:
    """The command, its description and the path a tool is about to touch; the contents of files are not looked at."""
    keys = ("command", "description", "file_path", "notebook_path", "path", "pattern")
    return "\n".join(text for key in keys if (text := _text(tool_input, key, _PROMPT)))
