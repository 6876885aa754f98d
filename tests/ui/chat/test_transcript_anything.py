"""Whatever is done to a transcript, in whatever order: rows are exact, fit the screen, and the end stays the end."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import SELECT_ALL, Selection

from memtui.ui.measure_chat import finished_messages
from memtui.ui.widgets.transcript_copy import row_number
from tests.ui.chat.chat_app import AT, MEMORIES, ChatApp, chat
from tests.ui.chat.test_transcript_hostile import HOSTILE

TEXTS = [
    *HOSTILE.values(),
    "plain words " * 9,
    "# h\n\n- a\n  - b\n\n```py\nx = 1\n\ny\n```\n",
    "a\n\n" * 30,
    "row\n" * 3_000,
]
KEYS = ("up", "down", "m", "t", "o", "y", "c", "enter", "escape", "x", "ctrl+f", "pageup", "pagedown", "backspace")


class Anyone:
    """Does things at random, always the same for a seed."""

    def __init__(self, seed: int, app: ChatApp, pilot: Pilot[None]) -> None:
        self.dice = random.Random(seed)
        self.app = app
        self.pilot = pilot
        self.turns = 0
        self.writing: list[str] = []

    async def act(self) -> str:
        """One thing; what it was."""
        dice, transcript = self.dice, self.app.transcript
        text = dice.choice(TEXTS)
        newest = self.writing[-1] if self.writing else "none"
        deeds: dict[str, Callable[[], object]] = {
            "add": self.add,
            "begin": self.begin,
            "append": lambda: transcript.append(newest, text[: dice.randint(1, 300)], dice.random() < 0.2),
            "append more": lambda: transcript.append(newest, text),
            "flush": transcript.flush,
            "finish": lambda: transcript.finish_reply(self.ended(), text, "4 of 170 tok", dice.choice([(), MEMORIES])),
            "fail": lambda: transcript.fail_reply(self.ended(), text[:80]),
            "notice": lambda: transcript.notice(text[:200], dice.choice(["info", "error"])),
            "scroll": lambda: transcript.scroll_to(y=dice.randint(0, max(0, int(transcript.max_scroll_y)))),
            "page": lambda: dice.choice([transcript.scroll_page_up, transcript.scroll_page_down])(animate=False),
            "end": transcript.action_last,
            "focus": lambda: dice.choice([transcript, self.app.prompt]).focus(),
            "select": self.select,
            "go": lambda: transcript.scroll_to_turn(f"t{dice.randint(0, self.turns)}"),
            "load": self.load,
        }
        name = dice.choice([*deeds, "resize", "key", "key", "key"])
        if name == "resize":
            await self.pilot.resize_terminal(dice.randint(1, 120), dice.randint(1, 45))
        elif name == "key":
            await self.pilot.press(dice.choice(KEYS))
        else:
            deeds[name]()
        await self.pilot.pause()
        return name

    def add(self) -> None:
        self.turns += 1
        self.app.transcript.add_user(f"t{self.turns}", self.dice.choice(TEXTS), AT)

    def begin(self) -> None:
        self.turns += 1
        self.writing.append(f"t{self.turns}")
        self.app.transcript.begin_reply(self.writing[-1], AT)

    def ended(self) -> str:
        return self.writing.pop() if self.writing else "none"

    def load(self) -> None:
        self.writing.clear()
        self.app.transcript.load(finished_messages(self.dice.randint(0, 30)))

    def select(self) -> None:
        first = self.dice.randint(0, self.turns + 1)
        some = Selection(Offset(3, row_number(first, 1, 0)), Offset(2, row_number(first + self.dice.randint(0, 4), 2, 1)))
        self.app.screen.selections = {self.app.transcript: self.dice.choice([SELECT_ALL, some])}
        self.app.screen.get_selected_text()


def check(app: ChatApp) -> None:
    transcript = app.transcript
    height, rows, top = transcript.size.height, transcript.messages.rows, round(transcript.scroll_y)
    if not transcript.size.width or not height:
        return
    assert transcript.virtual_size.height == rows
    assert 0 <= top <= max(0, rows - height)
    assert not transcript.at_end or top == max(0, rows - height)
    for y in range(height):
        assert transcript.render_line(y).cell_length == transcript.messages.width + 2
        spot = transcript.messages.spot(top + y)
        assert spot is None or spot.part.exact


@pytest.mark.parametrize("seed", range(3))
async def test_anything(seed: int) -> None:
    async with chat(size=(20 + 30 * seed, 8 + 10 * seed)) as (app, pilot):
        anyone = Anyone(seed, app, pilot)
        done = []
        for _ in range(50):
            done.append(await anyone.act())
            try:
                check(app)
            except AssertionError as error:
                raise AssertionError(f"after {', '.join(done[-12:])}") from error
