"""The commands. Nothing heavy is imported here: `memtui --help` and the first paint depend on it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import NoReturn


def main() -> None:
    """Run the command line; bad input and every `MemtuiError` become one line on standard error and an exit code."""
    import click

    from memtui.cli.commands import cli
    from memtui.errors import MemtuiError

    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a lone surrogate or a narrow console must not end a command
            reconfigure(errors="replace")
    if _is_hook(sys.argv[1:]):
        _run_hook(cli)
    try:
        code = cli(standalone_mode=False)
    except MemtuiError as error:
        code = _say(str(error), error.exit_code)
    except click.ClickException as error:
        code = _say(f"{error.format_message()} `memtui --help` tells more.", error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        code = _say("stopped; what was done before is kept.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _say(sentence: str, code: int) -> int:
    print(f"memtui: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _is_hook(words: list[str]) -> bool:
    """Whether this is `memtui … hook NAME`."""
    while words and words[0] in ("--home", "--theme"):
        words = words[2:]
    return words[:1] == ["hook"]


def _run_hook(cli: Callable[..., object]) -> NoReturn:
    """A hook never fails and never says what is wrong: whoever waits for it has other things to do."""
    with contextlib.suppress(BaseException):  # a home that is none, a hook of a newer memtui, a closed pipe: all the same
        cli(standalone_mode=False)
    from memtui.skills.hooks.running import leave

    leave()
