"""The words of a sleep plan."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.ui.widgets.sleep_lines import (
    Column,
    Entry,
    Teller,
    compact_lines,
    costs,
    counted,
    entry_lines,
    items_of,
    summary,
    wrap_cells,
)
from tests.ui.time.sleep_sample import frame_of, plan_of, quiet_night

entries = st.builds(
    Entry,
    key=st.none() | st.text(max_size=5),
    head=st.text(max_size=60),
    before=st.lists(st.text(max_size=60), max_size=8).map(tuple),
    after=st.text(max_size=200),
    notes=st.lists(st.text(max_size=60), max_size=3).map(tuple),
)


@given(st.text(max_size=300), st.integers(2, 60), st.integers(1, 5))
def test_wrapped_lines_have_room(text: str, cells: int, most: int) -> None:
    lines = wrap_cells(text, cells, most)
    assert len(lines) <= most
    assert all(cell_len(line) <= cells for line in lines)


@given(st.lists(st.text("abcdef", min_size=1, max_size=9), max_size=20), st.integers(9, 40))
def test_wrapping_loses_no_word(words: list[str], cells: int) -> None:
    assert " ".join(wrap_cells(" ".join(words), cells, 99)).split() == words


@given(entries, st.integers(8, 60), st.sampled_from(["", "[x]", "[ ]"]))
def test_entries_have_room(entry: Entry, width: int, tick: str) -> None:
    for line in entry_lines(entry, width, tick):
        assert sum(cell_len(text) for text, _style in line) <= width
    assert entry_lines(entry, width, tick)[-1] == []
    compact = compact_lines(entry, width, tick)
    assert len(compact) == 2
    assert all(sum(cell_len(text) for text, _style in line) <= width for line in compact)


def test_a_word_that_is_cut_says_so() -> None:
    assert wrap_cells("one two three four five six", 9, 2) == ["one two", "three fo…"]
    assert wrap_cells("abcdefghij", 4, 5) == ["abcd", "efgh", "ij"]
    assert wrap_cells("", 10, 2) == []
    assert wrap_cells("x", 0, 2) == []


def test_every_item_has_one_column() -> None:
    plan = plan_of(frame_of())
    columns = [items_of(plan, column) for column in Column]
    assert sum(len(items) for items in columns) == len(plan.items)
    assert items_of(plan, Column.UNTOUCHED) == []


def test_the_summary_in_the_singular() -> None:
    plan = plan_of(frame_of())
    pruned = [item.key for item in items_of(plan, Column.FADED)]
    retired = [item.key for item in items_of(plan, Column.RETIRED)]
    merged = [item.key for item in items_of(plan, Column.MERGED)]
    assert summary(plan.without(frozenset([*pruned[1:], *retired[1:], *merged]))) == (
        "20 memories: 1 gives way to newer facts, 1 fades; 18 stay untouched."
    )
    assert summary(quiet_night()[1]) == "2 memories: nothing changes."


@pytest.mark.parametrize(
    ("calls", "tokens", "seconds", "words"),
    [
        (0, None, None, "no calls to the mind"),
        (1, 1, 0.04, "1 call · 1 token · 0.0 s"),
        (1200, 34100, 61.25, "1,200 calls · 34,100 tokens · 61.2 s"),
    ],
)
def test_costs(calls: int, tokens: int | None, seconds: float | None, words: str) -> None:
    assert costs(calls, tokens, seconds) == words


def test_counted() -> None:
    assert (counted(1, "memory", "memories"), counted(0, "memory", "memories")) == ("1 memory", "0 memories")


def test_ids_the_frame_no_longer_knows_are_no_error() -> None:
    frame = frame_of()
    plan = plan_of(frame)
    empty = frame_of(())
    told = Teller(plan, empty, UTC).untouched()
    assert not any("or" in entry.head and entry.head.startswith("m") for entry in told)
