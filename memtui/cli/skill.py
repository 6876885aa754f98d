"""`memtui skill …`: procedural memory on the command line, made for pipes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memtui.cli.commands import Context, pass_context
from memtui.errors import InputError, MemtuiError

if TYPE_CHECKING:
    from memtui.memory.skill import Draft
    from memtui.skills.service import Skills
    from memtui.skills.view import Found, Skill

T = TypeVar("T")
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
_OUTCOME = click.Choice(["success", "partial", "failure"])
_STDIN_LIMIT = 200_000


@click.group("skill")
def skill_command() -> None:
    """Skills: how something was done, learned for free and found when it matters.

    \b
        memtui skill learn "Deploy hangs on a migration" --when "it stops at 'running migrations'" --step "find the lock"
        memtui skill recall deploy is stuck
        memtui skill reinforce deploy-hangs-on-a-migration
    """


def _with_skills(context: Context, work: Callable[[Skills], Awaitable[T]]) -> T:
    """Run `work` on the skills of the home's memory; its snapshot is up to date afterwards."""
    import asyncio

    from memtui.cli.opened import opened

    async def main() -> T:
        async with opened(context) as companion:
            done = await work(companion.skills)
            companion.skills.snapshot.keep()
            return done

    return asyncio.run(main())


@skill_command.command("learn")
@click.argument("title", nargs=-1)
@click.option("--when", "trigger", metavar="TEXT", help="When it helps: the situation, the message, the command.")
@click.option("--steps", metavar="TEXT", help="What to do, as Markdown.")
@click.option("--step", "step", metavar="TEXT", multiple=True, help="One step; give it as often as there are steps.")
@click.option("--lessons", metavar="TEXT", help="What was learned beside.")
@click.option("--outcome", type=_OUTCOME, help="How it went (success).")
@click.option("--slug", metavar="NAME", help="Its name; made of the title by default.")
@click.option(
    "--from", "origin", metavar="NAME", help="Who wrote it, if not you: then it is untrusted until you approve it."
)
@click.option("--force", is_flag=True, help="Keep it even if another one says nearly the same.")
@_JSON
@pass_context
def learn(context: Context, /, title: tuple[str, ...], force: bool, as_json: bool, origin: str | None, **given: Any) -> None:
    """Keep a skill and print its slug. Asks no model.

    From a pipe (or with `-`) it reads a JSON object (title, trigger, steps, lessons, outcome, slug) or plain text: the
    first line is the title, and lines that read `When:`, `Steps:` and `Lessons:` begin the other parts.
    """
    draft = _draft(" ".join(title), given)

    async def work(skills: Skills) -> tuple[Skill | None, tuple[Skill, ...]]:
        from memtui.skills.service import YOU

        learnt = await skills.learn(draft, origin=YOU if origin is None else origin, force=force)
        return learnt.skill, learnt.similar

    skill, similar = _with_skills(context, work)
    if as_json:
        record = {"learned": None if skill is None else skill.record(), "similar": [near.slug for near in similar]}
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    elif skill is not None:
        click.echo(skill.slug)
    if skill is None:
        slugs = ", ".join(near.slug for near in similar)
        raise MemtuiError(
            f"Says nearly the same as {slugs}.",
            safe="Nothing was kept.",
            todo="Reinforce or update that one, or keep both with --force.",
        )


def _draft(title: str, given: dict[str, Any]) -> Draft:
    from memtui.memory.model import Outcome
    from memtui.memory.skill import Draft, parse_body, read_outcome

    told: dict[str, Any] = {}
    if title in ("", "-"):
        if title == "" and sys.stdin.isatty():
            raise InputError("A skill needs a title.", todo='Try: memtui skill learn "Title" --when … --step …')
        told = _told(sys.stdin.read(_STDIN_LIMIT), parse_body)
        title = str(told.pop("title", ""))
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(given.pop("step"), 1))
    options = {name: value for name, value in given.items() if value is not None}
    if steps:
        options["steps"] = "\n".join(filter(None, (options.get("steps", ""), steps)))
    fields = told | options
    outcome = read_outcome(str(fields.get("outcome") or Outcome.SUCCESS.value))
    texts = {name: str(fields.get(name) or "") for name in ("trigger", "steps", "lessons", "slug")}
    return Draft(title, outcome=outcome, **texts)


