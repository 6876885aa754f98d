"""The colours of the app: one theme for the first paint, all of them after it.

`themes` checks every file and takes its time; what ships is known to be whole, so the first paint need not wait for it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.locations import shipped_themes

if TYPE_CHECKING:
    from textual.app import App
    from textual.theme import Theme


class Theming:
    """The themes of one app.

    Args:
        own: the folder of the user's own themes; one of a shipped name takes its place.
        wanted: the theme that is asked for.
    """

    def __init__(self, app: App[Any], own: Path, wanted: str) -> None:
        self._app = app
        self._own = own
        self._wanted = wanted
        self._loaded = self._taken = False

    def take_first(self) -> list[str]:
        """Put the wanted colours on, reading no more than they need; returns what can't be used, in sentences."""
        theme = None if (self._own / f"{self._wanted}.toml").exists() else shipped_theme(self._wanted)
        if theme is None:
            return self.load_all()
        self._app.register_theme(theme)
        self._app.theme = theme.name
        self._taken = True
        return []

    def load_all(self) -> list[str]:
        """Take in all themes, once; returns a sentence for each that is broken, and one if the wanted one is not there."""
        if self._loaded:
            return []
        from memtui.ui.themes import load_themes

        self._loaded = True
        themes, problems = load_themes([shipped_themes(), self._own])
        for theme in themes:
            self._app.register_theme(theme)
        if self._wanted not in self._app.available_themes:
            problems.append(f"There is no theme '{self._wanted}'; /theme lists them.")
        elif not self._taken:
            self._app.theme = self._wanted
            self._taken = True
        return problems


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
