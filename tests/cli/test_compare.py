"""`memtui compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtui.memory.model import RetireReason
from memtui.sessions.format import read_session
from memtui.sessions.lines import Probe, SessionHeader, UserTurn, to_json_line
from tests.cli.conftest import Run

SHORT = ("--set", "half_life.episodic=6h", "--set", "half_life.semantic=6h")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short session with probes, hostile words in its title and turns."""
    from datetime import UTC, datetime, timedelta

    start = datetime(2026, 4, 1, 9, tzinfo=UTC)
    lines: list[SessionHeader | UserTurn | Probe] = [SessionHeader("Red \x1b[31m[b]flags[/b] \u202eabc")]
    for n, text in enumerate(("I'm allergic to shellfish", "I had ramen [bold]today[/bold] with Ana", "I live in Lisbon")):
        lines.append(UserTurn(f"t{n}", start + timedelta(days=n), text))
    for n, (question, answer, evidence) in enumerate(
        [("What am I allergic to?", "shellfish", "t0"), ("Where do I live?", "Lisbon", "t2")]
    ):
        lines.append(Probe(f"p{n}", start + timedelta(days=9, hours=n), question, (answer,), (evidence,), "fact"))
    path = tmp_path_factory.mktemp("asked") / "asked.jsonl"
    path.write_text("\n".join(map(to_json_line, lines)) + "\n", encoding="utf-8")
    assert len(read_session(path).user_turns) == 3
    return path


def compared(done: Any) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def test_two_laws_side_by_side_as_json(memtui: Run, asked: Path) -> None:
    record = compared(memtui("compare", "--law", "naive", "--law", "salience", *SHORT, asked, "--json"))
    assert set(record) == {"session", "title", "mind", "turns", "probes", "variants", "difference"}
    naive, salience = record["variants"]
    assert (naive["name"], salience["name"]) == ("naive", "salience")
    assert naive["law"] == "naive" and salience["changes"]["half_life.episodic"] == "6h"
    assert naive["active"] > salience["active"] and salience["retired"]["pruned"] > 0
    assert set(salience["retired"]) == {reason.value for reason in RetireReason}
    assert naive["probes"]["clean"] == 1.0 and salience["probes"]["clean"] < 1.0
    assert naive["probes"]["by_category"]["fact"]["n"] == 2
    for variant in record["variants"]:
        assert len(variant["per_turn"]["active"]) == len(variant["per_turn"]["tokens"]) == record["turns"] == 3
        assert len(variant["state_hash"]) == 64
    (apart,) = record["difference"]
    assert apart["between"] == ["naive", "salience"] and not apart["only_second"]
    assert len(apart["only_first"]) == naive["active"] - apart["both"]
    assert {one["there"] for one in apart["only_first"]} == {"pruned"}
    weights = [one["importance"] for one in apart["only_first"]]
    assert weights == sorted(weights, reverse=True)


def test_the_table_and_the_chart_hold_nothing_a_terminal_would_obey(memtui: Run, asked: Path) -> None:
    done = memtui("compare", "--law", "naive", "--law", "salience", *SHORT, asked)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    for words in (
        "clean answers so far",
        "active memories",
        "only naive",
        "salience: pruned",
        "[bold]today[/bold]",
        "[b]flags",
    ):
        assert words in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_a_change_alone_is_compared_with_the_settings_as_they_are(memtui: Run) -> None:
    changes = ("--set", "half_life.semantic=1h", "--set", "half_life.episodic=1h")
    record = compared(memtui("compare", *changes, "tour", "--json"))
    now, changed = record["variants"]
    assert (now["name"], changed["name"], now["law"], changed["law"]) == ("as now", "what if", "salience", "salience")
    assert now["changes"] == {}
    played = memtui("replay", "tour", "--headless", "--json")
    assert json.loads(played.stdout)["state_hash"] == now["state_hash"] != changed["state_hash"]


def test_without_probes_there_is_no_accuracy(memtui: Run, asked: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    told = [line for line in asked.read_text(encoding="utf-8").splitlines() if '"probe"' not in line]
    plain.write_text("\n".join(told) + "\n", encoding="utf-8")
    record = compared(memtui("compare", "--law", "naive", plain, "--json"))
    assert [variant["law"] for variant in record["variants"]] == ["salience", "naive"]
    assert {variant["probes"] for variant in record["variants"]} == {None} and record["probes"] == 0
    assert "clean" not in memtui("compare", "--law", "naive", plain).stdout


def test_the_same_twice_is_the_same(memtui: Run, asked: Path) -> None:
    done = memtui("compare", "--set", "half_life.episodic=72h", asked)
    assert "as now and what if: the same" in done.stdout and "what if: salience, half_life.episodic 72h" in done.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("tour",), "nothing to compare"),
        (("--law", "magic", "tour"), "no law 'magic'"),
        (("--set", "floor", "tour"), "no key=value"),
        (("--set", "dream=1", "tour"), "'dream'"),
        (("--set", "floor=2", "tour"), "memory.floor"),
        (("--law", "naive", "no-such-session"), "no such file"),
    ],
)
def test_bad_input_is_one_line_and_two(memtui: Run, words: tuple[str, ...], named: str) -> None:
    done = memtui("compare", *words)
    assert done.returncode == 2 and named in done.stderr and done.stdout == "" and len(done.stderr.splitlines()) == 1


def test_in_a_process_of_its_own(process: Run, asked: Path, home: Path) -> None:
    record = compared(process("compare", "--law", "window", "--law", "stability", "--set", "capacity=2", asked, "--json"))
    assert [variant["active"] for variant in record["variants"]] == [2, 2]
    assert not (home / "store").exists(), "the person's own memory is left alone"
