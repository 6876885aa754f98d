"""The chart: what it shows, in a terminal and in files."""

from __future__ import annotations

import io
import itertools
import sys
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree import ElementTree

import pytest

from memtui.bench.braille import draw
from memtui.bench.curves import Curve, panels_of, round_top, spread
from memtui.bench.figures import mean_of
from memtui.bench.report import show_labels, show_mean, show_record
from memtui.bench.svgchart import need_png, png_has_words, svg_of, unique_names, write_charts
from memtui.errors import InputError, StoreFullError

AGENTS = ("memtui", "naive6", "naive10", "window20")
SVG = "{http://www.w3.org/2000/svg}"


def figures(rank: int, turns: int) -> dict[str, Any]:
    one = {
        "n": 2,
        "hit": 0.5,
        "contaminated": 0.0,
        "clean": 0.5,
        "current_first": None,
        "tokens_mean": 33.3,
        "tokens_max": 60,
    }
    return {
        **one,
        "active_final": turns - rank,
        "by_category": {"fact": one, "nothing": one},
        "per_turn": {"active": [max(0, t - rank) for t in range(turns)], "tokens": [10 * rank + t for t in range(turns)]},
        "per_probe": {"turn": [turns // 2, turns // 2, turns], "tokens": [1, 2, 3], "clean": [True, rank == 0, False]},
    }


def record(turns: int = 30, **more: Any) -> dict[str, Any]:
    agents = {name: figures(rank, turns) for rank, name in enumerate(AGENTS)}
    return {"scenario": "made <up> & so.jsonl", "mind": "test", "turns": turns, "agents": agents, "probes": [], **more}


def test_the_panels_hold_memories_tokens_and_running_accuracy() -> None:
    memories, tokens, clean = panels_of(record())
    assert [panel.title.split(" (")[0] for panel in (memories, tokens, clean)] == [
        "active memories",
        "memory tokens in a prompt",
        "clean answers so far",
    ]
    assert [curve.agent for curve in memories.curves] == list(AGENTS)
    assert memories.curves[0].last == 29.0 and memories.top == 30.0
    assert tokens.curves[0].points[2] == (3.0, 1.0)  # the mean of 0, 1, 2
    assert tokens.curves[0].last == 24.5  # of the last ten
    assert clean.curves[0].points == ((15.0, 1.0), (30.0, 2 / 3))
    assert clean.curves[1].points == ((15.0, 0.5), (30.0, 1 / 3))
    assert (clean.top, clean.shares, clean.said(0.5)) == (1.0, True, "50%")


def test_accuracy_is_held_to_the_last_turn() -> None:
    asked = record()
    for each in asked["agents"].values():
        each["per_probe"] = {"turn": [10], "tokens": [1], "clean": [True]}
    assert panels_of(asked)[2].curves[0].points == ((10.0, 1.0), (30.0, 1.0))


def test_a_curve_is_straight_between_its_points() -> None:
    curve = Curve("a", ((2.0, 0.0), (4.0, 1.0)))
    assert [curve.at(x) for x in (1, 2, 3, 4, 9)] == [None, 0.0, 0.5, 1.0, 1.0]


@pytest.mark.parametrize(("value", "top"), [(0, 1), (1, 1), (99, 100), (101, 120), (110, 120), (543, 600), (0.3, 0.3)])
def test_axes_end_at_round_numbers(value: float, top: float) -> None:
    assert round_top(value) == pytest.approx(top)


@pytest.mark.parametrize("wanted", [[5, 5, 5], [0, 0, 9], [9, 1, 9.5], [3], [], [10, 10, 10, 10], [0, 0.1, 0.2, 0.3]])
def test_labels_are_spread_in_order_and_stay_inside(wanted: list[float]) -> None:
    places = spread(wanted, 2.0, 0.0, 10.0)
    ordered = [places[i] for i in sorted(range(len(wanted)), key=lambda i: wanted[i])]
    assert all(b - a >= 2 - 1e-9 for a, b in itertools.pairwise(ordered))
    assert all(0 <= place <= 10 for place in places)


def test_labels_with_room_stay_where_they_belong() -> None:
    assert spread([1.0, 8.0, 4.0], 1.0, 0.0, 10.0) == [1.0, 8.0, 4.0]
    assert spread([5.0, 5.0], 2.0, 0.0, 10.0) == [4.0, 6.0]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 36), (40, 10), (200, 60)])
def test_the_terminal_chart_fits(width: int, height: int) -> None:
    lines = [line.plain for line in draw(panels_of(record()), width, height - 3)]
    assert all(len(line) <= max(width, 38) for line in lines)
    assert len(lines) <= max(height - 1, 17)
    said = "\n".join(lines)
    assert said.count("active memories") == 1
    for name in AGENTS:
        assert said.count(name) >= 3  # beside each curve
    assert width < 70 or lines[-1].endswith("window20")  # the legend


