"""The laws of forgetting: one protocol, chosen in the settings."""

from __future__ import annotations

from typing import Protocol

from memtui.memory.frame import Bools, Floats, Frame, Ints


class Law(Protocol):
    """What decides how much of a memory is left, and when it is gone. Reading is free: nothing is ever changed."""

    @property
    def name(self) -> str:
        """What the settings call it."""
        ...

    @property
    def floor(self) -> float:
        """Retention below which a memory is pruned by a sleep pass."""
        ...

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """How much is left of each memory at `now_us` (microseconds UTC): float64 (n,), may exceed 1."""
        ...

    def dies_at(self, frame: Frame) -> Ints:
        """Microseconds UTC at which each falls below the floor if never recalled: int64 (n,); `NEVER_US` when pinned."""
        ...

    def faded(self, frame: Frame, now_us: int) -> Bools:
        """Which active, unpinned memories are below the floor at `now_us`: bool (n,)."""
        ...

    def half_life_label(self, kind_code: int) -> str:
        """The half-life class of a kind as the panel shows it, such as `E72h` or `S30d`."""
        ...
