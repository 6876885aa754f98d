"""One registry feeds keys, help, key line and palette."""

from __future__ import annotations

from collections import Counter

from memtui.ui.actions import ACTIONS, GROUPS, actions_for, bindings_for, by_id, key_line, keymap_of


def test_ids_are_unique_and_every_binding_can_be_remapped_and_explains_itself() -> None:
    assert all(count == 1 for count in Counter(action.id for action in ACTIONS).values())
    for binding in bindings_for("app", "chat", "live", "replay"):
        assert binding.id
        assert binding.tooltip.endswith(".")


def test_no_two_actions_of_one_screen_share_a_key() -> None:
    for places in (("app", "chat", "live"), ("app", "chat", "replay")):
        keys = [key for action in actions_for(*places) for key in action.key.split(",")]
        assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_keys_that_never_arrive_as_themselves_are_not_used() -> None:
    never = {"ctrl+m", "ctrl+i", "ctrl+h", "ctrl+j", "alt+enter", "shift+enter"}
    assert not never & {key for action in ACTIONS for key in action.key.split(",")}


def test_the_key_line_is_in_order_and_its_groups_are_known() -> None:
    shown = [action.id for action in key_line("app", "chat", "live")]
    assert shown[:3] == ["memory.sleep", "time.slider", "memory.panel"]
    assert shown[-1] == "program.palette"
    assert {action.group for action in ACTIONS} == set(GROUPS)


def test_a_users_keys_are_taken_and_wrong_ones_named() -> None:
    usable, problems = keymap_of({"memory.sleep": "f7", "memory.dream": "f6", "time.pause": " "})
    assert usable == {"memory.sleep": "f7"}
    assert len(problems) == 2
    assert "memory.dream" in problems[0]
    assert by_id("memory.sleep") is not None
