"""The rows in an app: order, selection, ghosts, motion, widths, any text and any number of memories."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.geometry import Region
from textual.pilot import Pilot

from memtui.memory.moments import HOUR_US
from memtui.ui.widgets.memory_bars import FLOOR_MARK, GHOST
from memtui.ui.widgets.memory_listing import TABS
from memtui.ui.widgets.memory_rows import EMPTY, MemoryRows
from tests.ui.panel.panel_app import (
    HOSTILE,
    LAW,
    NOW,
    NOW_US,
    PanelApp,
    frame_of,
    many,
    memory,
    press,
    retire,
    settle,
    told_frame,
)

SIZE = (60, 34)
DAY_US = 24 * HOUR_US


def selected_ids(app: PanelApp) -> list[str | None]:
    return [message.id for message in app.said if isinstance(message, MemoryRows.Selected)]


async def wheel(pilot: Pilot[Any], app: PanelApp, direction: type[events.MouseEvent], times: int = 1) -> None:
    region = app.rows.region
    x, y = region.x + 3, region.y + 1
    for _ in range(times):
        app.post_message(direction(None, x, y, 0, 0, 0, False, False, False, x, y))
        await settle(pilot)


async def test_the_rows_of_the_picture() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.panel.glow(app.frame.ids[1:3])
        lines = app.text_of_rows()
        assert lines[0] == "›█┆████████████▸ 2.92 S30d   ×7   2m ◆  allergic to she…"
        assert lines[2] == " █┆████████████▸ 1.88 S30d   ×2   2m  » moved to Lisbon…"
        assert lines[9] == " ▉┆              0.04 E72h   ×0   9d ✝  ramen for lunch "
        assert {line.index(FLOOR_MARK) for line in lines[:10]} == {2}
        assert {cell_len(line) for line in lines} == {56}


async def test_nothing_jumps_while_time_goes_by() -> None:
    frame = told_frame()
    app = PanelApp(frame)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = app.order()
        for day in range(1, 40):
            app.panel.tick(NOW_US + day * DAY_US)
        assert app.order() == before
        app.panel.preview(NOW_US + 80 * DAY_US)
        assert app.order() == before
        frame.upsert(replace(frame.memories[9], last_recall=NOW, recalls=20), "ramen for lunch")
        app.panel.show(frame, LAW, NOW_US + 40 * DAY_US)
        assert app.order() == before
        app.panel.resort()
        assert app.order() != before
        assert app.order().index("ramen for lunch") < 9


async def test_a_tick_paints_only_lines_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    app = PanelApp(told_frame())
    painted: list[tuple[Region, ...]] = []
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        refresh = MemoryRows.refresh

        def spy(self: MemoryRows, *regions: Region, **options: bool) -> MemoryRows:
            painted.append(regions)
            return refresh(self, *regions, **options)

        monkeypatch.setattr(MemoryRows, "refresh", spy)
        app.panel.tick(NOW_US + 1_000_000)
        assert painted == []
        app.panel.tick(NOW_US + 60_000_000)  # the three youngest are a minute older
        assert painted == [(Region(0, 0, 56, 1), Region(0, 1, 56, 1), Region(0, 2, 56, 1))]
        app.panel.tick(NOW_US + 90 * DAY_US)
        assert painted[1:] == [()]


async def test_a_preview_shows_ghosts_and_takes_them_back() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        calm = app.text_of_rows()
        app.panel.preview(NOW_US + 20 * DAY_US)
        await settle(pilot)
        lines = app.text_of_rows()
        assert GHOST in lines[4] and GHOST in lines[6]
        assert [line[37] for line in lines[:10]] == ["◆", *"     ", "✝", "✝", "✝", "✝"]
        assert "then" in app.panel.header.render_line(1).text
        app.panel.preview(None)
        await settle(pilot)
        assert app.text_of_rows() == calm
        assert "now" in app.panel.header.render_line(1).text


async def test_selection_by_keys() -> None:
    app = PanelApp(many(200))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        height = app.rows.size.height
        ids = [app.frame.ids[row] for row in app.rows.listing.order.take(0, 200).tolist()]
        assert app.panel.selected == ids[0], "focus selects the first"
        await press(pilot, "down", "down")
        assert app.panel.selected == ids[2]
        await press(pilot, "up")
        assert app.panel.selected == ids[1]
        await press(pilot, "pagedown")
        assert app.panel.selected == ids[height]
        await press(pilot, "end")
        assert app.panel.selected == ids[199]
        assert app.rows.scroll_offset.y == 200 - height
        assert app.text_of_rows()[height - 1].startswith("›")
        await press(pilot, "pageup", "down")
        assert app.panel.selected == ids[199 - height + 2]
        await press(pilot, "home", "up")
        assert app.panel.selected == ids[0]
        assert app.rows.scroll_offset.y == 0
        assert selected_ids(app)[:3] == [ids[0], ids[1], ids[2]]
        await press(pilot, "enter")
        assert isinstance(app.said[-1], MemoryRows.Opened) and app.said[-1].id == ids[0]


async def test_selection_by_mouse() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.click(app.rows, offset=(5, 4))
        assert app.panel.selected == app.frame.ids[4]
        await pilot.click(app.rows, offset=(5, 15))
        assert app.panel.selected == app.frame.ids[4], "there is no row there"
        await pilot.double_click(app.rows, offset=(20, 2))
        assert app.panel.selected == app.frame.ids[2]
        assert isinstance(app.said[-1], MemoryRows.Opened) and app.said[-1].id == app.frame.ids[2]
        await wheel(pilot, app, events.MouseScrollDown, 2)
        assert app.panel.selected == app.frame.ids[4], "where all rows fit, the wheel moves the selection"
        await wheel(pilot, app, events.MouseScrollUp)
        assert app.panel.selected == app.frame.ids[3]


async def test_the_wheel_scrolls_and_keeps_the_selection_in_sight() -> None:
    app = PanelApp(many(200))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await wheel(pilot, app, events.MouseScrollDown, 4)
        assert app.rows.scroll_offset.y == 12
        assert app.rows.listing.chosen_at == 12
        await wheel(pilot, app, events.MouseScrollUp, 9)
        assert app.rows.scroll_offset.y == 0
        assert app.rows.listing.chosen_at == 12


async def test_select_by_id_finds_the_row_and_the_tab() -> None:
    app = PanelApp(many(5000))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        last = app.frame.ids[int(app.rows.listing.order.take(4999, 5000)[0])]
        assert app.panel.select(last)
        await settle(pilot)
        assert app.text_of_rows()[-1].startswith("›")
        assert not app.panel.select("nobody")
        retire(app.frame, 3)
        app.panel.show(app.frame, LAW, NOW_US)
        assert app.panel.select(app.frame.ids[3])
        assert app.panel.tab == "retired"


async def test_another_order_keeps_the_selected_memory_in_sight() -> None:
    app = PanelApp(many(200))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "pagedown")
        chosen = app.panel.selected
        app.panel.sort_by("left")
        await settle(pilot)
        assert app.panel.selected == chosen
        assert any(line.startswith("›") for line in app.text_of_rows())
        with pytest.raises(ValueError, match="no sort named 'size'"):
            app.panel.sort_by("size")


async def test_any_width_and_any_text() -> None:
    app = PanelApp(frame_of(HOSTILE))
    async with app.run_test(size=(104, 40)) as pilot:
        app.panel.preview(NOW_US + 20 * DAY_US)
        for width in (2, 5, 12, 20, 30, 40, 46, 57, 72, 84, 100):
            app.panel.styles.width = width
            for tab in TABS:
                app.panel.set_tab(tab)
                await settle(pilot)
                assert {cell_len(line) for line in app.text_of_rows()} == {width - 1}
                assert {cell_len(app.panel.header.render_line(y).text) for y in (0, 1)} == {width}


async def test_bars_and_columns_line_up_whatever_the_text() -> None:
    app = PanelApp(frame_of(HOSTILE))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        lines = app.text_of_rows()[: len(HOSTILE)]
        assert {line.index(FLOOR_MARK) for line in lines} == {2}
        assert {line.index("S30d") for line in lines} == {22}
        assert "[red]markup[/]" in lines[0]
        assert "(its text is gone)"[:15] in lines[9]


@pytest.mark.parametrize(("rows", "seen"), [(0, 0), (1, 1), (10_000, 18)])
async def test_none_one_and_many(rows: int, seen: int) -> None:
    app = PanelApp(many(rows))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert len(app.order()) == min(rows, app.rows.size.height) >= seen
        await press(pilot, "end", "home", "down", "pageup", "enter", "s")
        app.panel.tick(NOW_US + DAY_US)
        app.panel.resort()
        await press(pilot, "end")
        lines = app.text_of_rows()
        if rows:
            assert any(line.startswith("›") for line in lines)
        else:
            assert EMPTY["nothing"].startswith(lines[1].strip())


async def test_empty_tabs_say_so() -> None:
    frame = told_frame()
    app = PanelApp(frame)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for row in range(10):
            retire(frame, row)
        app.panel.show(frame, LAW, NOW_US)
        await settle(pilot)
        assert app.text_of_rows()[1].strip().startswith("Nothing is active.")
        assert app.panel.selected is None
        assert selected_ids(app)[-1] is None
        app.panel.show(frame_of(["only one"]), LAW, NOW_US)
        app.panel.set_tab("retired")
        assert app.text_of_rows()[1].strip().startswith("Nothing retired.")


async def test_resizing_keeps_the_selection_and_the_alignment() -> None:
    app = PanelApp(many(300))
    async with app.run_test(size=(120, 36)) as pilot:
        app.panel.styles.width = "1fr"
        await settle(pilot)
        await press(pilot, "pagedown", "pagedown")
        chosen = app.panel.selected
        for size in ((60, 20), (200, 60), (41, 12), (20, 5), (5, 3), (120, 36)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            app.panel.tick(NOW_US + DAY_US)
            widths = {cell_len(line) for line in app.text_of_rows()}
            assert len(widths) <= 1
            assert app.panel.selected == chosen


async def test_a_hidden_panel_costs_nothing_and_catches_up() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = app.text_of_rows()[4]
        app.panel.display = False
        await settle(pilot)
        shown = app.rows._shown
        app.panel.tick(NOW_US + 60 * DAY_US)
        assert app.rows._shown is shown
        app.panel.display = True
        await settle(pilot)
        assert app.text_of_rows()[4] != before


async def test_themes_are_taken_up_when_they_change() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        dark = app.rows.render_line(3)
        for theme in ("memtui-light", "high-contrast", "nord", "ansi-dark"):
            app.theme = theme
            await settle(pilot)
            other = app.rows.render_line(3)
            assert other.text == dark.text
            assert other._segments != dark._segments


async def test_without_colour_everything_still_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.panel.preview(NOW_US + 20 * DAY_US)
        lines = app.text_of_rows()
        assert lines[0][0] == "›"
        assert lines[6][:17] == " ▏┆░░░░          "
        assert lines[6][37] == "✝"


async def test_a_frame_shown_before_there_is_a_screen() -> None:
    app = PanelApp(told_frame())
    app.panel.show(app.frame, LAW, NOW_US)
    app.panel.tick(NOW_US)
    app.panel.preview(NOW_US + DAY_US)
    app.panel.preview(None)
    app.panel.glow(app.frame.ids[:1])
    app.panel.resort()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert len(app.order()) == 10


async def test_a_memory_told_during_the_turn_appears_at_the_end() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.frame.upsert(memory("new", importance=1.0), "new")
        app.panel.tick(NOW_US + 1)
        assert "new" not in app.order()
        app.panel.show(app.frame, LAW, NOW_US)
        assert app.order()[-1] == "new"
        app.panel.resort()
        assert app.order().index("new") == 4
