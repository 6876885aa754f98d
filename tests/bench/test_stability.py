"""`memtui bench stability`: the 150-step experiment, its JSON, its table and its chart."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from memtui.bench.stability import CAPACITY, NEEDED_AT, ONCE, STEPS, USES, facts, play, run_experiment, score_words
from memtui.bench.stability_report import panels_of, show_experiment, write_experiment
from memtui.cli.bench import bench_command
from memtui.memory.laws.baselines import NaiveLaw, WindowLaw

AGENTS = ["window20", "stability", "stability+importance", "salience", "fsrs"]


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return run_experiment()


def test_the_facts_are_those_of_the_experiment() -> None:
    told = facts()
    assert [fact.told for fact in told] == [1, 2, 3, 4, 5, 6]
    assert tuple(len(fact.uses) for fact in told[:5]) == USES and told[5].uses == (NEEDED_AT,)
    assert all(fact.told < use <= STEPS for fact in told for use in fact.uses)


def test_it_is_what_was_published_and_ours_keeps_all(record: dict[str, Any]) -> None:
    five = {name: sum(kept != ONCE for kept in one["kept"]) for name, one in record["agents"].items()}
    once = {name: one["once_kept"] for name, one in record["agents"].items()}
    assert five["window20"] == 0 and not once["window20"]
    assert five["stability"] in (3, 4) and not once["stability"]
    assert five["stability+importance"] == 5 and once["stability+importance"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_noise_changes_nothing_about_it(seed: int) -> None:
    other = run_experiment(seed)["agents"]
    assert score_words(other["stability+importance"]) == "5 of 5 and the one-off"
    assert score_words(other["window20"]) == "0 of 5, not the one-off"
    assert score_words(other["stability"]) in {"3 of 5, not the one-off", "4 of 5, not the one-off"}


def test_nobody_holds_more_than_there_is_room_for_and_nothing_is_made_up(record: dict[str, Any]) -> None:
    for one in (*record["agents"].values(), *record["ablations"].values()):
        assert len(one["survivors"]) == len(one["active"]) == STEPS and max(one["active"]) <= CAPACITY
        assert one["survivors"][-1] == sum(kept != ONCE for kept in one["kept"])
        assert one["survivors"][:5] == [1, 2, 3, 4, 5]
        assert one["uses"] == sum(USES) + 1 and one["uses_found"] == sum(one["per_use"]["found"])


def test_a_law_that_forgets_nothing_keeps_everything_and_a_tiny_window_only_the_last() -> None:
    naive = play(NaiveLaw())
    assert naive.active[-1] == STEPS and len(naive.kept) == 6 and naive.once_kept
    assert play(WindowLaw(1)).survivors[:7] == [1, 1, 1, 1, 1, 0, 0]


def test_the_json_is_that_of_the_formats_and_the_same_each_time() -> None:
    first, second = (CliRunner().invoke(bench_command, ["stability", "--json"]) for _ in range(2))
    assert first.exit_code == 0 and first.stdout == second.stdout
    read = json.loads(first.stdout)
    assert read["steps"] == STEPS and [fact["id"] for fact in read["facts"]][-1] == ONCE
    assert list(read["agents"]) == AGENTS
    assert all(one.keys() >= {"survivors", "kept", "once_kept"} for one in read["agents"].values())


@pytest.mark.parametrize("width", [120, 80])
def test_the_table_and_the_chart_fit_the_terminal(record: dict[str, Any], width: int) -> None:
    stream = io.StringIO()
    show_experiment(record, stream, width=width, height=36)
    lines = stream.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    assert any(line.startswith("stability+importance") and "5 of 5 and the one-off" in line for line in lines)
    assert any("stability+ 5" in line for line in lines) and any("window20 0" in line for line in lines)
    assert any(line.strip().startswith("step 1") for line in lines)


def test_the_chart_holds_every_agent(record: dict[str, Any], tmp_path: Path) -> None:
    alive, held, found = panels_of(record)
    assert [curve.agent for curve in alive.curves] == ["stability+", "stability", "salience", "fsrs", "window20"]
    assert len(held.curves) == len(found.curves) == 5
    done = CliRunner().invoke(bench_command, ["stability", "--chart", str(tmp_path / "out")])
    assert done.exit_code == 0
    drawn, painted = tmp_path / "out" / "stability.svg", tmp_path / "out" / "stability.png"
    words = "".join(ElementTree.parse(drawn).getroot().itertext())
    assert "stability+" in words and "window20 0" in words and "step" in words
    assert painted.read_bytes().startswith(b"\x89PNG")
    assert write_experiment(record, tmp_path / "out") == (drawn, painted)
