"""The laws of forgetting: one protocol, chosen in the settings.

A law is a pure function of what happened (the frame's rows and their history of uses) and a moment. It keeps no account
of its own: how often or when anybody looks, or a pass runs, changes nothing.
"""

from __future__ import annotations

from typing import Protocol

from memtui.memory.frame import Bools, Floats, Frame, Ints

LAW_NAMES: tuple[str, ...] = ("salience", "stability", "strength", "fsrs", "naive", "window")
"""What `memory.law` may be; the last two are baselines to compare with."""


class Law(Protocol):
    """What decides how much of a memory is left, and when it is gone. Reading is free: nothing is ever changed."""

    @property
    def name(self) -> str:
        """What the settings call it."""
        ...

    @property
    def floor(self) -> float:
        """Retention below which a memory is pruned by a sleep pass; 0 where nothing fades by itself."""
        ...

    @property
    def capacity(self) -> int | None:
        """How many active memories there may be before some have to go; None: any number.

        With a capacity the fate of a memory hangs on all others: `dies_at` and `faded` want the whole frame.
        """
        ...

    def retention(self, frame: Frame, now_us: int) -> Floats:
        """How much is left of each memory at `now_us` (microseconds UTC): float64 (n,), may exceed 1."""
        ...

    def dies_at(self, frame: Frame) -> Ints:
        """Moment (microseconds UTC) from which each is let go if nothing is told or recalled: int64 (n,).

        `NEVER_US` for what is pinned or never goes; what is beyond the capacity is due already.
        """
        ...

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        """Which active, unpinned memories the law lets go of at `now_us`: bool (n,).

        Args:
            leaving: bool (n,), rows that leave for another reason: they make room, and are not let go twice.
            spared: bool (n,), rows that may not go now; where there are too many, others go in their place.
        """
        ...

    def half_life_label(self, kind_code: int) -> str:
        """The half-life class of a kind as the panel shows it, such as `E72h` or `S30d`."""
        ...


def up_for_it(frame: Frame, leaving: Bools | None, spared: Bools | None) -> Bools:
    """Rows a law may let go of: active, unpinned, neither leaving anyway nor spared: bool (n,)."""
    rows = frame.active & ~frame.pinned
    for held in (leaving, spared):
        if held is not None:
            rows = rows & ~held
    return rows


def parting_words(law: Law, retention: float) -> str:
    """Why a memory is let go of with so much left, as the ledger keeps it."""
    if retention < law.floor or law.capacity is None:
        return f"faded below {law.floor:g}"
    return f"the least of more than {law.capacity:,}"
