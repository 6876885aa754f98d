"""Ids of memories and blocks: ULID-shaped, made from what they stand for.

48 bits of simulated milliseconds, then 80 bits of a SHA-256: they sort by time, and the same turn retried makes the same
id, so a retry after a crash can't store anything twice and a replay gives the same state hash.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import Final

from memtui.memory.moments import to_us

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ID_PATTERN: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
"""What an id looks like; nothing else is ever put into a database filter."""


def make_id(at: datetime, *parts: str | int) -> str:
    """The id of what `parts` name, made at `at`."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).digest()
    number = (max(0, to_us(at) // 1000) << 80) | int.from_bytes(digest[:10], "big")
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
