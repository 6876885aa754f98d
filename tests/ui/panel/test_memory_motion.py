"""Glow and fading in an app, and none of it where motion is unwanted."""

from __future__ import annotations

from tests.ui.panel.panel_app import LAW, NOW_US, PanelApp, retire, settle, told_frame

SIZE = (60, 34)


async def test_rows_glow_for_a_second_and_the_mark_stays() -> None:
    app = PanelApp(told_frame(), still=False)
    async with app.run_test(size=SIZE) as pilot:
        app.panel.reduced_motion = False
        await settle(pilot)
        motion = app.rows.motion
        calm = app.rows.render_line(1)
        assert not motion.running
        app.panel.glow([app.frame.ids[1], "nobody"])
        bright = app.rows.render_line(1)
        assert bright.text[38] == "»" and calm.text[38] == " "
        assert bright._segments[-1].style != calm._segments[-1].style
        assert motion.running
        app.second = 0.6
        motion.step()
        assert 0 < motion.glow_of(1) < motion.glow_of(1) + 3
        app.second = 1.0
        motion.step()
        assert not motion.running
        after = app.rows.render_line(1)
        assert after.text[38] == "»"
        assert after._segments[-1].style == calm._segments[-1].style
        app.panel.glow([])
        assert app.rows.render_line(1).text == calm.text


async def test_a_retired_row_fades_for_a_second_and_then_leaves() -> None:
    app = PanelApp(told_frame(), still=False)
    async with app.run_test(size=SIZE) as pilot:
        app.panel.reduced_motion = False
        await settle(pilot)
        before = app.order()
        retire(app.frame, 4)
        app.panel.show(app.frame, LAW, NOW_US)
        app.panel.resort()
        assert app.order() == before
        assert "superseded: " in app.text_of_rows()[4]
        assert app.panel.header.view is not None
        assert (app.panel.header.view.active, app.panel.header.view.retired) == (9, 7)
        app.second = 0.5
        app.rows.motion.step()
        assert app.order() == before
        app.second = 1.1
        app.rows.motion.step()
        assert app.order() == [text for text in before if text != "flat white, no sugar"]
        assert not app.rows.motion.running


async def test_retire_fade_can_be_asked_for_before_the_frame_knows() -> None:
    app = PanelApp(told_frame(), still=False)
    async with app.run_test(size=SIZE) as pilot:
        app.panel.reduced_motion = False
        await settle(pilot)
        app.panel.select(app.frame.ids[4])
        app.panel.retire_fade([app.frame.ids[4]])
        retire(app.frame, 4)
        app.panel.show(app.frame, LAW, NOW_US)
        assert app.rows.motion.fade_of(4) == 1
        app.second = 2.0
        app.rows.motion.step()
        assert len(app.order()) == 9
        assert app.panel.selected == app.frame.ids[5], "the selection moves on to the next"


async def test_a_row_restored_while_it_fades_stays() -> None:
    app = PanelApp(told_frame(), still=False)
    async with app.run_test(size=SIZE) as pilot:
        app.panel.reduced_motion = False
        await settle(pilot)
        before = app.order()
        kept = app.frame.memories[4]
        retire(app.frame, 4)
        app.panel.show(app.frame, LAW, NOW_US)
        app.frame.upsert(kept, app.frame.texts[4])
        app.panel.show(app.frame, LAW, NOW_US)
        app.second = 2.0
        app.rows.motion.step()
        assert app.order() == before


async def test_reduced_motion_means_none() -> None:
    app = PanelApp(told_frame())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert app.panel.reduced_motion, "an app without animations asks for it"
        retire(app.frame, 4)
        app.panel.show(app.frame, LAW, NOW_US)
        assert len(app.order()) == 9
        app.panel.glow(app.frame.ids[:2])
        assert not app.rows.motion.running
        assert app.rows.motion.glow_of(0) == 0
        assert app.text_of_rows()[0][37:39] == "◆»"


async def test_motion_ends_when_it_is_switched_off() -> None:
    app = PanelApp(told_frame(), still=False)
    async with app.run_test(size=SIZE) as pilot:
        app.panel.reduced_motion = False
        await settle(pilot)
        retire(app.frame, 4)
        app.panel.show(app.frame, LAW, NOW_US)
        app.panel.reduced_motion = True
        assert len(app.order()) == 9
        assert not app.rows.motion.running
