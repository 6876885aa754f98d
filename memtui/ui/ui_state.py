"""What the screen remembers between two runs: colours and sort chosen in it, how far time was ahead, its settings.

A hint and nothing more: a file that is gone or broken is an empty one, and the settings and the ledger win.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class UiState:
    """What is remembered.

    Attributes:
        theme, sort: chosen on the screen; "" where nothing was.
        offset_s: seconds simulated time was ahead, shown until the store is open.
        fingerprint, start: what the settings were read from, and their values (see `start`).
    """

    theme: str = ""
    sort: str = ""
    offset_s: float = 0.0
    fingerprint: str = ""
    start: Mapping[str, Any] = field(default_factory=dict)


def read_ui_state(file: Path) -> UiState:
    """The state in `file`; an empty one where there is none that can be read."""
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return UiState()
    if not isinstance(data, dict):
        return UiState()
    default = asdict(UiState())
    known = [each.name for each in fields(UiState)]
    return UiState(**{name: data[name] for name in known if type(data.get(name)) is type(default[name])})


def write_ui_state(file: Path, state: UiState) -> None:
    """Write `state`; a home that can't be written just forgets it."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f".{file.name}.new")
        beside.write_text(json.dumps(asdict(state)), "utf-8")
        beside.replace(file)
