"""Choosing the law of forgetting while a memory is open, and telling the law what is being worked on.

Nothing is written to memory by it: a law is a way of reading what happened. It holds until the memory is closed; the
settings say which one is there when it is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memtui.errors import InputError
from memtui.memory.laws import LAW_NAMES, Law
from memtui.memory.laws.apart import ruling
from memtui.memory.laws.capacity import beyond_words
from memtui.memory.laws.stability import StabilityLaw, Task
from memtui.memory.moments import NEVER_US
from memtui.memory.texts import clean, one_line

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

LAWS: Final[Mapping[str, str]] = {
    "salience": "importance, recalls and a half-life by kind; gone below a floor",
    "stability": "every recall makes it steadier; room for so many, the weakest go",
    "strength": "the law of skills: fades when idle, archived after 90 days without use",
    "fsrs": "the power law of human forgetting; a recall is a review",
    "naive": "nothing is ever forgotten (to compare with)",
    "window": "the last so many, first in first out (to compare with)",
}
"""What each law is, in a line."""
_DONE: Final = ("done", "none", "off")


def law_words(law: Law) -> str:
    """A law as the clock line shows it: its name, and `*` while it knows of a running task."""
    law = ruling(law)
    return f"{law.name}*" if isinstance(law, StabilityLaw) and law.task is not None else law.name


def use_law(companion: Companion, name: str) -> str:
    """Read memory by another law from now on; returns what to say.

    Raises:
        InputError: no such law.
    """
    from memtui.chat.policy import law_of  # the commands are known before the settings are read

    wanted = name.strip().lower()
    if wanted not in LAW_NAMES:
        raise InputError(f"There is no law '{one_line(name, 20)}'.", todo=f"Choose one of {', '.join(LAW_NAMES)}.")
    settings = companion.settings
    memory = settings.memory.model_copy(update={"law": wanted})
    chosen, before = settings.model_copy(update={"memory": memory}), companion.law.law
    law = law_of(chosen)
    if isinstance(law, StabilityLaw) and isinstance(before, StabilityLaw):
        law = replace(law, task=before.task)
    companion.settings = chosen
    companion.read_by(law)
    companion.log.command(companion.clock.now(), f"/law {wanted}")
    room = f" There is room for {law.capacity:,} memories." if law.capacity is not None else ""
    crowded = beyond_words(law, int(companion.store.frame.active.sum()))
    return (
        f"The law is now {wanted}: {LAWS[wanted]}.{room}{' ' + _due_words(companion) if crowded else ''} "
        f'It holds until memtui ends; law = "{wanted}" under [memory] in settings.toml keeps it.'
    )


def laws_told(companion: Companion) -> str:
    """All laws, the present one marked."""
    name = companion.law.name
    lines = [f"{'▸' if law == name else ' '} {law:<10} {what}" for law, what in LAWS.items()]
    return "\n".join([f"The law is {name}. /law NAME changes it:", *lines])


async def run_task(companion: Companion, text: str) -> str:
    """Say what is being worked on, so that memories near it stay; `done` ends it. Returns what to say.

    Raises:
        InputError: the law knows no tasks.
        MindError: the embedder did not answer.
    """
    law, text = companion.law.law, clean(text).strip()
    if not isinstance(law, StabilityLaw):
        raise InputError(f"The law {law.name} knows no running task.", todo="/law stability is the one that does.")
    if not text:
        return "No task is running." if law.task is None else f"The running task: {one_line(law.task.text, 80)}"
    if text.lower() in _DONE:
        companion.read_by(replace(law, task=None))
        told = "The task is over: nothing is favoured any more."
    else:
        embedder = companion.mind.embedder
        task = Task(text, (await embedder.embed([text]))[0], embedder.related_from)
        companion.read_by(replace(law, task=task))
        frame = companion.store.frame
        near = int(((frame.vectors @ task.vector >= task.near) & frame.active).sum())
        told = f"The running task: {one_line(text, 80)}. {near} {'memory is' if near == 1 else 'memories are'} near it."
    companion.log.command(companion.clock.now(), f"/task {text}")
    return told


def _due_words(companion: Companion) -> str:
    frame = companion.store.frame
    due = int(companion.law.faded(frame, NEVER_US - 1).sum())
    return f"{due:,} more than that are there; the next sleep pass lets go of them."
