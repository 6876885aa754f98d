"""Memories like those of the design's picture, and a still app with nothing but the panel; shared by the tests here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.pilot import Pilot
from textual.theme import Theme
from textual.widgets import Static

from memtui.locations import shipped_themes
from memtui.memory.frame import Frame
from memtui.memory.ids import make_id
from memtui.memory.laws.salience import SalienceLaw
from memtui.memory.model import Kind, Memory, RetireReason, Status
from memtui.memory.moments import to_us
from memtui.memory.texts import content_hash
from memtui.ui.themes import load_themes
from memtui.ui.widgets.memory_bars import derived_defaults
from memtui.ui.widgets.memory_panel import MemoryPanel
from memtui.ui.widgets.memory_rows import MemoryRows
from memtui.ui.widgets.memory_strip import MemoryStrip

NOW = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
NOW_US = to_us(NOW)
LAW = SalienceLaw()
E, S, C, P = Kind.EPISODIC, Kind.SEMANTIC, Kind.CONSOLIDATED, Kind.PROCEDURAL
TOLD = (  # text, kind, importance, recalls, hours since the last recall
    ("allergic to shellfish: a real allergy, carries a pen", S, 0.95, 7, 0.04),
    ("vegetarian since 2019", S, 0.8, 5, 0.04),
    ("moved to Lisbon. Berlin didn't work out, too grey and too far from the sea.", S, 0.9, 2, 0.04),
    ("building Synapse, a timeline of what an agent remembers", C, 0.9, 1, 26),
    ("flat white, no sugar", S, 0.78, 0, 75),
    ("deploy: lock the branch, tag, wait for the canary, then roll", P, 0.3, 3, 220),
    ("a bakery down the street has cardamom buns", E, 0.5, 0, 50),
    ("saw a forgettable film about a heist", E, 0.35, 1, 145),
    ("rain all week", E, 0.4, 0, 195),
    ("ramen for lunch", E, 0.35, 0, 222),
)
HOSTILE = (
    "[red]markup[/] [/] [bold",
    "日本語のテキストがここに入りますので幅が倍になる",
    "family 👨‍👩‍👧‍👦 heart ❤️ flag 🇵🇹 thumbs 👍🏽 key 1️⃣",
    "שלום עולם \u202eevil\u202c مرحبا بالعالم",
    "nul \x00 bell \x07 esc \x1b[31mred\x1b[0m tab\tnew\nline \r\n",
    "lone \ud800 surrogate \udfff",
    "z\u0336\u0335\u0334a\u0336\u0335\u0334l\u0336\u0335\u0334g\u0336\u0335\u0334o\u0336\u0335\u0334 " * 4,
    "\u200b\u200b\ufeff\u2060zero width\u00ad soft",
    "   \n\n   leading blanks",
    "",
    "한국어 각각 ᄒ\u1161\u11ab ｆｕｌｌ ﾊﾝｶｸ",
    "private \ue000 unassigned \U000e1234 tag \U000e0041",
    "a" * 1_000_000,
    "हिन्दी ภาษาไทย தமிழ்",
)


def memory(
    text: str,
    kind: Kind = S,
    importance: float = 0.5,
    recalls: int = 0,
    hours: float = 0.0,
    *,
    at: datetime = NOW,
    **fields: object,
) -> Memory:
    """A memory of `text`, last recalled `hours` before `at`."""
    last = at - timedelta(hours=hours)
    born = last - timedelta(hours=6 * recalls)
    values: dict[str, object] = {
        "id": make_id(born, text[:200], str(hours)),
        "kind": kind,
        "content": content_hash(text.encode("utf-8", "replace").decode()),
        "note": None,
        "importance": importance,
        "created_at": born,
        "valid_from": born,
        "last_recall": last,
        "recalls": recalls,
        "sources": ("t061",),
    }
    return Memory(**{**values, **fields})  # type: ignore[arg-type]


def retired(text: str, reason: RetireReason, hours_ago: float, *, by: str | None = None, importance: float = 0.5) -> Memory:
    """A memory that was retired `hours_ago` before `NOW`."""
    return memory(
        text,
        E,
        importance,
        hours=hours_ago + 200,
        status=Status.RETIRED,
        retired_at=NOW - timedelta(hours=hours_ago),
        retired_reason=reason,
        retired_by=by,
    )


def retire(frame: Frame, row: int) -> None:
    """Retire the memory in `row`, at `NOW`."""
    left = replace(frame.memories[row], status=Status.RETIRED, retired_at=NOW, retired_reason=RetireReason.SUPERSEDED)
    frame.upsert(left, frame.texts[row])


def told_frame() -> Frame:
    """The picture's memories, the first one pinned, and six retired ones."""
    frame = Frame(0)
    for text, kind, importance, recalls, hours in TOLD:
        frame.upsert(memory(text, kind, importance, recalls, hours, pinned=text.startswith("allergic")), text)
    lisbon, synapse = frame.ids[2], frame.ids[3]
    for item in (
        ("lives in Berlin, Neukölln", RetireReason.SUPERSEDED, 147.0, lisbon),
        ("started a project called Synapse", RetireReason.MERGED, 18.0, synapse),
        ("Synapse has a timeline now", RetireReason.MERGED, 18.0, synapse),
        ("is vegetarian", RetireReason.DUPLICATE, 42.0, frame.ids[1]),
        ("queued for an hour at the post office", RetireReason.PRUNED, 18.0, None),
        ("the name of an ex", RetireReason.FORGOTTEN, 3.0, None),
    ):
        text, reason, hours, by = item
        frame.upsert(retired(text, reason, hours, by=by), text)
    return frame


