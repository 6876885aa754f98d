"""The what-if, through the whole app: opened, changed by keys and by typing, read, and left without a trace."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from memtui.chat.changes import changed_settings, known_keys
from memtui.memory.laws import LAW_NAMES
from memtui.memory.state import state_hash
from memtui.sessions.stage import default_settings
from memtui.ui.screens.whatif_screen import WhatIfScreen
from memtui.ui.widgets.memory_rows import MemoryRows
from memtui.ui.widgets.whatif_form import WhatIfForm, fields_of, stepped, value_of, value_words
from tests.doubles import ScriptedMind
from tests.memory.builders import snapshot
from tests.ui.app.conftest import NARROW, TINY, WIDE, Bench, Open
from tests.ui.app.test_snapshots import Compare, Pictured, settled

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])
HOSTILE = ("[bold]\x1b[31mred[/bold] \u202eabc", "👩‍👩‍👧 family 我住在里斯本", "x" * 3000)


async def lived(b: Bench, *more: str) -> None:
    """Some days with a few memories."""
    for text in ("I'm allergic to shellfish", "my lunch was ramen", "the film was forgettable", *more):
        await b.say(text)
        b.companion.clock.advance(timedelta(days=3))


async def opened(b: Bench, *keys: str) -> WhatIfScreen:
    await b.press(*(keys or ("ctrl+o",)))
    await b.idle()
    screen = b.app.screen
    assert isinstance(screen, WhatIfScreen)
    return screen


def said(screen: WhatIfScreen, widget: str) -> str:
    return str(screen.query_one(f"#{widget}", Static).render())


def headings(screen: WhatIfScreen) -> list[str]:
    return [str(heading.render()) for heading in screen.query(".whatif-heading").results(Static)]


def count(screen: WhatIfScreen, side: str) -> int:
    return len(screen.query_one(f"#whatif-{side}", MemoryRows).listing)


@SIZES
async def test_it_opens_with_the_trunk_on_both_sides_and_escape_leaves(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        await b.chat._night(b.companion)  # what a second of looking around would do
        before = (b.companion.store.head, state_hash(b.companion.store.state), snapshot(b.companion.store.frame))
        law, settings = b.companion.law, b.companion.settings
        screen = await opened(b)
        assert said(screen, "whatif-apart") == "The same 3 memories on both sides."
        assert headings(screen) == [
            "As it is · salience · 3 active · 0 retired",
            "What if · salience · 3 active · 0 retired",
        ]
        await b.press("right", "down", "down", "down", "right", "down", "down", "down", "down", "down", "down")
        await b.idle()
        assert count(screen, "trunk") == 3 > count(screen, "branch")
        await b.press("escape")
        assert b.app.screen is b.chat
        assert before == (b.companion.store.head, state_hash(b.companion.store.state), snapshot(b.companion.store.frame))
        assert (b.companion.law, b.companion.settings) == (law, settings)


@SIZES
async def test_keys_change_the_law_and_its_numbers(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        screen = await opened(b)
        form = screen.query_one(WhatIfForm)
        assert form.has_focus and [field.label for field in form.fields][:2] == ["law", "episodic"]
        await b.press("up")
        await b.idle()
        assert "What if · stability, room for 500" in headings(screen)[1]
        await b.press("left", "down", "up", "up")
        await b.idle()
        assert "room for 5 ·" not in headings(screen)[1]
        await b.press("r")
        await b.idle()
        assert headings(screen)[1] == "What if · salience · 3 active · 0 retired"


async def test_a_value_can_be_typed_and_a_wrong_one_is_said(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        screen = await opened(b, "ctrl+o")
        await b.press("right", "right", "enter")
        box = screen.query_one(Input)
        assert box.has_focus and box.value == "30d"
        box.value = "soon\x1b[31m"
        await b.press("enter")
        assert "no span of time" in said(screen, "whatif-apart") and box.has_focus
        box.value = "1h"
        await b.press("enter")
        await b.idle()
        assert screen.query_one(WhatIfForm).has_focus and not box.display
        assert "semantic  1h*" in b.text() and count(screen, "branch") < 3
        await b.press("enter", "escape")
        assert b.app.screen is screen and not box.display
        await b.press("backspace")
        await b.idle()
        assert "semantic  30d " in b.text() and count(screen, "branch") == 3


@SIZES
async def test_both_sides_can_be_walked_and_say_what_became_of_a_memory(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        screen = await opened(b)
        await b.press("right", "right", *["down"] * 6)
        await b.idle()
        await b.press("tab", "end")
        rows = b.app.screen.focused
        assert isinstance(rows, MemoryRows) and rows.id == "whatif-trunk" and rows.region.area > 0
        assert "as it is active until" in said(screen, "whatif-fate") and "what if pruned" in said(screen, "whatif-fate")
        await b.press("d")
        only = count(screen, "trunk")
        assert only == 3 - count(screen, "branch") or count(screen, "branch") == 0
        await b.press("d", "tab")
        rows = b.app.screen.focused
        assert isinstance(rows, MemoryRows) and rows.id == "whatif-branch" and rows.region.area > 0
        await b.press("tab")
        assert screen.query_one(WhatIfForm).has_focus
        await b.press("shift+tab", "shift+tab")
        assert b.app.screen.focused is screen.query_one("#whatif-trunk")


async def test_the_command_begins_with_what_it_is_given_and_names_what_is_wrong(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        b.chat.prompt.draft = "/whatif law=window capacity=2"
        screen = await opened(b, "enter")
        assert "What if · window, room for 2 · 2 active" in headings(screen)[1]
        assert "only as it is 1 (1 pruned)" in said(screen, "whatif-apart")
        await b.press("q")
        for line, named in (
            ("/whatif dream=1", "dream"),
            ("/whatif floor", "no key=value"),
            ("/whatif floor=9", "memory.floor"),
        ):
            await b.say(line)
            assert b.app.screen is b.chat and named in str(b.chat.alert_box.error)
            await b.press("escape")
            b.chat.prompt.draft = ""


async def test_the_palette_finds_it_and_its_brackets_are_words(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        await b.press("ctrl+p", *"/whatif")
        await b.until(lambda: "/whatif [KEY=VALUE …]" in b.text(), "the command")
        await b.press("escape", "ctrl+p", *"under another law")
        await b.until(lambda: "See memory as it would be" in b.text(), "the action")
        await b.press("escape")


async def test_of_the_past_that_is_shown(bench: Open) -> None:
    async with bench() as b:
        await lived(b)
        middle = b.companion.clock.now() - timedelta(days=5)
        b.chat.past._show(b.companion, middle)
        screen = await opened(b)
        assert "as of" in said(screen, "whatif-title") and headings(screen)[0].endswith("2 active · 0 retired")
        await b.press("escape")


async def test_before_memory_is_open_it_says_so(bench: Open) -> None:
    async def never(*_: object) -> None:
        import asyncio

        await asyncio.sleep(3600)

    async with bench(opener=never, wait=False) as b:
        await b.press("ctrl+o")
        assert b.app.screen is b.chat and "still being opened" in str(b.chat.alert_box.error)


@pytest.mark.parametrize("size", [WIDE, NARROW, TINY], ids=["120x36", "80x24", "40x12"])
async def test_hostile_words_move_nothing(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b, *HOSTILE)
        screen = await opened(b)
        await b.press("tab", "end", "d", "d")
        await b.idle()
        text = b.text()
        assert "\x1b" not in text and "\u202e" not in text
        assert headings(screen)[0].startswith("As it is")


async def test_an_empty_memory_has_an_empty_what_if(bench: Open) -> None:
    async with bench() as b:
        screen = await opened(b)
        assert said(screen, "whatif-apart") == "The same 0 memories on both sides."


@SIZES
async def test_keys_that_come_in_one_burst_all_count(bench: Open, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        await lived(b)
        screen = await opened(b)
        for key in ("right", "down", "down", "down"):
            b.app.simulate_key(key)
        await b.idle()
        await b.until(lambda: "episodic  12h*" in b.text(), "the third step")
        await b.idle()
        assert "half" not in said(screen, "whatif-apart") and "living" not in said(screen, "whatif-apart")


async def test_from_narrow_to_wide_and_back(bench: Open) -> None:
    async with bench(size=NARROW) as b:
        await lived(b)
        screen = await opened(b)
        sides = list(screen.query(".whatif-side"))
        assert [side.display for side in sides] == [False, True]
        await b.pilot.resize_terminal(*WIDE)
        assert [side.display for side in sides] == [True, True]
        await b.press("tab")
        await b.pilot.resize_terminal(*NARROW)
        assert [side.display for side in sides] == [True, False] and isinstance(screen.focused, MemoryRows)


async def test_a_later_change_gives_up_the_earlier_one(bench: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.chat import what_if as module

    asked: list[str] = []
    real = module.what_if

    def counted(companion, settings, **more):  # type: ignore[no-untyped-def]
        asked.append(settings.memory.law)
        return real(companion, settings, **more)

    monkeypatch.setattr(module, "what_if", counted)
    async with bench(ScriptedMind()) as b:
        await lived(b)
        screen = await opened(b)
        await b.press(*["up"] * 5)
        await b.idle()
        assert asked[-1] == "window" and "window" in headings(screen)[1]


def test_every_field_of_every_law_can_be_changed_by_its_steps() -> None:
    settings, keys = default_settings(), set(known_keys(default_settings()))
    for law in LAW_NAMES:
        tried = changed_settings(settings, {"law": law})
        for field in fields_of(law):
            assert field.key in keys
            value = value_of(tried, field.key)
            assert value_words(field, value)
            for by in (1, -1):
                step = stepped(field, value, by)
                if step is not None:
                    changed = changed_settings(tried, {field.key: step})
                    assert value_of(changed, field.key) != value
            if not isinstance(value, str):
                assert stepped(field, field.steps[-1], 1) is None and stepped(field, field.steps[0], -1) is None
                for edge in (field.steps[0], field.steps[-1]):
                    changed_settings(tried, {field.key: f"{edge:g}"})


# -- pictures ----------------------------------------------------------------------------------------------------------


@SIZES
def test_picture_of_a_what_if(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)

    async def before(pilot: Pilot[int]) -> None:
        await pictured.then("ctrl+o", "right", "down", "down", say=False)(pilot)
        await quiet_app(pilot)
        for key in ("tab", "end"):
            await pilot.press(key)
        await settled(pilot)

    assert snap_compare(pictured.app(), terminal_size=size, run_before=before)


async def quiet_app(pilot: Pilot[int]) -> None:
    import asyncio

    for _ in range(2000):
        if all(worker.is_finished for worker in pilot.app.screen.workers):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it is never quiet")
