"""Running the app on this terminal: what the commands call.

`python -m memtui.ui.launch` is the same with no options.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import InputError
from memtui.locations import Home
from memtui.ui.mode import Mode

if TYPE_CHECKING:
    from memtui.config import Settings


def run_app(
    settings: Settings | Callable[[], Settings], home: Home, *, mode: Mode | None = None, theme: str | None = None
) -> int:
    """Run the app until it is left; returns the process's exit code (128 + signal where one ended it).

    Args:
        settings: the settings, or what reads them; the latter is faster, as it is put off until the screen stands.
        theme: colours for this run only.

    Raises:
        InputError: this is no terminal.
        ConfigError: the settings can't be used.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError("This needs a terminal.", todo="For pipes there is `memtui ask`.")
    from memtui.ui.app import MemtuiApp
    from memtui.ui.farewell import Deadline

    app = MemtuiApp(settings, home, mode=mode, theme=theme)
    app.deadline = Deadline()
    app.run()
    return app.return_code or 0


def run_replay(
    settings: Settings | Callable[[], Settings], home: Home, path: Path, *, speed: float = 1.0, theme: str | None = None
) -> int:
    """Play a session file in the app, on a memory of its own; the home is not touched. Returns the exit code."""
    return run_app(settings, home, mode=Mode(replay=path, speed=speed), theme=theme)


def main() -> None:
    """The app with the settings of the user's home."""
    from memtui.errors import MemtuiError
    from memtui.locations import home

    place = home()

    def load() -> Settings:
        from memtui.config import load_settings

        return load_settings(place.settings_file)

    try:
        code = run_app(load, place)
    except MemtuiError as error:
        sys.stderr.write(f"memtui: {error}\n")
        code = error.exit_code
    raise SystemExit(code)


if __name__ == "__main__":
    main()
