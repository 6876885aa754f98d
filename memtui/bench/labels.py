"""Scoring a mind on labelled statements and pairs (FORMATS: `memtui bench statements`, `memtui bench pairs`).

A pair counts as judged `supersedes` or `duplicate` when the mind is sure enough that a sleep pass would act on it; an
unsure one is shown to the person and leaves both memories, so it counts as the likelier of the labels that keep both.

A row without a usable answer stands in the column `none` and under `unanswered`; it counts as not right and as no label.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from memtui.bench.checkpoint import Checkpoint
from memtui.bench.faults import MechanismError
from memtui.bench.steady import SteadyMind
from memtui.errors import InputError, MindError, SessionFormatError
from memtui.memory.model import Candidate, Label, Verdict
from memtui.memory.sleep.candidates import SleepPolicy
from memtui.minds.base import Mind, PairText

log = logging.getLogger(__name__)

LABELS: Final = tuple(str(label) for label in Label)
LEVELS: Final = ("low", "medium", "high")
KINDS: Final = ("episodic", "semantic")
NONE: Final = "none"
"""The column of a confusion table for rows the mind gave no usable answer to."""
_ASKED_AT: Final = datetime(2026, 4, 25, 12, tzinfo=UTC)
_APART: Final = timedelta(days=7)
_BATCH: Final = 100
Progress = Callable[[float, str], None]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One line of a statements file."""

    text: str
    keep: bool
    kind: str | None
    importance: str | None


@dataclass(frozen=True, slots=True)
class PairRow:
    """One line of a pairs file."""

    older: str
    newer: str
    label: str


@runtime_checkable
class Classifies(Protocol):
    """A mind that says of one text whether to keep it, its kind and its importance class."""

    def classify(self, text: str) -> tuple[bool, str | None, str | None]:
        """(worth keeping, "episodic" or "semantic", "low", "medium" or "high"); the last two None where not kept."""
        ...


def read_statements(path: Path) -> list[StatementRow]:
    """The rows of a statements file.

    Raises:
        SessionFormatError: a line breaks the format; file, line and key are named.
        InputError: the file can't be read or holds no row.
    """
    out: list[StatementRow] = []
    for number, row in _lines(path):
        text, keep = _required(row, "text", str, path, number), _required(row, "keep", bool, path, number)
        kind = _one_of(row, "kind", KINDS, path, number, needed=keep)
        importance = _one_of(row, "importance", LEVELS, path, number, needed=keep)
        out.append(StatementRow(text, keep, kind, importance))
    return _some(out, path)


def read_pairs(path: Path) -> list[PairRow]:
    """The rows of a pairs file; raises as `read_statements` does."""
    out: list[PairRow] = []
    for number, row in _lines(path):
        older, newer = _required(row, "older", str, path, number), _required(row, "newer", str, path, number)
        label = _one_of(row, "label", LABELS, path, number, needed=True)
        out.append(PairRow(older, newer, str(label)))
    return _some(out, path)


async def score_statements(
    rows: Sequence[StatementRow], mind: Mind, progress: Progress | None = None, *, checkpoint: Checkpoint | None = None
) -> dict[str, Any]:
    """`{keep|kind|importance: {accuracy, n, labels, confusion, unanswered}}`; `labels` as `score_pairs` gives them.

    `keep` is over all rows; `kind` and `importance` over the rows that are worth keeping and that the mind kept.

    Raises:
        MechanismError: no row was answered at all.
    """
    steady = None if mind.local else SteadyMind(mind, checkpoint)
    pairs: dict[str, list[tuple[str, str]]] = {"keep": [], "kind": [], "importance": []}
    for i, row in enumerate(rows):
        try:
            keep, kind, importance = await _classified(row.text, mind if steady is None else steady)
        except MindError as error:
            log.warning("no answer on row %d: %s", i + 1, error.what)
            keep, kind, importance = None, None, None
        pairs["keep"].append((_yes(row.keep), NONE if keep is None else _yes(keep)))
        if row.keep and keep:
            pairs["kind"].append((row.kind or NONE, kind or NONE))
            pairs["importance"].append((row.importance or NONE, importance or NONE))
        _report(progress, i + 1, len(rows))
    classes = {"keep": ("yes", "no"), "kind": KINDS, "importance": LEVELS}
    return _whole({name: _table(pairs[name], classes[name]) for name in pairs}, pairs["keep"], steady)