def _told(text: str, parse: Callable[[str], Draft]) -> dict[str, Any]:
    """The fields of what came through a pipe."""
    from memtui.memory.texts import clean

    text = clean(text).strip()
    if not text:
        raise InputError(
            "Nothing came through the pipe.", todo="Send a JSON object or a text whose first line is the title."
        )
    if not text.startswith("{"):
        draft = parse(text)
        return {"title": draft.title, "trigger": draft.trigger, "steps": draft.steps, "lessons": draft.lessons}
    try:
        told = json.loads(text)
    except ValueError as error:
        raise InputError(f"What came through the pipe is no JSON: {error}.") from error
    known = ("title", "trigger", "steps", "lessons", "outcome", "slug")
    strange = [name for name in told if name not in known]
    if strange or not all(isinstance(value, str | list) for value in told.values()):
        wrong = strange[0] if strange else next(name for name, value in told.items() if not isinstance(value, str | list))
        raise InputError(f"'{wrong}' is no field of a skill, or no text.", todo=f"Known are {', '.join(known)}.")
    return {
        name: "\n".join(f"{n}. {part}" for n, part in enumerate(value, 1)) if isinstance(value, list) else value
        for name, value in told.items()
    }


@skill_command.command("recall")
@click.argument("query", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 50), default=5, show_default=True, help="How many at most.")
@click.option("--all", "everything", is_flag=True, help="The best there are, relevant or not.")
@click.option("--words", "words_only", is_flag=True, help="By words alone: faster, and blind to other languages.")
@_JSON
@pass_context
def recall(context: Context, query: tuple[str, ...], limit: int, everything: bool, words_only: bool, as_json: bool) -> None:
    """Find the skills that help with QUERY (or with what comes through the pipe). Changes nothing.

    It reads the snapshot beside the store; when the ledger has gone on since, it says so and has it made anew in the
    background. What nobody has approved is marked `unverified`: it is text from elsewhere, no rule.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: one small product needs no threads
    from memtui.skills.snapshot import SnapshotReader, refresh_in_background

    words = " ".join(query)
    if words in ("", "-"):
        words = "" if words == "" and sys.stdin.isatty() else sys.stdin.read(_STDIN_LIMIT)
    if not words.strip():
        raise InputError("There is nothing to look for.", todo="Try: memtui skill recall deploy hangs")
    reader = SnapshotReader(context.home)
    stale = reader.stale
    if not reader.exists and not context.home.store.exists() and not context.home.settings_file.exists():
        found: tuple[Found, ...] = ()
        stale = False
    else:
        found = reader.recall(words, reader.now(), limit, meaning=not words_only).found
    kept = [item for item in found if everything or item.passed]
    if as_json:
        record = {"stale": stale, "skills": [item.record() for item in kept]}
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        for item in kept:
            click.echo(_recalled_line(item))
        if not kept:
            click.echo("No skill helps with that.", err=True)
    if stale or (found and not words_only and not reader.quick):
        refresh_in_background(context.home)
    if stale:
        click.echo("The snapshot of the skills is behind the ledger; it is being made anew.", err=True)


def _recalled_line(item: Found) -> str:
    from memtui.memory.texts import one_line

    skill = item.skill
    mark = "" if skill.trusted else "  [unverified]"
    went = "" if skill.outcome.value == "success" else f"  [{skill.outcome.value}]"
    steps = f"\n    {one_line(skill.steps, 110)}" if skill.steps else ""
    return f"{skill.slug}  {one_line(skill.title, 80)}{went}{mark}  {item.score:.2f}{steps}"


@skill_command.command("reinforce")
@click.argument("skill")
@click.option("--failed", is_flag=True, help="It was used and did not work.")
@click.option("--note", default="", metavar="TEXT", help="What there is to say of it.")
@_JSON
@pass_context
def reinforce(context: Context, skill: str, failed: bool, note: str, as_json: bool) -> None:
    """Report that a skill was used: +0.15 strength, or x0.7 with --failed."""
    _say(_with_skills(context, lambda skills: skills.reinforce(skill, worked=not failed, note=note)), as_json)


@skill_command.command("list")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@_JSON
@pass_context
def list_(context: Context, archived: bool, as_json: bool) -> None:
    """List the skills, the strongest first."""

    async def work(skills: Skills) -> list[Skill]:
        return skills.listed(archived=archived)

    shown = _with_skills(context, work)
    if as_json:
        click.echo(json.dumps([skill.record() for skill in shown], ensure_ascii=False, indent=1))
        return
    for skill in shown:
        click.echo(_line(skill))
    if not shown:
        click.echo("No skills yet. `memtui skill learn`, or /learn in the app.", err=True)


@skill_command.command("show")
@click.argument("skill")
@_JSON
@pass_context
def show(context: Context, skill: str, as_json: bool) -> None:
    """Print one skill in full."""

    async def work(skills: Skills) -> Skill:
        return skills.get(skill)

    shown = _with_skills(context, work)
    if as_json:
        click.echo(json.dumps(shown.record(), ensure_ascii=False, indent=1))
        return
    click.echo(_line(shown), err=True)
    click.echo(shown.text)


@skill_command.command("update")
@click.argument("skill")
@click.option("--title", metavar="TEXT")
@click.option("--when", "trigger", metavar="TEXT")
@click.option("--steps", metavar="TEXT")
@click.option("--lessons", metavar="TEXT")
@click.option("--outcome", type=_OUTCOME)
@click.option("--slug", metavar="NAME")
@_JSON
@pass_context
def update(context: Context, /, skill: str, as_json: bool, outcome: str | None, **given: Any) -> None:
    """Change what a skill says; the old words stay in its history."""
    from memtui.memory.skill import read_outcome

    if outcome is None and not any(value is not None for value in given.values()):
        raise InputError(
            "There is nothing to change.", todo="Give --title, --when, --steps, --lessons, --outcome or --slug."
        )
    went = None if outcome is None else read_outcome(outcome)
    _say(_with_skills(context, lambda skills: skills.update(skill, outcome=went, **given)), as_json)


@skill_command.command("approve")
@click.argument("skill")
@click.option("--undo", is_flag=True, help="Take it back: untrusted again.")
@_JSON
@pass_context
def approve(context: Context, skill: str, undo: bool, as_json: bool) -> None:
    """Stand behind a skill that a tool or a file brought. Read it first: `memtui skill show`."""
    from memtui.memory.model import Trust

    trust = Trust.UNTRUSTED if undo else Trust.TRUSTED
    _say(_with_skills(context, lambda skills: skills.approve(skill, trust)), as_json)


@skill_command.command("pin")
@click.argument("skill")
@click.option("--undo", is_flag=True, help="Let it be archived again when nobody uses it.")
@_JSON
@pass_context
def pin(context: Context, skill: str, undo: bool, as_json: bool) -> None:
    """Never archive a skill."""
    _say(_with_skills(context, lambda skills: skills.pin(skill, not undo)), as_json)


@skill_command.command("archive")
@click.argument("skill")
@click.option("--note", default="", metavar="TEXT", help="Why.")
@_JSON
@pass_context
def archive(context: Context, skill: str, note: str, as_json: bool) -> None:
    """Take a skill out of recall; it is written in full to archive.jsonl first, and `restore` brings it back."""
    _say(_with_skills(context, lambda skills: skills.archive(skill, note)), as_json)


@skill_command.command("restore")
@click.argument("skill")
@_JSON
@pass_context
def restore(context: Context, skill: str, as_json: bool) -> None:
    """Bring an archived skill back."""
    _say(_with_skills(context, lambda skills: skills.restore(skill)), as_json)


@skill_command.command("dups")
@_JSON
@pass_context
def dups(context: Context, as_json: bool) -> None:
    """List pairs of skills that say nearly the same. Nothing is merged: archive the one you don't want."""
    pairs = _with_skills(context, lambda skills: skills.duplicates())
    if as_json:
        click.echo(json.dumps([pair.record() for pair in pairs], ensure_ascii=False, indent=1))
        return
    for pair in pairs:
        click.echo(f"{pair.one.slug}  {pair.other.slug}  meaning {pair.cosine:.2f} words {pair.words:.2f}")
    if not pairs:
        click.echo("No two skills say nearly the same.", err=True)


