"""The commands. Nothing heavy is imported here: `memtui --help` and the first paint depend on it."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; a `MemtuiError` becomes one line on standard error and its own exit code."""
    from memtui.cli.commands import cli
    from memtui.errors import MemtuiError

    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a lone surrogate or a narrow console must not end a command
            reconfigure(errors="replace")
    try:
        cli(standalone_mode=True)
    except MemtuiError as error:
        print(f"memtui: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