async def score_pairs(
    rows: Sequence[PairRow],
    mind: Mind,
    policy: SleepPolicy | None = None,
    progress: Progress | None = None,
    *,
    checkpoint: Checkpoint | None = None,
) -> dict[str, Any]:
    """`{accuracy, n, unanswered, labels: {label: {precision, recall, f1, n}}, confusion}`.

    `confusion` is truth, then what was judged.

    Raises:
        MechanismError: no pair was judged at all.
    """
    own = mind.judging
    policy = policy or SleepPolicy(retire_confidence=own.retire_confidence, duplicate_confidence=own.duplicate_confidence)
    steady = None if mind.local else SteadyMind(mind, checkpoint)
    judging: Mind = mind if steady is None else steady
    judged: list[tuple[str, str]] = []
    size = _BATCH if mind.local else own.pairs_a_call
    for start in range(0, len(rows), size):
        batch = rows[start : start + size]
        asked = [PairText(row.older, row.newer, _ASKED_AT - _APART, _ASKED_AT) for row in batch]
        try:
            verdicts = await judging.judge(asked)
        except MindError as error:
            log.warning("no verdicts on rows %d to %d: %s", start + 1, start + len(batch), error.what)
            verdicts = [None] * len(batch)
        judged.extend((row.label, acted_on(verdict, policy)) for row, verdict in zip(batch, verdicts, strict=True))
        _report(progress, start + len(batch), len(rows))
    return _whole(_table(judged, LABELS), judged, steady)


def _whole(record: dict[str, Any], answers: Sequence[tuple[str, str]], steady: SteadyMind | None) -> dict[str, Any]:
    """`record`, with what failed on the way to it; never where nothing was answered."""
    if steady is not None:
        steady.tally.check()
        record["failed_calls"] = {kind: count for kind, count in steady.tally.failed_calls().items() if count}
    if answers and all(said == NONE for _, said in answers):
        raise MechanismError(
            "Not one row was answered.", safe="No figures were made up.", todo="`memtui doctor` tells what works."
        )
    return record


def acted_on(verdict: Verdict | None, policy: SleepPolicy) -> str:
    """The label a sleep pass would act on; an unsure retirement keeps both, as an addition does."""
    if verdict is None:
        return NONE
    sure = {Label.SUPERSEDES: policy.retire_confidence, Label.DUPLICATE: policy.duplicate_confidence}
    if verdict.confidence < sure.get(verdict.label, 0.0):
        return str(Label.ADDITIVE)
    return str(verdict.label)


async def _classified(text: str, mind: Mind) -> tuple[bool | None, str | None, str | None]:
    if isinstance(mind, Classifies):
        return mind.classify(text)
    extract: Callable[[str, datetime], Awaitable[list[Candidate]]] = mind.extract
    found = await extract(text, _ASKED_AT)
    if not found:
        return False, None, None
    main = max(found, key=lambda candidate: candidate.importance)
    level = "low" if main.importance < 0.45 else "medium" if main.importance < 0.75 else "high"
    return True, "episodic" if main.kind.value == "episodic" else "semantic", level


def _table(pairs: Sequence[tuple[str, str]], classes: Sequence[str]) -> dict[str, Any]:
    confusion = {truth: dict.fromkeys((*classes, NONE), 0) for truth in classes}
    for truth, said in pairs:
        confusion[truth][said if said in classes else NONE] += 1
    right = sum(confusion[name][name] for name in classes)
    return {
        "accuracy": round(right / max(1, len(pairs)), 4),
        "n": len(pairs),
        "unanswered": sum(said == NONE for _, said in pairs),
        "labels": {name: _quality(pairs, name) for name in classes},
        "confusion": confusion,
    }


def _quality(pairs: Sequence[tuple[str, str]], label: str) -> dict[str, float | int]:
    true = sum(truth == label for truth, _ in pairs)
    said = sum(judged == label for _, judged in pairs)
    both = sum(truth == judged == label for truth, judged in pairs)
    precision, recall = both / said if said else 0.0, both / true if true else 0.0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4), "n": true}


def _lines(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}.", todo="Give a JSONL file of labelled rows.") from error
    out: list[tuple[int, Mapping[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SessionFormatError(path, number, f"no JSON ({error})") from error
        if not isinstance(row, dict):
            raise SessionFormatError(path, number, "no JSON object")
        out.append((number, row))
    return out


def _required(row: Mapping[str, Any], key: str, kind: type[_T], path: Path, number: int) -> _T:
    if key not in row:
        raise SessionFormatError(path, number, "is missing", key=key)
    value = row[key]
    if not isinstance(value, kind):
        raise SessionFormatError(path, number, f"{value!r} is no {kind.__name__}", key=key)
    return value


def _one_of(
    row: Mapping[str, Any], key: str, allowed: Sequence[str], path: Path, number: int, *, needed: bool
) -> str | None:
    value = row.get(key)
    if value is None and not needed:
        return None
    if value not in allowed:
        raise SessionFormatError(path, number, f"{value!r} is none of {', '.join(allowed)}", key=key)
    return str(value)


def _some(rows: list[_T], path: Path) -> list[_T]:
    if not rows:
        raise InputError(f"{path} holds no labelled row.", todo="Give a JSONL file of labelled rows.")
    return rows


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _report(progress: Progress | None, done: int, of: int) -> None:
    if progress is not None:
        progress(done / of, f"{done} of {of} judged")
