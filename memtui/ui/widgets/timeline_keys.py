"""The keys of the time line and how its parts are coloured."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

PARTS: Final = (
    *("label", "past", "turn", "recall", "retirement", "sleep", "now", "rail", "fill", "handle"),
    *("value", "outcome", "hint", "warp", "curve", "curve-passed"),
)
"""What can be coloured; `timeline--` and the name is the component class."""
TIMELINE_CSS: Final = """
Timeline {
    height: auto;
    width: 1fr;
    color: $text-muted;
    background: $background;
    & > .timeline--label { color: $text-muted; }
    & > .timeline--past { color: $text-disabled; }
    & > .timeline--turn { color: $text; text-style: bold; }
    & > .timeline--recall { color: $text; }
    & > .timeline--retirement { color: $text-error; }
    & > .timeline--sleep { color: $text-primary; }
    & > .timeline--now { color: $text; }
    & > .timeline--rail { color: $text-muted; }
    & > .timeline--fill { color: $accent; }
    & > .timeline--handle { color: $accent; text-style: bold; }
    & > .timeline--value { color: $accent; text-style: bold; }
    & > .timeline--outcome { color: $text-warning; text-style: bold; }
    & > .timeline--hint { color: $text-muted; text-style: italic; }
    & > .timeline--warp { color: $text-warning; text-style: bold; }
    & > .timeline--curve { color: $primary; }
    & > .timeline--curve-passed { color: $primary-muted; }
    &:focus { background: $surface; }
    &.-past { background: $secondary 14%; }
}
"""
TIMELINE_KEYS: Final[list[BindingType]] = [
    Binding("right", "step(1)", "later", tooltip="A round step later, or sooner; left of now is the past.", show=False),
    Binding("left", "step(-1)", "sooner", tooltip="A round step later, or sooner; left of now is the past.", show=False),
    Binding(
        "shift+right,ctrl+right", "leap(1)", "far later", tooltip="To the next landmark, or the one before.", show=False
    ),
    Binding(
        "shift+left,ctrl+left", "leap(-1)", "far sooner", tooltip="To the next landmark, or the one before.", show=False
    ),
    Binding("pageup", "days(1)", "a day later", tooltip="A day later, or sooner.", show=False),
    Binding("pagedown", "days(-1)", "a day sooner", tooltip="A day later, or sooner.", show=False),
    Binding("up", "happening(1)", "next change", tooltip="In the past: to the next thing that happened.", show=False),
    Binding("down", "happening(-1)", "change before", tooltip="Back to the last thing that happened before.", show=False),
    Binding("home", "jump('now')", "now", tooltip="To now, or to the far end.", show=False),
    Binding("end", "jump('end')", "the far end", tooltip="To now, or to the far end.", show=False),
    Binding(
        "enter",
        "commit",
        "go there",
        tooltip="Go ahead there. Digits set the time outright: 12, 90m, 3h, 2w; -3d is three days ago.",
        show=False,
    ),
    Binding("escape", "cancel", "back to now", tooltip="Back to now; stops a move under way.", show=False),
]
"""What the keys do while the time line has the focus."""
