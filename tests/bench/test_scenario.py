"""A tiny scenario through all agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.bench.scenario import play_scenario
from memtui.errors import InputError, SessionFormatError
from memtui.sessions.stage import default_settings
from tests.bench.conftest import TURNS, CostlyMind, scenario_lines
from tests.doubles import ScriptedMind

FIGURES = {
    "n", "hit", "contaminated", "clean", "current_first", "tokens_mean", "tokens_max",
}  # fmt: skip


async def test_the_record_has_the_promised_keys(scenario: Path) -> None:
    record = await play_scenario(scenario, ScriptedMind(), default_settings())
    assert (record["scenario"], record["mind"], record["turns"]) == ("tiny.jsonl", "scripted mind", 6)
    assert list(record["agents"]) == ["memtui", "naive6", "naive10", "window20"]
    for figures in record["agents"].values():
        assert figures.keys() == FIGURES | {"active_final", "by_category", "per_turn", "per_probe"}
        assert set(figures["by_category"]) == {"update", "once", "nothing"}
        assert all(each.keys() == FIGURES for each in figures["by_category"].values())
        assert len(figures["per_turn"]["active"]) == len(figures["per_turn"]["tokens"]) == len(TURNS)
    assert [(probe["id"], probe["category"]) for probe in record["probes"]] == [
        ("p1", "update"), ("p2", "once"), ("p3", "nothing"),
    ]  # fmt: skip
    assert record["probes"][0]["window20"]["recalled"] == ["t6", "t5", "t4", "t3", "t2", "t1"]
    assert "graded" not in record and "failed_calls" not in record
    json.dumps(record)


async def test_naive_and_window_are_what_they_say(scenario: Path) -> None:
    agents = (await play_scenario(scenario, ScriptedMind(), default_settings()))["agents"]
    assert agents["naive6"]["per_turn"]["active"] == [1, 2, 3, 4, 5, 6]
    assert agents["window20"]["active_final"] == 6
    assert agents["window20"]["by_category"]["once"]["clean"] == 1.0
    assert agents["window20"]["by_category"]["update"] | {"tokens_mean": 0, "tokens_max": 0} == {
        "n": 1, "hit": 1.0, "contaminated": 1.0, "clean": 0.0, "current_first": 1.0, "tokens_mean": 0, "tokens_max": 0,
    }  # fmt: skip
    assert agents["window20"]["by_category"]["nothing"]["clean"] == 0.0


async def test_a_retired_fact_makes_memtui_clean_where_naive_is_not(scenario: Path) -> None:
    mind = CostlyMind()
    agents = (await play_scenario(scenario, mind, default_settings()))["agents"]
    assert mind.count("judge")
    assert agents["memtui"]["by_category"]["update"]["clean"] == 1.0
    assert agents["naive6"]["by_category"]["update"]["clean"] == 0.0
    assert agents["memtui"]["active_final"] == 5


async def test_two_runs_are_equal(scenario: Path) -> None:
    first = await play_scenario(scenario, ScriptedMind(), default_settings())
    assert await play_scenario(scenario, ScriptedMind(), default_settings()) == first


async def test_probes_change_nothing(tmp_path: Path) -> None:
    asked, quiet = tmp_path / "asked.jsonl", tmp_path / "quiet.jsonl"
    lines = scenario_lines()
    early = [line | {"at": lines[3]["at"], "id": f"early-{line['id']}"} for line in lines if line["type"] == "probe"]
    asked.write_text("\n".join(map(json.dumps, [*lines[:4], *early, *lines[4:]])), encoding="utf-8")
    quiet.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    one = await play_scenario(asked, CostlyMind(), default_settings())
    other = await play_scenario(quiet, CostlyMind(), default_settings())
    for name in one["agents"]:
        assert one["agents"][name]["per_turn"] == other["agents"][name]["per_turn"]
    assert one["probes"][-3:] == other["probes"]


async def test_a_model_replies_to_and_grades_every_agents_probes(scenario: Path) -> None:
    mind = CostlyMind()
    record = await play_scenario(scenario, mind, default_settings())
    graded = record["graded"]
    assert set(graded) == set(record["agents"])
    assert graded["memtui"]["by_category"]["update"]["accuracy"] == 1.0
    assert graded["memtui"]["n"] == 3
    answer = record["probes"][0]["memtui"]["graded"]
    assert answer == {
        "outcome": "right",
        "reply": "It is I moved: now I live in Lisbon near the river",
        "reason": "compared",
    }
    assert record["failed_calls"] == dict.fromkeys(("extract", "judge", "summarize", "reply", "grade"), 0)
    assert record["calls"]["extract"] == len(TURNS)


async def test_a_file_without_probes_or_with_broken_lines_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, scenario_lines(probes=()))), encoding="utf-8")
    with pytest.raises(InputError, match="no probes"):
        await play_scenario(path, ScriptedMind(), default_settings())
    path.write_text(path.read_text(encoding="utf-8") + '\n{"type": "probe"}', encoding="utf-8")
    with pytest.raises(SessionFormatError, match=":8, key 'id'"):
        await play_scenario(path, ScriptedMind(), default_settings())
