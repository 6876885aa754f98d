"""Copying to the clipboard, and saying only what is known to have happened.

The terminal gets the text by OSC 52 first (works over ssh, but nothing answers); then a local tool, if there is one,
whose exit code tells.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Final

LONGEST_OSC: Final = 100_000
"""Characters most terminals take by OSC 52; a longer text is left to the local tool."""
_TIMEOUT_S: Final = 2.0


def local_tool(
    environ: Mapping[str, str], which: Callable[[str], str | None] = shutil.which, platform: str = sys.platform
) -> list[str] | None:
    """The command that takes a text for this desktop's clipboard on its standard input, or None."""
    choices: list[tuple[bool, list[str]]] = [
        (platform == "darwin", ["pbcopy"]),
        (platform == "win32", ["clip"]),
        (bool(environ.get("WAYLAND_DISPLAY")), ["wl-copy"]),
        (bool(environ.get("DISPLAY")), ["xclip", "-selection", "clipboard"]),
        (bool(environ.get("DISPLAY")), ["xsel", "--clipboard", "--input"]),
    ]
    return next((command for usable, command in choices if usable and which(command[0])), None)


def copy_locally(text: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Give `text` to the local tool; the tool's name if it said it took it. Blocks up to 2 s: call it in a thread."""
    command = local_tool(os.environ if environ is None else environ)
    if command is None:
        return None
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return command[0] if done.returncode == 0 else None


def outcome(characters: int, sent: bool, tool: str | None) -> str:
    """What to tell the person."""
    size = f"{characters:,} character{'' if characters == 1 else 's'}"
    if tool is not None:
        return f"Copied {size} with {tool}."
    if sent:
        return f"Sent {size} to the terminal's clipboard."
    return f"{size} are too many for the terminal's clipboard, and no clipboard tool was found here."
