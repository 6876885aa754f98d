"""Whole runs against a real HTTP endpoint that misbehaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from memtui.bench.checkpoint import Checkpoint
from memtui.bench.faults import MechanismError
from memtui.bench.labels import PairRow, score_pairs
from memtui.bench.scenario import play_scenario
from memtui.minds.base import Mind
from memtui.minds.openai_endpoint import Endpoint
from memtui.minds.openai_mind import OpenAIMind
from memtui.minds.presets import Connection
from memtui.sessions.stage import default_settings
from tests.bench.conftest import PROBES, TURNS, scenario_lines
from tests.doubles import WordEmbedder
from tests.loopback import (
    Behaviour,
    Loopback,
    busy,
    hang_up,
    hang_up_after,
    malformed,
    not_an_object,
    say,
    silence,
    status,
)
from tests.loopback.answers import plausible

ATTEMPTS = 3
"""How often one structured answer is asked for."""


def mind_at(server: Loopback, retries: int = 0) -> Mind:
    async def at_once(seconds: float) -> None:
        return None

    connection = Connection(
        provider="openai",
        base_url=server.base_url,
        host=server.host,
        key=None,
        key_env="",
        key_required=False,
        model=server.model,
    )
    return OpenAIMind(Endpoint(connection, timeout_s=5.0, max_retries=retries, sleep=at_once), WordEmbedder())


def play(path: Path, server: Loopback, kept: Checkpoint | None = None, retries: int = 0) -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        mind = mind_at(server, retries)
        try:
            return await play_scenario(path, mind, default_settings(), checkpoint=kept)
        finally:
            await mind.aclose()
            if kept is not None:
                kept.close()

    return asyncio.run(main())


_FIRST = (plausible("extract", {"messages": [{"role": "user", "content": f"<turn>\n{TURNS[0]}\n</turn>"}]}),)
"""What the endpoint says of the first turn when nothing is wrong."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "small.jsonl"
    path.write_text("\n".join(map(json.dumps, scenario_lines(TURNS[:4], PROBES[:1]))), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def unhurt(small: Path) -> dict[str, Any]:
    with Loopback() as server:
        return play(small, server)


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(busy("0"), id="429"),
        pytest.param(busy("0", 500), id="500"),
        pytest.param(hang_up(), id="hang-up"),
        pytest.param(not_an_object(), id="empty object"),
        pytest.param(malformed(), id="malformed"),
        pytest.param(say("{}"), id="{} said"),
        pytest.param(say('{"facts": [{"text": '), id="cut off"),
        pytest.param(say("<think>hm</think> no idea"), id="prose"),
    ],
)
def test_one_bad_answer_to_an_extraction_changes_nothing(
    loopback: Loopback, small: Path, unhurt: dict[str, Any], bad: Behaviour
) -> None:
    loopback.on("extract", say(*_FIRST), bad)
    assert play(small, loopback) == unhurt
    assert len(loopback.calls("extract")) == 4 + 1


@pytest.mark.parametrize("bad", [say("{}"), not_an_object(), malformed()])
def test_a_call_that_is_never_answered_well_costs_its_own_turn_alone(
    loopback: Loopback, small: Path, bad: Behaviour
) -> None:
    tries = ATTEMPTS * 2
    loopback.on("extract", say('{"facts": []}'), *[bad] * tries)
    record = play(small, loopback)
    assert record["failed_calls"]["extract"] == 1
    assert record["agents"]["memtui"]["per_turn"]["active"][:3] == [0, 0, 1]
    assert len(loopback.calls("extract")) == 4 - 1 + tries


@pytest.mark.parametrize("bad", [silence(), hang_up_after("It is Ber"), status(500)])
def test_a_probe_without_a_whole_reply_is_shown_as_not_answered(loopback: Loopback, small: Path, bad: Behaviour) -> None:
    loopback.on("reply", bad, bad)
    record = play(small, loopback)
    assert record["failed_calls"]["reply"] == 1
    assert record["probes"][0]["memtui"]["graded"]["outcome"] == "not answered"
    assert record["graded"]["memtui"]["accuracy"] == 0.0 and record["graded"]["memtui"]["failed"] == 1
    assert record["graded"]["naive6"]["failed"] == 0


def test_every_agent_gets_the_same_form_of_prompt_and_no_conversation(loopback: Loopback, small: Path) -> None:
    play(small, loopback)
    prompts = [request.json["messages"] for request in loopback.calls("reply")]
    assert len(prompts) == 3  # memtui, naive6 (naive10 has the same four turns), window20 has them newest first
    for messages in prompts:
        assert [message["role"] for message in messages] == ["system", "user"]
        assert messages[1]["content"] == PROBES[0]["question"]
        assert "Lisbon" in messages[0]["content"]


def test_a_resumed_run_asks_the_endpoint_nothing(loopback: Loopback, small: Path, tmp_path: Path) -> None:
    def kept() -> Checkpoint:
        return Checkpoint.open(tmp_path / "c.jsonl", title="t", mind="m", run="r")

    first = play(small, loopback, kept())
    asked = len(loopback.requests)
    assert play(small, loopback, kept()) == first
    assert len(loopback.requests) == asked


def test_a_model_that_never_gives_json_ends_the_run(loopback: Loopback, small: Path) -> None:
    loopback.on("extract", *[say("Sure! Here are the facts.")] * 200)
    with pytest.raises(MechanismError, match="Every call to extract failed"):
        play(small, loopback)


def test_a_dead_endpoint_ends_the_run(small: Path) -> None:
    with Loopback() as server:
        pass
    with pytest.raises(MechanismError, match="does not answer"):
        play(small, server)


def test_pairs_survive_a_bad_reply_in_the_middle(loopback: Loopback) -> None:
    rows = [PairRow(f"a{n}", f"b{n}", "additive") for n in range(40)]
    loopback.on("judge", say('{"verdicts": []}'), *[say("no")] * 5)

    async def main() -> dict[str, Any]:
        mind = mind_at(loopback)
        try:
            return await score_pairs(rows, mind)
        finally:
            await mind.aclose()

    found = asyncio.run(main())
    assert found["n"] == 40
    assert found["unanswered"] == found["confusion"]["additive"]["none"] == found["failed_calls"]["judge"]
    assert found["unanswered"] in range(1, 40)
    assert found["labels"]["additive"]["precision"] == 1.0