def frame_of(texts: Iterable[str]) -> Frame:
    """A frame with one fresh memory for each text."""
    frame = Frame(0)
    for number, text in enumerate(texts):
        frame.upsert(memory(text, importance=0.9, hours=number * 3.0), text)
    return frame


def many(rows: int) -> Frame:
    """`rows` memories of all kinds and ages, always the same."""
    frame = Frame(0)
    kinds = tuple(Kind)
    for number in range(rows):
        text = f"memory number {number}"
        frame.upsert(memory(text, kinds[number % 4], 0.1 + (number * 37 % 90) / 100, number % 7, (number * 53) % 400), text)
    return frame


@cache
def shipped() -> tuple[Theme, ...]:
    """The themes that ship, read once."""
    return tuple(load_themes([shipped_themes()])[0])


_CHARACTERS = {"left_square_bracket": "[", "right_square_bracket": "]"}


async def settle(pilot: Pilot[Any]) -> None:
    """Let all messages arrive and be painted, without waiting for an idle machine."""
    for _ in range(6):
        await pilot.pause(0)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one after the other; much faster than the pilot's own way."""
    driver = pilot.app._driver
    assert driver is not None
    for key in keys:
        event = events.Key(key, _CHARACTERS.get(key, key if len(key) == 1 else None))
        event.set_sender(pilot.app)
        driver.send_message(event)
        await settle(pilot)


class PanelApp(App[None]):
    """A still app with the panel on the right of `width` columns, and a record of what it said."""

    CSS = """
    Screen { background: $background; color: $text; }
    #rest { width: 1fr; color: $text-muted; }
    #side { width: auto; height: 1fr; border-left: solid $foreground 20%; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, frame: Frame, *, width: int = 57, theme: str = "memtui-dark", still: bool = True) -> None:
        super().__init__()
        if still:
            self.animation_level = "none"
        self.frame = frame
        self.panel = MemoryPanel()
        self.panel.rows.motion.seconds = lambda: self.second
        self.panel.styles.width = width
        self.said: list[Message] = []
        self.second = 0.0
        self.ready: Callable[[], None] = lambda: None
        self._wanted = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("", id="rest")
            with Horizontal(id="side"):
                yield self.panel

    def on_mount(self) -> None:
        for theme in shipped():
            self.register_theme(theme)
        if self._wanted in self.available_themes:
            self.theme = self._wanted
        self.panel.show(self.frame, LAW, NOW_US)
        self.panel.rows.focus()

    @property
    def rows(self) -> MemoryRows:
        return self.panel.rows

    def on_memory_rows_selected(self, message: MemoryRows.Selected) -> None:
        self.said.append(message)

    def on_memory_rows_opened(self, message: MemoryRows.Opened) -> None:
        self.said.append(message)

    def on_memory_panel_asked(self, message: MemoryPanel.Asked) -> None:
        self.said.append(message)

    def on_memory_panel_sorted(self, message: MemoryPanel.Sorted) -> None:
        self.said.append(message)

    def text_of_rows(self) -> list[str]:
        """The panel's rows as plain text, as they stand on the screen."""
        rows = self.rows
        return [rows.render_line(y).text for y in range(rows.size.height)]

    def order(self) -> list[str]:
        """First words of the rows in sight, in their order."""
        listing = self.rows.listing
        top = self.rows.scroll_offset.y
        return [self.frame.texts[row] for row in listing.order.take(top, top + self.rows.size.height).tolist()]


class StripApp(App[None]):
    """A still app with the strip alone."""

    CSS = "Screen { background: $background; color: $text; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.animation_level = "none"
        self.frame = frame
        self.strip = MemoryStrip()
        self.opened = 0

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield self.strip

    def on_mount(self) -> None:
        self.strip.show(self.frame, LAW, NOW_US)

    def on_memory_strip_opened(self) -> None:
        self.opened += 1