@pytest.mark.parametrize("turns", [1, 2, 500])
def test_any_number_of_turns_can_be_drawn(turns: int) -> None:
    assert draw(panels_of(record(turns)), 80, 24)
    ElementTree.fromstring(svg_of(record(turns)))


def test_curves_are_told_apart_without_colour() -> None:
    only = [draw(panels_of({**record(), "agents": {name: figures(0, 30)}}), 80, 24)[1].plain[6:64] for name in AGENTS]
    shapes = [line.replace(" ", "") for line in only]
    assert len(set(only)) == len(AGENTS), shapes


def shown(wanted: dict[str, Any]) -> str:
    out = io.StringIO()
    show_record(wanted, out, width=80, height=24)
    return out.getvalue()


def test_the_tables_are_plain_text_in_a_pipe() -> None:
    said = shown(record())
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert "made <up> & so.jsonl  30 turns, 2 probes, test" in said
    assert "33 / 60" in said and "29" not in said.split("active memories")[0].split("memtui")[0]
    for block in ("clean by category", "hit by category", "contaminated by category", "current first by category"):
        assert block in said
    assert "–" in said  # a share of nothing is no number


def test_graded_and_failed_are_told() -> None:
    grades = {"n": 2, "correct": 1, "failed": 1, "unreadable": 0, "accuracy": 0.5}
    graded = {name: grades | {"by_category": {"fact": grades, "nothing": grades}} for name in AGENTS}
    said = shown(record(graded=graded, failed_calls={"reply": 4, "judge": 0}, calls={"reply": 8, "judge": 3}))
    assert "failed after all retries: 4 of 8 reply" in said and "judge" not in said
    assert "memtui: 1 of 2 not answered (counted as not right), 0 not graded" in said
    assert "graded by category" in said
    assert max(map(len, said.splitlines())) <= 80


def test_the_mean_has_tables_of_its_own() -> None:
    out = io.StringIO()
    show_mean(mean_of([record(), record(20)]), out, width=80)
    assert out.getvalue().startswith("mean of 2 files  50 turns, 4 probes, test")
    assert "memtui      0.50   0.50     0.00        –          33 / 60     25 (100%)" in out.getvalue()


def test_labelled_tables_name_what_was_not_answered() -> None:
    quality = {"precision": 1.0, "recall": 0.5, "f1": 0.667, "n": 2}
    table = {
        "accuracy": 0.5,
        "n": 2,
        "unanswered": 1,
        "labels": {"yes": quality},
        "confusion": {"yes": {"yes": 1, "none": 1}},
    }
    for given in (table, {"keep": table, "failed_calls": {"extract": 1}}):
        out = io.StringIO()
        show_labels(given, out, width=80)
        assert "accuracy 0.50 of 2, 1 unanswered" in out.getvalue()


def test_the_svg_is_well_formed_and_names_everything() -> None:
    root = ElementTree.fromstring(svg_of(record()))
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert texts[0] == "made <up> & so.jsonl"
    for title in ("active memories", "memory tokens in a prompt", "clean answers so far"):
        assert title in texts
    for name in AGENTS:
        assert sum(text.startswith(f"{name} ") for text in texts) == 3
    assert sum("stroke-linejoin" in element.attrib for element in root.iter(f"{SVG}path")) == 12
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.attrib["x"]) <= width and 0 <= float(element.attrib["y"]) <= height


def test_hostile_names_stay_text() -> None:
    root = ElementTree.fromstring(svg_of(record() | {"scenario": "]]><script>\x00\ud800‮", "mind": "a&b"}))
    assert not list(root.iter(f"{SVG}script"))


def test_svg_and_png_are_written(tmp_path: Path) -> None:
    drawn, painted = write_charts(record() | {"scenario": "tiny.jsonl"}, tmp_path / "charts")
    assert (drawn.name, painted.name) == ("tiny.svg", "tiny.png")
    ElementTree.parse(drawn)
    data = painted.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(data[16:20], "big") == 2520


def test_a_folder_that_can_not_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreFullError):
        write_charts(record(), tmp_path / "file" / "charts")


def test_without_the_extra_it_is_named() -> None:
    with mock.patch.dict(sys.modules, {"resvg_py": None}), pytest.raises(InputError, match=r"extra 'chart'"):
        need_png()


def test_a_machine_without_fonts_is_noticed() -> None:
    import resvg_py

    paint = resvg_py.svg_to_bytes

    def bare(svg_string: str) -> bytes:
        return bytes(paint(svg_string=svg_string, skip_system_fonts=True))

    with mock.patch.object(resvg_py, "svg_to_bytes", bare):
        assert not png_has_words()


def test_files_of_one_name_get_charts_of_their_own() -> None:
    assert unique_names([Path("a/s.jsonl"), Path("b/s.jsonl"), Path("c/s.jsonl"), Path("t.jsonl")]) == [
        "s.jsonl",
        "s-2.jsonl",
        "s-3.jsonl",
        "t.jsonl",
    ]
