"""The skills of an open memory: everything the commands, the screen and the MCP server do with them goes through here.

Writing never asks a model: a skill is words the writer chose, and its vector is made by the local embedder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.memory.model import Outcome, Trust
from memtui.memory.skill import Draft
from memtui.skills.view import Decayed, Found, Learnt, Near, Skill

if TYPE_CHECKING:
    from memtui.chat.companion import Companion

YOU = "you"
"""The origin of what the person wrote; whatever else is untrusted unless it is said otherwise."""


class Skills:
    """The skills of a companion's memory.

    References are slugs, ids, `m31` handles or words that match exactly one skill. What other processes wrote is taken in
    first by everything that is awaited; `listed` and `get` show what is in memory (`await refresh()` before, if others write).
    """

    def __init__(self, companion: Companion, folder: Path | None = None) -> None:
        """Args:
        folder: where the snapshot and the archive are kept; None keeps neither (a scratch memory).
        """
        self.companion = companion
        self.folder = folder

    # -- writing

    async def learn(self, draft: Draft, *, trust: Trust | None = None, origin: str = YOU, force: bool = False) -> Learnt:
        """Keep a skill. One that says nearly the same is reported instead, unless `force`.

        Args:
            trust: None trusts what `YOU` wrote and nothing else.

        Raises:
            InputError: the draft can't be kept; its slug is taken.
        """
        raise NotImplementedError

    async def update(
        self,
        reference: str,
        *,
        title: str | None = None,
        trigger: str | None = None,
        steps: str | None = None,
        lessons: str | None = None,
        outcome: Outcome | None = None,
        slug: str | None = None,
        origin: str = YOU,
    ) -> Skill:
        """Change what a skill says; None leaves a field as it is, and the old words stay in its history.

        What somebody else than `YOU` changes is untrusted again.

        Raises:
            InputError: no such skill, or the result can't be kept.
        """
        raise NotImplementedError

    async def reinforce(self, reference: str, *, worked: bool = True, note: str = "") -> Skill:
        """Report that a skill was used: strength +0.15 when it worked, x0.7 when it failed; it is active again.

        Raises:
            InputError: no such skill, or it is archived.
        """
        raise NotImplementedError

    async def used(self, references: Sequence[str], turn: str) -> None:
        """Say that skills were given to somebody: they count as used, their strength is what it was."""
        raise NotImplementedError

    async def pin(self, reference: str, pinned: bool = True) -> Skill:
        """Pin or unpin: a pinned skill is never archived."""
        raise NotImplementedError

    async def approve(self, reference: str, trust: Trust = Trust.TRUSTED, *, by: str = YOU) -> Skill:
        """Stand behind an untrusted skill, or take that back."""
        raise NotImplementedError

    async def archive(self, reference: str, note: str = "") -> Skill:
        """Take a skill out of recall now; it is written in full to the archive first, and can be restored."""
        raise NotImplementedError

    async def restore(self, reference: str) -> Skill:
        """Bring an archived skill back: it is active, and counts as used now."""
        raise NotImplementedError

    async def decay(self) -> Decayed:
        """Archive what nobody used for so long (written in full first) and bring the snapshot up to date."""
        raise NotImplementedError

    # -- reading

    async def refresh(self) -> bool:
        """Take in what other processes wrote; True if anything came."""
        return await self.companion.store.refresh_async()

    def listed(self, *, archived: bool = False) -> list[Skill]:
        """All skills by strength, the strongest first; archived ones too if asked."""
        raise NotImplementedError

    def get(self, reference: str) -> Skill:
        """The skill a reference names, archived ones included.

        Raises:
            InputError: none or several match.
        """
        raise NotImplementedError

    async def recall(self, query: str, limit: int = 5, *, everything: bool = False) -> list[Found]:
        """The skills that help with `query`, best first; only relevant ones unless `everything`. Writes nothing."""
        raise NotImplementedError

    async def similar(self, draft: Draft) -> list[Skill]:
        """Skills that say nearly the same as a draft, the nearest first."""
        raise NotImplementedError

    async def duplicates(self) -> list[Near]:
        """Pairs of skills that say nearly the same, the nearest first."""
        raise NotImplementedError
