"""What is listed in which order, and what is selected."""

from __future__ import annotations

from dataclasses import replace

from memtui.memory.frame import Frame
from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.memory_listing import Listing
from tests.ui.panel.panel_app import LAW, NOW, NOW_US, memory, retire, told_frame


def listed(listing: Listing) -> list[int]:
    return [int(row) for row in listing.order.take(0, len(listing))]


def shown() -> tuple[Listing, Frame]:
    frame = told_frame()
    listing = Listing()
    assert listing.show(frame, LAW, NOW_US) is None
    return listing, frame


def test_a_new_frame_is_sorted_and_a_changed_one_is_not() -> None:
    listing, frame = shown()
    before = listed(listing)
    assert before == list(range(10))
    frame.upsert(replace(frame.memories[9], last_recall=NOW, recalls=9), "ramen for lunch")
    frame.upsert(memory("new and important", importance=1.0), "new and important")
    assert listing.show(frame, LAW, NOW_US + HOUR_US) == []
    assert listed(listing) == [*before, 16], "a new one stands at the end, a recalled one where it was"
    listing.resort(NOW_US)
    assert listed(listing).index(9) < 5
    assert listed(listing).index(16) < 9


def test_retired_ones_stay_until_they_are_removed() -> None:
    listing, frame = shown()
    retire(frame, 3)
    assert listing.show(frame, LAW, NOW_US) == [3]
    assert listing.show(frame, LAW, NOW_US, leaving=[3]) == []
    assert listed(listing) == list(range(10))
    assert listing.count("retired") == 7
    listing.resort(NOW_US, leaving=[3])
    assert 3 in listed(listing), "it keeps its place while it fades, whatever is sorted meanwhile"
    assert not listing.remove([3])
    assert 3 not in listed(listing)


def test_an_undone_birth_leaves_at_once() -> None:
    listing, frame = shown()
    frame.drop(frame.ids[4])
    assert listing.show(frame, LAW, NOW_US) == []
    assert listed(listing) == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_the_selection_follows_the_memory_and_moves_on_when_it_leaves() -> None:
    listing, frame = shown()
    listing.choose(8)
    frame.upsert(replace(frame.memories[8], last_recall=NOW, recalls=50), "rain")
    listing.show(frame, LAW, NOW_US)
    listing.resort(NOW_US)
    assert listing.chosen == 8
    assert listing.chosen_at == 2
    after = listed(listing)[3]
    assert listing.remove([8])
    assert listing.chosen == after
    listing.remove(listed(listing))
    assert listing.chosen is None
    assert listing.neighbour(1) is None


def test_another_frame_keeps_the_order_of_what_both_know() -> None:
    listing, frame = shown()
    listing.sort = "age"
    listing.resort(NOW_US)
    order = [frame.ids[row] for row in listed(listing)]
    listing.choose(2)
    past = Frame(0)
    for row in (5, 2, 7, 0, 4):  # other rows than before, one of them retired then
        past.upsert(frame.memories[row], frame.texts[row])
    past.upsert(memory("known only then", importance=0.9), "known only then")
    retire(past, 4)
    assert listing.show(past, LAW, NOW_US) is None
    ids = [past.ids[row] for row in listed(listing)]
    assert ids[:-1] == [memory_id for memory_id in order if memory_id in past and past.active[past.row(memory_id)]]
    assert past.texts[listed(listing)[-1]] == "known only then"
    assert listing.id_of(listing.chosen) == frame.ids[2]


def test_a_frame_of_other_memories_is_simply_sorted() -> None:
    listing, _ = shown()
    other = Frame(0)
    for number in range(3):
        other.upsert(memory(f"other {number}", importance=0.2 + number / 10), f"other {number}")
    listing.show(other, LAW, NOW_US)
    assert listed(listing) == [2, 1, 0]
    assert listing.chosen is None


def test_neighbours_and_tabs() -> None:
    listing, frame = shown()
    assert listing.neighbour(1) == 0
    assert listing.neighbour(-1) == 9
    listing.choose(8)
    assert listing.neighbour(10**9) == 9
    assert listing.neighbour(-3) == 5
    assert listing.row_at(-1) is None and listing.row_at(10) is None
    assert listing.tab_of(frame.ids[2]) == "active"
    assert listing.tab_of(frame.ids[12]) == "retired"
    assert listing.tab_of("nobody") is None
    assert Listing().tab_of("nobody") is None
    assert Listing().row_at(0) is None
