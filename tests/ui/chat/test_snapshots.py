"""Pictures of the chat: a conversation with all that Markdown has, at two sizes and in two themes; menu and search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual import events
from textual.pilot import Pilot

from memtui.locations import shipped_themes
from memtui.ui.themes import load_themes
from tests.ui.chat.chat_app import AT, ChatApp, say

Compare = Callable[..., bool]

ANSWER: Final = """You live in **Lisbon** now and you are *vegetarian*, so: anywhere without shellfish.

## Two places

1. walk to `Graça`
2. [Damas](https://example.org), with
   - a garden
   - no shellfish

> You said that one is serious.

| dish | price |
|---|--:|
| caldo verde | 4.50 |

```python
def dinner(city: str) -> list[str]:
    return [p for p in PLACES[city] if "shellfish" not in p]  # safe
```
"""


class Still(ChatApp):
    """A conversation that stands still in memtui's own colours."""

    def __init__(self, theme: str) -> None:
        super().__init__()
        self._wanted = theme

    def on_mount(self) -> None:
        super().on_mount()
        for theme in load_themes([shipped_themes()])[0]:
            self.register_theme(theme)
        self.theme = self._wanted
        self.transcript.notice("Slept: 3 merged, 2 retired by newer facts, 1 faded.", "sleep")
        say(self, "t1", "Where should I have dinner tonight?", ANSWER)
        self.transcript.add_user("t2", "Synapse update: the timeline shows [live] salience now.", AT, masked=1)
        self.transcript.begin_reply("t2", AT)
        self.transcript.append("t2", "They told me of six.", thinking=True)
        self.now_s += 3
        self.transcript.append("t2", "Good. That is the **sixth** update on Synapse; tonight's sleep")
        self.now_s += 0.4
        self.transcript.flush()
        self.transcript.stop_ticking()


async def _settled(pilot: Pilot[None]) -> None:
    before = ""
    for _ in range(40):
        await pilot.pause()
        now = pilot.app.export_screenshot()
        if now == before:
            return
        before = now


def test_a_conversation(snap_compare: Compare) -> None:
    assert snap_compare(Still("memtui-dark"), terminal_size=(64, 44), run_before=_settled)


def test_a_conversation_in_light(snap_compare: Compare) -> None:
    assert snap_compare(Still("memtui-light"), terminal_size=(64, 44), run_before=_settled)


def test_a_conversation_at_40x12(snap_compare: Compare) -> None:
    assert snap_compare(Still("memtui-dark"), terminal_size=(40, 12), run_before=_settled)


def test_the_menu_and_a_paste(snap_compare: Compare) -> None:
    async def typed(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Still)
        await pilot.press("/", "s", "down")
        await _settled(pilot)

    assert snap_compare(Still("memtui-dark"), terminal_size=(64, 24), run_before=typed)


def test_a_paste_by_its_size(snap_compare: Compare) -> None:
    async def pasted(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Still)
        app.prompt.busy = True
        await pilot.press(*"look: ")
        app.prompt.post_message(events.Paste("x" * 1_048_576))
        await _settled(pilot)

    assert snap_compare(Still("memtui-dark"), terminal_size=(64, 24), run_before=pasted)


def test_finding(snap_compare: Compare) -> None:
    async def found(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Still)
        app.transcript.action_search()
        await pilot.press(*"shellfish", "enter")
        await _settled(pilot)

    assert snap_compare(Still("memtui-dark"), terminal_size=(64, 24), run_before=found)
