"""Running one hook: within its time, without ever failing, and counted."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Final, NoReturn

from memtui.clock import monotonic, wall_now
from memtui.errors import MemtuiError
from memtui.locations import Home
from memtui.memory.moments import to_iso
from memtui.skills.hooks.asked import Asked, At, BadInput, Broken, read_asked
from memtui.skills.hooks.counting import FAILED, SAID, SILENT, Run, count

HOOKS: Final = ("session-start", "prompt", "tool", "stop", "session-end")
LIMIT_S: Final = 2.0
"""A hook that takes longer gives up and says nothing: it stands in somebody's way."""
_EVENTS: Final = {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "tool": "PreToolUse"}
_LIMIT_VARIABLE: Final = "MEMTUI_HOOK_LIMIT_S"
_THREAD: Final = "memtui-hook"


@dataclass
class Outcome:
    """What a hook came to."""

    said: str = ""
    why: str = "took too long"
    done: threading.Event = field(default_factory=threading.Event)


def run_hook(home: Home, hook: str, stream: IO[bytes], out: IO[str], environ: Mapping[str, str] | None = None) -> None:
    """Run a hook on the JSON in `stream`; what it has to say goes to `out`. Never raises.

    The work is done in a thread that is left behind when its time is up: the caller should then end the process.
    """
    started = monotonic()
    outcome = Outcome()
    environ = os.environ if environ is None else environ

    def work() -> None:
        try:
            outcome.said, outcome.why = answer(home, hook, read_asked(stream), environ), ""
        except BaseException as error:  # a hook must not fail, whatever it meets: it is counted by its kind
            outcome.said, outcome.why = "", _reason(error)
        finally:
            outcome.done.set()

    threading.Thread(target=work, daemon=True, name=_THREAD).start()
    in_time = outcome.done.wait(_limit_s(environ))
    said, why = (outcome.said, outcome.why) if in_time else ("", "took too long")
    if said:
        try:
            out.write(_printed(hook, said) + "\n")
            out.flush()
        except (OSError, ValueError):
            why = "nobody listens"
    result = FAILED if why else SAID if said else SILENT
    at = to_iso(wall_now())
    count(home.hooks, Run(at, hook, result, why, (monotonic() - started) * 1000))


def answer(home: Home, hook: str, asked: Asked, environ: Mapping[str, str]) -> str:
    """What a hook has to say; "" when nothing.

    Raises:
        Exception: anything; `run_hook` counts it.
    """
    at = At(home, asked, environ)
    if hook in ("stop", "session-end"):
        from memtui.skills.hooks import recaps

        return recaps.stop(at)
    from memtui.skills.hooks import answers

    table = {"session-start": answers.session_start, "prompt": answers.prompt, "tool": answers.before_tool}
    return table[hook](at)


def _printed(hook: str, said: str) -> str:
    """What Claude Code takes into the context, as its hooks' reference has it."""
    return json.dumps(
        {"hookSpecificOutput": {"hookEventName": _EVENTS[hook], "additionalContext": said}}, ensure_ascii=False
    )


def _reason(error: BaseException) -> str:
    """A word or two on what went wrong; never a message, which might hold texts."""
    if isinstance(error, BadInput):
        return f"input: {error}"
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, MemtuiError):
        return type(error).title.lower()
    return type(error).__name__


def _limit_s(environ: Mapping[str, str]) -> float:
    try:
        return min(60.0, max(0.05, float(environ[_LIMIT_VARIABLE])))
    except (KeyError, ValueError):
        return LIMIT_S


def leave() -> NoReturn:
    """End this process with 0; a hook that still hangs is left behind."""
    if any(thread.name == _THREAD for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(0)
    sys.exit(0)
