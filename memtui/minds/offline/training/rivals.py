"""Pairs made from the training texts by rule: one word changed, denied, said of somebody else, said again.

Written pairs show how people change their minds; made ones teach the judge what a single edit does. Each pair
keeps the group of its source, so that cross-validation never sees both sides.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from memtui.minds.base import language_of
from memtui.minds.offline.cues import listed
from memtui.minds.offline.training.rows import Row

_BEFORE_EN: Final = (
    "so yeah, ",
    "as i said, ",
    "like i said: ",
    "just to remind you, ",
    "fwiw ",
    "for the record: ",
    "btw ",
)
_AFTER_EN: Final = ("", " ok?", ", just so you know", ", as you know", " btw", ", in case it matters", " lol")
_BEFORE_RU: Final = (
    "ну короче, ",
    "напоминаю: ",
    "как я говорил, ",
    "кстати, ",
    "ну да, ",
    "повторю: ",
    "в общем, ",
    "если что, ",
)
_AFTER_RU: Final = ("", ", если что", ", ты же помнишь", ", вот", ", напоминаю", ", да")
_WHO_EN: Final = (
    "my sister",
    "my brother",
    "my mum",
    "my dad",
    "my boss",
    "my friend",
    "my cousin",
    "my flatmate",
    "our neighbour",
)
_WHO_RU: Final = ("у сестры", "у брата", "у мамы", "у соседа", "у подруги", "у начальника", "у друга")
_VERBS: Final = r"(?P<verb>like|love|eat|drink|smoke|own|work|live|use|want|play|speak|drive|keep|take|need|read|run)\b"
_DENIED_EN: Final = (
    (re.compile(r"\bI'm\b", re.I), "I'm not"),
    (re.compile(r"\bI am\b", re.I), "I am not"),
    (re.compile(rf"^I {_VERBS}", re.I), r"I don't \g<verb>"),
    (re.compile(r"\bis\b"), "isn't"),
    (re.compile(r"\bare\b"), "aren't"),
    (re.compile(r"\bcan\b"), "can't"),
)
_DENIED_RU: Final = (
    (re.compile(r"^я (\w+(?:ю|у|юсь|усь))\b", re.I), r"я не \1"),
    (re.compile(r"\bесть\b"), "нет"),
    (re.compile(r"^(\w+(?:ю|юсь))\b", re.I), r"не \1"),
    (re.compile(r"\b(люблю|могу|работает|живёт|нравится|ем|пью)\b"), r"не \1"),
)
_DENIES = re.compile(r"\b(?:not|no|never|не|нет|без|ни)\b|n't", re.IGNORECASE)
_ONE_NUMBER = re.compile(r"(?<![\w.:,])\d{1,5}(?![\w.:,-]*\d)")
_INNER_NAME = re.compile(r"(?<=[a-zа-яё,] )(?!I\b)[A-ZА-ЯЁ][\w-]{2,}")
_NAMED_SLOTS: Final = frozenset(
    listed(
        "residence employer role partner name vehicle insurance_bank main_tool programming_language device time_zone doctor"
    )
)
_COUNTED_NOT: Final = frozenset(("birthday", "project", "travel"))
_LONGEST: Final = 140
_CAPS: Final = {"number": 250, "name": 150, "denied": 250, "other": 250, "again": 340}

Make = Callable[[str, random.Random], str | None]


def made_pairs(pairs: Sequence[Row], statements: Sequence[Row], seed: int) -> dict[str, list[Row]]:
    """Made pairs by the rule that made them; deterministic for a seed."""
    source = _sources(pairs, statements)
    out: dict[str, list[Row]] = {}
    rules: tuple[tuple[str, str, Make], ...] = (
        ("number", "supersedes", _other_number),
        ("denied", "supersedes", _denied),
        ("other", "additive", _of_another),
        ("again", "duplicate", _again),
    )
    for name, label, make in rules:
        chance = random.Random(f"{seed}:{name}")
        rows = [
            _pair(row, edited, label, chance) for row in source if _fits(name, row) and (edited := make(row["text"], chance))
        ]
        out[name] = _sample(rows, name, chance)
    chance = random.Random(f"{seed}:name")
    out["name"] = _sample(_other_names(source, chance), "name", chance)
    out["swapped"] = [
        {"older": row["newer"], "newer": row["older"], "label": row["label"], "group": row["group"]}
        for row in pairs
        if row["label"] in ("duplicate", "unrelated")
    ]
    return out


def _sources(pairs: Sequence[Row], statements: Sequence[Row]) -> list[Row]:
    olders = {row["older"]: {"text": row["older"], "group": row["group"], "slot": None, "kind": "semantic"} for row in pairs}
    kept = [row for row in statements if row["keep"] and len(row["text"]) <= _LONGEST]
    return [*olders.values(), *kept]


def _fits(rule: str, row: Row) -> bool:
    if rule == "again":
        return True
    if rule == "number":
        return row["kind"] == "semantic" and row["slot"] not in _COUNTED_NOT
    return row["kind"] == "semantic" and len(row["text"]) <= 80


def _pair(row: Row, edited: str, label: str, chance: random.Random) -> Row:
    older, newer = row["text"], edited
    if label != "additive" and chance.random() < 0.35:
        older, newer = newer, older
    return {"older": older, "newer": newer, "label": label, "group": row["group"]}


def _sample(rows: list[Row], name: str, chance: random.Random) -> list[Row]:
    cap = _CAPS[name]
    return chance.sample(rows, cap) if len(rows) > cap else rows


def _other_number(text: str, chance: random.Random) -> str | None:
    found = list(_ONE_NUMBER.finditer(text))
    if len(found) != 1:
        return None
    value = int(found[0].group())
    moved = (
        value + chance.choice((-3, -2, -1, 1, 2, 3, 5, 10))
        if value < 100
        else int(value * chance.choice((0.8, 0.9, 1.1, 1.25)))
    )
    if moved <= 0 or moved == value:
        return None
    return text[: found[0].start()] + str(moved) + text[found[0].end() :]


def _denied(text: str, chance: random.Random) -> str | None:
    del chance
    if _DENIES.search(text):
        return None
    for pattern, denied in _DENIED_RU if language_of(text) == "ru" else _DENIED_EN:
        if pattern.search(text):
            return pattern.sub(denied, text, count=1)
    return None


def _of_another(text: str, chance: random.Random) -> str | None:
    if re.match(r"у меня ", text, re.IGNORECASE):
        return chance.choice(_WHO_RU) + text[6:]
    who = chance.choice(_WHO_EN)
    for pattern, said in (
        (r"(?:I'm|I am) ", f"{who} is "),
        (r"I have ", f"{who} has "),
        (r"My (?!sister|brother|mum|dad|boss|friend)", f"{who}'s "),
    ):
        if re.match(pattern, text, re.IGNORECASE):
            return re.sub(rf"^{pattern}", said, text, flags=re.IGNORECASE)
    verb = re.match(rf"I {_VERBS}", text, re.IGNORECASE)
    return f"{who} {verb['verb']}s{text[verb.end() :]}" if verb else None


def _again(text: str, chance: random.Random) -> str | None:
    if chance.random() > 0.15:
        return None
    body = (text if text.startswith(("I ", "I'")) else text[0].lower() + text[1:]).rstrip(".!")
    if language_of(text) == "ru":
        return chance.choice(_BEFORE_RU) + body + chance.choice(_AFTER_RU)
    return chance.choice(_BEFORE_EN) + body + chance.choice(_AFTER_EN)


def _other_names(source: Sequence[Row], chance: random.Random) -> list[Row]:
    """A name inside a statement of a single-valued slot, replaced by one from another statement of that slot."""
    named = [row for row in source if row["slot"] in _NAMED_SLOTS and row["kind"] == "semantic"]
    pool: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in named:
        for name in _INNER_NAME.findall(row["text"]):
            pool[row["slot"], language_of(name)].append(name)
    out: list[Row] = []
    for row in named:
        found = list(_INNER_NAME.finditer(row["text"]))
        if len(found) != 1:
            continue
        name = found[0]
        others = [other for other in pool[row["slot"], language_of(name.group())] if other != name.group()]
        if others:
            edited = row["text"][: name.start()] + chance.choice(others) + row["text"][name.end() :]
            out.append(_pair(row, edited, "supersedes", chance))
    return out
