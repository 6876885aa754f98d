"""A branch of a ledger: the trunk under its own law, and where another law leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.chat.nights import nights_between
from memtui.memory import events as ev
from memtui.memory.branch import Branch, difference, grow_branch
from memtui.memory.events import Body, Event
from memtui.memory.frame import Bools, Floats, Frame, Ints
from memtui.memory.ids import make_id
from memtui.memory.laws import Law
from memtui.memory.laws.baselines import NaiveLaw, WindowLaw
from memtui.memory.laws.capacity import Capped
from memtui.memory.laws.fsrs import FsrsLaw
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.laws.stability import StabilityLaw
from memtui.memory.laws.strength import StrengthLaw
from memtui.memory.model import Kind, Label, RetireReason, Status
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.memory.state import fold, state_hash
from memtui.memory.texts import content_hash
from tests.memory import strategies
from tests.memory.builders import DAY, HOUR, START, chained, created

LAW = SalienceLaw()
LONG = SalienceLaw(half_life=dict.fromkeys(Kind, 24.0 * 3650))
SHORT = SalienceLaw(half_life=dict.fromkeys(Kind, 6.0))
LAWS: tuple[Law, ...] = (
    LAW,
    StabilityLaw(capacity=3),
    StrengthLaw(),
    FsrsLaw(),
    NaiveLaw(),
    WindowLaw(capacity=2),
    Capped(LAW, 3),
)


@dataclass(frozen=True)
class Likeness:
    """A law that says the same as another one and is not the same object: nothing may be spared by looking at names."""

    of: Law = field(default_factory=SalienceLaw)
    name: str = "likeness"

    @property
    def floor(self) -> float:
        return self.of.floor

    @property
    def capacity(self) -> int | None:
        return self.of.capacity

    def retention(self, frame: Frame, now_us: int) -> Floats:
        return self.of.retention(frame, now_us)

    def dies_at(self, frame: Frame) -> Ints:
        return self.of.dies_at(frame)

    def faded(self, frame: Frame, now_us: int, *, leaving: Bools | None = None, spared: Bools | None = None) -> Bools:
        return self.of.faded(frame, now_us, leaving=leaving, spared=spared)

    def half_life_label(self, kind_code: int) -> str:
        return self.of.half_life_label(kind_code)


def grown(
    events: Sequence[Event],
    law: Law,
    *,
    trunk_law: Law = LAW,
    until: datetime | None = None,
    nightly: bool = True,
    texts: dict[str, str] | None = None,
) -> Branch:
    branch = grow_branch(
        events,
        lambda content: (texts or {}).get(content, ""),
        trunk_law=trunk_law,
        law=law,
        policy=SleepPolicy(),
        until=until or (events[-1].at if events else START),
        nights=nights_between if nightly else None,
    )
    assert branch is not None
    return branch


def told(name: str, at: datetime, text: str = "", **more: object) -> tuple[str, datetime, list[Body]]:
    made = created(name, text or name, at, **more)  # type: ignore[arg-type]
    return (f"turn {name} {at}", at, [ev.Turned(f"t-{name}", "s"), made])


def ident(name: str) -> str:
    return make_id(START, name)


def pruned(*names: str) -> list[Body]:
    note = content_hash("faded below 0.05")
    gone: list[Body] = [ev.Retired(ident(name), RetireReason.PRUNED, note=note) for name in names]
    return [*gone, ev.Slept("nightly", 0, 0, len(names), 0)]


def life(branch: Branch, name: str) -> tuple[Status, RetireReason | None]:
    memory = branch.side.state.memories[ident(name)]
    return memory.status, memory.retired_reason


# -- the same law ------------------------------------------------------------------------------------------------------


@st.composite
def ledgers(draw: st.DrawFn) -> list[Event]:
    """Any ledger at all: blocks of any bodies, undoes of earlier blocks among them."""
    blocks: list[tuple[str, datetime, list[Body]]] = []
    at = START
    for number in range(draw(st.integers(0, 14))):
        at += timedelta(hours=draw(st.sampled_from([0, 1, 13, 30, 24 * 9, 24 * 90])))
        bodies = draw(st.lists(strategies.bodies, min_size=1, max_size=5))
        if number and draw(st.booleans()):
            bodies.append(ev.Undone(f"b{draw(st.integers(0, number - 1))}"))
        blocks.append((f"b{number}", at, bodies))
    return chained(blocks)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ledgers(), st.sampled_from(LAWS), st.booleans(), st.booleans(), st.integers(0, 60))
def test_a_branch_with_unchanged_settings_is_the_trunk(
    events: list[Event], trunk_law: Law, like: bool, nightly: bool, more: int
) -> None:
    law = Likeness(trunk_law) if like else trunk_law
    until = (events[-1].at if events else START) + timedelta(days=more)
    branch = grown(events, law, trunk_law=trunk_law, until=until, nightly=nightly)
    trunk = fold(events)
    assert state_hash(branch.side.state) == state_hash(trunk) == state_hash(branch.trunk.state)
    assert [event.body for event in branch.side.events] == [event.body for event in events]
    assert not branch.missed and not branch.told_anew
    assert difference(trunk, branch.side.state).both == branch.side.active == branch.trunk.active == len(trunk.active())


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ledgers(), st.sampled_from([*LAWS, LONG, SHORT, Likeness(SHORT)]), st.integers(0, 60))
def test_any_ledger_can_be_lived_under_any_law(events: list[Event], law: Law, more: int) -> None:
    """Nothing a ledger may hold breaks a branch, pinned memories stay, and the trunk beside it is the trunk."""
    until = (events[-1].at if events else START) + timedelta(days=more)
    branch = grown(events, law, until=until)
    assert state_hash(branch.trunk.state) == state_hash(fold(events))
    assert branch.side.active == len(branch.side.state.active())
    recorded = [event.body for event in events]
    for event in branch.side.events:
        if isinstance(event.body, ev.Retired) and event.body not in recorded and event.body.reason is RetireReason.PRUNED:
            earlier = [other for other in branch.side.events[: event.seq] if other.block != event.block]
            before = fold(earlier).memories[event.body.memory]
            assert before.active and not before.pinned
    apart = difference(branch.trunk.state, branch.side.state)
    assert len(apart.only_branch) + apart.both == branch.side.active
    assert len(apart.only_trunk) + apart.both == branch.trunk.active


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ledgers())
def test_growing_a_branch_changes_nothing_of_the_trunk(events: list[Event]) -> None:
    before = list(events)
    trunk = fold(events)
    digest = state_hash(trunk)
    grown(events, SHORT)
    assert events == before and state_hash(trunk) == digest


# -- another law -------------------------------------------------------------------------------------------------------


def test_a_longer_half_life_keeps_what_was_pruned_and_a_shorter_one_lets_go_of_more() -> None:
    events = chained(
        [
            told("ramen", START, kind=Kind.EPISODIC, importance=0.2),
            told("allergy", START, importance=0.9),
            ("night", START + 30 * DAY, pruned("ramen")),
            told("later", START + 31 * DAY),
        ]
    )
    assert life(grown(events, LONG), "ramen") == (Status.ACTIVE, None)
    branch = grown(events, SHORT)
    assert life(branch, "allergy") == (Status.RETIRED, RetireReason.PRUNED)
    assert branch.side.text(branch.side.state.memories[ident("allergy")].retire_note or "") == "faded below 0.05"
    assert difference(branch.trunk.state, branch.side.state).only_trunk == (ident("allergy"),)


def test_nights_that_left_no_trace_are_slept_too_and_only_where_memory_sleeps_by_night() -> None:
    events = chained([told("film", START, kind=Kind.EPISODIC), told("later", START + 40 * DAY)])
    branch = grown(events, SHORT)
    gone = branch.side.state.memories[ident("film")]
    assert gone.retired_at is not None and (gone.retired_at.hour, gone.retired_at.date()) == (3, datetime(2026, 3, 3).date())
    assert branch.passes == 1
    assert grown(events, SHORT, nightly=False).side.active == 2


def test_what_the_person_unticked_in_the_trunk_stays_unless_the_law_changes_its_mind() -> None:
    """The trunk's own law would have pruned it and somebody kept it; so it is in a branch that says the same of it."""
    events = chained([told("film", START, kind=Kind.EPISODIC, importance=0.2), ("night", START + 30 * DAY, pruned())])
    assert grown(events, Likeness()).side.active == 1
    assert grown(events, SHORT, nightly=False).side.active == 1, "both laws let it go, and still it was kept"
    assert grown(events, LONG).side.active == 1


