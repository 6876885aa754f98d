"""Spans as the panel's half-life column has room for."""

from __future__ import annotations

import math

from memtui.memory.model import KINDS


def half_life_words(kind_code: int, hours: float) -> str:
    """Such as `E72h`, `S30d`: whole days from 4 days on; `E∞` for what does not fade."""
    letter = KINDS[kind_code].letter
    if math.isinf(hours):
        return f"{letter}∞"
    days, short = (f"{hours / 24:g}", f"{hours:g}")
    if hours >= 96:
        return f"{letter}{days if len(days) <= 4 else f'{hours / 24:.0f}'}d"
    return f"{letter}{short if len(short) <= 4 else f'{hours:.0f}'}h"
