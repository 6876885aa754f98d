"""When a memory was used: the history a law of forgetting works from.

A chain that shares its past: adding a use costs the same after ten uses and after ten thousand, and every earlier state
of a memory keeps its own end of the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum


class How(StrEnum):
    """How a memory was used."""

    RECALLED = "recalled"
    """Given to a prompt, or restored."""
    REINFORCED = "reinforced"
    """Told again by the user."""
    FAILED = "failed"
    """Reported not to have worked (procedural memories)."""


class Uses:
    """The last use and, behind it, those before.

    Attributes:
        at_us: moment of the use, microseconds UTC.
        how: what it was.
        count: how many uses this link stands for. Where only their number is known (a merged or imported memory brings its
            count along), they lie evenly over (`since_us`, `at_us`], the last of them at `at_us`.
        before: the earlier links.
    """

    __slots__ = ("at_us", "before", "count", "how", "since_us")

    def __init__(
        self,
        at_us: int,
        how: How = How.RECALLED,
        before: Uses | None = None,
        *,
        count: int = 1,
        since_us: int | None = None,
    ) -> None:
        self.at_us = at_us
        self.how = how
        self.before = before
        self.count = count
        self.since_us = at_us if since_us is None else since_us

    def links(self) -> Iterator[Uses]:
        """The links, the last first."""
        link: Uses | None = self
        while link is not None:
            yield link
            link = link.before

    def moments(self) -> list[tuple[int, How]]:
        """Every single use as (microseconds UTC, how), in the order of time."""
        out: list[tuple[int, How]] = []
        for link in self.links():
            if link.count == 1:
                out.append((link.at_us, link.how))
                continue
            span = link.at_us - link.since_us
            out.extend((link.since_us + span * k // link.count, link.how) for k in range(link.count, 0, -1))
        out.reverse()
        return sorted(out, key=lambda use: use[0])

    def record(self) -> list[list[int | str]]:
        """The links as JSON-ready data, the first first."""
        records: list[list[int | str]] = [[link.at_us, link.how.value, link.count, link.since_us] for link in self.links()]
        return records[::-1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Uses):
            return NotImplemented
        one: Uses | None = self
        two: Uses | None = other
        while one is not None and two is not None:
            if one is two:
                return True
            if (one.at_us, one.how, one.count, one.since_us) != (two.at_us, two.how, two.count, two.since_us):
                return False
            one, two = one.before, two.before
        return one is two

    def __hash__(self) -> int:
        return hash((self.at_us, self.how, self.count, self.since_us))

    def __repr__(self) -> str:
        return f"Uses({self.record()!r})"
