"""Which files the agents read, and what memtui writes into them.

Formats as their own documentation has them (November 2026):
Claude Code: `mcpServers` in `~/.claude.json` or a project's `.mcp.json`, hooks in `settings.json` of `~/.claude` or
`.claude`; Codex: `[mcp_servers.NAME]` in `config.toml` of `~/.codex` or a trusted project's `.codex`; Cursor: `mcpServers`
in `.cursor/mcp.json`; Gemini CLI: `mcpServers` in `.gemini/settings.json`; opencode: `mcp` with `type: local` and one list
as the command in `opencode.json` (version 2 reads it too).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtui.errors import InputError
from memtui.skills.agents.config_files import Edit

NAME: Final = "memtui"
"""What the server is called in every agent."""
AGENTS: Final = ("claude-code", "codex", "cursor", "gemini", "opencode")
SCOPES: Final = ("user", "project")

HOOKS: Final[dict[str, tuple[str, str]]] = {
    "SessionStart": ("session-start", ""),
    "UserPromptSubmit": ("prompt", ""),
    "PreToolUse": ("tool", "Bash|Edit|MultiEdit|Write|NotebookEdit"),
    "Stop": ("stop", ""),
    "SessionEnd": ("session-end", ""),
}
"""Claude Code's event -> (our hook, which tools it is for)."""
_HOOK_LIMIT_S: Final = 5
"""Seconds after which Claude Code stops waiting; our hooks end themselves long before."""

Table = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True)
class Places:
    """Where agents keep their files.

    Attributes:
        user: the person's home folder.
        project: the folder of the project.
        environ: environment variables; some agents let them move their folder.
    """

    user: Path
    project: Path
    environ: Mapping[str, str]

    @classmethod
    def here(cls, project: Path | None = None) -> Places:
        """Those of this process."""
        return cls(Path.home(), (project or Path.cwd()).absolute(), os.environ)

    def folder(self, variable: str, otherwise: str) -> Path:
        """A folder of the user's that a variable may move."""
        return Path(self.environ[variable]) if self.environ.get(variable) else self.user / otherwise


def server_file(agent: str, scope: str, places: Places) -> Path:
    """The file an agent reads its MCP servers from."""
    user = scope == "user"
    match agent:
        case "claude-code" if user:
            moved = places.environ.get("CLAUDE_CONFIG_DIR")
            return (Path(moved) if moved else places.user) / ".claude.json"
        case "claude-code":
            return places.project / ".mcp.json"
        case "codex":
            return (places.folder("CODEX_HOME", ".codex") if user else places.project / ".codex") / "config.toml"
        case "cursor":
            return (places.user if user else places.project) / ".cursor" / "mcp.json"
        case "gemini":
            return (places.user if user else places.project) / ".gemini" / "settings.json"
        case "opencode":
            folder = places.folder("XDG_CONFIG_HOME", ".config") / "opencode" if user else places.project
            commented = folder / "opencode.jsonc"
            return commented if commented.exists() else folder / "opencode.json"
    raise InputError(f"'{agent}' is no agent we know.", todo=f"One of {', '.join(AGENTS)}.")


def hooks_file(scope: str, places: Places) -> Path:
    """The file Claude Code reads its hooks from."""
    folder = places.folder("CLAUDE_CONFIG_DIR", ".claude") if scope == "user" else places.project / ".claude"
    return folder / "settings.json"


def server_entry(agent: str, program: Sequence[str]) -> Table:
    """What stands under the server's name."""
    command = [*program, "mcp"]
    if agent == "opencode":
        return {"type": "local", "command": command, "enabled": True}
    kind = {"type": "stdio"} if agent in ("claude-code", "cursor") else {}
    return {**kind, "command": command[0], "args": command[1:]}


def _server_table(agent: str) -> str:
    return {"codex": "mcp_servers", "opencode": "mcp"}.get(agent, "mcpServers")


def put_server(agent: str, program: Sequence[str]) -> Edit:
    """Put our server into an agent's file; a foreign one of the same name is not replaced."""
    entry = server_entry(agent, program)

    def edit(data: Table) -> None:
        servers = _table(data, _server_table(agent))
        there = servers.get(NAME)
        if there is not None and not _is_our_server(there):
            raise InputError(
                f"There is another MCP server named '{NAME}'.", safe="It was left as it is.", todo="Rename it, or remove it."
            )
        if there is None:
            servers[NAME] = entry
            return
        for key, value in entry.items():  # what the person added to it (a time-out, an environment) stays
            if there.get(key) != value:
                there[key] = value

    return edit


