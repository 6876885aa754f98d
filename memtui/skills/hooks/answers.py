"""What the hooks that speak have to say. They read small files, or ask a running memtui: nothing here opens the store,
imports LanceDB or asks a model.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from memtui.clock import wall_now
from memtui.locations import store_folder
from memtui.memory.words import stems
from memtui.skills.agents.entries import Places, missing_server
from memtui.skills.hooks import saying
from memtui.skills.hooks.asked import At, Broken
from memtui.skills.hooks.asking import ask
from memtui.skills.hooks.recaps import recaps
from memtui.skills.snapshot import REFRESHING_NAME, SnapshotReader, refresh_in_background
from memtui.skills.snapshot_file import SNAPSHOT_NAME
from memtui.skills.view import Found, Skill
from memtui.store.durability import write_atomically
from memtui.store.head_file import HEAD_NAME

_FOR_A_PROMPT: Final = 3
_FOR_A_TOOL: Final = 2
_LOOKED_AT: Final = 8
"""Of the best by words, how many are looked at for a command."""
_FIT_WORDS: Final = 2
_FIT_SHARE: Final = 0.5
"""So many words, and so large a share of a skill's trigger or title, must stand in a command for the skill to be shown."""
_SHORTEST: Final = 8
"""Characters of a prompt that can be about anything."""
_SESSIONS_KEPT: Final = 50
_TRY_EVERY_S: Final = 3600.0


def session_start(at: At) -> str:
    """The briefing: titles of skills, earlier sessions in this folder, whether the MCP server is missing."""
    _forget_shown(at)
    reader = _reader(at)
    skills, trusted, waiting = ([], 0, 0) if reader is None else reader.strongest(reader.now(), saying.TITLES)
    stale = reader is not None and _refreshed(at, reader.stale)
    project = Path(at.asked.folder) if at.asked.folder else Path.cwd()
    warning = missing_server(Places(Path.home(), project, at.environ))
    sessions = recaps(at.folder / "recaps", at.asked.folder)
    return saying.briefing(skills, trusted, waiting, sessions, warning, stale=stale)


def prompt(at: At) -> str:
    """Skills that may help with the prompt, and the reminder to check before claiming."""
    words = at.asked.prompt.strip()
    if len(words) < _SHORTEST or words.startswith("/"):
        return ""
    best, stale = _recalled(at, words, _FOR_A_PROMPT)
    found = [one for one in best if one.passed]
    _remember_shown(at, (one.skill.slug for one in found))
    return saying.recalled(found, stale=stale, verify=True)


def before_tool(at: At) -> str:
    """Skills that match the command or the path, those not shown in this session yet."""
    if not at.asked.words:
        return ""
    found, stale = _recalled(at, at.asked.words, _LOOKED_AT)
    seen, words = _shown(at), frozenset(stems(at.asked.words))
    new = [one for one in found if one.skill.slug not in seen and (one.passed or _fits(one.skill, words))][:_FOR_A_TOOL]
    if not new:
        return ""
    _remember_shown(at, (one.skill.slug for one in new))
    return saying.recalled(new, stale=stale, verify=False)


def _recalled(at: At, words: str, most: int) -> tuple[list[Found], bool]:
    """The best skills for some words, and whether the list is stale: from a running memtui, else from the snapshot.

    Meaning counts where it costs milliseconds; else words alone.
    """
    live = ask(at.folder, words, most)
    if live is not None:
        return live, False
    reader = _reader(at)
    if reader is None:
        return [], False
    recalled = reader.recall(words, reader.now(), most, meaning=reader.quick)
    if not reader.quick and not recalled.stale:
        _make(at)  # that makes it quick
    return list(recalled.found), _refreshed(at, recalled.stale)


def _fits(skill: Skill, words: frozenset[str]) -> bool:
    """Whether a command holds most of what a skill is for: it says much else, so what share of it is found tells little."""
    for text in (skill.trigger, skill.title):
        own = frozenset(stems(text))
        shared = len(own & words)
        if shared >= _FIT_WORDS and shared >= _FIT_SHARE * len(own):
            return True
    return False


def _reader(at: At) -> SnapshotReader | None:
    """The snapshot; None where there is none yet (it is being made if there is a memory to make it of).

    Raises:
        Broken: the snapshot or the store can't be read.
    """
    store = store_folder(at.home, at.environ)
    if store is not None and store.exists() and not _sound(store):
        raise Broken("broken store")
    reader = SnapshotReader(at.home)
    if reader.exists:
        return reader
    if store is None or store.exists():
        _make(at)
    if (at.home.skills / SNAPSHOT_NAME).exists():
        raise Broken("broken snapshot")
    return None


def _sound(store: Path) -> bool:
    """Whether a store's folder looks like one: empty, or with a head that can be read."""
    try:
        if not any(store.iterdir()):
            return True
        return isinstance(json.loads((store / HEAD_NAME).read_bytes()), dict)
    except (OSError, ValueError):
        return False


def _make(at: At) -> None:
    """Have made what may be missing for a reason (no skills, no kit): tried again once an hour, not by every hook."""
    with contextlib.suppress(OSError):
        mark = at.home.skills / REFRESHING_NAME
        if mark.exists() and wall_now().timestamp() - mark.stat().st_mtime < _TRY_EVERY_S:
            return
    refresh_in_background(at.home)


def _refreshed(at: At, stale: bool) -> bool:
    """Whether it is stale; if so, a process of its own makes it anew."""
    if stale:
        refresh_in_background(at.home)
    return stale


# -- what was shown in a session: a skill is not shown before every single command ------------------------------------------


def _shown_file(at: At) -> Path:
    return at.folder / "shown" / f"{hashlib.sha256(at.asked.session.encode()).hexdigest()[:16]}.json"


def _shown(at: At) -> set[str]:
    with contextlib.suppress(OSError, ValueError, TypeError):
        return set(map(str, json.loads(_shown_file(at).read_bytes())))
    return set()


def _remember_shown(at: At, slugs: Iterable[str]) -> None:
    with contextlib.suppress(OSError):
        path = _shown_file(at)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(sorted(_shown(at) | set(slugs))).encode(), durable=False)


def _forget_shown(at: At) -> None:
    """A session that begins (anew) has seen nothing; of old sessions only the newest are kept."""
    with contextlib.suppress(OSError):
        _shown_file(at).unlink(missing_ok=True)
        files = sorted(_shown_file(at).parent.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in files[_SESSIONS_KEPT:]:
            old.unlink()