def test_room_for_fewer_lets_go_of_more_and_room_for_more_keeps_them() -> None:
    """The trunk had room for two; what it let go of for room lives on where there is room."""
    note = content_hash("the least of more than 2")
    gone: list[Body] = [ev.Retired(ident("one"), RetireReason.PRUNED, note=note), ev.Slept("key", 0, 0, 1, 2)]
    events = chained(
        [
            told("one", START),
            told("two", START + HOUR),
            told("three", START + 2 * HOUR),
            ("sleep", START + 9 * HOUR, gone),
            told("four", START + 10 * HOUR),
        ]
    )
    until = START + 2 * DAY

    def kept(law: Law) -> list[str]:
        branch = grown(events, law, trunk_law=WindowLaw(capacity=2), until=until)
        names = {ident(name): name for name in ("one", "two", "three", "four")}
        return [names[memory.id] for memory in branch.side.state.active()]

    assert kept(WindowLaw(capacity=2)) == ["three", "four"] or kept(WindowLaw(capacity=2)) == ["two", "three", "four"]
    assert kept(WindowLaw(capacity=3)) == ["two", "three", "four"]
    assert kept(WindowLaw(capacity=4)) == ["one", "two", "three", "four"]
    assert kept(WindowLaw(capacity=1)) == ["four"]


