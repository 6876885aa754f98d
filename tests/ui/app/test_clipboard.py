"""Copying says what is known and nothing more."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memtui.ui.clipboard import copy_locally, local_tool, outcome


def test_the_local_tool_is_the_desktops_own() -> None:
    def has_all(name: str) -> str | None:
        return f"/bin/{name}"

    assert local_tool({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, has_all, "linux") == ["wl-copy"]
    assert local_tool({"DISPLAY": ":0"}, has_all, "linux") == ["xclip", "-selection", "clipboard"]
    assert local_tool({}, has_all, "darwin") == ["pbcopy"]
    assert local_tool({}, has_all, "linux") is None
    assert local_tool({"DISPLAY": ":0"}, lambda _: None, "linux") is None


def test_the_exit_code_of_the_tool_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    tool = tmp_path / "wl-copy"
    tool.write_text(f"#!/bin/sh\ncat > {got}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert copy_locally("hello \ud800", {"WAYLAND_DISPLAY": "w"}) == "wl-copy"
    assert got.read_bytes() == b"hello ?"
    tool.write_text("#!/bin/sh\nexit 1\n")
    assert copy_locally("hello", {"WAYLAND_DISPLAY": "w"}) is None


def test_what_is_said_claims_no_more_than_is_known() -> None:
    assert outcome(1, True, None) == "Sent 1 character to the terminal's clipboard."
    assert outcome(1200, True, "xclip") == "Copied 1,200 characters with xclip."
    assert "too many" in outcome(2_000_000, False, None)
