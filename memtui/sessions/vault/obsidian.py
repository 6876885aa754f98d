"""Notes of people as memories: what an Obsidian vault holds.

A note with steps is a skill; any other is what it says, in pieces as long as a memory may be, under its title. Links become
their words, embedded files and comments are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import PurePosixPath
from typing import Any, Final

from memtui.memory.model import Outcome
from memtui.memory.skill import Draft
from memtui.memory.texts import clean, mask_secrets, one_line
from memtui.sessions.vault.notes import Note

LONGEST: Final = 600
"""Characters of one piece, title included."""
_PIECES: Final = 200
"""Pieces of one note; what is behind is left out and said."""

_EMBED: Final = re.compile(r"!\[\[[^\]\n]*\]\]|!\[[^\]\n]*\]\([^)\n]*\)")
_WIKI: Final = re.compile(r"\[\[([^\]|\n]+?)(?:\|([^\]\n]+))?\]\]")
_COMMENT: Final = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)
_FENCED: Final = re.compile(r"^(?P<fence>`{3,}|~{3,})", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")

_TRIGGER: Final = frozenset({"trigger", "when", "when to use", "when it helps", "триггер", "когда"})
_STEPS: Final = frozenset({"steps", "how", "how to", "solution", "fix", "шаги", "как", "решение"})
_LESSONS: Final = frozenset({"lessons", "lesson", "lessons learned", "notes", "уроки", "выводы"})
_SKILL_WORDS: Final = frozenset({"skill", "procedural", "how-to", "howto", "навык"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a note says.

    Attributes:
        at: when it was written, as far as is known.
        skill: the note as a skill, or None.
        pieces: its texts otherwise.
        cut: whether there were more pieces than are taken.
    """

    at: datetime
    skill: Draft | None
    pieces: tuple[str, ...]
    cut: bool = False


def told_by(name: str, note: Note, changed: float, now: datetime) -> Told:
    """What a note says.

    Args:
        name: its path in the vault; the title unless the front matter has one.
        changed: seconds since the epoch when the file was changed.
        now: nothing was written after it.
    """
    title = _title(name, note.front)
    sections = _sections(_plain(note.body))
    at = min(_when(note.front, changed), now)
    skill = _skill(title, sections, note.front)
    if skill is not None:
        return Told(at, skill, ())
    pieces = list(_pieces(title, sections))
    return Told(at, None, tuple(pieces[:_PIECES]), cut=len(pieces) > _PIECES)


def _title(name: str, front: Mapping[str, Any]) -> str:
    title = front.get("title")
    words = title if isinstance(title, str) and title.strip() else PurePosixPath(name).stem
    return one_line(clean(words), 120)


def _when(front: Mapping[str, Any], changed: float) -> datetime:
    for key in ("created", "created_at", "date", "дата"):
        value = front.get(key)
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value.strip())
            except ValueError:
                continue
        if isinstance(value, datetime):
            return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime.combine(value, time(12), UTC)
    return datetime.fromtimestamp(max(0.0, changed), UTC)


def _plain(body: str) -> str:
    """The body with links as their words; code is left as it is."""
    text = clean(body)
    out: list[str] = []
    for code, part in _by_code(text):
        if not code:
            part = _COMMENT.sub("", _EMBED.sub("", part))
            part = _WIKI.sub(lambda link: link[2] or link[1].replace("#", " "), part)
        out.append(part)
    return mask_secrets("".join(out))[0]


def _by_code(text: str) -> Iterator[tuple[bool, str]]:
    """The text in parts: outside fences, and inside (fences included); a fence left open reaches to the end."""
    place = 0
    while (start := _FENCED.search(text, place)) is not None:
        yield False, text[place : start.start()]
        end = re.compile(rf"^{start['fence'][0]}{{{len(start['fence'])},}}[ \t]*$", re.MULTILINE).search(text, start.end())
        place = len(text) if end is None else end.end()
        yield True, text[start.start() : place]
    yield False, text[place:]


def _sections(text: str) -> list[tuple[str, str]]:
    """(heading, text) in order; the first heading is "" for what stands in front of any."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    for code, part in _by_code(text):
        lines = [part] if code else part.split("\n")
        for number, line in enumerate(lines):
            heading = None if code else _HEADING.match(line)
            if heading is not None:
                sections.append((heading[1].strip(), []))
            else:
                sections[-1][1].append(line if code or number == len(lines) - 1 else line + "\n")
    return [(heading, "".join(parts).strip("\n")) for heading, parts in sections]


def _skill(title: str, sections: list[tuple[str, str]], front: Mapping[str, Any]) -> Draft | None:
    """The note as a skill, if it says that it is one or has steps."""
    parts = {"trigger": _words(front.get("trigger")), "steps": "", "lessons": ""}
    loose: list[str] = []
    for heading, text in sections:
        key = heading.casefold().rstrip(":")
        name = "trigger" if key in _TRIGGER else "steps" if key in _STEPS else "lessons" if key in _LESSONS else ""
        if name and text.strip():
            parts[name] = f"{parts[name]}\n\n{text}".strip()
        elif text.strip():
            loose.append(f"## {heading}\n{text}" if heading and heading != title else text)
    declared = bool(_SKILL_WORDS & _labels(front))
    if not declared and not (parts["steps"] and (parts["trigger"] or parts["lessons"])):
        return None
    if not parts["steps"]:
        parts["steps"], loose = "\n\n".join(loose), []
    elif loose:
        parts["lessons"] = "\n\n".join(filter(None, (parts["lessons"], *loose)))
    try:
        outcome = Outcome(_words(front.get("outcome")).lower() or "success")
    except ValueError:
        outcome = Outcome.SUCCESS
    return Draft(title, parts["trigger"], parts["steps"], parts["lessons"], outcome)


def _labels(front: Mapping[str, Any]) -> set[str]:
    out: set[str] = set()
    for key in ("kind", "type", "tags", "tag"):
        value = front.get(key)
        values = value if isinstance(value, list) else re.split(r"[,\s]+", value) if isinstance(value, str) else ()
        out |= {word.lstrip("#").casefold() for word in values if isinstance(word, str)}
    return out


def _pieces(title: str, sections: list[tuple[str, str]]) -> Iterator[str]:
    """The note's texts, each under its title and heading and not longer than a memory may be."""
    for heading, text in sections:
        head = title if not heading or heading == title else f"{title}, {one_line(heading, 80)}"
        room = LONGEST - len(head) - 2
        piece = ""
        for paragraph in _paragraphs(text, room):
            if piece and len(piece) + len(paragraph) + 2 > room:
                yield f"{head}: {piece}"
                piece = ""
            piece = f"{piece}\n\n{paragraph}" if piece else paragraph
        if piece:
            yield f"{head}: {piece}"


def _paragraphs(text: str, room: int) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        rest = paragraph.strip()
        while len(rest) > room:
            cut = max(rest.rfind(mark, room // 2, room) for mark in (". ", "\n", " "))
            cut = cut + 1 if cut > 0 else room
            yield rest[:cut].strip()
            rest = rest[cut:].strip()
        if rest:
            yield rest


def _words(value: object) -> str:
    return clean(value).strip() if isinstance(value, str) else ""
