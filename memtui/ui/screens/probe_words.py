"""A probe in a replay, in words: what was asked, what recall would give, and whether that holds the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.minds.base import Remembered
from memtui.sessions.lines import Probe
from memtui.ui.widgets.recall_lines import recall_lines

if TYPE_CHECKING:
    from memtui.bench.figures import Judged
    from memtui.memory.frame import Frame
    from memtui.memory.recall import Recollection

_ASKS: Final = {
    "fact": "told once",
    "update": "changed since",
    "additive": "only seems to have changed",
    "once": "critical, said a single time",
    "project": "said many times",
    "nothing": "never told",
}


def asked_words(probe: Probe) -> str:
    """The question, and what makes it one."""
    kind = _ASKS.get(probe.category, probe.category)
    return f"Asked of the memory: {probe.question}" + (f" ({kind})" if kind else "")


def found_words(probe: Probe, recollection: Recollection, frame: Frame) -> str:
    """What recall would give, `·` before what did not pass as relevant, and the judgement as FORMATS has it."""
    lines = recall_lines(recollection, frame)
    rows = [f"{'' if line.passed else '· '}{line.handle} {line.text}" for line in lines]
    return "\n".join([*(rows or ["Nothing would be recalled."]), _verdict(probe, _judged(probe, recollection, frame))])


def _verdict(probe: Probe, judged: Judged) -> str:
    if probe.category == "nothing":
        return (
            "✓ Rightly nothing relevant."
            if judged.hit
            else "✗ Nothing was told about this, yet something passed as relevant."
        )
    answer = " / ".join(probe.answers)
    if judged.clean:
        return f"✓ {answer}"
    if judged.hit:
        return f"✗ Something no longer true is recalled beside the answer: {answer}"
    if judged.contaminated:
        return f"✗ Something no longer true is recalled and not the answer: {answer}"
    return f"✗ The answer is not among them: {answer}"


def _judged(probe: Probe, recollection: Recollection, frame: Frame) -> Judged:
    from memtui.bench.agents import Shown
    from memtui.bench.figures import judge_probe

    shown = []
    for item in recollection.items:
        memory, text = frame.memories[item.row], frame.texts[item.row]
        prompted = Remembered(memory.id, text, memory.created_at, memory.valid_from, item.passed)
        shown.append(Shown(text, memory.sources, item.passed, item.tokens, prompted))
    return judge_probe(probe, shown)
