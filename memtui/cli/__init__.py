"""The commands. Nothing heavy is imported here: `memtui --help` and the first paint depend on it."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from memtui.cli.commands import cli

    cli()
