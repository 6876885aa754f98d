from __future__ import annotations

import socket
from datetime import timedelta

import pytest

from memtui.minds.base import Message, Mind, PairText, Prompt
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.mind import OfflineMind
from tests.minds.offline.conftest import NOW


def test_it_is_a_mind(mind: OfflineMind) -> None:
    as_mind: Mind = mind
    assert as_mind.label == "offline mind"
    assert as_mind.local
    assert as_mind.embedder.name == "usem3-512"


async def test_every_call_works_with_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("the offline mind opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    mind = OfflineMind(LocalEmbedder())
    prompt = Prompt((Message("user", "I live in Porto"),), (), NOW, "en")
    assert [delta async for delta in mind.reply(prompt)]
    assert await mind.extract("I live in Porto", NOW)
    assert await mind.judge([PairText("I live in Porto", "I live in Braga", NOW - timedelta(days=1), NOW)])
    await mind.summarize(["I live in Porto", "Porto is home"], "en")
    await mind.aclose()


async def test_check_says_what_answered(mind: OfflineMind) -> None:
    parts = await mind.check()
    assert [(part.part, part.ok) for part in parts] == [("embedder", True), ("heads", True)]
    assert "512" in parts[0].detail and "weights" in parts[1].detail


def test_classify_gives_labels_of_the_format(mind: OfflineMind) -> None:
    assert mind.classify("thanks!") == (False, None, None)
    keep, kind, importance = mind.classify("I'm allergic to peanuts")
    assert (keep, kind, importance) == (True, "semantic", "high")


async def test_a_large_batch_is_judged_off_the_loop(mind: OfflineMind) -> None:
    pairs = [PairText(f"the code is {i}", f"the code is {i + 1}", NOW - timedelta(days=1), NOW) for i in range(20)]
    assert len(await mind.judge(pairs)) == 20
