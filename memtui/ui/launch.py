"""Running the app on this terminal: what the commands call.

`python -m memtui.ui.launch` is the same with no options.
"""

from __future__ import annotations

import sys

from memtui.config import Settings
from memtui.errors import InputError
from memtui.locations import Home
from memtui.ui.mode import Mode


def run_app(settings: Settings, home: Home, *, mode: Mode | None = None) -> int:
    """Run the app until it is left; returns the process's exit code.

    Raises:
        InputError: this is no terminal, or `mode` names a file that can't be read.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError("This needs a terminal.", todo="For pipes there is `memtui ask`.")
    from memtui.ui.app import MemtuiApp

    app = MemtuiApp(settings, home, mode=mode)
    app.run()
    if app.exit_line:
        print(app.exit_line, file=sys.stderr)  # noqa: T201 - the screen is gone; this is the program's last word
    return app.return_code or 0


def main() -> None:
    """The app with the settings of the user's home."""
    from memtui.config import load_settings
    from memtui.errors import MemtuiError
    from memtui.locations import home

    place = home()
    try:
        code = run_app(load_settings(place.settings_file), place)
    except MemtuiError as error:
        sys.stderr.write(f"memtui: {error}\n")
        code = error.exit_code
    raise SystemExit(code)


if __name__ == "__main__":
    main()
