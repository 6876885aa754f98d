"""The panel as a whole: tabs, sorts, what it asks for, and its card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.binding import Binding
from textual.pilot import Pilot

from memtui.memory.model import Memory
from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.card_content import CardTexts
from memtui.ui.widgets.memory_card import MemoryCard
from memtui.ui.widgets.memory_panel import MemoryPanel
from memtui.ui.widgets.memory_rows import MemoryRows
from tests.ui.panel.panel_app import LAW, NOW_US, PanelApp, press, settle, told_frame

SIZE = (60, 34)


def asked(app: PanelApp) -> list[tuple[str, str]]:
    return [(message.action, message.id) for message in app.said if isinstance(message, MemoryPanel.Asked)]


def front(app: PanelApp) -> str:
    return app.panel.tab


def card_text(app: PanelApp) -> str:
    card = app.panel.card
    return str(card.query_one("#card-body").render())


async def clicked(pilot: Pilot[Any], app: PanelApp, words: str) -> None:
    """Click on `words` in the header's first line."""
    x = app.panel.header.render_line(0).text.index(words)
    await pilot.click(app.panel.header, offset=(x, 0))
    await settle(pilot)


async def test_keys_ask_about_the_selected_memory() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down", "p", "e", "f", "h", "w", "r")
        chosen = app.frame.ids[1]
        assert asked(app) == [(action, chosen) for action in ("pin", "edit", "forget", "history", "why")]
        await press(pilot, "right_square_bracket", "r", "h", "w", "p", "e", "f", "s")
        gone = app.frame.ids[15]
        assert asked(app)[5:] == [(action, gone) for action in ("restore", "history", "why")]
        assert app.panel.sort == "salience"


async def test_nothing_is_asked_without_a_memory() -> None:
    app = PanelApp(told_frame())
    app.frame = type(app.frame)(0)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "p", "e", "f", "h", "w", "enter")
        assert app.said == []
        assert app.panel.check_action("ask", ("pin",)) is None


async def test_tabs_by_keys_and_the_panel_is_no_trap() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "tab")
        assert front(app) == "retired"
        assert "the name of an ex" in app.text_of_rows()[0]
        assert "latest first" in app.panel.header.render_line(0).text
        assert app.panel.header.render_line(1).text.split() == ["why", "when", "by", "last"]
        await press(pilot, "tab")
        assert app.focused is not app.rows
        app.rows.focus()
        await press(pilot, "left_square_bracket")
        assert front(app) == "active"
        with pytest.raises(ValueError, match="no tab named 'fables'"):
            app.panel.set_tab("fables")  # type: ignore[arg-type]


async def test_each_tab_has_its_own_selection() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down", "down", "right_square_bracket", "down")
        assert app.panel.selected == app.frame.ids[int(app.rows.listing.order.take(1, 2)[0])]
        await press(pilot, "left_square_bracket")
        assert app.panel.selected == app.frame.ids[2]


async def test_the_header_can_be_clicked() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert app.panel.header.render_line(0).text.split() == ["Active", "10", "Retired", "6", "by", "salience", "▾"]
        await clicked(pilot, app, "Retired")
        assert front(app) == "retired"
        await clicked(pilot, app, "latest")
        await clicked(pilot, app, "Active")
        assert front(app) == "active"
        for name in ("age", "recalls", "kind", "left", "salience"):
            await clicked(pilot, app, "by ")
            assert app.panel.sort == name
            assert [message.name for message in app.said if isinstance(message, MemoryPanel.Sorted)][-1] == name


async def test_s_cycles_the_sorts() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "s", "s")
        assert app.panel.sort == "recalls"
        assert "by recalls ▾" in app.panel.header.render_line(0).text
        assert [line.split("×")[1][0] for line in app.text_of_rows()[:5]] == ["7", "5", "3", "2", "1"]
        await press(pilot, "s", "s")
        assert "by time left ▾" in app.panel.header.render_line(0).text
        assert "left" in app.panel.header.render_line(1).text
        assert "now ✝" in app.text_of_rows()[0]


async def test_the_columns_stand_under_their_words() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=(104, 34)) as pilot:
        for width in (40, 50, 57, 72, 84, 100):
            app.panel.styles.width = width
            await settle(pilot)
            words, row = app.panel.header.render_line(1).text, app.text_of_rows()[1]
            assert words.index("┆") == row.index("┆")
            assert words.index("now") + 3 == row.index("2.23") + 4
            assert words.index("half") == row.index("S30d")
            assert words.index("age") + 3 == row.index("2m") + 2
            if "id" in words:
                assert words.index("id") == row.index("m02")


