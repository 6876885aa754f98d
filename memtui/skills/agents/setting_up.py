"""`memtui init` and `memtui uninstall`: all files of the named agents, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.errors import InputError
from memtui.skills.agents import entries
from memtui.skills.agents.config_files import Change, apply_changes, plan_change
from memtui.skills.agents.entries import AGENTS, SCOPES, Places


@dataclass(frozen=True, slots=True)
class Done:
    """What was done to the files.

    Attributes:
        written: files that were changed, made or (when nothing of anybody's was left in them) deleted.
        unchanged: files that were as they should be.
        backups: copies of what was there before.
        left_alone: by file: why it was not touched (only `uninstall` goes on past one).
    """

    written: tuple[Path, ...]
    unchanged: tuple[Path, ...]
    backups: tuple[Path, ...]
    left_alone: tuple[str, ...] = ()


def set_up(agents: Iterable[str], scope: str, program: Sequence[str], places: Places) -> Done:
    """Write our MCP server into the agents' files, and for Claude Code the hooks. Doing it again changes nothing.

    Args:
        program: the command that runs memtui, without what it is to do.

    Raises:
        InputError: a file can't be used; none was touched.
        StoreFullError: a file can't be written; all are as they were.
    """
    changes: list[Change] = []
    for agent in agents:
        changes.append(plan_change(entries.server_file(agent, scope, places), entries.put_server(agent, program)))
        if agent == "claude-code":
            changes.append(plan_change(entries.hooks_file(scope, places), entries.put_hooks(program)))
    return _apply(changes)


def take_out(agents: Iterable[str], scopes: Iterable[str], places: Places) -> Done:
    """Take out what `set_up` wrote; everything else stays. Files that can't be used are left alone and named.

    Raises:
        StoreFullError: a file can't be written; all are as they were.
    """
    changes: list[Change] = []
    problems: list[str] = []
    seen: set[Path] = set()
    for agent in agents:
        for scope in scopes:
            plans = [(entries.server_file(agent, scope, places), entries.drop_server(agent))]
            if agent == "claude-code":
                plans.append((entries.hooks_file(scope, places), entries.drop_hooks()))
            for path, edit in plans:
                if path in seen:  # a project that is the home folder has the user's files
                    continue
                seen.add(path)
                if path.exists() or path.is_symlink():
                    try:
                        changes.append(plan_change(path, edit))
                    except InputError as error:
                        problems.append(str(error))
    done = _apply(changes)
    return Done(done.written, done.unchanged, done.backups, tuple(problems))


def shown(agents: Iterable[str], program: Sequence[str]) -> str:
    """What would be written, for people who do it by hand."""
    import json

    parts: list[str] = []
    for agent in agents:
        entry = entries.server_entry(agent, program)
        if agent == "codex":
            import tomlkit

            parts.append(f"# codex: config.toml\n{tomlkit.dumps({'mcp_servers': {entries.NAME: entry}})}")
            continue
        table = "mcp" if agent == "opencode" else "mcpServers"
        parts.append(
            f"// {agent}: MCP servers\n{json.dumps({table: {entries.NAME: entry}}, indent=2, ensure_ascii=False)}\n"
        )
        if agent == "claude-code":
            data: dict[str, object] = {}
            entries.put_hooks(program)(data)
            parts.append(f"// claude-code: settings.json\n{json.dumps(data, indent=2, ensure_ascii=False)}\n")
    return "\n".join(parts)


def _apply(changes: Sequence[Change]) -> Done:
    backups = apply_changes(changes)
    written = tuple(change.path for change in changes if change.changes)
    return Done(written, tuple(change.path for change in changes if not change.changes), tuple(backups))


__all__ = ["AGENTS", "SCOPES", "Done", "Places", "set_up", "shown", "take_out"]
