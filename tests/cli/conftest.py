"""The command line with a home of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from memtui.cli import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home") / "memtui"


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMTUI_", "OPENAI_", "DASHSCOPE_"))}
    return kept | {"MEMTUI_HOME": str(home), "MEMTUI_TIMEZONE": "UTC", "PYTHONIOENCODING": "utf-8"} | more


@pytest.fixture(scope="module")
def memtui(home: Path) -> Run:
    """The command line inside this process: what a process of its own does, without its two seconds of imports."""

    def run(
        *arguments: str | Path, given: bytes | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        words = ["memtui", *map(str, arguments)]
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        stdin = io.TextIOWrapper(io.BytesIO(given or b""), encoding="utf-8")
        with (
            mock.patch.dict(os.environ, environment(home, **(env or {})), clear=True),
            mock.patch.multiple(sys, argv=words, stdin=stdin, stdout=out, stderr=err),
        ):
            try:
                main()
                code = 0
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else 0
        read = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]
        return subprocess.CompletedProcess(words, code, *read)

    return run


@pytest.fixture(scope="module")
def process(home: Path) -> Run:
    """The command line in a process of its own."""

    def run(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "memtui", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            env=environment(home, **(env or {})),
            timeout=100,
            check=False,
        )

    return run
