"""What the app opens with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mode:
    """What the app opens with.

    Attributes:
        replay: a session file to play instead of the own chat; the home is not touched then.
        speed: how fast it plays, 1 being as it would be typed and read.
    """

    replay: Path | None = None
    speed: float = 1.0
