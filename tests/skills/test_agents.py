"""Other agents' configuration: what is written, that it is written once, and that nothing broken is touched."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import InputError, StoreFullError
from memtui.skills.agents import config_files
from memtui.skills.agents.config_files import apply_changes, plan_change
from memtui.skills.agents.entries import AGENTS, HOOKS, Places, hooks_file, missing_server, server_file
from memtui.skills.agents.setting_up import SCOPES, set_up, shown, take_out

PROGRAM = ("/opt/my python/bin/python", "-P", "-m", "memtui")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    return Places(tmp_path / "home", tmp_path / "project", {})


def read(path: Path) -> Any:
    return tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_text())


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("agent", AGENTS)
def test_writing_twice_is_writing_once_and_uninstall_leaves_nothing(places: Places, agent: str, scope: str) -> None:
    before = everything(places.user.parent)
    done = set_up([agent], scope, PROGRAM, places)
    after = everything(places.user.parent)
    assert done.written and not done.backups and len(after) == len(done.written)
    again = set_up([agent], scope, PROGRAM, places)
    assert not again.written and everything(places.user.parent) == after
    take_out([agent], SCOPES, places)
    assert everything(places.user.parent) == before


def test_each_agent_gets_its_own_form(places: Places) -> None:
    set_up(AGENTS, "user", PROGRAM, places)
    home = places.user
    command, args = PROGRAM[0], [*PROGRAM[1:], "mcp"]
    assert read(home / ".claude.json")["mcpServers"]["memtui"] == {"type": "stdio", "command": command, "args": args}
    assert read(home / ".codex/config.toml") == {"mcp_servers": {"memtui": {"command": command, "args": args}}}
    assert read(home / ".cursor/mcp.json")["mcpServers"]["memtui"]["args"] == args
    assert read(home / ".gemini/settings.json")["mcpServers"]["memtui"] == {"command": command, "args": args}
    local = {"type": "local", "command": [command, *args], "enabled": True}
    assert read(home / ".config/opencode/opencode.json")["mcp"]["memtui"] == local
    hooks = read(home / ".claude/settings.json")["hooks"]
    assert set(hooks) == set(HOOKS)
    assert hooks["PreToolUse"][0]["matcher"].split("|")[0] == "Bash"
    assert hooks["Stop"][0]["hooks"][0]["command"] == "'/opt/my python/bin/python' -P -m memtui hook stop"


def test_projects_and_moved_folders(places: Places, tmp_path: Path) -> None:
    project = places.project
    assert server_file("claude-code", "project", places) == project / ".mcp.json"
    assert server_file("codex", "project", places) == project / ".codex" / "config.toml"
    assert server_file("opencode", "project", places) == project / "opencode.json"
    moved = Places(places.user, project, {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")})
    assert server_file("claude-code", "user", moved) == tmp_path / "c" / ".claude.json"
    assert hooks_file("user", moved) == tmp_path / "c" / "settings.json"
    assert server_file("codex", "user", moved) == tmp_path / "x" / "config.toml"


def test_what_others_wrote_stays(places: Places) -> None:
    path = hooks_file("user", places)
    path.parent.mkdir()
    own = {"type": "command", "command": "lint"}
    mine: dict[str, Any] = {"model": "opus", "hooks": {"Stop": [{"hooks": [own]}], "PreToolUse": []}, "ключ": [1.5, None]}
    path.write_text(json.dumps(mine, indent=4))
    done = set_up(["claude-code"], "user", PROGRAM, places)
    data = read(path)
    assert data["hooks"]["Stop"][0]["hooks"][0] == own and len(data["hooks"]["Stop"]) == 2
    assert "\n    " in path.read_text() and "ключ" in path.read_text()
    assert [backup.read_text() for backup in done.backups] == [json.dumps(mine, indent=4)]
    set_up(["claude-code"], "user", ("/new/python", "-m", "memtui"), places)  # memtui moved: its hooks are replaced
    assert len(read(path)["hooks"]["Stop"]) == 2 and "/opt" not in path.read_text()
    take_out(AGENTS, SCOPES, places)
    left = read(path)
    mine["hooks"].pop("PreToolUse")  # it was empty, and is empty again
    assert left == mine


def test_toml_keeps_comments_and_order(places: Places) -> None:
    path = places.user / ".codex" / "config.toml"
    path.parent.mkdir()
    before = '# my own\nmodel = "x"  # best\n\n[mcp_servers.other]\ncommand = "a"\n\n[tui]\ntheme = "dark"\n'
    path.write_text(before)
    set_up(["codex"], "user", PROGRAM, places)
    text = path.read_text()
    assert "# my own" in text and "# best" in text and set(read(path)["mcp_servers"]) == {"other", "memtui"}
    path.write_text(text.replace('args = ["-P"', 'startup_timeout_sec = 30\nargs = ["-P"'))
    set_up(["codex"], "user", ("/new", "-m", "memtui"), places)
    assert read(path)["mcp_servers"]["memtui"]["startup_timeout_sec"] == 30  # what the person added stays
    take_out(["codex"], SCOPES, places)
    assert tomllib.loads(before) == read(path) and "# best" in path.read_text()


BROKEN: dict[str, str | bytes] = {
    "comments": '{\n  // mine\n  "a": 1\n}',
    "trailing comma": '{"a": 1,}',
    "cut off": '{"a": {"b": ',
    "a list": "[]",
    "twice": '{"mcpServers": {"x": {}}, "mcpServers": {}}',
    "NaN": '{"a": NaN}',
    "huge number": '{"a": 1e999}',
    "servers are a list": '{"mcpServers": []}',
    "another memtui": '{"mcpServers": {"memtui": {"command": "other"}}}',
    "not UTF-8": b'{"a": "\xff"}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_left_alone_and_nothing_else_is_written(places: Places, name: str) -> None:
    path = places.project / ".mcp.json"
    content = BROKEN[name]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = everything(places.user.parent)
    with pytest.raises(InputError) as caught:
        set_up(["cursor", "claude-code"], "project", PROGRAM, places)
    assert everything(places.user.parent) == before
    assert len(str(caught.value).splitlines()) == 1
    if name in ("comments", "cut off"):
        done = take_out(AGENTS, SCOPES, places)
        assert len(done.left_alone) == 1 and everything(places.user.parent) == before


def test_broken_toml_and_commented_opencode_are_left_alone(places: Places) -> None:
    codex = places.user / ".codex" / "config.toml"
    codex.parent.mkdir()
    codex.write_text("a = \n")
    commented = places.project / "opencode.jsonc"
    commented.write_text('{ /* mine */ "mcp": {} }')
    for agent, scope in (("codex", "user"), ("opencode", "project")):
        with pytest.raises(InputError):
            set_up([agent], scope, PROGRAM, places)
    assert codex.read_text() == "a = \n" and not (places.project / "opencode.json").exists()


def test_an_inline_toml_table_is_extended_or_refused_never_broken(places: Places) -> None:
    path = places.user / ".codex" / "config.toml"
    path.parent.mkdir()
    for before in ('mcp_servers = { other = { command = "a" } }\n', "mcp_servers.other.command = 'a'\n[x]\ny = 1\n"):
        path.write_text(before)
        try:
            set_up(["codex"], "user", PROGRAM, places)
        except InputError:
            assert path.read_text() == before
        else:
            assert set(read(path)["mcp_servers"]) == {"other", "memtui"}


def test_links_stay_links_and_modes_stay(places: Places, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}')
    real.chmod(0o600)
    link = places.user / ".claude.json"
    link.symlink_to(real)
    set_up(["claude-code"], "user", PROGRAM, places)
    assert link.is_symlink() and set(read(real)) == {"a", "mcpServers"}
    assert real.stat().st_mode & 0o777 == 0o600
    backup = real.with_name("dotfiles.json.memtui-1.bak")
    assert backup.read_text() == '{"a": 1}' and backup.stat().st_mode & 0o777 == 0o600


def test_links_to_nowhere_and_read_only_files_are_refused(places: Places, tmp_path: Path) -> None:
    link = places.user / ".claude.json"
    link.symlink_to(tmp_path / "gone" / "x.json")
    with pytest.raises(InputError, match="nowhere"):
        set_up(["claude-code"], "user", PROGRAM, places)
    assert link.is_symlink() and not (places.user / ".claude").exists()
    fixed = places.project / ".mcp.json"
    fixed.write_text("{}")
    fixed.chmod(0o444)
    with pytest.raises(InputError, match="read-only"):
        set_up(["claude-code"], "project", PROGRAM, places)
    assert fixed.read_text() == "{}"


def test_a_write_that_fails_takes_the_others_back(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    server = places.project / ".mcp.json"
    server.write_text('{"a": 1}')
    put = config_files._put

    def failing(target: Path, before: bytes | None, after: bytes | None, mode: int | None = None) -> None:
        if target.name == "settings.json":
            raise OSError(28, "No space left on device")
        put(target, before, after, mode)

    monkeypatch.setattr(config_files, "_put", failing)
    with pytest.raises(StoreFullError, match="No space"):
        set_up(["claude-code"], "project", PROGRAM, places)
    assert server.read_text() == '{"a": 1}'


def test_a_file_that_changed_meanwhile_is_not_overwritten(places: Places) -> None:
    path = places.project / ".mcp.json"
    path.write_text('{"a": 1}')

    def edit(data: dict[str, Any]) -> None:
        data["b"] = 2

    change = plan_change(path, edit)
    path.write_text('{"a": 3}')
    with pytest.raises(StoreFullError, match="another program"):
        apply_changes([change])
    assert path.read_text() == '{"a": 3}'


def test_backups_are_numbered_and_not_repeated(places: Places) -> None:
    path = places.project / ".mcp.json"
    for number in (1, 2):
        path.write_text(json.dumps({"a": number}))
        set_up(["claude-code"], "project", PROGRAM, places)
    names = sorted(entry.name for entry in places.project.glob(".mcp.json.*"))
    assert names == [".mcp.json.memtui-1.bak", ".mcp.json.memtui-2.bak"]


def test_layout_of_a_json_file_is_kept(places: Places) -> None:
    path = places.project / ".mcp.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n\t"a": "\xd1\x8f"\r\n}\r\n')
    set_up(["claude-code"], "project", PROGRAM, places)
    raw = path.read_bytes()
    assert raw.startswith(b'\xef\xbb\xbf{\r\n\t"a": "\xd1\x8f",\r\n') and raw.count(b"\n") == raw.count(b"\r\n")
    path.write_text("  \n")  # an empty file is no broken one
    set_up(["claude-code"], "project", PROGRAM, places)
    assert set(read(path)) == {"mcpServers"}


def test_the_missing_server_is_told(places: Places, tmp_path: Path) -> None:
    assert "not configured" in missing_server(places)
    program = tmp_path / "python"
    program.write_text("")
    set_up(["claude-code"], "project", (str(program), "-m", "memtui"), places)
    assert missing_server(places) == ""
    program.unlink()
    assert "is gone" in missing_server(places)
    (places.project / ".mcp.json").write_text("{ broken")
    assert "not configured" in missing_server(places)
    local = {"projects": {str(places.project): {"mcpServers": {"memtui": {"command": "memtui", "args": ["mcp"]}}}}}
    (places.user / ".claude.json").write_text(json.dumps(local))  # as `claude mcp add` writes it
    (places.user / ".claude.json").chmod(0o444)
    assert missing_server(places) == ""
    (places.user / ".claude.json").chmod(0o644)
    (places.user / ".claude.json").write_text('{"projects": [], "mcpServers": 3}')
    assert "not configured" in missing_server(places)


def test_uninstall_in_the_home_folder_meets_its_files_once(places: Places) -> None:
    at_home = Places(places.user, places.user, {})
    set_up(AGENTS, "user", PROGRAM, at_home)
    done = take_out(AGENTS, SCOPES, at_home)
    assert len(done.written) == 6 and not everything(places.user)


def test_print_shows_what_would_be_written(places: Places) -> None:
    text = shown(AGENTS, PROGRAM)
    assert "[mcp_servers.memtui]" in text and '"PreToolUse"' in text and '"type": "local"' in text


leaves = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


@settings(max_examples=40, deadline=None)
@given(data=st.dictionaries(st.text(), values, max_size=4))
def test_any_settings_survive_in_and_out(tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("any")
    places = Places(folder / "home", folder, dict(os.environ))
    path = folder / ".cursor" / "mcp.json"
    path.parent.mkdir()
    data.pop("mcpServers", None)
    path.write_text(json.dumps(data))
    set_up(["cursor"], "project", PROGRAM, places)
    assert {key: value for key, value in read(path).items() if key != "mcpServers"} == data
    take_out(["cursor"], ["project"], places)
    assert read(path) == data
