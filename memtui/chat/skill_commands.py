"""The slash commands about skills: `/learn`, `/skill` and `/skills`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from memtui.errors import InputError
from memtui.memory.model import Outcome, Trust
from memtui.memory.skill import Draft, read_outcome
from memtui.memory.texts import clean, one_line

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.skills.view import Skill

_FIELDS: Final = ("title", "trigger", "steps", "lessons", "slug", "outcome")
_VERBS: Final = "worked, failed, approve, distrust, archive, restore or show"


async def run_learn(companion: Companion, argument: str) -> tuple[str, str | None]:
    """Keep a skill told in one line; returns what to say, and its memory's id.

    Args:
        argument: `TITLE | WHEN | STEPS | LESSONS`, `last` (from the last turns), or a JSON object.

    Raises:
        InputError: it can't be kept, or one that says nearly the same is there.
    """
    draft = _draft(companion, argument)
    learnt = await companion.skills.learn(draft)
    if learnt.skill is None:
        raise InputError(
            f"'{learnt.similar[0].slug}' says nearly the same.",
            safe="Nothing was kept.",
            todo=f"/skill worked {learnt.similar[0].slug} makes it stronger.",
        )
    return f"Learned '{learnt.skill.slug}': {one_line(learnt.skill.title, 60)}", learnt.skill.id


def _draft(companion: Companion, argument: str) -> Draft:
    if argument.strip().lower() == "last":
        from memtui.skills.from_talk import draft_of_talk

        draft = draft_of_talk(companion.history)
        if draft is None:
            raise InputError("Nothing was said yet to learn from.", todo="/learn opens an empty form.")
        return draft
    if argument.startswith("{"):
        return read_draft(argument)
    title, when, steps, lessons = ([part.strip() for part in argument.split("|")] + [""] * 4)[:4]
    return Draft(title, when, steps, lessons)


def read_draft(text: str) -> Draft:
    """A draft from a JSON object of texts.

    Raises:
        InputError: it is none.
    """
    try:
        told = json.loads(text)
    except ValueError as error:
        raise InputError(f"That is no JSON: {error}.") from error
    if not isinstance(told, dict) or any(key not in _FIELDS or not isinstance(told[key], str) for key in told):
        raise InputError("A skill is a JSON object of texts.", todo=f"Known are {', '.join(_FIELDS)}.")
    words = {name: told.get(name, "") for name in _FIELDS if name != "outcome"}
    return Draft(outcome=read_outcome(told.get("outcome", Outcome.SUCCESS.value)), **words)


async def run_skill(companion: Companion, argument: str) -> tuple[str, str | None]:
    """Do something with one skill; returns what to say, and its memory's id.

    Raises:
        InputError: no such verb or skill.
    """
    verb, reference, rest = (*argument.split(maxsplit=2), "", "", "")[:3]
    skills = companion.skills
    match verb.lower():
        case "worked" | "failed":
            skill = await skills.reinforce(reference, worked=verb.lower() == "worked", note=rest)
            return f"'{skill.slug}' {verb.lower()}: strength {skill.strength:.2f}.", skill.id
        case "approve" | "distrust":
            skill = await skills.approve(reference, Trust.TRUSTED if verb.lower() == "approve" else Trust.UNTRUSTED)
            return f"'{skill.slug}' is {skill.trust.value} now.", skill.id
        case "archive":
            skill = await skills.archive(reference, rest)
            return f"Archived '{skill.slug}'. /skill restore {skill.slug} brings it back.", skill.id
        case "restore":
            skill = await skills.restore(reference)
            return f"Restored '{skill.slug}': strength {skill.strength:.2f}.", skill.id
        case "update":
            draft = read_draft(rest)
            skill = await skills.update(
                reference,
                title=draft.title,
                trigger=draft.trigger,
                steps=draft.steps,
                lessons=draft.lessons,
                outcome=draft.outcome,
                slug=draft.slug or None,
            )
            return f"Changed '{skill.slug}'.", skill.id
        case "used":
            await skills.used(argument.split()[1:], "command")
            return "Counted as used.", None
        case "decay":
            done = await skills.decay()
            return f"{len(done.archived)} archived, {done.stale} stale, {done.active} active.", None
        case "show":
            skill = skills.get(reference)
            return f"{skill_words(skill)}\n\n{skill.text}", skill.id
    raise InputError(f"'{one_line(clean(verb), 20)}' is nothing to do with a skill.", todo=f"Write {_VERBS}, then its slug.")


async def run_skills(companion: Companion, argument: str) -> str:
    """The skills there are, or those that help with `argument`."""
    if argument:
        found = await companion.skills.recall(argument)
        return "\n".join(skill_words(item.skill) for item in found) or "No skill helps with that."
    return "\n".join(map(skill_words, companion.skills.listed(archived=True))) or "No skills yet. /learn keeps one."


def skill_words(skill: Skill) -> str:
    """A skill in a line."""
    pin = " ◆" if skill.pinned else ""
    mark = "" if skill.trusted else " (unverified)"
    return (
        f"{skill.strength:4.2f} {skill.stage.value:<8} ×{skill.uses:<3} {skill.slug}{pin}{mark}: {one_line(skill.title, 60)}"
    )