async def test_the_card_follows_the_selection_and_knows_what_the_screen_tells() -> None:
    app = PanelApp(told_frame())
    seen: list[str] = []

    def describe(item: Memory) -> CardTexts:
        seen.append(item.id)
        return CardTexts(reason="a change of home [b]alters[/b] advice", history=[(item.created_at, "remembered")])

    app.panel.describe = describe
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down", "down")
        await settle(pilot)
        assert card_text(app).startswith("moved to Lisbon. Berlin didn't work out")
        assert "“a change of home [b]alters[/b] advice”" in card_text(app)
        assert str(app.panel.card.border_title) == "m03"
        app.panel.tick(NOW_US + HOUR_US)
        assert seen == app.frame.ids[:3], "asked once a memory, not once a tick"
        await press(pilot, "home")
        await settle(pilot)
        assert "◆" in str(app.panel.card.border_title)
        assert "unpin" in str(app.panel.card.query_one("#card-keys").render())


async def test_the_card_follows_the_clock_and_never_misses_the_last_tick() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down")
        for hour in range(1, 60):
            app.panel.tick(NOW_US + hour * HOUR_US)
        await pilot.pause(0.4)
        assert "recalled 5 times, last 2d ago" in card_text(app)


async def test_the_keys_on_the_card_can_be_clicked() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down")
        await settle(pilot)
        keys = app.panel.card.query_one("#card-keys")
        x = str(keys.render()).index("f forget")
        await pilot.click(keys, offset=(x, 0))
        await settle(pilot)
        assert asked(app) == [("forget", app.frame.ids[1])]


async def test_the_text_on_the_card_can_be_selected_and_copied() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "down", "down")
        await settle(pilot)
        body = app.panel.card.query_one("#card-body")
        await pilot.mouse_down(body, offset=(0, 0))
        await pilot.hover(body, offset=(14, 0))
        await pilot.mouse_up(body, offset=(14, 0))
        await settle(pilot)
        assert app.screen.get_selected_text() == "moved to Lisbon"


async def test_the_card_has_a_fixed_share_and_gives_way_on_a_low_panel() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        height = app.rows.size.height
        for _ in range(9):
            await press(pilot, "down")
            assert app.rows.size.height == height
        await pilot.resize_terminal(60, 18)
        await settle(pilot)
        assert not app.panel.card.display
        assert app.rows.size.height == 16
        await pilot.resize_terminal(60, 40)
        await settle(pilot)
        assert app.panel.card.display
        assert app.panel.card.size.height > 8


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Wait for what a busy machine does later; what never comes is left to the assertion behind it."""
    for _ in range(200):
        if holds():
            return
        await pilot.pause(0.01)


async def test_a_card_alone_on_a_screen_scrolls() -> None:
    frame = told_frame()
    frame.upsert(frame.memories[2], "word " * 2000)
    app = PanelApp(frame)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "down", "down")
        await settle(pilot)
        app.panel.rows.display = False
        app.panel.card.styles.height = "1fr"
        scroller = app.panel.card.query_one(MemoryCard.Scroller)
        scroller.focus()
        await until(pilot, lambda: scroller.has_focus and scroller.max_scroll_y >= 2)  # earlier there is nothing to scroll
        await press(pilot, "down")
        await until(pilot, lambda: scroller.scroll_offset.y == 1)
        await press(pilot, "down")
        await until(pilot, lambda: scroller.scroll_offset.y == 2)
        assert scroller.scroll_offset.y == 2
        app.panel.card.show(None)
        assert card_text(app) == ""


def test_every_key_of_the_panel_has_an_id_and_a_tooltip() -> None:
    bindings = [*MemoryPanel.BINDINGS, *MemoryRows.BINDINGS, *MemoryCard.Scroller.BINDINGS]
    assert all(isinstance(binding, Binding) and binding.id and binding.tooltip for binding in bindings)
    ids = [binding.id for binding in bindings if isinstance(binding, Binding)]
    assert len(set(ids)) == len(ids)


async def test_show_again_updates_the_counts() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.frame.drop(app.frame.ids[9])
        app.panel.show(app.frame, LAW, NOW_US)
        assert "Active 9" in app.panel.header.render_line(0).text
        assert "Retired 6" in app.panel.header.render_line(0).text
