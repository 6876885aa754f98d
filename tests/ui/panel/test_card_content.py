"""What the card says, without an app."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memtui.memory.frame import Frame
from memtui.memory.model import Memory, RetireReason, Status
from memtui.ui.widgets.memory_card import CardContent, CardTexts, card_body, card_content
from tests.ui.panel.panel_app import LAW, NOW, NOW_US, E, S, memory, retired, told_frame

LISBON = timezone(timedelta(hours=1))


def card(frame: Frame, row: int, texts: CardTexts | None = None) -> CardContent:
    return card_content(frame.memories[row], frame, LAW, NOW_US, texts or CardTexts(), zone=UTC)


def alone(item: Memory, text: str = "a fact") -> CardContent:
    frame = Frame(0)
    frame.upsert(item, text)
    return card(frame, 0)


def test_the_card_of_the_picture() -> None:
    frame = told_frame()
    history = [(datetime(2026, 4, 19, 18, 2, tzinfo=UTC), "remembered"), (NOW, "given to a reply")]
    content = card(frame, 2, CardTexts("a change of home alters advice", history=history))
    assert content.handle == "m03"
    assert content.text.startswith("moved to Lisbon. Berlin didn't work out")
    assert content.said == "said Sat 25 Apr 09:11 (t061)"
    assert content.links == ("supersedes m11 lives in Berlin, Neukölln",)
    assert content.fate == "fades below the floor in 157d 4h (Wed 30 Sep)"
    assert content.curve_to == "Wed 30 Sep"
    assert content.used == "recalled 2 times, last 2m ago"
    assert content.history == (("Sun 19 Apr 18:02", "remembered"), ("Sat 25 Apr 21:14", "given to a reply"))
    assert str(card_body(content, 55)).splitlines() == [
        "moved to Lisbon. Berlin didn't work out, too grey and too far from the sea.",
        "importance .90  “a change of home alters advice”",
        "said Sat 25 Apr 09:11 (t061)",
        "█▇▆▅▅▄▄▃▃▃▃▂▂▂▂▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  Wed 30 Sep",
        "fades below the floor in 157d 4h (Wed 30 Sep)",
        "S30d semantic   recalled 2 times, last 2m ago",
        "supersedes m11 lives in Berlin, Neukölln",
        "Sun 19 Apr 18:02  remembered",
        "Sat 25 Apr 21:14  given to a reply",
    ]


def test_fates() -> None:
    assert alone(memory("a", pinned=True)).fate == "pinned: does not fade"
    assert alone(memory("a", E, 0.35, hours=222)).fate == "already below the floor: the next sleep prunes it"
    assert alone(memory("a", E, 0.4, hours=117)).fate == "fades below the floor in 4d 3h (Thu 30 Apr)"
    assert alone(memory("a", E, 0.0)).fate == "already below the floor: the next sleep prunes it"
    far = alone(memory("a", S, 1.0, recalls=10**6)).fate
    assert far == "fades below the floor in 246d 7h (Mon 28 Dec)"


def test_a_retired_one_says_when_why_by_what_and_what_was_left() -> None:
    frame = told_frame()
    superseded = card(frame, 10, CardTexts(retire_reason="moved to another city"))
    assert superseded.fate == "retired Sun 19 Apr 18:14: superseded by m03"
    assert superseded.why_retired == "moved to another city"
    assert superseded.links == ("superseded by m03 moved to Lisbon. Berlin didn't …",)
    assert not superseded.active
    assert "never recalled   0.07 left then" in str(card_body(superseded, 55))
    assert "“moved to another city”" in str(card_body(superseded, 55))
    assert card(frame, 11).fate.endswith("merged into m04")
    assert card(frame, 13).fate.endswith("a duplicate of m02")
    assert card(frame, 14).fate.endswith("pruned by the law")
    assert card(frame, 15).fate.endswith("forgotten on request")
    assert card(frame, 15).curve_to == "Sat 25 Apr"


def test_what_it_was_merged_from() -> None:
    frame = told_frame()
    assert card(frame, 3).links == ("merged from m12, m13",)
    merged = replace(frame.memories[3], merged_from=(*frame.ids[4:10], frame.ids[11], "GONE"))
    frame.upsert(merged, "Synapse")
    assert card(frame, 3).links == ("merged from m05, m06, m07, m08 and 5 more",)
    assert card(frame, 1).links == ("took in duplicate m14 is vegetarian",)


def test_a_superseder_that_is_gone_is_not_an_error() -> None:
    frame = Frame(0)
    frame.upsert(retired("a", RetireReason.SUPERSEDED, 3, by="NOWHERE"), "a")
    content = card(frame, 0)
    assert content.links == ("superseded by a memory that is no longer here",)
    odd = Frame(0)
    odd.upsert(replace(memory("a"), status=Status.RETIRED), "a")
    assert card(odd, 0).fate == "retired: no longer used"


def test_since_when_it_is_true_is_said_only_when_that_is_another_day() -> None:
    assert alone(memory("a")).since == ""
    assert alone(memory("a", valid_from=NOW - timedelta(hours=2))).since == ""
    assert alone(memory("a", valid_from=NOW - timedelta(days=21))).since == "true since Sat 4 Apr"
    assert alone(memory("a", valid_from=NOW - timedelta(days=400))).since == "true since Fri 21 Mar 2025"


def test_sources() -> None:
    assert alone(memory("a", sources=())).said == "said Sat 25 Apr 21:14"
    assert alone(memory("a", sources=("t1", "t9"))).sources == 2
    assert "2 sources" in str(card_body(alone(memory("a", sources=("t1", "t9"))), 55))
    long = alone(memory("a", sources=("01KQ3V5M0000000000000000",)))
    assert long.said == "said Sat 25 Apr 21:14 (01KQ3V5M00000…)"


def test_dates_are_in_the_zone_asked_for() -> None:
    frame = told_frame()
    content = card_content(frame.memories[2], frame, LAW, NOW_US, CardTexts(), zone=LISBON)
    assert content.said == "said Sat 25 Apr 10:11 (t061)"


@pytest.mark.parametrize(("importance", "shown"), [(0.9, ".90"), (1.0, "1.0"), (0.0, ".00"), (0.456, ".46"), (7.0, "1.0")])
def test_importance(importance: float, shown: str) -> None:
    body = str(card_body(replace(alone(memory("a")), importance=importance), 55))
    assert f"importance {shown}\n" in body


def test_hostile_texts_are_shown_as_they_are_and_never_as_markup() -> None:
    text = "[red]x[/] [/] \x00\ud800 \u202eevil [@click=app.quit]y[/]"
    content = alone(memory("a"), text)
    assert content.text == "[red]x[/] [/] \N{REPLACEMENT CHARACTER} evil [@click=app.quit]y[/]"
    body = card_body(replace(content, reason="[b]because[/]", history=(("[i]", "[/]"),)), 55)
    assert "[red]x[/] [/]" in str(body) and "“[b]because[/]”" in str(body)
    assert not [span for span in body.spans if "click" in str(span.style)]


def test_an_erased_text_says_so() -> None:
    assert alone(memory("a"), "").text == "(its text is gone)"


@pytest.mark.parametrize("width", [1, 10, 40, 55, 200])
def test_the_curve_fits(width: int) -> None:
    lines = str(card_body(alone(memory("a", E, 0.4, hours=117)), width)).splitlines()
    assert re.fullmatch("█+▇*▆+▅*▄*▃+▂*▁+  Thu 30 Apr", lines[3])
    assert len(lines[3]) <= max(width, 20)
