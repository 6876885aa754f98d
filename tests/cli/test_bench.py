"""`memtui bench scenario`, `pairs` and `statements`: the JSON other programs rely on, exit codes, long runs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.conftest import scenario_lines
from tests.cli.conftest import Run, environment
from tests.loopback import Loopback, never, say

AGENTS = ["memtui", "naive6", "naive10", "window20"]
FIGURES = {"hit", "contaminated", "clean", "current_first", "tokens_mean", "tokens_max"}
PAIRS = [
    {"older": "I live in Berlin", "newer": "I moved, I live in Lisbon now", "label": "supersedes", "lang": "en"},
    {"older": "Я люблю чай", "newer": "Чай я люблю", "label": "duplicate", "lang": "ru"},
]
STATEMENTS = [
    {"text": "I live in Porto", "keep": True, "kind": "semantic", "importance": "high", "lang": "en"},
    {"text": "ok, thanks", "keep": False, "kind": None, "importance": None, "lang": "en"},
]


def rows(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rows(tmp_path_factory.mktemp("bench") / "tiny.jsonl", scenario_lines())


def check_record(record: dict[str, Any]) -> None:
    assert record.keys() >= {"scenario", "mind", "agents", "probes"}
    assert list(record["agents"]) == AGENTS
    for agent in record["agents"].values():
        assert agent.keys() >= FIGURES | {"active_final", "by_category", "per_turn"}
        assert all(each.keys() >= FIGURES for each in agent["by_category"].values())
        assert len(agent["per_turn"]["active"]) == len(agent["per_turn"]["tokens"]) == record["turns"]
    for probe in record["probes"]:
        assert probe.keys() >= {"id", "category", *AGENTS}
        assert all(probe[name].keys() >= {"hit", "contaminated", "recalled"} for name in AGENTS)


def test_one_scenario_is_one_json_object_in_a_process_of_its_own(process: Run, scenario: Path) -> None:
    done = process("bench", "scenario", scenario, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    check_record(record)
    assert record["mind"] == "offline mind"
    assert "graded" not in record


def test_several_scenarios_are_a_list_and_have_charts(memtui: Run, scenario: Path, tmp_path: Path) -> None:
    done = memtui("bench", "scenario", scenario, scenario, "--json", "--chart", tmp_path / "charts")
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    for record in records:
        check_record(record)
    assert len(records) == 2 and records[0] == records[1]
    assert {path.name for path in (tmp_path / "charts").iterdir()} == {
        f"{stem}.{kind}" for stem in ("tiny", "tiny-2") for kind in ("svg", "png")
    }
    assert done.stderr.count("chart: ") == 4


def test_people_get_tables_a_chart_and_the_mean(memtui: Run, scenario: Path) -> None:
    done = memtui("bench", "scenario", scenario, "tour")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("clean by category") == 3
    assert done.stdout.count("clean answers so far") == 2
    assert "mean of 2 files" in done.stdout
    assert "\x1b" not in done.stdout


def test_labelled_files_give_the_promised_json(memtui: Run, tmp_path: Path) -> None:
    pairs = json.loads(memtui("bench", "pairs", rows(tmp_path / "p.jsonl", PAIRS), "--json").stdout)
    assert pairs.keys() >= {"accuracy", "labels", "confusion", "n", "unanswered"}
    assert list(pairs["labels"]) == ["supersedes", "additive", "duplicate", "unrelated"]
    assert all(each.keys() == {"precision", "recall", "f1", "n"} for each in pairs["labels"].values())
    found = json.loads(memtui("bench", "statements", rows(tmp_path / "s.jsonl", STATEMENTS), "--json").stdout)
    assert list(found) == ["keep", "kind", "importance"]
    assert all(each.keys() >= {"accuracy", "n", "confusion", "labels", "unanswered"} for each in found.values())
    said = memtui("bench", "pairs", tmp_path / "p.jsonl").stdout
    assert "accuracy" in said and "is / said" in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.jsonl"], "none.jsonl: there is no such file"),
        (["{scenario}", "--mind", "openai"], "no endpoint is configured"),
        (["{scenario}", "--checkpoint", "c.jsonl"], "the offline mind asks nobody"),
        (["{scenario}", "{scenario}", "--mind", "openai", "--checkpoint", "c.jsonl"], "several scenarios"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(memtui: Run, scenario: Path, arguments: list[str], told: str) -> None:
    done = memtui("bench", "scenario", *[each.format(scenario=scenario) for each in arguments])
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and done.stderr.count("\n") == 1


def test_an_endpoint_that_is_not_there_is_one_line_and_exit_code_2(memtui: Run, scenario: Path) -> None:
    with Loopback() as server:
        env = server.environ(MEMTUI_MIND__MAX_RETRIES="0")
    for model in (env["MEMTUI_MIND__MODEL"], ""):
        done = memtui("bench", "scenario", scenario, "--mind", "openai", env=env | {"MEMTUI_MIND__MODEL": model})
        assert (done.returncode, done.stdout) == (2, "")
        assert "does not answer" in done.stderr


def test_a_model_run_is_graded_and_a_second_one_asks_nothing(
    memtui: Run, loopback: Loopback, scenario: Path, home: Path
) -> None:
    env = loopback.environ()
    done = memtui("bench", "scenario", scenario, "--mind", "openai", "--json", env=env)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    check_record(record)
    assert record["mind"] == "loop-chat · openai"
    assert list(record["graded"]) == AGENTS
    assert all(each["n"] == 3 for each in record["graded"].values())
    assert sum(record["failed_calls"].values()) == 0
    asked = len(loopback.requests)
    again = memtui("bench", "scenario", scenario, "--mind", "openai", "--json", env=env)
    assert json.loads(again.stdout) == record
    assert len(loopback.requests) == asked
    assert "results of an earlier run are taken" in again.stderr
    assert len(list((home / "bench").glob("tiny-*.jsonl"))) == 1
    other = memtui("bench", "scenario", scenario, "--mind", "openai", env=env | {"MEMTUI_MIND__TEMPERATURE": "0.3"})
    assert other.returncode == 0 and "graded" in other.stdout
    assert len(list((home / "bench").glob("tiny-*.jsonl"))) == 2


def test_an_endpoints_vectors_are_not_asked_for_twice(
    memtui: Run, loopback: Loopback, scenario: Path, tmp_path: Path
) -> None:
    env = loopback.environ(MEMTUI_MIND__EMBEDDING_MODEL="loop-embed")
    arguments = ("bench", "scenario", scenario, "--mind", "openai", "--json", "--checkpoint", tmp_path / "c.jsonl")
    first = memtui(*arguments, env=env)
    assert first.returncode == 0, first.stderr
    asked = len(loopback.requests)
    assert memtui(*arguments, env=env).stdout == first.stdout
    assert len(loopback.requests) == asked


def test_a_killed_process_goes_on_where_it_was(loopback: Loopback, scenario: Path, home: Path, memtui: Run) -> None:
    env = loopback.environ(MEMTUI_MIND__MODEL="loop-chat", MEMTUI_MIND__TIMEOUT_S="60")
    loopback.on("reply", say("Lisbon"), say("Berlin"), never())
    words = ["bench", "scenario", str(scenario), "--mind", "openai", "--json", "--checkpoint", str(home / "killed.jsonl")]
    process = subprocess.Popen(
        [sys.executable, "-m", "memtui", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home, **env),
    )
    while len(loopback.calls("reply")) < 3 and process.poll() is None:
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    process.communicate()
    before = {kind: len(loopback.calls(kind)) for kind in ("extract", "judge", "reply", "grade")}
    assert before["extract"] == 6 and before["reply"] == 3
    done = memtui(*words, env=env)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["probes"][0]["memtui"]["graded"]["reply"] == "Lisbon"
    assert len(loopback.calls("extract")) == before["extract"]
    assert len(loopback.calls("judge")) == before["judge"]


def test_labelled_rows_go_on_from_their_checkpoint(memtui: Run, loopback: Loopback, tmp_path: Path) -> None:
    for command, lines, kind in (("pairs", PAIRS, "judge"), ("statements", STATEMENTS, "extract")):
        path = rows(tmp_path / f"{command}.jsonl", lines)
        first = memtui("bench", command, path, "--mind", "openai", "--json", env=loopback.environ())
        assert first.returncode == 0, first.stderr
        asked = len(loopback.calls(kind))
        assert asked
        assert memtui("bench", command, path, "--mind", "openai", "--json", env=loopback.environ()).stdout == first.stdout
        assert len(loopback.calls(kind)) == asked


def test_a_model_that_never_judges_gets_no_score(memtui: Run, loopback: Loopback, tmp_path: Path) -> None:
    loopback.on("judge", *[say("I would rather not.")] * 50)
    done = memtui("bench", "pairs", rows(tmp_path / "p.jsonl", PAIRS), "--mind", "openai", "--json", env=loopback.environ())
    assert (done.returncode, done.stdout) == (2, "")
    assert "Every call to judge failed" in done.stderr


def test_nothing_heavy_is_imported_to_start(tmp_path: Path) -> None:
    code = (
        "import sys; import memtui.cli.bench; import memtui.bench.svgchart, memtui.bench.report, memtui.bench.curves;"
        "print([m for m in ('resvg_py', 'rich', 'numpy', 'lancedb', 'openai', 'textual') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
