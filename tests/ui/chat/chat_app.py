"""A chat without a mind: transcript, menu and prompt, a clock that stands, and a record of what was posted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from memtui.ui.widgets.prompt import Prompt
from memtui.ui.widgets.recall_lines import RecallLine
from memtui.ui.widgets.slash_menu import SlashEntry, SlashMenu
from memtui.ui.widgets.transcript import Transcript

AT: Final = datetime(2026, 4, 25, 21, 10, tzinfo=UTC)
MEMORIES: Final = (
    RecallLine("id-31", "m31", "moved to Lisbon", 0.12, 0.71, 1.2),
    RecallLine("id-02", "m02", "vegetarian", 0.0, 0.64, 1.4),
    RecallLine("id-03", "m03", "allergic to shellfish", 0.31, 0.58, 1.6),
)
ENTRIES: Final = (
    SlashEntry("remember", "TEXT", "Keep this, whatever the mind thinks of it"),
    SlashEntry("restore", "MEMORY", "Bring a retired memory back"),
    SlashEntry("sleep", "", "Run the sleep pass: merge, retire, prune"),
    SlashEntry("sessions", "", "Open, rename or delete earlier chats"),
    SlashEntry("warp", "3d | 12h | 1d6h", "Move the simulated clock ahead"),
    SlashEntry("help", "", "Keys and commands"),
)


class ChatApp(App[None]):
    """What the chat screen has of this room, wired as it wires it."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str = "textual-dark") -> None:
        super().__init__()
        self.animation_level = "none"
        self.theme = theme
        self.now_s = 100.0
        self.transcript = Transcript(clock=lambda: self.now_s)
        self.menu = SlashMenu(ENTRIES)
        self.prompt = Prompt(menu=self.menu, blink=False)
        self.sent: list[str] = []
        self.copied: list[tuple[str, str]] = []
        self.memories: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.menu
        yield self.prompt

    def on_mount(self) -> None:
        self.prompt.focus()

    @on(Prompt.Submitted)
    def _sent(self, message: Prompt.Submitted) -> None:
        self.sent.append(message.text)

    @on(SlashMenu.Picked)
    def _picked(self, message: SlashMenu.Picked) -> None:
        self.prompt.picked(message.entry)

    @on(Transcript.CopyRequested)
    def _copied(self, message: Transcript.CopyRequested) -> None:
        self.copied.append((message.what, message.text))

    @on(Transcript.MemorySelected)
    def _memory(self, message: Transcript.MemorySelected) -> None:
        self.memories.append(message.memory)

    def rows(self) -> list[str]:
        """The transcript's rows as they stand on the screen, without blanks at their ends."""
        return [self.transcript.render_line(y).text.rstrip() for y in range(self.transcript.size.height)]

    def screen_text(self) -> str:
        """All that stands in the transcript's viewport."""
        return "\n".join(self.rows())


@asynccontextmanager
async def chat(size: tuple[int, int] = (64, 30), theme: str = "textual-dark") -> AsyncIterator[tuple[ChatApp, Pilot[None]]]:
    """A running chat."""
    app = ChatApp(theme)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def say(app: ChatApp, turn: str, question: str, answer: str) -> None:
    """One whole exchange."""
    app.transcript.add_user(turn, question, AT)
    app.transcript.begin_reply(turn, AT)
    app.transcript.append(turn, answer)
    app.transcript.finish_reply(turn, answer, "44 of 170 tok", MEMORIES)
