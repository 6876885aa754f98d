"""What was decided about pairs of texts: minds' verdicts, which are a cache, and the person's answers, which beat them.

A mind's verdict is knowledge about two texts, so it is kept even when the pass that made it was undone: asking again would
cost a call. Such a verdict *counts* no more, though: only what counts opens a conflict, so that undo gives back the
conflicts there were before, exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from memtui.memory.events import Event, Judged, SetAside
from memtui.memory.model import YOU, Label

TextPair: TypeAlias = tuple[str, str]
"""Content hashes of an older and a newer text."""
_V = TypeVar("_V")


@dataclass
class Verdicts:
    """Everything said about each pair, and what follows from it, kept up event by event.

    Attributes:
        cache: the verdict to go by: the person's last one, else a mind's last one (undone ones where there is no other).
        proposing: pairs whose counting verdict says that the newer replaces the older: the few a conflict can come from.
        answers: the last counting event by which the person decided about a pair or put it aside.
    """

    cache: dict[TextPair, Judged] = field(default_factory=dict)
    proposing: dict[TextPair, Judged] = field(default_factory=dict)
    answers: dict[TextPair, Event] = field(default_factory=dict)
    _said: dict[TextPair, tuple[Event, ...]] = field(default_factory=dict)
    _uncounted: set[TextPair] = field(default_factory=set)

    def take(self, event: Event, undone: Collection[str]) -> None:
        """Take a `Judged` or `SetAside` event in; any other means nothing here."""
        pair = _pair_of(event)
        if pair is not None:
            self._said[pair] = (*self._said.get(pair, ()), event)
            self._weigh(pair, undone)

    def refold(self, events: Iterable[Event], undone: Collection[str]) -> None:
        """Weigh anew the pairs these events speak of, because whether they count has changed."""
        for pair in {pair for event in events if (pair := _pair_of(event)) is not None}:
            self._weigh(pair, undone)

    def counts(self, pair: TextPair) -> bool:
        """Whether the pair's verdict stands in the ledger and was not undone."""
        return pair in self.cache and pair not in self._uncounted

    def answer(self, one: str, other: str) -> Event | None:
        """The person's last counting answer about two texts, whichever is the older."""
        there, back = self.answers.get((one, other)), self.answers.get((other, one))
        if there is None or back is None:
            return there or back
        return max(there, back, key=lambda event: event.seq)

    def _weigh(self, pair: TextPair, undone: Collection[str]) -> None:
        said = self._said[pair]
        counting = [event for event in said if event.block not in undone] if undone else said
        best = _best(counting)
        cached = best if best is not None else _best(event for event in said if not is_answer(event))
        _put(self.cache, pair, cached)
        _put(self.proposing, pair, best if best is not None and best.label is Label.SUPERSEDES else None)
        _put(self.answers, pair, next((event for event in reversed(counting) if is_answer(event)), None))
        (self._uncounted.add if best is None else self._uncounted.discard)(pair)


def is_answer(event: Event) -> bool:
    """Whether an event is the person's own word about a pair."""
    body = event.body
    return isinstance(body, SetAside) or (isinstance(body, Judged) and body.judge == YOU)


def _pair_of(event: Event) -> TextPair | None:
    body = event.body
    return (body.older, body.newer) if isinstance(body, Judged | SetAside) else None


def _best(events: Iterable[Event]) -> Judged | None:
    """The last verdict; one by the person goes before every mind's."""
    verdicts = [event.body for event in events if isinstance(event.body, Judged)]
    persons = [body for body in verdicts if body.judge == YOU]
    return persons[-1] if persons else verdicts[-1] if verdicts else None


def _put(table: dict[TextPair, _V], pair: TextPair, value: _V | None) -> None:
    if value is None:
        table.pop(pair, None)
    else:
        table[pair] = value
