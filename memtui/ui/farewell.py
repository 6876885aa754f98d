"""Leaving for good within seconds: signals end the program cleanly, and no thread that hangs can hold it.

What was said is on disk by then; what is left is to give the terminal back.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

DEADLINE_S: Final = 4.0
"""Seconds from the decision to leave until the process ends whatever still runs."""
_RESTORE: Final = (
    "\x1b[<u\x1b[?2026l\x1b[?2048l\x1b[?2004l\x1b[?1004l"  # keyboard protocol, synchronised output, resizes, pastes, focus
    "\x1b[?1015l\x1b[?1006l\x1b[?1003l\x1b[?1000l"  # the mouse
    "\x1b[?7h\x1b[?25h\x1b[?1049l\x1b[0m"  # wrapping, the cursor, the screen that was there before
)


def on_signals(leave: Callable[[int], None]) -> None:
    """Call `leave` with the exit code (128 + signal) on SIGTERM and SIGHUP. Must run in the event loop's thread."""
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; not the main thread
                loop.add_signal_handler(number, leave, 128 + number)


class Deadline:
    """Ends the process if leaving takes too long; the terminal is put back as it was when this was made."""

    def __init__(self) -> None:
        self._attributes = _terminal_attributes()
        self._timer: threading.Timer | None = None

    def start(self, code: int, after_s: float = DEADLINE_S) -> None:
        """Count down; the first call decides."""
        if self._timer is None:
            self._timer = threading.Timer(after_s, self._end, (code,))
            self._timer.daemon = True
            self._timer.start()

    def _end(self, code: int) -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal may be gone
            if sys.__stderr__ is not None and sys.__stderr__.isatty():
                os.write(sys.__stderr__.fileno(), _RESTORE.encode())
        _set_terminal_attributes(self._attributes)
        os._exit(code)


def _terminal_attributes() -> list[Any] | None:
    try:
        import termios

        return termios.tcgetattr(sys.stdin.fileno())
    except (ImportError, OSError, ValueError, AttributeError):  # no such module, no terminal
        return None
    except termios.error:
        return None


def _set_terminal_attributes(attributes: list[Any] | None) -> None:
    if attributes is None:
        return
    import termios

    with contextlib.suppress(termios.error, OSError, ValueError):
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, attributes)