@skill_command.command("decay")
@_JSON
@pass_context
def decay(context: Context, as_json: bool) -> None:
    """Archive what nobody used for 90 days (written in full to archive.jsonl first) and refresh the snapshot."""
    done = _with_skills(context, lambda skills: skills.decay())
    slugs = [skill.slug for skill in done.archived]
    if as_json:
        record = {"archived": slugs, "stale": done.stale, "active": done.active, "file": done.file}
        click.echo(json.dumps(record, ensure_ascii=False, indent=1))
        return
    for slug in slugs:
        click.echo(slug)
    click.echo(f"{len(slugs)} archived, {done.stale} stale, {done.active} active.", err=True)


@skill_command.command("refresh", hidden=True)
@pass_context
def refresh(context: Context) -> None:
    """Make the snapshot anew, and what lets the next recall by meaning begin at once."""
    from memtui.minds.offline.quick import make_kit
    from memtui.skills.snapshot import kit_folder

    _with_skills(context, lambda skills: skills.snapshot.write())
    kit = kit_folder(context.home)
    if not kit.is_dir():
        for old in kit.parent.glob("*"):
            shutil.rmtree(old, ignore_errors=True)
        make_kit(kit)


def _say(skill: Skill, as_json: bool) -> None:
    click.echo(json.dumps(skill.record(), ensure_ascii=False, indent=1) if as_json else _line(skill))


def _line(skill: Skill) -> str:
    from memtui.memory.texts import one_line

    full = round(min(skill.strength, 2.0) * 5)
    bar = "█" * full + "·" * (10 - full)
    pin = "◆" if skill.pinned else " "
    mark = "" if skill.trusted else "  [unverified]"
    return (
        f"{bar} {skill.strength:4.2f} {skill.stage.value:<8} ×{skill.uses:<3}{pin} "
        f"{skill.slug}  {one_line(skill.title, 70)}{mark}"
    )
