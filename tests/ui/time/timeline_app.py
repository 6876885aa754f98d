"""An app with nothing but the slider, and a record of what it said; shared by the tests here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Input

from memtui.locations import shipped_themes
from memtui.memory.moments import to_us
from memtui.ui.themes import load_themes
from memtui.ui.widgets.timeline import Timeline
from memtui.ui.widgets.timeline_view import Mark

NOW = datetime(2026, 4, 25, 20, 14, tzinfo=UTC)
TURNS = [to_us(NOW - timedelta(hours=h)) for h in (0.1, 0.3, 2, 5, 26, 30, 50, 75, 100, 140, 190, 260, 330, 400, 500, 570)]
SLEEPS = [to_us(NOW.replace(hour=3, minute=0) - timedelta(days=d)) for d in range(24)]


THEMES = {theme.name: theme for theme in load_themes([shipped_themes()])[0]}


class Themed(App[None]):
    """A still app in memtui's own colours."""

    CSS = "Screen { background: $background; color: $text; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str = "memtui-dark") -> None:
        super().__init__()
        self.animation_level = "none"
        self._wanted = theme

    def on_mount(self) -> None:
        self.register_theme(THEMES[self._wanted])
        self.theme = self._wanted


class TimelineApp(Themed):
    """The slider below a prompt that has the focus."""

    def __init__(self, theme: str = "memtui-dark") -> None:
        super().__init__(theme)
        self.said: list[Message] = []
        self.escapes = 0

    BINDINGS = [("escape", "escaped")]  # noqa: RUF012 (Textual's own way)

    def compose(self) -> ComposeResult:
        prompt = Input()
        prompt.cursor_blink = False
        yield prompt
        yield Timeline()

    def on_mount(self) -> None:
        super().on_mount()
        self.timeline.set_past(NOW, {Mark.TURN: TURNS, Mark.SLEEP: SLEEPS})

    @property
    def timeline(self) -> Timeline:
        return self.query_one(Timeline)

    def on_timeline_previewed(self, message: Timeline.Previewed) -> None:
        self.said.append(message)

    def on_timeline_committed(self, message: Timeline.Committed) -> None:
        self.said.append(message)

    def on_timeline_looked_back(self, message: Timeline.LookedBack) -> None:
        self.said.append(message)

    def on_timeline_go_back_refused(self, message: Timeline.GoBackRefused) -> None:
        self.said.append(message)

    def on_timeline_cancelled(self, message: Timeline.Cancelled) -> None:
        self.said.append(message)

    def on_timeline_cancel_requested(self, message: Timeline.CancelRequested) -> None:
        self.said.append(message)

    def action_escaped(self) -> None:
        self.escapes += 1

    @property
    def previews(self) -> list[float]:
        return [message.hours for message in self.said if isinstance(message, Timeline.Previewed)]

    @property
    def looks(self) -> list[tuple[int, bool]]:
        return [(message.at_us, message.held) for message in self.said if isinstance(message, Timeline.LookedBack)]

    @property
    def commits(self) -> list[float]:
        return [message.hours for message in self.said if isinstance(message, Timeline.Committed)]

    @property
    def cancels(self) -> int:
        return sum(isinstance(message, Timeline.Cancelled) for message in self.said)
