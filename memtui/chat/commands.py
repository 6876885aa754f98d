"""The slash commands: one table feeds the completion menu, the help, the palette and the replay."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from memtui.chat.law_choice import laws_told, run_task, use_law
from memtui.chat.settling import conflict_records, read_answer, settled_words, since_words
from memtui.chat.skill_commands import run_learn, run_skill, run_skills
from memtui.errors import InputError
from memtui.memory.texts import one_line

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.chat.steps import Progress


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command did: a sentence, and for some the report behind it."""

    text: str
    report: Any = None


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command.

    Attributes:
        arguments: what it takes; in brackets where it can do without.
        where: `memory` commands run here; `screen` ones are the app's own and unknown to a replay.
    """

    name: str
    arguments: str
    help: str
    where: Literal["memory", "screen"] = "memory"

    @property
    def needs_argument(self) -> bool:
        """Whether it can't do without one."""
        return bool(self.arguments) and not self.arguments.startswith("[")


COMMANDS: tuple[Command, ...] = (
    Command("remember", "TEXT", "Keep this, whatever the mind thinks of it"),
    Command("pin", "MEMORY", "Pin a memory: it does not fade and is never pruned"),
    Command("unpin", "MEMORY", "Let a pinned memory fade again"),
    Command("forget", "MEMORY", "Retire a memory now (it can be restored)"),
    Command("restore", "MEMORY", "Bring a retired memory back"),
    Command("learn", "[last | TITLE | WHEN | STEPS]", "Keep how something was done, as a skill"),
    Command("skill", "worked | failed | approve | archive | restore | show SLUG", "Do something with a skill"),
    Command("skills", "[TEXT]", "List the skills, or those that help with something"),
    Command("edit", "MEMORY TEXT", "Change what a memory says"),
    Command("conflicts", "", "Memories that may contradict each other, for you to settle"),
    Command("settle", "MEMORY MEMORY replaced | both | unsure", "Say which of two memories holds"),
    Command("undo", "", "Take back the last change to memory"),
    Command("sleep", "", "Run the sleep pass: merge, retire, prune"),
    Command("warp", "3d | 12h | 1d6h", "Move the simulated clock ahead"),
    Command("rate", "0 | 1 | 60 | 3600", "How fast simulated time runs"),
    Command("law", "[NAME]", "Which law of forgetting memory is read by"),
    Command("task", "[TEXT | done]", "What you are working on: the stability law keeps what is near it"),
    Command("recall", "TEXT", "Show what recall would give for a text, without asking"),
    Command("whatif", "[KEY=VALUE …]", "See memory under another law or other numbers", "screen"),
    Command("survival", "[kind | law]", "Chart how long memories live, by kind or by law", "screen"),
    Command("regret", "", "What was let go of and then missed, and what is kept and never used", "screen"),
    Command("forecast", "[30 | 12h | 2w]", "See who fades when, and how many are left", "screen"),
    Command("sessions", "", "Open, rename or delete earlier chats", "screen"),
    Command("new", "", "Begin a new chat (memory stays)", "screen"),
    Command("replay", "FILE", "Play a session file", "screen"),
    Command("sort", "salience | age | recalls | kind | left", "Order of the memory panel", "screen"),
    Command("theme", "NAME", "Change the colours", "screen"),
    Command("tour", "", "A two-minute tour", "screen"),
    Command("retry", "", "Ask again for the last turn's reply", "screen"),
    Command("export", "FILE", "Write this chat as Markdown or JSONL", "screen"),
    Command("help", "", "Keys and commands", "screen"),
    Command("quit", "", "Leave; everything is kept", "screen"),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_DURATION = re.compile(
    r"(?:(\d+(?:\.\d+)?)\s*w)?\s*(?:(\d+(?:\.\d+)?)\s*d)?\s*(?:(\d+(?:\.\d+)?)\s*h)?\s*(?:(\d+(?:\.\d+)?)\s*m)?"
)
_MOST_HOURS = 24 * 366 * 5


def parse_command(line: str) -> tuple[Command, str]:
    """The command of a `/…` line and its argument.

    Raises:
        InputError: no such command.
    """
    name, _, argument = line.strip().removeprefix("/").partition(" ")
    command = _BY_NAME.get(name.lower())
    if command is None:
        raise InputError(f"There is no command '/{one_line(name, 20)}'.", todo="/help lists them.")
    return command, argument.strip()


def parse_duration(text: str) -> timedelta:
    """`3d`, `12h`, `1d6h`, `90m`, `2w` as a duration.

    Raises:
        InputError: not a duration, or longer than five years.
    """
    match = _DURATION.fullmatch(text.strip().lower().removeprefix("+"))
    if match is None or not any(match.groups()):
        raise InputError(f"'{one_line(text, 20)}' is no span of time.", todo="Write 3d, 12h or 1d6h.")
    weeks, days, hours, minutes = (float(part or 0) for part in match.groups())
    total = weeks * 168 + days * 24 + hours + minutes / 60
    if not 0 < total <= _MOST_HOURS:
        raise InputError(f"'{one_line(text, 20)}' is not between a minute and five years.", todo="Write 3d or 12h.")
    return timedelta(hours=total)


async def run_command(companion: Companion, line: str, progress: Progress | None = None) -> CommandResult:
    """Run a memory command.

    Raises:
        InputError: unknown, or a screen's own command, or a bad argument; nothing was changed.
    """
    command, argument = parse_command(line)
    runner = _RUNNERS.get(command.name)
    if runner is None:
        raise InputError(f"/{command.name} is for the screen.")
    if command.needs_argument and not argument:
        raise InputError(f"/{command.name} needs {command.arguments}.")
    return await runner(companion, argument, progress)


async def _remember(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    memory = await companion.remember(argument)
    return CommandResult(f"Remembered as {companion.handle(memory)}.", memory)


async def _on_memory(companion: Companion, argument: str, verb: str) -> CommandResult:
    memory = companion.resolve(argument)
    actions: dict[str, Callable[[str], Awaitable[None]]] = {
        "Pinned": companion.pin,
        "Unpinned": lambda m: companion.pin(m, False),
        "Forgot": companion.forget,
        "Restored": companion.restore,
    }
    await actions[verb](memory)
    text = one_line(companion.store.frame.texts[companion.store.frame.row(memory)], 60)
    return CommandResult(f"{verb} {companion.handle(memory)}: {text}", memory)


async def _pin(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return await _on_memory(companion, argument, "Pinned")


async def _unpin(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return await _on_memory(companion, argument, "Unpinned")


async def _forget(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return await _on_memory(companion, argument, "Forgot")


async def _restore(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return await _on_memory(companion, argument, "Restored")


async def _edit(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    reference, text = (*argument.split(" ", 1), "")[:2]
    memory = companion.resolve(reference)
    await companion.edit(memory, text=text)
    return CommandResult(f"Edited {companion.handle(memory)}.", memory)


async def _conflicts(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    records = conflict_records(companion)
    if not records:
        return CommandResult("Nothing to settle: no two memories seem to contradict each other.", records)
    lines = [f"{len(records)} to settle, the newer first:"]
    for record in records:
        lines.append("")
        for side in ("newer", "older"):
            told = record[side]
            lines.append(f"{told['handle']} {since_words(told)}: {one_line(told['content'], 120)}")
        if record["reason"]:
            lines.append(f"   “{one_line(record['reason'], 120)}” (sure {record['confidence']:.2f})")
        lines.append(f"   /settle {record['older']['handle']} {record['newer']['handle']} replaced | both | unsure")
    return CommandResult("\n".join(lines), records)


async def _settle(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    words = argument.split()
    if len(words) != 3:
        raise InputError("/settle needs two memories and an answer.", todo="Such as: /settle m12 m30 both")
    answer = read_answer(words[2])
    done = await companion.settle(companion.resolve(words[0]), companion.resolve(words[1]), answer)
    return CommandResult(settled_words(companion, done), done.newer)


async def _undo(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return CommandResult(await companion.undo())


async def _sleep(companion: Companion, argument: str, progress: Progress | None) -> CommandResult:
    report = await companion.sleep("key", progress)
    return CommandResult(report.sentence, report)


async def _warp(companion: Companion, argument: str, progress: Progress | None) -> CommandResult:
    report = await companion.warp_to(companion.clock.now() + parse_duration(argument), progress)
    nights = len(report.nights)
    return CommandResult(f"Moved {argument} ahead; memory slept {nights} night{'' if nights == 1 else 's'}.", report)


async def _rate(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    try:
        rate = float(argument.removesuffix("x"))
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 86_400:
        raise InputError(f"'{one_line(argument, 20)}' is no rate.", todo="Write 0, 1, 60 or 3600.")
    await companion.set_rate(rate)
    return CommandResult("Time stands still." if rate == 0 else f"Time runs at {rate:g}x.")


async def _recall(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    found = await companion.recall_for(argument)
    frame = companion.store.frame
    lines = [
        f"{companion.handle(item.memory)} {one_line(frame.texts[item.row], 60)}"
        f"  words {item.words:.2f} meaning {item.meaning:.2f} kept {item.retention:.2f}"
        for item in found.items
    ]
    return CommandResult("\n".join(lines) or "Nothing would be recalled for that.", found)


async def _law(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return CommandResult(use_law(companion, argument) if argument else laws_told(companion), companion.law)


async def _task(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return CommandResult(await run_task(companion, argument), companion.law)


async def _learn(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    if not argument:
        raise InputError("/learn needs a title here.", todo="Such as: /learn Deploy hangs | it stops at … | find the lock")
    return CommandResult(*await run_learn(companion, argument))


async def _skill(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return CommandResult(*await run_skill(companion, argument))


async def _skills(companion: Companion, argument: str, _: Progress | None) -> CommandResult:
    return CommandResult(await run_skills(companion, argument))


_RUNNERS: dict[str, Callable[[Companion, str, Progress | None], Awaitable[CommandResult]]] = {
    "remember": _remember,
    "pin": _pin,
    "unpin": _unpin,
    "forget": _forget,
    "restore": _restore,
    "learn": _learn,
    "skill": _skill,
    "skills": _skills,
    "edit": _edit,
    "conflicts": _conflicts,
    "settle": _settle,
    "undo": _undo,
    "sleep": _sleep,
    "warp": _warp,
    "rate": _rate,
    "law": _law,
    "task": _task,
    "recall": _recall,
}
