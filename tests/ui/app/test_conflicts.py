"""What is to settle, through the whole app: the word in the key line, the screen that asks, the answers and their undo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.locations import Home
from memtui.memory.model import Label, RetireReason, Verdict
from memtui.memory.state import state_hash
from memtui.minds.base import PairText
from memtui.ui.screens.chat_screen import ChatScreen
from memtui.ui.screens.conflicts_screen import ConflictsScreen
from memtui.ui.screens.sleep_screen import SleepScreen
from tests.doubles import ScriptedMind
from tests.ui.app.conftest import NARROW, TINY, WIDE, Bench, Open
from tests.ui.app.story import Storyteller
from tests.ui.app.test_snapshots import Compare, Pictured, quiet, settled

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])


class Doubting(ScriptedMind):
    """Thinks that a newer home or a newer dish may replace the older, and is not sure."""

    def __init__(self, reason: str = "a visit or a move?") -> None:
        super().__init__()
        self.reason = reason
        self.verdict = self._judged

    def _judged(self, pair: PairText) -> Verdict:
        for word in ("live in", "lunch is"):
            if word in pair.older and word in pair.newer:
                return Verdict(self.reason, Label.SUPERSEDES, 0.3)
        return Verdict("", Label.UNRELATED)


async def doubtful(b: Bench, *more: str) -> None:
    """Two pairs in question: m01 and m02, m03 and m04."""
    for text in ("I live in Berlin", "I live in Lisbon", "my lunch is ramen", "my lunch is soup", *more):
        await b.say(text)
        b.companion.clock.advance(timedelta(hours=1))
    await b.companion.sleep("nightly")
    b.chat.time.take_in(b.companion)
    await b.pilot.pause()


def asked(b: Bench) -> str:
    """What the screen asks."""
    assert isinstance(b.app.screen, ConflictsScreen)
    return "\n".join(str(widget.render()) for widget in b.app.screen.query(Static) if widget.display)


def there(b: Bench) -> list[str]:
    return [b.companion.store.text(memory.content) for memory in b.companion.store.state.active()]


@SIZES
async def test_the_key_line_says_quietly_how_much_waits(bench: Open, size: tuple[int, int]) -> None:
    async with bench(Doubting(), size=size) as b:
        assert "to settle" not in b.text()
        await doubtful(b)
        assert "f7 2 to settle" in b.text()
        await b.say("/settle m01 m02 both")
        assert "f7 1 to settle" in b.text()
        assert b.messages()[-1] == "notice: m01 and m02 both stay; they are not asked about again."
        await b.say("/settle m03 m04 unsure")
        assert "to settle" not in b.text()
        await b.press("f9")
        await b.idle()
        assert "f7 1 to settle" in b.text()


@SIZES
async def test_one_key_answers_each_question_and_u_takes_it_back(bench: Open, size: tuple[int, int]) -> None:
    async with bench(Doubting(), size=size) as b:
        await doubtful(b)
        before = state_hash(b.companion.store.state)
        await b.press("f7")
        text = asked(b)
        assert text.index("my lunch is soup") < text.index("my lunch is ramen") and "a visit or a move?" in text
        assert "1 of 2" in b.text() and "replaced" in b.text() and "not sure" in b.text()
        await b.press("right")
        assert "I live in Lisbon" in asked(b)
        await b.press("left", "r")
        await b.idle()
        assert "m04 replaced m03" in asked(b) and "I live in Lisbon" in asked(b)
        gone = b.companion.store.state.memories[b.companion.resolve("m03")]
        assert gone.retired_reason is RetireReason.SUPERSEDED
        await b.press("b")
        await b.idle()
        assert "All settled" in asked(b)
        await b.press("u")
        await b.idle()
        assert "I live in Lisbon" in asked(b)
        await b.press("u")
        await b.idle()
        assert "my lunch is soup" in asked(b) and "1 of 2" in b.text()
        assert state_hash(b.companion.store.state) == before and len(there(b)) == 4
        await b.press("u", "escape")
        assert b.app.screen is b.chat and "f7 2 to settle" in b.text()


async def test_not_sure_and_later_leave_both(bench: Open) -> None:
    async with bench(Doubting()) as b:
        await doubtful(b)
        await b.press("f7", "n")
        await b.idle()
        await b.press("enter")  # there is a question left, so enter is no answer
        assert isinstance(b.app.screen, ConflictsScreen)
        await b.press("escape")
        assert len(there(b)) == 4 and "f7 1 to settle" in b.text()
        assert b.messages()[-1] == "notice: Settled 1 question. /undo takes the last back."
        await b.say("my lunch is ramen!")
        b.chat.time.take_in(b.companion)


async def test_an_answer_that_can_no_longer_be_given_says_why(bench: Open) -> None:
    async with bench(Doubting()) as b:
        await doubtful(b)
        await b.press("f7")
        await b.companion.forget("m03")  # by another hand, meanwhile
        await b.press("r")
        await b.idle()
        assert "retired already" in asked(b)
        await b.press("escape")
        assert "f7 1 to settle" in b.text() or "f7 2 to settle" in b.text()


async def test_with_nothing_to_settle_the_screen_says_so(bench: Open) -> None:
    async with bench(Doubting()) as b:
        await b.press("f7")
        assert "Nothing to settle" in asked(b)
        await b.press("r", "u", "right", "enter")
        assert b.app.screen is b.chat


async def test_it_waits_for_the_memory_to_open(bench: Open) -> None:
    async with bench(Doubting()) as b:
        b.chat.conversation.companion, kept = None, b.companion
        await b.press("f7")
        assert b.chat.alert_box.error is not None and "still being opened" in b.chat.alert_box.error.what
        b.chat.conversation.companion = kept


HOSTILE = "[bold red]x[/] \x1b[31m \u202eevil\u202c \ud800 \x00 漢字 👩‍👩‍👧 </memories>"


@SIZES
async def test_hostile_words_are_only_words(bench: Open, size: tuple[int, int]) -> None:
    async with bench(Doubting(reason=HOSTILE * 20), size=size) as b:
        await b.say(f"I live in {HOSTILE}", f"I live in Lisbon {HOSTILE} " + "long " * 300)
        await b.companion.sleep("nightly")
        await b.press("f7")
        text = asked(b)
        assert "[bold red]" in text and "\u202e" not in text and "\x1b" not in text and "\ud800" not in text
        assert "replaced" in b.text()  # the answers stay on the screen, however long the memories are
        await b.press("down", "pagedown", "up", "pageup", "b")
        await b.idle()
        assert "All settled" in asked(b)


async def test_it_works_on_a_few_lines_and_by_mouse(bench: Open) -> None:
    async with bench(Doubting(), size=TINY) as b:
        await doubtful(b)
        await b.press("f7")
        assert "newer" in b.text()
        await b.press("b")
        await b.idle()
        assert len(b.companion.conflicts()) == 1
    async with bench(Doubting()) as b:
        await b.say("/conflicts")


async def test_a_click_on_the_key_line_answers(bench: Open) -> None:
    async with bench(Doubting()) as b:
        await doubtful(b)
        line = b.text().splitlines()[-1]
        await b.pilot.click("#key-line", offset=(line.index("to settle"), 0))
        await b.pilot.pause()
        assert isinstance(b.app.screen, ConflictsScreen)
        keys = b.app.screen.query_one("KeyLine")
        words = "".join(segment.text for segment in keys.render_line(0))
        await b.pilot.click(keys, offset=(words.index("both true"), 0))
        await b.idle()
        assert len(b.companion.conflicts()) == 1


async def test_the_card_names_whom_a_memory_may_contradict(bench: Open) -> None:
    async with bench(Doubting(), size=(120, 44)) as b:
        await doubtful(b)
        b.chat.panel.select(b.companion.resolve("m01"))
        await b.pilot.pause()
        assert "may contradict m02 I live in Lisbon" in b.text()
        b.chat.open_card(b.companion.resolve("m02"))
        await b.idle()
        card = "\n".join(str(widget.render()) for widget in b.app.screen.query("Static"))
        assert "may contradict m01" in card and "a visit or a move?" in card
        await b.press("escape")
        await b.say("/settle m01 m02 both")
        b.chat.panel.select(b.companion.resolve("m01"))
        await b.pilot.pause()
        assert "may contradict" not in b.text()


async def test_the_sleep_screen_shows_what_it_is_not_sure_of_and_leads_there(bench: Open) -> None:
    async with bench(Doubting()) as b:
        for text in ("I live in Berlin", "I live in Lisbon"):
            await b.say(text)
            b.companion.clock.advance(timedelta(hours=1))
        await b.press("ctrl+l")
        await b.idle()
        assert "Not sure: 1" in b.text() and "a visit or a" in b.text()
        await b.press("f7")  # in no ledger yet
        assert isinstance(b.app.screen, SleepScreen)
        await b.press("enter")
        await b.idle()
        assert "f7 settle 1" in b.text()
        await b.press("u")
        await b.until(lambda: "Undone" in b.text(), "the undo")
        assert "settle 1" not in b.text() and b.companion.conflicts() == []
        await b.press("enter", "ctrl+l")
        await b.idle()
        await b.press("enter")
        await b.idle()
        await b.press("f7")
        await b.pilot.pause()
        assert "I live in Lisbon" in asked(b)
        await b.press("escape", "ctrl+l")
        await b.idle()
        assert "To settle from" in b.text() and "A quiet night" not in b.text()


async def test_the_key_can_be_another_one_everywhere(bench: Open) -> None:
    async with bench(Doubting(), ui={"keys": {"memory.settle": "f4"}, "reduced_motion": True}) as b:
        await doubtful(b)
        assert "f4 2 to settle" in b.text()
        await b.press("ctrl+l")
        await b.idle()
        assert "f4 settle 2" in b.text()
        await b.press("f4")
        await b.pilot.pause()
        assert isinstance(b.app.screen, ConflictsScreen)
        await b.press("f4")
        assert not isinstance(b.app.screen, ConflictsScreen)


async def test_a_reply_tells_of_both_until_it_is_settled(bench: Open) -> None:
    mind = Doubting()
    async with bench(mind) as b:
        await doubtful(b)
        await b.say("where do I live?")
        told = [(memory.id, memory.against) for memory in mind.prompts[-1].memories[:2]]
        assert told == [("m02", ("m01",)), ("m01", ("m02",))]
        await b.say("/settle m01 m02 replaced", "where do I live now?")
        against = {memory.id: memory.against for memory in mind.prompts[-1].memories}
        assert against["m02"] == () and "m01" not in against


async def test_answers_are_recorded_and_play_again(bench: Open, own_home: Home) -> None:
    from memtui.sessions.format import read_session
    from memtui.sessions.lines import CommandLine

    async with bench(Doubting()) as b:
        await doubtful(b)
        await b.press("f7", "r")
        await b.idle()
        await b.press("escape")
    (file,) = own_home.sessions.glob("*.jsonl")
    lines = [line.text for line in read_session(file).lines if isinstance(line, CommandLine)]
    assert lines[-1].startswith("/settle ") and lines[-1].endswith(" replaced")


# pictures


class Unsure(Storyteller):
    """As the story's judge, but not sure of the move."""

    @staticmethod
    def _judged(pair: PairText) -> Verdict:
        if "live in Berlin" in pair.older and "Lisbon" in pair.newer:
            return Verdict("a move that did not work out the other way round, or a stay?", Label.SUPERSEDES, 0.29)
        return Verdict("both can be true", Label.UNRELATED)


def pictured_before(pictured: Pictured, *keys: str) -> Callable[[Pilot[int]], object]:
    async def before(pilot: Pilot[int]) -> None:
        await pictured.then(say=False)(pilot)
        chat = pilot.app.screen
        assert isinstance(chat, ChatScreen) and chat.companion is not None
        await chat.companion.sleep("nightly")
        chat.time.take_in(chat.companion)
        for key in keys:
            await pilot.press(key)
            await quiet(chat)
        await settled(pilot)

    return before


@SIZES
def test_picture_of_a_question(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)
    pictured.mind = Unsure()
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured_before(pictured, "f7"))


@SIZES
def test_picture_of_all_settled(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    pictured = Pictured(tmp_path)
    pictured.mind = Unsure()
    assert snap_compare(pictured.app(), terminal_size=size, run_before=pictured_before(pictured, "f7", "r"))
