"""The sleep screen: planning, the story, unticking, applying, undo."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from memtui.chat.steps import SleepReport
from memtui.memory.frame import Frame
from memtui.memory.model import Kind
from memtui.memory.sleep.plan import Action, Plan, PlanItem
from memtui.ui.screens.sleep_screen import SleepScreen
from memtui.ui.widgets.key_line import KeyLine
from memtui.ui.widgets.sleep_lines import COLUMNS, Column
from memtui.ui.widgets.sleep_list import SleepList
from tests.ui.time.sleep_sample import NIGHT, faded_night, frame_of, plan_of, quiet_night
from tests.ui.time.timeline_app import Themed

WIDE = (120, 36)
NARROW = (80, 24)


class Owner(Screen[None]):
    """The screen below, which gets the messages."""

    def __init__(self) -> None:
        super().__init__()
        self.applied: list[Plan] = []
        self.undos = 0

    def compose(self) -> ComposeResult:
        yield Static("chat")

    def on_sleep_screen_apply(self, message: SleepScreen.Apply) -> None:
        self.applied.append(message.plan)

    def on_sleep_screen_undo(self) -> None:
        self.undos += 1


class SleepApp(Themed):
    def __init__(self) -> None:
        super().__init__()
        self.owner = Owner()
        self.sleep = SleepScreen(owner=self.owner, subtitle="nightly")
        self.results: list[Plan | None] = []

    def on_mount(self) -> None:
        super().on_mount()
        self.push_screen(self.owner)
        self.push_screen(self.sleep, self.results.append)

    def column(self, column: Column) -> SleepList:
        return self.sleep.query_one(f"#sleep-{column.value}", SleepList)

    def words(self, of: str) -> str:
        return str(self.sleep.query_one(of, Static).render())

    @property
    def keys(self) -> str:
        return self.sleep.query_one(KeyLine).render_line(0).text


def drawn(sleep_list: SleepList) -> str:
    return "\n".join(sleep_list.render_line(y).text.rstrip() for y in range(sleep_list.size.height))


async def shown(pilot: Pilot[None], app: SleepApp, frame: Frame | None = None, plan: Plan | None = None) -> Plan:
    frame = frame_of() if frame is None else frame
    plan = plan_of(frame) if plan is None else plan
    app.sleep.show_plan(plan, frame, tokens=3410, seconds=4.23)
    await pilot.pause()
    return plan


async def test_planning_shows_how_far_it_is_and_can_be_stopped() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        app.sleep.set_progress(0.42, "judging [red]12[/] of 40\x1b[31m pairs")
        await pilot.pause()
        assert "42%" in app.words("#sleep-bar")
        assert "judging [red]12[/] of 40" in app.words("#sleep-bar")
        await pilot.press("enter", "u", "space", "a", "2")
        assert app.owner.applied == []
        await pilot.press("escape")
        await pilot.pause()
        assert app.results == [None]


async def test_the_plan_reads_as_a_story() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await shown(pilot, app)
        assert app.words("#sleep-summary") == (
            "20 memories: 5 become 1, 1 was said again, 2 give way to newer facts, 3 fade; 9 stay untouched."
        )
        merged, retired, faded, untouched = (drawn(app.column(column)) for column in COLUMNS)
        assert "5 become 1" in merged
        assert "− and 2 more" in merged
        assert "→ Synapse is the" in merged
        assert "said again in the" in merged
        assert "m01 gives way to m12" in retired
        assert "− 13 Mar: I live in" in retired
        assert "→ 20 Apr: I just moved" in retired
        assert "“A move to Lisbon ends" in retired
        assert "sure .94" in retired
        assert "m05 Ramen for lunch" in faded
        assert ".02 left · unused 12d" in faded
        assert "m17 or m18?" in untouched
        assert "Olga" in untouched
        assert "sure .41" in untouched
        assert "1 pair waits for" in untouched
        assert app.words("#sleep-costs") == "12 calls · 3,410 tokens · 4.2 s"
        assert "apply 7 changes" in app.keys


async def test_unticked_items_are_left_out_of_what_is_applied() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        plan = await shown(pilot, app)
        await pilot.press("right", "space")  # the first retired one
        await pilot.press("3", "down", "space", "up", "space", "space")  # the second faded one; the first twice
        await pilot.pause()
        assert "1 gives way" in app.words("#sleep-summary")
        assert app.column(Column.RETIRED).border_title == "retired 1"
        assert app.column(Column.UNTOUCHED).border_title == "untouched 11"
        await pilot.press("enter")
        await pilot.pause()
        retired = [item.key for item in plan.items if item.action is Action.SUPERSEDE]
        pruned = [item.key for item in plan.items if item.action is Action.PRUNE]
        assert app.owner.applied == [plan.without(frozenset({retired[0], pruned[1]}))]
        await pilot.press("enter", "escape", "space")  # nothing happens until the owner says how it went
        await pilot.pause()
        assert len(app.owner.applied) == 1
        assert app.results == []


async def test_a_whole_column_goes_with_one_key_and_comes_back() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await shown(pilot, app)
        await pilot.press("3", "a")
        await pilot.pause()
        assert "fade" not in app.words("#sleep-summary")
        assert drawn(app.column(Column.FADED)).count("[ ]") == 3
        await pilot.press("a")
        await pilot.pause()
        assert drawn(app.column(Column.FADED)).count("[x]") == 3
        await pilot.press("a", "1", "a", "2", "a", "4", "space", "a")
        await pilot.pause()
        assert app.words("#sleep-summary") == "20 memories: nothing changes."
        assert "apply 0 changes" in app.keys


async def test_a_click_unticks() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await shown(pilot, app)
        faded = app.column(Column.FADED)
        await pilot.click(faded, offset=(4, 1))
        await pilot.pause()
        assert len(faded.unticked) == 1
        assert app.focused is faded
        await pilot.click(faded, offset=(4, 25))  # below the last one
        await pilot.pause()
        assert len(faded.unticked) == 1
        keys = app.keys
        await pilot.click(app.sleep.query_one(KeyLine), offset=(keys.index("enter"), 0))
        await pilot.pause()
        assert len(app.owner.applied) == 1


async def test_after_applying_it_reports_and_offers_undo() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await shown(pilot, app)
        await pilot.press("3", "space", "enter")
        await pilot.pause()
        report = SleepReport(app.owner.applied[0], NIGHT, "block")
        app.sleep.show_report(report)
        await pilot.pause()
        assert app.words("#sleep-summary") == report.sentence
        faded = drawn(app.column(Column.FADED))
        assert faded.count("✓") == 2
        assert faded.count("–") == 1
        assert "u undo" in app.keys
        await pilot.press("space", "a")
        assert len(app.column(Column.FADED).unticked) == 1
        await pilot.press("u", "u")
        await pilot.pause()
        assert app.owner.undos == 1
        app.sleep.show_problem("The store is busy.")
        await pilot.press("u")
        await pilot.pause()
        assert app.owner.undos == 2
        app.sleep.show_undone("Undone: all of it is back.")
        await pilot.pause()
        assert app.words("#sleep-summary") == "Undone: all of it is back."
        assert "undo" not in app.keys
        await pilot.press("enter")
        await pilot.pause()
        assert app.results == [None]


async def test_closing_after_applying_gives_the_applied_plan() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        plan = await shown(pilot, app)
        await pilot.press("enter")
        await pilot.pause()
        app.sleep.show_report(SleepReport(plan, NIGHT, None))
        await pilot.pause()
        assert "undo" not in app.keys
        await pilot.press("u", "escape")
        await pilot.pause()
        assert app.owner.undos == 0
        assert app.results == [plan]


async def test_what_could_not_be_applied_can_be_tried_again() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await shown(pilot, app)
        await pilot.press("enter")
        await pilot.pause()
        app.sleep.show_problem("No space left [red]on the disk.")
        await pilot.pause()
        assert "No space left [red]on the disk." in app.words("#sleep-problem")
        await pilot.press("enter")
        await pilot.pause()
        assert len(app.owner.applied) == 2


async def test_a_night_with_nothing_to_do_says_so() -> None:
    app = SleepApp()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        frame, plan = quiet_night()
        await shown(pilot, app, frame, plan)
        assert "A quiet night: 2 memories are current" in app.words("#sleep-nothing-text")
        await pilot.press("enter")
        await pilot.pause()
        assert app.owner.applied == [plan]


async def test_an_empty_memory_says_so() -> None:
    app = SleepApp()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        frame, plan = quiet_night()
        await shown(pilot, app, frame, replace(plan, active_before=0))
        assert "Nothing is remembered yet" in app.words("#sleep-nothing-text")


async def test_a_minds_trouble_while_planning_is_told() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await shown(pilot, app, plan=replace(plan_of(frame_of()), problem="The mind did not answer."))
        assert "The mind did not answer." in app.words("#sleep-problem")


async def test_on_a_narrow_terminal_one_column_shows_at_a_time() -> None:
    app = SleepApp()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await shown(pilot, app)
        assert [app.column(column).display for column in COLUMNS] == [True, False, False, False]
        await pilot.press("right")
        await pilot.pause()
        assert [app.column(column).display for column in COLUMNS] == [False, True, False, False]
        await pilot.click("#sleep-tab-faded")
        await pilot.pause()
        assert app.column(Column.FADED).display
        assert app.focused is app.column(Column.FADED)
        await pilot.press("left", "left", "left")
        await pilot.pause()
        assert app.column(Column.UNTOUCHED).display
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert all(app.column(column).display for column in COLUMNS)


async def test_a_thousand_fade_and_the_last_can_be_unticked() -> None:
    app = SleepApp()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        frame, plan = faded_night(1500)
        await shown(pilot, app, frame, plan)
        faded = app.column(Column.FADED)
        assert app.focused is faded  # the first column with anything in it
        await pilot.press("end", "space", "pageup", "space", "pagedown", "pageup", "home", "pagedown")
        await pilot.pause()
        assert plan.items[-1].key in faded.unticked
        assert len(faded.unticked) == 2
        assert faded.border_title == "faded 1,498"
        assert all(faded.render_line(y).cell_length == faded.scrollable_content_region.width for y in range(10))


HOSTILE = (
    "[red]x[/]",
    "\x1b[31mred\x00\x07",
    "\ud800half",
    "مرحبا\u202eabc",
    "日本語" * 200,
    "👩‍👩‍👧‍👦" * 50,
    "a\nb\tc",
    "",
    "word" * 100_000,
)


@pytest.mark.parametrize("size", [WIDE, (40, 12), (20, 8)])
async def test_hostile_texts_are_only_text(size: tuple[int, int]) -> None:
    frame = frame_of([(text, Kind.SEMANTIC, 0.5, 3.0, 0) for text in HOSTILE for _ in range(2)])
    items = tuple(
        PlanItem(f"{action}:{row}", action, (frame.ids[row],), by, HOSTILE[row // 2], HOSTILE[-1 - row // 2])
        for row in range(len(frame))
        for action, by in ((Action.MERGE, None), (Action.SUPERSEDE, frame.ids[0]), (Action.PRUNE, None))
    )
    plan = Plan(NIGHT, "\x1b[red]", items, active_before=len(frame), problem="[/]\x1b\ud800" * 500)
    app = SleepApp()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await shown(pilot, app, frame, plan)
        for key in ("1", "2", "3", "4"):
            await pilot.press(key, "end", "space", "home")
            await pilot.pause()
            shown_list = app.column(COLUMNS[int(key) - 1])
            for y in range(shown_list.size.height):
                strip = shown_list.render_line(y)
                assert strip.cell_length == shown_list.scrollable_content_region.width
                assert not set("\x1b\x00\x07\n\u202e\ud800") & set(strip.text)
        await pilot.press("escape")
        await pilot.pause()
        assert app.results == [None]


async def test_a_paint_between_a_resize_and_its_laying_out_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    app = SleepApp()
    async with app.run_test(size=(120, 36)) as pilot:
        await shown(pilot, app)
        monkeypatch.setattr(SleepList, "on_resize", lambda self: None)  # it is late
        for size in ((80, 24), (200, 50), (40, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for column in Column:
                drawn(app.column(column))
        assert app.is_running
