"""The colours of the first paint. `themes` checks every file and takes its time; what ships is known to be whole."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from memtui.locations import shipped_themes

if TYPE_CHECKING:
    from textual.theme import Theme


def shipped_theme(name: str) -> Theme | None:
    """A theme that comes with memtui, by name (which is its file's); None when there is no such file."""
    if not name.replace("-", "").isalnum():
        return None
    from textual.theme import Theme

    try:
        data = tomllib.loads((shipped_themes() / f"{name}.toml").read_text("utf-8"))
        return Theme(**{**data, "name": data.get("name", name)})
    except (OSError, ValueError, TypeError):
        return None
