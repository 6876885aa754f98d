"""The command group: what `memtui --help` shows. Each command lives in a module of its own, imported when it is run."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from memtui import __version__
from memtui.errors import InputError
from memtui.locations import HOME_VARIABLE, Home, home

if TYPE_CHECKING:
    from memtui.config import Settings

_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "ask": ("memtui.cli.talk", "Ask once and print the reply; reads a pipe, writes a pipe."),
    "replay": ("memtui.cli.talk", "Play a session file, on screen or without."),
    "memories": ("memtui.cli.memories", "List memories with salience, half-life and what is left of them."),
    "skill": ("memtui.cli.skill", "Skills: learn, recall, reinforce, list, show, approve, archive, restore, dups."),
    "forecast": ("memtui.cli.forecast", "Say which memories fade when, and how many are left."),
    "sleep": ("memtui.cli.memories", "Run the sleep pass: merge repeats, retire what changed, prune what faded."),
    "conflicts": ("memtui.cli.conflicts", "List memories that may contradict each other."),
    "settle": ("memtui.cli.conflicts", "Say which of two memories holds."),
    "verify": ("memtui.cli.memories", "Check the ledger's chain and every stored row against it."),
    "export": ("memtui.cli.files", "Write all memories and their history to a file."),
    "import": ("memtui.cli.files", "Take in a LoCoMo conversation, a session file or an export."),
    "reembed": ("memtui.cli.files", "Make new vectors after a change of embedder."),
    "mcp": ("memtui.cli.mcp", "Serve memory to other agents over MCP (stdio)."),
    "init": ("memtui.cli.agents", "Put memtui into Claude Code, Codex, Cursor, Gemini CLI or opencode."),
    "uninstall": ("memtui.cli.agents", "Take memtui out of them again."),
    "hook": ("memtui.cli.hooks", "Run a hook of another agent; it never fails."),
    "hooks-status": ("memtui.cli.hooks", "Say how the hooks fared."),
    "schedule": ("memtui.cli.schedule", "Decay and export at fixed hours."),
    "doctor": ("memtui.cli.doctor", "Say what is configured, what is reachable and what each part answered."),
    "compare": ("memtui.cli.compare", "Play a session under several laws and say what each keeps."),
    "survival": ("memtui.cli.survival", "Chart how long memories live, by kind or by law."),
    "regret": ("memtui.cli.regret", "List what was let go of and then missed, and what is kept and never used."),
    "bench": ("memtui.cli.bench", "Measure: scenarios against never forgetting, labelled rows, speed."),
}


@dataclass
class Context:
    """What every command gets.

    Attributes:
        home: where everything the user owns lies.
    """

    home: Home
    _settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """The settings, read once.

        Raises:
            ConfigError: unknown key or wrong value, by name.
        """
        if self._settings is None:
            from memtui.config import load_settings

            self._settings = load_settings(self.home.settings_file)
        return self._settings


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are run; the short helps stand in the table above."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry[0]), f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in _COMMANDS.items()])


@click.group(cls=_LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--home",
    "home_folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Keep everything (memories, chats, settings, themes) in this folder; {HOME_VARIABLE} does the same.",
)
@click.option("--theme", metavar="NAME", help="Colours for this run.")
@click.version_option(__version__, prog_name="memtui")
@click.pass_context
def cli(ctx: click.Context, home_folder: Path | None, theme: str | None) -> None:
    """Chat with a memory you can watch forget.

    Without a command this opens the chat. It works at once, with no key and no network (the offline mind); to use a
    model, set it in settings.toml or by environment variables:

    \b
        MEMTUI_MIND__PROVIDER=ollama  MEMTUI_MIND__MODEL=qwen3       memtui
        MEMTUI_MIND__PROVIDER=openai  OPENAI_API_KEY=…               memtui
        MEMTUI_MIND__PROVIDER=qwen    DASHSCOPE_API_KEY=…  MEMTUI_MIND__BASE_URL=…  memtui

    `memtui doctor` tells what is configured and whether it answers.
    """
    context = Context(home(home_folder))
    if context.home.data.exists() and not context.home.data.is_dir():
        raise InputError(f"{context.home.data} is not a folder.", todo="Name a folder with --home, or none.")
    ctx.obj = context
    if ctx.invoked_subcommand is None:
        from memtui.ui.launch import run_app

        ctx.exit(run_app(lambda: context.settings, context.home, theme=theme))


pass_context = click.make_pass_decorator(Context)
"""Gives a command its `Context`."""
