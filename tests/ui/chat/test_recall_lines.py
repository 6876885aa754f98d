"""The memories behind a reply, in columns and in one line."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.cells import cell_len

from memtui.memory.frame import Frame
from memtui.memory.ids import make_id
from memtui.memory.model import Kind, Memory
from memtui.memory.recall import Recollected, Recollection
from memtui.memory.texts import content_hash
from memtui.ui.widgets.message_styles import Palette
from memtui.ui.widgets.recall_lines import RecallLine, drawn_fold, drawn_rows, recall_lines, short_number
from tests.ui.chat.chat_app import MEMORIES

PLAIN = Palette.plain()


def test_rows_as_in_the_design() -> None:
    assert [line.text for line in drawn_rows(MEMORIES, 70, PLAIN)] == [
        "  m31 moved to Lisbon        words .12  meaning .71  kept 1.2",
        "  m02 vegetarian             words .00  meaning .64  kept 1.4",
        "  m03 allergic to shellfish  words .31  meaning .58  kept 1.6",
    ]


def test_narrow_rows_keep_the_numbers() -> None:
    rows = [line.text for line in drawn_rows(MEMORIES, 36, PLAIN)]
    assert rows[0].startswith("  m31 moved to")
    assert all(row.endswith(end) for row, end in zip(rows, (".12 .71 1.2", ".00 .64 1.4", ".31 .58 1.6"), strict=True))
    assert all(cell_len(row) <= 36 for row in rows)
    assert all(cell_len(line.text) <= 24 for line in drawn_rows(MEMORIES, 20, PLAIN))


def test_hostile_memories_stay_in_their_columns() -> None:
    texts = ("[red]x[/]", "漢字" * 60, "a\n\x00b\ud83d", "👨‍👩‍👧‍👦 ❤️", "", "שלום \u202e x")
    memories = [RecallLine(str(i), f"m{i:02d}", text, 1, -1, float("inf")) for i, text in enumerate(texts)]
    widths = {cell_len(line.text) for line in drawn_rows(memories, 60, PLAIN)}
    assert len(widths) == 1
    assert widths.pop() <= 62


def test_folded() -> None:
    line = drawn_fold(MEMORIES, 50, PLAIN, lambda style: style)
    assert line.text == "  ▸ 3 memories  m31 moved to Lisbon, m02 vegetari…"
    assert cell_len(line.text) == 50


def test_numbers_are_three_wide() -> None:
    assert [short_number(value) for value in (0, 0.123, 0.996, 1, 1.25, 12, -0.12)] == [
        *(".00", ".12", "1.0", "1.0", "1.2", "12.0", "-.1"),
    ]


def test_a_recollection_becomes_rows() -> None:
    at = datetime(2026, 4, 25, tzinfo=UTC)
    frame = Frame(2)
    text = "moved to Lisbon"
    memory = Memory(
        id=make_id(at, 1),
        kind=Kind.SEMANTIC,
        content=content_hash(text),
        note=None,
        importance=0.9,
        created_at=at,
        valid_from=at,
        last_recall=at,
        recalls=0,
    )
    frame.upsert(memory, text)
    item = Recollected(memory.id, 0, 0.1, 0.7, 0.0, 0.5, 1.2, 12, False)
    (row,) = recall_lines(Recollection((item,), 12, 170), frame)
    assert row == RecallLine(memory.id, "m01", text, 0.1, 0.7, 1.2, False)
