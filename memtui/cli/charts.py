"""`--chart DIR`, as every command that draws has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def chart_option(what: str = "the chart") -> Callable[[F], F]:
    """The option `--chart DIR`; `what` says in its help what is written."""
    return click.option(
        "--chart",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help=f"Write {what} as SVG and PNG into DIR (needs the extra 'chart').",
    )


def warn_of_charts(chart: Path | None) -> None:
    """Say on standard error, before anything is measured, what a wanted chart will lack."""
    from memtui.bench.svgchart import chart_warning

    if chart is not None and (warning := chart_warning()):
        click.echo(warning, err=True)
