"""The bottom line: what has room, and clicks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.app import ComposeResult

from memtui.ui.widgets.key_line import KeyHint, KeyLine, fitted
from tests.ui.time.timeline_app import Themed

HINTS = (
    KeyHint("ctrl+l", "sleep", "sleep", 2),
    KeyHint("ctrl+t", "time", "time", 2),
    KeyHint("ctrl+e", "memory", "memory", 1),
    KeyHint("f5", "pause", "pause"),
    KeyHint("ctrl+r", "sessions", "sessions"),
    KeyHint("f1", "help", "help", 2),
    KeyHint("ctrl+p", "commands", "command_palette"),
)
words = st.text("abcdef日本+ ", min_size=1, max_size=9)
hints = st.lists(st.builds(KeyHint, key=words, label=words, action=words, priority=st.integers(0, 3)), max_size=10)


class LineApp(Themed):
    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[str] = []

    def compose(self) -> ComposeResult:
        yield KeyLine(HINTS)

    def on_key_line_pressed(self, message: KeyLine.Pressed) -> None:
        self.pressed.append(message.action)


@given(hints, st.integers(0, 150))
def test_what_is_shown_has_room_and_keeps_its_order(given_hints: list[KeyHint], width: int) -> None:
    shown = fitted(given_hints, width)
    assert sum(gap + hint.cells for hint, gap in shown) <= width
    places = iter(given_hints)
    assert all(any(hint is other for other in places) for hint, _gap in shown)
    left_out = [hint for hint in given_hints if not any(hint is kept for kept, _gap in shown)]
    if shown and left_out:
        assert max(h.priority for h in left_out) <= max(h.priority for h, _gap in shown)


def test_what_matters_most_stays() -> None:
    assert [hint.label for hint, _gap in fitted(HINTS, 120)] == [hint.label for hint in HINTS]
    assert [hint.label for hint, _gap in fitted(HINTS, 62)] == ["sleep", "time", "memory", "pause", "help"]
    assert [hint.label for hint, _gap in fitted(HINTS, 34)] == ["sleep", "time"]
    assert fitted(HINTS, 3) == []


async def test_hints_are_buttons() -> None:
    app = LineApp()
    async with app.run_test(size=(120, 5)) as pilot:
        line = app.query_one(KeyLine).render_line(0).text
        assert line.startswith(" ctrl+l sleep   ctrl+t time")
        await pilot.click(KeyLine, offset=(line.index("ctrl+t") + 1, 0))
        await pilot.click(KeyLine, offset=(line.index("commands"), 0))
        await pilot.click(KeyLine, offset=(line.index("ctrl+t") - 2, 0))
        await pilot.click(KeyLine, offset=(118, 0))
        await pilot.pause()
        assert app.pressed == ["time", "command_palette"]
        app.query_one(KeyLine).show([KeyHint("q", "leave", "leave")])
        await pilot.hover(KeyLine, offset=(3, 0))
        await pilot.click(KeyLine, offset=(3, 0))
        await pilot.pause()
        assert app.pressed[-1] == "leave"
        assert app.query_one(KeyLine).render_line(0).text.strip() == "q leave"
