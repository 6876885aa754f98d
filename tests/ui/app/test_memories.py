"""Single memories and commands through the whole app."""

from __future__ import annotations

import json

import pytest

from memtui.locations import Home
from memtui.memory.model import Kind
from tests.ui.app.conftest import NARROW, Bench, Open


async def taught(b: Bench) -> None:
    await b.say("vegetarian since last spring", "allergic to shellfish", "ramen for lunch")


async def test_pin_forget_restore_and_undo_by_key(bench: Open) -> None:
    async with bench() as b:
        await taught(b)
        frame = b.companion.store.frame
        await b.press("ctrl+e", "home", "p")
        await b.idle()
        assert frame.pinned.sum() == 1
        assert "Pinned" in b.text()
        await b.press("end", "f")
        await b.idle()
        assert frame.active.sum() == 2
        assert "Retired 1" in b.text()
        assert "f9 takes it back" in b.text()
        await b.press("f9")
        await b.idle()
        assert frame.active.sum() == 3
        await b.press("end", "f")
        await b.idle()
        await b.press("tab", "r")
        await b.idle()
        assert frame.active.sum() == 3
        assert "Retired 0" in b.text()


async def test_editing_changes_text_kind_and_importance(bench: Open) -> None:
    async with bench() as b:
        await taught(b)
        memory = b.companion.resolve("ramen")
        b.chat.memories.asked("edit", memory)
        await b.pilot.pause()
        await b.press("f7", *"udon", "tab", "right", "ctrl+s")
        await b.idle()
        frame = b.companion.store.frame
        row = frame.row(memory)
        assert frame.texts[row] == "udon"
        assert frame.memories[row].kind is not Kind.SEMANTIC
        assert frame.memories[row].importance == pytest.approx(0.6)


async def test_the_card_tells_why_what_happened_and_what_was_said(bench: Open) -> None:
    async with bench(size=NARROW) as b:
        await taught(b)
        await b.say("am I vegetarian?")
        b.chat.open_card(b.companion.resolve("vegetarian since"))
        await b.idle()
        card = "\n".join(str(widget.render()) for widget in b.app.screen.query("Static"))
        assert "Importance 0.60: a reason" in card
        assert "Salience 1.02 = importance 0.60 × 1.69 for 1 recall × 1.00 left after 0m (S30d)." in card
        assert "told: vegetarian since last spring" in card
        assert "recalled for a reply" in card
        assert "“vegetarian since last spring”" in card
        await b.press("p")
        await b.idle()
        assert b.companion.store.frame.pinned.sum() == 1
        assert b.app.screen is b.chat


async def test_commands_do_what_they_say_and_say_it(bench: Open) -> None:
    async with bench() as b:
        await taught(b)
        await b.say("/remember I play the oboe", "/pin oboe", "/recall shellfish", "/sort age", "/forget m03", "/undo")
        said = b.messages()
        assert "notice: remember I play the oboe" in said
        assert "notice: Remembered as m04." in said
        assert "notice: Pinned m04: I play the oboe" in said
        assert any(message.startswith("notice: m02 allergic to shellfish  words") for message in said)
        assert said[-1].startswith("notice: Undone: ")
        assert b.chat.panel.sort == "age"
        assert b.companion.store.frame.active.sum() == 4


REFUSED = {
    "/etc/hosts is broken": "There is no command '/etc/hosts'",
    "/pin ": "/pin needs MEMORY.",
    "/pin xyzzy": "no memory matches 'xyzzy'",
    "/warp soon": "'soon' is no span of time.",
    "/rate -1": "'-1' is no rate.",
    "/sort colour": "'colour' is no order.",
    "/theme neon": "There is no theme 'neon'.",
    "/replay nothing": "There is no session file 'nothing'.",
}


async def test_a_command_that_cannot_be_done_says_why_and_stays_in_the_prompt(bench: Open) -> None:
    async with bench() as b:
        for line, told in REFUSED.items():
            await b.say(line)
            assert b.chat.alert_box.error is not None, line
            assert told in b.chat.alert_box.error.what
            assert b.chat.prompt.draft == line
            b.chat.prompt.draft = ""
            await b.press("escape")
            assert b.chat.alert_box.error is None


async def test_colours_and_order_chosen_on_the_screen_are_kept(bench: Open, own_home: Home) -> None:
    async with bench() as b:
        await b.say("/theme memtui-light", "/sort recalls")
        assert b.app.theme == "memtui-light"
    assert json.loads(own_home.ui_state.read_text())["theme"] == "memtui-light"
    async with bench() as b:
        assert b.app.theme == "memtui-light"
        assert b.chat.panel.sort == "recalls"
    async with bench(ui={"theme": "memtui-dark", "reduced_motion": True}) as b:
        assert b.app.theme == "memtui-dark"  # the settings win


async def test_a_broken_theme_is_named_once_and_skipped(bench: Open, own_home: Home) -> None:
    own_home.themes.mkdir(parents=True)
    (own_home.themes / "mine.toml").write_text('primary = "no colour"')
    (own_home.themes / "fine.toml").write_text('primary = "#ff8800"')
    async with bench() as b:
        await b.until(lambda: "fine" in b.app.available_themes, "the themes")
        await b.until(lambda: any("mine.toml" in notice.message for notice in b.app._notifications), "the notice")
        assert "mine" not in b.app.available_themes


async def test_keys_can_be_given_to_other_actions(bench: Open) -> None:
    async with bench(ui={"keys": {"program.help": "f4", "no.such": "f7"}, "reduced_motion": True}) as b:
        assert "f4 help" in b.text()
        await b.press("f4")
        assert type(b.app.screen).__name__ == "HelpScreen"


async def test_the_help_lists_every_key_and_command(bench: Open) -> None:
    from memtui.chat.commands import COMMANDS
    from memtui.ui.actions import actions_for

    async with bench() as b:
        await b.press("f1")
        shown = str(b.app.screen.query_one("#help-text").render())
        for command in COMMANDS:
            assert f"/{command.name}" in shown
        for action in actions_for("app", "chat", "live"):
            assert action.tooltip in shown
        assert "Retire the memory now; it can be restored" in shown
        await b.press("f1")
        assert b.app.screen is b.chat


async def test_the_palette_runs_actions_and_commands(bench: Open) -> None:
    async with bench() as b:
        await b.press("ctrl+p", *"undo")
        await b.until(lambda: "Take back the last change" in b.text(), "the entry")
        await b.press("escape", "ctrl+p", *"/remember")
        await b.until(lambda: "Keep this, whatever" in b.text(), "the command")
        await b.press("down", "enter")
        await b.until(lambda: b.chat.prompt.draft == "/remember ", "the prompt")
