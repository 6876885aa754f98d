"""The command group."""

from __future__ import annotations

import click


@click.group()
def cli() -> None:
    """Chat with a memory you can watch forget."""
