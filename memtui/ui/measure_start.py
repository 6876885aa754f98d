"""How long it takes from the start of the process until the full screen is on the terminal."""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Final

from memtui.clock import monotonic
from memtui.errors import MemtuiError

_ESCAPES: Final = re.compile(rb"\x1b\[[0-9;?<>=$]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b\][^\x07]*\x07")
MARKS: Final[tuple[str, ...]] = ("memtui", "Say something", "Active", "now", "commands")
"""One text of each part: clock line, prompt, panel, time line, key line."""


def measure_first_paint(
    *, columns: int = 120, rows: int = 36, timeout_s: float = 20.0, command: Sequence[str] | None = None
) -> float:
    """Seconds from the start of a process that runs the app on a fresh home until all parts of its screen were written.

    The terminal is a pseudo-terminal; the process is ended as soon as the screen stands.

    Raises:
        MemtuiError: there are no pseudo-terminals here, or the screen did not come within `timeout_s`.
    """
    try:
        import fcntl
        import pty
        import termios
    except ImportError as error:
        raise MemtuiError("The first paint can't be measured on this system: it has no pseudo-terminals.") from error
    with tempfile.TemporaryDirectory(prefix="memtui-paint-") as folder:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MEMTUI_")}
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "MEMTUI_HOME": folder}
        environment |= {"COLUMNS": str(columns), "LINES": str(rows)}
        began = monotonic()
        process = subprocess.Popen(
            command or [sys.executable, "-m", "memtui"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            return _until_painted(ours, timeout_s) - began
        finally:
            process.kill()
            process.wait()
            os.close(ours)


def _until_painted(terminal: int, timeout_s: float) -> float:
    written = b""
    deadline = monotonic() + timeout_s
    while monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if not ready:
            continue
        try:
            written += os.read(terminal, 1 << 16)
        except OSError:  # the process ended
            break
        text = _ESCAPES.sub(b"", written).decode("utf-8", "replace")
        if all(mark in text for mark in MARKS):
            return monotonic()
    seen = _ESCAPES.sub(b"", written).decode("utf-8", "replace").strip()[-300:]
    raise MemtuiError(f"The screen did not come within {timeout_s:g} s.", todo=f"What came instead: {seen!r}")