def test_a_recall_of_what_is_lost_is_missed_and_what_is_told_again_is_told_anew() -> None:
    film = ident("film")
    events = chained(
        [
            told("film", START, kind=Kind.EPISODIC),
            ("ask", START + 5 * DAY, [ev.Turned("q", "s"), ev.Recalled((film,), "q")]),
            ("again", START + 6 * DAY, [ev.Turned("r", "s"), ev.Reinforced(film, "r")]),
            ("ask2", START + 6 * DAY + HOUR, [ev.Turned("q2", "s"), ev.Recalled((film,), "q2")]),
        ]
    )
    branch = grown(events, SHORT)
    assert [(missed.memory, missed.turn) for missed in branch.missed] == [(film, "q")]
    ((old, new),) = branch.told_anew
    assert old == film and branch.side.state.memories[new].recalls == 1
    assert branch.side.state.memories[new].sources == ("r",)
    assert branch.trunk.state.memories[film].recalls == 3


def test_a_merge_goes_on_with_those_that_are_there() -> None:
    names = ("one", "two", "three")
    merged = ev.Created(
        ident("sum"),
        Kind.CONSOLIDATED,
        content_hash("sum"),
        None,
        0.6,
        START,
        START,
        START,
        2,
        merged_from=tuple(map(ident, names)),
    )
    note = content_hash("one thing")
    leave: list[Body] = [ev.Retired(ident(name), RetireReason.MERGED, by=ident("sum"), note=note) for name in names]
    blocks: list[tuple[str, datetime, list[Body]]] = [
        told("one", START, kind=Kind.EPISODIC, importance=0.1),
        told("two", START + 20 * DAY),
        told("three", START + 20 * DAY),
        ("night", START + 20 * DAY + HOUR * 12, [merged, *leave, ev.Slept("key", 3, 0, 0, 1)]),
        ("ask", START + 21 * DAY, [ev.Recalled((ident("sum"),), "q")]),
    ]
    soon = replace(LAW, floor=0.09)
    branch = grown(chained(blocks), soon)
    kept = branch.side.state.memories[ident("sum")]
    assert kept.merged_from == (ident("two"), ident("three")) and kept.active
    assert life(branch, "one") == (Status.RETIRED, RetireReason.PRUNED)
    alone = grown(chained([blocks[0], told("two", START, kind=Kind.EPISODIC, importance=0.1), *blocks[2:]]), soon)
    assert ident("sum") not in alone.side.state.memories
    assert alone.side.state.memories[ident("three")].recalls == 1, "it is recalled in place of what was made of it"
    assert not alone.missed


