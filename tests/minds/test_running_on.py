"""Replies end where the model runs on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import MindMalformedError
from memtui.minds.running_on import RunningOn
from tests.loopback import Loopback, say, slow
from tests.minds.helpers import gathered, mind_at, said


def through(*pieces: str) -> tuple[str, bool]:
    running = RunningOn()
    out = ""
    for piece in pieces:
        out += running.feed(piece)
        if running.ended:
            break
    return out + running.finish(), running.ended


@pytest.mark.parametrize("mark", ["<|im_end|>", "[INST]", "[/INST]", "<</SYS>>", "<end_of_turn>", "<|eot_id|>"])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_reply_ends_at_a_templates_mark_however_it_is_cut(mark: str, size: int) -> None:
    whole = f"You live in Lisbon. {mark}\nSystem: and all over again"
    text, ended = through(*(whole[at : at + size] for at in range(0, len(whole), size)))
    assert (text.rstrip(), ended) == ("You live in Lisbon.", True)


@pytest.mark.parametrize(
    "text", ["a < b and c[0] > 1", "write `<|im_end|>` there", "```\n[INST]\n```", "vector<int> x;", "[x] done <b>"]
)
def test_code_and_marks_in_backticks_are_said(text: str) -> None:
    assert through(*text) == (text, False)


def test_going_round_in_circles_ends() -> None:
    round_ = (
        "You are a companion who talks with one person over months and remembers what they told you. Reply in their words. "
    )
    text, ended = through(*[round_] * 1000)
    assert ended and len(text) < 60 * len(round_)
    rows = [f"| {n} | the same words in every row of a long table |\n" for n in range(2000)]
    assert through(*rows) == ("".join(rows), False)
    assert through(*["-" * 100 + "\n"] * 200)[1] is False


@given(st.lists(st.text(alphabet="ab <[|>`]/", max_size=8), max_size=20))
def test_nothing_is_lost_where_it_does_not_end(pieces: list[str]) -> None:
    text, ended = through(*pieces)
    assert ended or text == "".join(pieces)


async def test_a_model_that_repeats_its_prompt_is_cut_off_and_its_stream_closed(loopback: Loopback) -> None:
    loopback.on("reply", slow("In Lis", "bon. <", "</SY", "S>>", *["again\n"] * 500, pause=0.02))
    assert said(await gathered(mind_at(loopback))).strip() == "In Lisbon."
    assert loopback.calls("reply")[0].client_gone.wait(5)


async def test_a_reply_of_nothing_but_marks_is_none(loopback: Loopback) -> None:
    loopback.on("reply", say("<|im_start|>", "system"))
    with pytest.raises(MindMalformedError, match="said nothing"):
        await gathered(mind_at(loopback))
