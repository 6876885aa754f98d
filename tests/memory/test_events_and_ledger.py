"""Events keep their form, and whoever touches the ledger is found out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import LedgerError
from memtui.memory.events import (
    Body,
    Created,
    Edited,
    Event,
    Judged,
    Pinned,
    Turned,
    Warped,
    from_data,
    memories_of,
    to_data,
)
from memtui.memory.ids import ID_PATTERN, make_id
from memtui.memory.ledger import GENESIS, Head, canonical, event_hash, head_of, seal, verify
from memtui.memory.model import Label
from memtui.memory.moments import from_iso, from_us, hours_between, to_iso, to_us
from tests.memory.builders import HOUR, START, chained, created
from tests.memory.strategies import bodies, moments

chains = st.lists(st.tuples(st.lists(bodies, min_size=1, max_size=3), moments), min_size=2, max_size=5).map(
    lambda drawn: chained([(f"b{i}", at, some) for i, (some, at) in enumerate(drawn)])
)


@given(bodies)
def test_a_body_is_read_back_as_it_was_written(body: Body) -> None:
    read = from_data(body.type, json.loads(canonical(to_data(body))))
    assert read == body
    assert event_hash(GENESIS, 0, START, "b", read) == event_hash(GENESIS, 0, START, "b", body)


def test_whole_numbers_have_one_form() -> None:
    for body in (Warped(3600, 1), Edited("m", importance=1), Judged("a", "b", Label.ADDITIVE, 1, "j")):
        read = from_data(body.type, json.loads(canonical(to_data(body))))
        assert event_hash(GENESIS, 0, START, "b", read) == event_hash(GENESIS, 0, START, "b", body)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("unheard", {}),
        ("turned", {"turn": "t"}),
        ("turned", {"turn": "t", "session": "s", "more": 1}),
        ("created", {"memory": "m", "kind": "odd"}),
        ("restored", {}),
        ("created", to_data(created("a", "x")) | {"created_at": "2026-01-01T00:00:00"}),
    ],
)
def test_an_unreadable_body_is_refused(kind: str, data: dict[str, object]) -> None:
    with pytest.raises(LedgerError):
        from_data(kind, data)


def test_the_memories_a_body_changes() -> None:
    assert memories_of(Pinned("m", True)) == ("m",)
    assert memories_of(Turned("t", "s")) == ()


@given(chains)
def test_a_chain_holds(events: list[Event]) -> None:
    assert verify(events, head=head_of(events)) == []
    assert [event.at for event in events] == sorted(event.at for event in events)


def edited(events: list[Event]) -> list[Event]:
    return [*events[:-1], replace(events[-1], body=Turned("forged", "s"))]


def edited_and_hashed(events: list[Event]) -> list[Event]:
    first = events[0]
    forged = Turned("forged", "s")
    digest = event_hash(first.prev, first.seq, first.at, first.block, forged)
    return [replace(first, body=forged, hash=digest), *events[1:]]


TAMPERINGS: dict[str, Callable[[list[Event]], list[Event]]] = {
    "edit": edited,
    "edit and hash anew": edited_and_hashed,
    "another moment": lambda events: [replace(events[0], at=events[0].at - HOUR), *events[1:]],
    "another block": lambda events: [replace(events[0], block="forged"), *events[1:]],
    "drop the first": lambda events: events[1:],
    "drop one inside": lambda events: [events[0], *events[2:]] if len(events) > 2 else events[1:],
    "reorder": lambda events: [events[1], events[0], *events[2:]],
    "insert a copy": lambda events: [events[0], events[0], *events[1:]],
    "insert a sealed one": lambda events: [
        events[0],
        *seal([Turned("forged", "s")], at=events[0].at, block="b", head=head_of(events[:1])),
        *events[1:],
    ],
    "cut the end": lambda events: events[:-1],
    "cut all": lambda events: [],
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
@given(events=chains)
def test_tampering_is_found(tampering: str, events: list[Event]) -> None:
    assert verify(TAMPERINGS[tampering](events), head=head_of(events)) != []


@given(chains)
def test_a_cut_end_needs_the_head_to_be_found(events: list[Event]) -> None:
    assert verify(events[:-1]) == []
    assert [problem.where for problem in verify(events[:-1], head=head_of(events))] == ["head"]


def test_time_running_backwards_is_found() -> None:
    first = seal([Turned("a", "s")], at=START, block="a", head=Head())
    back = seal([Turned("b", "s")], at=START - HOUR, block="b", head=replace(head_of(first), at=None))
    assert [problem.what for problem in verify([*first, *back])] == ["time runs backwards"]


def test_sealing_never_goes_back_in_time() -> None:
    later = Head(3, "a" * 64, START)
    assert seal([Turned("t", "s")], at=START - HOUR, block="b", head=later)[0].at == START
    assert head_of([], later) is later and head_of([]) == Head()


@given(st.text(st.characters(codec="utf-8")))
def test_the_canonical_form_does_not_depend_on_composition(text: str) -> None:
    composed, decomposed = (canonical([unicodedata.normalize("NFC", text)]), canonical([unicodedata.normalize("NFD", text)]))
    assert composed == decomposed == unicodedata.normalize("NFC", canonical([text]))
    body = Turned(unicodedata.normalize("NFD", "Café"), "s")
    assert event_hash(GENESIS, 0, START, "b", body) == event_hash(GENESIS, 0, START, "b", Turned("Café", "s"))


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"importance": float("nan")})


def test_canonical_json_is_sorted_and_tight() -> None:
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'


@given(moments, st.integers(-14 * 60, 14 * 60))
def test_moments_are_read_back_exactly(at: datetime, minutes: int) -> None:
    elsewhere = at.astimezone(timezone(timedelta(minutes=minutes)))
    assert from_us(to_us(elsewhere)) == at == from_iso(to_iso(elsewhere))
    assert to_iso(elsewhere) == to_iso(at) and to_iso(at).endswith("Z") and len(to_iso(at)) == 27


def test_moments_without_an_offset_are_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        to_us(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="offset"):
        from_iso("2026-01-01T00:00:00")
    assert from_us(2**62).year == 9999
    assert hours_between(START, START - HOUR) == 0.0


@given(moments, moments, st.text(), st.text())
def test_ids_are_deterministic_and_sort_by_time(one: datetime, two: datetime, a: str, b: str) -> None:
    first, second = make_id(one, a), make_id(two, b)
    assert first == make_id(one, a) and ID_PATTERN.fullmatch(first)
    if abs(one - two) >= timedelta(milliseconds=1):
        assert (first < second) == (one < two)
    assert (make_id(one, a) == make_id(one, b)) == (a.encode("utf-8", "replace") == b.encode("utf-8", "replace"))


def test_created_keeps_what_it_was_given() -> None:
    body = created("a", "x", merged_from=("b",))
    assert isinstance(from_data("created", to_data(body)), Created)
    assert "note" not in to_data(body) and from_data("created", to_data(body)).note is None  # type: ignore[union-attr]
