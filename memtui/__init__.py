"""memtui: a terminal chat whose long-term memory you can watch forget."""

from __future__ import annotations

__version__ = "0.1.0"
