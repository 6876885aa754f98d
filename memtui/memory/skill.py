"""Skills: procedural memories that say how something was done (LAWS, "Strength").

A skill's text is one canonical text of title, trigger, steps and lessons, named by its hash like every other content; its
slug, outcome and trust stand in the ledger's event (`events.Learned`). So the chain covers every field, a search for words
finds all of it, and a person can read it wherever a memory is shown.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from memtui.errors import InputError
from memtui.memory.model import Outcome
from memtui.memory.texts import clean, mask_secrets, one_line

SLUG_PATTERN: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
"""What a slug looks like: small letters and digits, in words joined by hyphens."""
LONGEST_SLUG: Final = 64
LONGEST_TITLE: Final = 200
LONGEST_FIELD: Final = 20_000
"""Characters of trigger, steps and lessons each."""
BRIEF: Final = 320
"""Characters of a skill in a prompt: title, trigger and the beginning of its steps."""

_LABELS: Final = ("When:", "Steps:", "Lessons:")
_ESCAPABLE: Final = re.compile(r"\\*(?:When|Steps|Lessons):")
_LATIN: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya".replace("_", "").split(" "),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a skill says.

    Attributes:
        title: one line.
        trigger: when it helps: the situation, the message, the command.
        steps: what to do, Markdown.
        lessons: what was learned beside, Markdown.
        outcome: how it went.
        slug: its name; "" makes one of the title.
    """

    title: str
    trigger: str = ""
    steps: str = ""
    lessons: str = ""
    outcome: Outcome = Outcome.SUCCESS
    slug: str = ""


def checked(draft: Draft) -> Draft:
    """The draft as it can be kept: NFC, control characters dropped, secrets masked, ends trimmed.

    Raises:
        InputError: no title, neither trigger nor steps nor lessons, a field too long, or a slug that is none.
    """
    title = " ".join(_masked(draft.title).split())
    fields = {name: _trimmed(_masked(getattr(draft, name))) for name in ("trigger", "steps", "lessons")}
    if not title:
        raise InputError("A skill needs a title.", safe="Nothing was kept.", todo="Say in a line what it is good for.")
    if len(title) > LONGEST_TITLE:
        raise InputError(f"The title is longer than {LONGEST_TITLE} characters.", safe="Nothing was kept.")
    if not any(fields.values()):
        raise InputError(
            "A skill needs a trigger, steps or lessons.", safe="Nothing was kept.", todo="Say what was done, step by step."
        )
    for name, text in fields.items():
        if len(text) > LONGEST_FIELD:
            raise InputError(f"'{name}' is longer than {LONGEST_FIELD:,} characters.", safe="Nothing was kept.")
    slug = clean(draft.slug).strip()
    if slug and (SLUG_PATTERN.fullmatch(slug) is None or len(slug) > LONGEST_SLUG or slug != slug.lower()):
        raise InputError(
            f"'{one_line(slug, 40)}' is no slug.",
            safe="Nothing was kept.",
            todo=f"Small letters and digits joined by hyphens, {LONGEST_SLUG} at most, such as deploy-hangs.",
        )
    return replace(draft, title=title, outcome=read_outcome(draft.outcome), slug=slug, **fields)


def read_outcome(word: str) -> Outcome:
    """An outcome by its name.

    Raises:
        InputError: it is none of the three.
    """
    try:
        return Outcome(word.strip().lower())
    except ValueError:
        raise InputError(
            f"'{one_line(clean(word), 20)}' is no outcome.",
            safe="Nothing was kept.",
            todo="Write success, partial or failure.",
        ) from None


def slug_of(title: str, taken: frozenset[str] | set[str] = frozenset()) -> str:
    """A slug for a title that none of `taken` has: its words in small letters, Cyrillic in Latin ones."""
    latin = "".join(_LATIN.get(letter, letter) for letter in unicodedata.normalize("NFC", title).lower())
    plain = "".join(c for c in unicodedata.normalize("NFKD", latin) if not unicodedata.combining(c))
    words = [word for word in re.split(r"[\W_]+", unicodedata.normalize("NFC", plain.lower())) if word]
    stem = ""
    for word in words:
        longer = f"{stem}-{word}" if stem else word[: LONGEST_SLUG - 8]
        if len(longer) > LONGEST_SLUG - 8:
            break
        stem = longer
    stem, slug, number = stem or "skill", stem or "skill", 2
    while slug in taken:
        slug, number = f"{stem}-{number}", number + 1
    return slug


def body_text(draft: Draft) -> str:
    """The canonical text of a (checked) draft; `parse_body` gives the draft's words back, whatever they are."""
    lines = [draft.title]
    for label, text in zip(_LABELS, (draft.trigger, draft.steps, draft.lessons), strict=True):
        if text:
            lines += ["", label, *("\\" + line if _ESCAPABLE.fullmatch(line) else line for line in text.split("\n"))]
    return "\n".join(lines)


@lru_cache(maxsize=20_000)
def parse_body(text: str) -> Draft:
    """Title, trigger, steps and lessons of a canonical text; of any other the first line is the title, the rest steps."""
    title, *lines = text.split("\n")
    parts: dict[str, list[str]] = {}
    here: list[str] = parts.setdefault("", [])
    for line in lines:
        if line in _LABELS and line not in parts:
            here = parts.setdefault(line, [])
        else:
            here.append(line[1:] if _ESCAPABLE.fullmatch(line) and line.startswith("\\") else line)
    trigger, steps, lessons = (_trimmed("\n".join(parts.get(label, ()))) for label in _LABELS)
    loose = _trimmed("\n".join(parts[""]))
    return Draft(title, trigger, "\n".join(filter(None, (loose, steps))), lessons)


def searched_text(draft: Draft) -> str:
    """What a skill's vector is made of: title and trigger say when it matters (the steps beside them only blur)."""
    return "\n".join((draft.title, draft.trigger or one_line(draft.steps, 200)))


def text_to_embed(text: str) -> str:
    """What a memory's vector is made of: a skill's title and trigger; every other text as it stands."""
    return searched_text(parse_body(text)) if is_skill_text(text) else text


def is_skill_text(text: str) -> bool:
    """Whether a memory's text has the form of a skill's."""
    return any(f"\n\n{label}\n" in text for label in _LABELS)


def prompt_text(text: str) -> str:
    """What a memory's text costs at most in a prompt: a skill's brief, any other text as it stands."""
    return brief(text, trusted=False, outcome=Outcome.PARTIAL) if is_skill_text(text) else text


def brief(text: str, *, trusted: bool, outcome: Outcome) -> str:
    """A skill's canonical text on one line as a prompt quotes it, with how it went and whether anybody stands behind it."""
    draft = parse_body(text)
    how = {
        Outcome.SUCCESS: "worked",
        Outcome.PARTIAL: "worked in part",
        Outcome.FAILURE: "did not work",
    }[outcome]
    mark = how if trusted else f"unverified: {how}, it says"
    parts = [f"How-to ({mark}): {draft.title}."]
    if draft.trigger:
        parts.append(f"When: {one_line(draft.trigger, BRIEF // 3)}")
    room = BRIEF - sum(map(len, parts))
    for label, words in (("Steps", draft.steps), ("Lessons", draft.lessons)):
        if words and room > len(label) + 20:
            parts.append(f"{label}: {one_line(words, room - len(label) - 2)}")
            room -= len(parts[-1])
    return " ".join(parts)


def _masked(text: str) -> str:
    return mask_secrets(clean(text))[0]


def _trimmed(text: str) -> str:
    """Without blank lines at the ends and without spaces at the end of the last line."""
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines).rstrip()