def drop_server(agent: str) -> Edit:
    """Take our server out, and its table if nothing else is in it."""

    def edit(data: Table) -> None:
        name = _server_table(agent)
        servers = data.get(name)
        if isinstance(servers, MutableMapping) and NAME in servers and _is_our_server(servers[NAME]):
            del servers[NAME]
            if not servers:
                del data[name]

    return edit


def put_hooks(program: Sequence[str]) -> Edit:
    """Put our hooks into Claude Code's settings, in the place of our earlier ones; those of others stay."""

    def edit(data: Table) -> None:
        hooks = _table(data, "hooks")
        for event, (name, matcher) in HOOKS.items():
            group = _hook_group(shlex.join([*program, "hook", name]), matcher)
            groups = hooks.setdefault(event, [])
            if not isinstance(groups, list):
                raise InputError(f"'hooks.{event}' is no list.", safe="It was left as it is.")
            if group in groups and sum(map(_holds_ours, groups)) == 1:
                continue
            _without_ours(groups)
            groups.append(group)

    return edit


def drop_hooks() -> Edit:
    """Take our hooks out, and what is empty then."""

    def edit(data: Table) -> None:
        hooks = data.get("hooks")
        if not isinstance(hooks, dict):
            return
        for event in [
            event for event, groups in hooks.items() if isinstance(groups, list) and any(map(_holds_ours, groups))
        ]:
            _without_ours(hooks[event])
            if not hooks[event]:
                del hooks[event]
        if not hooks:
            del data["hooks"]

    return edit


def missing_server(places: Places) -> str:
    """What keeps Claude Code from reaching our MCP server, in a sentence; empty when it is configured and can start.

    Best effort: a file that can't be read counts as one without it.
    """
    from memtui.skills.agents.config_files import read_json

    for scope in SCOPES:
        try:
            data = read_json(server_file("claude-code", scope, places))
        except InputError:
            continue
        own = data.get("projects", {}) if scope == "user" else {}  # `claude mcp add` keeps a project's servers there
        for holder in (data, own.get(str(places.project)) if isinstance(own, dict) else None):
            servers = holder.get("mcpServers") if isinstance(holder, dict) else None
            entry = servers.get(NAME) if isinstance(servers, dict) else None
            if not isinstance(entry, dict):
                continue
            command = entry.get("command")
            if isinstance(command, str) and Path(command).is_absolute() and not Path(command).exists():
                return "memtui's MCP server can't start: its program is gone. Run `memtui init --claude-code` again."
            return ""
    return "memtui's MCP server is not configured here: its mem_ tools are missing. Run `memtui init --claude-code`."


def _table(data: Table, name: str) -> Table:
    there = data.setdefault(name, {})
    if not isinstance(there, MutableMapping):
        raise InputError(f"'{name}' is no table.", safe="It was left as it is.")
    return data[name]  # type: ignore[no-any-return]  # tomlkit puts its own kind of table there


def _is_our_server(entry: object) -> bool:
    if not isinstance(entry, MutableMapping):
        return False
    command = entry.get("command")
    words = list(command) if isinstance(command, list) else [command, *(entry.get("args") or [])]
    return words[-1:] == ["mcp"] and any("memtui" in str(word) for word in words)


def _hook_group(command: str, matcher: str) -> Table:
    hook = {"type": "command", "command": command, "timeout": _HOOK_LIMIT_S}
    return {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}


def _is_our_hook(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return len(words) > 2 and words[-2] == "hook" and any("memtui" in word for word in words[:-2])


def _holds_ours(group: object) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and any(map(_is_our_hook, hooks))


def _without_ours(groups: list[Any]) -> None:
    """Take our hooks out of the groups; a group that held nothing else goes."""
    for group in [group for group in groups if _holds_ours(group)]:
        group["hooks"] = [hook for hook in group["hooks"] if not _is_our_hook(hook)]
        if not group["hooks"]:
            groups.remove(group)