def test_what_lives_on_in_the_branch_alone_is_weighed_by_words_and_by_verdicts() -> None:
    texts = {content_hash(text): text for text in ("I live in Berlin.", "I live in Berlin", "I live in Lisbon")}
    first, second, third = texts
    events = chained(
        [
            told("berlin", START, "I live in Berlin.", kind=Kind.EPISODIC, importance=0.2),
            ("night", START + 30 * DAY, pruned("berlin")),
            told("again", START + 31 * DAY, "I live in Berlin"),
            told("lisbon", START + 33 * DAY, "I live in Lisbon"),
            (
                "night2",
                START + 34 * DAY,
                [
                    ev.Judged(second, third, Label.SUPERSEDES, 0.9, "m"),
                    ev.Retired(ident("again"), RetireReason.SUPERSEDED, by=ident("lisbon")),
                    ev.Slept("nightly", 0, 1, 0, 1),
                ],
            ),
        ]
    )
    branch = grown(events, LONG, texts=texts)
    assert life(branch, "berlin") == (Status.RETIRED, RetireReason.DUPLICATE)
    assert life(branch, "again") == (Status.RETIRED, RetireReason.SUPERSEDED)
    assert [memory.id for memory in branch.side.state.active()] == [ident("lisbon")]
    assert first


def test_nobody_is_superseded_by_what_the_branch_has_lost() -> None:
    events = chained(
        [
            told("old", START, importance=0.9),
            told("new", START + HOUR, kind=Kind.EPISODIC, importance=0.1),
            (
                "night",
                START + 18 * HOUR + 3 * DAY,
                [ev.Retired(ident("old"), RetireReason.SUPERSEDED, by=ident("new")), ev.Slept("key", 0, 1, 0, 1)],
            ),
        ]
    )
    quick = SalienceLaw(half_life={**LAW.half_life, Kind.EPISODIC: 2.0})
    branch = grown(events, quick)
    assert [memory.id for memory in branch.side.state.active()] == [ident("old")]


def test_what_was_forgotten_by_hand_is_forgotten_and_an_undo_undoes_in_the_branch_too() -> None:
    film = ident("film")
    forgotten: Body = ev.Retired(film, RetireReason.FORGOTTEN)
    events = chained(
        [
            told("film", START, kind=Kind.EPISODIC, importance=0.2),
            ("night", START + 30 * DAY, pruned("film")),
            ("back", START + 31 * DAY, [ev.Restored(film)]),
            ("gone", START + 31 * DAY + HOUR, [forgotten]),
            ("undo", START + 31 * DAY + 2 * HOUR, [ev.Undone("gone")]),
        ]
    )
    branch = grown(events, LONG)
    assert life(branch, "film") == (Status.ACTIVE, None)
    assert branch.side.state.memories[film].recalls == 0, "it was never gone, so bringing it back meant nothing"
    assert life(grown(events[:-1], LONG), "film") == (Status.RETIRED, RetireReason.FORGOTTEN)


def test_it_stops_when_told_to_and_says_how_far_it_is() -> None:
    events = chained([told(f"m{n}", START + n * HOUR) for n in range(600)])
    shares: list[float] = []

    def keep_going(share: float) -> bool:
        shares.append(share)
        return len(shares) < 3

    found = grow_branch(
        events, lambda _: "", trunk_law=LAW, law=SHORT, policy=SleepPolicy(), until=events[-1].at, keep_going=keep_going
    )
    assert found is None and shares == sorted(shares) and 0 < shares[0] < shares[-1] < 1


def test_counts_tell_both_lives() -> None:
    events = chained([told("film", START, kind=Kind.EPISODIC), told("later", START + 40 * DAY)])
    counts = grown(events, SHORT).counts
    assert [(c.trunk, c.branch) for c in counts] == [(1, 1), (1, 0), (2, 1)]
    assert [c.at for c in counts] == sorted(c.at for c in counts)
